"""Chapter 3: tokens and the tree of the first-order part of the language."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Place = tuple[tuple[int, int], tuple[int, int]]


class Skip(Exception):
    """The program is outside of the scope; the reason is one of a small fixed set."""


class Refused(Exception):
    """The text is no program: code, rule, place."""

    def __init__(self, code: str, rule: str, place: Place) -> None:
        super().__init__(code)
        self.code, self.rule, self.place = code, rule, place


@dataclass
class Token:
    kind: str
    text: str
    span: Place
    start: int


@dataclass
class Node:
    """A construct: its kind, place, text, parts and attributes."""

    kind: str
    span: Place
    text: str = ""
    kids: list[Node] = field(default_factory=list)
    attrs: list[tuple[str, Place, Node]] = field(default_factory=list)
    more: dict[str, Node | None] = field(default_factory=dict)


WORD = r"[A-Za-z_][A-Za-z0-9_]*"
LONG = rf"{WORD}(?:(?:\.[0-9]+)*\.{WORD}|::[A-Za-z0-9_]+|/{WORD}|:[0-9]+)*"
NUMBER = (
    r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?(?:i(?:8|16|32|64)?|u(?:8|16|32|64)|f(?:16|32|64)?|bf16)?(?![A-Za-z0-9_.])"
)
TABLE = re.compile(
    "|".join(
        f"(?P<{k}>{v})"
        for k, v in {
            "BLANK": r"[ \t\r\n\f\ufeff]+",
            "META": r"meta\[|\#\[",
            "TENSOR": r"Tensor[ \t\r\n]*\[",
            "BOUND": rf"\?[ \t\r\n]*\{{[ \t\r\n]*{WORD}[ \t\r\n]*\.",
            "NUMBER": NUMBER,
            "STRING": r'"(?:[^"\\\n]|\\.)*"',
            "GLOBAL": "@" + LONG,
            "LOCAL": "%" + LONG,
            "GRAPH": r"%[0-9]+(?![A-Za-z_])",
            "PROJECT": r"\.[ \t\r\n]*[0-9]+",
            "NAME": rf"{WORD}(?:\.{WORD})*",
            "SIGN": r"==|!=|<=|>=|->|=>|//|[-+*/%<>=(){}\[\],:;?]",
        }.items()
    )
)
HEADER = re.compile(r'#\[[ \t]*version[ \t]*=[ \t]*("[^"\n]*")[ \t]*\]')
KEYWORDS = {
    "def",
    "let",
    "if",
    "else",
    "fn",
    "match",
    "ref",
    "ref_read",
    "ref_write",
    "type",
    "extern",
    "operator",
    "free_var",
}


def lex(text: str) -> list[Token]:
    """[syntax.comment] [syntax.token]: tokens with places; `//` divides inside brackets and clauses."""
    tokens: list[Token] = []
    at, line, begin = 0, 1, 0
    stack: list[str] = []
    clause = False
    while at < len(text):
        here = tokens[-1] if tokens else None
        operand = here is not None and (
            here.kind in ("NUMBER", "LOCAL", "GRAPH", "GLOBAL", "PROJECT", "STRING")
            or (
                here.kind == "NAME"
                and here.text not in KEYWORDS | {"where", "assert", "as", "and", "or", "not", "then"}
            )
            or here.text in (")", "]", "}", "?")
        )
        sized = any(b in "[?" for b in stack) or clause
        if text.startswith("/*", at):
            depth, end = 1, at + 2
            while depth and end < len(text):
                if text.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif text.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                else:
                    end += 1
            if depth:
                raise Skip("syntax")
            kind, word = "BLANK", text[at:end]
        elif text.startswith("//", at) and not (operand and sized):
            end = text.find("\n", at)
            kind, word = "BLANK", text[at : len(text) if end < 0 else end]
        elif text[at] == "%" and operand and sized:
            kind, word = "SIGN", "%"
        else:
            found = TABLE.match(text, at)
            if not found:
                raise Skip("syntax")
            kind, word = str(found.lastgroup), found.group()
            if kind == "META":
                header = HEADER.match(text, at) if not tokens else None
                if not header:
                    raise Skip("metadata and headers")
                if header.group(1) != '"0.0.5"':
                    place = line, header.start(1) - begin + 1
                    raise Refused("E0103", "syntax.version", (place, (line, header.end(1) - begin + 1)))
                kind, word = "BLANK", header.group()
        start = (line, at - begin + 1)
        for i, c in enumerate(word):
            if c == "\n":
                line, begin = line + 1, at + i + 1
        at += len(word)
        if kind == "BLANK":
            continue
        if kind in ("TENSOR",):
            stack.append("[")
        elif kind == "BOUND":
            stack.append("?")
        elif kind == "SIGN" and word in "([{":
            if word == "{":
                clause = False
            stack.append(word)
        elif kind == "SIGN" and word in ")]}" and stack:
            stack.pop()
        elif word == ";":
            clause = False
        elif (
            kind == "NAME"
            and word in ("where", "assert")
            and (operand if word == "where" else not operand or (here is not None and here.text in "};"))
        ):
            clause = True
        tokens.append(Token(kind, word, (start, (line, at - begin + 1)), at - len(word)))
    final = (line, at - begin + 1)
    tokens.append(Token("END", "", (final, final), at))
    return tokens
