"""The same program in another arrangement: independent `let`s exchanged, a `let` written where it is used.

Only neighbours are touched, and never an `if` or a function literal, whose facts end inside, nor a conversion of data
or functions, whose parts may be on no way, nor fields that agree on one type, which nothing demands: what one of two
neighbours teaches is known to the other in either order, so that acceptance may not change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from tests.generators.program_terms import (
    SPELLED,
    Annotation,
    Arrow,
    Body,
    Cases,
    Cast,
    Choice,
    Fields,
    Item,
    Let,
    Literal,
    Named,
    Program,
    Size,
    Text,
    resized,
)

Rewrite = Callable[[tuple[Item, ...], str], tuple[Item, ...]]


def exchanged(program: Program, random: Random) -> Program:
    """The program with some neighbouring `let`s exchanged that do not mention each other."""

    def rewrite(items: tuple[Item, ...], result: str) -> tuple[Item, ...]:
        found = list(items)
        for i in range(len(found) - 1):
            first, second = found[i], found[i + 1]
            if _is_plain(first) and _is_plain(second) and _are_independent(first, second) and random.random() < 0.5:
                found[i : i + 2] = [second, first]
        return tuple(found)

    return rewritten(program, rewrite)


def inlined(program: Program, random: Random) -> Program:
    """The program with some `let`s that the next item alone mentions, once, written there."""

    def rewrite(items: tuple[Item, ...], result: str) -> tuple[Item, ...]:
        found = list(items)
        for i in reversed(range(len(found) - 1)):
            merged = _merged(found[i], found[i + 1])
            later = " ".join([*(text for item in found[i + 2 :] for text in _texts(item)), result])
            if merged is not None and found[i].name not in _spelled(later) and random.random() < 0.7:  # type: ignore[union-attr]
                found[i : i + 2] = [merged]
        return tuple(found)

    return rewritten(program, rewrite)


def _is_spoken_of(name: str, text: str) -> bool:
    """Whether a dim in the text is a size or an element of the variable: only a variable has a name there."""
    return re.search(rf"\bn?dim\({name}\b|{name}\[", text) is not None


def _merged(item: Item, following: Item) -> Item | None:
    """Both as one, None where that is not the same program."""
    if not (
        isinstance(item, Let) and item.annotation is None and isinstance(item.value, Text) and _is_plain(following)
    ):
        return None
    uses = [name for text in _texts(following) for name in _spelled(text)]
    assert isinstance(following, Let)
    if uses.count(item.name) != 1:
        return None
    match following.value:
        case Text(text) if item.name in _spelled(text) and not _is_spoken_of(item.name, text):
            return replace(following, value=Text(re.sub(rf"{item.name}\b", f"({item.value.text})", text)))
        case Cast(value, annotation) if value == item.name:
            return replace(following, value=Cast(f"({item.value.text})", annotation))
    return None


def _is_plain(item: Item) -> bool:
    """Whether it is a `let` whose facts stay and which reads and writes no reference, as far as its text shows."""
    if not isinstance(item, Let) or isinstance(item.value, Choice | Literal | Cases):
        return False
    if _converts(item.annotation) or (isinstance(item.value, Cast) and _converts(item.value.annotation)):
        return False
    return not any(re.search(r"\bref|[%@]\w+\(|\bCons\(", text) for text in _texts(item))


def _converts(annotation: Annotation | None) -> bool:
    """Whether data or functions may be converted to the type."""
    if isinstance(annotation, Fields):
        return any(map(_converts, annotation.fields))
    return isinstance(annotation, Named | Arrow)


def _are_independent(first: Item, second: Item) -> bool:
    """Whether neither mentions the other's name, or a dim that the other binds."""
    assert isinstance(first, Let) and isinstance(second, Let)
    left, right = _mentioned(first), _mentioned(second)
    return left.isdisjoint(_bound(second)) and right.isdisjoint(_bound(first))


def _mentioned(item: Let) -> set[str]:
    return {name for text in _texts(item) for name in _spelled(text)}


def _bound(item: Let) -> set[str]:
    """What later items may mention because of this one."""
    return {item.name, *(size.text for size in _sizes(item) if size.fixed)}


def _spelled(text: str) -> list[str]:
    return re.findall(SPELLED, text)


def _sizes(item: Let) -> Iterator[Size]:
    found: list[Size] = []

    def keep(size: Size) -> Size:
        found.append(size)
        return size

    for annotation in (item.annotation, item.value.annotation if isinstance(item.value, Cast) else None):
        if annotation is not None:
            resized(annotation, keep)
    yield from found


def _texts(item: Item) -> Iterator[str]:
    """Everything that an item mentions."""
    if not isinstance(item, Let):
        yield item.condition
        return
    yield from (size.text for size in _sizes(item))
    match item.value:
        case Text(text):
            yield text
        case Cast(value):
            yield value
        case Choice(condition, then, orelse):
            yield condition
            for body in (then, orelse):
                yield from _texts_of(body)
        case Literal(parameters, result, body):
            yield from (str(annotation) for _, annotation in parameters)
            yield str(result)
            yield from _texts_of(body)
        case Cases(value, arms):
            yield value
            for pattern, body in arms:
                yield pattern
                yield from _texts_of(body)


def _texts_of(body: Body) -> Iterator[str]:
    for item in body.items:
        yield from _texts(item)
    yield body.result


def rewritten(program: Program, rewrite: Rewrite) -> Program:
    """The program with the items of every block rewritten."""

    def body(given: Body) -> Body:
        items = tuple(map(inside, given.items))
        return replace(given, items=rewrite(items, given.result))

    def inside(item: Item) -> Item:
        match item:
            case Let(value=Choice(condition, then, orelse)):
                return replace(item, value=Choice(condition, body(then), body(orelse)))
            case Let(value=Literal(body=inner) as literal):
                return replace(item, value=replace(literal, body=body(inner)))
            case Let(value=Cases(value, arms)):
                return replace(item, value=Cases(value, tuple((pattern, body(inner)) for pattern, inner in arms)))
        return item

    return Program(tuple(replace(function, body=body(function.body)) for function in program.functions))
