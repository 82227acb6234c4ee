"""What each field of core is for, and the traversal of core by these roles.

Each field of a step, and of a part of a step, states its role in its annotation.  A traversal maps some roles to
functions, and so covers every kind of step: `finder` collects from the fields of a node, `rebuilder` copies a node with
some of its fields changed.  The fields of a class are looked up when its first node is visited.

A generic traversal in the sense of Lämmel and Peyton Jones, "Scrap your boilerplate" (2003).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from operator import attrgetter, is_
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

from gradual.dims.term.dim import Dim, Variable
from gradual.types.type import OpenedType

T = TypeVar("T")
C = TypeVar("C")


class Role(Enum):
    """What a field is for."""

    PLAIN = "data without variables, sizes and types: an index, a message, a span"

    DEFINED = "the variable that is defined"
    SELF = "the name of a function, by which its body may refer to it"
    HEAD = "a variable that is used: the function that is called, the reference that is read or written"
    OPERAND = "a variable that is used"
    OPERANDS = "variables that are used"

    DIM = "a size"
    DIMS = "pairs: a dim, and the size given for it"
    BINDERS = "pairs: a dim that is bound, and the size that determines it"
    ATTRIBUTES = "attributes of an operator, some with sizes"
    GOAL = "a constraint on sizes"
    BLAME = "the label of a check"

    TYPE = "the type of the variable that is defined"
    SIGNATURE = "the type of a function, with the dims and types that it binds"
    WRITTEN = "the type as the source has it, or None"
    INSTANCES = "types given for type parameters"
    CHOICES = "pairs: a type parameter, and the type given for it"
    TYPE_BINDERS = "type parameters that are bound"

    BLOCK = "a nested block"
    ARMS = "the arms of a match, each with a nested block"
    LITERAL = "the function of a closure; its body is a nested block"
    PART = "a node inside this one, or None"
    PARTS = "nodes inside this one"
    LAYER = "the layer of a proxy"
    CONVERSION = "the conversion of a data structure, which may contain itself"
    CASES = "constructor -> the conversion of each field, or None"
    ENTRY = "checks on entry to a function, which are no steps of it"


Plain = Annotated[T, Role.PLAIN]
Defined = Annotated[str, Role.DEFINED]
Head = Annotated[str, Role.HEAD]
Operand = Annotated[str, Role.OPERAND]
Operands = Annotated[tuple[str, ...], Role.OPERANDS]
Binders = Annotated[tuple[tuple[Variable, Dim], ...], Role.BINDERS]
ValueType = Annotated[OpenedType, Role.TYPE]
Nested = Annotated[T, Role.BLOCK]
Part = Annotated[T, Role.PART]
Parts = Annotated[tuple[T, ...], Role.PARTS]


@cache
def roles(node: type) -> Mapping[str, Role]:
    """Field -> role, in the order of the fields."""
    hints = get_type_hints(node, include_extras=True)
    return {one.name: _role(node, one.name, hints[one.name]) for one in fields(node)}


def _role(node: type, name: str, hint: Any) -> Role:
    found = [one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Role)]
    assert len(found) == 1, f"{node.__name__}.{name} has {len(found)} roles"
    return found[0]


class ByClass(dict[type, T], Generic[T]):
    """Class of a node -> what is derived from its fields, when the class is first met."""

    __slots__ = ("_derive",)

    def __init__(self, derive: Callable[[type], T]) -> None:
        super().__init__()
        self._derive = derive

    def __missing__(self, node: type) -> T:
        found = self[node] = self._derive(node)
        return found


def one(value: T) -> tuple[T, ...]:
    """Collect the field itself."""
    return (value,)


def some(value: T | None) -> tuple[T, ...]:
    """Collect the field itself, unless it is None."""
    return () if value is None else (value,)


Takes = Mapping[Role, Callable[[Any], Iterable[T]]]
"""Role -> the function that collects from a field of that role; fields of other roles are skipped."""

Finder = ByClass[Callable[[Any], tuple[T, ...]]]
"""Class of a node -> the function that collects from its fields."""


def finder(takes: Takes[T]) -> Finder[T]:
    """Make, for each class of nodes, the function that collects from the fields of a node in order."""

    def derive(node: type) -> Callable[[Any], tuple[T, ...]]:
        found = [(attrgetter(name), takes[role]) for name, role in roles(node).items() if role in takes]
        match found:
            case []:
                return lambda node: ()
            case [(get, take)]:
                return lambda node: tuple(take(get(node)))
            case _:
                return lambda node: tuple([part for get, take in found for part in take(get(node))])

    return ByClass(derive)


Copies = Mapping[Role, Callable[[C, Any, Any], Any]]
"""Role -> `(context, field, node) -> copy of the field`; fields of other roles are kept."""

Rebuilder = ByClass[Callable[[C, Any], Any]]
"""Class of a node -> `(context, node) -> copy of the node`."""


def rebuilder(copies: Copies[C], *, fresh: bool) -> Rebuilder[C]:
    """Make, for each class of nodes, the function that copies a node; unless `fresh`, an unchanged node is returned."""

    def derive(node: type) -> Callable[[C, Any], Any]:
        own = roles(node)
        get = attrgetter(*own)
        changing = [(place, copies[role]) for place, role in enumerate(own.values()) if role in copies]
        assert len(own) > 1, node

        def rebuilt(context: C, old: Any) -> Any:
            before = get(old)
            values = list(before)
            for place, copy in changing:
                values[place] = copy(context, values[place], old)
            return node(*values) if fresh or not all(map(is_, values, before)) else old

        return rebuilt if fresh or changing else lambda context, old: old

    return ByClass(derive)
