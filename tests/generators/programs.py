"""Random programs over the operators that are built, grown by elaborating.

A construct is drawn, the program so far is extended by it and checked, and the extension is kept if it is accepted;
4 % of those that are rejected are kept as the last one, so that the paths of rejection run too.  Branches under a
test of a size are mostly filled without asking, which makes dead branches that could never run.  All is decided by
one seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from gradual.checker.elaboration import Broken
from gradual.compiler import Compilation
from gradual.dims.dim import Dim
from gradual.ops.catalogue import CATALOGUE
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.generators.program_terms import (
    UNKNOWN,
    Annotation,
    Assertion,
    Body,
    Cast,
    Choice,
    Expression,
    Fields,
    Function,
    Item,
    Let,
    Literal,
    Program,
    Size,
    Tensor,
    Text,
)

CONSTANTS = (0, 1, 1, 2, 3, 4, 6)
KEPT_REJECTS = 0.04
BLIND_BRANCHES = 0.8
GUESSED = 0.55

Compile = Callable[[str], Compilation]
Types = dict[str, Any]
Context = Callable[[tuple[Item, ...], str], Program]
"""The whole program around a body's items and result."""


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
class Grower:
    """One program under growth."""

    random: Random
    compile: Compile
    strict: bool
    callees: list[Function] = field(default_factory=list)
    counter: int = 0
    spoiled: bool = False

    # ----------------------------------------------------------------------------------------------------- names
    def fresh(self) -> str:
        """A variable that the program does not have yet."""
        self.counter += 1
        return f"%v{self.counter}"

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.random.random() < probability

    def types(self, program: Program) -> tuple[bool, Types]:
        """Whether the program is accepted, and the type of every variable of the function under growth."""
        found = self.compile(str(program))
        checked = found._checked
        assert checked is not None
        known = {}
        for state in checked.elaborations.values():
            for binding in state.bindings:
                type = state.types[binding.value]
                if not isinstance(type, Broken):
                    known[binding.name] = type
        return found.ok, known

    # ----------------------------------------------------------------------------------------------------- growth
    def grow(self, context: Context, scope: Scope, steps: int, blind: bool = False, depth: int = 0) -> list[Item]:
        """Items for a body, each accepted by the checker unless `blind`."""
        items: list[Item] = []
        last = scope.names[-1]
        _, types = self.types(context((), last))
        for _ in range(steps):
            if self.spoiled:
                break
            drawn = self.draw(context, scope, items, types, depth)
            if drawn is None:
                continue
            extended = [*items, *drawn]
            name = next((item.name for item in reversed(drawn) if isinstance(item, Let)), last)
            accepted, found = self.types(context(tuple(extended), name))
            if not accepted and not blind:
                if not self.chance(KEPT_REJECTS) or depth:
                    continue
                self.spoiled = True
            items, last, types = extended, name, found
            scope.names += [item.name for item in drawn if isinstance(item, Let) and item.name in found]
        return items

    def draw(self, context: Context, scope: Scope, items: list[Item], types: Types, depth: int) -> list[Item] | None:
        """One construct, None where it has no operands."""
        view = View(self, scope, {name: types[name] for name in scope.names if name in types})
        if depth < 2 and self.chance(0.16):
            return self.choice(view, context, scope, items, depth)
        if depth < 2 and self.chance(0.07):
            return self.closure(view, context, scope, items, depth)
        constructs = [make for make, weight in CONSTRUCTS for _ in range(weight)]
        for _ in range(8):
            value = self.random.choice(constructs)(view)
            if isinstance(value, list):
                return value
            if value is not None:
                return [Let(self.fresh(), None, value)]
        return None

    # --------------------------------------------------------------------------------------------------- branches
    def choice(self, view: View, context: Context, scope: Scope, items: list[Item], depth: int) -> list[Item] | None:
        """An `if` under the test of a size or under a boolean that says nothing."""
        found = view.condition()
        if found is None:
            return None
        before, condition, says = found
        name, candidates = self.fresh(), view.floats()
        if not candidates:
            return None
        before_items = [*items, *before]
        blind = says and self.chance(BLIND_BRANCHES)
        inner = scope.inner()
        inner.names += [item.name for item in before if isinstance(item, Let)]
        plain = Body((), self.random.choice(candidates))

        def inside(then: bool) -> Context:
            def whole(items: tuple[Item, ...], result: str) -> Program:
                filled = Body(items, result)
                return context((*before_items, Let(name, None, Choice(condition, *pair(then, filled)))), name)

            def pair(then: bool, filled: Body) -> tuple[Body, Body]:
                other = Body((), filled.result if not filled.items else plain.result)
                return (filled, other) if then else (other, filled)

            return whole

        bodies = []
        for side in (True, False):
            here = inner.inner()
            filled = self.grow(inside(side), here, self.random.randrange(0, 3), blind, depth + 1)
            bodies.append((filled, here))
        _, types = self.types(context((*before_items, *bodies[0][0], *bodies[1][0]), scope.names[-1]))
        pairs = _alike(bodies[0][1].names, bodies[1][1].names, types)
        if not pairs:
            return None
        left, right = self.random.choice(pairs[-12:])
        value = Choice(condition, Body(tuple(bodies[0][0]), left), Body(tuple(bodies[1][0]), right))
        return [*before, Let(name, None, value)]

    def closure(self, view: View, context: Context, scope: Scope, items: list[Item], depth: int) -> list[Item] | None:
        """A function literal at a known type, then a call of it."""
        operand = view.pick(view.floats(1))
        if operand is None:
            return None
        name, parameter = self.fresh(), self.fresh()
        annotation = self.parameter(view.types[operand], view)
        inner = scope.inner()
        inner.names.append(parameter)
        inner.dims += [size.text for size in annotation.sizes if size.fixed]

        def inside(items_inside: tuple[Item, ...], result: str) -> Program:
            literal = Literal(((parameter, annotation),), None, Body(items_inside, result))
            return context((*items, Let(name, None, literal)), view.scope.names[-1])

        filled = self.grow(inside, inner, self.random.randrange(1, 3), False, depth + 1)
        last = next((item.name for item in reversed(filled) if isinstance(item, Let)), parameter)
        literal = Literal(((parameter, annotation),), None, Body(tuple(filled), last))
        return [Let(name, None, literal), Let(self.fresh(), None, Text(f"{name}({operand})"))]

    def parameter(self, type: Any, view: View) -> Tensor:
        """A parameter annotation that a value of this type might fit."""
        number = self.counter

        def size(axis: int, dim: Dim) -> Size:
            which = self.random.random()
            if which < 0.3:
                return Size(f"q{number}{axis}", fixed=True)
            if which < 0.6 and not self.strict:
                return Size(UNKNOWN)
            return Size(view.size_of(dim))

        return Tensor(tuple(size(axis, dim) for axis, dim in enumerate(type.shape)))

    # -------------------------------------------------------------------------------------------------- functions
    def function(self, name: str, steps: int) -> Function:
        """A function of its own parameters, with the functions before it to call."""
        parameters, dims = self.parameters(3 if name == "@main" else 2)
        clauses = self.clauses(dims)
        scope = Scope([parameter for parameter, _ in parameters], dims)
        shell = Function(name, parameters, None, clauses, Body((), scope.names[-1]))

        def context(items: tuple[Item, ...], result: str) -> Program:
            return Program((*self.callees, replace(shell, body=Body(items, result))))

        if not self.types(context((), scope.names[-1]))[0]:
            shell = replace(shell, clauses=())
        items = self.grow(context, scope, steps)
        return self.finished(shell, items, scope)

    def finished(self, shell: Function, items: list[Item], scope: Scope) -> Function:
        """The function with a result, and sometimes a result type."""
        _, types = self.types(Program((*self.callees, replace(shell, body=Body(tuple(items), scope.names[0])))))
        results = [name for name in scope.names if name in types and _is_data(types[name])]
        result = results[-1] if self.chance(0.7) else self.random.choice(results)
        whole = replace(shell, body=Body(tuple(items), result))
        if self.chance(0.5):
            view = View(self, scope, types)
            typed = replace(whole, result=view.annotation(types[result], guessed=0.3))
            if self.types(Program((*self.callees, typed)))[0]:
                return typed
        return whole

    def parameters(self, most: int) -> tuple[tuple[tuple[str, Annotation], ...], list[str]]:
        """Parameters with named, computed, constant and unknown sizes."""
        dims = ["n", "m"]
        bound: list[str] = []
        found: list[tuple[str, Annotation]] = []
        for _ in range(self.random.randrange(1, most + 1)):
            sizes = [self._extent(dims, bound) for _ in range(self.random.choice((1, 1, 2, 2, 2, 3)))]
            found.append((self.fresh(), Tensor(tuple(sizes))))
        if self.chance(0.3):
            found.append((self.fresh(), Tensor((), "int64")))
        if self.chance(0.2):
            found.append((self.fresh(), Tensor((Size(str(self.random.choice((1, 2, 2, 3))), fixed=True),), "int64")))
        if self.chance(0.35):
            found.append((self.fresh(), Tensor((), "bool")))
        if len(found) > 1 and self.chance(0.1):
            (first, left), (_, right) = found[0], found[1]
            found[:2] = [(first, Fields((left, right)))]
        return tuple(found), bound

    def _extent(self, dims: Sequence[str], bound: list[str]) -> Size:
        which = self.random.random()
        if which < 0.35 and not self.strict:
            return Size(UNKNOWN)
        if which < 0.75:
            name = self.random.choice(dims)
            fixed = name not in bound
            if fixed:
                bound.append(name)
            return Size(name, fixed)
        if which < 0.85 and bound:
            name = self.random.choice(bound)
            return Size(self.random.choice((f"{name} + 1", f"2 * {name}")))
        return Size(str(self.random.choice(CONSTANTS)))

    def clauses(self, dims: Sequence[str]) -> tuple[str, ...]:
        """Preconditions, rarely."""
        if not dims or not self.chance(0.2):
            return ()
        name = self.random.choice(dims)
        return (self.random.choice((f"{name} > 0", f"{name} % 2 == 0", f"{name} <= 4", f"{name} != 1")),)


