"""`gradual annotate`: the most precise types that keep a program accepted, found by trying.

`Unknowns` of a program, `Proposal`s for each, `Needs` (what its checks require), and `rounds` until nothing more
fits. The migration problem as Migeed and Palsberg state it for tensor shapes (2024). Spec: `check.annotated`.
"""
