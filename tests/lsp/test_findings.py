"""What is checked again after a change gives what checking everything gives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from gradual.tools.lsp.checking import Checker
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.findings import Findings

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = "\n".join((EXAMPLES / name).read_text() for name in ("selected.relay", "head.relay", "skip.relay"))
LOOPS = (EXAMPLES / "r9_rnn.relay").read_text() + (EXAMPLES / "head.relay").read_text()
WORDS = ["n", "m", "?", "d", "4", "%x", "%w", "add", "axis=1", "axis=0", "float32", "int64", ";", ")", "@cell"]


def told(found: Findings) -> object:
    """What a user sees, in no order."""
    diagnostics = sorted((one.span.start, one.span.end, one.code, one.message, one.label) for one in found.diagnostics)
    checks = sorted((one.span.start, one.span.end, one.message) for one in found.checks)
    bindings = sorted((one.span.start, one.function, one.name, one.type, str(one.contents)) for one in found.bindings)
    return diagnostics, checks, bindings, dict(found.types)


def check(checker: Checker, text: str) -> Findings:
    return checker.check(Document("a", text, None))


def changed(text: str, draw: Random) -> str:
    """The text after something that a person may do."""
    kind, at = draw.randrange(4), draw.randrange(len(text))
    if kind == 0:  # another word
        words = [word for word in WORDS if word in text]
        old = draw.choice(words)
        places = [at for at in range(len(text)) if text.startswith(old, at)]
        at = draw.choice(places)
        return text[:at] + draw.choice(WORDS) + text[at + len(old) :]
    if kind == 1:  # a line less
        lines = text.split("\n")
        del lines[draw.randrange(len(lines))]
        return "\n".join(lines)
    if kind == 2:  # a blank line or a comment more
        end = text.find("\n", at)
        return text[:end] + draw.choice(["\n", "\n  // more\n"]) + text[end + 1 :]
    end = text.find("\ndef ", at)  # a function twice under another name
    return text if end < 0 else f"{text}\ndef @g{at}(%x: Tensor[(n,), float32]) {{ nn.relu(%x) }}\n"


@pytest.mark.parametrize("text", [TEXT, LOOPS], ids=["calls", "loops"])
@pytest.mark.parametrize("seed", range(6))
def test_after_changes_everything_is_told_as_if_all_were_checked(text: str, seed: int) -> None:
    draw, checker = Random(seed), Checker()
    good = text
    for _ in range(8):
        assert told(check(checker, text)) == told(check(Checker(), text)), text
        text = changed(good if draw.random() < 0.5 else text, draw)


def test_only_what_changed_is_checked_again() -> None:
    checker, all_of_them = Checker(), {"@counted", "@head", "@paired", "@skip", "@weighted"}
    check(checker, TEXT)
    assert set(checker.checked) == all_of_them
    check(checker, TEXT.replace("axis=1", "axis=0", 1))
    assert checker.checked == ("@weighted",)
    check(checker, "// a comment before all\n" + TEXT.replace("axis=1", "axis=0", 1))
    assert checker.checked == ()
    check(checker, "extern type S\n" + TEXT)
    assert set(checker.checked) == all_of_them


def test_a_signature_that_changes_has_its_users_checked_again() -> None:
    checker = Checker()
    check(checker, LOOPS)
    head, cell = LOOPS.split("def @cell", 1)
    check(checker, f"{head}def @cell{cell.replace('(b, d)', '(b, 7)', 1)}")
    assert {"@cell", "@steps"} <= set(checker.checked)
    assert "@head" not in checker.checked


def test_lints_are_told_again_when_the_errors_of_another_function_are_gone() -> None:
    one = "def @one(%x: Tensor[(n, 1), float32], %y: Tensor[(n,), float32]) { %x - %y }\n"
    checker = Checker()
    assert [found.code for found in check(checker, "def @two() { 1 }\n").diagnostics] == []
    assert [found.code for found in check(checker, f"def @two() {{ %z }}\n{one}").diagnostics] == ["E0202"]
    assert [found.code for found in check(checker, f"def @two() {{ 2 }}\n{one}").diagnostics] == ["E0801"]


def test_names_are_looked_at_in_the_whole_text() -> None:
    checker, used = Checker(), "def @used(%x: float32) { exp(%x) }\n"
    main = "def @main(%x: float32) -> float32 { @used(%x) }\n"
    assert [found.code for found in check(checker, used + main).diagnostics] == []
    assert [found.code for found in check(checker, used + main.replace("@used(%x)", "%x")).diagnostics] == ["E0803"]


HELPERS = """def @inner(%x: Tensor[(?, ?), float32], %w: Tensor[(?, ?), float32]) { nn.dense(%x, %w) }
def @outer(%x: Tensor[(?, ?), float32], %w: Tensor[(?, ?), float32]) -> Tensor[(?, ?), float32] { @inner(%x, %w) }
def @main(%x: Tensor[(n, 8), float32], %w: Tensor[(4, 9), float32]) { @outer(%x, %w) }
"""


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [("(4, 9)", "(4, 8)", []), ("nn.dense(%x, %w)", "nn.dense(%x, %x)", []), ("@main(%x", "@main( %x", ["E0403"])],
)
def test_what_a_callee_checks_is_known_at_its_calls(old: str, new: str, codes: list[str]) -> None:
    checker = Checker()
    assert [one.code for one in check(checker, HELPERS).diagnostics if one.code == "E0403"] == ["E0403"]
    after = check(checker, HELPERS.replace(old, new))
    assert [one.code for one in after.diagnostics if one.code == "E0403"] == codes
    assert told(after) == told(check(Checker(), HELPERS.replace(old, new)))
