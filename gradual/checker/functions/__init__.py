"""Applications and function literals: operators, calls of functions, closures.

`operator` applies an operator: evaluates its judgement, discharges its needs, unpacks its result. `call`
instantiates a function from its arguments and coerces them; `lambda_` makes closures and the functions of
definitions; `deferred_lambda` expands the calls of a literal whose parameter types are elided. Spec: `type.operator`,
`type.call.dims`, `type.fn`, `type.template`.
"""
