"""Values of a program under construction, the expressions that compute them, their attributes, and names for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeGuard

from gradual.dims.term.atom import bottom_up
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim
from gradual.importers.common.refusals import Unsupported
from gradual.origin import Origin
from gradual.record import record
from gradual.syntax.tree.literals import written
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, UnrankedType

_LOCAL = re.compile(r"[A-Za-z_]\w*(?:(?:\.[0-9]+)*\.[A-Za-z_]\w*|::\w+|/[A-Za-z_]\w*|:[0-9]+)*", re.ASCII)
_PLACE = re.compile(r":(?=[0-9]+\Z)", re.ASCII)
_INVALID = re.compile(r"\W+", re.ASCII)


TENSORS = (TensorType, UnrankedType)
"""The types of tensors."""


class Names:
    """A supply of unused names."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """An unused name for a local value, as similar to the wanted one as the language allows."""
        name = wanted.strip("/")
        if _LOCAL.fullmatch(name):
            return self.unused(name)
        name = _INVALID.sub("_", name).strip("_")
        if not _LOCAL.fullmatch(name):
            name = f"v_{name}".rstrip("_")
        return self.unused(name)

    def unused(self, name: str) -> str:
        """The name, with a number appended if it is taken."""
        candidate, count = name, self._counts.get(name, 1)
        while candidate in self._taken:
            candidate, count = f"{_PLACE.sub('_', name)}_{count}", count + 1
        self._taken.add(candidate)
        self._counts[name] = count
        return candidate


@record(frozen=False, eq=False, slots=False)
class Binding:
    """An expression that may be bound to a name; `text` writes it from the texts of its operands.

    Attributes:
        name: the name; None if the expression is used only once and in its own block, so that it is written inline.
        block: the block that contains the binding.
        operator: the operator that the expression applies, if any; `tuple` makes a tuple.
        node: the node of the model that the binding is made from.
        values: the model's own names of the bound value.
        is_statement: whether the binding is an assertion, which binds no name.
    """

    operands: tuple[Value, ...]
    text: Callable[[Sequence[str]], str]
    block: Block
    operator: str = ""
    node: Origin | None = None
    values: list[str] = field(default_factory=list)
    is_statement: bool = False
    name: str | None = None
    uses: int = 0
    shared: bool = False

    @property
    def origin(self) -> Origin | None:
        """The node that the binding is made from, with the model's names of the value."""
        if self.node is None or not self.values:
            return self.node
        first, *others = self.values
        node = self.node
        return Origin(node.node, node.said, first, tuple(others), node.module, node.frames, node.lent)


