"""Dims and constraints as hash-consed terms in normal form: equal means identical.

`Variable` and the other atoms (quotients, min, max, if-then-else), `Dim` (a polynomial over atoms), `Constraint`
(in negation normal form); then substitution, evaluation under a valuation, and printing. Spec: `dim.normal-form`,
`dim.constraint`, `dim.text`.
"""

from __future__ import annotations

from gradual.dims.term.constraint import Formula
from gradual.dims.term.evaluation import evaluated_constraint, evaluated_dim
from gradual.dims.term.polynomial import Dim
from gradual.dims.term.print import written
from gradual.dims.term.substitution import pickled, substituted_constraint, substituted_dim

# Evaluation, substitution and printing are walks over dims and constraints together.  The classes get them here,
# before any other code can see a dim: Python runs a package's `__init__` before any file of it.
Dim.evaluated, Formula.evaluated = evaluated_dim, evaluated_constraint
Dim.substituted, Formula.substituted = substituted_dim, substituted_constraint
Dim.written = Formula.written = written
Dim.pickled = Formula.pickled = pickled
