"""Rewriting of dims and constraints to simpler equivalents by bounds and equations, before any search.

`simplify` is the entry; `quotients` and `comparisons` use bounds, `exact_products` uses divisibility,
`split_extrema` eliminates min, max and if-then-else where bounds decide them, `lift_ite` moves an if-then-else out
of a fact, `readable` reduces a constraint for the reader. Spec: `dim.facts.plain` to `dim.facts.multiple`,
`dim.reduce`.
"""
