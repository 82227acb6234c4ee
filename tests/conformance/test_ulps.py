"""Elements are compared as they are stored: wrong roundings, wrong signs and steps of one ulp are told."""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.conformance.cases.answer import GotValue, Outcome, Report
from gradual.conformance.cases.case import Case, ExpectedValue, Request
from gradual.conformance.cases.copied import copied
from gradual.conformance.cases.levels import read_levels
from gradual.conformance.cases.read import load
from gradual.conformance.implementations.protocol import outcome
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner import ulps
from gradual.conformance.runner.bless import blessed
from gradual.conformance.runner.judge import outcome_judged
from gradual.conformance.runner.run import Class, Result, examined
from gradual.conformance.runner.ulps import same_element
from gradual.interface.input.values import Built, Call, Fields, Literal, Values
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.elementwise import row
from gradual.resources import folder
from gradual.tensors import scalar
from gradual.types.dtype import DType
from tests.conformance.suites import HEAD, collected
from tests.conformance.test_read import problems

NUMPY: Mapping[DType, Any] = {DType.FLOAT16: np.float16, DType.FLOAT32: np.float32, DType.FLOAT64: np.float64}


# ------------------------------------------------------------------------------------------------- one element
@pytest.mark.parametrize("dtype", NUMPY)
@given(st.floats(width=16, allow_nan=False, allow_infinity=False), st.integers(-5, 5), st.integers(0, 4))
def test_as_many_ulps_as_granted(dtype: DType, number: float, steps: int, granted: int) -> None:
    kind = NUMPY[dtype]
    found = float(kind(number))
    for _ in range(abs(steps)):
        found = _next(dtype, found, up=steps > 0)
    if math.isfinite(found) and found != 0.0:
        assert same_element(dtype, number, found, granted) is (abs(steps) <= granted)


@pytest.mark.parametrize(
    ("dtype", "wanted", "found", "granted", "same"),
    [
        ("float32", 0.1, 0.10000000149011612, 0, True),
        ("float32", 0.1, 0.1, 4, False),
        ("float16", 0.33325195, 0.3333333432674408, 1, False),
        ("bfloat16", 0.1, 0.1015625, 0, False),
        ("bfloat16", 0.1, 0.10009765625 + 2.0**-11, 1, True),
        ("float32", 0, -0.0, 1, False),
        ("float32", -0.0, 0.0, 1, False),
        ("float32", 0.0, 2.0**-149, 1, True),
        ("float32", -(2.0**-149), 2.0**-149, 1, False),
        ("float32", -(2.0**-149), 2.0**-149, 2, True),
        ("float64", math.nan, -math.nan, 0, True),
        ("float64", math.nan, 0.0, 99, False),
        ("float16", math.inf, 65504.0, 1, False),
        ("float16", 65504.0, math.inf, 1, False),
        ("float16", 65520, math.inf, 0, True),
        ("float64", 2**53 + 1, 2.0**53, 0, True),
        ("int64", 2**62, 2**62 + 1, 4, False),
        ("bool", True, True, 0, True),
    ],
)
def test_an_element(dtype: str, wanted: float, found: float, granted: int, same: bool) -> None:
    assert same_element(DType(dtype), wanted, found, granted) is same


# ---------------------------------------------------------------------------------------------------- the key
VALUE = HEAD.replace("=> float32[5, 11]", "=> float32 [[1.0]]")


def test_a_case_grants_ulps_to_its_values_only() -> None:
    (case,) = collected(VALUE.replace("`run.check.blame`\n", "`run.check.blame` ulps: `4`\n")).cases
    value, blame, fault = case.expectation.outcomes
    assert isinstance(value, ExpectedValue) and value.ulps == 4
    assert not hasattr(blame, "ulps") and not hasattr(fault, "ulps")
    near = GotValue(Literal("float32", (1, 1), (1.0 + 4 * 2.0**-23,)))
    far = GotValue(Literal("float32", (1, 1), (1.0 + 5 * 2.0**-23,)))
    assert not outcome_judged(value, near, ()) and outcome_judged(value, far, ())
    assert '"ulps": 4' in copied(case, read_levels(folder("spec")), "1.0.0")


