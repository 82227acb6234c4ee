"""Joins of the types of branches, without inserting a check.

Equal sizes join to that size, and sizes that are never equal are an error, except in a branch of a test. Otherwise the
join is the closed dim `if p then d1 else d2` if the condition of an `if` can be read as a predicate, else a new unknown
that equals one of the sizes. Sizes inside functions, data and references cannot be read at run time, so the value of
each branch flows into a type on which all branches agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TypeGuard

from gradual.checker.coercion.agreement import Agreement
from gradual.checker.coercion.flow import flow
from gradual.checker.joins.branch import Branch
from gradual.checker.joins.size import SizeJoin
from gradual.checker.program.place import Place
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Typed
from gradual.core.check import Promise, Site
from gradual.core.terms import Block
from gradual.diagnostic import Related
from gradual.dims.term.constraint import TRUE, Constraint, at_least
from gradual.dims.term.dim import ContentOf, Dim, SizeOf, Variable, constant, of_atom
from gradual.record import record
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
from gradual.types.unpacking import closed, part_at


def joined(
    state: Elaboration, name: str, truth: Constraint | None, branches: Sequence[Branch], rule: str
) -> tuple[OpenedType, list[Branch]] | None:
    """The joined type, and the branches with their values converted to it; None after an error.

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


def _landed(state: Elaboration, branch: Branch, target: GradualType, rule: str) -> Branch | None:
    """The branch with functions and data in its value converted to the types on which all branches agree.

    The branch's facts have ended, but none are needed: every size of the type is shared by all branches, or `?`.
    """
    with state.branch() as steps:
        place = Place(branch.span, Site.RESULT, rule, "the branch", f"the branch, in `{state.function}`")
        result = flow(state, branch.block.result, target, place)
    if result is None:
        return None
    return replace(branch, block=Block((*branch.block.steps, *steps), result))


@record(frozen=False, eq=False)
class Join:
    """The join of the types of branches, once all branches have been checked.  [type.if.join]

    Attributes:
        truth: the condition of an `if` as a constraint; None for a `match`, or for a condition that is no constraint.
        agreed: value path -> the type that all branches are converted to, for functions, data and references.
    """

    state: Elaboration
    truth: Constraint | None
    rule: str
    branches: Sequence[Branch]
    agreed: dict[str, GradualType] = field(default_factory=dict)
    sizes: SizeJoin = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = SizeJoin(self.state, self.truth, self.rule, self.branches)

    def type(self, types: Sequence[OpenedType], reads: Sequence[OpenedType], path: str) -> Typed:
        """The joined type of the value at `path`; BROKEN after reporting branches that never agree."""
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
        """Join only the branches whose type is not the bottom type; if all have the bottom type, so has the result."""
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

    # --------------------------------------------------------------------------------- functions, data, references
    def _agreed(self, types: Sequence[OpenedType], path: str) -> Typed:
        """Join functions, data, references and type parameters to one type that all can have.  [type.agree]"""
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
        return whole  # type: ignore[return-value]  # not a tensor: it has no holes to unpack

    def _is_there(self, variable: Variable) -> bool:
        """Whether a variable has a value in every branch: some axes and elements exist in one branch only.

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
        """Whether a value of this type is proved to have an element, by lasting facts."""
        if not isinstance(type, TensorType) or type.rank != len(index):
            return False
        goals = (at_least(size, constant(at + 1)) for size, at in zip(type.shape, index, strict=True))
        proves, facts = self.state.program.decider.proves, self.state.facts.lasting()
        return all(goal is TRUE or proves(facts, goal) for goal in goals)

    def target(self, own: OpenedType, path: str) -> GradualType:
        """The type that a branch's value is converted to: its own type, with the types of `agreed` at their paths."""
        if path in self.agreed:
            return self.agreed[path]
        match own:
            case TupleType(fields):
                return TupleType(tuple(self.target(field, f"{path}#{i}") for i, field in enumerate(fields)))
            case _:
                return own

    def _unranked(self, types: Sequence[OpenedType], path: str) -> Typed:
        """Join to the first type of unknown rank if all branches have its shape, else to a new `*`.  [type.unranked]"""
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
        """A tensor of unknown rank, for branches whose ranks differ or are unknown."""
        promise = Promise(self.branches[0].span.to(self.branches[-1].span), "the branch that was taken")
        return self.state.enter(UnrankedType(dtype), path, lambda path, axis: promise)

    def _is_live(self, origin: str | None) -> TypeGuard[str]:
        return origin is not None and self.state.values.is_live(origin)

    # --------------------------------------------------------------------------------------------------- tensors
    def _dtypes(self, types: Sequence[TensorType[Dim] | UnrankedType], other: int) -> Broken:
        message = f"element type {types[0].dtype} is not {types[other].dtype}"
        return self._never("E0306", "type.dtype", message, 0, other)

    def _tensor(self, types: Sequence[TensorType[Dim]], reads: Sequence[TensorType[Dim]], path: str) -> Typed:
        first = types[0]
        for index, type in enumerate(types):
            if type.dtype is not first.dtype:
                return self._dtypes(types, index)
            if type.rank != first.rank and (self.state.reach.tests or self.state.reach.unreachable):
                return self._of_any_rank(first.dtype, path)
            if type.rank != first.rank:
                return self._never("E0308", self.rule, f"rank {first.rank} is not rank {type.rank}", 0, index)
        shape, ranks = [], first.rank == 1 and first.dtype.counts
        for axis in range(first.rank):
            dim = self.sizes.size([t.shape[axis] for t in types], [r.shape[axis] for r in reads], path, axis, ranks)
            if dim is None:
                return BROKEN
            shape.append(dim)
        return TensorType(tuple(shape), first.dtype, self._contents(types))

    def _contents(self, types: Sequence[TensorType[Dim]]) -> tuple[Content, ...] | None:
        known = [type.contents for type in types if type.contents is not None]
        if len(known) < len(types) or any(len(contents) != len(known[0]) for contents in known):
            return None
        joined = [self.sizes.element([contents[i] for contents in known]) for i in range(len(known[0]))]
        found = tuple(content for content in joined if content is not None)
        return found if len(found) == len(joined) else None

    # -------------------------------------------------------------------------------------------------- reports

    def _never(self, code: str, rule: str, message: str, i: int, j: int) -> Broken:
        at, other = self.sizes.spans(i, j)
        related = (Related(at, "one branch"),)
        self.state.output.report(code, rule, f"the branches never agree: {message}", other, related=related)
        return BROKEN


def _is_never(type: OpenedType) -> bool:
    return isinstance(type, NeverType)


def _class(type: GradualType) -> object:
    """The kind of a type: types of different kinds have no join."""
    match type:
        case DataType(name):
            return DataType, name
        case FunctionType(params=params):
            return FunctionType, len(params)
        case ReferenceType():
            return ReferenceType
        case _:
            return type.__class__
