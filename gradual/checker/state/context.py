"""One definition while it is written from surface to core: what is in scope, known, owed and already emitted.

`Elaboration` and what it holds are what changes in the checker.  Names are undone at the end of a block; facts,
shared unknowns and the set of live values are undone at the end of a branch or a function literal, since what was
learnt there holds only there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from gradual.checker.state.elided import Template
from gradual.checker.state.facts import Learning
from gradual.checker.state.judgements import Judgements
from gradual.checker.state.program import Latent, Program
from gradual.checker.state.scope import Scoping
from gradual.checker.state.strictness import Strictness
from gradual.checker.state.trail import Trail
from gradual.core.refinement import Implied, of_value
from gradual.core.terms import Check, Conversion, Promise, Step
from gradual.diagnostic import Diagnostic, Help, Related, Severity
from gradual.dims.rewrite.simplify import simplified_dim
from gradual.dims.store.facts import Cone, Facts
from gradual.dims.term.constraint import Constraint, equal
from gradual.dims.term.dim import Dim, Variable, constant, product
from gradual.ops.declaration.rank_cases import at_size
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.instantiation import is_gradual
from gradual.types.type import (
    DataType,
    GradualType,
    Hole,
    OpenedType,
    TensorType,
)
from gradual.types.unpacking import (
    all_at_rank,
    base_of,
    counted,
    numel_of,
    opened,
    rank_of,
    shapes_unknown,
    size_of,
    tracked_length,
    with_contents,
)
from gradual.verdict import Refuted, Unknown


@dataclass(frozen=True, slots=True)
class Broken:
    """The type of an expression that was already reported; whatever uses it stays silent."""


BROKEN = Broken()
Typed = OpenedType | Broken


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A value whose type somebody wrote."""

    annotation: ast.Type


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A value that an operator or a call made from others."""

    by: str
    operands: tuple[str, ...]
    span: Span


Origin = Written | Made


@dataclass(frozen=True, slots=True, eq=False)
class Postponed:
    """A goal that was not proved: an error after all if the definition turns out strict.

    Attributes:
        error: what is told if the definition is strict.
        goal: the goal, which is known from there on; None for sizes that disagree, of which nothing is known.
        check: the check that it is otherwise.
        follows: whether it only follows from an error that is told already.
        everywhere: whether every way through the definition meets it.
        never: what is told in a gradual definition, where the goal fails for all sizes that pass the checks before.
    """

    verdict: Unknown | Refuted
    error: Diagnostic
    rigid: bool
    goal: Constraint | None = None
    check: Check | None = None
    follows: bool = False
    never: Diagnostic | None = None
    everywhere: bool = False

    @property
    def fails(self) -> bool:
        """Whether a valuation is known at which the goal fails."""
        return isinstance(self.verdict, Refuted) or fails(self.verdict)


def fails(verdict: Unknown) -> bool:
    """Whether a valuation is known at which a goal fails that is not proved."""
    return bool(verdict.witness) and not verdict.gave_up


class Elaboration:
    """The state of one definition's elaboration.

    Attributes:
        judge: the judgements that stand behind the one that calls them.
        scope: what names mean here.
        strictness: what made the definition gradual.
        facts: what is known here.
        types: the opened type of every core variable, in scope or not.
        unranked: the values whose types mention `*`, by the origin of their shapes.
        settled: the ranks and sizes that became known in this branch, and what types say for them.
        said: those that a branch had at its end, as facts of their own; many branches have the same.
        live: core variables whose values exist here.
        steps: the block being written.
        ghosts: who left each unknown open.
        behind: the size that an annotation's `?` forgot; never used in a verdict.
        either: of some of these, the sizes that they are one of.
        conversions: those of data being written, by the types between which they go.
        forgetful: integer values whose elements were too large to be kept.
        shared: unknowns that depend on data, by what they depend on.
        implications: what booleans imply whose contents are no formulas.
        templates: function literals that wait for what their parameters are; they have no type.
        decided: what the condition of a test always is, by where the `if` stands; None where it is not always the
            same.  [type.if.taken]
        failed: values that an error was reported about, and what was made from them.
        doubtful: values that are in error if the definition is strict, and what was made from them.
        deferred: errors about doubtful values: reported unless the definition is strict.
        latent: what callees will check of this definition's parameters.  [type.call.latent]
        cones: what was known about the goal of each check.
        inside: how many branches and function literals are around, within the definition's body.
        astray: whether a condition around was reported, so that it is not known which sizes come here.
        tested: how many branches of tests are around.  [type.if.test]
        over: whether no run comes here: what is owed here is owed by nobody, and only names, structure and element
            types are told.  [type.if.fails]
        cut: in a branch where a check always fails, how many steps there are up to it.
        certain: whether the definition was gradual there; what is unknown where no run comes makes nothing gradual.
        before: inside a field or a call that may never be, how many goals were learnt outside.
    """

    def __init__(self, program: Program, function: str, judge: Judgements[Elaboration]) -> None:
        self.program = program
        self.judge = judge
        self.function = function
        self.scope = Scoping()
        self.strictness = Strictness(program)
        self.facts = Learning()
        self.types: dict[str, Typed] = {}
        self.unranked: dict[str, list[str]] = {}
        self.settled: dict[Dim, Dim] = {}
        self.said: tuple[dict[Dim, Dim], Facts] | None = None
        self.origins: dict[str, Origin] = {}
        self.live: dict[str, bool] = {}
        self.forgetful: set[str] = set()
        self.shared: dict[object, Dim] = {}
        self.implications: dict[str, Implied] = {}
        self.sized: dict[Dim, bool] = {}
        self.ghosts: dict[Variable, Promise] = {}
        self.rigids: dict[Variable, Span] = {}
        self.steps: list[Step] = []
        self.diagnostics: list[Diagnostic] = []
        self.postponed: list[Postponed] = []
        self.checks: list[Check] = []
        self.latent: list[Latent] = []
        self.cones: dict[Check, Cone] = {}
        self.failed: set[str] = set()
        self.templates: dict[str, Template] = {}
        self.written_out = 0
        self.decided: dict[Span, bool | None] = {}
        self.doubtful: set[str] = set()
        self.deferred: list[Diagnostic] = []
        self.behind: dict[Variable, Dim] = {}
        self.either: dict[Variable, tuple[Dim, ...]] = {}
        self.conversions: dict[tuple[DataType, DataType], Conversion] = {}
        self.inside = -1
        self.astray = False
        self.tested = 0
        self.over = False
        self.cut: int | None = None
        self.certain = False
        self.before: int | None = None
        self.proved = 0
        self._taken: dict[str, int] = {}
        self._trail = Trail()

    # ------------------------------------------------------------------------------------------------- scopes
    @contextmanager
    def branch(self) -> Iterator[list[Step]]:
        """Steps written inside go to a list of their own; names, facts and live values end with it."""
        mark, facts, outer = self._trail.mark(), self.facts.mark(), self.steps
        over, cut, certain = self.over, self.cut, self.certain
        self.steps, self.cut = [], None
        self._enter_branch(1)
        with self.scope.block():
            yield self.steps
        self._enter_branch(-1)
        self._forget_unreached()
        self.steps, self.over, self.cut, self.certain = outer, over, cut, certain
        self._trail.undo(mark)
        self.facts.rollback(facts)

    @contextmanager
    def apart(self) -> Iterator[list[Step]]:
        """A branch for what stands for all fields of a structure or all calls of a function; there may be none.

        [check.apart]
        """
        outer, self.before = self.before, self.facts.learnt
        with self.branch() as steps:
            yield steps
        self.before = outer

    @contextmanager
    def beside(self, *, reported: bool) -> Iterator[None]:
        """Branches whose condition may have been `reported`: what some sizes owe there only follows."""
        outer, self.astray = self.astray, self.astray or reported
        yield
        self.astray = outer

    @contextmanager
    def testing(self, *, test: bool) -> Iterator[None]:
        """What stands under a test: no goal and no join about sizes refuses it.  [type.if.test]"""
        self.tested += test
        yield
        self.tested -= test

    @contextmanager
    def untaken(self) -> Iterator[None]:
        """A branch that is never taken: it owes nothing, and what is unknown in it makes nothing gradual.

        [type.if.taken]
        """
        gradual = self.strictness.gradual
        with self.branch(), self.testing(test=True):
            self.over = True
            yield
        self.strictness.gradual = gradual

    def end_branch(self) -> None:
        """A check always fails here: no run comes further in this branch.  [type.if.fails]"""
        if self.cut is None:
            self.cut, self.certain = len(self.steps), self.strictness.gradual
        self.over = True

    def _forget_unreached(self) -> None:
        """At the end of a branch: what is unknown behind a check that always fails makes nothing gradual."""
        if self.cut is not None:
            self.strictness.gradual = self.certain

    def _enter_branch(self, by: int) -> None:
        self.inside += by
        self.facts.ending = self.inside > 0

    def rewritten(self, dim: Dim) -> Dim:
        """A size as it is kept in a type: simplified by what is known and does not end with a branch.

        A type outlives the branch, and how a size is written must not depend on what was only known there: of two
        sizes that were equal inside, one would be taken for the other, and be refuted by what is learnt of it later.
        [type.if.join]
        """
        facts = self.facts.lasting()
        return simplified_dim(facts.rewrite(dim), facts.known.knowledge)

    def fresh(self, spelling: str | None) -> str:
        """A core variable that no other value of this definition has, close to its spelling."""
        base = spelling or "%_"
        taken = self._taken
        if spelling is not None and base not in taken:
            taken[base] = 0
            return base
        joint = "_" if spelling is not None else ""
        while True:
            taken[base] = number = taken.get(base, 0) + 1
            name = f"{base}{joint}{number}"
            if name not in taken:
                taken[name] = 0
                return name

    # ------------------------------------------------------------------------------------------------- values
    def define(self, name: str, type: Typed, origin: Origin | None = None) -> str:
        """The core variable with its type, live from here on."""
        self.types[name] = type
        self._trail.put(self.live, name, True)
        if not isinstance(type, Broken | TensorType):
            for shape in shapes_unknown(type):
                self.unranked.setdefault(shape, []).append(name)
        if origin is not None:
            self.origins[name] = origin
        if isinstance(origin, Made) and (self.failed or self.doubtful):
            sources = {operand.split("#", 1)[0] for operand in origin.operands}
            for table in (self.failed, self.doubtful):
                if not table.isdisjoint(sources):
                    table.add(name)
        return name

    def doubt(self, name: str, owed: int) -> None:
        """A value is in error, if the definition is strict, where sizes that were found since for it disagree."""
        if any(postponed.fails and postponed.goal is None for postponed in self.postponed[owed:]):
            self.doubtful.add(name)

    def enter(
        self,
        type: GradualType,
        name: str,
        promise: Callable[[str, int | None], Promise],
        operands: tuple[str, ...] = (),
    ) -> OpenedType:
        """The type with its `?`s opened for the value `name`, each blamed on `promise(path, axis)`.

        Holes of one key over the same operands are one unknown, as long as its witness is live.  [type.open]
        """
        if isinstance(type, TensorType) and type.numbers is None and not is_gradual(type):
            return cast(OpenedType, type)  # nothing is to be opened
        here: dict[object, Dim] = {}

        def known(path: str, axis: int, hole: Hole) -> Dim | None:
            if not hole.key:
                return None
            key = _key(hole, operands)
            found = self.shared.get(key, here.get(key))
            here.setdefault(key, size_of(path, axis))
            return found

        inside, new = opened(type, name, known)
        for opening in new:
            (variable,) = opening.ghost.variables()
            self.ghosts[variable] = promise(opening.path, opening.axis)
            for fact in opening.facts():  # what one says of other sizes may be so where it was checked only
                self.facts.assume(fact, learnt=len(fact.variables()) > 1)
            self._trail.put(self.sized, opening.ghost, True)
            if opening.hole.key:
                self._trail.put(self.shared, _key(opening.hole, operands), opening.ghost)
            self.strictness.gradual = True
        if not isinstance(type, TensorType):
            self.strictness.opened(type)
        return inside

    def enter_part(
        self, type: GradualType, name: str, promise: Callable[[str, int | None], Promise], agreed: bool
    ) -> OpenedType:
        """As `enter`, for a part of a type; if that was only `agreed` on, what is unknown makes nothing gradual."""
        gradual, before = self.strictness.gradual, len(self.ghosts)
        inside = self.enter(type, name, promise)
        if agreed and not gradual:
            self.strictness.excuse(list(self.ghosts)[before:])
        return inside

    def rank_known(self, origin: str, rank: int) -> None:
        """From here on in this branch, the shapes of this origin have a known rank.  [type.unranked]"""
        promise = self.ghosts.get(single(rank_of(origin)))
        for size in (size_of(origin, axis) for axis in range(rank)):
            self.is_size(size)
            if promise is not None:
                self.ghosts.setdefault(single(size), promise)
        self.facts.assume(equal(rank_of(origin), constant(rank)), learnt=True)
        self.facts.assume(counted(origin, rank), learnt=True)
        self._trail.put(self.settled, rank_of(origin), constant(rank))
        self._trail.put(self.settled, numel_of(origin), product([size_of(origin, axis) for axis in range(rank)]))
        held = {name: self.types[name] for name in self.unranked.get(origin, ())}
        known = {name: type for name, type in held.items() if not isinstance(type, Broken)}
        for name, type in all_at_rank(known, origin, rank).items():
            self._trail.put(self.types, name, type)

    def size_known(self, name: str, size: Dim, number: int) -> None:
        """From here on in this branch, the value's type says a number for a size."""
        self._trail.put(self.types, name, at_size(self.opened(name), size, number))
        self._trail.put(self.settled, size, constant(number))

    def broken(self) -> str:
        """A value that was already reported."""
        return self.define(self.fresh(None), BROKEN)

    def opened(self, name: str) -> OpenedType:
        """The type of a value that was not reported."""
        type = self.types[name]
        assert not isinstance(type, Broken), name
        return type

    def is_size(self, dim: Dim) -> None:
        """The dim is the size of a live tensor, hence not negative; a formula may be so where it was checked only."""
        if dim.value is None and dim not in self.sized:
            self._trail.put(self.sized, dim, True)
            self.facts.assume(self.program.not_negative(dim), learnt=bare(dim) is None)

    def contents(self, name: str, read: bool = False) -> TensorType[Dim] | None:
        """The tensor type of an integer value of tracked length, its unknown elements opened.  [type.contents]"""
        type = self.types[name]
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL:
            return None
        if type.contents is None:
            if tracked_length(type, self.program.limits.contents, read) is None:
                return None
            type = with_contents(type, name)
            self.types[name] = type
            promise = Promise(self.span_of(name), f"the elements of `{name}`")
            for content in type.contents or ():
                for variable in content.variables():
                    self.ghosts.setdefault(variable, promise)
                if name in self.forgetful:
                    self.strictness.forget(content.variables())
        return type

    def implied(self, name: str) -> Implied:
        """What a boolean says of sizes.  [type.if.part]"""
        return of_value(self.implications, name, self.types[name])

    def is_visible(self, variable: Variable) -> bool:
        """Whether the variable's witness exists here; a rigid name is visible wherever it is in scope."""
        base = base_of(variable)
        return base is None or base in self.live

    def remembered(self, goal: Constraint) -> Constraint:
        """The goal with what annotations forgot put back."""
        for _ in range(len(self.behind)):
            if goal.variables().isdisjoint(self.behind):
                break
            goal = goal.substitute(self.behind)
        return goal

    def span_of(self, name: str) -> Span:
        """Where a value was made or its type written."""
        match self.origins.get(name):
            case Written(annotation):
                return annotation.span
            case Made(span=span):
                return span
            case None:
                return Span(0, 0)

    def forget(self) -> None:
        """Let go of what nothing asks once the file is checked: what is live, where values came from, the way back."""
        for table in (self.live, self.sized, self.origins, self._taken):
            table.clear()
        self.said = None
        self.scope.forget()
        self._trail.clear()

    # --------------------------------------------------------------------------------------------- diagnostics
    def report(
        self,
        code: str,
        rule: str,
        message: str,
        span: Span,
        *,
        label: str = "",
        severity: Severity = Severity.ERROR,
        related: tuple[Related, ...] = (),
        notes: tuple[str, ...] = (),
        help: tuple[Help, ...] = (),
        data: Mapping[str, object] | None = None,
    ) -> Diagnostic:
        """Add a diagnostic to the definition's list."""
        found = Diagnostic(code, rule, message, span, severity, label, related, notes, help, data or {})
        self.diagnostics.append(found)
        return found


def single(dim: Dim) -> Variable:
    """The one variable of a ghost."""
    (variable,) = dim.variables()
    return variable


def mentions_ghost(goal: Dim | Constraint) -> bool:
    """Whether an unknown takes part."""
    return any(variable.is_ghost for variable in goal.variables())


def _key(hole: Hole, operands: tuple[str, ...]) -> object:
    """What an unknown depends on: its operator's label and the operands by identity."""
    assert hole.key is not None
    label, indices = hole.key
    return label, tuple(operands[index] for index in indices)
