"""A reader of printed types that shares nothing with the checker, to compare its types with those TVM printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from gradual.syntax.tree import ast

COMMENT = re.compile(r"\s*/\* ty=(.*?)(?: span=[^ ]*)? \*/", re.DOTALL)


@dataclass(frozen=True)
class Tensor:
    """Sizes as they are written (None: unknown rank), and the element type."""

    shape: tuple[str, ...] | None
    dtype: str


@dataclass(frozen=True)
class Group:
    """A tuple, or the parameters and the result of a function."""

    kind: str
    parts: tuple[Type, ...]


Type = Tensor | Group


def type_of(text: str) -> Type:
    """The type that a text is; nodes of metadata, which stand for sizes that are formulas, say nothing."""
    text = text.partition("\n#[metadata]")[0].strip()
    if text.startswith("fn "):
        return _function(text)
    if text.startswith("("):
        return Group("tuple", tuple(type_of(part) for part in _parts(text[1:-1])))
    if not text.startswith("Tensor["):
        return Tensor((), text)
    shape, dtype = _parts(text[len("Tensor[") : -1])
    return Tensor(None if shape == "*" else tuple(map(_size, _parts(shape[1:-1]))), dtype)


def _function(text: str) -> Group:
    opening = text.index("(")
    closing = _closing(text, opening)
    result = text[closing + 1 :].strip().removeprefix("->").partition(" where ")[0]
    return Group("fn", (*(type_of(part) for part in _parts(text[opening + 1 : closing])), type_of(result)))


def _closing(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
    raise AssertionError(text)


def _parts(text: str) -> list[str]:
    """What stands between commas outside every bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _size(text: str) -> str:
    return text.removesuffix("i64")


def is_known(size: str) -> bool:
    """Whether a size is a number."""
    return size.isdecimal()


def at_least_as_precise(ours: Type, theirs: Type) -> bool:
    """Whether the same structure and element types stand here, and every number there is the same number here."""
    match ours, theirs:
        case Tensor(shape, dtype), Tensor(other, wanted):
            if dtype != wanted or other is None or shape is None:
                return dtype == wanted and other is None
            return len(shape) == len(other) and all(
                a == b or not is_known(b) for a, b in zip(shape, other, strict=True)
            )
        case Group(kind, parts), Group(other_kind, others):
            return kind == other_kind and len(parts) == len(others) and all(map(at_least_as_precise, parts, others))
    return False


def sizes(type: Type) -> Iterator[str]:
    """Every size of a type."""
    match type:
        case Tensor(shape):
            yield from shape if shape is not None else ("*",)
        case Group(_, parts):
            for part in parts:
                yield from sizes(part)


def tally(type: Type) -> Counter[str]:
    """How many sizes are numbers, terms over names, and `?`."""
    return Counter("number" if is_known(size) else "?" if size[0] in "?*" else "term" for size in sizes(type))


# ------------------------------------------------------------------------------- where TVM printed a type
def printed_types(text: str, module: ast.Module) -> dict[int, tuple[str, Type]]:
    """The name and the type that TVM printed of each parameter, let, graph variable and result, by where it starts."""
    found: dict[int, tuple[str, Type]] = {}
    for name, start, end in _places(module):
        comment = COMMENT.match(text, end)
        if comment is not None:
            found[start] = name, type_of(comment[1])
    return found


def _places(module: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Name, start of the binding, and where its type's comment would start."""
    todo: list[object] = [definition.function for definition in module.definitions if isinstance(definition, ast.Def)]
    while todo:
        node = todo.pop()
        match node:
            case ast.Fn(params=params, body=body):
                for param in params:
                    if param.annotation is not None:
                        yield param.name.name, param.name.span.start, param.annotation.span.end
                last = body
                while isinstance(last, ast.Block):
                    last = last.result
                yield "result", last.span.start, last.span.end
                todo.append(body)
            case ast.Let(name=ast.Local(name, span), annotation=annotation, value=value):
                yield name, span.start, (annotation or value).span.end
                todo.append(value)
            case ast.Let(value=value):
                todo.append(value)
            case ast.Block(items, result):
                todo += [*items, result]
            case ast.If(condition, then, orelse):
                todo += [condition, then, orelse]
            case ast.Call(function, arguments):
                todo += [function, *arguments]
            case ast.Tuple(items):
                todo += items
