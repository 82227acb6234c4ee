"""Trees of a text that is being edited: moved to another place, and with another statement."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from gradual.record import record
from gradual.source import NOWHERE, Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast

T = TypeVar("T")


# ------------------------------------------------------------------------------------------------------------- moving
def moved(node: T, by: int) -> T:
    """The node, or tuple of nodes, with its spans moved."""
    return node if by == 0 else _moved(node, by)


def _moved(node: Any, by: int) -> Any:
    kind = node.__class__
    if kind is Span:
        return Span(node.start + by, node.end + by) if node.end else NOWHERE
    if kind is tuple:
        return tuple([part if part.__class__ in _PLAIN else _moved(part, by) for part in node])
    parts = [getattr(node, name) for name in parts_of(kind)]
    return kind(*[part if part.__class__ in _PLAIN else _moved(part, by) for part in parts]) if parts else node


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""The classes of values in the fields of nodes that are no nodes themselves."""


@cache
def parts_of(kind: type) -> tuple[str, ...]:
    """The names of the fields of a class of nodes; empty for a class whose values are no nodes."""
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()


# ----------------------------------------------------------------------------------------------------------- changing
@record
class Change:
    """A stretch of a text that was replaced: where it begins, where it ended, and where it ends now."""

    start: int
    old: int
    new: int

    @property
    def grown(self) -> int:
        """By how much the text has grown."""
        return self.new - self.old

    def with_stretch(self, span: Span) -> Change:
        """The change, widened to cover everything inside a stretch of the old text."""
        end = max(self.old, span.end - 1)
        return Change(min(self.start, span.start + 1), end, end + self.grown)

    def leads(self, text: str, offset: int) -> bool:
        """Whether only blanks are before an offset on its line, and the change is on an earlier line.

        Then a `//` comment in the change ends before the offset; only an unclosed `/*` comment may reach it.
        """
        line = text.rfind("\n", self.new, offset)
        return line >= 0 and not text[line:offset].strip()


_HEAD = "def @_() {"


def with_statements(tree: ast.Def, text: str, by: int, change: Change) -> ast.Def | None:
    """A function after a change: only the statements around it are parsed; None if these cannot be parsed alone.

    The spans of the tree have to be moved by `by` to be those of the text, in which the change has been made.
    """
    body, start, end = tree.function.body, change.start - by, change.old - by
    if not isinstance(body, ast.Block) or not body.span.start < start <= end < body.span.end:
        return None
    items = body.items
    first = bisect_right(items, start, key=lambda item: item.span.end)
    last = bisect_left(items, end, lo=first, key=lambda item: item.span.start)
    shift = by + change.grown
    while last < len(items) and not change.leads(text, items[last].span.start + shift):
        last += 1
    begin = items[first - 1].span.end if first else body.span.start + 1
    stop = items[last].span.start if last < len(items) else body.span.end - 1
    if not change.leads(text, stop + shift):
        return None
    head = f"{_HEAD}0;" if first else _HEAD
    made = _statements(head, text[begin + by : stop + shift], last < len(items))
    if made is None:
        return None
    new = moved(made.items[1:] if first else made.items, begin - len(head))
    result = moved(body.result, change.grown) if last < len(items) else moved(made.result, begin - len(head))
    after = moved(items[last:], change.grown)
    return _with_body(tree, ast.Block((*items[:first], *new, *after), result, body.span), change.grown)


def without_statements(tree: ast.Def, change: Change) -> ast.Def | None:
    """A function after a change, without the statements around it; None if the change is not in its body."""
    body = tree.function.body
    if not isinstance(body, ast.Block) or not body.span.start < change.start <= change.old < body.span.end:
        return None
    items, result = body.items, body.result
    first = bisect_right(items, change.start, key=lambda item: item.span.end)
    last = bisect_left(items, change.old, lo=first, key=lambda item: item.span.start)
    after = (*items[:first], *moved(items[last:], change.grown))
    ends = moved(result, change.grown) if change.old < result.span.start else ast.Nothing(NOWHERE)
    return _with_body(tree, ast.Block(after, ends, body.span), change.grown)


def _statements(head: str, text: str, goes_on: bool) -> ast.Block | None:
    """The statements of a text, and if no others follow, the result; None if the text is something else."""
    whole = f"{head}{text}\n0}}" if goes_on else f"{head}{text}\n}}"
    module, errors = parse(Source("", whole), mend=False)
    match module.definitions:
        case [ast.Def(function=ast.Fn(body=ast.Block() as block), span=span)] if not errors and span.end == len(whole):
            ends = block.result.span == Span(len(whole) - 2, len(whole) - 1)
            return block if ends or not goes_on else None
        case _:
            return None


def _with_body(tree: ast.Def, body: ast.Block, grown: int) -> ast.Def:
    """A function with another body, which has grown."""
    span, whole, own = (Span(one.start, one.end + grown) for one in (body.span, tree.function.span, tree.span))
    return replace(tree, function=replace(tree.function, body=replace(body, span=span), span=whole), span=own)


# ---------------------------------------------------------------------------------------------------------- comparing
def alike(old: str, new: str) -> tuple[int, int]:
    """The lengths of the longest common prefix and of the longest common suffix of what then remains."""
    most = min(len(old), len(new))
    same = _longest(most, lambda size: old.startswith(new[:size]))
    return same, _longest(most - same, lambda size: old.endswith(new[len(new) - size :]))


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The greatest number up to `most` for which a condition holds that holds for all numbers below it."""
    return bisect_left(range(1, most + 1), True, key=lambda size: not holds(size))
