"""Surface expressions to core steps: a file per construct, in the order of spec chapter 6.

`infer` in `expr.py` is the dispatch; `application` handles calls and operators, `if_` and `match_` branches;
`block` is a sequence of `let`s, `literals`, `tuples` and `references` are the rest. `coverage` decides whether the
arms of a `match` are exhaustive (Maranget 2007).
"""
