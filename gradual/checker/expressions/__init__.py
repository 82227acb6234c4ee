"""Surface expressions to core steps: a file per construct, in the order of spec chapter 6.

`infer` in `expr.py` is the dispatch; `operator` applies an operator, `call` a function, `if_` and `match_` branch,
`lambda_` makes closures, `deferred_lambda` expands function literals whose parameter types are elided, `ascription`
and `references` are the rest. `coverage` decides whether the arms of a `match` are exhaustive (Maranget's
matrices).
"""
