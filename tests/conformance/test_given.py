"""The arguments that the runner sends, made from the text alone, are those that the checker would make."""

from __future__ import annotations

from gradual.conformance.cases.read import load
from gradual.conformance.implementations.given import given
from gradual.conformance.implementations.reference import Reference
from gradual.resources import folder
from gradual.tensors.json_form import to_json
from tests.thorough import sample


def test_arguments_are_those_that_the_checker_makes() -> None:
    reference, seen = Reference(), 0
    wrong = []
    for case in sample(load(folder("spec")).cases, 5):
        for call in case.request.calls:
            made, wanted = given(case.request, call), reference.given(case.request, call)
            seen += 1
            if list(map(to_json, made)) != list(map(to_json, wanted)):
                wrong.append((case.id, call))
    assert seen >= 200 and not wrong
