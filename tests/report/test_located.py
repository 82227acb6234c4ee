"""A diagnostic of a model is shown at the line of the user's Python program, else at its node."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradual.diagnostic import Diagnostic, Severity
from gradual.origin import Frame, Origin, Origins
from gradual.report import located, render
from gradual.source import Source, Span

TEXT = "def @main() { add(%x, %y) }"
PLACE = Span(14, 25)


def of(origin: Origin | None) -> Source:
    """An imported program of one node."""
    return Source("model.pt2", TEXT, Origins([PLACE.start, PLACE.end], [origin, None]))


def node(*frames: Frame, module: str = "") -> Origin:
    return Origin("aten.add.Tensor `y`", "y = aten.add.Tensor(x, w)", "y", module=module, frames=frames)


def shown(origin: Origin | None) -> str:
    """The place and the excerpt of a diagnostic of the node."""
    source = of(origin)
    found = Diagnostic("E0302", "op.broadcast.agree", "they differ", PLACE, severity=Severity.ERROR)
    return render.full(found, render.within(source)).partition("\n")[2].partition("\n  = rule")[0]


def test_the_line_of_the_innermost_frame_is_shown() -> None:
    lines = shown(node(Frame("a.py", 7, "f", "  g(x)"), Frame("b.py", 1234, "g", "        return x + w  ")))
    assert "--> b.py:1234:9" in lines and "1234 |         return x + w" in lines and "a.py" not in lines
    assert "^^^^^^^^^^^^" in lines


def test_without_frames_the_node_is_shown() -> None:
    lines = shown(node())
    assert "--> model.pt2: aten.add.Tensor `y`\n" in lines and "y = aten.add.Tensor(x, w)" in lines


def test_what_is_of_no_node_is_shown_in_the_generated_text() -> None:
    assert "--> model.pt2:1:15" in shown(None) and "def @main() { add(%x, %y) }" in shown(None)


def test_on_request_the_generated_text_is_shown() -> None:
    assert located.generated(of(node(Frame("a.py", 7))))(PLACE)[1] == PLACE


def test_a_line_that_was_not_recorded_is_read_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\n\n    y = x + w\n", encoding="utf-8")
    assert "3 |     y = x + w" in shown(node(Frame(str(tmp_path / "net.py"), 3)))
    assert "\n4 |\n" in shown(node(Frame(str(tmp_path / "net.py"), 4)))
    assert "--> " + str(tmp_path / "net.py") + ":99:1" in shown(node(Frame(str(tmp_path / "net.py"), 99)))


@pytest.mark.parametrize(
    "name", ["none.py", "\0.py", "x" * 5_000 + ".py", "/dev/zero", "folder.py", "pipe.py", "secret"]
)
def test_a_file_that_cannot_be_read_costs_the_excerpt_and_nothing_else(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "secret").write_text("password\n")
    lines = shown(node(Frame(str(tmp_path / name), 1)))
    assert ":1:1" in lines and "password" not in lines


def test_a_recorded_line_is_shown_whatever_the_file_has_now(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("changed\n")
    lines = shown(node(Frame(str(tmp_path / "net.py"), 1, "f", "recorded")))
    assert "recorded" in lines and "changed" not in lines


def test_control_characters_of_a_model_do_not_reach_the_terminal() -> None:
    lines = shown(node(Frame("a\x1b[2J.py", 1, "f", "x = '\x1b[31m'")))
    assert "\x1b" not in lines and "a\\x1b[2J.py:1:1" in lines


def test_diagnostics_of_one_line_share_its_excerpt() -> None:
    frame = Frame("a.py", 5, "f", "y = g(x) + h(x)")
    text = "%a %b"
    source = Source("m.pt2", text, Origins([0, 2, 3], [node(frame), None, node(frame)]))
    locate = located.within(source)
    assert locate(Span(0, 2))[0] is locate(Span(3, 5))[0]


@pytest.mark.parametrize(
    ("origin", "notes"),
    [
        (None, ()),
        (node(), ()),
        (node(module="layers.0"), ("the node is in module `layers.0`",)),
        (
            node(Frame("a.py", 1)),
            ("the model's node is aten.add.Tensor `y`: y = aten.add.Tensor(x, w)",),
        ),
        (
            node(Frame("a.py", 1), module="layers.0"),
            ("the model's node is aten.add.Tensor `y` in module `layers.0`: y = aten.add.Tensor(x, w)",),
        ),
    ],
)
def test_notes_name_the_node_and_its_module(origin: Origin | None, notes: tuple[str, ...]) -> None:
    assert located.notes(of(origin), PLACE) == notes
