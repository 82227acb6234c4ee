"""The lines of the blocks that follow a program: `types`, `checks`, `run`, `variants`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from gradual.conformance.cases.annotation import place
from gradual.conformance.cases.case import (
    ExpectedBlame,
    ExpectedCheck,
    ExpectedFault,
    ExpectedOutcome,
    ExpectedPlace,
    ExpectedType,
    ExpectedValue,
    Fence,
    Place,
)
from gradual.interface.input.values import Call, read_call, read_value
from gradual.record import record

T = TypeVar("T")
_TYPE = re.compile(r"^(?:(@[\w.]+) )?([@%][\w.]+|result)\s*:\s+(\S.*)$")
_CHECK = re.compile(r"^(may )?(\S.*?)\s+at (\S+)\s+by (\S+)\s+blames (\S.*)$")
_PLACE = re.compile(r"^(?:(type) (@?[\w.]+(?: %[\w./:]+)?)|(check) (\S+))\s+at (\S+)$")
_VARIANT = re.compile(r"^(\S+)\s+((?:[A-Z]\w*=\S+\s+)+)(accept|reject (E\d{4}))$")
_FILLING = re.compile(r"([A-Z]\w*)=(\S+)")


@record
class Variant:
    """A variant of the program, written `exact K=784 accept`: each `<<K>>` filled in, and the expected verdict."""

    name: str
    filling: tuple[tuple[str, str], ...]
    code: str | None
    line: int


def lines_of(fence: Fence, read: Callable[[str, int], T]) -> tuple[list[T], list[tuple[int, str]]]:
    """The results of `read` for each nonempty line, and the lines for which it failed, with the reason."""
    found: list[T] = []
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(fence.lines, fence.line):
        try:
            if line.strip():
                found.append(read(line.strip(), number))
        except ValueError as error:
            problems.append((number, str(error)))
    return found, problems


def type_line(text: str, number: int) -> ExpectedType:
    """Parse a line of `types`: `@f : T` or `%x : T` or `@f %x : T`."""
    if not (match := _TYPE.match(text)):
        raise ValueError(f"expected `@f : T`, `%x : T` or `@f %x : T`, found `{text}`")
    return ExpectedType(match[1], match[2], match[3], number)


def check_line(text: str, number: int) -> ExpectedCheck:
    """Parse a line of `checks`: `condition at 2:12-2:14 by rule blames 1:28-1:29, …`."""
    if not (match := _CHECK.match(text)):
        raise ValueError(f"expected `condition at L:C-L:C by rule blames L:C-L:C`, found `{text}`")
    return ExpectedCheck(match[2], place(match[3]), match[4], places(match[5]), bool(match[1]), number)


def places(text: str) -> tuple[Place, ...]:
    """Parse ranges separated by commas."""
    return tuple(place(part) for part in text.split(","))


def place_line(text: str, number: int) -> ExpectedPlace:
    """Parse a line of `places`: `type @f at 1:5-1:7`, `type @f %x at 1:8-1:10` or `check rule at 2:12-2:14`."""
    if not (match := _PLACE.match(text)):
        raise ValueError(f"expected `type @f at L:C-L:C`, `type @f %x at …` or `check rule at …`, found `{text}`")
    return ExpectedPlace(match[1] or match[3], match[2] or match[4], place(match[5]), number)


def run_line(text: str, number: int) -> tuple[Call, ExpectedOutcome]:
    """Parse a line of `run`: `@f(…) => outcome`."""
    call, arrow, outcome = text.partition(" => ")
    if not arrow:
        raise ValueError(f"expected `@f(…) => outcome`, found `{text}`")
    return read_call(call), outcome_of(outcome.strip(), number)


def outcome_of(text: str, number: int) -> ExpectedOutcome:
    """Parse an outcome: `blame E0601 1:28-1:29`, `fault E0603`, or a value with its dtype."""
    word, _, rest = text.partition(" ")
    if word == "blame":
        code, _, where = rest.partition(" ")
        return ExpectedBlame(_code(code), places(where), number)
    if word == "fault":
        return ExpectedFault(_code(rest), number)
    return ExpectedValue(read_value(text), number)


def _code(text: str) -> str:
    if not re.fullmatch(r"E\d{4}", text):
        raise ValueError(f"expected a code such as E0601, found `{text}`")
    return text


def variant_line(text: str, number: int) -> Variant:
    """Parse a line of `variants`: `name K=? accept` or `name K=3 reject E0301`."""
    if not (match := _VARIANT.match(text)):
        raise ValueError(f"expected `name K=? accept` or `name K=3 reject E0301`, found `{text}`")
    return Variant(match[1], tuple(_FILLING.findall(match[2])), match[4], number)
