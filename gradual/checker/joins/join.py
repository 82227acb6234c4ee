"""Joins of the types of branches, without inserting a check.

The join of sizes keeps them where they are equal, is an error where two of them never are, is the closed dim
`if p then d1 else d2` where the condition of an `if` can be read as a predicate, and otherwise a new unknown that is
one of them.  Functions, data and references cannot be measured: the value of each branch flows into a type on which
all of them agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, repeat
from typing import TypeGuard, TypeVar

from gradual.checker.coercion.agreement import Agreement, disagreement, forgetting
from gradual.checker.coercion.flow import flow
from gradual.checker.joins.branch import Branch, one_of
from gradual.checker.program.place import Place
from gradual.checker.state.context import TypingContext
from gradual.checker.state.obligations import Postponed
from gradual.checker.state.unknowns import mentions_ghost
from gradual.checker.state.values import BROKEN, Broken, Typed
from gradual.core.terms import Block, Promise, Site
from gradual.diagnostic import Diagnostic, Related
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint, all_of, any_of, at_least, equal, is_total
from gradual.dims.term.dim import ContentOf, Dim, SizeOf, Variable, constant, ite, of_atom
from gradual.ops.declaration.symbolic_elements import chosen
from gradual.source import Span
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.type import (
    Content,
    DataType,
    FunctionType,
    GradualType,
    NeverType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    UnrankedType,
)
from gradual.types.unpacking import closed, part_at, size_of
from gradual.verdict import Unknown, Verdict

P = TypeVar("P", Dim, Content)


def joined(
    state: TypingContext, name: str, truth: Constraint | None, branches: Sequence[Branch], rule: str
) -> tuple[OpenedType, list[Branch]] | None:
    """The joined type, and the branches with their values at it; None where one was reported or they never agree.

    [type.if.join] [type.match.join]
    """
    types = [branch.type for branch in branches if not isinstance(branch.type, Broken)]
    reads = [branch.read for branch in branches if branch.read is not None]
    if len(types) < len(branches):
        return None
    join = Join(state, truth, rule, branches)
    type = join.type(types, reads, name)
    if isinstance(type, Broken):
        return None
    if not join.agreed:
        return type, list(branches)
    landed = [_landed(state, branch, join.target(own, name), rule) for branch, own in zip(branches, types, strict=True)]
    known = [branch for branch in landed if branch is not None]
    return (type, known) if len(known) == len(landed) else None


def _landed(state: TypingContext, branch: Branch, target: GradualType, rule: str) -> Branch | None:
    """The branch with its value at the type on which all agree: functions wrapped, data converted.

    The facts of the branch are over, and none is needed: every size of the type is one that all agree on, or `?`.
    """
    with state.branch() as steps:
        place = Place(branch.span, Site.RESULT, rule, "the branch", f"the branch, in `{state.function}`")
        result = flow(state, branch.block.result, target, place)
    if result is None:
        return None
    return replace(branch, block=Block((*branch.block.steps, *steps), result))


@dataclass(slots=True, eq=False)
class Join:
    """Joining the types of branches, after all are closed.  [type.if.join]

    Attributes:
        truth: what the condition of an `if` says; None for a `match`.
        agreed: the types on which values that cannot be measured agreed, by path.
    """

    state: TypingContext
    truth: Constraint | None
    rule: str
    branches: Sequence[Branch]
    agreed: dict[str, GradualType] = field(default_factory=dict)

    def type(self, types: Sequence[OpenedType], reads: Sequence[OpenedType], path: str) -> Typed:
        """The joined type of the value at `path`, BROKEN after reporting branches that never agree."""
        shown_here = [(t, r, i) for i, (t, r) in enumerate(zip(types, reads, strict=True)) if not _is_never(t)]
        if len(shown_here) < len(types):
            return self._of_some(types, shown_here, path)
        tensors = [type for type in types if isinstance(type, TensorType)]
        if len(tensors) == len(types):
            return self._tensor(tensors, [read for read in reads if isinstance(read, TensorType)], path)
        if all(isinstance(type, TensorType | UnrankedType) for type in types):
            return self._unranked(types, path)
        if all(isinstance(type, TupleType) for type in types):
            return self._tuple(types, reads, path)
        return self._agreed(types, path)

    def _of_some(
        self, types: Sequence[OpenedType], some: Sequence[tuple[OpenedType, OpenedType, int]], path: str
    ) -> Typed:
        """A branch that never ends in a value says nothing of the others."""
        if not some:
            return types[0]
        branches = [self.branches[i] for _, _, i in some]
        inner = Join(self.state, None, self.rule, branches, self.agreed)
        return inner.type([type for type, _, _ in some], [read for _, read, _ in some], path)

    def _tuple(self, types: Sequence[OpenedType], reads: Sequence[OpenedType], path: str) -> Typed:
        every = [type.fields for type in types if isinstance(type, TupleType)]
        inside = [read.fields for read in reads if isinstance(read, TupleType)]
        other = next((i for i, fields in enumerate(every) if len(fields) != len(every[0])), None)
        if other is not None:
            return self._never("E0307", "type.structure", f"`{shown(types[0])}` and `{shown(types[other])}`", 0, other)
        parts = [
            self.type([fields[i] for fields in every], [fields[i] for fields in inside], f"{path}#{i}")
            for i in range(len(every[0]))
        ]
        known = tuple(part for part in parts if not isinstance(part, Broken))
        return TupleType(known) if len(known) == len(parts) else BROKEN

    # ------------------------------------------------------------------------------------- what cannot be measured
    def _agreed(self, types: Sequence[OpenedType], path: str) -> Typed:
        """Functions, data, references and type parameters: one type that all of them can have.  [type.agree]"""
        seen = [closed(type, self._is_there) for type in types]
        whole = seen[0]
        for index, type in enumerate(seen[1:], 1):
            spans = self.branches[0].span, self.branches[index].span
            agreement = Agreement(self.state, self.rule, "the branches", spans)
            both = agreement.join(whole, type)
            if both is None:
                if not agreement.reported:
                    rule = "type.structure" if _class(whole) is not _class(type) else self.rule
                    self._never("E0307", rule, f"`{shown(whole)}` and `{shown(type)}`", 0, index)
                return BROKEN
            whole = both
        self.state.strictness.agree(whole)
        if any(type != whole for type in types):
            self.agreed[path] = whole
        return whole  # type: ignore[return-value]  # no tensor: nothing in it is opened or a hole of its own

    def _is_there(self, variable: Variable) -> bool:
        """Whether a variable has a value whichever branch is taken: an axis or element that one demanded need not be.

        [type.if.join]
        """
        state = self.state
        if not state.values.is_visible(variable):
            return False
        match variable.witness:
            case SizeOf(path) if isinstance(part_at(state.values.types, path), UnrankedType):
                return of_atom(variable) in state.unknowns.sized
            case ContentOf(path, index):
                return self._has_element(part_at(state.values.types, path), index)
            case _:
                return True

    def _has_element(self, type: object, index: tuple[int, ...]) -> bool:
        """Whether a value of a type has an element, by what does not end with a branch."""
        if not isinstance(type, TensorType) or type.rank != len(index):
            return False
        goals = (at_least(size, constant(at + 1)) for size, at in zip(type.shape, index, strict=True))
        proves, facts = self.state.program.decider.proves, self.state.facts.lasting()
        return all(goal is TRUE or proves(facts, goal) for goal in goals)

    def target(self, own: OpenedType, path: str) -> GradualType:
        """The type into which a branch's value flows: what was agreed on, and its own for the rest."""
        if path in self.agreed:
            return self.agreed[path]
        match own:
            case TupleType(fields):
                return TupleType(tuple(self.target(field, f"{path}#{i}") for i, field in enumerate(fields)))
            case _:
                return own

    def _unranked(self, types: Sequence[OpenedType], path: str) -> Typed:
        """`*` absorbs; values of one origin keep it, if a branch knows its rank too.  [type.unranked]"""
        found = [type for type in types if isinstance(type, TensorType | UnrankedType)]
        other = next((i for i, type in enumerate(found) if type.dtype is not found[0].dtype), None)
        if other is not None:
            return self._dtypes(found, other)
        first = next(type for type in found if isinstance(type, UnrankedType))
        of_branches = zip(self.branches, types, strict=True)
        if self._is_live(first.origin) and all(branch.has_shape_of(first.origin, type) for branch, type in of_branches):
            return first
        return self._of_any_rank(found[0].dtype, path)

    def _of_any_rank(self, dtype: DType, path: str) -> OpenedType:
        """A tensor of which the branches say different ranks, or none."""
        promise = Promise(self.branches[0].span.to(self.branches[-1].span), "the branch that was taken")
        return self.state.enter(UnrankedType(dtype), path, lambda path, axis: promise)

    def _is_live(self, origin: str | None) -> TypeGuard[str]:
        return origin is not None and origin.split("#", 1)[0] in self.state.values.live

    # --------------------------------------------------------------------------------------------------- tensors
    def _dtypes(self, types: Sequence[TensorType[Dim] | UnrankedType], other: int) -> Broken:
        message = f"element type {types[0].dtype} is not {types[other].dtype}"
        return self._never("E0306", "type.dtype", message, 0, other)

    def _tensor(self, types: Sequence[TensorType[Dim]], reads: Sequence[TensorType[Dim]], path: str) -> Typed:
        first = types[0]
        for index, type in enumerate(types):
            if type.dtype is not first.dtype:
                return self._dtypes(types, index)
            if type.rank != first.rank and self.state.reach.tests:
                return self._of_any_rank(first.dtype, path)
            if type.rank != first.rank:
                return self._never("E0308", self.rule, f"rank {first.rank} is not rank {type.rank}", 0, index)
        shape, ranks = [], first.rank == 1 and first.dtype.counts
        for axis in range(first.rank):
            dim = self._size([t.shape[axis] for t in types], [r.shape[axis] for r in reads], path, axis, ranks)
            if dim is None:
                return BROKEN
            shape.append(dim)
        return TensorType(tuple(shape), first.dtype, self._contents(types))

    def _size(self, dims: Sequence[Dim], reads: Sequence[Dim], path: str, axis: int, ranks: bool) -> Dim | None:
        """The joined size at an axis; None after reporting two that never agree.

        What each branch reads under its own condition may keep a size, and so may a proof that needs no path; only
        the sizes themselves may refute.  No proof keeps a number that is a rank (`ranks`): less budget would reject.
        """
        same = self._same(dims)
        if same is not None:
            return same
        both = reads if all(map(self._visible, reads)) and not (_one(reads) and self._is_dead(self.branches)) else dims
        if not all(map(self._visible, dims)):
            return self._hidden(both, path, axis, ranks)
        if _one(both) and self._stands(both[0], dims):
            return both[0]
        apart = None if self.state.reach.tests else self._apart(dims)
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
            if not self.state.reach.tests and not self.state.strictness.gradual and self._is_doubtful(dims):
                self._doubt(dims, axis)
        return self._either(both, path, axis)

    def _apart(self, dims: Sequence[Dim]) -> tuple[int, int] | None:
        """The first two sizes that are never equal; of many that may all be one, no two have to be asked about."""
        decider, facts, places = self.state.program.decider, self.state.facts, tuple(_distinct(dims))
        first, *others = (dims[place] for place in places)
        if len(others) > 1 and decider.allows(facts, all_of(*(equal(first, other) for other in others))):
            return None
        return next(
            (at for at in combinations(places, 2) if decider.refutes(facts, equal(*(dims[i] for i in at)))), None
        )

    def _is_doubtful(self, dims: Sequence[Dim]) -> bool:
        """Whether two sizes may differ, by all that is known here."""
        proves, facts = self.state.program.decider.proves, self.state.facts
        return not all(proves(facts, equal(dims[i], dims[j])) for i, j in combinations(_distinct(dims), 2))

    def _same(self, parts: Sequence[P]) -> P | None:
        """The size or element from outside that every branch has, be it as its types say it."""
        outside = filter(self._visible, parts)
        same = (one for one in outside if all(map(Branch.has, self.branches, repeat(one), parts)))
        return next((one for one in same if self._stands(one, parts)), None)

    def _stands(self, size: Content, parts: Sequence[Content]) -> bool:
        """Whether a size has a value whichever branch is taken: one that has another did not check its divisors."""
        if is_total(size):
            return True
        has_value = self.state.program.decider.has_value
        others = (branch for branch, part in zip(self.branches, parts, strict=True) if part is not size)
        return all(self._under_lasting(branch, lambda facts: has_value(facts, size)) for branch in others)

    def _under_lasting(self, branch: Branch, asks: Callable[[Facts], bool]) -> bool:
        """What is answered where a branch is taken; what ends with a branch further out is not known."""
        facts = self.state.facts.lasting()
        mark = facts.mark()
        facts.suppose(branch.given)
        answer = asks(facts)
        facts.rollback(mark)
        return answer

    def _are_one(self, dims: Sequence[Dim]) -> bool:
        """Whether sizes are the same by what does not end with a branch, without conditions."""
        facts, proves = self.state.facts.lasting(), self.state.program.decider.proves
        return all(proves(facts, equal(dims[0], dims[i])) for i in _distinct(dims))

    def _is_dead(self, branches: Sequence[Branch]) -> bool:
        """Whether one of some branches is never taken, whatever the path: how its sizes read then says nothing."""
        excludes, facts = self.state.program.decider.excludes, self.state.facts
        return any(excludes(facts, branch.given) for branch in branches if branch.deserted)

    def _hidden(self, dims: Sequence[Dim], path: str, axis: int, ranks: bool) -> Dim:
        """Some size cannot be named outside, unless it is there as another branch's."""
        kept = self._kept(dims, ranks)
        if kept is not None:
            return kept
        known = all(map(self._visible, dims))
        return self._either(dims, path, axis) if known else self._unknown(dims, path, axis, known=False)

    def _kept(self, dims: Sequence[Dim], ranks: bool) -> Dim | None:
        """The size of a branch which every other one has where it is taken; the condition need say no more.

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
        """Whether a branch has a size whenever it is taken; what ends with a branch further out keeps nothing."""
        if dim is target or self._is_dead([branch]):
            return True
        proves, sizes = self.state.program.decider.proves, one_of(self.state, dim)
        return self._under_lasting(branch, lambda facts: all(proves(facts, equal(one, target)) for one in sizes))

    def _under(self, branches: Sequence[Branch], goal: Constraint) -> Verdict:
        """What is decided of a goal where the conditions of some branches hold."""
        facts, decider = self.state.facts, self.state.program.decider
        mark = facts.mark()
        for branch in branches:
            decider.suppose(facts, branch.given)
        verdict = decider.decide(facts, goal)
        facts.rollback(mark)
        return verdict

    def _doubt(self, dims: Sequence[Dim], axis: int) -> None:
        """Two sizes that may differ where either branch may be taken: an error if the definition is strict."""
        for i, j in combinations(_distinct(dims), 2):
            goal = equal(dims[i], dims[j])
            if mentions_ghost(goal):
                continue
            verdict = self._under([self.branches[i], self.branches[j]], goal)
            if isinstance(verdict, Unknown) and verdict.witness:
                error = self._disagreement(i, j, axis, dims, verdict.witness)
                plain = Unknown("the condition says nothing about sizes", verdict.witness)
                self.state.obligations.postponed.append(Postponed(plain, error, rigid=False))
                return

    def _either(self, both: Sequence[Dim], path: str, axis: int) -> Dim:
        """One of the sizes: told apart by the condition if it can be read, else a new unknown."""
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
        """A new unknown for the size that one of the branches has; `known` if those sizes can be named outside."""
        state, ghost = self.state, size_of(path, axis)
        (variable,) = ghost.variables()
        state.unknowns.ghosts[variable] = Promise(
            self.branches[0].span.to(self.branches[-1].span), "the branch that was taken"
        )
        state.is_size(ghost)
        if known:
            state.unknowns.alternatives[variable] = tuple(dict.fromkeys(dims))
            state.facts.assume(any_of(*(equal(ghost, dim) for dim in dict.fromkeys(dims))))
        if known or not any(map(state.strictness.mentions_unknown, dims)):
            state.strictness.joins.add(variable)
        else:
            state.strictness.gradual = True
        return ghost

    def _contents(self, types: Sequence[TensorType[Dim]]) -> tuple[Content, ...] | None:
        known = [type.contents for type in types if type.contents is not None]
        if len(known) < len(types) or any(len(contents) != len(known[0]) for contents in known):
            return None
        joined = [self._content([contents[i] for contents in known]) for i in range(len(known[0]))]
        found = tuple(content for content in joined if content is not None)
        return found if len(found) == len(joined) else None

    def _content(self, contents: Sequence[Content]) -> Content | None:
        same = self._same(contents)
        if same is not None:
            return same
        return chosen(self.truth, *contents) if self.truth is not None and all(map(self._visible, contents)) else None

    # -------------------------------------------------------------------------------------------------- reports
    def _spans(self, i: int, j: int) -> tuple[Span, Span]:
        return self.branches[i].span, self.branches[j].span

    def _disagreement(self, i: int, j: int, axis: int, dims: Sequence[Dim], witness: Mapping[str, int]) -> Diagnostic:
        one, other = self.branches[i].type, self.branches[j].type
        forgets = forgetting(one, other) if isinstance(one, TensorType) and isinstance(other, TensorType) else ""
        return disagreement(self.rule, "the branches", self._spans(i, j), axis, dims[i], dims[j], witness, forgets)

    def _never(self, code: str, rule: str, message: str, i: int, j: int) -> Broken:
        at, other = self._spans(i, j)
        related = (Related(at, "one branch"),)
        self.state.output.report(code, rule, f"the branches never agree: {message}", other, related=related)
        return BROKEN


def _is_never(type: OpenedType) -> bool:
    return isinstance(type, NeverType)


def _class(type: GradualType) -> object:
    """What kind of type it is: values of different kinds have nothing in common."""
    match type:
        case DataType(name):
            return DataType, name
        case FunctionType(params=params):
            return FunctionType, len(params)
        case ReferenceType():
            return ReferenceType
        case _:
            return type.__class__


def _one(dims: Sequence[Dim]) -> bool:
    return all(dim is dims[0] for dim in dims)


def _distinct(dims: Sequence[Dim]) -> Iterator[int]:
    """The places of the first of each size."""
    seen: set[Dim] = set()
    for index, dim in enumerate(dims):
        if dim not in seen:
            seen.add(dim)
            yield index
