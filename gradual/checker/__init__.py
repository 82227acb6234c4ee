"""Elaboration: from the surface tree to core, with types found, obligations discharged and checks inserted.

The rooms in order: `program` (what the definitions of a file share), `state` (the context of one definition),
`obligations` (proved, refuted, or left as a check), `declarations` (headers, types and dims as written), `coercion`
(a value flows into another type), `joins` (the type of two branches), `functions` (calls and closures),
`expressions` (one rule per construct), `inference` (elided types), then `module`, which checks a file. Spec
chapters 6 and 9. Gradual typing as Siek and Taha (2006) have it, by the reading of Garcia, Clark and Tanter (2016).
"""
