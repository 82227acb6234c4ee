"""Surface expressions to core steps: a file per construct, in the order of spec chapter 6.

`infer` in `expr.py` calls the rule of an expression; `application` has calls and operators, `if_` and `match_`
branches, `block` sequences of `let`s; `names`, `literals`, `tuples` and `references` have the rest. `coverage` decides
whether the arms of a `match` are exhaustive (Maranget 2007).
"""
