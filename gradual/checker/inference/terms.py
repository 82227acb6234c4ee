"""Skeletons: what is known of a type that nobody wrote, and how values flow from one to the other.

Structure and element types are found by unification: what two places share is one object.  Shapes are not unified,
they flow: nothing arrived yet, one shape (sizes that differ become None), or any.  Two types that contradict each
other are left as they are: the program is checked with what was found, and the check reports it.   [type.omitted]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from gradual.types.dtype import DType

Sizes = tuple[int | None, ...]


@dataclass(slots=True, eq=False)
class Unknown:
    """A type of which nothing is known yet; `found` is what it turned out to be."""

    found: InferenceType | None = None


@dataclass(slots=True, eq=False)
class Element:
    """An element type; `same` is another one that it was found to be equal to."""

    dtype: DType | None = None
    same: Element | None = None

    def known(self) -> DType | None:
        """The element type, if it is known."""
        return self.last().dtype

    def last(self) -> Element:
        """The one that stands for all that are equal."""
        at = self
        while at.same is not None:
            if at.same.same is not None:
                at.same = at.same.same
            at = at.same
        return at


@dataclass(slots=True, eq=False)
class Shape:
    """The shape of all that flows to a place.

    Attributes:
        at: None if nothing arrived, the sizes (None where they differ or are unknown), or "*" for any rank.
        fixed: whether somebody wrote it, so that what flows there does not change it.
        ranks: the ranks that the uses of the place admit, None for every one.
    """

    at: Sizes | Literal["*"] | None = None
    fixed: bool = False
    ranks: frozenset[int] | None = None


@dataclass(slots=True, eq=False)
class Tensor:
    """A tensor."""

    element: Element
    shape: Shape


@dataclass(slots=True, eq=False)
class Product:
    """A tuple."""

    fields: tuple[InferenceType, ...]


@dataclass(slots=True, eq=False)
class Function:
    """A function; `types` are chosen anew at each use."""

    params: tuple[InferenceType, ...]
    result: InferenceType
    types: tuple[Named, ...] = ()


@dataclass(slots=True, eq=False)
class Data:
    """A declared type at its arguments."""

    name: str
    arguments: tuple[InferenceType, ...]


@dataclass(slots=True, eq=False)
class Reference:
    """A cell."""

    content: InferenceType


@dataclass(slots=True, eq=False)
class Named:
    """A type parameter."""

    name: str


InferenceType = Unknown | Tensor | Product | Function | Data | Reference | Named


def seen(skeleton: InferenceType) -> InferenceType:
    """What a skeleton turned out to be."""
    while isinstance(skeleton, Unknown) and skeleton.found is not None:
        skeleton = skeleton.found
    return skeleton


def scalar(dtype: DType | None = None) -> Tensor:
    """A tensor of rank 0."""
    return Tensor(Element(dtype), Shape((), fixed=True))


def instance(skeleton: InferenceType, chosen: Mapping[Named, InferenceType]) -> InferenceType:
    """A skeleton at other type parameters."""
    return _copied(skeleton, chosen, keep=True) if chosen else skeleton


def shapeless(skeleton: InferenceType) -> InferenceType:
    """The same structure and element types, at which no shape has arrived."""
    return _copied(skeleton, {}, keep=False)


def _copied(skeleton: InferenceType, chosen: Mapping[Named, InferenceType], keep: bool) -> InferenceType:
    def inside(part: InferenceType) -> InferenceType:
        return _copied(part, chosen, keep)

    match seen(skeleton):
        case Tensor(element, shape):
            return Tensor(element, shape if keep else Shape())
        case Product(fields):
            return Product(tuple(map(inside, fields)))
        case Function(params, result, types):
            return Function(tuple(map(inside, params)), inside(result), types)
        case Data(name, arguments):
            return Data(name, tuple(map(inside, arguments)))
        case Reference(content):
            return Reference(inside(content))
        case Named() as named:
            return chosen.get(named, named)
        case other:
            return other


def parts(skeleton: InferenceType) -> Iterator[InferenceType]:
    """The skeleton and what it is made of."""
    skeleton = seen(skeleton)
    yield skeleton
    match skeleton:
        case Product(fields) | Data(_, fields):
            for field in fields:
                yield from parts(field)
        case Function(params, result):
            for part in (*params, result):
                yield from parts(part)
        case Reference(content):
            yield from parts(content)


def joined(left: Sizes | Literal["*"] | None, right: Sizes | Literal["*"] | None) -> Sizes | Literal["*"] | None:
    """What is known of a place at which both arrive."""
    if left is None or right is None:
        return left if right is None else right
    if left == "*" or right == "*" or len(left) != len(right):
        return "*"
    return tuple(a if a == b else None for a, b in zip(left, right, strict=True))


def open_parts(skeleton: InferenceType) -> Iterator[Unknown | Element | Shape]:
    """What may still become known in a skeleton."""
    for part in parts(skeleton):
        match part:
            case Unknown():
                yield part
            case Tensor(element, shape):
                if element.known() is None:
                    yield element.last()
                if not shape.fixed:
                    yield shape
