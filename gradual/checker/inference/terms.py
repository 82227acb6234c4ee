"""Inference types: types with unification variables.

Structure and element types are found by unification: positions of equal type share one object.  Shapes are not unified
but joined along flows, in the lattice: no shape yet, one shape (sizes that differ become None), any shape.  Two types
that contradict each other are left unchanged: the checker reports this when it checks the solution.   [type.omitted]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from gradual.record import record
from gradual.types.dtype import DType

Sizes = tuple[int | None, ...]


@record(frozen=False, eq=False)
class Unknown:
    """A unification variable; `found` is the type that it is bound to."""

    found: InferenceType | None = None


@record(frozen=False, eq=False)
class Element:
    """An element type, a union-find node; `same` is its parent."""

    dtype: DType | None = None
    same: Element | None = None

    def known(self) -> DType | None:
        """The element type, if it is known."""
        return self.last().dtype

    def last(self) -> Element:
        """The union-find representative; compresses the path to it."""
        at = self
        while at.same is not None:
            if at.same.same is not None:
                at.same = at.same.same
            at = at.same
        return at


@record(frozen=False, eq=False)
class Shape:
    """The join of all shapes that flow to a position.

    Attributes:
        at: None if no shape arrived yet, the sizes (None for a size that differs or is unknown), or "*" for any rank.
        fixed: whether the source text determines it, so that flows do not change it.
        ranks: the ranks that the uses of the position admit; None for all.
    """

    at: Sizes | Literal["*"] | None = None
    fixed: bool = False
    ranks: frozenset[int] | None = None


@record(frozen=False, eq=False)
class Tensor:
    """A tensor."""

    element: Element
    shape: Shape


@record(frozen=False, eq=False)
class Product:
    """A tuple."""

    fields: tuple[InferenceType, ...]


@record(frozen=False, eq=False)
class Function:
    """A function; its type parameters `types` are instantiated at each use."""

    params: tuple[InferenceType, ...]
    result: InferenceType
    types: tuple[Named, ...] = ()


@record(frozen=False, eq=False)
class Data:
    """A declared data type applied to its arguments."""

    name: str
    arguments: tuple[InferenceType, ...]


@record(frozen=False, eq=False)
class Reference:
    """A mutable reference."""

    content: InferenceType


@record(frozen=False, eq=False)
class Named:
    """A type parameter."""

    name: str


InferenceType = Unknown | Tensor | Product | Function | Data | Reference | Named


def seen(skeleton: InferenceType) -> InferenceType:
    """Resolve a bound unknown to the type that it is bound to."""
    while isinstance(skeleton, Unknown) and skeleton.found is not None:
        skeleton = skeleton.found
    return skeleton


def scalar(dtype: DType | None = None) -> Tensor:
    """A tensor of rank 0."""
    return Tensor(Element(dtype), Shape((), fixed=True))


def instance(skeleton: InferenceType, chosen: Mapping[Named, InferenceType]) -> InferenceType:
    """Substitute the type parameters of a type."""
    return _copied(skeleton, chosen, keep=True) if chosen else skeleton


def shapeless(skeleton: InferenceType) -> InferenceType:
    """A copy with the same structure and element types, and with fresh shapes."""
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
    """Yield a type and its components, recursively."""
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
    """The least upper bound of two shapes."""
    if left is None or right is None:
        return left if right is None else right
    if left == "*" or right == "*" or len(left) != len(right):
        return "*"
    return tuple(a if a == b else None for a, b in zip(left, right, strict=True))


def open_parts(skeleton: InferenceType) -> Iterator[Unknown | Element | Shape]:
    """Yield the parts of a type about which more may become known: unknowns, element types, shapes."""
    for part in parts(skeleton):
        match part:
            case Unknown():
                yield part
            case Tensor(element, shape):
                if element.known() is None:
                    yield element.last()
                if not shape.fixed:
                    yield shape
