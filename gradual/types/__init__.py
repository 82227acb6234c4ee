"""Types of tensors, functions and data, in two forms: as written, with `?`, and opened, with every size a symbolic
term.

`TensorType[E]` and the other types, `unpacking` (a `?` becomes a fresh symbolic size, as in unpacking an
existential), `relations` (consistency, precision and join, a separate function each), `instantiation` and
`binder_solving` (the dims and type arguments of a call), `subsumption`. Siek and Taha (2006); sizes that depend on
data as in Henriksen and Elsman (2021). Spec chapter 5.
"""

from __future__ import annotations

from gradual.types.print import shown
from gradual.types.type import Shown

# Printing a type needs every kind of type, so the function is assigned here, before any other code can see a type:
# Python runs a package's `__init__` before any file of it.
Shown.shown = shown
