"""One side of an `if` or arm of a `match`, and how its sizes read where it was taken."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradual.checker.state.context import TypingContext
from gradual.checker.state.values import Broken, Typed
from gradual.core.terms import Block
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint, equal
from gradual.dims.term.dim import Dim, constant
from gradual.source import Span
from gradual.types.binder_solving import bare
from gradual.types.type import Content, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import rank_of, size_of


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One side of an `if` or arm of a `match`.

    Attributes:
        block: its core.
        read: its type, each size as it reads under its own condition.
        given: what that condition says; true of an arm.
        deserted: whether nobody comes there, as far as the path says.
        failing: the goals in it that fail for some sizes.
        ended: whether a check in it always fails.
        held: what was written as its value, be it that no run comes there.
        settled: what the ranks and sizes are that became known in the branch, as types say it there.
    """

    block: Block
    type: Typed
    read: OpenedType | None
    span: Span
    given: Constraint = TRUE
    deserted: bool = False
    failing: tuple[Constraint, ...] = ()
    settled: Facts = field(default_factory=Facts)
    ended: bool = False
    held: str = ""

    def has_shape_of(self, origin: str, type: OpenedType) -> bool:
        """Whether a value of the branch, or a part of one, has the shape of an origin.  [type.unranked]"""
        match type:
            case UnrankedType():
                return type.origin == origin
            case TensorType(shape):
                known = self.settled.rewrite(rank_of(origin)) is constant(len(shape))
                return known and shape == tuple(size_of(origin, axis) for axis in range(len(shape)))
            case _:
                return False

    def has(self, target: Content, part: Content) -> bool:
        """Whether a size or element of its value is one from outside, be it as types say it there.  [type.if.join]"""
        said = self.settled.rewrite
        return part is target or said(part) is said(target)  # type: ignore[type-var]  # either both dims or both bools


def settled_facts(state: TypingContext) -> Facts:
    """The ranks and sizes that are known here as types say them, of which nothing else is known."""
    if state.branch_end is None or state.branch_end[0] != state.values.solved:
        facts = Facts()
        for one, said in state.values.solved.items():
            facts.assume(equal(one, said))
        state.branch_end = dict(state.values.solved), facts
    return state.branch_end[1]


def read_under(state: TypingContext, truth: Constraint, type: Typed) -> OpenedType | None:
    """The type with each size simplified by what the condition says, and by what is known whatever the path.

    What was learnt inside the branch is over, and conditions further out refute nothing: a size that is taken for
    another because of them might be refuted by what is learnt later.  [type.if.join]
    """
    match type:
        case Broken():
            return None
        case TensorType(shape, dtype, contents):
            return TensorType(tuple(_given(state, size, truth) for size in shape), dtype, contents)
        case TupleType(fields):
            read = (read_under(state, truth, field) for field in fields)
            return TupleType(tuple(field for field in read if field is not None))
        case _:
            return type


def _given(state: TypingContext, size: Dim, truth: Constraint) -> Dim:
    """A size as it reads; one of several reads as one of them that the condition makes the same."""
    target, *others = one_of(state, size)
    if truth.value is not True and all(simplified(state, one - target, truth).value == 0 for one in others):
        return simplified(state, target, truth)
    return simplified(state, size, truth)


def simplified(state: TypingContext, size: Dim, truth: Constraint) -> Dim:
    """A size as it reads under a condition, by what does not end with a branch.  [type.if.join]"""
    if truth.value is True:
        return state.rewritten(size)
    return state.program.decider.simplified_given(state.facts.lasting(), size, truth)


def one_of(state: TypingContext, size: Dim) -> tuple[Dim, ...]:
    """The sizes of branches that a size is one of; the size itself if it is no such, or if they are many."""
    found, waiting, met = dict[Dim, None](), [size], set[Dim]()
    while waiting:
        one = waiting.pop()
        variable = bare(one)
        if variable is None or variable not in state.unknowns.alternatives:
            found[one] = None
        elif one not in met:
            met.add(one)
            waiting += reversed(state.unknowns.alternatives[variable])
    return tuple(found) if len(found) <= _ALTERNATIVES else (size,)


_ALTERNATIVES = 8
"""How many sizes of branches that ended are told apart."""
