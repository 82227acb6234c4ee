"""What each kind of step does at run time: checks, operators, data, proxies, operators of unknown rank.

A check that fails raises `Blame`. Proxies are kept in normal form, so that they do not grow (Herman, Tomb and
Flanagan 2010). Spec: `run.check`, `run.operator`, `run.proxy`.
"""
