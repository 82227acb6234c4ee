"""The verifier: type core again from the declarations alone; do not trust what the checker or a pass recorded.

`violations` in `function.py` is the entry; `Ground` is its environment, on purpose not shared with the checker; the
other files are its rules for operators, branches, data, proxies and unknown ranks. It runs after every pass. Spec:
`core.verify`.
"""
