"""The graph runtime: a static function as a flat list of instructions over one arena of memory.

`Plan` has each buffer's size, live range and place; `Graph` runs it; `measured` holds the machine to the plan.
Spec: `graph.run`, `plan.measured`; after TVM's graph runtime (Chen et al. 2018).
"""
