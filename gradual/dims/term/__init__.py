"""Dims and constraints as hash-consed terms in normal form: equal means identical.

`Variable` and the other atoms (quotients, min, max, if-then-else), `Dim` (a polynomial over atoms), `Constraint`
(in negation normal form); then substitution, evaluation under a valuation, and printing. Spec: `dim.normal-form`,
`dim.constraint`, `dim.text`.
"""

from __future__ import annotations

from gradual.dims.term import constraint
from gradual.dims.term.evaluation import evaluated_constraint, evaluated_dim
from gradual.dims.term.polynomial import Dim
from gradual.dims.term.print import written
from gradual.dims.term.substitution import pickled, substituted_constraint, substituted_dim

# Dims and constraints mean, become and print what walks over both say: the walks are handed in before anybody else
# can see a dim, since Python runs a package's `__init__` before any file of it.
Dim.complete(evaluated_dim, substituted_dim, written, pickled)
constraint.complete(evaluated_constraint, substituted_constraint, written, pickled)
