"""After any edits the server has the answers that it has for a text that was just opened."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from gradual.source import Span
from gradual.tools.lsp import features, trees
from gradual.tools.lsp.checking import Checker
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.findings import Findings

EXAMPLES = Path(__file__).parents[2] / "examples"

CALLS = """\
type Pair[A] { Both(A, A), Neither }
extern type Store
operator my.halve<n>(%x: Tensor[(2 * n,), float32]) -> Tensor[(n,), float32];

// a function that leaves a check, which its callers pass on
def @rows(%x: Tensor[(?, ?), float32], %w: Tensor[(?, ?), float32]) { nn.dense(%x, %w) }
def @outer(%x: Tensor[(?, 8), float32], %w: Tensor[(?, ?), float32]) -> Tensor[(?, ?), float32] { @rows(%x, %w) }
def @even(%x: Tensor[(n,), float32], %k: int64) -> Tensor[(n,), float32] {
  @odd(nn.relu(%x), %k - 1i64)
}
def @odd(%x: Tensor[(n,), float32], %k: int64) -> Tensor[(n,), float32] {
  @even(exp(%x), %k - 1i64)
}

def @scaled(%x: Tensor[(n, 4), float32], %by: float32) -> Tensor[(n, 4), float32] {
  let %unused = exp(%x);
  let %y = multiply(%x, %by);
  let %y = nn.softmax(%y, axis=-1);
  %y
}

def @picked(%p: Pair[Tensor[(n, 4), float32]], %x: Tensor[(n, 4), float32]) {
  match (%p) { Both(%a, _) => @scaled(%a, 2f), Neither => @scaled(%x, 3f) }
}

def @numbered(%in.1: Tensor[(n, 4), float32]) {
  let %h.1: Tensor[(n, 4), float32] = exp(%in.1);
  let %t = (%h.1, %in.1);
  add(%t.0, %h.1)
}

def @halved(%x: Tensor[(6,), float32]) { my.halve(@even(%x, 3i64)) }

