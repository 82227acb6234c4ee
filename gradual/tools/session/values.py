"""Values without a name in an input: `_`, the last value, and `float32[2, 3]`, a tensor drawn from the seed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gradual.interface.input.arguments import made
from gradual.interface.input.values import read_value
from gradual.record import record
from gradual.source import Source
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import within
from gradual.tensors.value import Value
from gradual.tools.session.program import HIDDEN, Part, Piece, Stand
from gradual.tools.session.session import UNNAMED, Bound, State
from gradual.tools.session.session import piece as piece_of
from gradual.types.dtype import DType

LAST = "_"
_TENSOR = re.compile(r"\w+\s*\[[-+.\w\s,\[\]]*\]")


@record
class Words:
    """An entry of an input, with variables for its values without a name.

    Attributes:
        values: these variables.
    """

    parts: tuple[Part, ...]
    values: tuple[Bound, ...]

    def within(self, state: State) -> State:
        """The state with these variables."""
        return replace(state, bound=(*state.bound, *self.values))


def words_of(source: Source, entry: ast.Item | ast.Expr, last: Value | None, number: int, seed: int) -> Words:
    """An entry in which variables stand for `_` and for drawn tensors.  Raises ValueError if one cannot be drawn.

    The k-th argument of a call is drawn with `seed + k`, as by `gradual run`; other tensors get the seeds after these.
    """
    whole = piece_of(source, entry)
    parts: list[Part] = []
    found: list[Bound] = []
    at = whole.span.start
    for node, drawn_with in _nameless(entry, seed):
        text = source.text[node.span.start : node.span.end]
        value = last if text == LAST else _drawn(text, drawn_with)
        if value is None or node.span.start < at:
            continue
        origin = Piece(HIDDEN, source, node.span)
        found.append(Bound(f"{UNNAMED}{number}_{len(found)}", value, origin))
        parts += [_between(whole, at, node.span.start), Stand(found[-1].name, origin)]
        at = node.span.end
    parts.append(_between(whole, at, whole.span.end))
    return Words(tuple(parts), tuple(found))


def asks_for_last(entry: ast.Item | ast.Expr) -> bool:
    """Whether an entry has `_` as an expression."""
    return any(isinstance(node, ast.Name) and node.name == LAST for node, _ in _nameless(entry, 0))


def _between(whole: Piece, start: int, end: int) -> Piece:
    return Piece(whole.name, whole.source, type(whole.span)(start, end))


def _nameless(entry: ast.Item | ast.Expr, seed: int) -> Iterator[tuple[ast.Expr, int]]:
    """The expressions `_` and `dtype[…]` in the order of the text, each with its seed."""
    expression = _expression(entry)
    if expression is None:
        return
    arguments = expression.arguments if isinstance(expression, ast.Call) else ()
    seeds = {argument.span: seed + k for k, argument in enumerate(arguments)}
    following = seed + len(arguments)
    for node in sorted(within(expression), key=lambda one: one.span.start):
        match node:
            case ast.Name(name=name) if name == LAST:
                yield node, 0
            case ast.Instance(function=ast.Name(name=name)) if name in set(DType):
                yield node, seeds.get(node.span, following)
                following += node.span not in seeds


def _expression(entry: ast.Item | ast.Expr) -> ast.Expr | None:
    match entry:
        case ast.Let(value=value):
            return value
        case ast.Assert(condition=condition):
            return condition
        case ast.FreeVar():
            return None
        case _:
            return entry


def _drawn(text: str, seed: int) -> Value | None:
    """The tensor of `float32[2, 3]` or `int32 [1, 2]`; None for another text."""
    if not _TENSOR.fullmatch(text):
        return None
    try:
        read = read_value(text)
    except ValueError:
        return None
    return made(read, None, seed)
