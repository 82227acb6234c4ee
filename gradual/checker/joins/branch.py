"""One branch of an `if` or `match`, and its sizes simplified under the condition of the branch."""

from __future__ import annotations

from dataclasses import field

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken, Typed
from gradual.core.terms import Block
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint, equal
from gradual.dims.term.dim import Dim, constant
from gradual.record import record
from gradual.source import Span
from gradual.types.binder_solving import bare
from gradual.types.type import Content, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import rank_of, size_of


@record(eq=False)
class Branch:
    """One side of an `if` or arm of a `match`.

    Attributes:
        block: the core of the branch.
        read: the branch's type, each size simplified under the condition of the branch.
        given: what the condition implies about sizes where this branch is taken; true for an arm.
        deserted: whether the path conditions make the branch unreachable.
        failing: the goals in it that fail for some sizes.
        ended: whether a check in it always fails.
        held: the value written as its result, even if that is unreachable.
        settled: the ranks and sizes that became known in the branch, as equations; its types already use them.
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
        """Whether the type of the branch's value, or of a part of it, has the shape of `origin`.  [type.unranked]"""
        match type:
            case UnrankedType():
                return type.origin == origin
            case TensorType(shape):
                known = self.settled.rewrite(rank_of(origin)) is constant(len(shape))
                return known and shape == tuple(size_of(origin, axis) for axis in range(len(shape)))
            case _:
                return False

    def has(self, target: Content, part: Content) -> bool:
        """Whether `part`, a size or element of the value, equals `target` under the `settled` facts.  [type.if.join]"""
        said = self.settled.rewrite
        return part is target or said(part) is said(target)  # type: ignore[type-var]  # either both dims or both bools


def settled_facts(state: Elaboration) -> Facts:
    """Facts that consist only of the ranks and sizes that became known in this branch."""
    if state.branch_end is None or state.branch_end[0] != state.values.solved:
        facts = Facts()
        for one, said in state.values.solved.items():
            facts.assume(equal(one, said))
        state.branch_end = dict(state.values.solved), facts
    return state.branch_end[1]


def read_under(state: Elaboration, truth: Constraint, type: Typed) -> OpenedType | None:
    """The type with each size simplified by the branch's condition and by the facts that hold on every path.

    Facts added inside the branch do not hold at the join.  The conditions of enclosing branches are not used either: if
    a size were replaced because of one, a goal about the new size could be refuted by facts added later.
    [type.if.join]
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


def _given(state: Elaboration, size: Dim, truth: Constraint) -> Dim:
    """The simplified size; if it is one of several alternatives that the condition makes equal, the first of them."""
    target, *others = one_of(state, size)
    if truth.value is not True and all(simplified(state, one - target, truth).value == 0 for one in others):
        return simplified(state, target, truth)
    return simplified(state, size, truth)


def simplified(state: Elaboration, size: Dim, truth: Constraint) -> Dim:
    """A size simplified under a condition, using only lasting facts.  [type.if.join]"""
    if truth.value is True:
        return state.rewritten(size)
    return state.program.decider.simplified_given(state.facts.lasting(), size, truth)


def one_of(state: Elaboration, size: Dim) -> tuple[Dim, ...]:
    """The alternatives of a size that joins branches; the size itself if it is no join or has too many alternatives."""
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
"""Limit on the alternatives of a joined size that are considered one by one."""
