"""How a random program grows, by elaborating.

A construct is drawn, the program so far is extended by it and checked, and the extension is kept if it is accepted;
4 % of those that are rejected are kept as the last one, so that the paths of rejection run too.  Branches under a
test of a size are mostly filled without asking, which makes dead branches that could never run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from gradual.checker.state.values import Broken
from gradual.compilation import Compilation
from gradual.dims.term.dim import Dim
from gradual.types.type import DataType, FunctionType, TensorType, TupleType, UnrankedType
from tests.generators.constructs import numbers
from tests.generators.constructs.functions import alike
from tests.generators.constructs.headings import Heading, opt_outs
from tests.generators.constructs.table import fitting, weighted
from tests.generators.constructs.view import Make, Maker, Scope, View, is_data
from tests.generators.program_terms import (
    UNKNOWN,
    Body,
    Cases,
    Cast,
    Choice,
    Function,
    Item,
    Let,
    Literal,
    Program,
    Size,
    Tensor,
    Text,
)

KEPT_REJECTS = 0.04
BLIND_BRANCHES = 0.8
USED = 0.3
"""How often what is drawn is made of a function, a reference or a value of unknown rank, if there is one."""

ABOUT = 0.6
"""How often what is drawn is of the kind that a program is about."""

_CONSTRUCTS = weighted()
_FIRST_ORDER = weighted(first_order=True)

Compile = Callable[[str], Compilation]
Types = dict[str, Any]
Context = Callable[[tuple[Item, ...], str], Program]
"""The whole program around a body's items and result."""


@dataclass(frozen=True)
class Kind:
    """What a program is about.

    Attributes:
        constructs: what most of what is drawn is made by, each as often as it is drawn.
        helper: what makes a function before `@main`, given a name and the functions before it.
        parameters: what every function has besides parameters of its own, given the names of dims.
        branching, closing, matching: how often the rest is a branch, a function literal, a match.
    """

    constructs: Sequence[Make] = ()
    helper: Callable[[Maker, str, Sequence[str]], Function] | None = None
    parameters: Callable[[Maker, Sequence[str]], numbers.Parameters] | None = None
    branching: float = 0.24
    closing: float = 0.08
    matching: float = 0.3


PLAIN = Kind()
"""A program about nothing."""


