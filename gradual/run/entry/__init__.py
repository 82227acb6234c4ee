"""Values from outside: convert the arguments of a Python caller, and cast them to the declared parameter types;
failures blame the caller.

Contracts at the boundary, as in Findler and Felleisen (2002). Spec: `run.entry`.
"""
