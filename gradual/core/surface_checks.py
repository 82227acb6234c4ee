"""The lines of one definition that stand for no step: ascriptions that forget, and those that owe a check."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gradual.core.surface_demands import Demands, is_demanded
from gradual.core.surface_literals import Literals
from gradual.core.surface_types import NOWHERE, Spelling, integer, local, shape_forgotten
from gradual.core.terms import Check, Module, Site
from gradual.dims.constraint import Constraint, Equal, equal
from gradual.dims.dim import Dim, Kind, RankOf, SizeOf, Variable, constant
from gradual.dims.dim import variable as ghost
from gradual.limits import LIMITS
from gradual.syntax import ast
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.measuring import bare
from gradual.types.opening import size_of
from gradual.types.type import GradualType, Hole, TensorType, UnrankedType


@dataclass(slots=True, eq=False)
class Lines:
    """What every line of a definition needs.

    Attributes:
        inline: the constants that stand where they are used.
        open: whether the text has an unknown.
        numbered: how many graph variables there are.
    """

    module: Module
    literals: Literals
    spelling: Spelling = field(default_factory=Spelling)
    demands: Demands = field(init=False)
    inline: dict[str, Tensor] = field(default_factory=dict)
    open: bool = True
    numbered: int = 0

    def __post_init__(self) -> None:
        self.demands = Demands(self.module)

    def next_name(self) -> str:
        """The name of the next graph variable."""
        self.numbered += 1
        return f"%{self.numbered - 1}"

    def operand(self, name: str) -> ast.Expr:
        """A value, or the literal that it is where it is used once."""
        return self.literals.constant(self.inline[name]) if name in self.inline else self.spelling.variable(name)

    def forgotten(self, name: str, items: list[ast.Item]) -> str:
        """The value at a type that says nothing of its sizes: its new name."""
        return self.ascribed(name, shape_forgotten(self.demands.type_of(name)), items)

    def ascribed(self, name: str, type: GradualType, items: list[ast.Item]) -> str:
        """The value at a type: its new name."""
        if type == self.demands.type_of(name):
            return name
        new = self.next_name()
        items.append(ast.Let(local(new), self.spelling.type(type), self.operand(name), NOWHERE))
        self.demands.types[new] = self.demands.type_of(name)
        return new

    def check(self, check: Check, goals: frozenset[Constraint], items: list[ast.Item]) -> None:
        """Nothing where what follows demands it again, else the assertion or an ascription that demands it.

        A check that speaks of rigid names only needs an unknown beside it, for in a strict definition it is an error.
        [pass.surface.check]
        """
        open = self.open or any(variable.is_ghost for variable in check.goal.variables())
        if check.blame.site is Site.ASSERT:
            self._assert(self.spelling.predicate(check.goal), check, items)
        elif not (open and is_demanded(check, goals)):
            self._demand(check.goal, items)

    def failure(self, check: Check, items: list[ast.Item]) -> None:
        """A check that fails at every run, of a size that is forgotten: what never holds would be refuted.

        [pass.surface.never]
        """
        unknown = self.ascribed(self._carrier(items), _vector(Hole()), items)
        if check.blame.site is Site.ASSERT:
            self._assert(self.spelling.predicate(equal(size_of(unknown, 0), constant(0))), check, items)
        else:
            self.ascribed(unknown, _vector(constant(0)), items)

    def _assert(self, condition: ast.Expr, check: Check, items: list[ast.Item]) -> None:
        items.append(ast.Assert(condition, check.blame.says, NOWHERE))

    def _demand(self, goal: Constraint, items: list[ast.Item]) -> None:
        """An ascription that owes a goal, of a value whose size or rank the goal speaks of if there is one."""
        for variable in sorted(goal.variables()):
            match variable.witness:
                case SizeOf(value=path, axis=axis) if (shape := self._shape(path)) is not None:
                    holes: list[Dim | Hole] = [Hole() for _ in shape.shape]
                    wanted = _solved(goal, variable)
                    holes[axis] = wanted if wanted is not None else _bounded(goal, variable)
                    self.ascribed(path, TensorType(tuple(holes), shape.dtype), items)
                    return
                case RankOf(value=path) if (rank := _solved(goal, variable)) is not None and rank.value is not None:
                    type = self.demands.types.get(path)
                    if isinstance(type, UnrankedType) and 0 <= rank.value <= LIMITS.rank:
                        self.ascribed(path, TensorType((Hole(),) * rank.value, type.dtype), items)
                        return
        self.ascribed(self._carrier(items), _vector(_bounded(goal, None)), items)

    def _shape(self, path: str) -> TensorType[Dim] | None:
        type = self.demands.types.get(path)
        return type if isinstance(type, TensorType) else None

    def _carrier(self, items: list[ast.Item]) -> str:
        """A value of one element, to bear an ascription."""
        name = self.next_name()
        shape = ast.Attribute("shape", ast.Listing((integer(1),), NOWHERE), NOWHERE)
        dtype = ast.Attribute("dtype", ast.Text("bool", NOWHERE), NOWHERE)
        zeros = ast.Call(ast.Name("zeros", NOWHERE), (), (shape, dtype), NOWHERE)
        items.append(ast.Let(local(name), None, zeros, NOWHERE))
        self.demands.types[name] = _vector(constant(1))
        return name


def _vector(extent: Dim | Hole) -> Any:
    return TensorType((extent,), DType.BOOL)


def _solved(goal: Constraint, variable: Variable) -> Dim | None:
    """What a goal says that a variable is, if it says just that."""
    match goal:
        case Equal(left=left, right=right) if bare(left) is variable and variable not in right.variables():
            return right
        case Equal(left=left, right=right) if bare(right) is variable and variable not in left.variables():
            return left
        case _:
            return None


def _bounded(goal: Constraint, variable: Variable | None) -> Hole:
    """An unknown that is bounded by what a goal says, of a variable or of whatever it speaks of."""
    taken, name = {one.name for one in goal.variables()}, "u"
    while name in taken:
        name += "_"
    unknown = ghost(name, Kind.GHOST)
    (binder,) = unknown.variables()
    bound = goal if variable is None else goal.substitute({variable: unknown})
    return Hole(binder=binder, bound=bound)
