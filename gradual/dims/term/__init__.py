"""Dims and constraints as hash-consed terms in normal form: equal means identical.

`Variable` and the other atoms (quotients, min, max, if-then-else), `Dim` (a polynomial over atoms), `Constraint`
(in negation normal form); then substitution, evaluation under a valuation, and printing. Spec: `dim.normal-form`,
`dim.constraint`, `dim.text`.
"""