def test_without_the_key_a_value_is_exact() -> None:
    (case,) = collected(VALUE).cases
    value = case.expectation.outcomes[0]
    assert outcome_judged(value, GotValue(Literal("float32", (1, 1), (1.0 + 2.0**-23,))), ())
    assert not outcome_judged(value, GotValue(Literal("float32", (1, 1), (1.0,))), ())


@pytest.mark.parametrize("words", ["ulps: `0`", "ulps: `some`", "ulps: `1` `2`", "ulps: `-1`", "ulps: `100`"])
def test_a_malformed_grant_is_refused(words: str) -> None:
    said = problems(VALUE.replace("`run.check.blame`\n", f"`run.check.blame` {words}\n"))
    assert "`ulps:` has one number from 1 to 99" in said


def test_a_chapter_grants_ulps_below_a_heading() -> None:
    granting = [case for case in suite() if case.id.startswith("scalar.float.ulps/")]
    assert granting and all(case.ulps == 1 for case in granting)


def test_bless_keeps_an_expectation_within_its_ulps() -> None:
    (case,) = (case for case in suite() if case.id == "scalar/function/exp")
    reference = Reference()
    answers = [_moved(reference.run(case.request, call), "float32", 1) for call in case.request.calls]
    assert "run" not in blessed(case, reference.check(case.request), answers)
    answers = [_moved(reference.run(case.request, call), "float32", 3) for call in case.request.calls]
    assert "run" in blessed(case, reference.check(case.request), answers)


# ------------------------------------------------------------------------------------------------------ a reply
def test_a_reply_is_compared_as_it_was_sent() -> None:
    sent = outcome({"outcome": "value", "value": {"tuple": [{"dtype": "float16", "shape": [], "data": ["0.3333"]}]}})
    assert sent == GotValue(Fields((Literal("float16", (), (0.3333,)),)))
    wanted = ExpectedValue(Fields((Literal("float16", (), (0.3333,)),)), 1)
    assert outcome_judged(wanted, sent, ())
    exact = outcome(
        {"outcome": "value", "value": {"tuple": [{"dtype": "float16", "shape": [], "data": [0.333251953125]}]}}
    )
    assert not outcome_judged(wanted, exact, ())


# ------------------------------------------------------------------------------------------------------- liars
FLOOR = 12
"""How many cases have to tell a liar; asking ends there."""

Kept = Callable[[DType, Iterable[Any]], "array[Any]"]
KEPT = scalar.kept


def single_for_half(dtype: DType, values: Iterable[Any]) -> array[Any]:
    """float16 and bfloat16 are computed and returned as float32."""
    return array("f", values) if dtype in (DType.FLOAT16, DType.BFLOAT16) else KEPT(dtype, values)


def _from_each(dtype: DType, values: Iterable[Any], chosen: Callable[[float, float, float], float]) -> array[Any]:
    """The elements, each chosen by the exact value, the nearest number and the next one on the value's other side."""
    exact = list(values)
    found = KEPT(dtype, exact)
    if not dtype.is_float or dtype is DType.FLOAT64:
        return found
    for place, (value, near) in enumerate(zip(exact, found, strict=True)):
        if math.isfinite(value) and near != value:
            found[place] = chosen(value, near, _next(dtype, near, up=value > near))
    return found


def toward_zero(dtype: DType, values: Iterable[Any]) -> array[Any]:
    """Floats narrower than binary64 are truncated."""
    return _from_each(dtype, values, lambda value, near, other: near if abs(near) <= abs(value) else other)


def ties_away(dtype: DType, values: Iterable[Any]) -> array[Any]:
    """Ties are rounded away from zero."""
    return _from_each(
        dtype, values, lambda value, near, other: max(near, other, key=abs) if value - near == other - value else near
    )


def flushed(dtype: DType, values: Iterable[Any]) -> array[Any]:
    """Subnormals are flushed to zero."""
    least = {DType.FLOAT16: 2.0**-14, DType.FLOAT64: 2.0**-1022}.get(dtype, 2.0**-126)
    found = KEPT(dtype, values)
    return array(found.typecode, (x * 0.0 if abs(x) < least else x for x in found)) if dtype.is_float else found


def saturated(dtype: DType, values: Iterable[Any]) -> array[Any]:
    """Integers saturate."""
    if not dtype.is_integer:
        return KEPT(dtype, values)
    low, high = scalar.integer_range(dtype)
    return KEPT(dtype, [min(max(value, low), high) for value in values])


