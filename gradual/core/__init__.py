"""The core language: flat blocks of steps over uniquely named variables, each check and each coercion explicit.

`terms` defines it (`Module`, `Function`, `Block`, and the steps from `Apply` to `Check`) with the `roles` of fields,
by which `def_use` visits every kind of step and `traversal` copies it. `print` writes core, `refinement` says what a
boolean value implies about sizes, `TypingContext` in `context` has what is known at a point of a definition, and
`verify` types core again from nothing.

Administrative normal form (Flanagan, Sabry, Duba and Felleisen 1993). Spec chapter 8.
"""

from __future__ import annotations

from gradual.core.print import printed
from gradual.core.terms import Module

# `printed` needs every kind of step, so it is set here: Python runs a package's `__init__` before any module in it.
Module.printed = printed
