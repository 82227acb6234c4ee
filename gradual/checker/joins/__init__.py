"""The type of an `if` or a `match` from the types of its branches.

`Branch` is one side with the facts learnt under its condition, `Join` the least type that both have without
inserting a check, `unreachable` the rules for code that no run reaches. Spec: `type.if.join`, `type.match.join`,
`type.join`.
"""
