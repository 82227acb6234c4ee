"""Bucketing: copies of a function at some values of a size, and a dispatch among them on entry.

bucket n=1,8,64           a copy for each number, and a general one for all other sizes
bucket n=1,8,64 pad=0     arguments are padded up to the next number, and the result is sliced back
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import pairwise

from gradual.core.def_use import every
from gradual.core.terms import Block, Function, Invoke, Module
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, at_least, at_most
from gradual.dims.term.dim import Dim, Variable, constant, of_atom
from gradual.passes.analysis.padding import Where, grown_axis, growth
from gradual.passes.framework.builder import Writer
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed, Unusable
from gradual.passes.framework.pins import Pins, by_function, number
from gradual.passes.refine.sweep import sharpened
from gradual.passes.transform.at_numbers import at_numbers, result_of, with_known_result
from gradual.passes.transform.drop_dead import dropped
from gradual.passes.transform.dynamic_to_static import made_static
from gradual.passes.transform.inline import inlined
from gradual.passes.transform.specialize import Specializing, settled
from gradual.record import record
from gradual.tensors.tensor import Tensor, scalar
from gradual.types.binder_solving import extents, requirements
from gradual.types.dtype import DType
from gradual.types.instantiation import at_types
from gradual.types.substitution import mentioned
from gradual.types.type import GradualType, Hole, NeverType, OpenedType, TensorType, TupleType
from gradual.types.unpacking import size_of
from gradual.verdict import Proved

MOST = 64
"""The largest number of buckets."""
_OPAQUE = "contains a function, data or a reference that"
"""The middle of the message that a size cannot be read from a parameter or from the result."""


@record(eq=False)
class Bucket:
    """The sizes pinned to constants, and the number that the bucketed variable then has."""

    number: int
    pins: Pins

    @staticmethod
    def of(size: int, pins: Pins) -> Bucket:
        """Make a bucket; if `2 * n` is pinned to 8, its number is 4, the value of n."""
        return Bucket(next(iter((*pins.named.values(), *pins.sizes.values())), size), pins)


@record(eq=False)
class Padding:
    """How arguments are padded: the text of `pad=`, and the axes of the result that grow with the arguments."""

    text: str
    where: Where


def bucket(module: Module, context: Context) -> Transformed:
    """Give every function that has the size a copy for each bucket.  Raises Unusable.

    [pass.bucket] [pass.bucket.dispatch] [pass.bucket.padding]
    """
    given = dict(context.given)
    pad = given.pop("pad", None)
    if len(given) != 1:
        raise Unusable("`bucket` takes one size, as in `n=1,8,64`")
    ((key, text),) = given.items()
    numbers = sorted({number(part.strip(), key) for part in text.split(",")})
    if numbers[0] < 1 or len(numbers) > MOST:
        raise Unusable(f"buckets are at least 1, and there are at most {MOST}")
    pinned = [(each, by_function(module, {key: str(each)})) for each in numbers]
    made = Specializing(module, context.decider)
    for name in pinned[0][1]:
        buckets = sorted((Bucket.of(each, pins[name]) for each, pins in pinned), key=lambda bucket: bucket.number)
        _Bucketing(made, made.module.functions[name], buckets, context.decider).build(pad)
    return made.finished()


@record(eq=False)
class _Bucketing:
    """One function whose body becomes a dispatch among copies of itself."""

    made: Specializing
    function: Function
    buckets: Sequence[Bucket]
    decider: Decider

    def build(self, pad: str | None) -> None:
        """Replace the body of the function by the dispatch, and add the copies.  Raises Unusable."""
        ready = with_known_result(_ready(self.made.module, self.function, self.decider, inline=pad is not None))
        unknown = _unknown(self.buckets[0].pins, self.function)
        for param in self.function.params:
            if not _is_measured(param.written, unknown):
                raise Unusable(f"`{param.name}` {_OPAQUE} has `{unknown}` in its type", param.span)
        if not _is_measured(ready.type.result, unknown):
            raise Unusable(f"the value {_OPAQUE} has `{unknown}` in its type", self.function.span)
        if any(isinstance(extent, Constraint) for extent in extents(ready.type.result)):
            raise Unusable(
                "a size of the value is declared by a bound, which the choice among the copies forgets",
                self.function.span,
            )
        padding = None
        if pad is not None:
            facts = self._may_be_padded(unknown, pad)
            padding = Padding(pad, growth(ready, frozenset((unknown,)), self.buckets[-1].number, self.decider))
            for part in extents(ready.type.result):
                if isinstance(part, Dim) and unknown in part.variables():
                    self._is_room(facts, part, unknown, "the value")
        copies = [copy for bucket in self.buckets if (copy := self._copy(ready, bucket)) is not None]
        general = self.made.add(replace(ready, name=f"{self.function.name}_any"))
        choice = _Choice(self.made.module, self.function, unknown, general, copies, padding)
        self.made.exchange(settled(replace(self.function, body=choice.body())))
        self.made.copies[self.function.name] = [name for _, name in copies]
        self.made.notes.append(Note(self.function.name, self.function.span, _account(self.function, copies, pad)))

    def _copy(self, ready: Function, bucket: Bucket) -> tuple[int, str] | None:
        """Add the copy at a number, and return its name; None if a check in it always fails."""
        at = at_numbers(self.made.module, ready, bucket.pins, self.decider)
        if isinstance(result_of(at.body), NeverType):
            says = f"there is no copy at {bucket.number}, where a check always fails"
            self.made.notes.append(Note(self.function.name, self.function.span, says, left=True))
            return None
        name = self.made.add(replace(at, name=f"{self.function.name}_{bucket.pins.label}"))
        return bucket.number, name

    def _may_be_padded(self, unknown: Variable, pad: str) -> Facts:
        """Require that no declaration ties the size to others, and that arguments fit their buckets.  Raises Unusable.

        The result is the declared facts.
        """
        if self.buckets[0].number < 1:
            raise Unusable(f"`{unknown.name}` would be padded to 0", self.function.span)
        for goal in self._declared():
            if unknown in goal.variables() and len(goal.variables()) > 1:
                raise Unusable(f"`{goal}` relates the padded size to other sizes", self.function.span)
        facts = Facts()
        size = of_atom(unknown)
        facts.assume(at_least(size, constant(0)))
        for param in self.function.params:
            for type in _tensors(param.type):
                axis = grown_axis(type, frozenset((unknown,)), f"`{param.name}`", param.span)
                if axis is not None:
                    _cell(pad, type.dtype)
                    self._is_room(facts, type.shape[axis], unknown, f"`{param.name}`")
        for goal in self._declared():
            facts.assume(goal)
        return facts

    def _declared(self) -> Iterator[Constraint]:
        """The declared constraints: the `where` clauses, and the bounds of each `?` applied to its size."""
        yield from self.function.type.where
        for param in self.function.params:
            for extent, size, _, _ in requirements(param.written, param.name):
                if isinstance(extent, Hole):
                    yield from extent.bounds(size)

    def _is_room(self, facts: Facts, extent: Dim, unknown: Variable, name: str) -> None:
        """Require that a smaller unknown never makes the extent larger than in its bucket.  Raises Unusable."""
        for most in (constant(bucket.number) for bucket in self.buckets):
            mark = facts.mark()
            facts.assume(at_most(of_atom(unknown), most))
            enough = self.decider.decide(facts, at_most(extent, extent.substitute({unknown: most})))
            facts.rollback(mark)
            if not isinstance(enough, Proved):
                raise Unusable(f"`{extent}` in {name} does not grow with the padded size", self.function.span)


def _ready(module: Module, function: Function, decider: Decider, inline: bool) -> Function:
    """Make dynamic operators with known arguments static, and drop dead code.

    Inline calls first if asked: padding can only be followed through a body.
    """
    passes = (inlined, made_static, dropped) if inline and _calls(function) else (made_static, dropped)
    for one in passes:
        module = one(module, Context(decider)).module
    return sharpened(module, module.functions[function.name], decider)


def _calls(function: Function) -> bool:
    return any(isinstance(step, Invoke) for step in every(function.body))


def _unknown(pins: Pins, function: Function) -> Variable:
    """The variable of the pinned size.  Raises Unusable."""
    found = [*pins.named, *(variable for place in pins.sizes for variable in size_of(*place).variables())]
    if pins.elements:
        raise Unusable(f"`{next(iter(pins.elements))}` is no size of `{function.name}`, but a value", function.span)
    if len(found) != 1:
        raise Unusable("`bucket` takes one size", function.span)
    return found[0]


def _is_measured(type: GradualType, unknown: Variable) -> bool:
    """Whether a size occurs in no function, data or reference type inside a type: it could not be read from there."""
    match type:
        case TensorType():
            return True
        case TupleType(fields):
            return all(_is_measured(field, unknown) for field in fields)
        case _:
            return unknown not in set(mentioned(type))


def _tensors(type: OpenedType) -> list[TensorType[Dim]]:
    match type:
        case TensorType():
            return [type]
        case TupleType(fields):
            return [tensor for field in fields for tensor in _tensors(field)]
        case _:
            return []


# -------------------------------------------------------------------------------------------------------- the dispatch
@record(frozen=False, eq=False)
class _Choice:
    """Builds the body that reads the size and calls a copy.   [pass.bucket.dispatch]"""

    module: Module
    function: Function
    unknown: Variable
    general: str
    copies: Sequence[tuple[int, str]]
    padding: Padding | None
    write: Writer = field(init=False)

    def __post_init__(self) -> None:
        types = {param.name: param.type for param in self.function.params}
        self.write = Writer(self.module, self.function.span, types)

    def body(self) -> Block:
        """Build the body: read the size, dispatch, pad, call, slice."""
        size = self.write.size(of_atom(self.unknown), "%size")
        if self.padding is None:
            result = self._among(size, 0)
        else:  # an empty argument is not padded
            empty = self._compared("equal", size, 0)
            result = self._if(empty, self._any, lambda: self._among(size, 0))
        return Block(tuple(self.write.steps), result)

    def _among(self, size: str, index: int) -> str:
        """Dispatch among the copies from an index on; if none fits, call the general one."""
        if index == len(self.copies):
            return self._any()
        most, copy = self.copies[index]
        below = self.copies[index - 1][0] if index else 0
        fits = self._compared("equal" if self.padding is None else "less_equal", size, most)
        return self._if(fits, lambda: self._at(below, most, copy), lambda: self._among(size, index + 1))

    def _compared(self, operator: str, size: str, most: int) -> str:
        other = self.write.constant(scalar(most, DType.INT64), "%number")
        return self.write.apply(operator, (size, other), "%fits")

    def _if(self, condition: str, then: Callable[[], str], orelse: Callable[[], str]) -> str:
        return self.write.choose(condition, then, orelse, self._result(), "%chosen")

    def _any(self) -> str:
        return self._call(self.general, [param.name for param in self.function.params])

    def _at(self, below: int, most: int, copy: str) -> str:
        """Call a copy; pad the arguments and slice the result if the size may be smaller."""
        names = [param.name for param in self.function.params]
        if self.padding is None or most == below + 1:
            return self._call(copy, names)
        value = self._call(copy, [self._padded(name, self.padding.text, most) for name in names])
        return self._cut(value, self.padding.where, self._result())

    def _call(self, function: str, arguments: Sequence[str]) -> str:
        return self.write.call(function, tuple(arguments), self.function.type.types, "%value")

    def _result(self) -> GradualType:
        """The result type of the general copy on these arguments."""
        type = self.module.functions[self.general].type
        arguments = [self.write.types[param.name] for param in self.function.params]
        return at_types(type, arguments, self.function.type.types).result

    # -------------------------------------------------------------------------------------------------------- padding
    def _padded(self, name: str, text: str, most: int) -> str:
        """Pad the growing axis of a value at its end, to its extent at the bucket's number."""
        type = self.write.types[name]
        match type:
            case TensorType(shape, dtype):
                axis = grown_axis(type, frozenset((self.unknown,)), f"`{name}`", self.function.span)
                if axis is None:
                    return name
                more = shape[axis].substitute({self.unknown: constant(most)}) - shape[axis]
                widths = tuple((0, more if place == axis else 0) for place in range(len(shape)))
                cell = self.write.constant(_cell(text, dtype), "%cell")
                return self.write.apply("nn.pad", (name, cell), "%padded", pad_width=widths)
            case TupleType(fields):
                parts = [self.write.project(name, index, "%part") for index in range(len(fields))]
                return self.write.make_tuple([self._padded(part, text, most) for part in parts], "%padded")
            case _:
                return name

    def _cut(self, name: str, where: Where, wanted: GradualType) -> str:
        """Slice the padding off a value."""
        match where, wanted:
            case int(), TensorType(shape):
                size = shape[where]
                if not isinstance(size, Dim):
                    says = f"the size of dimension {where} of the value without padding is not known"
                    raise Unusable(says, self.function.span)
                cut = {"begin": (0,), "end": (size,), "strides": (1,), "axes": (where,)}
                return self.write.sized(
                    self.write.apply("strided_slice", (name,), "%first", **cut), where, size, "%cut"
                )
            case tuple(), TupleType(fields):
                parts = [self.write.project(name, index, "%part") for index in range(len(fields))]
                return self.write.make_tuple(
                    [self._cut(*each) for each in zip(parts, where, fields, strict=True)], "%cut"
                )
            case None, _:
                return name
            case _:
                raise Unusable("the rank of the value without padding is not known", self.function.span)


