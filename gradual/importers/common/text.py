"""The text of an imported program, with the node that each piece of the text was made from.

While the text is composed, each piece that belongs to a node is enclosed in marks, which are removed at the end; pieces
nest, as expressions and bodies do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from gradual.origin import Origin, Origins
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

_OPEN, _CLOSE = "\x02", "\x03"
_MARK = re.compile(f"{_OPEN}([0-9]*){_CLOSE}")
_BLANK = re.compile(f"(?:{_OPEN}[0-9]*{_CLOSE})*")
_STRING = r'"(?:[^"\\]|\\.)*"'
_APART = re.compile(_STRING + r"|\?\{[^}]*\}")
"""Braces that do not open a block: in strings, and in bounds of sizes."""
_TOKEN = re.compile(rf"{_APART.pattern}|(?<![%@.\w])(?:match\??|type) |[()\[\]{{}};,]|{_MARK.pattern}")
_BRACES = re.compile(r"[{}]")
_INDENT = "  "


@record
class Weight:
    """A tensor that `@main` takes after the model's inputs; its elements are read by `load`."""

    shape: tuple[int, ...]
    dtype: DType
    load: Callable[[], Tensor]


class Weights(Mapping[str, Tensor]):
    """The weights of a program by parameter name, in order; a weight is read from the file at each access."""

    def __init__(self, weights: Mapping[str, Weight]) -> None:
        self._weights = weights

    def __getitem__(self, name: str) -> Tensor:
        return self._weights[name].load()

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)


@record
class Guard:
    """A condition that the export assumed.

    Attributes:
        said: the condition in the notation of the export.
        condition: the condition in the language; None if the language cannot express it.
    """

    said: str
    condition: str | None


@record
class Program:
    """An imported model.

    Attributes:
        text: the program, in canonical form.
        origins: piece of the text -> the node of the model that it was made from.
        weights: the tensors that `@main` takes after the model's inputs, by the names of its parameters, in order.
        notes: messages about parts that were translated in a way that users may not expect.
        guards: the conditions on the sizes of the inputs that the exporter assumed.
        files: the other files that the model was read from, or that were looked for.
    """

    text: str
    origins: Origins
    weights: Weights
    notes: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()
    files: tuple[str, ...] = ()


class Marks:
    """Marks around pieces of text; each piece has one origin."""

    def __init__(self) -> None:
        self._origins: list[Origin] = []

    def around(self, text: str, origin: Origin | None) -> str:
        """The text, marked as made from a node."""
        if origin is None:
            return text
        self._origins.append(origin)
        return f"{_OPEN}{len(self._origins) - 1}{_CLOSE}{text}{_OPEN}{_CLOSE}"

    def removed(self, text: str, folded: Mapping[str, Tensor]) -> tuple[str, Origins]:
        """The text without the marks, and the origins of its pieces; `folded` are values without a piece of text."""
        pieces = _MARK.split(text)
        kept, origins = pieces[::2], list[Origin | None]()
        starts = [*accumulate(map(len, kept[:-1]))]
        around: list[Origin | None] = [None]
        for mark in pieces[1::2]:
            if mark:
                around.append(self._origins[int(mark)])
            else:
                around.pop()
            origins.append(around[-1])
        types = {name: (tensor_text(map(str, one.shape), one.dtype), one.shape) for name, one in folded.items()}
        return "".join(kept), Origins(starts, origins, types)


def tensor_text(extents: Iterable[str], dtype: DType) -> str:
    """The text of a tensor type."""
    texts = list(extents)
    return f"Tensor[({', '.join(texts)}{',' * (len(texts) == 1)}), {dtype}]"


def indented(text: str) -> str:
    """The text in canonical layout: blocks and arms on lines of their own, indented by the number of open braces.

    Spaces inside a line are kept.
    """
    depth, lines = 0, list[str]()
    for line in _Breaking().lines(text):
        if "{" not in line and "}" not in line:
            lines.append(line if _BLANK.fullmatch(line) else _INDENT * depth + line)
            continue
        bare = _MARK.sub("", line)
        lines.append(_INDENT * (depth - bare.startswith("}")) + line)
        found: Sequence[str] = _BRACES.findall(_APART.sub("", bare))
        depth += found.count("{") - found.count("}")
    return "\n".join(lines)


class _Breaking:
    """Breaks lines after `{`, before `}`, after each statement of a block, and after each arm of a `match`.

    Attributes:
        open: the open brackets: `(`, `[`, `{` for a block, and `=>` for the arms of a `match`.
        matches: for each `match` or `type` whose arms have not begun, the number of open brackets before it.
        line: the part of the current line that has been processed.
    """

    def __init__(self) -> None:
        self.open: list[str] = []
        self.matches: list[int] = []
        self.line = ""

    def lines(self, text: str) -> Iterator[str]:
        """The lines of a text, broken; a line inside a block and without braces is not changed."""
        for line in text.split("\n"):
            if "{" not in line and "}" not in line and self.open[-1:] in ([], ["{"]):
                yield self.line + line.strip(" ")
                self.line = ""
            else:
                yield from self.broken(line)

    def broken(self, line: str) -> Iterator[str]:
        """The lines into which a line is broken."""
        end = 0
        for found in _TOKEN.finditer(line):
            self.line += line[end : found.start()]
            end = found.end()
            yield from self.token(found[0], line[end:].lstrip(" ")[:1])
        self.line += line[end:]
        yield from self.ended()

    def token(self, text: str, following: str) -> Iterator[str]:
        """The line that is complete before or after a token."""
        if text == "}" and not self.line.endswith("{"):
            yield from self.ended()
        self.line += text
        if text in ("(", "["):
            self.open.append(text)
        elif text == "{":
            has_arms = self.matches[-1:] == [len(self.open)]
            self.open.append("=>" if has_arms else "{")
            del self.matches[len(self.matches) - has_arms :]
        elif text in (")", "]", "}"):
            self.open.pop()
        elif text.startswith(("match", "type")):
            self.matches.append(len(self.open))
        ends = {";": ["{"], ",": ["=>"]}
        if (text == "{" and following != "}") or ends.get(text) == self.open[-1:]:
            yield from self.ended()

    def ended(self) -> Iterator[str]:
        """End the current line and return it; if it has only marks, they are moved to the next line."""
        line, self.line = self.line.strip(" "), ""
        if _MARK.sub("", line):
            yield line
        else:
            self.line = line
