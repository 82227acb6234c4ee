"""Every pass on every program of the conformance suite that is run there: the same outcomes, and verified.  [T14]"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gradual.compilation import Compilation, room
from gradual.conformance.cases.case import Case
from gradual.conformance.cases.read import load
from gradual.core.print import printed
from gradual.core.terms import Module
from gradual.core.verify.function import violations
from gradual.interface.input.arguments import values
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.pass_ import Context, Pass, Unusable
from gradual.resources import folder
from gradual.run.machine import run
from gradual.run.value import Blame, Fault
from gradual.tensors.value import Value
from tests.passes.given import NARROWING
from tests.passes.meaning import twice
from tests.properties.compiling import SHARED, Outcome, compiled, same
from tests.thorough import sample

SLICES = 4
ASKED = NARROWING | {"codegen"}
"""Passes that change an interface where they are asked to, by an attribute of the program too."""

Run = tuple[str, list[Value], Outcome]

pytestmark = pytest.mark.slow


def outcome(core: Module, arguments: Sequence[Value], entry: str) -> Outcome:
    """How a run ends; not watched, since some structures are long."""
    try:
        return Outcome("value", run(core, entry, arguments))
    except (Blame, Fault) as stop:
        kind = "blame" if isinstance(stop, Blame) else "fault"
        return Outcome(kind, None, (stop.code, stop.diagnostic.rule, stop.span.start, stop.span.end))


def runs(case: Case, found: Compilation) -> list[Run]:
    """The calls of a case with how they end."""
    given = [
        (call.function, values(call.arguments, found.functions[call.function].params, 0, found.core.data))
        for call in case.request.calls
    ]
    return [(name, arguments, outcome(found.core, arguments, name)) for name, arguments in given]


def changed(found: Compilation, one: Pass, calls: list[Run]) -> str | None:
    """What a pass does not keep of a program."""
    context = Context(SHARED())
    try:
        after = one.transform(found.core, context).module
    except Unusable:
        return None
    if after is found.core:  # which the verifier accepts, and whose runs are those that are compared
        return None
    wrong = violations(after, SHARED())
    if wrong:
        return f"not verified: {wrong[0].message}"
    if any(True for _ in twice(after)):
        return "a step stands in two places"
    for name, arguments, before in calls:
        now = outcome(after, arguments, name)
        if not same(before, now):
            return f"{name} ends in {before}, after it in {now}"
    again = one.transform(after, context).module if one.idempotent else after
    return None if printed(again) == printed(after) else "a second time it changes something"


@pytest.mark.parametrize("part", range(SLICES))
def test_a_pass_keeps_what_the_programs_of_the_suite_do(part: int) -> None:
    bad: list[tuple[str, str, str]] = []
    count = 0
    with room():
        for case in sample(load(folder("spec")).cases, of=3)[part::SLICES]:
            found = compiled(case.request.text) if case.expectation.accepted is not False else None
            if found is None or not found.ok or violations(found.core, SHARED()):
                continue
            calls = runs(case, found)
            count += len(calls)
            for one in (one for one in PASSES.values() if not one.takes and one.name not in ASKED):
                says = changed(found, one, calls)
                if says is not None:
                    bad.append((case.id, one.name, says))
    assert bad == []
    assert count > 100
