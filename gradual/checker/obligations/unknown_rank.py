"""Operators on operands of unknown rank.

If the operator fixes a rank, that rank is required. Otherwise the result type is the join of the result types at the
ranks at which the rule holds; if it does not hold at all ranks, it is applied again at run time.   [op.dynamic]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from gradual.checker.obligations.discharge import promises, require
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.program.rule_cache import Asked
from gradual.checker.state.context import Elaboration
from gradual.checker.state.unknowns import single
from gradual.checker.state.values import Broken, Made
from gradual.core.check import Blame, Check, Promise, Site
from gradual.dims.store.facts import Cone
from gradual.dims.term.constraint import FALSE, TRUE, Constraint, at_least, equal
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.operator import IllFormed, Judgement
from gradual.ops.declaration.rank_cases import Case, Cases, Together, Types, Unknown, unranked
from gradual.ops.declaration.unknown_rank import Asking
from gradual.record import record
from gradual.source import Span
from gradual.types.type import OpenedType, TensorType, UnrankedType
from gradual.types.unpacking import content_of, counted, rank_of, shapes_unknown, size_of, spelled
from gradual.verdict import Refuted


@record(eq=False)
class Application:
    """An operator application under elaboration, with its span and those of its operands."""

    asking: Asking
    span: Span
    spans: Sequence[Span]

    @property
    def name(self) -> str:
        """The operator as a report names it."""
        return f"`{self.asking.operator.name}`"


def settle_ranks(state: Elaboration, operands: Sequence[str]) -> None:
    """Put ranks that the facts determine into the types of operands.  [type.unranked]"""
    for operand in operands:
        type = state.values.types[operand]
        for origin in () if isinstance(type, Broken) else tuple(shapes_unknown(type)):
            rank = state.facts.rewrite(rank_of(origin)).value
            if rank is not None and 0 <= rank <= state.program.limits.rank:
                state.rank_known(origin, rank)


def settle_length(state: Elaboration, name: str, type: OpenedType) -> None:
    """Put a vector's length into its type if the facts determine it.  [dim.element]"""
    if isinstance(type, TensorType) and type.rank == 1 and type.shape[0].value is None:
        value = state.facts.rewrite(type.shape[0]).value
        if value is not None and 0 <= value <= state.program.limits.contents:
            state.values.at_size(name, type.shape[0], value)


def asked(state: Elaboration, application: Application) -> Asked | None:
    """Apply the operator's rule, and require the ranks that it fixes; None after reporting an impossible rank.

    Raises IllFormed if the rule holds at no rank.   [op.dynamic.demand]
    """
    asking = application.asking
    while True:
        settle_ranks(state, asking.names)
        types = asking.flattened(_types(state, asking.names))
        found = asking.step(types)
        if isinstance(found, Judgement):
            return Asked(found, types)
        if _is_settled(state, asking, found):
            continue
        cases = asking.cases(types)
        fitting = (asking.sample(types),) if cases is None else cases.fitting
        if not fitting:
            raise _telling(cases.every if cases is not None else ())
        if cases is None or not cases.complete:
            return _whatever(state, application, fitting[0])
        demanded = cases.fixed
        if demanded is None:
            return _open(state, application, cases)
        if not _demand(state, application, *demanded):
            return None


def _types(state: Elaboration, names: Sequence[str]) -> Types:
    found = [state.values.types[name] for name in names]
    return tuple(type for type in found if not isinstance(type, Broken))


def _telling(cases: Sequence[Case]) -> IllFormed:
    """The most informative refusal: one independent of the rank, else one about an axis, else one about the rank.

    Among those that are equally informative, it is the one that occurs at the largest number of ranks.
    """
    order = ("op.rank", "op.axis")
    refusals = [case.refusal for case in cases if case.refusal is not None]
    often = Counter(refusal.message for refusal in refusals)

    def tells(refusal: IllFormed) -> tuple[int, int]:
        grave = order.index(refusal.rule) if refusal.rule in order else len(order)
        return grave, often[refusal.message]

    return max(refusals, key=tells).anew()


