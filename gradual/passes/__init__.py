"""Passes: transformations of core that keep every outcome, and the analyses and the memory plan around them.

`framework` (what a pass is), `analysis` (liveness, may-fault, padding safety), `refine` (types made more precise by
forward dataflow), `transform` (one file per pass), `catalogue` and `pipeline` (by name, verified after each),
`plan` (the memory plan, and which functions are static, so that the graph runtime can run them). Spec chapter
11; the problems are those of Nimble (Shen et al. 2021) and of TVM's RFC 6909.
"""