def _alike(left: Sequence[str], right: Sequence[str], types: Types) -> list[tuple[str, str]]:
    """Pairs of variables whose types may join: tensors of one rank and element type."""
    return [
        (a, b)
        for a in left
        for b in right
        if isinstance(types.get(a), TensorType)
        and isinstance(types.get(b), TensorType)
        and types[a].dtype is types[b].dtype
        and types[a].rank == types[b].rank
    ]


# ------------------------------------------------------------------------------------------------------ constructs
@dataclass
class View:
    """The variables at a place with their types, and what can be made of them."""

    grower: Grower
    scope: Scope
    types: Types

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
                return Tensor(tuple(self._annotated(dim, guessed, known) for dim in shape), str(dtype))
        raise AssertionError(type)

    def _annotated(self, dim: Dim, guessed: float, known: bool) -> Size:
        if known and dim.value is not None:
            return Size(str(dim.value), fixed=True)
        if dim.value is None and self.chance(guessed):
            return Size(str(self.random.choice(CONSTANTS)))
        if self.chance(0.3) and not self.grower.strict:
            return Size(UNKNOWN)
        return Size(self.size_of(dim) if self.chance(0.9) else self.size())

    def condition(self) -> tuple[list[Item], str, bool] | None:
        """Items that compute a condition, the condition, and whether it says something about a size."""
        flags, scalars = self.of(DType.BOOL, 0), self.of(DType.INT64, 0) + self.of(DType.INT32, 0)
        value = self.random.choice(CONSTANTS)
        which = self.random.random()
        if flags and which < 0.35:
            return [], self.random.choice(flags), False
        if scalars and which < 0.5:
            return [], f"{self.random.choice(scalars)} {self.random.choice(('==', '<', '>='))} {value}", True
        if self.scope.dims and which < 0.65:
            return [], f"{self.random.choice(self.scope.dims)} == {value}", True
        name = self.pick(self.floats(1))
        if name is None or "take" not in CATALOGUE:
            return None
        sizes, size = self.grower.fresh(), self.grower.fresh()
        axis = self.random.randrange(self.types[name].rank)
        read = [Let(sizes, None, Text(f"shape_of({name})")), Let(size, None, Text(f"take({sizes}, {axis})"))]
        return [*read], f"{size} {self.random.choice(('==', '==', '==', '>', '<='))} {value}", True


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
    units = f", units={view.size_of(view.types[weight].shape[0])}" if weight and view.chance(0.3) else ""
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
    if name is None or not _is_data(view.types[name]):
        return None
    return [Let(view.grower.fresh(), view.annotation(view.types[name]), Text(name))]


