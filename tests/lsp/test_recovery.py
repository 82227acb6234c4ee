"""While a definition is being written, and so is broken, the others keep their types, hints and findings."""

from __future__ import annotations

from random import Random

import pytest
from lsprotocol import types as lsp

from gradual.codes import SYNTAX
from gradual.source import Span
from gradual.tools.lsp import features
from gradual.tools.lsp.checking import Checker
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.findings import Findings
from gradual.tools.lsp.recovery.drafts import drafted
from tests.lsp.editor import PULLS, Editor
from tests.lsp.test_edits import CALLS, DATA, LOOPS

GOOD = (CALLS.replace("(4, 9)", "(4, 8)"), LOOPS, DATA)
TYPED = (
    *("(", ")", "{", "}", "[", "]", ";", ",", "%", "@", "=", ".", ":", "#", "1", "$", "/", "//", "/*", "*/", '"', "\n"),
    *("\r\n", "😀", " %x", "let ", "let %q = ", "if (", "match (%x) {", "fn (", "add(", "def ", "def @f", "type "),
)
GAINS = "def @gains(%x: Tensor[(3,), float32]) { let %y = @f(%x); add(%y, %x) }\n"
F = "def @f(%x: Tensor[(3,), float32]) { let %t = exp(%x); add(%t, %x) }\n"


def told(*texts: str) -> tuple[Document, Findings]:
    """The last of several versions of a text, and what is found in it."""
    checker, document = Checker(), Document("a", texts[0], 1)
    found = checker.check(document)
    for version, text in enumerate(texts[1:], 2):
        document = document.after(text, version)
        found = checker.check(document)
    return document, found


def codes(found: Findings) -> list[str]:
    return [one.code for one in found.diagnostics]


def hints(document: Document, found: Findings, start: int, end: int) -> list[object]:
    """The hints of a part of a text, by lines from its start."""
    line, _ = document.place(start)
    shown = features.hints(document, found, Span(start, end))
    return [(one.position.line - line, one.position.character, one.label) for one in shown]


def broken(text: str, start: int, end: int, draw: Random) -> tuple[str, int]:
    """A text with characters less or more in a part, and by how much the part has grown."""
    at = draw.randrange(start, end)
    if draw.random() < 0.5:
        size = min(draw.randrange(1, 8), end - at)
        return text[:at] + text[at + size :], -size
    typed = draw.choice(TYPED)
    return text[:at] + typed + text[at:], len(typed)


@pytest.mark.parametrize("seed", range(10))
def test_a_broken_function_changes_no_hint_of_another(seed: int) -> None:
    draw = Random(seed)
    text = draw.choice(GOOD)
    checker, document = Checker(), Document("a", text, 1)
    found = checker.check(document)
    places = {place.piece.name: (place.start, place.end) for place in document.reading.places}
    before = {name: hints(document, found, *place) for name, place in places.items()}
    name = draw.choice([one for one in places if one.startswith("@")])
    start, end = places[name]
    for version in range(2, 6):
        text, grown = broken(text, start, end, draw)
        end += grown
        document = document.after(text, version)
        found = checker.check(document)
        if document.reading.broken is None:  # the program is another one
            return
        by = end - places[name][1]
        for other, (first, last) in places.items():
            if other != name:
                shift = by if first > start else 0
                assert hints(document, found, first + shift, last + shift) == before[other], (other, text)
        offset = draw.randrange(start, end + 1)
        features.completions(document, found, offset)
        features.hover(document, found, offset)
        assert len(features.tokens(document)) == 5 * len(document.names.occurrences)


