"""Less precise programs: annotated dims replaced by `?`, never the binding occurrence of a name."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.generators.program_terms import UNKNOWN, Annotation, Program, Size, annotated, resized

DEGREES = (0.2, 0.5, 0.9)


def blurred(program: Program, chosen: Callable[[int], bool]) -> Program:
    """The program with the chosen positions unknown; positions are counted in the order of the text."""
    position = -1

    def size(size: Size) -> Size:
        nonlocal position
        if size.fixed or size.text == UNKNOWN:
            return size
        position += 1
        return Size(UNKNOWN) if chosen(position) else size

    def change(annotation: Annotation) -> Annotation:
        return resized(annotation, size)

    return annotated(program, change)


def positions(program: Program) -> int:
    """How many dims may be blurred."""
    count = 0

    def chosen(position: int) -> bool:
        nonlocal count
        count = position + 1
        return False

    blurred(program, chosen)
    return count


def randomly_blurred(program: Program, random: Random) -> list[Program]:
    """One less precise program for each degree, and the least precise one."""
    return [blurred(program, lambda _, degree=degree: random.random() < degree) for degree in (*DEGREES, 1.1)]