def unsigned_zero(dtype: DType, values: Iterable[Any]) -> array[Any]:
    """-0.0 is returned as 0.0."""
    found = KEPT(dtype, values)
    return array(found.typecode, (x + 0.0 for x in found)) if dtype.is_float else found


@pytest.mark.parametrize("lie", [single_for_half, toward_zero, ties_away, flushed, saturated, unsigned_zero])
def test_who_keeps_elements_wrongly_is_told(lie: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "add" in CATALOGUE  # a module that is imported later would take the lie for good
    for name, module in list(sys.modules.items()):
        if name.startswith("gradual.ops.") or name in ("gradual.tensors.inner_products", "gradual.tensors.scalar"):
            for attribute in [key for key, value in vars(module).items() if value is KEPT]:
                monkeypatch.setattr(module, attribute, lie)
    monkeypatch.setattr(ulps, "rounded", lambda dtype, value: float(KEPT(dtype, (value,))[0]))  # the judge is honest
    assert vars(row)["kept"] is lie
    assert len(told(Reference(), suite(), FLOOR)) == FLOOR


class Moved:
    """The reference with every finite element of a type some ulps too great."""

    def __init__(self, dtype: str, steps: int) -> None:
        self.dtype, self.steps, self.reference = dtype, steps, Reference()

    def check(self, request: Request) -> Report:
        return self.reference.check(request)

    def format(self, request: Request) -> str:
        return self.reference.format(request)

    def run(self, request: Request, call: Call) -> Outcome:
        return _moved(self.reference.run(request, call), self.dtype, self.steps)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_one_ulp_too_great_is_told(dtype: str) -> None:
    assert len(told(Moved(dtype, 1), suite(), FLOOR)) == FLOOR


def test_one_ulp_is_granted_where_a_function_is_computed() -> None:
    granting = [case for case in suite() if case.ulps and "float64" not in case.id]
    assert granting and not told(Moved("float32", 1), granting, 1)
    assert len(told(Moved("float32", 3), granting, FLOOR)) == FLOOR


# ------------------------------------------------------------------------------------------------------ their tools
@cache
def suite() -> list[Case]:
    """The cases of element arithmetic."""
    return [case for case in load(folder("spec")).cases if case.file.endswith("elements.md") and case.request.calls]


def told(implementation: Any, cases: Sequence[Case], most: int) -> list[str]:
    """The first cases that an implementation fails; it answers to all that are asked."""
    results = (examined(case, implementation) for case in cases)
    return list(islice((found.case.id for found in results if failed(found)), most))


def failed(found: Result) -> bool:
    """Whether a case failed; a lie is an answer, so a crash is a fault of the test."""
    assert found.kind in (Class.PASS, Class.FAIL), found.trace
    return found.kind is Class.FAIL


def _moved(found: Outcome, dtype: str, steps: int) -> Outcome:
    return GotValue(_raised(found.value, dtype, steps)) if isinstance(found, GotValue) else found


def _raised(value: Values, dtype: str, steps: int) -> Values:
    match value:
        case Fields(items):
            return Fields(tuple(_raised(item, dtype, steps) for item in items))
        case Built(name, items):
            return Built(name, tuple(_raised(item, dtype, steps) for item in items))
        case Literal(found, shape, elements) if found == dtype:
            return Literal(found, shape, tuple(_stepped(DType(dtype), x, steps) for x in elements))
    return value


def _stepped(dtype: DType, value: float, steps: int) -> float:
    for _ in range(steps):
        value = _next(dtype, value, up=True) if math.isfinite(value) and value != 0.0 else value
    return value


def _next(dtype: DType, value: float, up: bool) -> float:
    """The next number of a float type, which stays an infinity."""
    if dtype is not DType.BFLOAT16:
        kind = NUMPY[dtype]
        with np.errstate(over="ignore"):
            return float(np.nextafter(kind(value), kind(math.inf if up else -math.inf)))
    if value == 0.0:
        return 2.0**-133 if up else -(2.0**-133)
    (bits,) = struct.unpack(">I", struct.pack(">f", value))
    moved: float = struct.unpack(">f", struct.pack(">I", bits + (0x10000 if up == (value > 0.0) else -0x10000)))[0]
    return moved
