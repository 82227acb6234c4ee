"""Reading of declarations: type parameters, dims, parameters, result and preconditions, into unpacked types.

`Sizes` reads dims and predicates, `Reading` reads types, `Header` is a whole function header with each `?` of its
parameters unpacked to a fresh symbolic size. Spec chapter 6 (`type.parameter`, `type.where`, `type.positive`).
"""