@pytest.mark.slow
def test_an_editor_loses_no_hint_and_gets_no_error_while_someone_types() -> None:
    """The same over the protocol, with columns beyond the Basic Multilingual Plane, in one session."""
    good = GOOD[0].replace("let %unused = exp(%x);", "/* 😀😀 */ let %unused = exp(%x);")
    first = good[: good.index("def @scaled")].count("\n")
    last = good[: good.index("def @picked")].count("\n") - 1
    draw = Random(1)
    with Editor(can=PULLS) as editor:
        editor.write(good)
        before, below = editor.hints(0, first), editor.hints(last, 100)
        assert len(below) > 3
        for _ in range(15):
            text, _ = broken(good, good.index("def @scaled"), good.index("def @picked") - 2, draw)
            editor.write(good)  # else what is broken now may never have been whole
            editor.pulled()
            editor.write(text)
            by = text.count("\n") - good.count("\n")
            found = {str(code) for code in editor.codes()}
            if found & set(SYNTAX):
                assert editor.hints(0, first) == before
                assert [(line - by, *rest) for line, *rest in editor.hints(last + by, 100)] == below
            place = lsp.Position(draw.randrange(first, last + by), draw.randrange(9))
            editor.run(editor.client.text_document_completion_async(lsp.CompletionParams(editor.text, place)))
            editor.run(editor.client.text_document_hover_async(lsp.HoverParams(editor.text, place)))
            editor.run(editor.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(editor.text)))
        assert editor.shown == []


def test_callers_are_checked_against_a_signature_that_can_be_read() -> None:
    changed = F.replace("(3,)", "(4,)").replace("%t = exp", "%t exp")
    _, found = told(F + GAINS, changed + GAINS)
    assert set(codes(found)) == {"E0101", "E0301"}
    assert found.types["@f"] == "fn (Tensor[(4,), float32]) -> Tensor[(4,), float32]"


@pytest.mark.parametrize("header", ["def @f(%x Tensor", "def @f%x: Tensor", "def @(%x: Tensor", "de @f(%x: Tensor"])
def test_callers_are_checked_against_the_last_signature_if_it_is_broken(header: str) -> None:
    _, before = told(F + GAINS)
    document, found = told(F + GAINS, F.replace("def @f(%x: Tensor", header) + GAINS)
    assert set(codes(found)) <= set(SYNTAX) and dict(found.types) == dict(before.types)
    assert hints(document, found, 0, len(document.text))[-1] == (1, 46, ": Tensor[(3,), float32]")


def test_callers_of_what_was_never_seen_whole_are_not_errors() -> None:
    _, found = told(F.replace("def @f(%x:", "def @f(%x") + GAINS)
    assert codes(found) == ["E0101"]
    _, found = told("type P[A] { B(A, A), C\ndef @g(%x: P[float32]) { match (%x) { B(%a, _) => %a, C => 1f } }")
    assert codes(found) == ["E0101"]


def test_callers_of_a_function_that_is_gone_are_errors() -> None:
    other = "def @other() { add(1, }\n"
    _, found = told(F + GAINS + other.replace("1, ", "1, 2)"), GAINS + other)
    assert sorted(codes(found)) == ["E0101", "E0203"]
    _, found = told(F + GAINS, F.replace("@f", "@h").replace("%x) }", "}") + GAINS)
    assert sorted(codes(found)) == ["E0101", "E0203"]


def test_in_the_broken_function_the_names_before_the_cursor_are_completed_with_their_types() -> None:
    text = F.replace("add(%t, %x)", "if (True) { let %inner = exp(%t); add(%t, %")
    for versions in ((text + GAINS,), (F + GAINS, text + GAINS)):
        document, found = told(*versions)
        shown = features.completions(document, found, text.index("add(%t, %") + len("add(%t, %"))
        assert [one.label for one in shown] == ["%inner", "%t", "%x"]
        assert [one.detail for one in shown][1:] == ["Tensor[(3,), float32]"] * 2
        assert [one.name for one in features.symbols(document)] == ["@f", "@gains"]


def test_nothing_is_renamed_while_uses_may_be_missed() -> None:
    document, _ = told(F + GAINS, F + GAINS.replace("= @f(%x)", "= $ @f(%x)"))
    with pytest.raises(features.NoName, match="syntax errors"):
        features.rename(document, F.index("@f"), "@g")