@dataclass
class Grower:
    """One program under growth."""

    random: Random
    compile: Compile
    strict: bool
    rejects: float = KEPT_REJECTS
    callees: list[Function] = field(default_factory=list)
    counter: int = 0
    spoiled: bool = False
    first_order: bool = False
    kind: Kind = PLAIN
    signatures: dict[str, FunctionType] = field(default_factory=dict)

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
            for binding in state.scope.bindings:
                type = state.values.types[binding.value]
                if not isinstance(type, Broken):
                    known[binding.name] = type
        self.signatures = {name: function.type for name, function in found.core.functions.items()}
        return found.ok, known

    # ----------------------------------------------------------------------------------------------------- growth
    def grow(
        self,
        context: Context,
        scope: Scope,
        steps: int,
        blind: bool = False,
        depth: int = 0,
        start: Sequence[Item] = (),
        types: Types | None = None,
    ) -> tuple[list[Item], Types]:
        """Items for a body, each accepted by the checker unless `blind`, and the types of all variables.

        `start` is drawn first; `types` are those of the variables that are there before, if they are known.
        """
        items: list[Item] = []
        last = scope.names[-1]
        if types is None:
            _, types = self.types(context((), last))
        for step in range(-1 if start else 0, steps):
            if self.spoiled:
                break
            drawn = list(start) if step < 0 else self.draw(context, scope, items, types, depth)
            if drawn is None:
                continue
            extended = [*items, *drawn]
            name = next((item.name for item in reversed(drawn) if isinstance(item, Let)), last)
            accepted, found = self.types(context(tuple(extended), name))
            if not accepted and not blind:
                if not self.chance(self.rejects) or depth:
                    continue
                self.spoiled = True
            items, last, types = extended, name, found
            scope.names += [item.name for item in drawn if isinstance(item, Let) and item.name in found]
            scope.dims += [name for item in drawn if accepted for name in _bound(item)]
        return items, types

    def draw(self, context: Context, scope: Scope, items: list[Item], types: Types, depth: int) -> list[Item] | None:
        """One construct, None where it has no operands."""
        view = self.view(scope, types)
        kind = self.kind
        if kind.constructs and self.chance(ABOUT):
            return self.made(view, kind.constructs)
        if depth < 2 and self.chance(kind.branching):
            return self.choice(view, context, scope, items, depth)
        if depth < 2 and self.chance(kind.closing):
            return self.closure(view, context, scope, items, depth)
        if depth < 2 and not self.first_order and self.chance(kind.matching):
            found = self.cases(view, context, scope, items, depth)
            if found is not None:
                return found
        constructs = _FIRST_ORDER if self.first_order else _CONSTRUCTS
        if not self.first_order and self.chance(USED):
            constructs = fitting(view) or constructs
        return self.made(view, constructs)

    def made(self, view: View, constructs: Sequence[Make]) -> list[Item] | None:
        """One of these constructs, None where none of a few has operands."""
        for _ in range(8):
            value = self.random.choice(constructs)(view)
            if isinstance(value, list):
                return value
            if value is not None:
                return [Let(self.fresh(), None, value)]
        return None

    def view(self, scope: Scope, types: Types) -> View:
        """What can be seen at a place: variables, and functions among them and in the file."""
        held = {name: types[name] for name in scope.names if name in types}
        functions = {f.name: self.signatures[f.name] for f in self.callees if f.name in self.signatures}
        functions |= {name: type for name, type in held.items() if isinstance(type, FunctionType)}
        return View(self, scope, held, functions)

    # --------------------------------------------------------------------------------------------------- branches
    def choice(self, view: View, context: Context, scope: Scope, items: list[Item], depth: int) -> list[Item] | None:
        """An `if` under the test of a size or under a boolean that says nothing."""
        found = view.condition()
        if found is None:
            return None
        before, condition = found.items, found.text
        name, candidates = self.fresh(), view.floats()
        if not candidates:
            return None
        before_items = [*items, *before]
        blind = found.says and self.chance(BLIND_BRANCHES)
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

        known = self.types(context((*before_items,), scope.names[-1]))[1] if before else view.types
        bodies: list[tuple[list[Item], Scope]] = []
        types: Types = {}
        for side in (True, False):
            here = inner.inner()
            start = self.demand(view, found.tested) if self.chance(0.5) else []
            filled, inside_types = self.grow(
                inside(side), here, self.random.randrange(0, 3), blind, depth + 1, start, known
            )
            bodies.append((filled, here))
            types |= inside_types
        pairs = _alike(bodies[0][1].names, bodies[1][1].names, types)
        if not pairs:
            return None
        left, right = self.random.choice(pairs[-12:])
        value = Choice(condition, Body(tuple(bodies[0][0]), left), Body(tuple(bodies[1][0]), right))
        return [*before, Let(name, None, value)]

    def cases(self, view: View, context: Context, scope: Scope, items: list[Item], depth: int) -> list[Item] | None:
        """A `match` of a list or an option, each arm grown by itself."""
        lists, options = view.structures("List"), view.structures("Option")
        scrutinee = view.pick([*lists, *options])
        plain = view.pick([*view.floats(), *view.unranked()])
        if scrutinee is None or plain is None:
            return None
        name, (head, tail) = self.fresh(), (self.fresh(), self.fresh())
        patterns = (f"Cons({head}, {tail})", "Nil") if scrutinee in lists else (f"Some({head})", "None_")
        start: list[Item] = [Let(self.fresh(), None, Text(head))]
        if scrutinee in lists:
            start.append(Let(self.fresh(), None, Text(tail)))
        bodies: list[tuple[list[Item], Scope]] = []
        types: Types = {}
        for side, begun in enumerate((start, [])):

            def inside(items_inside: tuple[Item, ...], result: str, side: int = side) -> Program:
                arms = [Body((), plain), Body((), plain)]
                arms[side] = Body(items_inside, result)
                whole = Let(name, None, Cases(scrutinee, tuple(zip(patterns, arms, strict=True))))
                return context((*items, whole), name)

            here = scope.inner()
            filled, inside_types = self.grow(inside, here, self.random.randrange(0, 3), False, depth + 1, begun)
            bodies.append((filled, here))
            types |= inside_types

        def whole(left: str, right: str) -> Let:
            arms = (Body(tuple(bodies[0][0]), left), Body(tuple(bodies[1][0]), right))
            return Let(name, None, Cases(scrutinee, tuple(zip(patterns, arms, strict=True))))

        pairs = _alike(bodies[0][1].names, bodies[1][1].names, types)
        return [whole(*self.random.choice(pairs[-12:]))] if pairs else None

    def demand(self, view: View, tested: str | None) -> list[Item]:
        """A cast of the value whose size was tested: what it demands may contradict the test."""
        if tested is None:
            return []
        return [Let(self.fresh(), None, Cast(tested, view.annotation(view.types[tested], guessed=0.4)))]

    def closure(self, view: View, context: Context, scope: Scope, items: list[Item], depth: int) -> list[Item] | None:
        """A function literal at a known type, then a call of it."""
        operand = view.pick(view.floats(1))
        if operand is None:
            return None
        name, parameter = self.fresh(), self.fresh()
        annotation = self.parameter(view.types[operand], view)
        opted = opt_outs(self, ((parameter, annotation),))
        inner = scope.inner()
        inner.names.append(parameter)
        inner.dims += [size.text for size in annotation.sizes if size.fixed]

        def inside(items_inside: tuple[Item, ...], result: str) -> Program:
            literal = Literal(((parameter, annotation),), None, Body(items_inside, result), opted)
            return context((*items, Let(name, None, literal)), view.scope.names[-1])

        filled, _ = self.grow(inside, inner, self.random.randrange(1, 3), False, depth + 1)
        last = next((item.name for item in reversed(filled) if isinstance(item, Let)), parameter)
        literal = Literal(((parameter, annotation),), None, Body(tuple(filled), last), opted)
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
    def parameters(self, name: str) -> tuple[numbers.Parameters, list[str]]:
        """The parameters of a function, and the names of dims in their types."""
        parameters, dims = Heading(self).parameters(3 if name == "@main" else 2, name != "@main")
        if self.kind.parameters is not None:
            parameters += self.kind.parameters(self, dims)
        return parameters, dims

    def function(self, name: str, steps: int) -> Function:
        """A function of its own parameters, with the functions before it to call."""
        parameters, dims = self.parameters(name)
        opted = opt_outs(self, parameters)
        clauses = (*opted, *Heading(self).clauses(dims))
        scope = Scope([parameter for parameter, _ in parameters], dims)
        shell = Function(name, parameters, None, clauses, Body((), scope.names[-1]))

        def context(items: tuple[Item, ...], result: str) -> Program:
            return Program((*self.callees, replace(shell, body=Body(items, result))))

        if not self.types(context((), scope.names[-1]))[0]:
            shell = replace(shell, clauses=opted)
        items, types = self.grow(context, scope, steps)
        return self.finished(shell, items, scope, types)

    def finished(self, shell: Function, items: list[Item], scope: Scope, types: Types) -> Function:
        """The function with a result, and sometimes a result type."""
        inner = shell.name != "@main" and self.chance(0.5)
        results = [name for name in scope.names if name in types and (inner or is_data(types[name]))]
        results = results or scope.names[:1]
        result = results[-1] if self.chance(0.7) else self.random.choice(results)
        whole = replace(shell, body=Body(tuple(items), result))
        if self.chance(0.5) and result in types:
            view = self.view(scope, types)
            typed = replace(whole, result=view.annotation(types[result], guessed=0.3))
            if self.types(Program((*self.callees, typed)))[0]:
                return typed
        return whole


