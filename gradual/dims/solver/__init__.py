"""The decision pipeline for a goal under facts: proved, refuted with a model, or unknown with the least
counterexample.

`Decider` tries stages from cheap to expensive: normal form, facts, intervals, linear elimination (`conjunction`), case
splits (`Refuter`), small models, and Z3 last (`smt`, de Moura and Bjørner 2008) under a resource budget. Without Z3
more answers are unknown; no other answer changes. Spec: `dim.decide` and the sections under it.
"""