def _parts(type: Any) -> list[Any]:
    return [part for field in type.fields for part in _parts(field)] if isinstance(type, TupleType) else [type]


def _is_data(type: Any) -> bool:
    """Whether there is no function in a value of the type."""
    return all(isinstance(part, TensorType) for part in _parts(type))


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
        (_annotated_let, 4, ()),
        (_assert, 1, ()),
        (_call, 4, ()),
    ]
    return [(make, weight) for make, weight, needed in found if all(name in CATALOGUE for name in needed)]


CONSTRUCTS = _weighted()


# -------------------------------------------------------------------------------------------------------- programs
_LOOP = """def @loop(%i: int64, %x: Tensor[({size}, 2), float32]) -> Tensor[(?, 2), float32] {{
  if (%i <= 0) {{ %x }} else {{ @loop(%i - 1, concatenate((%x, ones(shape=[1, 2], dtype="float32")), axis=0)) }}
}}
"""


def generated(seed: int, compile: Compile, strict: bool | None = None, steps: int = 7) -> Program:
    """The program of a seed; `strict` ones have no unknown (about one in three, unless said)."""
    random = Random(f"program {seed}")
    grower = Grower(random, compile, random.random() < 0.33 if strict is None else strict)
    for number in range(random.choice((0, 0, 1, 1, 2))):
        helper = grower.function(f"@f{number}", random.randrange(1, 4))
        if grower.spoiled:
            return Program((*grower.callees, replace(helper, name="@main")))
        grower.callees.append(helper)
    main = grower.function("@main", random.randrange(2, steps + 1))
    return Program((*grower.callees, main))


def uses(text: str) -> set[str]:
    """The variables and functions that a text mentions."""
    return set(re.findall(r"[%@]\w+", text))
