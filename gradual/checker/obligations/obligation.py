"""An obligation with what a report needs of it, and its reports: it fails at all sizes, at some, whenever reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gradual.checker.obligations.value_names import terms
from gradual.checker.state.context import TypingContext
from gradual.core.check import Polarity, Site
from gradual.core.value_words import UNWRITTEN
from gradual.diagnostic import Diagnostic, Related, Severity
from gradual.dims.term.constraint import FALSE, Constraint, Equal
from gradual.dims.term.dim import Dim, Undefined, Variable, of_atom
from gradual.dims.term.print import brief
from gradual.source import Span

UNSAID = "assertion failed"
"""What an assertion says that has no words of its own."""


@dataclass(frozen=True, slots=True)
class Obligation:
    """A goal with everything a report about it needs.

    Attributes:
        says: how it fails, in the user's words.
        span: the operand or annotation that it is about.
        label: the words under that span.
        through: the position of the value that owes it.
        related: the other places that take part.
        sides: the two sizes that must agree, where there are two; a goal of constants is folded.
        values: the core variables whose sizes take part.
        blamed: for a demand that somebody wrote (a cast, an argument): that party; otherwise whoever left a `?`.
        polarity: whether the value, or the context of a function, breaks the promise.
    """

    goal: Constraint
    rule: str
    site: Site
    says: str
    span: Span
    label: str = ""
    through: str = ""
    related: tuple[Related, ...] = ()
    blamed: str = ""
    sides: tuple[Dim, Dim] | None = None
    values: tuple[str, ...] = ()
    polarity: Polarity = Polarity.POSITIVE


def failing_for_all(owed: Obligation, because: str, witness: dict[str, int], where: tuple[str, ...]) -> Diagnostic:
    """The error about a goal that holds at no sizes, with some sizes by name.  [check.refuted]"""
    sample = sampled(owed.goal, witness)
    notes = (f"for instance at {sample}{_where(owed.goal, witness)}",) if witness else ()
    return Diagnostic(
        "E0301",
        owed.rule,
        _hopeless(owed),
        owed.span,
        label=owed.label,
        related=owed.related,
        notes=(
            *notes,
            f"required by rule {owed.rule}{_required(owed)}",
            *where,
            *((because,) if because and owed.goal is not FALSE else ()),
        ),
        data=_data(owed, witness),
    )


def _hopeless(owed: Obligation) -> str:
    """In words, what fails at every size; an assertion's own words say what should hold."""
    if owed.site is not Site.ASSERT:
        return f"{owed.says}{_never(owed)}"
    return "the assertion never holds" + (f': "{owed.says}"' if owed.says != UNSAID else "")


def failing_for_some(owed: Obligation, witness: dict[str, int], where: tuple[str, ...]) -> Diagnostic:
    """The error about a goal that fails at the sizes given by name.  [check.strict]"""
    sample = sampled(owed.goal, witness)
    return Diagnostic(
        "E0302",
        owed.rule,
        f"{owed.says} for some sizes: fails for {sample}",
        owed.span,
        label=owed.label or f"fails when {sample}",
        related=owed.related,
        notes=(
            f"counterexample: {sample}{_where(owed.goal, witness)}",
            f"required by rule {owed.rule}{_required(owed)}",
            *where,
        ),
        data=_data(owed, witness),
    )


def _never(owed: Obligation) -> str:
    """In words, that a goal holds at no size."""
    if owed.sides is not None:
        return f": {brief(owed.sides[0])} is not {brief(owed.sides[1])}"
    if isinstance(owed.goal, Equal):
        return f": {brief(owed.goal.left)} is never {brief(owed.goal.right)}"
    return "" if owed.goal is FALSE else f": `{brief(owed.goal)}` never holds"


def _required(owed: Obligation) -> str:
    if owed.goal is not FALSE:
        return f": {brief(owed.goal)}"
    return f": {brief(owed.sides[0])} == {brief(owed.sides[1])}" if owed.sides is not None else ""


def sampled(goal: Constraint, witness: Mapping[str, int]) -> str:
    """The sizes of a counterexample, without those of unnamed values that the goal does not mention."""
    asked = {variable.name for variable in goal.variables()}
    told = {name: value for name, value in witness.items() if name in asked or not UNWRITTEN.search(name)}
    return ", ".join(f"{name} = {value}" for name, value in (told or witness).items())


def _sides(goal: Constraint, witness: dict[str, int]) -> str:
    """What the sides of an equality (or the goal) are under a valuation; empty where that already names them."""
    values = {variable: witness[variable.name] for variable in goal.variables() if variable.name in witness}
    if not isinstance(goal, Equal) or not _covers(values, goal):
        return f"`{brief(goal)}` is false"
    left, right = sorted((goal.left, goal.right), key=_is_plain)
    if not _is_plain(right):
        return f"{brief(left)} is {_value(left, values)} and {brief(right)} is {_value(right, values)}"
    named = left.value is None and right.value is None and _is_plain(left)
    return "" if named else f"{brief(left)} is {_value(left, values)}, not {_value(right, values)}"


def _data(owed: Obligation, witness: dict[str, int]) -> dict[str, object]:
    """What other programs read of an error: the least sizes, the goal, and the two sizes that differ."""
    sides = {} if owed.sides is None else {"sides": [str(side) for side in owed.sides]}
    return {"counterexample": witness, "goal": str(owed.goal), **sides}


def _where(goal: Constraint, witness: dict[str, int]) -> str:
    """The sides at a counterexample, as the end of a sentence."""
    sides = "" if goal is FALSE else _sides(goal, witness)
    return f", where {sides}" if sides else ""


def _is_plain(dim: Dim) -> bool:
    """Whether a dim is a number or a name."""
    return dim.value is not None or any(dim == of_atom(variable) for variable in dim.variables())


def _value(dim: Dim, values: dict[Variable, int]) -> str:
    """The number that a dim is, or words where it divides by nothing."""
    try:
        return str(dim.evaluate(values))
    except Undefined:
        return "undefined"


def _covers(values: dict[Variable, int], goal: Constraint) -> bool:
    return all(variable in values for variable in goal.variables())


def fails_always(state: TypingContext, owed: Obligation, why: str) -> Diagnostic:
    """The warning about a check that can never pass.  [check.fails-if-reached]"""
    notes = (f"required by rule {owed.rule}{_required(owed)}", *terms(state, owed.goal), *((why,) if why else ()))
    message = f"this fails whenever it is reached: {owed.says}"
    return Diagnostic(
        "E0403", "check.fails-if-reached", message, owed.span, Severity.WARNING, owed.label, owed.related, notes,
        data={"goal": str(owed.goal)},
    )  # fmt: skip


def rigid_warning(error: Diagnostic) -> Diagnostic:
    """A rigid goal of a gradual definition that may fail: checked at run time, and said."""
    return Diagnostic(
        "E0402",
        "check.rigid-warning",
        error.message,
        error.span,
        Severity.WARNING,
        error.label,
        error.related,
        (*error.notes, "the definition has unknown sizes, so this is checked at run time"),
        data=error.data,
    )