def test_two_broken_functions_both_stand_for_themselves() -> None:
    both = F + F.replace("@f", "@h") + GAINS
    document, found = told(both, both.replace("add(%t, %x)", "add(%t, $"))
    assert set(codes(found)) <= set(SYNTAX) and list(found.types) != []
    assert set(found.types) == {"@f", "@h", "@gains"}
    assert len(hints(document, found, 0, len(document.text))) == 3


def test_of_definitions_with_one_name_nothing_is_lost() -> None:
    twice = F + F + GAINS
    assert codes(told(twice)[1]) == ["E0204"]
    document, found = told(twice, twice.replace("exp(%x)", "exp(%x"))
    assert set(codes(found)) == {"E0101"}
    assert hints(document, found, len(document.text) - len(GAINS), len(document.text)) != []


@pytest.mark.parametrize("opening", ["{\n", "(\n", "/*\n", '"\n', "}\n", "let %x = 1\n", "def\n", "def @\n", "type\n"])
def test_what_is_unclosed_at_the_start_breaks_nothing_below(opening: str) -> None:
    _, before = told(F + GAINS)
    _, found = told(F + GAINS, opening + F + GAINS)
    assert dict(found.types) == dict(before.types)
    assert dict(told(opening + F + GAINS)[1].types) == dict(before.types)


def test_headers_keep_their_meaning_before_a_broken_function() -> None:
    strict = '#[version = "0.0.5"]\n#[broadcast = "strict"]\n'
    grown = "def @grown(%x: Tensor[(3,), float32], %y: Tensor[(?,), float32]) { add(%x, %y) }\n"
    bad = f"{strict}def @f() {{ add(1, }}\n{grown}"
    goals = [one.message for text in (strict + grown, bad) for one in told(text)[1].checks]
    assert len(set(goals)) == 1 and goals != [one.message for one in told(grown)[1].checks]


def test_line_ends_of_windows_and_wide_characters_move_no_hint() -> None:
    text = f"// 😀\n{F}// 𝕏\n{GAINS}".replace("\n", "\r\n")
    document, found = told(
        text, text.replace("%t, %x", "%t, /* 😀 */ %x "), text.replace("add(%t, %x)", "/* 😀 */ add(%t,")
    )
    assert hints(document, found, 0, len(document.text)) == [
        (1, 42, ": Tensor[(3,), float32]"),
        (3, 46, ": Tensor[(3,), float32]"),
    ]


@pytest.mark.parametrize(
    "text", ["", "\n", "// nothing\n", "/* nothing */", "\ufeff", "{", "def", "}", "#[", "%", "1 +"]
)
def test_a_text_without_a_definition_has_answers(text: str) -> None:
    document, found = told(F + GAINS, text)
    assert features.symbols(document) == [] and features.tokens(document) == []
    assert hints(document, found, 0, len(text)) == []
    assert {one.code for one in found.diagnostics} <= set(SYNTAX)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("{ }", "{  %_ }"),
        ("{ add(%x, ;\n %x }", "{ add(%x, );\n %x }"),
        ("{ let %a = exp(%x)\n let %b = %a; %b }", "{ let %a = exp(%x)\n ;let %b = %a; %b }"),
        ("{ let %a exp(%x); %a }", "{ let %a  = exp(%x); %a }"),
        ("{ let %a = exp(%x); } let %b = %a; %b }", "{ let %a = exp(%x);  %_  ;let %b = %a; %b }"),
        ("{ let %a = if (True) { %x }; %a }", "{ let %a = if (True) { %x } else { %_ }; %a }"),
        ("{ let %a = $ %x; %a }", "{ let %a =  %x; %a }"),
    ],
)
def test_as_little_as_possible_is_changed(written: str, kept: str) -> None:
    found = drafted(f"def @f(%x: float32) {written}")
    assert found is not None
    assert found.draft.text.rstrip("\n") == f"def @f(%x: float32) {kept}"
