"""The type of an `if` or a `match` from the types of its branches.

`Branch` is one branch with its condition and its sizes, `Join` the most precise type that all branches have without
inserting a check, `unreachable` the rules for unreachable code. Spec: `type.if.join`, `type.match.join`, `type.join`.
"""