# ---------------------------------------------------------------------------------------------------------- demands
def _demand(state: Elaboration, application: Application, unknown: Unknown, value: int) -> bool:
    """Require that a rank, or a size that determines one, is the number that the operator needs."""
    place = unknown.operands[0]
    bearer = application.asking.names[place]
    position = f"argument {place + 1} of {application.name}"
    what = f"has to have rank {value}" if unknown.origin is not None else f"has to have {value} elements"
    goal, wanted = equal(unknown.number, constant(value)), constant(value)
    owed = Obligation(
        goal, "op.rank", Site.OPERATOR, f"{position} {what}", application.spans[place],
        f"this is {unknown.number}", position, sides=(unknown.number, wanted), values=(bearer,),
    )  # fmt: skip
    if not require(state, owed, counted(unknown.origin, value) if unknown.origin is not None else TRUE):
        return False
    _known(state, application.asking, unknown, value)
    return True


def _known(state: Elaboration, asking: Asking, unknown: Unknown, value: int) -> None:
    """Replace a rank, or a size that determines one, by its number for the rest of this branch."""
    if unknown.origin is not None:
        state.rank_known(unknown.origin, value)
    for name in (asking.names[place] for place in unknown.operands if unknown.origin is None):
        state.values.at_size(name, unknown.number, value)
        state.contents(name, read=True)


def _is_settled(state: Elaboration, asking: Asking, unknown: Unknown) -> bool:
    """Replace a size that determines a rank by its number if the facts determine it; False if not."""
    value = state.facts.rewrite(unknown.number).value if unknown.origin is None else None
    if value is None or not 0 <= value <= state.program.limits.contents:
        return False
    _known(state, asking, unknown, value)
    return True


# ------------------------------------------------------------------------------------------------------ at any rank
def _open(state: Elaboration, application: Application, cases: Cases) -> Asked | None:
    """Join the results at the ranks where the rule holds; if it may fail at another, it is applied again at run time.

    If its requirements are refuted at every rank, report them.   [op.dynamic.result] [op.dynamic]
    """
    fitting = cases.fitting
    if all(case.is_refuted(partial(_contradicts, state)) for case in fitting):
        return _refuted(state, application, fitting)
    together, accepts = Together(fitting), None
    if not all(case.is_met(state.holds) for case in cases.every):
        accepts = _check(state, application, fitting[0])
    if len(fitting) < len(cases.every):
        _learn(state, together)
    each = [application.asking.contents(case.types, case.judgement.result) for case in fitting if case.judgement]
    result, promise = together.result(), next(iter(_left_open(state, fitting[0])), None)
    contents = together.contents(each) if isinstance(result, TensorType) else None
    return Asked(Judgement(result), None, contents, accepts, together, promise)


def _whatever(state: Elaboration, application: Application, case: Case) -> Asked:
    """A result of unknown rank, with a check that applies the rule at run time."""
    assert case.judgement is not None
    promise = next(iter(_left_open(state, case)), None)
    accepts = _check(state, application, case)
    return Asked(Judgement(unranked(case.judgement.result)), None, None, accepts, None, promise)


def _refuted(state: Elaboration, application: Application, cases: Sequence[Case]) -> Asked | None:
    """The judgement at a possible rank, whose requirements will be refuted; if no rank is possible, report that."""
    for case in cases:
        if case.judgement is not None and not any(_contradicts(state, goal) for goal in case.equations):
            return Asked(case.judgement, case.types)
    for unknown, value in cases[0].at:
        if not _demand(state, application, unknown, value):
            break
    return None


def _contradicts(state: Elaboration, goal: Constraint) -> bool:
    return goal is FALSE or isinstance(state.decide(goal), Refuted)


def _learn(state: Elaboration, together: Together) -> None:
    """Add the fact that the ranks are among those at which the rule is well-formed."""
    for bound in together.bounds():
        state.facts.learn(bound, state.decide(bound))


