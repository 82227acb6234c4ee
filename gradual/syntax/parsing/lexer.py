"""The tokens of a text, one match of the lexicon's expression each.

Leaves are built here (`%x` is a `Local` at once), so that the parser has nothing to reduce for them.  Three decisions
depend on the previous token and the open brackets:

- `+` or `-` after an operand is an operator, elsewhere it is part of the number that follows;
- `//` and `%` after an operand are arithmetic inside `[ ]`, `?{ }`, `where` and `assert`; elsewhere `//` is a comment;
- `where`, `as`, `and`, `or`, `then` are keywords only after an operand (`where` also after the bracket of `fn [`), and
  `assert` only where an item starts.

A fourth decision depends on the part of the definition before the token: `%input.1` is one name if `%input.1: T`
declared it in that part, and so is `%conv/1x1`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from sys import intern
from typing import Any

from gradual.diagnostic import Diagnostic
from gradual.limits import LIMITS
from gradual.source import Span
from gradual.syntax.parsing.blanks import comment_end, line_end, skipped
from gradual.syntax.parsing.errors import (
    CLOSERS,
    bad_number,
    too_deep,
    unknown_character,
    unknown_header,
    unsupported_version,
    unterminated,
)
from gradual.syntax.parsing.lexicon import (
    ATTRIBUTE,
    CLOSER,
    GRAPH,
    LOCAL,
    NAME,
    OPENER,
    SEPARATOR,
    TENSOR_TYPE,
    lexicon,
)
from gradual.syntax.parsing.metadata import Metadata, attributes_at, placed
from gradual.syntax.tree import ast
from gradual.syntax.tree.literals import SPECIAL, BadNumber, number, unquoted

Token = tuple[int, Any, int, int]
"""The number of its symbol, its value (a leaf, a text, a diagnostic), its start and its end."""

END = 0
ERROR = -1
"""A symbol that no rule accepts; the value of such a token is its diagnostic."""

VERSION = "0.0.5"
METADATA_MARK = "#[metadata]"
AFTER_OPERAND = frozenset({"where", "as", "and", "or", "then"})
DEFINING = frozenset({"def", "type", "extern", "operator"})
LITERAL_WORDS = frozenset({"True", "False", *SPECIAL})

_ELEMENT = re.compile(r"-?[0-9]+|\?")
_KEYED = re.compile(r"=(?![=>])")
_NUMBERED = re.compile(r"(?:[./][A-Za-z0-9_]+)+(?=([ \t]*:(?!:))?)")
_NAMED = re.compile(r"[A-Za-z_]")
_FOREIGN = re.compile(r"[^\t\n\f\r -#%&(-\[\]_a-}]*+")
_HEADER = re.compile(r'#\[\s*([A-Za-z0-9_.]+)\s*=\s*(".*")\s*\]', re.DOTALL)


class Lexer:
    """The state of lexing one text.

    Attributes:
        open: the open brackets, each with its offset and whether arithmetic was allowed around it.
        diagnostics: errors in tokens that could be read nevertheless.
        divided: the start of the definition's last comment that follows an operand on its line.
        before: the last `divided` of the previous definition.
        depth: how deep the tree of the last token is; 0 unless it is a phrase (see `tokens`).
    """

    __slots__ = (
        *("arithmetic", "before", "declared", "depth", "diagnostics", "divided", "lexicon", "metadata", "naming"),
        *("open", "section", "text"),
    )

    def __init__(self, text: str, metadata: Metadata) -> None:
        self.text = text
        self.metadata = metadata
        self.lexicon = lexicon()
        self.open: list[tuple[int, str, bool]] = []
        self.arithmetic = False
        self.declared: set[str] = set()  # declared names such as `%input.1` and `%conv/1x1`
        self.section: int | None = None  # where the metadata section begins
        self.naming = False  # the last opening bracket came directly after `fn`
        self.diagnostics: list[Diagnostic] = []
        self.divided: int | None = None
        self.before: int | None = None
        self.depth = 0

    def tokens(self, phrases: Callable[[int], Iterable[Token]] | None = None) -> Iterator[Token]:
        """Every token in order; the last one is END.

        `phrases` gives the phrases that begin at an offset: whole bindings or parameters as one token each.
        """
        text, (expression, alternatives, number, words, signs, operands, _) = self.text, self.lexicon
        local, graph, name, attribute, tensor_type = (
            number[kind] for kind in ("LOCAL", "GRAPH", "NAME", "attribute", "tensor_type")
        )
        keyed = (signs["("], signs[","], signs["{"])
        at, last = 0, END
        while True:
            for match in expression.finditer(text, at):
                group = match.lastindex or 0
                start, end = match.span(group)
                if group == SEPARATOR:
                    last = signs[text[start]]
                    yield last, None, start, end
                elif group == OPENER:
                    self.naming = last == words["fn"]
                    last = signs[text[start]]
                    yield self._opened(last, start, end)
                elif group == CLOSER:
                    last = signs[text[start]]
                    self._closed(text[start])
                    yield last, None, start, end
                elif LOCAL <= group <= GRAPH and not (self.arithmetic and last in operands):
                    last = local if group == LOCAL else graph
                    if group == LOCAL and text[end : end + 1] in "./":
                        at = self._numbered(start, end)
                        yield last, ast.Local(intern(text[start:at]), Span(start, at)), start, at
                        break
                    yield last, ast.Local(intern(match[group]), Span(start, end)), start, end
                elif group == ATTRIBUTE and last in keyed:
                    last = attribute
                    yield last, self._attribute(start, end), start, end
                elif group == TENSOR_TYPE:
                    last = tensor_type
                    yield last, self._tensor_type(start, end), start, end
                elif group == NAME and (word := match[group]) not in words and word not in LITERAL_WORDS:
                    last = name
                    yield last, ast.Name(intern(word), Span(start, end)), start, end
                else:
                    kind, value, at = self._uncommon(alternatives[group], start, end, last)
                    if kind is not None:
                        last = kind
                        yield last, value, start, at
                    if last == END and kind == END:
                        return
                    if at != end:
                        break
                if phrases is not None and group <= CLOSER:
                    at = end
                    for phrase in phrases(end):
                        yield phrase
                        at = phrase[3]
                    self.depth = 0
                    if at != end:
                        last = signs[text[at - 1]]
                        break

    # -------------------------------------------------------------------------------- brackets
    def _opened(self, kind: int, start: int, end: int) -> Token:
        bracket = self.text[end - 1]
        clause_ends = bracket == "{" and (not self.open or self.open[-1][1] == "{")
        self.open.append((start, bracket, self.arithmetic and not clause_ends))
        self.arithmetic = bracket == "[" or (bracket == "(" and self.arithmetic)
        if len(self.open) > LIMITS.nesting:
            return ERROR, too_deep(Span(start, end)), start, end
        return kind, None, start, end

    def _closed(self, text: str) -> None:
        if text == ";":
            self.arithmetic = False
        elif self.open and CLOSERS[self.open[-1][1]] == text:
            self.arithmetic = self.open.pop()[2]

    def reset(self) -> None:
        """Forget the open brackets: a definition begins."""
        self.open.clear()
        self.arithmetic = False

    def _numbered(self, start: int, end: int) -> int:
        """The end of a variable whose name may contain `.1` or `/1x1`.

        `%input.1: T` declares such a name, else `.1` is a projection; `%conv/1x1: T` declares one, else `/` divides.
        """
        match = _NUMBERED.match(self.text, end)
        if match is None:
            return end
        if match[1]:
            self.declared.add(self.text[start : match.end()])
        if not self.declared:
            return end
        parts = (at for at in range(match.end(), end, -1) if at == match.end() or self.text[at] in "./")
        return next((at for at in parts if self.text[start:at] in self.declared), end)

    # -------------------------------------------------------------------------------- whole phrases
    def _attribute(self, start: int, end: int) -> ast.Attribute:
        key, _, value = self.text[start:end].partition("=")
        at = start + len(key) + 1
        return ast.Attribute(intern(key), self._simple(value, at, end), Span(start, end))

    def _simple(self, value: str, start: int, end: int) -> ast.Expr:
        span = Span(start, end)
        if value[0] == "[":
            return ast.Listing(self._elements(start, end), span)
        if value[0] == '"':
            return ast.Text(value[1:-1], span)
        if value[0] in "TF":
            return ast.Number(value == "True", "bool", False, span)
        return ast.Number(int(value), "int32", False, span)

    def _tensor_type(self, start: int, end: int) -> ast.TensorType:
        text = self.text
        close = text.index(")", start)
        dtype = text[close + 2 : end - 1].lstrip()
        return ast.TensorType(self._elements(start, close), intern(dtype), Span(start, end))

    def _elements(self, start: int, end: int) -> tuple[ast.Number | ast.Hole, ...]:
        return tuple(
            ast.Hole(Span(*match.span()))
            if (element := match[0]) == "?"
            else ast.Number(int(element), "int32", False, Span(*match.span()))
            for match in _ELEMENT.finditer(self.text, start, end)
        )

    # ----------------------------------------------------------------------------- uncommon tokens
    def _uncommon(self, kind: str, start: int, end: int, last: int) -> tuple[int | None, Any, int]:
        """A token's symbol (None: no token), its value, and the offset to continue at."""
        text, number, signs = self.text, self.lexicon.number, self.lexicon.signs
        match kind:
            case "NAME":
                return *self._word(text[start:end], start, end, last), end
            case "LOCAL" | "GRAPH":  # after an operand, where arithmetic is allowed
                return signs["%"], "%", start + 1
            case "NUMBER" | "malformed" if text[start] == "-" and last in self.lexicon.operands:
                return signs["-"], "-", start + 1
            case "NUMBER" | "malformed":
                return number["NUMBER"], self._number(start, end), end
            case "sign":
                return self._sign(text[start:end], start, end, last)
            case "attribute":
                name = self.lexicon.name.match(text, start)
                assert name is not None
                return number["NAME"], ast.Name(intern(name[0]), Span(start, name.end())), name.end()
            case "PROJECTION":
                return number[kind], self._projection(start, end), end
            case "STRING":
                return number[kind], ast.Text(unquoted(text[start:end]), Span(start, end)), end
            case "GLOBAL":
                return number[kind], ast.Global(intern(text[start:end]), Span(start, end)), end
            case "META":
                return number[kind], self.meta(start, end), end
            case "TENSOR" | "BOUND":
                return *self._bracketed(kind, start, end), end
            case "PARTIAL_MATCH":
                return number[kind], "match?", end
            case "nested":
                return self._nested(start)
            case "HEADER":
                return number[kind], self._header(start, end), end
            case "METADATA":
                self.section = start
                return number[kind], text[start:end].removeprefix(METADATA_MARK).strip(), end
            case "end":
                return END, None, end
        return self._unknown(start)

    def _word(self, word: str, start: int, end: int, last: int) -> tuple[int, Any]:
        number = self.lexicon.number
        if word in LITERAL_WORDS:
            return number["NUMBER"], self._number(start, end)
        if not self._is_keyword(word, end, last):
            return number["NAME"], ast.Name(intern(word), Span(start, end))
        if word in DEFINING:
            self.declared.clear()
            self.before, self.divided = self.divided, None
        self.arithmetic = word not in DEFINING and (self.arithmetic or word in ("where", "assert"))
        return self.lexicon.words[word], word

    def _is_keyword(self, word: str, end: int, last: int) -> bool:
        signs = self.lexicon.signs
        if last in (signs["("], signs[","], signs["{"]) and self._comes(_KEYED, end):
            return False
        if word in AFTER_OPERAND:
            return last in self.lexicon.operands or (word == "where" and last == signs["["] and self.naming)
        if word == "assert":
            return self._begins_item(end, last)
        return word != "operator" or self._comes(_NAMED, end)

    def _comes(self, sign: re.Pattern[str], at: int) -> bool:
        """Whether the text after blanks and comments matches the pattern."""
        return sign.match(self.text, skipped(self.text, at)) is not None

    def _begins_item(self, end: int, last: int) -> bool:
        signs = self.lexicon.signs
        if last in (signs["("], signs[","]):
            return not self.text.startswith("(", end)
        return last in (END, signs["{"], signs[";"], signs["=>"], self.lexicon.number["HEADER"])

    def _number(self, start: int, end: int) -> ast.Number:
        span, text = Span(start, end), self.text[start:end]
        try:
            if text in ("True", "False"):
                return ast.Number(text == "True", "bool", False, span)
            value, dtype, explicit = number(text)
            return ast.Number(value, str(dtype), explicit, span)
        except BadNumber as problem:
            self.diagnostics.append(bad_number(text, span, str(problem)))
            return ast.Number(0, "int32", False, span)

    def _sign(self, text: str, start: int, end: int, last: int) -> tuple[int | None, Any, int]:
        kind = self.lexicon.signs[text]
        if text == "?":
            return kind, ast.Hole(Span(start, end)), end
        if text == "//" and not (self.arithmetic and last in self.lexicon.operands):
            if last in self.lexicon.operands and self._follows(start):
                self.divided = start
            return None, None, line_end(self.text, start)
        return kind, text, end

    def _follows(self, start: int) -> bool:
        """Whether the line has other text before the offset."""
        return bool(self.text[self.text.rfind("\n", 0, start) + 1 : start].strip())

    def _projection(self, start: int, end: int) -> int:
        digits = self.text[start + 1 : end].lstrip()
        if len(digits) < 10:
            return int(digits)
        self.diagnostics.append(bad_number(digits, Span(start, end), "no tuple is that long"))
        return 0

    def meta(self, start: int, end: int) -> ast.Expr:
        """What a key of the metadata stands for: a size, or the key itself."""
        kind, _, index = self.text[start + 5 : end - 1].partition("][")
        span = Span(start, end)
        key = (kind, int(index)) if len(index) < 10 else (kind, 0)
        if len(index) >= 10:
            self.diagnostics.append(bad_number(index, span, "no metadata is that long"))
        if key in self.metadata.sizes:
            return placed(self.metadata.sizes[key], span)
        fields = self.metadata.attributes.get(key)
        return ast.Meta(*key, span, None if fields is None else attributes_at(fields, span))

    def _bracketed(self, kind: str, start: int, end: int) -> tuple[int, Any]:
        """`Tensor[`, or `?{u.`: a token that opens a bracket."""
        self.open.append((start, "[" if kind == "TENSOR" else "{", self.arithmetic))
        self.arithmetic = True
        if len(self.open) > LIMITS.nesting:
            return ERROR, too_deep(Span(start, end))
        return self.lexicon.number[kind], intern(self.text[start:end].strip("?{. \t\r\n"))

    def _nested(self, start: int) -> tuple[int | None, Any, int]:
        """A block comment with comments inside, or one that never ends."""
        end = comment_end(self.text, start)
        if end is None:
            return ERROR, unterminated("comment", "*/", Span(start, start + 2)), len(self.text)
        return None, None, end

    def _header(self, start: int, end: int) -> tuple[str, str, Span]:
        match = _HEADER.fullmatch(self.text, start, end)
        assert match is not None
        key, value, span = match[1], unquoted(match[2]), Span(start, end)
        if key == "version" and value != VERSION:
            self.diagnostics.append(unsupported_version(value, Span(*match.span(2))))
        return key, value, span

    def _unknown(self, start: int) -> tuple[int, Any, int]:
        """An error token: an unterminated string, a malformed header, or a run of unknown characters."""
        text = self.text
        if text[start] != '"' and not text.startswith("#[", start):
            run = _FOREIGN.match(text, start + 1)
            assert run is not None
            return ERROR, unknown_character(text[start], Span(start, start + 1)), run.end()
        end = line_end(text, start)
        span = Span(start, end)
        return ERROR, unterminated("string", '"', span) if text[start] == '"' else unknown_header(span), end
