"""A program under construction: applications of operators, their types, and the text that they become.

Every application is judged as the checker would judge it, so that the importer knows ranks, element types and what is
known of sizes and elements; nothing is decided here, and no need is looked at: that is the checker's part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gradual.dims.constraint import TRUE
from gradual.dims.dim import Dim
from gradual.dims.reduce import is_large
from gradual.importers.onnx.model import Unsupported
from gradual.limits import LIMITS
from gradual.ops.attributes import bound
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.operator import IllFormed, OpenRank, Operator
from gradual.run.applying import constant_type
from gradual.run.sizes import plain
from gradual.syntax.ast import MetaTensor
from gradual.syntax.literals import written
from gradual.syntax.metadata_text import encoded
from gradual.tensors.fault import TensorFault
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor, scalar
from gradual.types.dtype import DType
from gradual.types.opening import closed, opened, tracked_length, with_contents
from gradual.types.type import GradualType, Hole, OpenedType, TensorType, TupleType, UnrankedType

FOLDED = 4096
"""The greatest number of elements of a constant that is computed while importing."""
TRACKED = 64
"""The greatest number of elements that are followed."""
INLINE = 256
"""The greatest number of elements of a constant that stands in the program; a larger one is a weight."""

LISTED = 8
"""The greatest number of elements of a vector of integers that are written where they are used."""

MOVING = frozenset({"expand_dims", "reshape", "reverse", "squeeze", "strided_slice", "transpose"})
"""The operators of one tensor whose elements are some of its own, wherever numbers say which."""

_LOCAL = re.compile(r"[A-Za-z_]\w*(?:(?:\.[0-9]+)*\.[A-Za-z_]\w*|::\w+|/[A-Za-z_]\w*|:[0-9]+)*", re.ASCII)
_INVALID = re.compile(r"\W+", re.ASCII)


Key = tuple[DType, tuple[int, ...], bytes]
Judged = tuple[OpenedType, bool]


class Names:
    """Names that are taken."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def fresh(self, wanted: str) -> str:
        """A name of a local value that is as near to the wanted one as the language allows."""
        stripped = wanted.strip("/")
        name = stripped if _LOCAL.fullmatch(stripped) else _INVALID.sub("_", stripped).strip("_")
        if not _LOCAL.fullmatch(name):
            name = f"v_{name}".rstrip("_")
        return self.unused(name)

    def unused(self, name: str) -> str:
        """The name, or with a number where it is taken."""
        candidate, count = name, 1
        while candidate in self._taken:
            candidate, count = f"{name}_{count}", count + 1
        self._taken.add(candidate)
        return candidate


@dataclass(eq=False)
class Binding:
    """What is bound to a name: `text` writes it, given how its operands are written.

    Attributes:
        name: None while nothing asks for one; without, it stands where it is used, if that is one place of its block.
        block: the block in which it stands.
        operator: of which it is an application, if it is one; `tuple` makes a tuple.
    """

    operands: tuple[Value, ...]
    text: Callable[[Sequence[str]], str]
    block: Block
    operator: str = ""
    name: str | None = None
    uses: int = 0
    shared: bool = False