@record(slots=False)
class Fraction:
    """A float that represents a fraction of formulas over sizes.

    Attributes:
        rounded: if the float is only near to the fraction: for each rounding the numerator, and the limit up to which
            the float's type represents all integers.
        small: pairs of a formula and a limit; the float is as described if no formula exceeds its limit in magnitude.
    """

    numerator: Dim
    denominator: int = 1
    rounded: tuple[tuple[Dim, int], ...] = ()
    small: tuple[tuple[Dim, int], ...] = ()

    @property
    def is_rounded(self) -> bool:
        """Whether the float is only near to the fraction."""
        return bool(self.rounded)

    @property
    def required(self) -> tuple[tuple[Dim, int], ...]:
        """Pairs of a formula and a limit; if none exceeds it, no integer lies between the float and the fraction.

        Each of k roundings moves the float by at most numerator / (denominator * limit), or hardly more if earlier
        roundings have moved it.  So with numerators of at most limit / (k + 1), all roundings together move it by less
        than 1 / denominator.
        """
        share = len(self.rounded) + 1
        return *self.small, *((numerator, limit // share) for numerator, limit in self.rounded)


@record(eq=False, slots=False)
class Value:
    """A value of the program.

    Attributes:
        type: the type; each unknown size is a separate unknown.
        origin: the binding of the value, or its text; None if the value is written as a constant.
        constant: the elements, if they are known while importing; for a tuple, those of its fields.
        drawn: for a rearranged vector of integers: the original vector, and for each element its index there.
        fractions: for floats that represent fractions of sizes: these fractions, in row-major order.
        bits: the width of the elements in the model, for integers of fewer than 8 bits.
    """

    type: OpenedType
    origin: Binding | str | None
    constant: Tensor | tuple[Tensor, ...] | None = None
    drawn: tuple[Value, Tensor] | None = None
    fractions: tuple[Fraction, ...] | None = None
    bits: int | None = None

    def made_by(self, *operators: str) -> tuple[Value, ...]:
        """The operands, if the value is an application of one of these operators; else empty."""
        made = self.origin
        return made.operands if isinstance(made, Binding) and made.operator in operators else ()

    @property
    def tensor(self) -> TensorType[Any]:
        """Its type; raises Unsupported if its rank is not known."""
        if not isinstance(self.type, TensorType):
            is_tensor = isinstance(self.type, UnrankedType)
            what = "an operand whose rank is not known here" if is_tensor else "a sequence where a tensor has to be"
            raise Unsupported(what)
        return self.type

    @property
    def rank(self) -> int:
        """The number of its axes."""
        return len(self.type.shape if isinstance(self.type, TensorType) else self.tensor.shape)

    @property
    def dtype(self) -> DType:
        """Its element type, even if its rank is not known."""
        if not isinstance(self.type, TENSORS):
            raise Unsupported("an operand that is not a tensor")
        return self.type.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes as numbers; raises Unsupported if one is not known."""
        if any(size.value is None for size in self.tensor.shape):
            raise Unsupported("an operand whose sizes are not all numbers")
        return tuple(size.value for size in self.tensor.shape)

    def extent(self, axis: int) -> int | None:
        """The size at an axis if it is a number, else None."""
        if axis >= self.rank:
            raise Unsupported(f"axis {axis} of a tensor of rank {self.rank}")
        size: int | None = self.tensor.shape[axis].value
        return size

    def known(self, what: str) -> Tensor:
        """Its elements; raises Unsupported if they are computed when the model runs."""
        found = self.elements
        if found is None:
            raise Unsupported(f"{what} computed when the model runs")
        return found

    @property
    def elements(self) -> Tensor | None:
        """Its elements, if it is a constant, if its type tracks them as numbers, or if it is empty."""
        if isinstance(self.constant, Tensor):
            return self.constant
        if not isinstance(self.type, TensorType):
            return None
        parts = () if self._is_empty else self.type.contents
        if parts is None or any(part.value is None for part in parts):
            return None
        return Tensor([part.value for part in parts], self.dtype, self.shape)

    @property
    def _is_empty(self) -> bool:
        """Whether all its sizes are numbers and one is 0; a negative one is refuted by the checker."""
        sizes = [size.value for size in self.tensor.shape]
        return 0 in sizes and all(size is not None and size >= 0 for size in sizes)

    @property
    def truth(self) -> bool | None:
        """Whether a scalar is true; None if that is not known."""
        known = self.elements
        return None if known is None else bool(known.item())

    @property
    def goal(self) -> Constraint | None:
        """The constraint on sizes that a scalar condition is; None if that is not known."""
        (found,) = self.tensor.contents or (None,)
        return found if isinstance(found, Constraint) else None

    def numbers(self, what: str) -> list[int]:
        """Its elements as integers."""
        return [int(element) for element in self.known(what).flat()]


def is_named(size: Any) -> TypeGuard[Dim]:
    """Whether a size is a formula of names, which can be written anywhere in the program: its numbers fit int64."""
    if not isinstance(size, Dim) or any(one.is_existential for one in size.variables()):
        return False
    parts = (part for part in bottom_up(size) if isinstance(part, Dim))
    return all(abs(number) < 1 << 63 for part in parts for _, number in part.terms)


@record(frozen=False, eq=False, slots=False)
class Block:
    """Bindings in order."""

    bindings: list[Binding] = field(default_factory=list)


# ------------------------------------------------------------------------------------------------------ attributes
LISTS = (list, tuple)
"""The types of attributes with several parts."""


def scalars(value: Any) -> Iterator[Value]:
    """The scalar values in an attribute, left to right."""
    if isinstance(value, Value):
        yield value
    elif isinstance(value, LISTS) and not are_integers(value):
        for part in value:
            yield from scalars(part)


def are_integers(parts: Collection[Any]) -> bool:
    """Whether all parts of an attribute are integers and no booleans; most attributes are such lists."""
    return {*map(type, parts)} <= {int}


def words(attributes: Mapping[str, Any], named: Iterator[str]) -> list[str]:
    """`key=value` for each attribute that is given, with the names of the scalars in it."""
    return [f"{key}={_written(value, named)}" for key, value in attributes.items() if value is not None]


def _written(value: Any, named: Iterator[str]) -> str:
    """An attribute as programs write it, with the names of the scalars in it."""
    match value:
        case list() | tuple() if are_integers(value):
            return str([*value])
        case int():
            return str(value)
        case Value():
            return next(named)
        case DType() | str():
            return f'"{value}"'
        case float():
            return written(value, DType.FLOAT32, False)
        case _:
            return f"[{', '.join(_bare(_written(part, named)) for part in value)}]"


def _bare(text: str) -> str:
    """The text of a size without `dim[…]`, as in a list of sizes."""
    return text[4:-1] if text.startswith("dim[") else text