def _cell(text: str, dtype: DType) -> Tensor:
    """The scalar to pad with.  Raises Unusable."""
    try:
        value = float(text) if dtype.is_float else int(text)
        return scalar(bool(value), dtype) if dtype is DType.BOOL else Tensor(value, dtype)
    except ValueError:
        raise Unusable(f"`pad` is given `{text}`, which is no {dtype}") from None


def _account(function: Function, copies: Sequence[tuple[int, str]], pad: str | None) -> str:
    """The note that names the copies and says how much is padding."""
    names = ", ".join(f"`{name}`" for _, name in copies)
    made = f"`{function.name}` chooses among {names} and `{function.name}_any`"
    return made if pad is None else f"{made}; {', '.join(waste([number for number, _ in copies]))}"


def waste(numbers: Sequence[int]) -> Iterator[str]:
    """How much of each padded call is padding: at worst, and on average over the sizes of its bucket.

    [pass.codegen.account]
    """
    for below, most in pairwise((0, *numbers)):
        worst = most - below - 1  # rows of padding for the least size of the bucket; the greatest has none
        yield f"at {most} up to {worst / most:.0%} is padding, {worst / 2 / most:.0%} on average"


PASSES: tuple[Pass, ...] = (
    Pass(
        "bucket",
        "Copy a function for each of some values of a size; at entry one copy is chosen.   [pass.bucket]",
        bucket,
        takes="[@f:]n=1,8,64 [pad=VALUE]",
    ),
)
"""The pass `bucket`."""
