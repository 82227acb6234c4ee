"""The profiles `print` and `fmt`: a program that an implementation has written is put to it again.  [syntax.print]

What is written has to have the same answers as the case's program, apart from places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from gradual.conformance.cases.answer import (
    FoundCheck,
    GotBlame,
    GotFault,
    GotValue,
    Implementation,
    Outcome,
    Report,
)
from gradual.conformance.cases.case import Case, Request
from gradual.conformance.cases.condition import same_condition
from gradual.conformance.runner.judge import Failure, Profile, agree, lines_judged, told, typed
from gradual.conformance.runner.tokens import difference
from gradual.record import record
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast


@record
class Answers:
    """What an implementation says about a program: its report, and the outcomes of the calls that were run."""

    report: Report
    outcomes: tuple[Outcome, ...] = ()


def printed_judged(
    case: Case, first: Answers, implementation: Implementation, profiles: frozenset[Profile]
) -> Iterator[Failure]:
    """Compare the answers to the printed program with those to the case's program.  [syntax.print]"""
    text = first.report.printed
    if not first.report.accepted:
        return
    if text is None:
        yield Failure(Profile.PRINT, case.line, "the reply has no printed program")
    else:
        for what in _changes(case, first, text, implementation, profiles):
            yield Failure(Profile.PRINT, case.line, f"printed, {what}")


def formatted_judged(
    case: Case, first: Answers, implementation: Implementation, profiles: frozenset[Profile]
) -> Iterator[Failure]:
    """Compare the formatted program with the expected one, with the text, and with itself.  [syntax.format]"""
    text, found = case.request.text, implementation.format(case.request)
    yield from lines_judged(case, Profile.FMT, case.expectation.fmt, found.rstrip("\n").split("\n"))
    if _definitions(text) is None:
        if found != text:
            yield Failure(Profile.FMT, case.line, "a text with a syntax error was changed")
        return
    for what in (
        *_lost(text, found),
        *_unstable(found, implementation.format(replace(case.request, text=found))),
        *_changes(case, first, found, implementation, profiles),
    ):
        yield Failure(Profile.FMT, case.line, f"formatted, {what}")


def _lost(text: str, found: str) -> Iterator[str]:
    """How tokens and comments differ after formatting."""
    if (differing := difference(text, found)) is not None:
        before, after = differing
        yield f"`{before}` of the text is `{after}`"


def _unstable(found: str, again: str) -> Iterator[str]:
    if found != again:
        pairs = zip([*found.split("\n"), ""], [*again.split("\n"), ""], strict=False)
        before, after = next(pair for pair in pairs if pair[0] != pair[1])
        yield f"and formatted again, `{before}` is `{after}`"


def _changes(
    case: Case, first: Answers, text: str, implementation: Implementation, profiles: frozenset[Profile]
) -> Iterator[str]:
    """How the answers to another text of a case's program differ, in words."""
    if text == case.request.text:
        return
    before, after = _definitions(case.request.text), _definitions(text)
    if after is None:
        yield "the program has a syntax error"
        return
    if missing := [name for name in before or () if name not in after]:
        yield f"the program does not define {missing[0]} with as many parameters"
        return
    request = replace(case.request, text=text, typed=case.request.text, static=(), plan=(), passes=())
    report = implementation.check(request)
    if report.accepted != first.report.accepted:
        yield f"the program is {'accepted' if report.accepted else 'rejected'}: {_errors(report)}"
        return
    yield from _reports_differ(case, first.report, report, profiles)
    yield from _outcomes_differ(case.request, first, request, implementation, profiles)


@lru_cache(maxsize=4)  # a case's text and what is written of it are asked for more than once
def _definitions(text: str) -> set[tuple[str, int]] | None:
    """The functions of a program, each with the number of its parameters; None for a text with a syntax error."""
    module, diagnostics = parse(Source("case.relay", text), mend=False)
    if any(found.rule != "syntax.metadata" for found in diagnostics):
        return None
    functions = (one for one in module.definitions if isinstance(one, ast.Def))
    return {(one.name.name, len(one.function.params)) for one in functions}


def _errors(report: Report) -> str:
    return "; ".join(str(d) for d in report.diagnostics if d.severity == "error") or "without an error"


# -------------------------------------------------------------------------------------------------------- reports
def _reports_differ(case: Case, first: Report, report: Report, profiles: frozenset[Profile]) -> Iterator[str]:
    if not profiles.isdisjoint({Profile.CODES, Profile.SPANS}):
        yield from _counts_differ("diagnostic", _diagnostics(first, profiles), _diagnostics(report, profiles))
    if Profile.TYPES in profiles:
        names = [(line.function, line.name) for line in case.expectation.types]
        for function, name in dict.fromkeys([*((None, name) for name in first.functions), *names]):
            before, after = typed(function, name, first), typed(function, name, report)
            if before != after:
                yield f"{name} : {'; '.join(before)} is {'; '.join(after) or 'missing'}"
    if Profile.CHECKS in profiles:
        yield from _checks_differ(first.checks, report.checks)


def _diagnostics(report: Report, profiles: frozenset[Profile]) -> Iterator[str]:
    """Each error and warning without its place, as far as the profiles say something of it."""
    for one in report.diagnostics:
        if one.severity in ("error", "warning"):
            code = f" {one.code}" if Profile.CODES in profiles else ""
            rule = f" [{one.rule}]" if Profile.RULES in profiles else ""
            sizes = ", ".join(f"{name}={size}" for name, size in one.witness.items())
            yield f"{one.severity}{code}{rule}{f' at {sizes}' if Profile.LEAST in profiles and sizes else ''}"


def _counts_differ(what: str, before: Iterable[str], after: Iterable[str]) -> Iterator[str]:
    old, new = Counter(before), Counter(after)
    yield from (f"the {what} `{one}` is missing" for one in old - new)
    yield from (f"there is another {what}, `{one}`" for one in new - old)


def _checks_differ(before: Iterable[FoundCheck], after: Iterable[FoundCheck]) -> Iterator[str]:
    left = list(after)
    for check in before:
        same = (one for one in left if one.rule == check.rule and same_condition(check.condition, one.condition))
        if (found := next(same, None)) is not None:
            left.remove(found)
        else:
            yield f"the check `{check.condition}` by {check.rule} is missing"
    yield from (f"there is another check, `{one.condition}` by {one.rule}" for one in left)


# ------------------------------------------------------------------------------------------------------- outcomes
def _outcomes_differ(
    asked: Request, first: Answers, request: Request, implementation: Implementation, profiles: frozenset[Profile]
) -> Iterator[str]:
    for call, before in zip(asked.calls, first.outcomes, strict=bool(first.outcomes)):
        after = implementation.run(request, call)
        if not _same_outcome(before, after, profiles):
            yield f"{call.function} gives {told(after)} instead of {told(before)}"


def _same_outcome(before: Outcome, after: Outcome, profiles: frozenset[Profile]) -> bool:
    """Whether two outcomes are the same, apart from places."""
    match before, after:
        case GotValue(old), GotValue(new):
            return agree(old, new)
        case GotBlame(code, rule), GotBlame(new_code, new_rule):
            return code == new_code and (rule == new_rule or Profile.RULES not in profiles)
        case GotFault(code), GotFault(new_code):
            return code == new_code
    return False
