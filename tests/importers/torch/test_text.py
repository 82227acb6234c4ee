"""The text of an imported program: pieces keep their nodes, and lines stand where the formatter puts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.importers.common.refusals import Refused, Unsupported
from gradual.importers.common.text import Marks, Program, indented
from gradual.importers.onnx.file.reading import load as load_onnx
from gradual.importers.onnx.program import program as of_onnx
from gradual.importers.torch.file.reading import load
from gradual.importers.torch.program import program
from gradual.origin import Origin, Origins
from gradual.source import Source
from gradual.syntax.printing.format import formatted
from tests.importers.torch.composing import document, files_of, node, ref, tensor, write
from tests.material import SHARED

NODES = tuple(Origin(f"node {at}", f"y{at} = f(x{at})") for at in range(5))
TEXTS = st.text(st.sampled_from('ab {}\n"%é5') | st.characters(exclude_characters="\x02\x03"), max_size=5)


# ------------------------------------------------------------------------------------------------------------ marks
@dataclass(frozen=True)
class Piece:
    """Text made from a node, or from none, with pieces inside it."""

    origin: Origin | None
    parts: tuple[Piece | str, ...]

    def marked(self, marks: Marks) -> str:
        inside = "".join(one if isinstance(one, str) else one.marked(marks) for one in self.parts)
        return marks.around(inside, self.origin)

    def characters(self, outer: Origin | None = None) -> Iterator[tuple[str, Origin | None]]:
        """Each character with the node of the innermost piece around it."""
        own = self.origin or outer
        for one in self.parts:
            if isinstance(one, str):
                yield from ((character, own) for character in one)
            else:
                yield from one.characters(own)


PIECES = st.recursive(
    st.builds(Piece, st.none() | st.sampled_from(NODES), st.lists(TEXTS, max_size=3).map(tuple)),
    lambda inner: st.builds(Piece, st.none() | st.sampled_from(NODES), st.lists(inner | TEXTS, max_size=4).map(tuple)),
    max_leaves=12,
)


@given(PIECES)
def test_each_character_has_the_innermost_node_around_it(piece: Piece) -> None:
    marks = Marks()
    text, origins = removed(marks, piece.marked(marks))
    expected = list(piece.characters())
    assert text == "".join(character for character, _ in expected)
    assert [origins.at(offset) for offset in range(len(text))] == [origin for _, origin in expected]


@given(PIECES)
def test_marks_change_no_indentation(piece: Piece) -> None:
    marks, none = Marks(), Marks()
    bare, _ = removed(none, piece.marked(none))
    assert removed(marks, indented(piece.marked(marks)))[0] == indented(bare)


@given(st.lists(PIECES, max_size=4), TEXTS)
def test_a_text_of_several_pieces_is_their_texts(pieces: list[Piece], between: str) -> None:
    marks = Marks()
    text, origins = removed(marks, between.join(one.marked(marks) for one in pieces))
    assert text == between.join("".join(character for character, _ in one.characters()) for one in pieces)
    assert set(origins) <= set(NODES)


def removed(marks: Marks, text: str) -> tuple[str, Origins]:
    return marks.removed(text, {})


def test_a_text_without_marks_is_of_no_node() -> None:
    text, origins = removed(Marks(), "def @main() { 1 }")
    assert text == "def @main() { 1 }" and origins.at(4) is None and list(origins) == []


# ------------------------------------------------------------------------------------------------------ indentation
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        ("f {\na\n}", "f {\n  a\n}"),
        ("f {\nif (c) {\na\n} else {\nb\n}\n}", "f {\n  if (c) {\n    a\n  } else {\n    b\n  }\n}"),
        ('f {\nassert c, "}}{";\na\n}', 'f {\n  assert c, "}}{";\n  a\n}'),
        ('f {\nassert c, "\\"{";\na\n}', 'f {\n  assert c, "\\"{";\n  a\n}'),
        ("f {\n\na\n}", "f {\n\n  a\n}"),
    ],
)
def test_lines_are_indented_by_open_braces(text: str, expected: str) -> None:
    assert indented(text) == expected


def _of_onnx(path: Path) -> Program:
    return of_onnx(load_onnx(str(path)))


def _of_torch(path: Path) -> Program:
    return program(*load(str(path)))


READERS: dict[str, Callable[[Path], Program]] = {".pt2": _of_torch, ".onnx": _of_onnx}
MODELS = [
    path
    for folder in ("torch-zoo", "onnx-zoo", "onnx", "onnx-small")
    for path in sorted((SHARED / "corpus" / folder).rglob("*"))
    if path.suffix in READERS and path.stat().st_size < 30_000_000
]


@pytest.mark.skipif(not MODELS, reason="no models under GRADUAL_SHARED")
@pytest.mark.parametrize("path", MODELS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_imported_program_is_in_the_layout_of_the_formatter(path: Path) -> None:
    try:
        text = READERS[path.suffix](path).text
    except (Refused, Unsupported) as refused:
        pytest.skip(f"not imported: {refused}")
    assert formatted(Source("m.relay", text), None) == text


@pytest.mark.parametrize("says", ["}", "{", '"}', "\\", "\\{\\", "\n}\n", "\x02", "\x025\x03", "é", "\u2028", "100%"])
def test_messages_of_a_model_disturb_neither_marks_nor_layout(tmp_path: Path, says: str) -> None:
    inputs: dict[str, Any] = {"x": tensor("n"), "c": tensor(dtype="bool")}
    nodes = [
        node("aten._assert_async.msg", {}, self=ref("c"), assert_msg=says),
        node("aten.relu.default", {"y": tensor("n")}, self=ref("x")),
    ]
    made = _of_torch(write(tmp_path / "a.pt2", files_of(document(inputs, nodes, [ref("y")]))))
    assert formatted(Source("m.relay", made.text), None) == made.text
    at = made.text.index("nn.relu")
    origin = made.origins.at(at)
    assert origin is not None and origin.node == "aten.relu.default `y`"
