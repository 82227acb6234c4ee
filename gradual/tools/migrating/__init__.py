"""`gradual annotate`: the most precise types that keep a program accepted, found by trying.

`OpenSize`, `OpenRank` and `Left` are what a program leaves unknown, `Proposal` what may be written for it, `Needs`
what its checks require of it; `rounds` tries proposals until nothing more fits. The migration problem as Migeed and
Palsberg state it for tensor shapes (2024). Spec: `check.annotated`.
"""
