"""Types of tensors, functions and data, in two readings: as written, with `?`, and opened, with every size a
symbolic term.

`TensorType[E]` and the other types, `unpacking` (a `?` becomes a fresh symbolic size, as in unpacking an
existential), `relations` (consistency, precision, meet, join: four operations, never one), `instantiation` and
`binder_solving` (what a call chooses), `subsumption`. Siek and Taha (2006); sizes that depend on data as in
Henriksen and Elsman (2021). Spec chapter 5.
"""

from __future__ import annotations

from gradual.types.print import shown
from gradual.types.type import Shown

# Printing a type needs every kind of type, so the function is assigned here, before any other code can see a type:
# Python runs a package's `__init__` before any file of it.
Shown.shown = shown
