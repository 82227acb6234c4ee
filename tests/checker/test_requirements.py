"""One `where` for all faults of a definition: the weakest of simple form, tried before it is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import gradual
from gradual.checker.fixes.guessing import LONGEST
from gradual.checker.fixes.suggested import edited
from gradual.limits import Options
from gradual.resources import folder
from gradual.source import Source
from gradual.tools.checking.fixing import fixed
from gradual.tools.cli import entry

HEADS = """
  let %a = reshape(%q, newshape=[b, t, 8, d // 8]);
  let %c = reshape(%k, newshape=[b, s, 8, e // 8]);
  let %x = reshape(transpose(%a, axes=[0, 2, 1, 3]), newshape=[b * 8, t, d // 8]);
  let %y = reshape(transpose(%c, axes=[0, 2, 1, 3]), newshape=[b * 8, s, e // 8]);
  nn.batch_matmul(%x, %y, transpose_b=True)
"""
PROGRAMS = {
    "heads of an attention": (
        f"def @f(%q: Tensor[(b, t, d), float32], %k: Tensor[(b, s, e), float32]) {{{HEADS}}}",
        "d % 8 == 0, d == e",
    ),
    "heads, one width known to be divided": (
        f"def @f(%q: Tensor[(b, t, d), float32], %k: Tensor[(b, s, e), float32]) where d % 8 == 0 {{{HEADS}}}",
        "d == e",
    ),
    "windows of an image": (
        "def @f(%x: Tensor[(b, h, w, c), float32]) { reshape(%x, newshape=[b, h // 7, 7, w // 7, 7, c]) }",
        "h % 7 == 0, w % 7 == 0",
    ),
    "groups of a normalization": (
        "def @f(%x: Tensor[(b, c, h, w), float32]) { reshape(%x, newshape=[b, 32, c // 32, h, w]) }",
        "c % 32 == 0",
    ),
    "pooling three times": (
        """def @f(%x: Tensor[(b, c, h, w), float32]) {
  let %y = nn.max_pool2d(nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2]), pool_size=[2, 2], strides=[2, 2]);
  nn.max_pool2d(%y, pool_size=[3, 3])
}""",
        "h >= 12, w >= 12",
    ),
    "a skip around a pooling": (
        """def @f(%x: Tensor[(b, c, h, w), float32]) {
  let %y = nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2]);
  %x - repeat(repeat(%y, repeats=2, axis=2), repeats=2, axis=3)
}""",
        "h % 2 == 0, w % 2 == 0",
    ),
    "two lengths that are joined": (
        "def @f(%x: Tensor[(n, a), float32], %y: Tensor[(m, c), float32]) { concatenate((%x, %y), axis=0) }",
        "a == c",
    ),
    "a slice that may be shorter": (
        """def @f(%x: Tensor[(n, m), float32]) {
  strided_slice(%x, begin=[0, 0], end=[16, m - 4]) as Tensor[(16, m - 4), float32]
}""",
        "n >= 16, m >= 4",
    ),
    "a prefix as long as another": (
        "def @f(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) "
        "{ strided_slice(%x, begin=[0], end=[m]) as Tensor[(m,), float32] }",
        "m <= n",
    ),
    "the prefix of a table and of a mask": (
        """def @f(%t: Tensor[(1024,), float32], %m: Tensor[(total,), float32], %p: Tensor[(past, seq), float32]) {
  let %a = strided_slice(%t, begin=[0], end=[past + seq]) as Tensor[(past + seq,), float32];
  let %b = strided_slice(%m, begin=[0], end=[past + seq]) as Tensor[(past + seq,), float32];
  %a + %b
}""",
        "past + seq <= 1024, past + seq <= total",
    ),
    "gates of a cell": (
        "def @f(%z: Tensor[(b, g), float32], %c: Tensor[(b, u), float32]) "
        "{ split(%z, indices_or_sections=4, axis=1).0 * %c }",
        "g == 4 * u",
    ),
    "patches and their positions": (
        """def @f(%x: Tensor[(n, 3, h, w), int8], %k: Tensor[(8, 3, 16, 16), int8], %p: Tensor[(196, 8), int8]) {
  let %y = nn.conv2d(%x, %k, strides=[16, 16], kernel_size=[16, 16]);
  transpose(reshape(%y, newshape=[n, 8, -1]), axes=[0, 2, 1]) + %p
}""",
        "(h // 16) * (w // 16) == 196",
    ),
    "every second row": (
        "def @f(%x: Tensor[(n, 8), float32]) "
        "{ %x + repeat(strided_slice(%x, begin=[0], end=[n], strides=[2], axes=[0]), repeats=2, axis=0) }",
        "n % 2 == 0",
    ),
}


def _proposed(text: str) -> list[str]:
    """The clauses of every `where` that is offered, in the order of the text."""
    said = (help.text for one in gradual.check(text).diagnostics for help in one.help)
    return [match[1] for match in (re.match(r"require it: `where ([^`]*)`", text) for text in said) if match]


@pytest.mark.parametrize("kind", PROGRAMS)
def test_one_where_is_offered_for_all_faults(kind: str) -> None:
    text, wanted = PROGRAMS[kind]
    faults = [one for one in gradual.check(text).diagnostics if one.code == "E0302"]
    assert _proposed(text) == [wanted] * len(faults)
    assert faults


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_where_takes_all_faults_away_and_no_conjunct_is_needless(kind: str) -> None:
    text, wanted = PROGRAMS[kind]
    help = next(help for one in gradual.check(text).diagnostics for help in one.help)
    assert gradual.check(edited(text, help.edits)).ok
    clauses = wanted.split(", ")
    assert all(len(clause) <= LONGEST for clause in clauses)
    for clause in clauses if len(clauses) > 1 else ():
        rest = ", ".join(one for one in clauses if one != clause)
        assert not gradual.check(edited(text, help.edits).replace(wanted, rest)).ok, clause


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_fix_writes_the_where_once(kind: str) -> None:
    text, wanted = PROGRAMS[kind]
    result = fixed(Source("f.relay", text), Options(), unsafe=True)
    assert result.text.count(wanted) == 1
    assert gradual.check(result.text).ok


def test_the_documents_of_other_tools_have_the_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, wanted = PROGRAMS["windows of an image"]
    (tmp_path / "f.relay").write_text(text)
    assert entry(["check", str(tmp_path / "f.relay"), "--format", "sarif"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"]["text"] == f"where {wanted} "


def test_what_only_the_smallest_tensors_satisfy_is_not_offered() -> None:
    assert _proposed("def @f(%x: Tensor[(n,), float32]) { %x as Tensor[(1,), float32] }") == []
    header = "def @f(%x: Tensor[(n,), float32], %y: Tensor[(n, m), float32])"
    text = f"{header} {{ (%x as Tensor[(1,), float32], %y as Tensor[(n, 3), float32]) }}"
    assert _proposed(text) == ["m == 3"]


def test_faults_of_two_definitions_have_each_their_own() -> None:
    one = "def @f(%x: Tensor[(n,), float32]) { reshape(%x, newshape=[2, n // 2]) }"
    two = "def @g(%x: Tensor[(m,), float32]) { reshape(%x, newshape=[3, m // 3]) }"
    assert _proposed(f"{one}\n{two}") == ["n % 2 == 0", "m % 3 == 0"]


def test_the_programs_of_the_specification_say_what_is_offered() -> None:
    chapter = (folder("spec") / "09-elaboration.md").read_text(encoding="utf-8")
    broken, mended = re.findall(
        r"```relay[^\n]*\n(.*?)```", chapter.split("## check.required")[1].split("\n## ")[0], re.S
    )
    text = "".join(line for line in broken.splitlines(keepends=True) if not line.lstrip().startswith("//~"))
    assert fixed(Source("f.relay", text), Options(), unsafe=True).text == mended


def test_no_where_makes_a_name_one_number_so_that_it_broadcasts() -> None:
    text = "def @f(%x: Tensor[(n, t), float32]) { %x + strided_slice(%x, begin=[0, 4], end=[n, t]) }"
    assert not any("t == 5" in one for one in _proposed(text))
