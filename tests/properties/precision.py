"""Less precise programs: dims replaced by `?` and shapes by `*`, never the binding occurrence of a name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.generators.program_terms import (
    UNKNOWN,
    Annotation,
    Function,
    Program,
    Size,
    Tensor,
    Unranked,
    annotated,
    reshaped,
    resized,
)

DEGREES = (0.2, 0.5, 0.9, 1.0)
TAKEN = 2
"""How many of the degrees are taken of one program."""

WHOLE = 0.4
"""How much rarer a whole shape is blurred than a dim."""

OUTSIDE = 0.35
"""How often the types of parameters alone are blurred: what is written inside still demands all that it did."""

SHAPELESS = 0.15
"""How often every shape is blurred: checking such a program asks each operator at every rank."""


def blurred(
    program: Program, dims: Callable[[], bool], shapes: Callable[[], bool], *, outside: bool = False
) -> Program:
    """The program with the chosen dims and shapes unknown, asked for in the order of the text; scalars at last.

    Only those of parameters if `outside`.
    """

    def tensor(given: Tensor) -> Annotation:
        if given.sizes and not any(size.fixed for size in given.sizes) and shapes():
            return Unranked(given.dtype)
        return Tensor(tuple(size(one) for one in given.sizes), given.dtype)

    def size(given: Size) -> Size:
        return Size(UNKNOWN) if not given.fixed and given.text != UNKNOWN and dims() else given

    found = annotated(program, lambda annotation: reshaped(annotation, tensor))
    if outside:
        pairs = zip(program.functions, found.functions, strict=True)
        found = Program(tuple(replace(function, parameters=other.parameters) for function, other in pairs))
    return Program(tuple(_without_scalars(function, shapes) for function in found.functions))


def _without_scalars(function: Function, shapes: Callable[[], bool]) -> Function:
    """The function with the chosen scalar parameters of unknown rank, of which no type in it speaks."""
    spoken: list[str] = []

    def keep(size: Size) -> Size:
        spoken.extend(re.findall(r"%\w+", size.text))
        return size

    annotated(Program((function,)), lambda annotation: resized(annotation, keep))

    def parameter(name: str, annotation: Annotation) -> Annotation:
        if isinstance(annotation, Tensor) and not annotation.sizes and name not in spoken and shapes():
            return Unranked(annotation.dtype)
        return annotation

    return replace(function, parameters=tuple((name, parameter(name, of)) for name, of in function.parameters))


def randomly_blurred(program: Program, random: Random) -> list[Program]:
    """Less precise programs of some degrees, at the last of which no dim is left, and sometimes without any shape."""
    found = []
    for degree in random.sample(DEGREES, TAKEN):

        def dims(degree: float = degree) -> bool:
            return random.random() < degree

        def shapes(degree: float = degree) -> bool:
            return degree < 1 and random.random() < degree * WHOLE

        found.append(blurred(program, dims, shapes, outside=random.random() < OUTSIDE))
    if random.random() < SHAPELESS:
        found.append(blurred(program, lambda: True, lambda: True))
    return found
