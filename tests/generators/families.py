"""Families of programs: one that is grown, and relatives that differ from it in sizes.

Growing a program takes some twenty checks, a relative one or two.  A relative has other sizes in some annotations and
other small numbers in some expressions, so that its obligations are other ones; it is kept if it is accepted, and
sometimes if it is not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from random import Random

from tests.generators.growing import KEPT_REJECTS, Compile
from tests.generators.program_terms import (
    Annotation,
    Body,
    Cases,
    Choice,
    Expression,
    Function,
    Item,
    Let,
    Literal,
    Program,
    Size,
    Text,
    annotated,
    resized,
)
from tests.generators.programs import generated, generated_about
from tests.generators.testing import generated_tests

MEMBERS = 8
"""How many programs a family has, the one that is grown among them."""

SIZES = 0.25
"""How often a size of an annotation becomes another one."""

NUMBERS = 0.1
"""How often a number of an expression becomes another one."""

ABOUT = {1: "branches", 2: "numbers", 4: "branches", 5: "declared", 7: "data", 8: "branches", 10: "functions"}
"""What families are about, of every dozen."""

TESTS = (6, 11)
"""Which of every dozen are of tests on sizes whose branches hold what no size makes right."""

_CONSTANTS = ("0", "1", "2", "3", "4", "6")
_ATTEMPTS = 6
_NUMBER = r"(?<![\w%.@])\d+(?![\w.])"


def member(number: int, compile: Compile) -> Program | None:
    """The program of a number: the first of each family is grown; None for a relative that could not be found."""
    family, place = divmod(number, MEMBERS)
    grown = _grown(family, compile)
    if place == 0:
        return grown
    random = Random(f"relative {number}")
    for _ in range(_ATTEMPTS):
        found = relative(grown, random)
        if found != grown and (random.random() < KEPT_REJECTS or compile(str(found)).ok):
            return found
    return None


@lru_cache(1)
def _grown(family: int, compile: Compile) -> Program:
    if family % 12 in TESTS:
        return generated_tests(family, compile)
    kind = ABOUT.get(family % 12)
    return generated(family, compile) if kind is None else generated_about(kind, family, compile)


def relative(program: Program, random: Random) -> Program:
    """The program with some sizes and numbers drawn anew."""
    return Program(tuple(_function(function, random) for function in program.functions))


def _function(function: Function, random: Random) -> Function:
    """A size becomes a constant or one that a parameter has, so that every name in it is in scope."""
    own = {size.text for _, annotation in function.parameters for size in _sizes(annotation)}
    choices = [*sorted(size for size in own if "dim(" not in size), *_CONSTANTS]

    def size(given: Size) -> Size:
        return given if given.fixed or random.random() > SIZES else Size(random.choice(choices))

    (changed,) = annotated(Program((function,)), lambda annotation: resized(annotation, size)).functions
    return replace(changed, body=_body(changed.body, random))


def _sizes(annotation: Annotation) -> list[Size]:
    found: list[Size] = []

    def keep(size: Size) -> Size:
        found.append(size)
        return size

    resized(annotation, keep)
    return found


def _body(body: Body, random: Random) -> Body:
    return replace(body, items=tuple(_item(item, random) for item in body.items))


def _item(item: Item, random: Random) -> Item:
    return replace(item, value=_value(item.value, random)) if isinstance(item, Let) else item


def _value(value: Expression, random: Random) -> Expression:
    match value:
        case Text(text):
            return Text(re.sub(_NUMBER, lambda found: _number(found.group(), random), text))
        case Choice(condition, then, orelse):
            return Choice(condition, _body(then, random), _body(orelse, random))
        case Literal(body=body):
            return replace(value, body=_body(body, random))
        case Cases(held, arms):
            return Cases(held, tuple((pattern, _body(body, random)) for pattern, body in arms))
        case _:
            return value


def _number(text: str, random: Random) -> str:
    return random.choice(_CONSTANTS[:5]) if random.random() < NUMBERS else text
