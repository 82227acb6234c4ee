"""`gradual annotate`: what is written, what stays, what is told, exit codes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import gradual as api
from gradual.limits import Options
from gradual.resources import folder
from gradual.source import Source
from gradual.tools.migrating.rounds import Migrated, migrated
from tests.tools.conftest import Gradual

Write = Callable[[str, str], str]


def annotated(text: str, *, everything: bool = True) -> Migrated:
    """The program after annotating, which it survives."""
    result, _ = migrated(Source("f.relay", text), Options(), everything=everything)
    assert result is not None
    return result


BEFORE = """\
// heads of an attention

def @split(%x:  Tensor[(?, ?, ?), float32] /* in */, %w: Tensor[(64, 64), float32]) {
    let %y: Tensor[(?, ?, ?), float32] = nn.dense(%x, %w);   // project
    reshape(%y, newshape=[0, 0, 8, -1])
}
"""
AFTER = """\
// heads of an attention

def @split(%x:  Tensor[(n, m, 64), float32] /* in */, %w: Tensor[(64, 64), float32]) -> Tensor[(n, m, 8, 8), float32] {
    let %y: Tensor[(n, m, 64), float32] = nn.dense(%x, %w);   // project
    reshape(%y, newshape=[0, 0, 8, -1])
}
"""

PAIRS = {
    "a size that must be a number": (
        "def @f(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) -> Tensor[(?, 10), float32] "
        "{ nn.dense(%x, %w) }",
        "def @f(%x: Tensor[(n, 784), float32], %w: Tensor[(10, 784), float32]) -> Tensor[(n, 10), float32] "
        "{ nn.dense(%x, %w) }",
    ),
    "a name in scope": (
        "def @f(%x: Tensor[(n, d), float32], %w: Tensor[(?, ?), float32]) -> Tensor[(n, ?), float32] "
        "{ nn.dense(%x, %w) }",
        "def @f(%x: Tensor[(n, d), float32], %w: Tensor[(m, d), float32]) -> Tensor[(n, m), float32] "
        "{ nn.dense(%x, %w) }",
    ),
    "sizes that must be the same": (
        "def @f(%q: Tensor[(?, ?), float32], %k: Tensor[(?, ?), float32]) { nn.matmul(%q, %k) }",
        "def @f(%q: Tensor[(n, m), float32], %k: Tensor[(m, k), float32]) -> Tensor[(n, k), float32] "
        "{ nn.matmul(%q, %k) }",
    ),
    "a window that has to fit": (
        "def @f(%x: Tensor[(b, c, ?, ?), float32]) { nn.max_pool2d(%x, pool_size=[3, 3]) }",
        "def @f(%x: Tensor[(b, c, n, m), float32]) -> Tensor[(b, c, n - 2, m - 2), float32] where n >= 3, m >= 3 "
        "{ nn.max_pool2d(%x, pool_size=[3, 3]) }",
    ),
    "a divisibility": (
        "def @f(%x: Tensor[(?, ?), float32]) { reshape(%x, newshape=[0, 8, -1]) }",
        "def @f(%x: Tensor[(n, m), float32]) -> Tensor[(n, 8, m // 8), float32] where m % 8 == 0 "
        "{ reshape(%x, newshape=[0, 8, -1]) }",
    ),
    "a clause beside those that are there": (
        "def @f(%x: Tensor[(n, ?), float32]) where n % 2 == 0 { reshape(%x, newshape=[n // 2, 2, 8, -1]) }",
        "def @f(%x: Tensor[(n, m), float32]) -> Tensor[(n // 2, 2, 8, m // 8), float32] where n % 2 == 0, m % 8 == 0 "
        "{ reshape(%x, newshape=[n // 2, 2, 8, -1]) }",
    ),
    "operands that broadcast": (
        "def @f(%x: Tensor[(?, 4), float32], %y: Tensor[(?, 4), float32]) { %x + %y }",
        "def @f(%x: Tensor[(n, 4), float32], %y: Tensor[(m, 4), float32]) -> Tensor[(broadcast(n, m), 4), float32] "
        "where broadcasts(n, m) { %x + %y }",
    ),
    "an operand that is stretched to a result as declared": (
        "def @f(%x: Tensor[(t, 4), float32], %y: Tensor[(?, 4), float32]) -> Tensor[(t, 4), float32] { %x + %y }",
        "def @f(%x: Tensor[(t, 4), float32], %y: Tensor[(n, 4), float32]) -> Tensor[(t, 4), float32] "
        "where t == n or n == 1 { %x + %y }",
    ),
    "a rank that an operator demands": (
        "def @f(%x: Tensor[*, float32]) { nn.max_pool2d(%x, pool_size=[1, 1]) }",
        "def @f(%x: Tensor[(n, m, k, p), float32]) -> Tensor[(n, m, k, p), float32] "
        "{ nn.max_pool2d(%x, pool_size=[1, 1]) }",
    ),
    "types that are missing": (
        "def @f(%x, %w) { nn.dense(%x, %w) }\n"
        "def @main(%x: Tensor[(n, 8), float32], %w: Tensor[(4, 8), float32]) { @f(%x, %w) }",
        "def @f(%x: Tensor[(n, m), float32], %w: Tensor[(k, m), float32]) -> Tensor[(n, k), float32] "
        "{ nn.dense(%x, %w) }\n"
        "def @main(%x: Tensor[(n, 8), float32], %w: Tensor[(4, 8), float32]) -> Tensor[(n, 4), float32] { @f(%x, %w) }",
    ),
    "a callee's need in its callers": (
        "def @f(%x: Tensor[(?, ?), float32]) { nn.dense(%x, ones(shape=[3, 8])) }\n"
        "def @g(%x: Tensor[(?, ?), float32]) -> Tensor[(?, ?), float32] { @f(%x) }",
        "def @f(%x: Tensor[(n, 8), float32]) -> Tensor[(n, 3), float32] { nn.dense(%x, ones(shape=[3, 8])) }\n"
        "def @g(%x: Tensor[(n, 8), float32]) -> Tensor[(n, 3), float32] { @f(%x) }",
    ),
    "a definition that calls itself": (
        "def @f(%x: Tensor[(?, 4), float32], %n: int32) -> Tensor[(?, 4), float32] { if (%n == 0) { %x } else "
        "{ @f(%x, %n - 1) } }",
        "def @f(%x: Tensor[(n, 4), float32], %n: int32) -> Tensor[(n, 4), float32] { if (%n == 0) { %x } else "
        "{ @f(%x, %n - 1) } }",
    ),
    "sizes inside tuples": (
        "def @f(%t: (Tensor[(?, 3), float32], Tensor[(?, ?), float32])) { concatenate(%t, axis=0) }",
        "def @f(%t: (Tensor[(n, 3), float32], Tensor[(m, 3), float32])) -> Tensor[(m + n, 3), float32] "
        "{ concatenate(%t, axis=0) }",
    ),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_what_is_needed_is_written(kind: str) -> None:
    before, after = PAIRS[kind]
    result = annotated(before)
    assert result.text == after
    assert not result.left
    assert not api.check(after).checks


@pytest.mark.parametrize("kind", PAIRS)
def test_annotating_twice_changes_nothing_more(kind: str) -> None:
    assert annotated(PAIRS[kind][1]).written == 0


def test_the_program_of_the_specification_becomes_the_one_beside_it() -> None:
    chapter = (folder("spec") / "09-elaboration.md").read_text(encoding="utf-8")
    before, after = re.findall(
        r"```relay[^\n]*\n(.*?)```", chapter.split("## check.annotated")[1].split("\n## ")[0], re.S
    )
    assert annotated(before).text == after


def test_a_branch_says_nothing_of_the_interface() -> None:
    text = """def @f(%x: Tensor[(?,), float32]) {
  if (take(shape_of(%x), 0) == 3) { %x as Tensor[(3,), float32] } else { zeros(shape=[3], dtype="float32") }
}"""
    assert "%x: Tensor[(n,), float32]" in annotated(text).text
    text = """def @f(%c: bool, %x: Tensor[(?,), float32]) -> Tensor[(3,), float32] {
  if (%c) { %x as Tensor[(3,), float32] } else { zeros(shape=[3]) }
}"""
    result = annotated(text)
    assert result.text == text
    (left,) = result.left
    assert left.says.startswith("the `?` in the type of `%x` stays: `n` is refused: E0302: ")


def test_a_caller_that_passes_an_empty_tensor_is_not_refused() -> None:
    text = """def @f(%x: Tensor[(?, 4), float32]) -> Tensor[(?, 4), float32] { nn.relu(%x) }
