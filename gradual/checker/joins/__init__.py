"""The type of an `if` or a `match` from the types of its branches.

`Branch` is one branch: its condition, and the type of its value with each size simplified under that condition. `Join`
computes the most precise type that all branches have without a check. `unreachable` has the rules for unreachable code.
Spec: `type.if.join`, `type.match.join`, `type.join`.
"""
