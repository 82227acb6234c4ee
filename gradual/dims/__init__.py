"""Sizes: symbolic integer terms, constraints on them, and the procedures that decide constraints.

The rooms in order: `term` (dims and constraints in normal form), `bounds` (intervals and linear inequalities),
`rewrite` (simplification), `store` (what is known at a point), `solver` (the decision pipeline, with Z3 last).
Nothing here knows of types or programs. Spec chapter 4.
"""
