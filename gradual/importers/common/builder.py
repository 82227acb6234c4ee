"""A program under construction: applications of operators, their types, and the text of the program.

Every application is typed by the same rules as in the checker, so that the importer knows ranks and element types, and
those sizes and elements that can be computed.  Requirements are decided by the checker and not by the importer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from gradual.dims.term.dim import Dim, constant
from gradual.importers.common.exact_floats import Small, followed
from gradual.importers.common.folding import drawn, folded
from gradual.importers.common.judging import Judging
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.text import Marks, Program, Weight, Weights, indented, tensor_text
from gradual.importers.common.values import LISTS, Binding, Block, Names, Value, are_integers, scalars, words
from gradual.limits import LIMITS
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.sign_analysis import is_positive
from gradual.origin import Origin
from gradual.run.steps.operators import constant_type
from gradual.syntax.printing.metadata_text import encoded
from gradual.syntax.tree.ast import MetaTensor
from gradual.syntax.tree.literals import written
from gradual.tensors.tensor import Tensor, scalar
from gradual.types.dtype import DType
from gradual.types.type import GradualType, OpenedType, TensorType, TupleType
from gradual.types.unpacking import closed, size_of

INLINE = 256
"""The greatest number of elements of a constant that is part of the program; a larger constant becomes a weight."""

LISTED = 8
"""The greatest number of elements of a vector of integers that is written inline."""

Key = tuple[DType, tuple[int, ...], bytes]


class Builder:
    """Makes bindings, and finally the text.

    Attributes:
        weights: the constants that are parameters of `@main`, by name.
        functions: name -> the text of a definition that precedes `@main`.
        positive: the names of sizes that are at least 1.
        node: the node of the model that is being imported.
        judging: types applications.
        small: the requirements on sizes under which the floats that the model computes from them are exact.
        marks: marks each piece of the text with the node that it is made from.
        names_of: spelling of a parameter -> the model's own names of its value.
        folded: the model's own name of a value computed while importing -> the value.
    """

    def __init__(self) -> None:
        self.names = Names()
        self.weights: dict[str, Weight] = {}
        self.functions: dict[str, str] = {}
        self.positive: frozenset[str] = frozenset()
        self.block = Block()
        self.node: Origin | None = None
        self.marks = Marks()
        self.names_of: dict[str, list[str]] = {}
        self.folded: dict[str, Tensor] = {}
        self._weight_names: dict[Key, str] = {}
        self._metadata: dict[Key, int] = {}
        self._constants: list[MetaTensor] = []
        self.judging = Judging()
        self.small = Small()
        self._temporaries = 0

    # ----------------------------------------------------------------------------------------------------- values
    def input(self, name: str, type: OpenedType) -> Value:
        """A parameter with a name."""
        return Value(type, f"%{name}")

    def stand_in(self, type: TensorType[Any]) -> Value:
        """A placeholder for the result of a refused node, so that later nodes can be checked."""
        return Value(self.open(type), f"%{self.names.unused('refused')}")

    def constant(self, tensor: Tensor, name: str = "") -> Value:
        """A constant; if named, and large or a float tensor other than a scalar, it becomes a weight."""
        if tensor.rank > LIMITS.rank:
            raise Unsupported(f"a constant of rank {tensor.rank}, above the limit of {LIMITS.rank}")
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
        """A symbolic size as a scalar, in `dim[…]` if it contains `//`, which would otherwise begin a comment."""
        text = str(size)
        return Value(TensorType((), DType.INT64, (size,)), f"dim[{text}]" if "//" in text else text)

    def integers(self, values: Sequence[int], dtype: DType = DType.INT64) -> Value:
        """A vector of integers."""
        return self.constant(Tensor(list(values), dtype, (len(values),)))

    def weight(self, name: str, weight: Weight) -> Value:
        """A parameter whose elements are not read while importing."""
        taken = self.names.fresh(name)
        self.weights[taken] = weight
        self.names_of[f"%{taken}"] = [name]
        return Value(TensorType(tuple(map(constant, weight.shape)), weight.dtype), f"%{taken}")

    def _weight(self, tensor: Tensor, name: str) -> str:
        key = _key(tensor)
        if key not in self._weight_names:
            self._weight_names[key] = self.names.fresh(name)
            self.weights[self._weight_names[key]] = Weight(tensor.shape, tensor.dtype, lambda: tensor)
            self.names_of[f"%{self._weight_names[key]}"] = []
        return f"%{self._weight_names[key]}"

    def call(self, operator: str, *operands: Value, **attributes: Any) -> Value:
        """Apply an operator, or fold the application to a small constant; attributes may hold scalars for sizes.

        Types track the elements of integer tensors of rank 0 and 1 only.  So if a vector was rearranged through a
        higher rank, the result is taken from the original vector by constant indices.  Integers that are known become
        a constant before a cast to floats, unless the tensor is empty: the operators that made it may have
        requirements, which would be lost.
        """
        if operator == "cast" and attributes["dtype"].is_float and (numbers := operands[0].elements) is not None:
            operands = (self.constant(numbers),) if numbers.size else operands
        if operator == "cast" and (integers := self._integers(operands[0], attributes["dtype"])) is not None:
            return integers
        declared = CATALOGUE[operator]
        given = {key: self.sized(value) for key, value in attributes.items() if value is not None}
        judged = self.judging.judged(declared, [operand.type for operand in operands], given)
        owes, settings = judged.owes, judged.settings
        type = self.judging.typed(judged)
        constant = None if owes else folded(declared, operands, settings, type)
        if constant is not None:
            return self.constant(constant)
        moved = None if owes else drawn(declared, operands, settings)
        if moved is not None and moved[1].rank == 1 and operands[0].rank > 1:
            return self.call("take", moved[0], self.constant(moved[1]), axis=0)
        sizes = [self.named(size, "size") for value in attributes.values() for size in scalars(value)]

        def text(given: Sequence[str]) -> str:
            written = words(attributes, iter(given[len(operands) :])) if attributes else []
            return f"{operator}({', '.join([*given[: len(operands)], *written])})"

        fractions = None if owes else followed(declared, operands, settings, type, self.positive)
        return Value(type, self.bind([*operands, *sizes], text, operator), drawn=moved, fractions=fractions)

    def _integers(self, floats: Value, dtype: DType) -> Value | None:
        """Convert floats that represent sizes to integers, as formulas of sizes; None if the formulas are unknown."""
        dims = self.small.integers(floats, dtype, self.positive)
        if dims is None:
            return None
        scalars = [
            self.number(dim.value, DType.INT64) if dim.value is not None else self.dimension(dim) for dim in dims
        ]
        found = self.call("stack", self.tuple(scalars), axis=0) if floats.rank else scalars[0]
        return found if dtype is DType.INT64 else self.call("cast", found, dtype=dtype)

    def element(self, vector: Value, place: int) -> Value | int:
        """An element of a vector; an integer if it is known."""
        contents = vector.tensor.contents
        if isinstance(vector.constant, Tensor):
            return int(vector.constant.flat()[place])
        known: int | None = None if contents is None else contents[place].value
        if known is not None:
            return known
        return self.call("take", vector, self.number(place, DType.INT64), axis=0)

    def dim(self, size: int | Value) -> Dim:
        """The symbolic size of a number or a scalar."""
        found: Dim = constant(size) if isinstance(size, int) else self.sized(size)
        return found

    def sized(self, value: Any) -> Any:
        """An attribute in which each scalar value is replaced by its symbolic size."""
        if isinstance(value, LISTS):
            return tuple(value) if are_integers(value) else tuple(map(self.sized, value))
        if not isinstance(value, Value):
            return value
        type = self.judging.readable(value.type)
        if not isinstance(type, TensorType) or type.rank or type.contents is None:
            raise Unsupported("a size that is no integer")
        return type.contents[0]

    def applied(self, function: str, operands: Sequence[Value], type: OpenedType) -> Value:
        """A call of a function of the program."""
        return Value(type, self.bind(operands, lambda given: f"{function}({', '.join(given)})"))

    def is_positive(self, size: Dim) -> bool:
        """Whether a size is at least 1 by its form, if the names in `positive` are at least 1."""
        above = {one: size_of(f"%{one.name}", 0) + 1 for one in size.names if one.name in self.positive}
        return is_positive(size.substitute(above))

    def demanded(self, value: Value, condition: Value, who: str, says: str) -> Value:
        """Assert a scalar condition that a node of the model requires, unless it is known to hold; return the value.

        Raises Unsupported if the condition is known to be false.
        """
        if condition.truth is not None:
            if condition.truth:
                return value
            raise Unsupported(says)
        quoted = json.dumps(f"{who}: {says}", ensure_ascii=False)
        origin = self.bind([value, condition], lambda given: f"{{ assert {given[1]}, {quoted}; {given[0]} }}")
        return Value(value.type, origin, drawn=value.drawn)

    def assertion(self, condition: Value, says: str) -> None:
        """Add an assertion of the model as a statement, unless its condition is known to hold."""
        if not condition.truth:
            quoted = json.dumps(says, ensure_ascii=False)
            self.bind([condition], lambda given: f"assert {given[0]}, {quoted}").is_statement = True

    def bind(self, operands: Sequence[Value], text: Callable[[Sequence[str]], str], operator: str = "") -> Binding:
        """Append a binding to the current block."""
        binding = Binding(tuple(operands), text, self.block, operator, self.node)
        for operand in operands:
            if isinstance(made := operand.origin, Binding):
                made.uses += 1
                made.shared |= made.block is not self.block
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
        """Give the binding of a value a name, except for tuples, and for rearrangements that `call` may bypass."""
        passing = value.drawn is not None and value.rank > 1
        made = value.origin
        if isinstance(made, Binding) and made.name is None and made.operator != "tuple" and not passing:
            made.name = self.names.fresh(name)
        return value

    def record(self, value: Value, name: str) -> Value:
        """Record the model's own name of a value, and bind the value to it as `named` does."""
        match value.origin:
            case Binding() as made:
                made.values.append(name)
            case str() as parameter:
                self.names_of.setdefault(parameter, []).append(name)
            case None if isinstance(value.constant, Tensor):
                self.folded.setdefault(name, value.constant)
        return self.named(value, name)

    def open(self, type: Any) -> OpenedType:
        """The type with a fresh unknown in place of each `?`."""
        return self.judging.open(type)

    # ----------------------------------------------------------------------------------------------------- blocks
    @contextmanager
    def inside(self, block: Block | None = None) -> Iterator[Block]:
        """Make a new block, or a given one, the current block."""
        outer, self.block = self.block, block or Block()
        try:
            yield self.block
        finally:
            self.block = outer

    # ------------------------------------------------------------------------------------------------------- text
    def written(self, value: Value) -> str:
        """The text of a value in the program."""
        match value.origin:
            case Binding(name=None) as binding:
                return self.marks.around(self._text(binding), binding.origin)
            case Binding(name=name):
                return f"%{name}"
            case str(text):
                return text
        assert isinstance(value.constant, Tensor)
        return self._literal(value.constant)

    def _text(self, binding: Binding) -> str:
        return binding.text([self.written(operand) for operand in binding.operands])

    def lines(self, block: Block) -> Iterator[str]:
        """The `let`s of a block, in order."""
        for binding in block.bindings:
            if binding.name is None and (binding.uses > 1 or binding.shared):
                self._temporaries += 1
                binding.name = self.names.unused(f"t{self._temporaries}")
        for binding in block.bindings:
            if binding.is_statement:
                yield self.marks.around(f"{self._text(binding)};", binding.origin)
            elif binding.name is not None:
                yield self.marks.around(f"let %{binding.name} = {self._text(binding)};", binding.origin)

    def body(self, block: Block, result: Value) -> str:
        """The text of a block with its result."""
        return "{\n" + "".join(f"{line}\n" for line in self.lines(block)) + f"{self.written(result)}\n}}"

    def program(
        self,
        inputs: Mapping[str, Origin],
        types: Sequence[str],
        clauses: Sequence[str],
        body: str,
        notes: Iterable[str],
    ) -> Program:
        """The program whose `@main` takes the inputs and then the weights, with a given body."""
        params = [self._parameter(*each) for each in zip(inputs, inputs.values(), types, strict=True)]
        for name, weight in self.weights.items():
            type, own = tensor_text(map(str, weight.shape), weight.dtype), self.names_of[f"%{name}"]
            said = own[0] if own else name
            params.append(self._parameter(f"%{name}", Origin(f"weight `{said}`", f"{said}: {type}", said), type))
        clauses = [*clauses, *self.small.clauses]
        demanded = f"where {', '.join(clauses)} " if clauses else ""
        main = f"def @main({', '.join(params)}) {demanded}{indented(body)}\n"
        marked = "\n".join([*map(indented, self.functions.values()), main]) + self._metadata_text()
        text, origins = self.marks.removed(marked, self.folded)
        return Program(text, origins, Weights(self.weights), (*notes, *self.small.notes))

    def _parameter(self, name: str, origin: Origin, type: str) -> str:
        own = self.names_of.get(name, ())
        others = tuple(one for one in own if one != origin.value)
        return self.marks.around(f"{name}: {type}", replace(origin, also=others) if others else origin)

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

    def _metadata_text(self) -> str:
        """The metadata section with the constants; empty if there are none."""
        return f"\n#[metadata]\n{encoded(self._constants)}\n" if self._constants else ""


def stated(type: GradualType) -> Any:
    """The type with `?` for each size that contains an unknown, so that it can be written anywhere in the program."""
    return closed(type, lambda variable: not variable.is_existential)


def _key(tensor: Tensor) -> Key:
    """The key by which equal constants are shared."""
    return tensor.dtype, tensor.shape, bytes(tensor.elements)
