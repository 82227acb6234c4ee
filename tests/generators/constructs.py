"""What a program under growth may be extended by: an expression or a few items over the variables in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from gradual.dims.dim import Dim
from gradual.ops.catalogue import CATALOGUE
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.generators.program_terms import (
    UNKNOWN,
    Annotation,
    Assertion,
    Cast,
    Expression,
    Fields,
    Function,
    Item,
    Let,
    Size,
    Tensor,
    Text,
)

CONSTANTS = (0, 1, 1, 2, 3, 4, 6)
GUESSED = 0.55


class Maker(Protocol):
    """What a view asks of the program under growth."""

    random: Random
    strict: bool
    callees: list[Function]

    def fresh(self) -> str:
        """A variable that the program does not have yet."""

    def chance(self, probability: float) -> bool:
        """True with a probability."""


@dataclass
class Scope:
    """What may be mentioned at a place.

    Attributes:
        names: variables, oldest first.
        dims: dimension names.
    """

    names: list[str]
    dims: list[str]

    def inner(self) -> Scope:
        """A scope inside this one."""
        return Scope(list(self.names), list(self.dims))


@dataclass
class View:
    """The variables at a place with their types, and what can be made of them."""

    grower: Maker
    scope: Scope
    types: dict[str, Any]

    @property
    def random(self) -> Random:
        """The source of all choices."""
        return self.grower.random

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.grower.chance(probability)

    def of(self, dtype: DType | None, rank: int | None = None) -> list[str]:
        """Variables that hold tensors of an element type and rank."""
        return [
            name
            for name, type in self.types.items()
            if isinstance(type, TensorType)
            and (dtype is None or type.dtype is dtype)
            and (rank is None or type.rank == rank)
        ]

    def floats(self, least: int = 0) -> list[str]:
        """Variables that hold float32 tensors of at least a rank."""
        return [name for name in self.of(DType.FLOAT32) if self.types[name].rank >= least]

    def vectors(self) -> list[str]:
        """Integer vectors whose elements are tracked."""
        found = [name for dtype in (DType.INT64, DType.INT32) for name in self.of(dtype, 1)]
        return [name for name in found if (self.types[name].shape[0].value or 0) in range(1, 5)]

    def pick(self, names: Sequence[str]) -> str | None:
        """One of the names, the newer ones more often."""
        if not names:
            return None
        return names[-1 - int(len(names) * self.random.random() ** 2)]

    # ------------------------------------------------------------------------------------------------------- sizes
    def size(self) -> str:
        """A dim: a constant, a name, arithmetic on one, or the size of a variable."""
        which = self.random.random()
        named = [(name, axis) for name in self.floats(1) for axis in range(self.types[name].rank)]
        if which < 0.4 or not (self.scope.dims or named):
            return str(self.random.choice(CONSTANTS))
        if self.scope.dims and (which < 0.75 or not named):
            name = self.random.choice(self.scope.dims)
            return self.random.choice((name, name, name, f"{name} + 1", f"2 * {name}", f"{name} // 2"))
        name, axis = self.random.choice(named)
        return f"dim({name}, {axis})"

    def plain(self) -> str:
        """A dim without `//`, which is a comment outside brackets."""
        size = self.size()
        return "2" if "//" in size else size

    def size_of(self, dim: Dim) -> str:
        """A dim that is equal to a given one, as far as it can be written."""
        if dim.value is not None:
            return str(max(dim.value, 0))
        if all(not variable.is_ghost and variable.name in self.scope.dims for variable in dim.variables()):
            return str(dim)
        found = [
            f"dim({name}, {axis})"
            for name in self.floats(1)
            for axis, other in enumerate(self.types[name].shape)
            if other is dim
        ]
        return self.random.choice(found) if found else self.size()

    def annotation(self, type: Any, guessed: float = GUESSED) -> Annotation:
        """An annotation for a value of a type: exact, forgetting, or guessed where it knows little."""
        match type:
            case TupleType(fields):
                return Fields(tuple(self.annotation(field, guessed) for field in fields))
            case TensorType(shape, dtype):
                known = dtype is not DType.FLOAT32
                return Tensor(tuple(self.annotated(dim, guessed, known) for dim in shape), str(dtype))
        raise AssertionError(type)

    def annotated(self, dim: Dim, guessed: float = GUESSED, known: bool = False) -> Size:
        """A dim of an annotation; `known` where its length decides what is tracked."""
        if known and dim.value is not None:
            return Size(str(dim.value), fixed=True)
        if dim.value is None and self.chance(guessed):
            return Size(str(self.random.choice(CONSTANTS)))
        if self.chance(0.3) and not self.grower.strict:
            return Size(UNKNOWN if self.chance(0.85) else f"?{{u. u <= {self.size()}}}")
        return Size(self.size_of(dim) if self.chance(0.9) else self.size())

    def condition(self) -> Condition | None:
        """A condition, None where there is nothing to test."""
        flags, scalars = self.of(DType.BOOL, 0), self.of(DType.INT64, 0) + self.of(DType.INT32, 0)
        value = self.random.choice(CONSTANTS)
        which = self.random.random()
        if flags and which < 0.35:
            return Condition(self.random.choice(flags), says=False)
        if scalars and which < 0.5:
            return Condition(f"{self.random.choice(scalars)} {self.random.choice(('==', '<', '>='))} {value}")
        if self.scope.dims and which < 0.65:
            return Condition(f"{self.random.choice(self.scope.dims)} == {value}")
        name = self.pick(self.floats(1))
        if name is None or "take" not in CATALOGUE:
            return None
        sizes, size = self.grower.fresh(), self.grower.fresh()
        axis = self.random.randrange(self.types[name].rank)
        read = [Let(sizes, None, Text(f"shape_of({name})")), Let(size, None, Text(f"take({sizes}, {axis})"))]
        return Condition(f"{size} {self.random.choice(('==', '==', '==', '>', '<='))} {value}", [*read], name)


@dataclass
class Condition:
    """A condition as text.

    Attributes:
        items: what computes it.
        tested: the variable whose size it tests.
        says: whether it says something about a size.
    """

    text: str
    items: list[Item] = field(default_factory=list)
    tested: str | None = None
    says: bool = True


Made = Expression | list[Item] | None


def _unary(view: View) -> Made:
    name = view.pick(view.floats())
    return (name and Text(f"{view.random.choice(('nn.relu', 'negative', 'abs'))}({name})")) or None


def _binary(view: View) -> Made:
    left = view.pick(view.floats())
    if left is None:
        return None
    near = [name for name in view.floats() if _could_agree(view.types[left], view.types[name])]
    right = left if view.chance(0.1) else view.pick(near if view.chance(0.8) else view.floats())
    operator = view.random.choice(("add", "subtract", "multiply", "maximum"))
    return Text(f"{operator}({left}, {right})") if view.chance(0.9) else Text(f"{left} * {right}")


def _could_agree(left: Any, right: Any) -> bool:
    """Whether no two constant sizes speak against broadcasting."""
    pairs = zip(reversed(left.shape), reversed(right.shape), strict=False)
    return all(a.value is None or b.value is None or a is b or 1 in (a.value, b.value) for a, b in pairs)


def _where(view: View) -> Made:
    left, right = view.pick(view.floats()), view.pick(view.floats())
    return Text(f"where(less({left}, {right}), {left}, {right})") if left and right else None


def _reduction(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    axis = view.random.randrange(view.types[name].rank)
    keep = view.random.choice((", keepdims=True", ""))
    return Text(f"{view.random.choice(('sum', 'sum', 'max', 'mean'))}({name}, axis=[{axis}]{keep})")


def _softmax(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Text(f"nn.softmax({name})") if name else None


def _dense(view: View) -> Made:
    data, weight = view.pick(view.floats(2)), view.pick([n for n in view.floats(2) if view.types[n].rank == 2])
    size = view.size_of(view.types[weight].shape[0]) if weight else ""
    units = f", units={size}" if weight and "//" not in size and view.chance(0.3) else ""
    return Text(f"nn.dense({data}, {weight}{units})") if data and weight else None


def _bias(view: View) -> Made:
    data, bias = view.pick(view.floats(2)), view.pick([n for n in view.floats(1) if view.types[n].rank == 1])
    return Text(f"nn.bias_add({data}, {bias}, axis=-1)") if data and bias else None


def _shape_of(view: View) -> Made:
    name = view.pick(view.floats(1))
    kind = ', dtype="int64"' if view.chance(0.6) else ""
    return Text(f"shape_of({name}{kind})") if name else None


def _element(view: View) -> Made:
    name = view.pick(view.vectors())
    if name is None:
        return None
    index = view.random.randrange(view.types[name].shape[0].value) if view.chance(0.95) else 9
    return Text(f"take({name}, {index}{', axis=0' if view.chance(0.5) else ''})")


def _arithmetic(view: View) -> Made:
    name = view.pick(view.of(DType.INT64, 0) + view.of(DType.INT32, 0))
    operator = view.random.choice(("+ 1", "- 1", "* 2", "- 3", "+ 0"))
    return Text(f"{name} {operator}") if name else None


def _arange(view: View) -> Made:
    name = view.pick(view.of(DType.INT64, 0))
    step = view.random.choice(("1i64", "1i64", "2i64", "-1i64"))
    ends = view.random.choice((("0i64", name), ("1i64", name), (name, "0i64")))
    return Text(f'cast(arange({ends[0]}, {ends[1]}, {step}), dtype="float32")') if name else None


def _reshape(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    shape = view.types[name].shape
    exact = [f"dim({name}, {axis})" if view.chance(0.5) else view.size_of(dim) for axis, dim in enumerate(shape)]
    forms = (
        ["-1"],
        [*reversed(exact)],
        ["-1", exact[-1]],
        ["-1", str(view.random.choice((1, 2, 3)))],
        [view.size(), "-1"],
        ["0", "-1"],
        [" * ".join(f"({size})" for size in exact)],
        [view.size(), view.size()],
        [*exact, "1"],
    )
    return Text(f"reshape({name}, newshape=[{', '.join(view.random.choice(forms))}])")


def _dyn_reshape(view: View) -> Made:
    name, sizes = view.pick(view.floats(1)), view.pick(view.vectors())
    return Text(f"dyn.reshape({name}, {sizes})") if name and sizes else None


def _dyn_broadcast(view: View) -> Made:
    name, sizes = view.pick(view.floats()), view.pick(view.vectors())
    return Text(f"dyn.broadcast_to({name}, {sizes})") if name and sizes else None


def _broadcast_to(view: View) -> Made:
    name, like = view.pick(view.floats()), view.pick(view.floats(1))
    if name is None or like is None:
        return None
    shape = [view.size_of(dim) if view.chance(0.85) else view.size() for dim in view.types[like].shape]
    return Text(f"broadcast_to({name}, shape=[{', '.join(shape)}])")


def _concatenate(view: View) -> Made:
    first = view.pick(view.floats(1))
    if first is None:
        return None
    rank = view.types[first].rank
    second = view.pick([name for name in view.floats(1) if view.types[name].rank == rank])
    return Text(f"concatenate(({first}, {second}), axis={view.random.randrange(rank)})")


def _stack(view: View) -> Made:
    first = view.pick([name for name in view.floats() if view.types[name].rank < 3])
    if first is None:
        return None
    second = view.pick([name for name in view.floats() if view.types[name].rank == view.types[first].rank])
    return Text(f"stack(({first}, {second}), axis=0)")


def _slice(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    begin, end, stride = view.random.choice(((0, 2, 1), (1, 9, 1), (-2, 9, 1), (0, 9, 2), (1, 3, 1), (9, -9, -1)))
    return Text(f"strided_slice({name}, begin=[{begin}], end=[{end}], strides=[{stride}])")


def _argwhere(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Text(f'cast(argwhere({name}), dtype="float32")') if name and not view.grower.strict else None


def _unique(view: View) -> Made:
    name = view.pick([name for name in view.floats(1) if view.types[name].rank == 1])
    return Text(f"unique({name}).0") if name and not view.grower.strict else None


def _filled(view: View) -> Made:
    sizes = ", ".join(view.size() for _ in range(view.random.choice((1, 1, 2))))
    return Text(f'{view.random.choice(("zeros", "ones"))}(shape=[{sizes}], dtype="float32")')


def _transpose(view: View) -> Made:
    name = view.pick(view.floats(2))
    return Text(f"transpose({name})") if name else None


def _expand(view: View) -> Made:
    name = view.pick([name for name in view.floats() if view.types[name].rank < 3])
    return Text(f"expand_dims({name}, axis={view.random.choice((0, -1))})") if name else None


def _squeeze(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Text(f"squeeze({name}, axis=[{view.random.randrange(view.types[name].rank)}])") if name else None


def _tuple(view: View) -> Made:
    left, right = view.pick(view.floats()), view.pick(list(view.types))
    return Text(f"({left}, {right})") if left and right else None


def _project(view: View) -> Made:
    name = view.pick([name for name, type in view.types.items() if isinstance(type, TupleType)])
    return Text(f"{name}.{view.random.randrange(len(view.types[name].fields))}") if name else None


def _cast(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Cast(name, view.annotation(view.types[name])) if name else None


def _annotated_let(view: View) -> Made:
    tuples = [name for name, type in view.types.items() if isinstance(type, TupleType)]
    name = view.pick(tuples) if view.chance(0.15) else view.pick(view.floats(1))
    if name is None or not is_data(view.types[name]):
        return None
    return [Let(view.grower.fresh(), view.annotation(view.types[name]), Text(name))]


def _parts(type: Any) -> list[Any]:
    return [part for field in type.fields for part in _parts(field)] if isinstance(type, TupleType) else [type]


def is_data(type: Any) -> bool:
    """Whether there is no function in a value of the type."""
    return all(isinstance(part, TensorType) for part in _parts(type))


def _named(view: View) -> Made:
    """A cast that names a size."""
    name = view.pick(view.floats(1))
    if name is None:
        return None
    axis, variable = view.random.randrange(view.types[name].rank), view.grower.fresh()
    sizes = [view.annotated(dim) for dim in view.types[name].shape]
    sizes[axis] = Size(variable.replace("%v", "k"), fixed=True)
    return [Let(variable, None, Cast(name, Tensor(tuple(sizes))))]


def _whole(view: View) -> Made:
    """Arithmetic whose results are tracked."""
    scalars = view.of(DType.INT64, 0)
    left, right = view.pick(scalars), view.pick(scalars)
    if left is None:
        return None
    forms = (
        f"floor_divide({left}, 2i64)",
        f"minimum({left}, {right})",
        f"maximum({left}, 0i64)",
        f"where({left} > 2, {left}, {right})",
        f"negative({left})",
        f"{left} * {right}",
        f"floor_mod({left}, 3i64)",
        f"abs({left})",
    )
    return Text(view.random.choice(forms))


def _vector(view: View) -> Made:
    """A vector of tracked elements."""
    vectors = view.vectors()
    left = view.pick(vectors)
    if left is None:
        return Text("[2, 1]")
    same = [name for name in vectors if view.types[name].dtype is view.types[left].dtype]
    forms = (
        f"concatenate(({left}, {view.pick(same)}), axis=0)",
        f"take({left}, [0])",
        f'take({left}, [0, -1], mode="wrap")',
        f"strided_slice({left}, begin=[0], end=[2], strides=[1])",
        f"maximum({left}, {view.pick(same)})",
        f"reverse({left}, axis=0)",
    )
    return Text(view.random.choice(forms))


def _product(view: View) -> Made:
    name = view.pick(view.vectors())
    return Text(f"{view.random.choice(('prod', 'sum', 'max'))}({name})") if name else None


def _dyn_zeros(view: View) -> Made:
    name = view.pick(view.vectors())
    return Text(f'dyn.zeros({name}, dtype="float32")') if name else None


def _dim_slice(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    begin, end = view.random.choice(((0, view.size()), (view.size(), 9), (1, view.size())))
    return Text(f"strided_slice({name}, begin=[{begin}], end=[{end}], strides=[1])")


def _tile(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    if view.chance(0.5):
        return Text(f"tile({name}, reps=[{view.size()}])")
    return Text(f"repeat({name}, repeats={view.plain()}, axis={view.random.randrange(view.types[name].rank)})")


def _split(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    axis = view.random.randrange(view.types[name].rank)
    return Text(f"split({name}, indices_or_sections={view.random.choice((1, 2, 3))}, axis={axis})")


def _mask(view: View) -> Made:
    name = view.pick([name for name in view.floats(1) if view.types[name].rank == 1])
    other = view.pick(view.floats(1))
    if name is None or view.grower.strict:
        return None
    return Text(f"boolean_mask({other}, less({name}, {name} * {name}))")


def _data_assertion(view: View) -> Made:
    flag = view.pick(view.of(DType.BOOL, 0))
    return [Assertion(flag)] if flag else None


def _assert(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    axis = view.random.randrange(view.types[name].rank)
    return [Assertion(f"dim({name}, {axis}) {view.random.choice(('==', '<=', '!='))} {view.size()}")]


def _call(view: View) -> Made:
    if not view.grower.callees:
        return None
    callee = view.random.choice(view.grower.callees)
    arguments = [_argument(view, annotation) for _, annotation in callee.parameters]
    return None if None in arguments else Text(f"{callee.name}({', '.join(map(str, arguments))})")


def _argument(view: View, annotation: Annotation) -> str | None:
    if isinstance(annotation, Fields):
        parts = [_argument(view, field) for field in annotation.fields]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    return view.pick(view.of(DType(annotation.dtype), len(annotation.sizes)))


def _weighted() -> list[tuple[Callable[[View], Made], int]]:
    """The constructs whose operators are built, each with how often it is drawn."""
    found: list[tuple[Callable[[View], Made], int, tuple[str, ...]]] = [
        (_unary, 2, ("nn.relu",)),
        (_binary, 7, ("add",)),
        (_where, 1, ("where",)),
        (_reduction, 2, ("sum",)),
        (_softmax, 1, ("nn.softmax",)),
        (_dense, 4, ("nn.dense",)),
        (_bias, 2, ("nn.bias_add",)),
        (_shape_of, 2, ("shape_of",)),
        (_element, 2, ("take",)),
        (_arithmetic, 1, ("add",)),
        (_arange, 2, ("arange",)),
        (_reshape, 4, ("reshape",)),
        (_dyn_reshape, 2, ("dyn.reshape",)),
        (_dyn_broadcast, 1, ("dyn.broadcast_to",)),
        (_broadcast_to, 2, ("broadcast_to",)),
        (_concatenate, 3, ("concatenate",)),
        (_stack, 1, ("stack",)),
        (_slice, 2, ("strided_slice",)),
        (_argwhere, 1, ("argwhere",)),
        (_unique, 1, ("unique",)),
        (_filled, 2, ("zeros",)),
        (_transpose, 1, ("transpose",)),
        (_expand, 1, ("expand_dims",)),
        (_squeeze, 1, ("squeeze",)),
        (_tuple, 1, ()),
        (_project, 2, ()),
        (_cast, 4, ()),
        (_named, 1, ()),
        (_whole, 2, ("floor_divide",)),
        (_vector, 2, ("reverse",)),
        (_product, 1, ("prod",)),
        (_dyn_zeros, 1, ("dyn.zeros",)),
        (_dim_slice, 2, ("strided_slice",)),
        (_tile, 1, ("tile",)),
        (_split, 1, ("split",)),
        (_mask, 1, ("boolean_mask",)),
        (_data_assertion, 1, ()),
        (_annotated_let, 4, ()),
        (_assert, 1, ()),
        (_call, 4, ()),
    ]
    return [(make, weight) for make, weight, needed in found if all(name in CATALOGUE for name in needed)]


CONSTRUCTS = _weighted()