def _check(state: Elaboration, application: Application, case: Case) -> Check:
    """The run-time check of an application; it blames the origins of the unknown ranks.   [op.dynamic]"""
    left = tuple(_left_open(state, case))
    operator, span = application.name, application.span
    says = f"{operator} accepts {', '.join(_written(state, name) for name in application.asking.names)}"
    blame = Blame(
        "op.dynamic", Site.OPERATOR, span, f"{operator} refuses its arguments", f"the arguments of {operator}",
        left, "; ".join(dict.fromkeys(promise.says for promise in left)) or f"`{state.function}`",
        tuple(dict.fromkeys(promise.span for promise in left)) or (span,),
        f"whether it accepts them depends on {' and '.join(str(unknown.number) for unknown, _ in case.at)}", TRUE,
    )  # fmt: skip
    check = Check("", TRUE, blame, span, says)
    if not state.reach.unreachable:  # unreachable steps are dropped
        state.obligations.checks.append(check)
    state.obligations.cones[check] = Cone((), (), True)
    return check


def _written(state: Elaboration, name: str) -> str:
    """The words for an operand in a check; a tuple is shown by its fields."""
    origin = state.values.origins.get(name)
    if isinstance(origin, Made) and origin.by == "a tuple":
        return f"({', '.join(origin.operands)}{',' if len(origin.operands) == 1 else ''})"
    return name


def _left_open(state: Elaboration, case: Case) -> Iterator[Promise]:
    """The origins of the unknown ranks."""
    return promises(state, {variable for unknown, _ in case.at for variable in unknown.number.variables()})


# ------------------------------------------------------------------------------- ranks required outside of operators
def demanded_scalar(state: Elaboration, value: str, span: Span, rule: str, what: str) -> bool:
    """Require that a value is a scalar; False after reporting that it has another rank.

    [type.unranked.demand]
    """
    return _demanded_rank(state, value, 0, span, rule, what, f"{what} has to be a scalar")


def demanded_element(state: Elaboration, value: str, index: int, span: Span) -> Dim | None:
    """Require that a vector whose elements are not tracked has an element, and return it; None after an error.

    The elements are not tracked because the length is unknown or too large.

    [dim.element]
    """
    what = f"`{spelled(value)}`"
    if not _demanded_rank(state, value, 1, span, "dim.element", what, f"{what} has to be a vector"):
        return None
    type = state.values.types[value]
    assert isinstance(type, TensorType) and type.rank == 1, type
    (length,) = type.shape
    goal = at_least(length, constant(index + 1))
    says, label = f"{what} has no element {index}", f"its length is {length}"
    if not require(state, Obligation(goal, "dim.element", Site.ANNOTATION, says, span, label, what, values=(value,))):
        return None
    content = content_of(value, (index,))
    state.unknowns.existentials.setdefault(single(content), Promise(span, f"the elements of {what}"))
    return content


def _demanded_rank(state: Elaboration, value: str, rank: int, span: Span, rule: str, what: str, says: str) -> bool:
    """Require a rank of a value whose rank is unknown; False after reporting that it has another."""
    settle_ranks(state, (value,))
    type = state.values.types[value]
    if not isinstance(type, UnrankedType) or type.origin is None:
        return True
    number, wanted = rank_of(type.origin), constant(rank)
    owed = Obligation(
        equal(number, wanted), rule, Site.ANNOTATION, says, span, f"its rank is {number}", what,
        sides=(number, wanted), values=(value,),
    )  # fmt: skip
    if not require(state, owed, counted(type.origin, rank)):
        return False
    state.rank_known(type.origin, rank)
    return True


def demanded_axis(state: Elaboration, value: str, type: UnrankedType, axis: int, span: Span) -> bool:
    """Require that a value has an axis which an annotation mentions; False after reporting that it does not.

    [type.unranked.demand]
    """
    assert type.origin is not None
    number, size = rank_of(type.origin), size_of(type.origin, axis)
    what = f"`{spelled(value)}` has to have a dimension {axis}"
    goal = at_least(number, constant(axis + 1))
    owed = Obligation(
        goal, "type.unranked.demand", Site.ANNOTATION, what, span, f"its rank is {number}", what, values=(value,)
    )
    if not require(state, owed):
        return False
    state.unknowns.existentials.setdefault(single(size), state.unknowns.existentials[single(number)])
    state.is_size(size)
    return True
