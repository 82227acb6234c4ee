"""The pairs of programs of which one says less, about branches that are never taken: where programs of tests begin."""

from __future__ import annotations

from tests.generators.program_terms import (
    UNKNOWN,
    Annotation,
    Body,
    Cast,
    Choice,
    Function,
    Item,
    Let,
    Size,
    Tensor,
    Text,
    Unranked,
)

BOOL = Tensor((), "bool")

_FOUR = "take(shape_of({}), 0, axis=0) == 4"
_NONE = "take(shape_of({}), 0, axis=0) == 0"


def _tensor(*sizes: str) -> Tensor:
    return Tensor(tuple(Size(size, fixed=size.isidentifier()) for size in sizes))


def _function(parameters: dict[str, Annotation], *items: Item, result: str, clauses: tuple[str, ...] = ()) -> Function:
    return Function("@main", tuple(parameters.items()), None, clauses, Body(items, result))


def _as(name: str, value: str, *sizes: str) -> Let:
    return Let(name, None, Cast(value, _tensor(*sizes)))


def _if(name: str, condition: str, then: Body, orelse: str) -> Let:
    return Let(name, None, Choice(condition, then, Body((), orelse)))


_FAILS = Body((_as("%v1", "%y", "5"), Let("%v2", None, Text("nn.relu(%y)"))), "%v2")
_NESTED = Body((_if("%v3", "%b", _FAILS, "%y"),), "%v3")
_CAST = Body((_as("%v4", "%x", "2", "3"),), "%v4")
_LEARNT = Body((Let("%v5", None, Text("nn.matmul(%x, %w)")),), "%x")


def _subjects() -> list[Annotation]:
    return [_tensor("3"), _tensor(UNKNOWN), _tensor("n"), _tensor("4"), Unranked()]


PAIRS: list[Function] = [
    *(
        _function({"%x": of, "%y": _tensor("3")}, _if("%v9", test.format("%x"), _FAILS, "%y"), result="%v9", clauses=c)
        for of in _subjects()
        for test in (_FOUR, _NONE)
        for c in ((), ("n >= 0",))
        if (c == ()) or of == _tensor("n")
    ),
    *(
        _function(
            {"%b": BOOL, "%x": of, "%y": _tensor("3")}, _if("%v9", _FOUR.format("%x"), _NESTED, "%y"), result="%v9"
        )
        for of in _subjects()
    ),
    *(
        _function(
            {"%c": of, "%w": _tensor("2", "2"), "%x": like},
            _if("%v8", _FOUR.format("%c"), then, "%w"),
            _as("%v9", "%v8", *last),
            result="%v9",
        )
        for of in (_tensor(UNKNOWN), _tensor("3"), _tensor("n"))
        for like in (_tensor("3"), _tensor("2", "3"), Unranked())
        for then, last in ((_CAST, ("2", "7")), (_LEARNT, ("7",)))
    ),
]
"""T1, T5 and T6; T2; T3 and T4, each with the subject of its test known, named, and unknown."""
