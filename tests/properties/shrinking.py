"""Smaller programs: a let deleted, a branch instead of an `if`, an annotation dropped, a dim made constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.generators.program_terms import (
    Body,
    Cases,
    Choice,
    Function,
    Item,
    Let,
    Literal,
    Program,
    Size,
    Tensor,
    Text,
    annotated,
    resized,
)

_ROUNDS = 400


def shrunk(program: Program, fails: Callable[[Program], bool]) -> Program:
    """A smaller program that still fails, by greedy steps."""
    for _ in range(_ROUNDS):
        smaller = next((found for found in candidates(program) if found != program and fails(found)), None)
        if smaller is None:
            break
        program = smaller
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Programs one step smaller, the boldest steps first."""
    functions = program.functions
    for i in range(len(functions) - 1):
        yield Program(functions[:i] + functions[i + 1 :])
    for i, function in enumerate(functions):
        for smaller in _functions(function):
            yield Program((*functions[:i], smaller, *functions[i + 1 :]))
    yield from _constant_dims(program)


def _functions(function: Function) -> Iterator[Function]:
    for body in _bodies(function.body):
        yield replace(function, body=body)
    if function.result is not None:
        yield replace(function, result=None)
    for i in range(len(function.clauses)):
        yield replace(function, clauses=function.clauses[:i] + function.clauses[i + 1 :])
    for i in range(len(function.parameters)):
        if len(function.parameters) > 1:
            yield replace(function, parameters=function.parameters[:i] + function.parameters[i + 1 :])


def _bodies(body: Body) -> Iterator[Body]:
    for i in reversed(range(len(body.items))):
        yield replace(body, items=body.items[:i] + body.items[i + 1 :])
    for i, item in enumerate(body.items):
        if isinstance(item, Let):
            for items in _items(item):
                yield replace(body, items=(*body.items[:i], *items, *body.items[i + 1 :]))
    names = [item.name for item in body.items if isinstance(item, Let)]
    for name in reversed(names):
        if name != body.result:
            yield replace(body, result=name)


def _items(item: Let) -> Iterator[tuple[Item, ...]]:
    if item.annotation is not None:
        yield (replace(item, annotation=None),)
    match item.value:
        case Choice(condition, then, orelse):
            for branch in (then, orelse):
                yield (*branch.items, Let(item.name, item.annotation, Text(branch.result)))
            for smaller in _bodies(then):
                yield (replace(item, value=Choice(condition, smaller, orelse)),)
            for smaller in _bodies(orelse):
                yield (replace(item, value=Choice(condition, then, smaller)),)
        case Literal(body=body) as literal:
            for smaller in _bodies(body):
                yield (replace(item, value=replace(literal, body=smaller)),)
        case Cases(value, arms):
            for i, (pattern, body) in enumerate(arms):
                if pattern in ("Nil", "None_"):
                    yield (*body.items, Let(item.name, item.annotation, Text(body.result)))
                for smaller in _bodies(body):
                    yield (replace(item, value=Cases(value, (*arms[:i], (pattern, smaller), *arms[i + 1 :]))),)


def _constant_dims(program: Program) -> Iterator[Program]:
    for place in range(_count(program)):
        for number in ("1", "2"):
            yield _with_size(program, place, number)
    for place in range(_count(program)):
        yield _shorter(program, place)


def _count(program: Program) -> int:
    count = 0

    def size(size: Size) -> Size:
        nonlocal count
        count += 1
        return size

    annotated(program, lambda annotation: resized(annotation, size))
    return count


def _with_size(program: Program, place: int, text: str) -> Program:
    at = -1

    def size(size: Size) -> Size:
        nonlocal at
        at += 1
        return Size(text) if at == place and size.text not in ("1", "2") else size

    return annotated(program, lambda annotation: resized(annotation, size))


def _shorter(program: Program, place: int) -> Program:
    """The program with the annotation at a place one rank lower."""
    at = -1

    def change(annotation: object) -> object:
        nonlocal at
        at += 1
        if at == place and isinstance(annotation, Tensor):
            return Tensor(annotation.sizes[1:], annotation.dtype)
        return annotation

    return annotated(program, change)  # type: ignore[arg-type]
