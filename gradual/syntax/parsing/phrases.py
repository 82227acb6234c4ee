"""Whole bindings and parameters of the usual forms, read by a few matches each instead of token by token.

`%3 = nn.conv2d(%2, %w, padding=[1, 1]);` and `let %y = add(%x.0, 1f);` are such bindings: an operator or a function is
applied to variables, projections, numbers, tuples and further applications, and its attributes are literals.  A
parameter is `%w: Tensor[(64, 3, 3), float32]`.  A phrase of another form is left to the grammar, which gives the same
tree, spans and depth for those of these forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from sys import intern
from typing import Any, NamedTuple

from gradual.limits import LIMITS
from gradual.source import Span
from gradual.syntax.parsing.lexer import AFTER_OPERAND, LITERAL_WORDS, Lexer, Token
from gradual.syntax.parsing.lexicon import GRAPH, LOCAL, NAME, SKIPPED, lexicon
from gradual.syntax.parsing.metadata import NO_METADATA
from gradual.syntax.tree import ast
from gradual.syntax.tree.literals import BadNumber, number

LONG = 4000
"""The length of a text from which on phrases are worth the time that it takes to compile their expressions."""

NESTED = 20
"""How deep applications and tuples may nest in a phrase."""

ROOM = LIMITS.nesting - NESTED - 1
"""How many brackets may be open before a phrase."""

AFTER = {"{": "graph", ";": "graph", "(": "param", ",": "param"}
"""Sign -> the phrase that may come after it."""

Attributes = tuple[tuple[ast.Attribute, ...], int]
"""The attributes of a call, and the depth of their tree."""

Operands = tuple[list[ast.Expr], tuple[ast.Attribute, ...], int, int, str]
"""Arguments, attributes, the depth of their tree, the offset after the sign that follows, and this sign."""


class Patterns(NamedTuple):
    """The expressions of the parts of a phrase.

    They accept more than the grammar; what they accept is looked up by its text, and examined when it is new.
    """

    binding: re.Pattern[str]
    operand: re.Pattern[str]
    after: re.Pattern[str]
    param: re.Pattern[str]


VARIABLE, NUMBER, LISTING, KEY, CALLEE, TUPLE, ATTRIBUTES = range(1, 8)
"""The groups of `Patterns.operand`."""

BLANK = r"[ \t\r\n]*+"
TRIVIA = rf"{BLANK}(?:/\*[^*]*+(?<!/)\*/{BLANK})?"
"""Blanks, and at most one comment, in which there is no asterisk."""


@cache
def patterns() -> Patterns:
    """The compiled expressions."""
    variable, word = "%[A-Za-z0-9_./:]*[A-Za-z0-9_./]", r"[A-Za-z_][A-Za-z0-9_.]*+"
    value = r"-?[0-9][A-Za-z0-9_.+-]*+|True|False", r"\[[A-Za-z0-9_.+, -]*+\]", r"meta\[[A-Za-z0-9_.]++\]\[[0-9]{1,9}+\]"
    sign, type = rf"{TRIVIA}(?:,{BLANK}\)|[,);])", r"Tensor\[[^\[\]]*+\]"
    operands = "|".join(f"({one})" for one in (variable, *value))
    callee = rf"({word}|@[A-Za-z0-9_]++)\("
    applied = rf"{callee}|(\()|({word}=[^();%/]*+)\)"
    return Patterns(
        re.compile(rf"{BLANK}(let[ ]+)?({variable}){TRIVIA}(?::{BLANK}({type}){TRIVIA})?={BLANK}(?:{callee})?"),
        re.compile(rf"{BLANK}(?:(?:{operands}){sign}|{applied})"),
        re.compile(sign),
        re.compile(rf"{BLANK}({variable}){BLANK}:{BLANK}({type})(?={TRIVIA}[,)])"),
    )


class Phrases:
    """The phrases of one text, and what has been found out about their parts.

    Attributes:
        depth: the depth of the last phrase's tree, as the parser counts it.
    """

    __slots__ = (
        *("_attributes", "_callees", "_lexer", "_lists", "_names", "_number", "_patterns", "_starts", "_states"),
        *("_text", "_types", "depth"),
    )

    def __init__(
        self,
        lexer: Lexer,
        states: Sequence[int],
        starts: Mapping[int, str],
        attributes: Callable[[str], Attributes | None],
    ) -> None:
        self.depth = 0
        self._text = lexer.text
        self._lexer = lexer
        self._number = lexer.lexicon.number
        self._states = states
        self._starts = starts
        self._attributes = attributes
        self._patterns = patterns()
        self._names: dict[str, tuple[str, int | None] | None] = {}
        self._callees: dict[str, Callable[..., ast.Expr] | None] = {}
        self._types: dict[str, ast.TensorType | None] = {}
        self._lists: dict[str, Attributes | None] = {}

    def following(self, at: int) -> Iterable[Token]:
        """The phrases that come directly after a sign, at an offset, as far as the parser admits them."""
        wanted = AFTER.get(self._text[at - 1])
        if wanted is None or wanted != self._starts.get(self._states[-1]):
            return ()
        if self._lexer.arithmetic or len(self._lexer.open) > ROOM:
            return ()
        return self._bindings(at) if wanted == "graph" else self._params(at)

    def _bindings(self, at: int) -> Iterator[Token]:
        while self._states[-1] in self._starts and (found := self._binding(at)) is not None:
            yield found
            at = found[3]

    def _params(self, at: int) -> Iterator[Token]:
        if (found := self._param(at)) is not None:
            yield found

    def _binding(self, at: int) -> Token | None:
        head = self._patterns.binding.match(self._text, at)
        if head is None:
            return None
        let, written, annotation, callee = head.groups()
        name = self._name(written)
        type = annotation and self._type(annotation)
        if name is None or name[1] is not None or (annotation and type is None) or not (let or (annotation is None and name[0][1].isdigit())):
            return None
        if callee is None:
            found = self._operands(head.end(), NESTED)
            if found is None or len(found[0]) != 1:
                return None
            (value,), _, depth, end, sign = found
        else:
            inner = self._applied(callee, head.start(4), head.end(), NESTED)
            if inner is None:
                return None
            value, depth, end = inner
        if self._text[end - 1] != ";":
            return None
        self.depth = depth + 1
        start = head.start(1 if let else 2)
        variable = ast.Local(name[0], Span(*head.span(2)))
        node = ast.Let(variable, type and _moved_type(type, head.start(3)), value, Span(start, end))
        return self._number["let" if let else "graph"], node, start, end

    def _operands(self, at: int, room: int) -> Operands | None:
        """The operands up to the first sign other than a comma."""
        text, operand, names = self._text, self._patterns.operand, self._names
        operands: list[ast.Expr] = []
        attributes: tuple[ast.Attribute, ...] = ()
        depth, sign = 0, ","
        while sign == ",":
            match = operand.match(text, at)
            if match is None:
                return None
            kind = match.lastindex
            assert kind is not None
            start, end = match.span(kind)
            at = match.end()
            if kind == VARIABLE:
                written = match[VARIABLE]
                found = names.get(written) or self._name(written)
                if found is None:
                    return None
                name, index = found
                if index is None:
                    operands.append(ast.Local(name, Span(start, end)))
                else:
                    operands.append(ast.Project(ast.Local(name, Span(start, start + len(name))), index, Span(start, end)))
                    depth = max(depth, 1)
            elif kind == NUMBER:
                value = _scalar(match[NUMBER])
                if value is None:
                    return None
                operands.append(ast.Number(*value, Span(start, end)))
            elif kind == LISTING:
                listed = self._listed("a=" + match[LISTING])
                if listed is None:
                    return None
                operands.append(_moved(listed[0][0].value, start - 2))
            elif kind == KEY:
                node = self._lexer._meta(start, end)
                if isinstance(node, ast.Meta) and node.attributes is not None:
                    return None
                operands.append(node)
            elif kind == ATTRIBUTES:
                listed = self._listed(match[ATTRIBUTES])
                if listed is None:
                    return None
                attributes = _moved_list(listed[0], start)
                depth = max(depth, listed[1])
            else:
                inner = self._applied(match[CALLEE], start, at, room)
                if inner is None:
                    return None
                value, deep, at = inner
                operands.append(value)
                depth = max(depth, deep)
            sign = text[at - 1]
        return operands, attributes, depth, at, sign

    def _applied(self, written: str | None, start: int, at: int, room: int) -> tuple[ast.Expr, int, int] | None:
        """An application or a tuple, its depth, and the offset after the sign that follows."""
        if not room:
            return None
        found = self._operands(at, room - 1)
        if found is None:
            return None
        operands, attributes, depth, end, sign = found
        after = self._patterns.after.match(self._text, end)
        if sign != ")" or after is None:
            return None
        span = Span(start, end)
        if written is None:
            if attributes or len(operands) == 1 and not self._text[start:end - 1].rstrip().endswith(","):
                return None
            return ast.Tuple(tuple(operands), span), depth, after.end()
        made = self._callee(written)
        if made is None:
            return None
        callee = made(intern(written), Span(start, start + len(written)))
        return ast.Call(callee, tuple(operands), attributes, span), depth + 1, after.end()

    def _param(self, at: int) -> Token | None:
        found = self._patterns.param.match(self._text, at)
        if found is None:
            return None
        name = self._name(found[1])
        type = self._type(found[2])
        if name is None or type is None or name[1] is not None or name[0][1].isdigit():
            return None
        self.depth = 1
        start, end = found.start(1), found.end(2)
        variable = ast.Local(name[0], Span(*found.span(1)))
        node = ast.Param(variable, _moved_type(type, found.start(2)), (), Span(start, end))
        return self._number["param"], node, start, end

    # ------------------------------------------------------------------------------------ parts, by their texts
    def _name(self, written: str) -> tuple[str, int | None] | None:
        """A variable, and the index of its projection if there is one."""
        if written not in self._names:
            self._names[written] = _named(written)
        found = self._names[written]
        return None if found is not None and found[1] is not None and self._lexer.declared else found

    def _callee(self, written: str) -> Callable[..., ast.Expr] | None:
        """The node of an operator's or a function's name."""
        if written not in self._callees:
            self._callees[written] = _called(written)
        return self._callees[written]

    def _type(self, written: str) -> ast.TensorType | None:
        """A tensor type, as if it began the text."""
        if written not in self._types:
            kind, value, _, end = next(Lexer(written, NO_METADATA).tokens())
            self._types[written] = value if kind == self._number["tensor_type"] and end == len(written) else None
        return self._types[written]

    def _listed(self, written: str) -> Attributes | None:
        """The attributes of a list, as if it began the text."""
        if written not in self._lists:
            self._lists[written] = self._attributes(written)
        return self._lists[written]


def _named(written: str) -> tuple[str, int | None] | None:
    if written[1:].isdigit():
        return intern(written), None
    match = lexicon().expression.match(written)
    if match is None or match.lastindex not in (LOCAL, GRAPH):
        return None
    name, rest = match[0], written[match.end() :]
    if not rest:
        return intern(name), None
    return (intern(name), int(rest[1:])) if rest[0] == "." and rest[1:].isdigit() and len(rest) < 11 else None


def _called(written: str) -> Callable[..., ast.Expr] | None:
    match = lexicon().expression.match(written)
    if match is None or match.end() != len(written):
        return None
    if lexicon().alternatives[match.lastindex or 0] == "GLOBAL":
        return ast.Global
    is_word = written in LITERAL_WORDS or (written in lexicon().words and written not in AFTER_OPERAND)
    return ast.Name if match.lastindex == NAME and not is_word else None


@lru_cache(maxsize=1024)
def _scalar(written: str) -> tuple[bool | int | float, str, bool] | None:
    """What a number literal stands for; None if its type cannot represent it."""
    if written in ("True", "False"):
        return written == "True", "bool", False
    try:
        value, dtype, is_explicit = number(written)
    except BadNumber:
        return None
    return value, str(dtype), is_explicit


# ------------------------------------------------------------------------------------------ copies elsewhere
def is_literal(value: ast.Expr) -> bool:
    """Whether `moved` can copy the value of an attribute."""
    return isinstance(value, ast.Number | ast.Text | ast.Name | ast.Nothing) or (
        isinstance(value, ast.Listing) and all(isinstance(one, ast.Number) for one in value.items)
    )


def _moved_list(attributes: tuple[ast.Attribute, ...], by: int) -> tuple[ast.Attribute, ...]:
    """A list of attributes whose spans are shifted."""
    return tuple([ast.Attribute(one.key, _moved(one.value, by), _shifted(one.span, by)) for one in attributes])


def _moved_type(type: ast.TensorType, by: int) -> ast.TensorType:
    shape = tuple([_moved(size, by) for size in type.shape or ()])
    return ast.TensorType(shape, type.dtype, _shifted(type.span, by))


def _moved(value: Any, by: int) -> Any:
    span = Span(value.span.start + by, value.span.end + by)
    kind = value.__class__
    if kind is ast.Number:
        return ast.Number(value.value, value.dtype, value.explicit, span)
    if kind is ast.Listing:
        return ast.Listing(tuple([_moved(one, by) for one in value.items]), span)
    if kind is ast.Text:
        return ast.Text(value.value, span)
    if kind is ast.Name:
        return ast.Name(value.name, span)
    return kind(span)


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
