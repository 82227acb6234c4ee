"""Obligations and their reports: a goal fails at all sizes, at some sizes, or whenever it is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gradual.checker.obligations.value_names import terms
from gradual.checker.state.context import Elaboration
from gradual.core.check import Polarity, Site
from gradual.core.value_words import UNWRITTEN
from gradual.diagnostic import Diagnostic, Related, Severity
from gradual.dims.term.constraint import FALSE, Constraint, Equal
from gradual.dims.term.dim import Dim, Undefined, Variable, of_atom
from gradual.dims.term.print import brief
from gradual.record import record
from gradual.source import Span

UNSAID = "assertion failed"
"""The message of an assertion that states no message."""

RIGID = "E0402"
"""The code of a goal about named sizes that may fail in a gradual definition."""

_CHECKED = "the definition has unknown sizes, so this is checked at run time"
_REFUSED = "the definition has unknown sizes: with `--rigid warning` this is checked at run time"


@record
class Obligation:
    """A goal with the data for a report about it.

    Attributes:
        says: how the goal fails, in the user's words.
        span: the operand or annotation that the goal is about.
        label: the words under that span.
        through: the position of the value, in words.
        related: further source spans of the report.
        blamed: the party to blame if the requirement is written (a cast, an argument); if it is empty, the places where
            the goal's unknown sizes come from are blamed.
        sides: the two sizes that must agree, if any; kept for messages, since an equation of two constants is folded to
            true or false.
        values: the core variables whose sizes the goal mentions.
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
    """The error about a goal that never holds, with sample sizes.  [check.refuted]"""
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
    """The message about a goal that fails at every size; an assertion's own words say what should hold."""
    if owed.site is not Site.ASSERT:
        return f"{owed.says.removesuffix(',')}{_never(owed)}"
    return "the assertion never holds" + (f': "{owed.says}"' if owed.says != UNSAID else "")


def failing_for_some(
    owed: Obligation, witness: dict[str, int], where: tuple[str, ...], shown: Constraint | None = None
) -> Diagnostic:
    """The error about a goal that fails at the sizes of the witness; `shown` is the goal as it is written.

    [check.strict]
    """
    sample = sampled(owed.goal, witness)
    said = owed if shown is None else replace(owed, goal=shown)
    return Diagnostic(
        "E0302",
        owed.rule,
        f"{owed.says} for some sizes: fails for {sample}",
        owed.span,
        label=owed.label or f"fails when {sample}",
        related=owed.related,
        notes=(
            f"counterexample: {sample}{_where(said.goal, witness)}",
            f"required by rule {owed.rule}{_required(said)}",
            *where,
        ),
        data=_data(owed, witness),
    )


def _never(owed: Obligation) -> str:
    """The end of the message about a goal that never holds."""
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
    """The values of an equality's sides at a counterexample, in words; empty if both sides are mere names."""
    values = {variable: witness[variable.name] for variable in goal.variables() if variable.name in witness}
    if not isinstance(goal, Equal) or not _covers(values, goal):
        return f"`{brief(goal)}` is false"
    left, right = sorted((goal.left, goal.right), key=_is_plain)
    if not _is_plain(right):
        return f"{brief(left)} is {_value(left, values)} and {brief(right)} is {_value(right, values)}"
    named = left.value is None and right.value is None and _is_plain(left)
    return "" if named else f"{brief(left)} is {_value(left, values)}, not {_value(right, values)}"


def _data(owed: Obligation, witness: dict[str, int]) -> dict[str, object]:
    """The machine-readable data of an error: the smallest counterexample, the goal, and the two sizes that differ."""
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
    """The value of a dim as text; `undefined` if a divisor is below 1."""
    try:
        return str(dim.evaluate(values))
    except Undefined:
        return "undefined"


def _covers(values: dict[Variable, int], goal: Constraint) -> bool:
    return all(variable in values for variable in goal.variables())


def fails_always(state: Elaboration, owed: Obligation, why: str) -> Diagnostic:
    """The warning about a check that can never pass.  [check.fails-if-reached]"""
    notes = (f"required by rule {owed.rule}{_required(owed)}", *terms(state, owed.goal), *((why,) if why else ()))
    message = f"this fails whenever it is reached: {owed.says}"
    return Diagnostic(
        "E0403", "check.fails-if-reached", message, owed.span, Severity.WARNING, owed.label, owed.related, notes,
        data={"goal": str(owed.goal)},
    )  # fmt: skip


def rigid_warning(error: Diagnostic) -> Diagnostic:
    """The warning that a rigid goal of a gradual definition may fail and is checked at run time."""
    return Diagnostic(
        RIGID,
        "check.rigid-warning",
        error.message,
        error.span,
        Severity.WARNING,
        error.label,
        error.related,
        (*error.notes, _CHECKED),
        data=error.data,
    )


def rigid_error(warning: Diagnostic) -> Diagnostic:
    """A rigid warning as an error, which rejects the program, so that nothing is checked at run time."""
    notes = tuple(_REFUSED if note == _CHECKED else note for note in warning.notes)
    return replace(warning, severity=Severity.ERROR, notes=notes)
