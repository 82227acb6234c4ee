"""Surface expressions to core steps: a file per construct, in the order of spec chapter 6.

`infer` in `expr.py` is the dispatch; `application` tells what is applied and how, `if_` and `match_` branch,
`block` is a sequence of `let`s, `literals`, `tuples` and `references` are the rest. `coverage` decides whether the
arms of a `match` are exhaustive (Maranget 2007).
"""