def _bound(item: Item) -> list[str]:
    """The dimension names that an item brings into scope."""
    annotation = item.value.annotation if isinstance(item, Let) and isinstance(item.value, Cast) else None
    sizes = annotation.sizes if isinstance(annotation, Tensor) else ()
    return [size.text for size in sizes if size.fixed and size.text.isidentifier()]


def _alike(left: Sequence[str], right: Sequence[str], types: Types) -> list[tuple[str, str]]:
    """Pairs of variables whose types may join, the newest last."""
    ages = {name: age for names in (left, right) for age, name in enumerate(names)}
    pairs = ((a, b) for a in left for b in right if a in types and b in types and _may_join(types[a], types[b]))
    return sorted(pairs, key=lambda pair: ages[pair[0]] + ages[pair[1]])


def _may_join(left: Any, right: Any) -> bool:
    match left, right:
        case TensorType(), TensorType():
            return left.dtype is right.dtype and left.rank == right.rank
        case TensorType() | UnrankedType(), TensorType() | UnrankedType():
            return left.dtype is right.dtype
        case TupleType(fields), TupleType(others):
            return len(fields) == len(others) and all(map(_may_join, fields, others))
        case FunctionType(), FunctionType():
            return alike(left, right)
        case DataType(name, arguments), DataType(other, others):
            return name == other and all(map(_may_join, arguments, others))
        case _:
            return False