@dataclass(frozen=True, eq=False)
class Value:
    """A value of the program.

    Attributes:
        type: what is known of it; sizes that are not known are unknowns of their own.
        origin: its binding, or the text that stands for it.
        constant: its elements, where they are known while importing; those of its fields for a tuple.
        drawn: a vector of integers, and which of its elements these are, where it rearranges one.
    """

    type: OpenedType
    origin: Binding | str | None
    constant: Tensor | tuple[Tensor, ...] | None = None
    drawn: tuple[Value, Tensor] | None = None

    def made_by(self, *operators: str) -> tuple[Value, ...]:
        """The operands of the application that gives it, where it is one of these operators; none otherwise."""
        made = self.origin
        return made.operands if isinstance(made, Binding) and made.operator in operators else ()

    @property
    def tensor(self) -> TensorType[Any]:
        """Its type, of which the rank is known; Unsupported where it is not."""
        if not isinstance(self.type, TensorType):
            is_tensor = isinstance(self.type, UnrankedType)
            what = "an operand whose rank is not known here" if is_tensor else "a sequence where a tensor has to be"
            raise Unsupported(what)
        return self.type

    @property
    def rank(self) -> int:
        """The number of its axes."""
        return self.tensor.rank

    @property
    def dtype(self) -> DType:
        """Its element type, of any rank."""
        if not isinstance(self.type, TensorType | UnrankedType):
            raise Unsupported("an operand that is not a tensor")
        return self.type.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes, all of which are numbers; Unsupported where they are not."""
        if any(size.value is None for size in self.tensor.shape):
            raise Unsupported("an operand whose sizes are not all numbers")
        return tuple(size.value for size in self.tensor.shape)

    def extent(self, axis: int) -> int | None:
        """The size at an axis, where it is a number."""
        if axis >= self.rank:
            raise Unsupported(f"axis {axis} of a tensor of rank {self.rank}")
        size: int | None = self.tensor.shape[axis].value
        return size

    def known(self, what: str) -> Tensor:
        """Its elements; Unsupported where they are computed when the model runs."""
        found = self.elements
        if found is None:
            raise Unsupported(f"{what} computed when the model runs")
        return found

    @property
    def elements(self) -> Tensor | None:
        """Its elements, where it is a constant or they follow from sizes that are numbers."""
        if isinstance(self.constant, Tensor):
            return self.constant
        contents = self.type.contents if isinstance(self.type, TensorType) else None
        if contents is None or any(part.value is None for part in contents):
            return None
        return Tensor([part.value for part in contents], self.dtype, self.shape)

    def numbers(self, what: str) -> list[int]:
        """Its elements as integers."""
        return [int(element) for element in self.known(what).flat()]


@dataclass(eq=False)
class Block:
    """Bindings in order."""

    bindings: list[Binding] = field(default_factory=list)


class Builder:
    """Makes bindings, and in the end the text.

    Attributes:
        weights: the constants that are parameters, by name.
        functions: the definitions beside `@main`, by what they are.
    """

    def __init__(self) -> None:
        self.names = Names()
        self.weights: dict[str, Tensor] = {}
        self.functions: dict[str, str] = {}
        self.block = Block()
        self._weight_names: dict[Key, str] = {}
        self._metadata: dict[Key, int] = {}
        self._constants: list[MetaTensor] = []
        self._unknowns = self._temporaries = 0

    # ----------------------------------------------------------------------------------------------------- values
    def input(self, name: str, type: OpenedType) -> Value:
        """A parameter of that name."""
        return Value(type, f"%{name}")

    def constant(self, tensor: Tensor, name: str = "") -> Value:
        """A constant; of many elements, or of floats under a name, it becomes a weight."""
        type = constant_type(tensor)
        if name and (tensor.size > INLINE or (tensor.dtype.is_float and tensor.rank)):
            return Value(type, self._weight(tensor, name), tensor)
        return Value(type, None, tensor)

    def number(self, value: float | bool, dtype: DType) -> Value:
        """A scalar constant."""
        if isinstance(value, float) and not dtype.is_float:
            if not value.is_integer() or (dtype is DType.BOOL and value not in (0, 1)):
                raise Unsupported(f"the number {value} as an element of {dtype}")
            value = int(value)
        return self.constant(scalar(value, dtype))

    def dimension(self, size: Dim) -> Value:
        """A size that has a name, as a scalar."""
        return Value(TensorType((), DType.INT64, (size,)), str(size))

    def integers(self, values: Sequence[int], dtype: DType = DType.INT64) -> Value:
        """A vector of integers."""
        return self.constant(Tensor(list(values), dtype, (len(values),)))

    def _weight(self, tensor: Tensor, name: str) -> str:
        key = _key(tensor)
        if key not in self._weight_names:
            self._weight_names[key] = self.names.fresh(name)
            self.weights[self._weight_names[key]] = tensor
        return f"%{self._weight_names[key]}"

    def call(self, operator: str, *operands: Value, **attributes: Any) -> Value:
        """An application, whose attributes may hold scalars in the place of sizes; of constants, its value if small.

        Elements of integers that were rearranged under several axes are taken out of their vector: no element under
        more axes than one is followed.  Neither are floats, so that numbers that become floats are constants.
        """
        if operator == "cast" and attributes["dtype"].is_float and (numbers := operands[0].elements) is not None:
            operands = (self.constant(numbers),)
        declared = CATALOGUE[operator]
        flat = [operand.type for operand in operands]
        settings = _settings(declared, {key: self.sized(value) for key, value in attributes.items()})
        type, owes = self._judged(declared, flat, settings)
        constant = None if owes else _folded(declared, operands, settings, type)
        if constant is not None:
            return self.constant(constant)
        drawn = None if owes else _drawn(declared, operands, settings)
        if drawn is not None and drawn[1].rank == 1 and operands[0].rank > 1:
            return self.call("take", drawn[0], self.constant(drawn[1]), axis=0)
        sizes = [self.named(size, "size") for value in attributes.values() for size in _scalars(value)]

        def text(given: Sequence[str]) -> str:
            named = iter(given[len(operands) :])
            settled = {key: _attribute(value, named) for key, value in attributes.items() if value is not None}
            written = [*given[: len(operands)], *(f"{key}={value}" for key, value in settled.items())]
            return f"{operator}({', '.join(written)})"

        return Value(type, self.bind([*operands, *sizes], text, operator), drawn=drawn)

    def element(self, vector: Value, place: int) -> Value | int:
        """An element of a vector, as an integer where it is known."""
        contents = vector.tensor.contents
        if isinstance(vector.constant, Tensor):
            return int(vector.constant.flat()[place])
        known: int | None = None if contents is None else contents[place].value
        if known is not None:
            return known
        return self.call("take", vector, self.number(place, DType.INT64), axis=0)

    def sized(self, value: Any) -> Any:
        """An attribute with what is known of the scalars in it."""
        if isinstance(value, Value):
            type = self._readable(value.type)
            if not isinstance(type, TensorType) or type.rank or type.contents is None:
                raise Unsupported("a size that is no integer")
            return type.contents[0]
        return tuple(map(self.sized, value)) if isinstance(value, list | tuple) else value

    def applied(self, function: str, operands: Sequence[Value], type: OpenedType) -> Value:
        """A call of a function of the program."""
        return Value(type, self.bind(operands, lambda given: f"{function}({', '.join(given)})"))

    def bind(self, operands: Sequence[Value], text: Callable[[Sequence[str]], str], operator: str = "") -> Binding:
        """A new binding at the end of the block."""
        binding = Binding(tuple(operands), text, self.block, operator)
        for operand in operands:
            if isinstance(operand.origin, Binding):
                operand.origin.uses += 1
                operand.origin.shared |= operand.origin.block is not self.block
        self.block.bindings.append(binding)
        return binding

    def tuple(self, values: Sequence[Value]) -> Value:
        """A tuple."""
        type: OpenedType = TupleType(tuple(value.type for value in values))
        constants = tuple(value.constant for value in values if isinstance(value.constant, Tensor))
        binding = self.bind(values, lambda given: f"({', '.join(given)}{',' * (len(given) == 1)})", "tuple")
        return Value(type, binding, constants if len(constants) == len(values) else None)

    def field(self, value: Value, index: int) -> Value:
        """A field of a tuple."""
        assert isinstance(value.type, TupleType)
        return Value(value.type.fields[index], self.bind([value], lambda given: f"{given[0]}.{index}"))

    def named(self, value: Value, name: str) -> Value:
        """The value, bound to a name if it is not yet and no constant; not if it may be that nothing asks for it."""
        passing = value.drawn is not None and value.rank > 1
        made = value.origin
        if isinstance(made, Binding) and made.name is None and made.operator != "tuple" and not passing:
            made.name = self.names.fresh(name)
        return value

    def unknown(self) -> str:
        """A path for unknowns that nothing else speaks of."""
        self._unknowns += 1
        return f"%.{self._unknowns}"

    def open(self, type: Any) -> OpenedType:
        """The type with an unknown in place of each hole."""
        return opened(type, self.unknown(), lambda *_: None)[0]

    # ----------------------------------------------------------------------------------------------------- blocks
    @contextmanager
    def inside(self, block: Block | None = None) -> Iterator[Block]:
        """A new block in the present one, or one that was left."""
        outer, self.block = self.block, block or Block()
        try:
            yield self.block
        finally:
            self.block = outer

    # ---------------------------------------------------------------------------------------------------- judging
    def _judged(self, operator: Operator, types: Sequence[OpenedType], settings: Mapping[str, Any]) -> Judged:
        """The type of an application, and whether it owes what is not plainly so."""
        if any(isinstance(type, UnrankedType) for type in types):
            raise Unsupported("an operand whose rank is not known here")
        readable = [
            self._readable(type) if index in operator.reads or operator.contents is not None else type
            for index, type in enumerate(types)
        ]
        try:
            judgement = operator.judge(*readable, **settings)
        except OpenRank as error:
            raise Unsupported(f"`{operator.name}` gives a tensor whose rank is not known") from error
        except IllFormed as error:
            raise Unsupported(f"`{operator.name}`: {error.message}") from error
        result = self.open(_legible(judgement.result))
        owes = any(need.goal is not TRUE for need in judgement.needs)
        length = tracked_length(result, TRACKED)
        if operator.contents is None or length is None:
            return result, owes
        contents = operator.contents(*readable, **settings)
        assert isinstance(result, TensorType)
        known = contents if contents is not None and len(contents) == length else None
        return TensorType(result.shape, result.dtype, known), owes

    def _readable(self, type: OpenedType) -> OpenedType:
        if isinstance(type, TensorType) and type.contents is None and tracked_length(type, TRACKED, True) is not None:
            return with_contents(type, self.unknown())
        return type

    # ------------------------------------------------------------------------------------------------------- text
    def written(self, value: Value) -> str:
        """How a value stands in the program."""
        if isinstance(value.origin, str):
            return value.origin
        if value.origin is not None:
            return self._bound(value.origin)
        assert isinstance(value.constant, Tensor)
        return self._literal(value.constant)

    def _bound(self, binding: Binding) -> str:
        if binding.name is not None:
            return f"%{binding.name}"
        return binding.text([self.written(operand) for operand in binding.operands])

    def lines(self, block: Block) -> Iterator[str]:
        """The `let`s of a block, in order."""
        for binding in block.bindings:
            if binding.name is None and (binding.uses > 1 or binding.shared):
                self._temporaries += 1
                binding.name = self.names.unused(f"t{self._temporaries}")
        for binding in block.bindings:
            if binding.name is not None:
                yield f"let %{binding.name} = {binding.text([self.written(operand) for operand in binding.operands])};"

    def body(self, block: Block, result: Value) -> str:
        """A block with what it gives."""
        return "{\n" + "".join(f"{line}\n" for line in self.lines(block)) + f"{self.written(result)}\n}}"

    def _literal(self, tensor: Tensor) -> str:
        if tensor.rank == 0:
            return written(tensor.flat()[0], tensor.dtype, True)
        if tensor.rank == 1 and tensor.dtype.counts and 0 < tensor.size <= LISTED:
            return f"[{', '.join(written(element, tensor.dtype, True) for element in tensor.flat())}]"
        if tensor.size > INLINE:
            return self._weight(tensor, f"constant_{len(self.weights)}")
        key = _key(tensor)
        if key not in self._metadata:
            self._metadata[key] = len(self._constants)
            self._constants.append(MetaTensor(tensor.dtype, tensor.shape, tuple(tensor.flat())))
        return f"meta[relay.Constant][{self._metadata[key]}]"

    def metadata(self) -> str:
        """The section of constants, or nothing."""
        return f"\n#[metadata]\n{encoded(self._constants)}\n" if self._constants else ""


def stated(type: GradualType) -> Any:
    """The type as a program may write it anywhere: a size with an unknown of its own is `?`."""
    return closed(type, lambda variable: not variable.is_ghost)


def _legible(type: GradualType) -> GradualType:
    """The type with an unknown for each size that is too large to be written, as the checker has it."""
    match type:
        case TensorType(shape, dtype):
            return TensorType(tuple(Hole() if _is_too_large(size) else size for size in shape), dtype)
        case TupleType(fields):
            return TupleType(tuple(map(_legible, fields)))
        case _:
            return type


def _is_too_large(size: Dim | Hole) -> bool:
    return isinstance(size, Dim) and is_large(size, LIMITS.nodes)


def _key(tensor: Tensor) -> Key:
    """What two constants have in common that are one."""
    return tensor.dtype, tensor.shape, bytes(tensor.elements)


def _settings(operator: Operator, attributes: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in attributes.items() if value is not None}
    try:
        return bound(operator, given)
    except IllFormed as error:
        raise Unsupported(f"`{operator.name}`: {error.message}") from error


def _folded(
    operator: Operator, operands: Sequence[Value], settings: Mapping[str, Any], type: OpenedType
) -> Tensor | None:
    """The value of an application to constants, where it is one small tensor."""
    if not isinstance(type, TensorType) or any(operand.constant is None for operand in operands):
        return None
    extents = [-1 if size.value is None else size.value for size in type.shape]
    if min(extents, default=0) < 0 or numel(tuple(extents)) > FOLDED:
        return None
    given = [operand.constant for operand in operands]
    parts = [part for one in given if one is not None for part in ((one,) if isinstance(one, Tensor) else one)]
    if any(part.size > FOLDED for part in parts):
        return None
    try:
        value = operator.meaning(*given, **{key: plain(value) for key, value in settings.items()})
    except TensorFault:
        return None
    return value if isinstance(value, Tensor) else None


def _drawn(operator: Operator, operands: Sequence[Value], settings: Mapping[str, Any]) -> tuple[Value, Tensor] | None:
    """The vector of which an application gives some elements, and which."""
    if operator.name not in MOVING or not isinstance(operands[0].type, TensorType) or not operands[0].dtype.counts:
        return None
    plainly = {key: plain(value) for key, value in settings.items()}
    if any(None in value for value in plainly.values() if isinstance(value, tuple)):
        return None
    (data,) = operands
    count = data.tensor.shape[0].value if data.rank == 1 else None
    if data.drawn is not None:
        vector, places = data.drawn
    elif count is not None and count <= TRACKED:
        vector, places = data, Tensor(list(range(count)), DType.INT64, (count,))
    else:
        return None
    try:
        found = operator.meaning(places, **plainly)
    except TensorFault:
        return None
    return vector, found


def _scalars(value: Any) -> Iterator[Value]:
    """The scalars that stand in an attribute, left to right."""
    if isinstance(value, Value):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _scalars(part)


def _attribute(value: Any, named: Iterator[str]) -> str:
    """An attribute as programs write it, with the names of the scalars in it."""
    match value:
        case Value():
            return next(named)
        case bool():
            return str(value)
        case DType():
            return f'"{value}"'
        case str():
            return f'"{value}"'
        case int():
            return str(value)
        case float():
            return written(value, DType.FLOAT32, False)
        case _:
            return f"[{', '.join(_attribute(part, named) for part in value)}]"
