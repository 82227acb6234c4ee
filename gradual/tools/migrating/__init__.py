"""`gradual annotate`: find the most precise types with which a program is still accepted, by trial.

`OpenSize`, `OpenRank` and `Left` are the unknowns of a program, a `Proposal` is an edit that replaces some, `Needs` are
the constraints that the checks put on them; `rounds` tries proposals to a fixpoint. This is the migration problem as
stated for tensor shapes by Migeed and Palsberg (2024). Spec: `check.annotated`.
"""
