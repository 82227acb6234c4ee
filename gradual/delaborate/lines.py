"""Lines of a definition for which core has no step: ascriptions that forget sizes, and those that demand a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

from gradual.core.check import Check, Site
from gradual.core.terms import Function, Module
from gradual.delaborate.demands import Demands, divisions, is_demanded, without_own
from gradual.delaborate.literals import Literals
from gradual.delaborate.types import NOWHERE, Inexpressible, Spelling, integer, shape_forgotten
from gradual.dims.term.constraint import Constraint, Equal, equal
from gradual.dims.term.dim import ContentOf, Dim, Kind, RankOf, SizeOf, Variable, constant, of_atom
from gradual.dims.term.dim import variable as existential
from gradual.limits import LIMITS
from gradual.record import record
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import within
from gradual.tensors.tensor import Tensor
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.substitution import mentioned, substituted
from gradual.types.type import GradualType, Hole, TensorType, UnrankedType
from gradual.types.unpacking import base_of, opened, size_of

_ZERO = constant(0)


@record(frozen=False, eq=False)
class Lines:
    """State and helpers for the lines of a definition.

    Attributes:
        inline: constant -> its value, written where it is used.
        opens: whether to add an unknown to the text, since checks are errors in a strict definition.
        open: whether the text has an unknown.
        doubtful: whether the text has no unknown but needs one: a check in core, or sizes of branches that may
            differ, would otherwise be an error.
        joins: the results of branches.
        uses: variable -> how often it is used.
        made: the names of values that core does not have.
        needless: ascriptions without demands.
        around: the enclosing functions, from the outside in.
        scope: the values in scope.
        numbered: the number of graph variables so far.
    """

    module: Module
    literals: Literals
    opens: bool = False
    spelling: Spelling = field(default_factory=Spelling)
    demands: Demands = field(init=False)
    inline: dict[str, Tensor] = field(default_factory=dict)
    open: bool = True
    doubtful: bool = False
    joins: set[str] = field(default_factory=set)
    uses: Counter[str] = field(default_factory=Counter)
    made: set[str] = field(default_factory=set)
    needless: set[str] = field(default_factory=set)
    around: list[Function] = field(default_factory=list)
    scope: list[str] = field(default_factory=list)
    numbered: int = 0

    def __post_init__(self) -> None:
        self.demands = Demands(module=self.module, counted=self.spelling.counted)

    def next_name(self) -> str:
        """Take the next name of a graph variable."""
        self.numbered += 1
        return f"%{self.numbered - 1}"

    def operand(self, name: str) -> ast.Expr:
        """A variable, or its literal if it is written inline."""
        return self.literals.constant(self.inline[name]) if name in self.inline else self.spelling.variable(name)

    def declared(self, type: GradualType) -> GradualType:
        """Rewrite a type for a declaration, which mentions no elements and no sizes of values of unknown rank.

        They are replaced by the size of another value in scope.  [pass.surface.declared]  Raises Inexpressible.
        """
        found = {variable: self._size_in_scope(variable) for variable in mentioned(type) if self._is_hidden(variable)}
        return substituted(type, found) if found else type

    def _is_hidden(self, variable: Variable) -> bool:
        match variable.witness:
            case None | ContentOf(_, ()):
                return False
            case SizeOf():
                return self.is_unranked(variable)
            case _:
                return True

    def is_unranked(self, variable: Variable) -> bool:
        """Whether a variable is the size of a value of unknown rank, which may lack the axis."""
        witness = variable.witness
        return isinstance(witness, SizeOf) and isinstance(self.demands.values.types.get(witness.value), UnrankedType)

    def _size_in_scope(self, variable: Variable) -> Dim:
        number = of_atom(variable)
        for name in self.scope:
            shape = self._shape(name)
            if shape is not None and number in shape.shape:
                return size_of(name, shape.shape.index(number))
        raise Inexpressible(f"a declaration that names `{variable}`")

    def forgotten(self, name: str, items: list[ast.Item]) -> str:
        """Ascribe a type without sizes to a value; return the new name."""
        return self.vaguer(name, shape_forgotten(self.demands.type_of(name)), items)

    def vaguer(self, name: str, type: GradualType, items: list[ast.Item]) -> str:
        """Ascribe a less precise type to a value for one reader; return the new name.

        If the value is an ascription with no other reader and no demands, that ascription is changed instead.
        """
        line = self.spelling.local(name).name
        alone = name in self.needless and self.uses[name] == 1
        for index, item in enumerate(items if alone else ()):
            if isinstance(item, ast.Let) and item.name is not None and item.name.name == line:
                items[index] = replace(item, annotation=self.spelling.type(without_own(type, name)))
                return name
        return self.ascribed(name, type, items)

    def ascribed(self, name: str, type: GradualType, items: list[ast.Item]) -> str:
        """Ascribe a type to a value; return the new name."""
        if type == self.demands.type_of(name):
            return name
        value = self.operand(name)
        new = self.new(self.demands.type_of(name))
        items.append(ast.Let(self.spelling.local(new), self.spelling.type(type), value, NOWHERE))
        return new

    def new(self, type: GradualType) -> str:
        """Define a value that core does not have, under a name that core cannot have."""
        number = self.next_name()
        new = f"%={number[1:]}"
        self.spelling.names[new] = number
        self.demands.hold(new, opened(type, new, lambda path, axis, hole: None)[0])
        self.made.add(new)
        return new

    def check(self, check: Check, goals: frozenset[Constraint], items: list[ast.Item]) -> None:
        """Write a check: that of an `assert` as an `assert`, any other as an ascription that demands it.

        Nothing is written for a check that `goals` or an enclosing declaration demand again.
        A check that mentions only rigid names is written all the same if the definition has no unknown: the `?` of
        the ascription makes the definition gradual, since a strict one must not have checks.
        [pass.surface.check]
        """
        open = self.open or any(variable.is_existential for variable in check.goal.variables())
        self.doubtful |= not self.open and any(base_of(variable) in self.joins for variable in check.goal.variables())
        if check.blame.site is Site.ASSERT:
            self._assert(self.spelling.predicate(check.goal), check, items)
        elif not (open and (is_demanded(check, goals) or self._is_declared(check))):
            self._demand(check.goal, items)

    def _is_declared(self, check: Check) -> bool:
        """Whether a division in an enclosing declaration demands this check of its divisor.  [dim.division]"""
        if check.blame.rule != "dim.division":
            return False
        return any(is_demanded(check, divisions(*one.type.params, one.type.result)) for one in self.around)

    def opening(self, items: list[ast.Item]) -> None:
        """Add a `?` that no size depends on: a definition with a `?` may have checks, a strict one may not."""
        self.ascribed(self._carrier(items), _vector(Hole()), items)

    def failure(self, check: Check, items: list[ast.Item]) -> None:
        """Write a check that always fails, on a forgotten size: on a known size, elaboration would refute it.

        [pass.surface.never]
        """
        found = self._bearer(check.goal)
        path, axis = found[2:] if found is not None else (self._carrier(items), 0)
        unknown = self.vaguer(path, self._without(path, axis), items)
        size = _only(size_of(unknown, axis))
        never = found[0].substitute({found[1]: of_atom(size)}) if found is not None else equal(of_atom(size), _ZERO)
        if check.blame.site is Site.ASSERT:
            self._assert(self.spelling.predicate(never), check, items)
        else:
            self._owe(unknown, axis, never, size, items)

    def _without(self, path: str, axis: int) -> GradualType:
        """The type of a value, with `?` at an axis."""
        shape = self._shape(path)
        assert shape is not None
        return TensorType((*shape.shape[:axis], Hole(), *shape.shape[axis + 1 :]), shape.dtype)

    def _bearer(self, goal: Constraint) -> tuple[Constraint, Variable, str, int] | None:
        """Find a size in a goal for which another number may meet the goal, and the value and axis whose size it is."""
        for variable in sorted(goal.variables()):
            for path, axis in self._places(variable):
                shape = self._shape(path)
                typed = self._typed(goal, variable)
                if shape is not None and axis < shape.rank and self._may_hold(typed, variable):
                    return typed, variable, path, axis
        return None

    def _typed(self, goal: Constraint, but: Variable) -> Constraint:
        """Replace all variables of a goal but one by the sizes that the types of values state."""
        said: dict[Variable, Dim] = {}
        for variable in goal.variables() - {but}:
            match variable.witness:
                case SizeOf(path, axis) if (shape := self._shape(path)) is not None and axis < shape.rank:
                    said[variable] = shape.shape[axis]
        return goal.substitute(said)

    def _places(self, variable: Variable) -> Iterator[tuple[str, int]]:
        """The values and axes that a variable is the size of."""
        match variable.witness:
            case SizeOf(path, axis):
                yield path, axis
            case None:
                for param in (param for function in reversed(self.around) for param in function.params):
                    shape = self._shape(param.name)
                    if shape is not None and of_atom(variable) in shape.shape:
                        yield param.name, shape.shape.index(of_atom(variable))

    def _may_hold(self, goal: Constraint, variable: Variable) -> bool:
        """Whether a goal may hold at some number for one of its variables."""
        size = existential("%=", Kind.EXISTENTIAL)
        with self.demands.local():
            self.demands.facts.natural((size,))
            return not self.demands.never(goal.substitute({variable: size}))

    def _assert(self, condition: ast.Expr, check: Check, items: list[ast.Item]) -> None:
        items.append(ast.Assert(condition, check.blame.says, NOWHERE))

    def _demand(self, goal: Constraint, items: list[ast.Item]) -> None:
        """Write an ascription that demands a goal, if possible of a value whose size or rank the goal mentions."""
        for variable in sorted(goal.variables()):
            match variable.witness:
                case SizeOf(value=path, axis=axis) if (shape := self._shape(path)) is not None and axis < shape.rank:
                    self._owe(path, axis, goal, variable, items)
                    return
                case RankOf(value=path) if (rank := _solved(goal, variable)) is not None and rank.value is not None:
                    type = self.demands.values.types.get(path)
                    if isinstance(type, UnrankedType) and 0 <= rank.value <= LIMITS.rank:
                        self.ascribed(path, TensorType((Hole(),) * rank.value, type.dtype), items)
                        return
        self.ascribed(self._carrier(items), _vector(_bounded(goal, None)), items)

    def _owe(self, path: str, axis: int, goal: Constraint, size: Variable, items: list[ast.Item]) -> None:
        """Write an ascription of a value that demands a goal about its size at an axis.

        A goal that divides by a size is demanded of an extra value, since the bound of a `?` cannot say that
        a divisor is at least 1.
        """
        shape = self._shape(path)
        assert shape is not None
        holes: list[Dim | Hole] = [Hole() for _ in shape.shape]
        wanted = _solved(goal, size)
        if wanted is None and self._divides(goal):
            self.ascribed(self._carrier(items), _vector(_bounded(goal, None)), items)
            return
        holes[axis] = wanted if wanted is not None else _bounded(goal, size)
        self.ascribed(path, TensorType(tuple(holes), shape.dtype), items)

    def _divides(self, goal: Constraint) -> bool:
        """Whether a goal divides by something that is no number."""
        parts = within(self.spelling.predicate(goal))
        divisions = (part for part in parts if isinstance(part, ast.Infix) and part.op in ("//", "%"))
        return any(not isinstance(part.right, ast.Number) for part in divisions)

    def _shape(self, path: str) -> TensorType[Dim] | None:
        type = self.demands.values.types.get(path)
        return type if isinstance(type, TensorType) else None

    def _carrier(self, items: list[ast.Item]) -> str:
        """Define a value of one element that can be ascribed."""
        name = self.new(_vector(constant(1)))
        shape = ast.Attribute("shape", ast.Listing((integer(1),), NOWHERE), NOWHERE)
        dtype = ast.Attribute("dtype", ast.Text("bool", NOWHERE), NOWHERE)
        zeros = ast.Call(ast.Name("zeros", NOWHERE), (), (shape, dtype), NOWHERE)
        items.append(ast.Let(self.spelling.local(name), None, zeros, NOWHERE))
        return name


def _only(dim: Dim) -> Variable:
    (variable,) = dim.variables()
    return variable


def _vector(extent: Dim | Hole) -> Any:
    return TensorType((extent,), DType.BOOL)


def _solved(goal: Constraint, variable: Variable) -> Dim | None:
    """The dim that a goal equates with a variable; None if the goal is no such equation."""
    match goal:
        case Equal(left=left, right=right) if bare(left) is variable and variable not in right.variables():
            return right
        case Equal(left=left, right=right) if bare(right) is variable and variable not in left.variables():
            return left
        case _:
            return None


def _bounded(goal: Constraint, variable: Variable | None) -> Hole:
    """A `?` whose bound is the goal, with the `?` in place of `variable` if one is given."""
    taken, name = {one.name for one in goal.variables()}, "u"
    while name in taken:
        name += "_"
    unknown = existential(name, Kind.EXISTENTIAL)
    binder = _only(unknown)
    bound = goal if variable is None else goal.substitute({variable: unknown})
    return Hole(binder=binder, bound=bound)