def @main() -> Tensor[(?, 4), float32] { @f(zeros(shape=[0, 4], dtype="float32")) }"""
    assert "def @f(%x: Tensor[(?, 4), float32])" in annotated(text).text


def test_sizes_alone_add_no_type_and_no_clause() -> None:
    text = """def @f(%x: Tensor[(?, 784), float32], %y, %z: Tensor[(?, ?), float32]) { (nn.dense(%z, %x), %y) }
def @g(%x: Tensor[(b, c, ?), float32]) { nn.max_pool1d(%x, pool_size=[3]) }
def @main(%x: Tensor[(2, 784), float32]) { @f(%x, %x, %x) }"""
    result = annotated(text, everything=False)
    assert result.text == text.replace("(?, 784)", "(n, 784)").replace("(?, ?)", "(m, 784)")
    (left,) = result.left
    assert left.says.startswith("the `?` in the type of `%x` stays: ")


def test_names_that_are_taken_are_not_written() -> None:
    text = "type n { m }\ndef @f(%x: Tensor[(?, k), float32], %p: Tensor[(?,), float32]) { (%x, %p, m) }"
    assert "%x: Tensor[(p, k), float32], %p: Tensor[(q,), float32]" in annotated(text).text


# ---------------------------------------------------------------------------------------------------------- the command
def test_comments_and_layout_stay(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", BEFORE)
    done = gradual("annotate", path)
    assert (done.code, done.out, done.err) == (0, AFTER, "")
    assert Path(path).read_text() == BEFORE


def test_the_file_itself_is_written(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", BEFORE)
    assert gradual("annotate", path, "-o", path).code == 0
    assert Path(path).read_text() == AFTER
    assert gradual("annotate", "--diff", path) == gradual("annotate", "--diff", "-", stdin=AFTER)


def test_diff_shows_and_changes_nothing(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", BEFORE)
    done = gradual("annotate", "--diff", path)
    assert (done.code, Path(path).read_text()) == (1, BEFORE)
    assert "+    let %y: Tensor[(n, m, 64), float32] = nn.dense(%x, %w);   // project" in done.lines
    assert gradual("annotate", "--diff", "-", stdin=AFTER).code == 0


def test_what_stays_is_told_beside_the_program(gradual: Gradual) -> None:
    done = gradual("annotate", "-", stdin="def @f(%x: Tensor[*, float32]) { nn.relu(%x) }")
    assert done.out == "def @f(%x: Tensor[*, float32]) { nn.relu(%x) }"
    assert done.err.splitlines() == [
        "<stdin>:1:5: the result type is not written: some of it is unknown",
        "<stdin>:1:12: the `*` in the type of `%x` stays",
    ]
    assert gradual("annotate", "--only", "?", "-q", "-", stdin="def @f(%x) { nn.relu(%x) }").err == ""


def test_a_program_with_errors_is_not_annotated(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", "def @f(%x: Tensor[(?,), float32]) { %y }")
    done = gradual("annotate", path, "-o", "b.relay")
    assert done.code == 1
    assert "E0202" in done.err
    assert not Path("b.relay").exists()
    assert gradual("annotate", "m.onnx").code == 2
