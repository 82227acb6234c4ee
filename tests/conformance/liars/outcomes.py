"""Liars that change the outcome of a call."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradual.conformance.cases.answer import GotBlame, GotFault, GotValue, Outcome
from gradual.conformance.cases.case import Place, Request
from gradual.conformance.implementations.reference import values_of
from gradual.interface.input.values import Built, Call, Fields, Literal, Values
from gradual.tensors.index import numel
from tests.conformance.liars.truth import Liar, Truth

NOTHING = GotValue(Literal("int32", (), (0,)))


def values_lie(name: str, change: Callable[[Literal], Values]) -> Liar:
    """A liar that changes each tensor of a result."""

    def answer(truth: Truth, request: Request, call: Call, outcome: Outcome) -> Outcome:
        return GotValue(_each(outcome.value, change)) if isinstance(outcome, GotValue) else outcome

    return Liar(name, answer=answer)


def _each(value: Values, change: Callable[[Literal], Values]) -> Values:
    match value:
        case Fields(items):
            return Fields(tuple(_each(item, change) for item in items))
        case Built(constructor, items):
            return Built(constructor, tuple(_each(item, change) for item in items))
        case Literal():
            return change(value)
    raise AssertionError(value)


def elements_lie(name: str, change: Callable[[Any], Any]) -> Liar:
    """A liar that changes each element of a result."""
    return values_lie(name, lambda held: replace(held, elements=tuple(map(change, held.elements))))


def _nan_lost(element: Any) -> Any:
    return 0.0 if element != element else element


def _sign_of_zero_lost(element: Any) -> Any:
    return 0.0 if element == 0.0 and isinstance(element, float) else element


def _infinity_lost(element: Any) -> Any:
    return (
        math.copysign(3.4028234663852886e38, element) if isinstance(element, float) and math.isinf(element) else element
    )


def _transposed(held: Literal) -> Literal:
    """A square matrix transposed."""
    if len(held.shape) != 2 or held.shape[0] != held.shape[1]:
        return held
    size = held.shape[0]
    return replace(held, elements=tuple(held.elements[j * size + i] for i in range(size) for j in range(size)))


def _wider(held: Literal) -> Literal:
    return replace(held, dtype={"float32": "float64", "int32": "int64"}.get(held.dtype or "", held.dtype))


def _flat(held: Literal) -> Literal:
    return replace(held, shape=(numel(held.shape),))


def _fields_reversed(truth: Truth, request: Request, call: Call, outcome: Outcome) -> Outcome:
    if isinstance(outcome, GotValue) and isinstance(outcome.value, Fields):
        return GotValue(Fields(tuple(reversed(outcome.value.items))))
    return outcome


def _first_argument(truth: Truth, request: Request, call: Call, outcome: Outcome) -> Outcome:
    given = truth.given(request, call)
    return GotValue(values_of(given[0])) if given and isinstance(outcome, GotValue) else outcome


def blame_lie(name: str, change: Callable[[GotBlame], Outcome]) -> Liar:
    """A liar that changes blame."""
    return Liar(
        name, answer=lambda truth, request, call, found: change(found) if isinstance(found, GotBlame) else found
    )


def fault_lie(name: str, change: Callable[[GotFault], Outcome]) -> Liar:
    """A liar that changes faults."""
    return Liar(
        name, answer=lambda truth, request, call, found: change(found) if isinstance(found, GotFault) else found
    )


def _next_code(code: str) -> str:
    return f"E{(int(code[1:]) + 1) % 10000:04}"


OUTCOMES: tuple[Liar, ...] = (
    elements_lie("NaN becomes 0", _nan_lost),
    elements_lie("-0.0 becomes 0.0", _sign_of_zero_lost),
    elements_lie("infinities become the greatest float32", _infinity_lost),
    elements_lie("every element is 0", lambda element: type(element)(0)),
    values_lie("square matrices are transposed", _transposed),
    values_lie("results are wider", _wider),
    values_lie("results are flat", _flat),
    Liar("tuples are reversed", answer=_fields_reversed),
    Liar("runs return the first argument", answer=_first_argument),
    blame_lie("failed checks are ignored", lambda found: NOTHING),
    blame_lie("blame has no places", lambda found: replace(found, blames=())),
    blame_lie("blame has one place", lambda found: replace(found, blames=found.blames[:1])),
    blame_lie("blame is put on the first word", lambda found: replace(found, blames=(Place(1, 1, 1, 4),))),
    blame_lie("blame has another code", lambda found: replace(found, code=_next_code(found.code))),
    blame_lie("blame cites another rule", lambda found: replace(found, rule="run.entry.none")),
    blame_lie("a fault in place of blame", lambda found: GotFault(found.code)),
    fault_lie("faults are ignored", lambda found: NOTHING),
    fault_lie("faults have another code", lambda found: GotFault(_next_code(found.code))),
    fault_lie("blame in place of a fault", lambda found: GotBlame(found.code, "run.fault", ())),
)
"""Liars about outcomes."""
