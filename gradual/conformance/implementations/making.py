"""Make a case from an accepted program and calls of it, with the reference's answers in the suite's format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradual.conformance.cases.annotation import rewritten
from gradual.conformance.cases.answer import FoundDiagnostic, GotBlame, GotValue, Outcome, Report
from gradual.conformance.cases.case import ExpectedDiagnostic, Request
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.implementations.written_values import values_of
from gradual.conformance.runner.judge import told
from gradual.interface.input.arguments import Argument, from_file
from gradual.interface.input.values import Built, Call, Drawn, Fields, Literal, Values, written
from gradual.tensors.tensor import Tensor

NO_RULE = "check.proved"
"""The rule that a case names if no diagnostic, check or blame in it has a rule."""


def called(function: str, arguments: Sequence[Argument]) -> Call:
    """A call with its arguments as literals; raises Trouble if an argument's file cannot be read."""
    return Call(function, tuple(map(_written_out, arguments)))


def _written_out(argument: Argument) -> Values:
    if isinstance(argument, str | Tensor):
        return values_of(from_file(argument) if isinstance(argument, str) else argument)
    return argument


def made(id: str, text: str, calls: Sequence[Call], smt: bool = True) -> Iterator[str]:
    """The lines of the case, without prose, which its author has to add."""
    reference, request = Reference(smt), Request(id, text.rstrip("\n"), tuple(calls))
    report = reference.check(request)
    outcomes = [reference.run(request, call) for call in calls]
    yield from (f"## {id}", f"rules: {' '.join(f'`{rule}`' for rule in _rules(report, outcomes))}", "")
    yield from _block("relay", [*_program(request.text, report)])
    yield from _block("types", [f"{name} : {type}" for name, type in report.functions.items()])
    yield from _block("checks", list(map(str, report.checks)))
    yield from _block(
        "run", [f"{_call(call)} => {_told(call, found)}" for call, found in zip(calls, outcomes, strict=True)]
    )


def _block(language: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from (f"```{language}", *lines, "```")


def _rules(report: Report, outcomes: Sequence[Outcome]) -> list[str]:
    """The rules of the diagnostics, the residual checks and the blames."""
    found = {diagnostic.rule for diagnostic in _grave(report)} | {check.rule for check in report.checks}
    found |= {outcome.rule for outcome in outcomes if isinstance(outcome, GotBlame)}
    return sorted(found) or [NO_RULE]


def _grave(report: Report) -> Iterator[FoundDiagnostic]:
    return (found for found in report.diagnostics if found.severity != "note")


def _program(text: str, report: Report) -> Iterator[str]:
    """The program with the annotations of its warnings, each below the line on which the warning begins."""
    for number, line in enumerate(text.split("\n"), 1):
        yield line
        for found in _grave(report):
            if found.place.line == number:
                wanted = ExpectedDiagnostic(found.code, found.severity, found.place, (), found.witness, False, number)
                yield from rewritten(wanted, line)


def _call(call: Call) -> str:
    return f"{call.function}({', '.join(map(written, call.arguments))})"


def _told(call: Call, found: Outcome) -> str:
    """The outcome; if an argument is random, only its dtype and shape, which do not depend on the generator."""
    match found:
        case GotValue(value) if any(map(_is_drawn, call.arguments)):
            return written(_shaped(value))
        case GotValue() | GotBlame():
            return told(found)
        case _:
            return f"fault {found.code}"


def _is_drawn(value: Values) -> bool:
    match value:
        case Fields(items) | Built(_, items):
            return any(map(_is_drawn, items))
        case _:
            return isinstance(value, Drawn)


def _shaped(value: Values) -> Values:
    match value:
        case Literal(str(dtype), shape):
            return Drawn(dtype, shape)
        case Fields(items):
            return Fields(tuple(map(_shaped, items)))
        case Built(constructor, items):
            return Built(constructor, tuple(map(_shaped, items)))
        case _:
            return value
