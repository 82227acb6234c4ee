"""What is applied, and function literals: operators, calls of functions, closures.

`operator` applies an operator: its judgement is asked, its needs are discharged, its result is unpacked. `call`
instantiates a function from the arguments, which flow in; `lambda_` makes closures and the functions of
definitions; `deferred_lambda` expands a literal whose parameter types are elided at each of its calls. Spec:
`type.operator`, `type.call.dims`, `type.fn`, `type.template`.
"""
