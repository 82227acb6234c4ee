"""The comparison of tools counts what they know of a model's sizes, and what a recorded run contradicts."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from bench.page import filled
from bench.peers import speed
from bench.peers.__main__ import TABLE, report
from bench.peers.child import Recorded, judged, measured
from bench.peers.formulas import valued
from bench.peers.speed import NETWORKS
from gradual import check
from gradual.importers.onnx.file.reading import read
from gradual.importers.onnx.program import program
from tests.material import ONNX_ZOO, needs_onnx_zoo

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("floor(n/2 - 1/2) + 1", 4),
        ("(n - 1) // 2 + 1", 4),
        ("Max(1, ceiling(n/3))", 3),
        ("2 * (if n <= 4 then n else 10 * n % 8)", 12),
        ("n/2", Fraction(7, 2)),
        ("unk__3", None),
        ("n/(n - 7)", None),
    ],
)
def test_a_formula_of_any_tool_has_its_value(written: str, size: Fraction | int | None) -> None:
    assert valued(written, {"n": 7}) == size


def test_what_is_known_is_counted_and_what_a_run_contradicts_is_told() -> None:
    recorded = Recorded(
        {"y": [[2, 3], [4, 3]], "z": [[2], [4]], "w": [[1], [1]], "v": [[5], [6]]},
        {"x": [[2, 3], [4, 3]]},
        [{}, {}],
    )
    shapes = {"x": ["unk__0", "3"], "y": ["unk__0", "3"], "z": ["unk__1"], "w": ["1", "1"], "v": ["unk__0 + 3"]}
    assert (recorded.count, judged(shapes, recorded)) == (
        5,
        (3, ["w: rank 2, but was 1", "v, axis 0: unk__0 + 3 is 5, 7, but was [5, 6]"]),
    )


@needs_onnx_zoo
@pytest.mark.parametrize(("tool", "known"), [("gradual", 26), ("onnx", 13)])
def test_a_size_without_a_name_is_that_of_its_input(tool: str, known: int) -> None:
    found = measured(tool, ONNX_ZOO / "sk_gmm.onnx")
    assert (found["sizes"], found["known"], found["wrong"]) == (26, known, [])


@needs_onnx_zoo
@pytest.mark.slow
def test_a_tool_that_fails_has_its_row() -> None:
    """ONNX Runtime may be missing, and is not asked here: no tool answers at once."""
    lines = list(report([ONNX_ZOO / "sk_gmm.onnx"], timeout=0.01))
    assert lines[2].count("> 0 s") == 4
    assert lines[-1] == "sk_gmm, ort, merging: > 0 s"


def test_the_page_has_a_place_for_the_table() -> None:
    assert f"<!-- bench: {TABLE} -->\n```text\na line\n```" in filled(PAGE.read_text("utf-8"), TABLE, ["a line"])


@pytest.mark.parametrize(
    ("network", "size", "result"),
    [
        ("cnn", 20, "Tensor[(1, 64, 56, 56), float32]"),
        ("transformer", 2, "Tensor[(b, s, 96), float32]"),
        ("shape chain", 3, "Tensor[(b, s, 4, 24), float32]"),
    ],
)
def test_the_networks_have_the_same_result_in_both_forms(network: str, size: int, result: str) -> None:
    text, model, _ = NETWORKS[network]
    imported = program(read(model(size)))
    for written in (text(size), imported.text):
        compilation = check(written)
        assert compilation.ok and not compilation.checks
        found = compilation.functions["@main"].result
        assert str(found).replace("?", "b", 1).replace("?", "s", 1) == result


@pytest.mark.parametrize("tool", ["text", "model", "onnx"])
def test_each_tool_infers_a_network(tool: str) -> None:
    assert [speed.measured(tool, network, 1) for network in NETWORKS] > [0, 0, 0]
