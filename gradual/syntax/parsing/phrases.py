"""Whole bindings and parameters of the usual forms, read by a few matches each instead of token by token.

A usual binding is `%3 = nn.conv2d(%2, %w, padding=[1, 1]);` or `let %y = add(%x.0, 1f);`: an operator or a function is
applied to variables, projections, literals, tuples and further applications, and its attributes are literals.  A usual
parameter is `%w: Tensor[(64, 3, 3), float32]`.  Everything else is left to the grammar.

The tree is the same as the one that the grammar gives, with its spans and its depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from sys import intern
from typing import Any, TypeVar

from gradual.limits import LIMITS
from gradual.record import record
from gradual.source import Span
from gradual.syntax.parsing.lexer import AFTER_OPERAND, END, LITERAL_WORDS, Lexer, Token
from gradual.syntax.parsing.lexicon import GRAPH, LOCAL, lexicon
from gradual.syntax.parsing.machine import Machine
from gradual.syntax.parsing.metadata import NO_METADATA
from gradual.syntax.tree import ast
from gradual.syntax.tree.literals import BadNumber, number

LONG = 8000
"""The length of a text above which phrases save more time than compiling their expressions takes."""

NESTED = 20
"""How deep applications and tuples may nest in a phrase."""

ROOM = LIMITS.nesting - NESTED - 1
"""How many brackets may be open around a phrase, so that those in it do not exceed the limit."""

Attributes = tuple[tuple[ast.Attribute, ...], int]
"""Attributes with their spans in their own text, and the depth of their trees."""

Node = TypeVar("Node")


class Unusual(Exception):
    """A phrase has a form that is left to the grammar."""


@record(eq=False)
class Patterns:
    """The expressions of the parts of a phrase.

    They accept more than the grammar does: each part is examined when its text occurs for the first time.
    """

    binding: re.Pattern[str]
    operand: re.Pattern[str]
    attributes: re.Pattern[str]
    after: re.Pattern[str]
    param: re.Pattern[str]


VARIABLE, NUMBER, LISTING, KEY, CALLEE, TUPLE = range(1, 7)
"""The groups of `Patterns.operand`."""

BLANK = r"[ \t\r\n]*+"
TRIVIA = rf"{BLANK}(?:/\*[^*]*+(?<!/)\*/{BLANK})?"
"""Blanks, and at most one comment, which has no asterisk in it."""


@cache
def patterns() -> Patterns:
    """The compiled expressions."""
    variable, word = "%[A-Za-z0-9_./:]*[A-Za-z0-9_./]", "[A-Za-z_][A-Za-z0-9_.]*+"
    value, listing = "-?[0-9][A-Za-z0-9_.+-]*+|True|False", r"\[[A-Za-z0-9_.+, -]*+\]"
    key, callee = r"meta\[[A-Za-z0-9_.]++\]\[[0-9]{1,9}+\]", rf"({word}|@[A-Za-z0-9_]++)\("
    type, sign = r"Tensor\[[^\[\]]*+\]", rf"{TRIVIA}(?:,{BLANK}\)|[,);])"
    return Patterns(
        re.compile(rf"{BLANK}(let[ ]+)?({variable}){TRIVIA}(?::{BLANK}({type}){TRIVIA})?={BLANK}(?:{callee})?"),
        re.compile(rf"{BLANK}(?:(?:({variable})|({value})|({listing})|({key})){sign}|{callee}|(\())"),
        re.compile(rf"{BLANK}({word}=[^();%/]*+)\)"),
        re.compile(sign),
        re.compile(rf"(?:(?<=[(,])|(?<=\]){TRIVIA},){BLANK}({variable}){BLANK}:{BLANK}({type})(?={TRIVIA}[,)])"),
    )


class Phrases:
    """The phrases of one text, and what is known about the texts of their parts.

    Attributes:
        states: the parser's stack.
        attributes: parses a list of attributes; None if they are not literals.
    """

    __slots__ = (
        "_lists",
        "_names",
        "_patterns",
        "_types",
        "attributes",
        "lexer",
        "machine",
        "states",
        "symbols",
        "text",
    )

    def __init__(
        self, lexer: Lexer, states: list[int], machine: Machine, attributes: Callable[[str], Attributes | None]
    ) -> None:
        self.lexer = lexer
        self.text = lexer.text
        self.states = states
        self.machine = machine
        self.symbols = machine.phrases
        self.attributes = attributes
        self._patterns = patterns()
        self._names: dict[str, tuple[str, int | None]] = {}
        self._types: dict[str, ast.TensorType | None] = {}
        self._lists: dict[str, Attributes | None] = {}

    def following(self, at: int) -> Iterator[Token]:
        """The phrases that come directly after a sign, as far as the parser admits them there."""
        sign, symbols, machine = self.text[at - 1], self.symbols, self.machine
        if self.lexer.arithmetic or len(self.lexer.open) > ROOM:
            return
        if sign in ";{" and machine.accepts(self.states, symbols.items, END):
            bindings, end = self._several(self._binding, at)
            if bindings:
                yield symbols.items, bindings, bindings[0].span.start, end
        elif sign in "(," and machine.actions[self.states[-1]].get(symbols.param, -1) >= 0:
            params, end = self._several(self._param, at)
            if params:
                yield symbols.param, params[0], params[0].span.start, params[0].span.end
            if params[1:]:
                yield symbols.params, params[1:], params[1].span.start, end

    def _several(self, phrase: Callable[[int], tuple[Node, int, int]], at: int) -> tuple[list[Node], int]:
        """The phrases that come one after the other, and where the last one ends."""
        found: list[Node] = []
        with suppress(Unusual):
            while True:
                node, depth, at = phrase(at)
                found.append(node)
                self.lexer.depth = max(depth, self.lexer.depth)
        return found, at

    # ------------------------------------------------------- phrases: each with its depth, and the offset behind it
    def _binding(self, at: int) -> tuple[ast.Let, int, int]:
        head = self._patterns.binding.match(self.text, at)
        if head is None:
            raise Unusual
        let, written, annotation, callee = head.groups()
        if let is None and (annotation is not None or not written[1:].isdigit()):
            raise Unusual
        start, end = head.span(2)
        variable = ast.Local(self._declared(written), Span(start, end))
        type = None if annotation is None else self._type(annotation, head.start(3))
        if callee is None:
            value, depth, end = self._operand(self._patterns.operand.match(self.text, head.end()), NESTED)
        else:
            value, depth, end = self._applied(callee, head.start(4), head.end(), NESTED)
        if self.text[end - 1] != ";":
            raise Unusual
        start = start if let is None else head.start(1)
        return ast.Let(variable, type, value, Span(start, end)), depth + 1, end

    def _param(self, at: int) -> tuple[ast.Param, int, int]:
        found = self._patterns.param.match(self.text, at)
        if found is None or found[1][1:].isdigit():
            raise Unusual
        start, end = found.span(1)
        variable = ast.Local(self._declared(found[1]), Span(start, end))
        begin, end = found.span(2)
        return ast.Param(variable, self._type(found[2], begin), (), Span(start, end)), 1, end

    # ---------------------------------- expressions: each with its depth, and the offset behind the sign after it
    def _operand(self, match: re.Match[str] | None, room: int) -> tuple[ast.Expr, int, int]:
        if match is None:
            raise Unusual
        kind = match.lastindex or 0
        start, end = match.span(kind)
        if kind == VARIABLE:
            name, index = self._names.get(match[VARIABLE]) or self._variable(match[VARIABLE])
            if index is None:
                return ast.Local(name, Span(start, end)), 0, match.end()
            if self.lexer.declared:  # `%x.1` may be one name
                raise Unusual
            variable = ast.Local(name, Span(start, start + len(name)))
            return ast.Project(variable, index, Span(start, end)), 1, match.end()
        if kind == NUMBER:
            return ast.Number(*_scalar(match[NUMBER]), Span(start, end)), 0, match.end()
        if kind == LISTING:
            (attribute,), _ = self._listed(f"a={match[LISTING]}")
            return _moved(attribute.value, start - len("a=")), 0, match.end()
        if kind == KEY:
            return self._key(start, end), 0, match.end()
        return self._applied(match[CALLEE], start, match.end(), room)

    def _applied(self, written: str | None, start: int, at: int, room: int) -> tuple[ast.Expr, int, int]:
        """The application of a function; a tuple if none is `written`."""
        if not room:
            raise Unusual
        operands, attributes, depth, end = self._operands(at, room - 1)
        after = self._patterns.after.match(self.text, end)
        if after is None:
            raise Unusual
        if written is not None:
            callee = _callee(written)(written, Span(start, start + len(written)))
            return ast.Call(callee, tuple(operands), attributes, Span(start, end)), depth + 1, after.end()
        if attributes or (len(operands) == 1 and not self.text[start : end - 1].rstrip().endswith(",")):
            raise Unusual
        return ast.Tuple(tuple(operands), Span(start, end)), depth, after.end()

    def _operands(self, at: int, room: int) -> tuple[list[ast.Expr], tuple[ast.Attribute, ...], int, int]:
        """The operands and the attributes up to the closing bracket, the depth of their trees, and the end."""
        operands: list[ast.Expr] = []
        deepest, sign = 0, ","
        while sign == ",":
            match = self._patterns.operand.match(self.text, at)
            if match is None:
                listed = self._patterns.attributes.match(self.text, at)
                if listed is None:
                    raise Unusual
                attributes, depth = self._listed(listed[1])
                return operands, moved(attributes, listed.start(1)), max(depth, deepest), listed.end()
            operand, depth, at = self._operand(match, room)
            operands.append(operand)
            deepest = max(depth, deepest)
            sign = self.text[at - 1]
        if sign != ")":
            raise Unusual
        return operands, (), deepest, at

    # ------------------------------------------------------------------------------- parts, known by their texts
    def _declared(self, written: str) -> str:
        name, index = self._variable(written)
        if index is not None:
            raise Unusual
        return name

    def _variable(self, written: str) -> tuple[str, int | None]:
        """The name of a variable, and the index if it is a projection."""
        if written not in self._names:
            self._names[written] = _named(written)
        return self._names[written]

    def _key(self, start: int, end: int) -> ast.Expr:
        """A key of the metadata, unless it stands for attributes."""
        found = self.lexer.meta(start, end)
        if isinstance(found, ast.Meta) and found.attributes is not None:
            raise Unusual
        return found

    def _type(self, written: str, at: int) -> ast.TensorType:
        if written not in self._types:
            kind, value, _, end = next(Lexer(written, NO_METADATA).tokens())
            is_whole = kind == self.lexer.lexicon.number["tensor_type"] and end == len(written)
            self._types[written] = value if is_whole else None
        found = self._types[written]
        if found is None:
            raise Unusual
        shape = tuple([_moved(size, at) for size in found.shape or ()])
        return ast.TensorType(shape, found.dtype, Span(at, at + len(written)))

    def _listed(self, written: str) -> Attributes:
        """The attributes, with offsets from the start of their own text, and the depth of their trees."""
        if written not in self._lists:
            self._lists[written] = self.attributes(written)
        found = self._lists[written]
        if found is None:
            raise Unusual
        return found


def _named(written: str) -> tuple[str, int | None]:
    if written[1:].isdigit() or written[1:].isidentifier():
        return intern(written), None
    match = lexicon().expression.match(written)
    if match is None or match.lastindex not in (LOCAL, GRAPH):
        raise Unusual
    index = written[match.end() :]
    if index and not (index[0] == "." and index[1:].isdigit() and len(index) <= 10):
        raise Unusual
    return intern(match[0]), int(index[1:]) if index else None


@lru_cache(maxsize=1024)
def _callee(written: str) -> Callable[[str, Span], ast.Expr]:
    """The kind of node for a function's name."""
    match = lexicon().expression.match(written)
    kind = lexicon().alternatives[(match and match.lastindex) or 0]
    is_word = written in LITERAL_WORDS or (written in lexicon().words and written not in AFTER_OPERAND)
    if match is None or match.end() != len(written) or kind not in ("NAME", "GLOBAL") or is_word:
        raise Unusual
    return ast.Name if kind == "NAME" else ast.Global


