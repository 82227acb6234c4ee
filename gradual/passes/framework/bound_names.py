"""The names that a function binds."""

from __future__ import annotations

from gradual.core.def_use import within
from gradual.core.roles import Finder, Role, finder, some
from gradual.core.terms import Function
from gradual.dims.term.dim import Variable
from gradual.types.type import TypeVariable

_NAMES = finder({Role.DEFINED: some})
_DIMS_AND_TYPES: Finder[Variable | TypeVariable] = finder(
    {
        Role.BINDERS: lambda binders: (variable for variable, _ in binders),
        Role.TYPE_BINDERS: tuple,
        Role.SIGNATURE: lambda type: (*type.binders, *type.types),
    }
)


def names_in(function: Function) -> set[str]:
    """Every variable that a function binds, also in literals, patterns, layers and conversions."""
    return {name for node in within(function) for name in _NAMES[type(node)](node)}


def bound_in(function: Function) -> set[Variable | TypeVariable]:
    """Every dim and type parameter that a function binds, also in literals, layers and conversions."""
    return {one for node in within(function) for one in _DIMS_AND_TYPES[type(node)](node)}
