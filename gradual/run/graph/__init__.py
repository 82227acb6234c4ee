"""The graph runtime: a static function as a flat list of instructions over one arena of memory.

`Plan` has each buffer's size, live range and slot; `Graph` runs it; `measured` compares a run of the machine with the
plan. Spec: `graph.run`, `plan.measured`; after TVM's graph runtime (Chen et al. 2018).
"""