@lru_cache(maxsize=1024)
def _scalar(written: str) -> tuple[bool | int | float, str, bool]:
    """The value of a literal, its element type, and whether its suffix gives that type."""
    if written in ("True", "False"):
        return written == "True", "bool", False
    try:
        value, dtype, is_explicit = number(written)
    except BadNumber:
        raise Unusual from None
    return value, str(dtype), is_explicit


# ------------------------------------------------------------------------------------------ trees that are moved
def literals(attributes: tuple[ast.Attribute, ...]) -> bool:
    """Whether all values are literals, names, or lists of numbers."""
    return all(
        isinstance(one.value, ast.Number | ast.Text | ast.Name | ast.Nothing)
        or (isinstance(one.value, ast.Listing) and all(isinstance(item, ast.Number) for item in one.value.items))
        for one in attributes
    )


def moved(attributes: tuple[ast.Attribute, ...], by: int) -> tuple[ast.Attribute, ...]:
    """The attributes at another place of the text."""
    return tuple(
        [
            ast.Attribute(one.key, _moved(one.value, by), Span(one.span.start + by, one.span.end + by))
            for one in attributes
        ]
    )


def _moved(value: Any, by: int) -> Any:
    """A literal at another place."""
    span = Span(value.span.start + by, value.span.end + by)
    kind = value.__class__
    if kind is ast.Number:
        return ast.Number(value.value, value.dtype, value.explicit, span)
    if kind is ast.Listing:
        return ast.Listing(tuple([_moved(item, by) for item in value.items]), span)
    if kind is ast.Text:
        return ast.Text(value.value, span)
    return ast.Name(value.name, span) if kind is ast.Name else kind(span)
