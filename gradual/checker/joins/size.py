"""Joins of sizes: the size at an axis after branches whose sizes may differ.

These are tried in turn: the size that all branches share; the size that they share once simplified under their
conditions; outside of branches of tests, an error if two are never equal; a size proved equal to the others; `ite` of
the condition; a new unknown.
[type.if.join]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, repeat
from typing import TypeVar

from gradual.checker.coercion.agreement import disagreement, forgetting
from gradual.checker.joins.branch import Branch, one_of
from gradual.checker.state.context import Elaboration
from gradual.checker.state.obligations import Postponed
from gradual.checker.state.unknowns import mentions_existential
from gradual.core.check import Promise
from gradual.diagnostic import Diagnostic
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, all_of, any_of, equal, is_total
from gradual.dims.term.dim import Dim, ite
from gradual.ops.declaration.symbolic_elements import chosen
from gradual.record import record
from gradual.source import Span
from gradual.types.type import Content, TensorType
from gradual.types.unpacking import size_of
from gradual.verdict import Unknown, Verdict

P = TypeVar("P", Dim, Content)


@record(frozen=False, eq=False)
class SizeJoin:
    """The join of the sizes and elements of branches.

    Attributes:
        truth: the condition of an `if` as a constraint; None for a `match`, or for a condition that is no constraint.
    """

    state: Elaboration
    truth: Constraint | None
    rule: str
    branches: Sequence[Branch]

    def size(self, dims: Sequence[Dim], reads: Sequence[Dim], path: str, axis: int, ranks: bool) -> Dim | None:
        """The joined size at an axis; None after reporting two that never agree.

        The simplified sizes (`reads`) may give the join, and so may a proof without path conditions; only `dims` may
        refute. If the value may be used as a shape (`ranks`: it is a vector of integers), the size may become the rank
        of another value. Then no number is chosen because of a proof: with a smaller budget the proof might not be
        found, the rank would be unknown, and a program that was accepted would be rejected.
        """
        same = self._same(dims)
        if same is not None:
            return same
        both = reads if all(map(self._visible, reads)) and not (_one(reads) and self._is_dead(self.branches)) else dims
        if not all(map(self._visible, dims)):
            return self._hidden(both, path, axis, ranks)
        if _one(both) and self._stands(both[0], dims):
            return both[0]
        apart = None if self.state.reach.tests or self._is_in_error() else self._apart(dims)
        if apart is not None:
            self.state.output.diagnostics.append(self._disagreement(*apart, axis, dims, {}))
            return None
        if self._are_one(dims) and not self._is_doubtful(dims):
            equal_ones = [dim for dim in dims if self._stands(dim, dims) and not (ranks and dim.value is not None)]
            if equal_ones:
                return equal_ones[0]
        if self.truth is None:
            kept = self._kept(dims, ranks)
            if kept is not None:
                return kept
            told = not self.state.reach.tests and not self.state.strictness.gradual and not self._is_in_error()
            if told and self._is_doubtful(dims):
                self._doubt(dims, axis)
        return self._either(both, path, axis)

    def _is_in_error(self) -> bool:
        """Whether the value of a branch is in error, so that its sizes are not compared.  [check.strict]"""
        return not self.state.values.failed.isdisjoint(branch.block.result for branch in self.branches)

    def _apart(self, dims: Sequence[Dim]) -> tuple[int, int] | None:
        """The indices of the first two sizes that are never equal; None if every two may be equal.

        Of more than two sizes it is asked first whether all may be equal at once: if so, every two may be.
        """
        decider, facts, places = self.state.program.decider, self.state.facts, tuple(_distinct(dims))
        first, *others = (dims[place] for place in places)
        if len(others) > 1 and decider.allows(facts, all_of(*(equal(first, other) for other in others))):
            return None
        return next(
            (at for at in combinations(places, 2) if decider.refutes(facts, equal(*(dims[i] for i in at)))), None
        )

    def _is_doubtful(self, dims: Sequence[Dim]) -> bool:
        """Whether two sizes are not proved equal by the facts known here."""
        proves, facts = self.state.program.decider.proves, self.state.facts
        return not all(proves(facts, equal(dims[i], dims[j])) for i, j in combinations(_distinct(dims), 2))

    def _same(self, parts: Sequence[P]) -> P | None:
        """A size or element that is visible outside and equal to that of every branch.

        Equal by the equations for ranks and sizes that became known in the branch (`Branch.settled`).
        """
        outside = filter(self._visible, parts)
        same = (one for one in outside if all(map(Branch.has, self.branches, repeat(one), parts)))
        return next((one for one in same if self._stands(one, parts)), None)

    def _stands(self, size: Content, parts: Sequence[Content]) -> bool:
        """Whether a size has a value in every branch, even in one that did not check the size's divisors."""
        if is_total(size):
            return True
        has_value = self.state.program.decider.has_value
        others = (branch for branch, part in zip(self.branches, parts, strict=True) if part is not size)
        return all(self._under_lasting(branch, lambda facts: has_value(facts, size)) for branch in others)

    def _under_lasting(self, branch: Branch, asks: Callable[[Facts], bool]) -> bool:
        """The answer of `asks` under the branch's condition and the lasting facts."""
        facts = self.state.facts.lasting()
        mark = facts.mark()
        facts.suppose(branch.given)
        answer = asks(facts)
        facts.rollback(mark)
        return answer

    def _are_one(self, dims: Sequence[Dim]) -> bool:
        """Whether all sizes are proved equal by lasting facts, so without path conditions."""
        facts, proves = self.state.facts.lasting(), self.state.program.decider.proves
        return all(proves(facts, equal(dims[0], dims[i])) for i in _distinct(dims))

    def _is_dead(self, branches: Sequence[Branch]) -> bool:
        """Whether one of the branches is never taken, so that its simplified sizes carry no information."""
        excludes, facts = self.state.program.decider.excludes, self.state.facts
        return any(excludes(facts, branch.given) for branch in branches if branch.deserted)

    def _hidden(self, dims: Sequence[Dim], path: str, axis: int, ranks: bool) -> Dim:
        """Join sizes of which some cannot be named outside, to another branch's size, an `ite`, or a new unknown."""
        kept = self._kept(dims, ranks)
        if kept is not None:
            return kept
        known = all(map(self._visible, dims))
        return self._either(dims, path, axis) if known else self._unknown(dims, path, axis, known=False)

    def _kept(self, dims: Sequence[Dim], ranks: bool) -> Dim | None:
        """A visible size that every branch is proved to have under its own condition, so that no `ite` is needed.

        [type.if.part]
        """
        for target in filter(self._visible, dims):
            if ranks and target.value is not None:
                continue
            agrees = (self._agree(branch, dim, target) for branch, dim in zip(self.branches, dims, strict=True))
            if all(agrees) and self._stands(target, dims):
                return target
        return None

    def _agree(self, branch: Branch, dim: Dim, target: Dim) -> bool:
        """Whether a branch's size is always `target`, by its condition and lasting facts."""
        if dim is target or self._is_dead([branch]):
            return True
        proves, sizes = self.state.program.decider.proves, one_of(self.state, dim)
        return self._under_lasting(branch, lambda facts: all(proves(facts, equal(one, target)) for one in sizes))

    def _under(self, branches: Sequence[Branch], goal: Constraint) -> Verdict:
        """The verdict on a goal under the conditions of some branches."""
        facts, decider = self.state.facts, self.state.program.decider
        mark = facts.mark()
        for branch in branches:
            decider.suppose(facts, branch.given)
        verdict = decider.decide(facts, goal)
        facts.rollback(mark)
        return verdict

    def _doubt(self, dims: Sequence[Dim], axis: int) -> None:
        """Record an error about the first two sizes that may differ; it is reported if the definition is strict."""
        for i, j in combinations(_distinct(dims), 2):
            goal = equal(dims[i], dims[j])
            if mentions_existential(goal):
                continue
            verdict = self._under([self.branches[i], self.branches[j]], goal)
            if isinstance(verdict, Unknown) and verdict.witness:
                error = self._disagreement(i, j, axis, dims, verdict.witness)
                plain = Unknown("the condition says nothing about sizes", verdict.witness)
                follows = self.state.reach.after_error
                self.state.obligations.postponed.append(Postponed(plain, error, rigid=False, follows=follows))
                return

    def _either(self, both: Sequence[Dim], path: str, axis: int) -> Dim:
        """The `ite` of the sizes if the condition is a constraint, else a new unknown."""
        state = self.state
        if self.truth is None:
            return self._unknown(both, path, axis, known=True)
        joined = state.rewritten(ite(self.truth, *both))
        state.is_size(joined)
        state.strictness.owes(joined)
        return joined

    def _visible(self, dim: Dim | Constraint) -> bool:
        return all(map(self.state.values.is_visible, dim.variables()))

    def _unknown(self, dims: Sequence[Dim], path: str, axis: int, *, known: bool) -> Dim:
        """A new unknown for the size of the branch taken; `known` if all sizes of the branches can be named outside."""
        state, existential = self.state, size_of(path, axis)
        (variable,) = existential.variables()
        state.unknowns.existentials[variable] = Promise(
            self.branches[0].span.to(self.branches[-1].span), "the branch that was taken"
        )
        state.is_size(existential)
        if known:
            state.unknowns.alternatives[variable] = tuple(dict.fromkeys(dims))
            state.facts.assume(any_of(*(equal(existential, dim) for dim in dict.fromkeys(dims))))
        if known or not any(map(state.strictness.mentions_unknown, dims)):
            state.strictness.joins.add(variable)
        else:
            state.strictness.gradual = True
        return existential

    def element(self, contents: Sequence[Content]) -> Content | None:
        """The element that all branches share, else the `ite` of the condition.

        None if the condition is no constraint, or if an element cannot be named outside of its branch.
        """
        same = self._same(contents)
        if same is not None:
            return same
        return chosen(self.truth, *contents) if self.truth is not None and all(map(self._visible, contents)) else None

    def spans(self, i: int, j: int) -> tuple[Span, Span]:
        """The source spans of two branches."""
        return self.branches[i].span, self.branches[j].span

    def _disagreement(self, i: int, j: int, axis: int, dims: Sequence[Dim], witness: Mapping[str, int]) -> Diagnostic:
        one, other = self.branches[i].type, self.branches[j].type
        forgets = forgetting(one, other) if isinstance(one, TensorType) and isinstance(other, TensorType) else ""
        return disagreement(self.rule, "the branches", self.spans(i, j), axis, dims[i], dims[j], witness, forgets)


def _one(dims: Sequence[Dim]) -> bool:
    return all(dim is dims[0] for dim in dims)


def _distinct(dims: Sequence[Dim]) -> Iterator[int]:
    """The index of the first occurrence of each size."""
    seen: set[Dim] = set()
    for index, dim in enumerate(dims):
        if dim not in seen:
            seen.add(dim)
            yield index