def @main(%x: Tensor[(n, 4), float32], %w: Tensor[(4, 9), float32], %v: Tensor[(?, 8), float32]) {
  let %s = @scaled(%x, 2f);
  let %r = @outer(%v, %w);
  (@picked(Both(%s, %x), %x), @halved(ones(shape=[6], dtype="float32")), %r)
}
"""
LOOPS = (EXAMPLES / "r9_rnn.relay").read_text() + (EXAMPLES / "head.relay").read_text()
DATA = "\n".join((EXAMPLES / name).read_text() for name in ("selected.relay", "head.relay", "skip.relay"))

WORDS = (
    *("n", "m", "?", "4", "8", "-1", "0", "2f", "%x", "%y", "%w", "%_y", "float32", "int64", "Tensor", "Pair", "A"),
    *(
        "%h",
        "%h.1",
        ".1",
        ": float32",
        "@rows",
        "@scaled",
        "@even",
        "@odd",
        "@main",
        "@gone",
        "nn.relu",
        "exp",
        "if",
        ")",
        "}",
        "{",
        ";",
        ",",
        "def",
    ),
)
WORD = re.compile(r"[@%]?[\w.]+|[^\w\s]")
DEFINITION = re.compile(r"^(?:def|type|extern|operator)\b", re.MULTILINE)
JUNK = (
    "",
    "/*",
    "*/",
    "//",
    "𝕏",
    '"',
    "\n",
    "#[metadata]\n",
    '#[version = "0.0.5"]\n',
    "1 + 2\n",
    "def @new() { 1 }\n",
)


def definitions(text: str) -> list[str]:
    """The text in parts, of which each but the first begins with a definition."""
    starts = [0, *(found.start() for found in DEFINITION.finditer(text) if found.start()), len(text)]
    return [text[start:end] for start, end in pairwise(starts)]


def another_word(text: str, draw: Random) -> str:
    found = draw.choice([*WORD.finditer(text)] or [None])
    return text if found is None else text[: found.start()] + draw.choice(WORDS) + text[found.end() :]


def with_junk(text: str, draw: Random) -> str:
    at = draw.choice([draw.randrange(len(text) + 1), text.find("\n", draw.randrange(len(text) + 1)) + 1])
    return text[:at] + draw.choice(JUNK) + text[at:]


def without_some(text: str, draw: Random) -> str:
    at = draw.randrange(len(text) + 1)
    return text[:at] + text[at + draw.randrange(30) :]


def another_signature(text: str, draw: Random) -> str:
    """Another type of a parameter or result."""
    found = draw.choice([*re.finditer(r"Tensor\[\(([^()]*)\)", text)] or [None])
    sizes = draw.choice(["?", "n", "n, 4", "4, n", "?, ?", "?, 8", "m, 4", "6,"])
    return text if found is None else text[: found.start(1)] + sizes + text[found.end(1) :]


def without_a_result(text: str, draw: Random) -> str:
    found = draw.choice([*re.finditer(r" -> [^{;]*(?= \{)", text)] or [None])
    return text if found is None else text[: found.start()] + text[found.end() :]


def a_definition_less(text: str, draw: Random) -> str:
    parts = definitions(text)
    del parts[draw.randrange(len(parts))]
    return "".join(parts)


def a_definition_twice(text: str, draw: Random) -> str:
    """A copy of a definition, mostly under another name."""
    parts = definitions(text)
    copy = draw.choice(parts)
    if draw.random() < 0.8:
        copy = re.sub(r"^def @\w+", f"def @copy{draw.randrange(9)}", copy)
    parts.insert(draw.randrange(len(parts) + 1), copy)
    return "".join(parts)


def another_order(text: str, draw: Random) -> str:
    parts = definitions(text)
    draw.shuffle(parts)
    return "".join(parts)


def a_call_less(text: str, draw: Random) -> str:
    """A line as a comment, or no longer as one."""
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    lines[at] = lines[at].removeprefix("//") if lines[at].startswith("//") else f"//{lines[at]}"
    return "\n".join(lines)


EDITS = (
    *(another_word, another_word, another_word, with_junk, without_some, another_signature, without_a_result),
    *(a_definition_less, a_definition_twice, another_order, a_call_less),
)


def told(found: Findings) -> object:
    """What is found, in no order; helps are searched for until a budget is spent, which is one for the whole text."""
    diagnostics, checks = (
        sorted(
            (one.span.start, one.span.end, one.code, one.message, one.severity, one.label, one.notes, str(one.related))
            for one in some
        )
        for some in (found.diagnostics, found.checks)
    )
    bindings = sorted((one.span.start, one.function, one.name, one.type, str(one.contents)) for one in found.bindings)
    return diagnostics, checks, bindings, dict(found.types)


def answers(document: Document, found: Findings, draw: Random) -> list[object]:
    """What an editor asks for after a change."""
    start = draw.randrange(len(document.text) + 1)
    span = Span(start, start + 400)
    offset = draw.randrange(len(document.text) + 1)
    return [
        features.symbols(document),
        features.tokens(document),
        sorted(map(str, features.hints(document, found, span))),
        features.hover(document, found, offset),
        features.definition(document, offset),
        features.references(document, offset, True),
        [(item.label, item.detail) for item in features.completions(document, found, offset)],
    ]


def just_opened(document: Document) -> Document:
    """The text of a document, opened by a server that knows only what the broken definitions were before."""
    fresh = Document("a", document.text, 1)
    fresh.reading = replace(fresh.reading, memory=document.reading.memory)
    return fresh


@pytest.mark.parametrize("good", [CALLS, LOOPS, DATA], ids=["calls", "loops", "data"])
@pytest.mark.parametrize("seed", range(6))
def test_after_edits_the_answers_are_those_of_a_text_just_opened(good: str, seed: int) -> None:
    draw, checker = Random(seed), Checker()
    document = Document("a", good, 1)
    history = [good]
    for step in range(12):
        found, fresh = checker.check(document), just_opened(document)
        expected = Checker().check(fresh)
        assert told(found) == told(expected), document.text
        where = draw.random()
        assert answers(document, found, Random(where)) == answers(fresh, expected, Random(where)), document.text
        text = draw.choice([history[-1], history[-1], draw.choice(history), good])
        for _ in range(draw.choice([1, 1, 1, 3])):
            text = draw.choice(EDITS)(text, draw) or good
        history.append(text)
        document = document.after(text, step)


def test_a_name_with_a_number_is_read_as_its_declaration_says() -> None:
    declared = "  let %h.1: Tensor[(n, 4), float32] = exp(%in.1);\n"
    checker, document = Checker(), Document("a", CALLS, 1)
    checker.check(document)
    for text in (CALLS.replace(declared, "  let %h = (exp(%in.1), %in.1);\n"), CALLS):
        document = document.after(text, 2)
        assert told(checker.check(document)) == told(Checker().check(Document("a", text, 2)))


def test_only_the_statements_around_a_change_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    plain = trees.parse
    monkeypatch.setattr(trees, "parse", lambda source, mend: texts.append(source.text) or plain(source, mend))
    document = Document("a", CALLS, 1)
    assert len(document.reading.places) == len(document.after(CALLS.replace("axis=-1", "axis=0"), 2).reading.places)
    assert ["axis=0" in text and "def @scaled" not in text for text in texts] == [True]


def test_what_is_broken_stands_for_itself_as_it_was_so_that_its_callers_are_not_checked_again() -> None:
    good = CALLS.replace("(4, 9)", "(4, 8)")  # else `@main` has a finding that points into another function
    checker, document = Checker(), Document("a", good, 1)
    before = checker.check(document)
    for version, (old, new) in enumerate(
        (
            ("exp(%in.1);", "exp(%in.1;"),
            ("let %y = multiply(%x, %by);", "let %y = multiply(%x, ;"),
            ("def @scaled(%x: Tensor", "def @scaled(%x Tensor"),
            ("def @scaled", "df @scaled"),
            ("type Pair[A] {", "type Pair[A {"),
        )
    ):
        document = document.after(good.replace(old, new), version)
        found = checker.check(document)
        assert ({one.code for one in found.diagnostics}, checker.checked) == ({"E0101"}, ()), new
        assert found.types == before.types
    checker.check(document.after(good.replace("let %y = multiply(%x, %by);", "let %y = add(%x, ;"), 9))
    assert checker.checked == ()
    checker.check(document.after(good.replace("axis=-1", "axis=0"), 10))
    assert checker.checked == ("@scaled",)
