"""Inference of omitted types, over the whole file before anything is checked.

`terms` are types with unification variables, `constraints` the deferred constraints between them, `solver` a
worklist that wakes a constraint when a variable that it watches is bound; `walk` generates the constraints from the
syntax tree, and `conversion` writes the solution back as annotations. Structure and element types are found by
unification, shapes by propagation. Spec: `type.omitted`.
"""
