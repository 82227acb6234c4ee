"""Compare answers with expectations: each disagreement is a `Failure` of one profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import repeat

from gradual.conformance.cases.answer import FoundCheck, FoundDiagnostic, GotBlame, GotFault, GotValue, Outcome, Report
from gradual.conformance.cases.case import (
    Case,
    ExpectedBlame,
    ExpectedCheck,
    ExpectedDiagnostic,
    ExpectedFault,
    ExpectedOutcome,
    ExpectedType,
    ExpectedValue,
    Place,
)
from gradual.conformance.cases.condition import renumbered, same_up_to_invented_names
from gradual.conformance.runner.ulps import same_element
from gradual.interface.input.values import Built, Drawn, Fields, Literal, Values, written
from gradual.record import record
from gradual.types.dtype import DType


class Profile(StrEnum):
    """The aspects of an answer that can be compared; results are reported per profile."""

    VERDICT = "verdict"
    CODES = "codes"
    SPANS = "spans"
    RELATED = "related"
    LEAST = "least"
    RULES = "rules"
    TYPES = "types"
    CHECKS = "checks"
    CORE = "core"
    STATIC = "static"
    PLAN = "plan"
    AFTER = "after"
    LEFT = "left"
    RUN = "run"
    BLAME = "blame"
    PRINT = "print"
    FMT = "fmt"
    PLACES = "places"


EVERY = frozenset(Profile)
WRITING = frozenset({Profile.PRINT, Profile.FMT})
"""The profiles in which a written program is put to the implementation again."""


_WITH = {
    Profile.SPANS: Profile.CODES,
    Profile.RELATED: Profile.SPANS,
    Profile.LEAST: Profile.CODES,
    Profile.RULES: Profile.CODES,
    Profile.BLAME: Profile.RUN,
}
"""Profile -> the profile that must pass before it is compared: the span of an error that is missing has no meaning."""


def needed(profile: Profile, compared: frozenset[Profile] = EVERY) -> frozenset[Profile]:
    """The profiles that must pass if this one is to pass: itself, the verdict, and those that it depends on.

    Places depend on codes only if codes are compared: an implementation may have no codes of its own.
    """
    other = _WITH.get(profile)
    if other is None or (other is Profile.CODES and profile is Profile.SPANS and other not in compared):
        return frozenset({Profile.VERDICT, profile})
    return needed(other, compared) | {profile}


def whole(profiles: frozenset[Profile]) -> frozenset[Profile]:
    """The profiles with those that they need."""
    return frozenset().union(*(needed(profile, profiles) for profile in profiles))


@record
class Failure:
    """One disagreement; `line` is the line of the expectation in its file."""

    profile: Profile
    line: int
    message: str


def judged(case: Case, report: Report, profiles: frozenset[Profile] = EVERY) -> list[Failure]:
    """The disagreements of the answer to `check` with the case; without CODES diagnostics are compared by place."""
    diagnostics = _diagnostics if Profile.CODES in profiles else _places_of_diagnostics
    parts = (_verdict, diagnostics, _rules, _types, _checks, _core, _static, _plan, _after, _places)
    return [failure for part in parts for failure in part(case, report)]


def _verdict(case: Case, report: Report) -> Iterator[Failure]:
    wanted = case.expectation.accepted
    if wanted is not None and wanted != report.accepted:
        words = {True: "accepted", False: "rejected"}
        reasons = "; ".join(str(d) for d in report.diagnostics if d.severity == "error")
        yield Failure(
            Profile.VERDICT,
            case.line,
            f"expected to be {words[wanted]}, was {words[report.accepted]}{f': {reasons}' if reasons else ''}",
        )


def _diagnostics(case: Case, report: Report) -> Iterator[Failure]:
    """Compare all errors and warnings; for a variant only the codes of errors."""
    grave = ("error",) if case.expectation.variant else ("error", "warning")
    found = [d for d in report.diagnostics if d.severity in grave]
    if case.expectation.variant:
        found = list({d.code: d for d in found}.values())
    for wanted in sorted(case.expectation.diagnostics, key=lambda d: d.optional):
        matching = [d for d in found if d.code == wanted.code and d.severity == wanted.severity]
        if matching:
            nearest = next((d for d in matching if d.place == wanted.place), matching[0])
            found.remove(nearest)
            yield from _place(wanted, nearest)
        elif not wanted.optional:
            yield Failure(
                Profile.CODES, wanted.line, f"expected {wanted.severity} {wanted.code}, which was not reported"
            )
    for extra in found:
        yield Failure(Profile.CODES, case.line, f"unexpected {extra}")


def _places_of_diagnostics(case: Case, report: Report) -> Iterator[Failure]:
    """Compare the severities and places of all errors and warnings, for an implementation without codes."""
    if case.expectation.variant:
        return
    found = [d for d in report.diagnostics if d.severity in ("error", "warning")]
    for wanted in sorted(case.expectation.diagnostics, key=lambda d: d.optional):
        matching = [d for d in found if d.severity == wanted.severity and wanted.place in (None, d.place)]
        if matching:
            found.remove(matching[0])
            yield from _related(wanted, matching[0])
        elif not wanted.optional:
            message = f"expected {wanted.severity} at {wanted.place}, which was not reported"
            yield Failure(Profile.SPANS, wanted.line, message)
    for extra in found:
        yield Failure(Profile.SPANS, case.line, f"unexpected {extra}")


def _place(wanted: ExpectedDiagnostic, found: FoundDiagnostic) -> Iterator[Failure]:
    if wanted.place not in (None, found.place):
        message = f"expected {wanted.code} at {wanted.place}, was at {found.place}"
        yield Failure(Profile.SPANS, wanted.line, message)
    yield from _related(wanted, found)
    if wanted.witness and not found.witness:
        yield Failure(Profile.CODES, wanted.line, f"{wanted.code} comes without a counterexample")
    elif wanted.witness and _numbered(wanted.witness) != _numbered(found.witness):
        message = f"the least counterexample is {_sizes(wanted.witness)}, not {_sizes(found.witness)}"
        yield Failure(Profile.LEAST, wanted.line, message)


def _numbered(witness: Mapping[str, int]) -> dict[str, int]:
    """The sizes with their invented names numbered in order."""
    names = renumbered("\n".join(witness)).split("\n")
    return dict(zip(names, witness.values(), strict=False))


def _related(wanted: ExpectedDiagnostic, found: FoundDiagnostic) -> Iterator[Failure]:
    for related in wanted.related:
        if related.place not in found.related:
            shown = ", ".join(map(str, found.related)) or "none"
            yield Failure(Profile.RELATED, wanted.line, f"{related.place} is not among the related places ({shown})")


def _sizes(witness: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in witness.items())


def _rules(case: Case, report: Report) -> Iterator[Failure]:
    """Require that the case names every rule that decides a part of the answer."""
    if case.expectation.variant:
        return
    checks = report.checks if case.expectation.checks is not None else ()
    named = {d.rule for d in report.diagnostics if d.severity != "note"} | {check.rule for check in checks}
    named |= {word for line in report.static for word in line.split() if word.startswith("graph.")}
    for rule in sorted(named - set(case.rules)):
        yield Failure(Profile.RULES, case.line, f"`{rule}` decides, but the case does not name it")


def _types(case: Case, report: Report) -> Iterator[Failure]:
    """Require that a listed name has the listed types: those of all its bindings, in order."""
    wanted: dict[tuple[str | None, str], list[ExpectedType]] = {}
    for line in case.expectation.types:
        wanted.setdefault((line.function, line.name), []).append(line)
    for (function, name), lines in wanted.items():
        found = typed(function, name, report)
        if [renumbered(line.text) for line in lines] != list(map(renumbered, found)):
            shown = "; ".join(found) or "nothing"
            yield Failure(Profile.TYPES, lines[0].line, f"expected {name} : {lines[0].text}, found {shown}")


def typed(function: str | None, name: str, report: Report) -> list[str]:
    """The types of a function, or of all bindings of a variable in order."""
    if name.startswith("@"):
        return [report.functions[name]] if name in report.functions else []
    return [text for owner, bound, text in report.bindings if bound == name and function in (None, owner)]


def _checks(case: Case, report: Report) -> Iterator[Failure]:
    if case.expectation.checks is None:
        return
    left = list(report.checks)
    for wanted in sorted(case.expectation.checks, key=lambda c: c.optional):
        found = next((check for check in left if _same_check(wanted, check)), None)
        if found is not None:
            left.remove(found)
        elif not wanted.optional:
            yield Failure(Profile.CHECKS, wanted.line, f"no such check was left: {wanted.condition} at {wanted.place}")
    for extra in left:
        yield Failure(Profile.CHECKS, case.line, f"unexpected check: {extra}")


def _same_check(wanted: ExpectedCheck, found: FoundCheck) -> bool:
    if (wanted.place, wanted.rule, set(wanted.blames)) != (found.place, found.rule, set(found.blames)):
        return False
    return same_up_to_invented_names(wanted.condition, found.condition)


def _core(case: Case, report: Report) -> Iterator[Failure]:
    yield from lines_judged(case, Profile.CORE, case.expectation.core, report.core)


def _static(case: Case, report: Report) -> Iterator[Failure]:
    yield from lines_judged(case, Profile.STATIC, case.expectation.static, report.static)


def _plan(case: Case, report: Report) -> Iterator[Failure]:
    yield from lines_judged(case, Profile.PLAN, case.expectation.plan, report.plan)


def _after(case: Case, report: Report) -> Iterator[Failure]:
    if case.expectation.after is None and case.request.passes and report.accepted and not report.passed:
        yield Failure(Profile.AFTER, case.line, "the passes were not applied")
    yield from lines_judged(case, Profile.AFTER, case.expectation.after, report.after)
    yield from lines_judged(case, Profile.LEFT, case.expectation.left, report.left)


def _places(case: Case, report: Report) -> Iterator[Failure]:
    """Require the listed places, and no others of functions and of checks."""
    if case.expectation.places is None:
        return
    found = {(one.kind, one.name, one.place) for one in report.places}
    for one in case.expectation.places:
        if (one.kind, one.name, one.place) not in found:
            others = ", ".join(str(p) for kind, name, p in sorted(found) if (kind, name) == (one.kind, one.name))
            message = f"expected {one.kind} {one.name} at {one.place}, was at {others or 'no place'}"
            yield Failure(Profile.PLACES, one.line, message)
    listed = {(one.kind, one.name, one.place) for one in case.expectation.places}
    for extra in report.places:
        if not extra.is_of_variable and (extra.kind, extra.name, extra.place) not in listed:
            yield Failure(Profile.PLACES, case.line, f"unexpected {extra}")


def lines_judged(case: Case, block: Profile, wanted: Sequence[str] | None, answer: Sequence[str]) -> Iterator[Failure]:
    """Compare a block line by line."""
    if wanted is None:
        return
    found = [line.rstrip() for line in answer]
    if list(wanted) != found:
        differing = next((k for k, pair in enumerate(zip(wanted, found, strict=False)) if pair[0] != pair[1]), None)
        at = min(len(wanted), len(found)) if differing is None else differing
        shown = found[at] if at < len(found) else "the end"
        yield Failure(block, case.fences[block].line + at, f"the {block} differs: found `{shown}`")


def outcome_judged(
    wanted: ExpectedOutcome, found: Outcome, rules: Sequence[str], profiles: frozenset[Profile] = EVERY
) -> list[Failure]:
    """The disagreements of the outcome of a call with the expected one; without CODES a code may be missing."""
    match wanted, found if Profile.CODES in profiles else _with_code(wanted, found):
        case ExpectedValue(value, line, ulps), GotValue(got):
            return (
                []
                if agree(value, got, ulps)
                else [Failure(Profile.RUN, line, f"expected {written(value)}, got {written(got)}")]
            )
        case ExpectedBlame(code, blames, line), GotBlame() as blame:
            return list(_blame(code, blames, line, blame, rules))
        case ExpectedFault(code, line), GotFault(got_code):
            return [] if code == got_code else [Failure(Profile.RUN, line, f"expected fault {code}, got {got_code}")]
    return [Failure(Profile.RUN, wanted.line, f"expected {_named(wanted)}, got {told(found)}")]


def _with_code(wanted: ExpectedOutcome, found: Outcome) -> Outcome:
    """The outcome; of an implementation without codes, one of the expected kind has the expected code."""
    match wanted, found:
        case ExpectedBlame(code), GotBlame("") as blame:
            return replace(blame, code=code)
        case ExpectedFault(code), GotFault("") as fault:
            return replace(fault, code=code)
    return found


def _blame(code: str, blames: tuple[Place, ...], line: int, found: GotBlame, rules: Sequence[str]) -> Iterator[Failure]:
    if code != found.code:
        yield Failure(Profile.RUN, line, f"expected blame {code}, got {told(found)}")
    elif set(blames) != set(found.blames):
        yield Failure(Profile.BLAME, line, f"expected to blame {', '.join(map(str, blames))}, got {told(found)}")
    elif found.rule not in rules:
        yield Failure(Profile.RULES, line, f"`{found.rule}` is blamed, but the case does not name it")


def _named(wanted: ExpectedOutcome) -> str:
    match wanted:
        case ExpectedValue(value):
            return written(value)
        case ExpectedBlame(code):
            return f"blame {code}"
        case ExpectedFault(code):
            return f"fault {code}"


def told(found: Outcome) -> str:
    """An outcome in the format of a `run` line."""
    match found:
        case GotValue(value):
            return written(value)
        case GotBlame(code, _, blames):
            return f"blame {code} {', '.join(map(str, blames))}"
        case GotFault(code, message):
            return f"fault {code} ({message})"


def agree(wanted: Values, got: Values, ulps: int = 0) -> bool:
    """Whether a value is the expected one: structure, types, shapes, and elements to a number of ulps."""
    match wanted, got:
        case Drawn(dtype, shape), Literal(found, found_shape):
            return (dtype, shape) == (found, found_shape)
        case Fields(items), Fields(found_items):
            return len(items) == len(found_items) and all(map(agree, items, found_items, repeat(ulps)))
        case Built(constructor, items), Built(found_constructor, found_items):
            same = constructor == found_constructor and len(items) == len(found_items)
            return same and all(map(agree, items, found_items, repeat(ulps)))
        case Literal(dtype, shape, elements), Literal(str(found), found_shape, found_elements):
            same = (dtype or found, shape) == (found, found_shape) and len(elements) == len(found_elements)
            return same and all(map(same_element, repeat(DType(found)), elements, found_elements, repeat(ulps)))
    return False
