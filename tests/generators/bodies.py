"""The bodies of a generated function, outermost first, each with the float32 tensors that may be mentioned in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.generators.program_terms import Body, Cases, Cast, Choice, Expression, Item, Let, Literal, Tensor, Text

Ranks = dict[str, int | None]
"""Float32 tensors, oldest first, with their ranks; None where the rank is not known."""


def bodies(body: Body, held: Ranks, tested: bool = False) -> Iterator[tuple[Ranks, bool]]:
    """What may be mentioned at the begin of each body, and whether it stands in a branch of a test."""
    yield held, tested
    for item in body.items:
        if isinstance(item, Let):
            match item.value:
                case Choice(condition, then, orelse):
                    inside = tested or not condition.startswith(("%", "sum"))
                    yield from bodies(then, dict(held), inside)
                    yield from bodies(orelse, dict(held), inside)
                case Literal(parameters, _, inner):
                    yield from bodies(inner, held | {name: 1 for name, _ in parameters}, tested)
                case Cases(_, arms):
                    for _, arm in arms:
                        yield from bodies(arm, dict(held), tested)
        held = held | bound(item)


def with_body(body: Body, at: int, change: Callable[[Body], Body]) -> Body:
    """The body with one of its bodies changed, by its place among `bodies`."""
    left = at

    def visit(one: Body) -> Body:
        nonlocal left
        left -= 1
        if left == -1:
            return change(one)
        return replace(one, items=tuple(map(visited, one.items)))

    def visited(item: Item) -> Item:
        return replace(item, value=inside(item.value)) if isinstance(item, Let) else item

    def inside(value: Expression) -> Expression:
        match value:
            case Choice(condition, then, orelse):
                return Choice(condition, visit(then), visit(orelse))
            case Literal(body=inner):
                return replace(value, body=visit(inner))
            case Cases(held, arms):
                return Cases(held, tuple((pattern, visit(arm)) for pattern, arm in arms))
            case _:
                return value

    return visit(body)


def bound(item: Item) -> Ranks:
    """The float32 tensor that an item binds; of a cast the rank is known."""
    if not isinstance(item, Let) or isinstance(item.value, Literal) or _is_condition(item.value):
        return {}
    match item.value:
        case Cast(_, Tensor(sizes)):
            return {item.name: len(sizes)}
        case _:
            return {item.name: None}


def _is_condition(value: Expression) -> bool:
    return isinstance(value, Text) and (" == " in value.text or " > " in value.text or value.text.startswith("logical"))
