"""The interface of Python for people: what is listed, what is printed, what an array may be given for."""

from __future__ import annotations

import array
import importlib
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradual as package
from gradual.compilation import Compilation
from gradual.report.summary import in_order
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed
from tests.tools.conftest import Gradual

WRONG = """\
def @f(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) { multiply(%x, %y) }

def @g(%x: Tensor[(?, 4), float32], %y: Tensor[(?, 4), float32]) { nn.relu(%z) }
def @h(%x: Tensor[(?, 4), float32]) -> Tensor[(7, 4), float32] { %x }
"""
RIGHT = """\
type List[A] { Cons(A, List[A]), Nil }
def @h(%x: Tensor[(?, 4), float32]) -> Tensor[(7, 4), float32] { %x }
def @pair(%p: (Tensor[(n,), int64], float16), %b: bool) { (%p.0, %p.1, %b) }
def @list(%l: List[Tensor[(?,), float64]]) { %l }
def @open(%x: Tensor[*, uint8]) { %x }
def @zero(%x: int32) { divide(1, %x) }
def @static(%x: Tensor[(2,), float32]) { negative(%x) }
"""


@pytest.fixture(scope="module")
def right() -> Compilation:
    return package.check(RIGHT, "right.relay")


# -------------------------------------------------------------------------------------------------- what is listed
def test_the_interface_is_listed_and_documented() -> None:
    fresh = importlib.reload(package)
    assert set(dir(fresh)) == set(fresh.__all__) >= {"Tensor", "check", "Blame", "Diagnostic"}
    for name in set(fresh.__all__) - {"__version__"}:
        assert getattr(fresh, name).__doc__


# ------------------------------------------------------------------------------------------------- what is printed
def test_str_is_what_the_commands_print(gradual: Gradual, tmp_path: Path, right: Compilation) -> None:
    (tmp_path / "wrong.relay").write_text(WRONG)
    (tmp_path / "right.relay").write_text(RIGHT)
    wrong = package.check(WRONG, "wrong.relay")
    for program, file in ((wrong, "wrong.relay"), (right, "right.relay")):
        assert str(program) + "\n" == gradual("check", file).out
        assert program.render(checks=True) + "\n" == gradual("check", file, "--checks").out
        assert program.render(color=True) + "\n" == gradual("check", file, "--color", "always").out
    assert str(right.core) == gradual("core", "right.relay").out
    assert str(right.core.functions["@h"]) in str(right.core)
    assert str(right.functions["@pair"]) == right.types["@pair"]


def test_a_diagnostic_has_its_place_and_its_text() -> None:
    wrong = package.check(WRONG, "wrong.relay")
    lines = [line for line in wrong.render().split("\n") if line.startswith(" -->")]
    assert [f" --> wrong.relay:{one.line}:{one.column}" for one in in_order(wrong.diagnostics)] == lines
    first = wrong.diagnostics[0]
    assert first.start is not None and first.end is not None
    assert WRONG.split("\n")[first.start.line - 1][first.start.column - 1 : first.end.column - 1] in str(WRONG)
    assert str(first).startswith("wrong.relay:1:") and str(first).endswith(f"[{first.rule}]")
    assert wrong.render(first) in wrong.render()


def test_what_stops_a_run_has_its_place_and_its_text(right: Compilation) -> None:
    for call, line in ((("@h", np.zeros((3, 4), "f4")), 2), (("@zero", 0), 6), (("@static", [1.0]), 7)):
        with pytest.raises((package.Blame, package.Fault)) as caught:
            right.run(*call)
        assert caught.value.line == line and caught.value.column is not None
        assert f" --> right.relay:{line}:{caught.value.column}\n" in right.render(caught.value)
    with pytest.raises(package.NotStatic) as refused:
        right.run("@h", np.zeros((7, 4), "f4"), runtime="graph")
    assert {one.line for one in refused.value.diagnostics} == {2}
    assert {one.line for one in (*right.obstacles("@h"), *right.unknowns())} >= {2, 5}


def test_nothing_that_is_shown_is_an_insides_dump(right: Compilation) -> None:
    shown = [
        *(right, right.core, right.core.functions["@h"], right.checks[0], right.plan("@static"), right.source),
        *(right.graph("@static"), Tensor([1.0]), Constructed("Cons", (Tensor([1.0]), Constructed("Nil")))),
    ]
    for one in shown:
        assert len(repr(one)) < 200, repr(one)[:300]
        assert " object at 0x" not in f"{one!r}{one!s}"
    assert repr(right) == f"<Compilation of right.relay: {right.totals}>"
    assert repr(shown[-1]) == str(shown[-1]) == "Cons(float32 [1.0], Nil)"
    assert str(right.checks[0]) == "c1: dim(%x, 0) == 7 [type.result]"
    assert str(Tensor([[1, 2]], "int64")) == "int64 [[1, 2]]"


def test_a_structure_of_any_size_is_shown_short() -> None:
    whole = Constructed("Nil")
    for k in range(100_000):
        whole = Constructed("Cons", (Tensor(k, "int32"), whole))
    assert len(repr(whole)) < 400 and "…" in repr(whole)
    assert repr(whole).count("(") == repr(whole).count(")")


