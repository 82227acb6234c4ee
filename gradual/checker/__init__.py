"""Elaboration of the surface tree to core: infer types, discharge obligations, insert checks.

The packages in order: `program` (data shared by the definitions of a file), `state` (the context of one definition),
`obligations` (proved, refuted, or left as a check), `declarations` (headers, types and dims as written), `coercion`
(a value flows into another type), `joins` (the type of two branches), `functions` (calls and closures),
`expressions` (one rule per construct), `inference` (elided types), then `module`, which checks a file. Spec
chapters 6 and 9. Gradual typing as in Siek and Taha (2006), in the interpretation of Garcia, Clark and Tanter (2016).
"""
