"""Checks on the arguments of a function that is entered from outside the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradual.checker.declarations.preconditions import Clause
from gradual.checker.obligations.origins import written_at
from gradual.core.check import Blame, Check, Promise, Site
from gradual.core.terms import Param
from gradual.diagnostic import PRESUMED
from gradual.dims.term.constraint import Constraint, at_least, equal
from gradual.dims.term.dim import Dim, Variable, constant
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import bare, requirements
from gradual.types.type import DataType, GradualType, Hole, TupleType


def data_parts(types: Sequence[GradualType]) -> Iterator[DataType]:
    """The data types that occur in some types, outside functions and references."""
    for type in types:
        match type:
            case DataType():
                yield type
            case TupleType(fields):
                yield from data_parts(fields)


@record(frozen=False, eq=False)
class EntryChecks(Sequence[Check]):
    """The entry checks of a function, made on first use: most functions are never entered from outside."""

    params: tuple[Param, ...]
    solved: tuple[tuple[Variable, Dim], ...]
    demands: tuple[Clause, ...]
    literal: ast.Fn
    name: str
    _made: tuple[Check, ...] | None = None

    def _checks(self) -> tuple[Check, ...]:
        if self._made is None:
            self._made = tuple(entry_checks(self.params, dict(self.solved), self.demands, self.literal, self.name))
        return self._made

    def __getitem__(self, index: Any) -> Any:
        return self._checks()[index]

    def __len__(self) -> int:
        return len(self._checks())


def entry_checks(
    params: tuple[Param, ...], solved: dict[Variable, Dim], demands: tuple[Clause, ...], literal: ast.Fn, name: str
) -> Iterator[Check]:
    """Checks for callers from outside: sizes are as declared, bounds of `?`s and preconditions hold.  [run.entry]"""
    for index, (param, declared) in enumerate(zip(params, literal.params, strict=True)):
        for extent, size, path, axis in requirements(param.written, param.name):
            variable = None if isinstance(extent, Hole) else bare(extent)
            if variable is not None and solved.get(variable) is size:
                continue
            goals = extent.bounds(size) if isinstance(extent, Hole) else (equal(size, extent),)
            assert declared.annotation is not None
            span = written_at(declared.annotation, path.split("#")[1:], axis)
            says = f"dimension {axis} of argument {index + 1} is not the declared one"
            for goal in goals:
                yield entry_check(goal, span, says, f"argument {index + 1} of `{name}`")
    for variable, solution in solved.items():
        if bare(solution) is None:
            says = f"no size `{variable.name}` fits the arguments"
            yield entry_check(at_least(solution, constant(0)), literal.span, says, f"the arguments of `{name}`")
    for clause in demands:
        says = f"`{name}` requires `{clause.goal}`" + (PRESUMED if clause.presumed else "")
        yield entry_check(clause.goal, clause.span, says, f"the arguments of `{name}`")


def entry_check(goal: Constraint, span: Span, says: str, through: str) -> Check:
    """A check that blames the caller from outside.  [run.entry]"""
    promise = Promise(span, "the declaration")
    blame = Blame(
        "run.entry", Site.ENTRY, span, says, through, (promise,), "the caller from outside", (span,), "", goal
    )
    return Check("entry", goal, blame, span)
