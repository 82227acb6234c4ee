"""The context in which a definition is checked: a typing context with its scope, unknowns, obligations and output.

Names are removed at the end of a block; facts, shared unknowns and the set of live values are restored at the end of
a branch or a function literal, since they hold only there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from gradual.checker.program.judgements import Judgements
from gradual.checker.program.program import Program
from gradual.checker.state.facts import TracedFacts
from gradual.checker.state.obligations import Obligations
from gradual.checker.state.output import Output
from gradual.checker.state.reach import Reach
from gradual.checker.state.scope import Scoping
from gradual.checker.state.strictness import Strictness
from gradual.checker.state.unknowns import Unknowns, single
from gradual.checker.state.values import CheckedValues, Typed
from gradual.core.check import Promise
from gradual.core.context import TypingContext
from gradual.core.terms import Step
from gradual.dims.rewrite.simplify import simplified_dim
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import equal
from gradual.dims.term.dim import Dim, constant, product
from gradual.types.binder_solving import bare
from gradual.types.instantiation import is_gradual
from gradual.types.type import GradualType, Hole, OpenedType, TensorType
from gradual.types.unpacking import counted, numel_of, opened, rank_of, size_of


class Elaboration(TypingContext[Typed, TracedFacts]):
    """The state of checking one definition: what is known at the current point, and the output so far.

    A function of the checker that uses only one part, such as `obligations`, takes this part; others take the context.

    Attributes:
        program: the data shared by all definitions of the file.
        function: the name of the definition.
        judge: the mutually recursive functions of the checker, passed in to avoid an import cycle.
        scope: what each name in scope refers to.
        strictness: whether the definition is gradual, and why.
        unknowns, obligations, output, reach: see their classes.
        branch_end: the last `values.solved` for which `settled_facts` was computed, with these facts. They are reused
            if the next branch has an equal `values.solved`, as is often the case.
    """

    values: CheckedValues

    def __init__(self, program: Program, function: str, judge: Judgements[Elaboration]) -> None:
        super().__init__(program.decider, values=CheckedValues(), facts=TracedFacts())
        self.program = program
        self.function = function
        self.judge = judge
        self.scope = Scoping()
        self.strictness = Strictness(program)
        self._trail = self.values.trail
        self.unknowns = Unknowns()
        self.obligations = Obligations()
        self.output = Output()
        self.reach = Reach()
        self.branch_end: tuple[dict[Dim, Dim], Facts] | None = None
        self.values.ranges.natural = self.is_natural

    # ------------------------------------------------------------------------------------------------- branches
    @contextmanager
    def branch(self) -> Iterator[list[Step]]:
        """Collect the steps of a branch in a new list; at its end, its names, facts and live values are removed."""
        reach, output = self.reach, self.output
        outer, ended = output.steps, (reach.unreachable, reach.ended_at, reach.gradual_before)
        output.steps, reach.ended_at = [], None
        self._enter_branch(1)
        with self.local(), self.scope.block():
            yield output.steps
        self._enter_branch(-1)
        self.forget_unreached()
        output.steps = outer
        reach.unreachable, reach.ended_at, reach.gradual_before = ended

    @contextmanager
    def apart(self) -> Iterator[list[Step]]:
        """A hypothetical scope: steps checked once for all elements of a structure or for all calls of a function.

        There may be no element or call, so a run may never execute the steps.   [check.apart]
        """
        outer, self.reach.hypothetical = self.reach.hypothetical, self.facts.learnt
        with self.branch() as steps:
            yield steps
        self.reach.hypothetical = outer

    @contextmanager
    def untaken(self) -> Iterator[None]:
        """A branch that is never taken: it has no obligations, and its unknowns do not make the definition gradual.

        [type.if.taken]
        """
        gradual = self.strictness.gradual
        with self.branch(), self.reach.testing(test=True):
            self.reach.unreachable = True
            yield
        self.strictness.gradual = gradual

    def end_branch(self) -> None:
        """Mark the rest of this branch as unreachable, after a check that always fails.  [type.if.fails]"""
        if self.reach.ended_at is None:
            self.reach.ended_at, self.reach.gradual_before = len(self.output.steps), self.strictness.gradual
        self.reach.unreachable = True

    def forget_unreached(self) -> None:
        """At the end of a branch or definition, ignore unknowns of its unreachable part, which make nothing gradual."""
        if self.reach.ended_at is not None:
            self.strictness.gradual = self.reach.gradual_before

    def _enter_branch(self, by: int) -> None:
        self.reach.depth += by
        self.facts.ending = self.reach.depth > 0

    def rewritten(self, dim: Dim) -> Dim:
        """A size of a type, simplified by the facts that hold outside of branches too.

        A type is used after its branch ends. If a fact of the branch simplified a size in the type, the size would be
        replaced by one that is equal only inside the branch, and a later fact could contradict it.   [type.if.join]
        """
        facts = self.facts.lasting()
        return simplified_dim(facts.rewrite(dim), facts.known.knowledge)

    # ------------------------------------------------------------------------------------------------- unknowns
    def doubt(self, name: str, before: int) -> None:
        """Mark a value as doubtful if it was made from sizes that may differ, an error if the definition is strict.

        `before` is the number of goals that were postponed before the value was checked.
        """
        since = self.obligations.postponed[before:]
        if any(postponed.fails and postponed.goal is None for postponed in since):
            self.values.doubtful.add(name)

    def enter(
        self,
        type: GradualType,
        name: str,
        promise: Callable[[str, int | None], Promise],
        operands: tuple[str, ...] = (),
    ) -> OpenedType:
        """The type with its `?`s unpacked for the value `name`, each blamed on `promise(path, axis)`.

        Holes with the same key and the same operands become one unknown, until the branch ends in which the value that
        it is read from was defined.  [type.open]
        """
        if isinstance(type, TensorType) and type.numbers is None and not is_gradual(type):
            return cast(OpenedType, type)  # nothing to unpack
        here: dict[object, Dim] = {}
        shared = self.unknowns.shared

        def known(path: str, axis: int, hole: Hole) -> Dim | None:
            key = hole.shared_by(operands)
            if key is None:
                return None
            found = shared.get(key, here.get(key))
            here.setdefault(key, size_of(path, axis))
            return found

        inside, new = opened(type, name, known)
        for opening in new:
            (variable,) = opening.existential.variables()
            self.unknowns.existentials[variable] = promise(opening.path, opening.axis)
            for fact in opening.facts():  # a bound that mentions other sizes may hold only in this branch
                self.facts.assume(fact, learnt=len(fact.variables()) > 1)
            self._trail.put(self.unknowns.sized, opening.existential, True)
            if (key := opening.hole.shared_by(operands)) is not None:
                self._trail.put(shared, key, opening.existential)
            self.strictness.gradual = True
        if not isinstance(type, TensorType):
            self.strictness.opened(type)
        return inside

    def enter_part(
        self, type: GradualType, name: str, promise: Callable[[str, int | None], Promise], agreed: bool
    ) -> OpenedType:
        """As `enter`, for a part of a type.

        `agreed`: each `?` in the type replaces known sizes that differ, and does not make the definition gradual.
        """
        gradual, before = self.strictness.gradual, len(self.unknowns.existentials)
        inside = self.enter(type, name, promise)
        if agreed and not gradual:
            self.strictness.excuse(list(self.unknowns.existentials)[before:])
        return inside

    def rank_known(self, origin: str, rank: int) -> None:
        """Set the rank of the value `origin` and of values of its shape, until the branch ends.  [type.unranked]"""
        existentials, solved = self.unknowns.existentials, self.values.solved
        promise = existentials.get(single(rank_of(origin)))
        for size in (size_of(origin, axis) for axis in range(rank)):
            self.is_size(size)
            if promise is not None:
                existentials.setdefault(single(size), promise)
        self.facts.assume(equal(rank_of(origin), constant(rank)), learnt=True)
        self.facts.assume(counted(origin, rank), learnt=True)
        self._trail.put(solved, rank_of(origin), constant(rank))
        self._trail.put(solved, numel_of(origin), product([size_of(origin, axis) for axis in range(rank)]))
        self.values.at_rank(origin, rank)

    def is_natural(self, dim: Dim) -> bool:
        """Whether a dim is not negative by lasting facts."""
        facts = self.facts.lasting()
        low = facts.known.estimate.of(facts.rewrite(dim)).low
        return low is not None and low >= 0

    def is_size(self, dim: Dim) -> None:
        """Add the fact that a size of a live tensor is not negative; for a formula, only until the branch ends."""
        if dim.value is None and dim not in self.unknowns.sized:
            self._trail.put(self.unknowns.sized, dim, True)
            self.facts.assume(self.program.not_negative(dim), learnt=bare(dim) is None)

    def contents(self, name: str, read: bool = False) -> TensorType[Dim] | None:
        """The tensor type of an integer value of tracked length; unknown elements become symbolic.  [type.contents]"""
        before, type = self.values.types[name], self.values.contents(name, self.program.limits.contents, read)
        if type is None or type is before:
            return type
        promise = Promise(self.values.span_of(name), f"the elements of `{name}`")
        for content in type.contents or ():
            for variable in content.variables():
                self.unknowns.existentials.setdefault(variable, promise)
            if name in self.values.forgetful:
                self.strictness.forget(content.variables())
        return type

    def forget(self) -> None:
        """Free the tables that are not used after checking, such as live values and trails."""
        self.values.forget()
        self.unknowns.sized.clear()
        self.branch_end = None
        self.scope.forget()
        self._trail.clear()