class Tags(HTMLParser):
    """Reads a fragment: what it shows, and whether every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.open.append(tag)
        self.seen.add(tag)
        assert not {name for name, _ in attributes} & {"src", "href", "onclick"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if self.open[-1] != "style" else ""


def test_a_notebook_shows_the_report_escaped_and_alone(right: Compilation) -> None:
    for program in (right, package.check(WRONG + 'def @i() { "<script>&amp;\x1b[2J" }', "<b>.relay")):
        html, tags = program._repr_html_(), Tags()
        tags.feed(html)
        tags.close()
        assert tags.open == [] and tags.seen <= {"div", "style", "pre", "b", "details", "summary"}
        assert tags.text.startswith(program.render())
        assert ("1 residual check" in tags.text) is bool(program.residual)
        assert "prefers-color-scheme: dark" in html and "url(" not in html and "\x1b" not in html


# ----------------------------------------------------------------------------------------------------- what is given
def test_arrays_lists_and_numbers_are_arguments(right: Compilation) -> None:
    seven = np.arange(28, dtype=np.float32).reshape(7, 4)
    for given in (seven, seven.tolist(), Tensor(seven), memoryview(seven), np.asfortranarray(seven)):
        assert np.array_equal(np.asarray(right.run("@h", given)), seven)
    value = right.run("@pair", ([1, 2**60 + 1], 0.1), True)
    assert value == (Tensor([1, 2**60 + 1], "int64"), Tensor(0.1, "float16"), Tensor(True, "bool"))
    assert right.run("@pair", (np.array([1]), np.float16(0.1)), np.True_)[0] == Tensor([1], "int64")
    assert right.run("@open", array.array("B", b"ab")).tolist() == [97, 98]
    assert (
        right.run("@static", [1, 2], runtime="graph").tolist() == right.run("@static", [1, 2]).tolist() == [-1.0, -2.0]
    )
    assert right.measure("@static", [1, 2])[0] == Tensor([-1.0, -2.0])


def test_arrays_are_arguments_inside_data(right: Compilation) -> None:
    nil = Constructed("Nil")
    shared = Constructed("Cons", (np.array([1e300]), nil))
    value = right.run("@list", Constructed("Cons", (np.array([0.5]), shared)))
    assert str(value) == "Cons(float64 [0.5], Cons(float64 [1e+300], Nil))"
    whole = nil
    for _ in range(50_000):
        whole = Constructed("Cons", (Tensor([1.0], "float64"), whole))
    assert isinstance(right.run("@list", whole), Constructed)
    assert isinstance(right.run("@list", Constructed("Cons", (np.array([1.0]), whole))), Constructed)


def test_an_array_of_another_type_is_the_callers_fault(right: Compilation) -> None:
    with pytest.raises(package.Blame, match="element type float64 is not float32"):
        right.run("@h", np.zeros((7, 4)))


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (("@h", {"a": 1}), ValueError, "argument 1 of `@h`: no tensor can be made of a dict"),
        (("@h", "abc"), ValueError, "argument 1 of `@h`: no tensor can be made of a str"),
        (("@h", [[1.0], [1.0, 2.0]]), ValueError, "argument 1 of `@h`: the nested lists are ragged"),
        (("@pair", ([1.5], 1), True), ValueError, "argument 1 of `@pair`: 1.5 is not a int64"),
        (("@h", np.zeros(3, complex)), ValueError, "complex128"),
        (("h", 1), KeyError, "there is no function 'h'; there are @h, @pair"),
        (("@h",), package.Blame, "takes 1 argument, not 0"),
    ],
)
def test_what_is_no_argument_is_told(right: Compilation, call: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=re.escape(says)):
        right.run(*call)


def test_a_program_with_errors_says_the_first_when_it_is_to_run() -> None:
    with pytest.raises(ValueError, match=r"has 2 errors and cannot run: wrong\.relay:1:73: error\[E0302\]"):
        package.check(WRONG, "wrong.relay").run("@f", 1, 2)


# ----------------------------------------------------------------------------------------------------------- counts
@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (WRONG, (1, 2)),
        (
            "def @f(%x: Tensor[(5,), float32], %y: Tensor[(4,), float32], %z: Tensor[(3,), float32])"
            " { let %a = add(%x, %y); add(%a, %z) }",
            (1, 1),
        ),
        ("def @f(%x: Tensor[(n, n), float32], %y: Tensor[(n + 1, n + 1), float32]) { add(%x, %y) }", (1, 1)),
        ('def @f(%x: Tensor[(5,), float32], %c: bool) { if (%c) { %x } else { zeros([4], dtype="float32") } }', (1, 1)),
    ],
)
def test_an_obligation_that_fails_is_counted_once_and_is_an_error(text: str, counts: tuple[int, int]) -> None:
    found = package.check(text)
    assert (found.refuted, found.errors) == counts
    assert found.refuted == sum("goal" in one.data for one in found.diagnostics if one.severity == "error")
