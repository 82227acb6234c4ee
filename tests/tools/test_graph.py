"""`gradual graph`: the data flow of a function, its boxes, and its layout in layers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gradual.compiler import check
from gradual.source import Span
from gradual.tools.graph.boxes import Box, Port, boxes, every, inner
from gradual.tools.graph.building import flow_of
from gradual.tools.graph.flow import Flow, Kind, Node, Value
from gradual.tools.graph.layers import ACROSS, layout
from tests.tools.conftest import Gradual
from tests.tools.stacked import stacked

Write = Callable[[str, str], str]

SKIP = """def @skip(%x: Tensor[(n, 8), float32]) {
  let %half = strided_slice(%x, begin=[0], end=[n], strides=[2], axes=[0]);
  add(%x, repeat(%half, repeats=2, axis=0))
}
"""
BRANCH = """def @main(%x: Tensor[(n, 3), float32], %b: bool) {
  let %y = if (%b) { let %z = exp(%x); tanh(%z) } else { %x };
  let %t = split(%y, indices_or_sections=3, axis=1);
  (%t.0, add(%y, ones([3], dtype="float32")))
}
"""


def edges(flow: Flow) -> list[tuple[str, str, str]]:
    """The edges of a graph in words."""
    return [(flow.nodes[value.source].label, value.shape, flow.nodes[reader].label) for value, reader in flow.edges]


# ------------------------------------------------------------------------------------------------------------ data flow
def test_the_shapes_are_on_the_edges_in_the_order_of_the_text() -> None:
    flow = flow_of(check(SKIP), "@skip")
    assert edges(flow) == [
        ("input", "(n, 8)", "strided_slice"),
        ("strided_slice", "((n + 1) // 2, 8)", "repeat"),
        ("input", "(n, 8)", "add"),
        ("repeat", "(2 * ((n + 1) // 2), 8)", "add"),
        ("add", "(broadcast(n, 2), 8)", "result"),
    ]
    assert [(node.label, node.errors) for node in flow.nodes if node.errors] == [("add", ["E0302"])]


def test_a_residual_check_is_at_the_operator_that_it_guards() -> None:
    program = "def @f(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) { tanh(nn.dense(exp(%x), %w)) }"
    flow = flow_of(check(program), "@f")
    assert [(node.label, node.checks) for node in flow.nodes if node.checks] == [("nn.dense", ["c1"])]


def test_blocks_are_boxes_tuples_are_taken_apart_and_constants_are_notes() -> None:
    flow = flow_of(check(BRANCH), "@main")
    assert [(node.label, node.path) for node in flow.nodes if node.path] == [
        ("exp", ("if %y", "then")),
        ("tanh", ("if %y", "then")),
        ("if", ("if %y",)),
    ]
    assert ("split", "(n, 1)", "result") in edges(flow) and ("if", "(n, 3)", "add") in edges(flow)
    (filled,) = (node for node in flow.nodes if "ones" in node.label)
    assert [note.partition(": ")[2] for note in filled.notes] == ["Tensor[(1,), int32]"]


@pytest.mark.parametrize(
    ("body", "labels"),
    [
        ("let %r = ref(%x); ref_write(%r, exp(%x)); ref_read(%r)", {"ref", "ref_write", "ref_read", "exp"}),
        ("let %f = fn (%y: Tensor[(n,), float32]) { exp(%y) }; %f(%x)", {"fn", "exp", "%f"}),
        ("@g(%x)", {"@g"}),
        ("let %l = Cons(%x, Nil()); match (%l) { Cons(%h, _) => exp(%h), Nil() => %x }", {"Cons", "match", "exp"}),
    ],
)
def test_every_kind_of_step_is_drawn(body: str, labels: set[str]) -> None:
    program = (
        "type List[A] { Cons(A, List[A]), Nil }\n"
        "def @g(%x: Tensor[(n,), float32]) { tanh(%x) }\n"
        f"def @main(%x: Tensor[(n,), float32]) {{ {body} }}\n"
    )
    checked = check(program)
    assert checked.ok, str(checked)
    flow = flow_of(checked, "@main")
    assert labels <= {node.label for node in flow.nodes}
    assert {value.source for value, _ in flow.edges} | {reader for _, reader in flow.edges} <= set(
        range(len(flow.nodes))
    )
    assert any(flow.nodes[reader].kind is Kind.RESULT for _, reader in flow.edges)


# ---------------------------------------------------------------------------------------------------------------- boxes
def flow_with(count: int, edges: list[tuple[int, int]], paths: dict[int, tuple[str, ...]]) -> Flow:
    """A graph of numbered nodes."""
    nodes = [Node(f"op{k}", f"%{k}", paths.get(k, ()), Span(k, k + 1)) for k in range(count)]
    return Flow("@f", nodes, [(Value(a, f"%{a}", "T", f"({a},)"), b) for a, b in edges])


def test_what_crosses_the_border_of_a_box_has_a_port_there() -> None:
    paths = {1: ("m",), 2: ("m", "inner"), 3: ("m",), 5: ("other",), 6: ("other",)}
    root = boxes(flow := flow_with(7, [(0, 1), (1, 2), (2, 3), (1, 3), (0, 4), (3, 4)], paths), False)
    box = next(one for one in inner(root) if one.title == "m")
    ports = [(port.title, port.enters) for port in box.parts if isinstance(port, Port)]
    assert ports == [("%0", True), ("%3", False)] and [value.name for value in box.out] == ["%3"]
    assert [part for part in box.parts if isinstance(part, int)] == [1, 2, 3] and flow.nodes[2].label == "inner: op2"
    assert box.size == 3


def test_many_parts_are_divided_into_runs_and_every_node_is_in_one_box() -> None:
    flow = flow_with(3000, list(pairwise(range(3000))), {})
    root = boxes(flow, True)
    assert all(len([part for part in box.parts if not isinstance(part, Port)]) <= 48 for box in every(root))
    assert sorted(part for box in every(root) for part in box.parts if isinstance(part, int)) == list(range(3000))
    assert root.size == 3000 and [box.title for box in inner(root)][:2] == ["parts 1 to 576", "parts 577 to 1152"]
    assert all(not isinstance(part, Box) for part in boxes(flow, False).parts)


# --------------------------------------------------------------------------------------------------------------- layout
@pytest.mark.parametrize("seed", range(6))
def test_a_layout_has_no_overlaps_and_edges_lead_down(seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(2, 40)
    sizes = [(float(chance.randint(20, 120)), float(chance.randint(20, 60))) for _ in range(count)]
    pairs = {(chance.randrange(count), chance.randrange(count)) for _ in range(2 * count)}
    some = {(a, b) for a, b in pairs if a != b and (seed % 2 or a < b)}  # the odd seeds have cycles
    found = layout(sizes, some)
    boxes_ = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(found.places, sizes, strict=True)]
    for one, other in combinations(boxes_, 2):
        assert one[2] <= other[0] + 0.2 or other[2] <= one[0] + 0.2 or one[3] <= other[1] or other[3] <= one[1]
    for (source, target), route in found.routes.items():
        assert all(a[1] <= b[1] for a, b in pairwise(route))
        upper, lower = sorted((source, target), key=lambda part: found.places[part][1])
        assert seed % 2 or (upper, lower) == (source, target)
        assert abs(route[0][0] - found.places[upper][0] - sizes[upper][0] / 2) < 0.2
        assert found.places[lower][0] <= route[-1][0] <= found.places[lower][0] + sizes[lower][0]
    assert set(found.routes) == some and layout(sizes, sorted(some, reverse=True)).places == found.places


def test_labels_have_room() -> None:
    found = layout([(10.0, 10.0)] * 3, [(0, 2), (1, 2)], labels=[(100.0, 20.0)] * 3)
    (left, _), (right, _), (_, below) = found.places
    assert abs(left - right) >= 100 + ACROSS - 0.2 and below >= 10 + 20


def test_the_ports_of_a_box_are_its_first_and_last_layer() -> None:
    found = layout([(10.0, 10.0)] * 4, [(2, 1), (1, 0), (2, 3)], first=[2], last=[3])
    heights = [y for _, y in found.places]
    assert heights[2] == min(heights) < heights[1] < heights[0] < heights[3]


# -------------------------------------------------------------------------------------------------------------- command
def test_a_graph_for_graphviz(gradual: Gradual, write: Write) -> None:
    done = gradual("graph", write("a.relay", SKIP), "--format", "dot")
    assert (done.code, done.err) == (1, "note: `a.relay` has 1 error; `gradual check` reports them\n")
    assert done.lines == [
        'digraph "@skip" {',
        '  node [shape=box, fontname="monospace"];',
        '  edge [fontname="monospace"];',
        '  n0 [label="input\\n%x", shape=oval];',
        '  n1 [label="strided_slice\\n%half"];',
        '  n2 [label="repeat\\n%_1"];',
        '  n3 [label="add\\n%_2\\n✗ E0302", style=bold];',
        '  n4 [label="result\\n@skip", peripheries=2];',
        '  n0 -> n1 [label="(n, 8)", tooltip="%x: Tensor[(n, 8), float32]"];',
        '  n1 -> n2 [label="((n + 1) // 2, 8)", tooltip="%half: Tensor[((n + 1) // 2, 8), float32]"];',
        '  n0 -> n3 [label="(n, 8)", tooltip="%x: Tensor[(n, 8), float32]"];',
        '  n2 -> n3 [label="(2 * ((n + 1) // 2), 8)", tooltip="%_1: Tensor[(2 * ((n + 1) // 2), 8), float32]"];',
        '  n3 -> n4 [label="(broadcast(n, 2), 8)", tooltip="%_2: Tensor[(broadcast(n, 2), 8), float32]"];',
        "}",
    ]


def test_the_modules_of_a_model_are_boxes_in_both_formats(gradual: Gradual, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(stacked(2))
    assert gradual("graph", "m.onnx", "-o", "m.svg").code == 0
    root = ElementTree.fromstring((tmp_path / "m.svg").read_text())
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    for title in ("layer0", "layer1", "block1", "2: Tanh", "(n, 8)"):
        assert title in texts
    clusters = re.findall(
        r'subgraph cluster_\d+ \{\n *label="(\w+)"', gradual("graph", "m.onnx", "--format", "dot").out
    )
    assert clusters == ["layer0", "block0", "block1", "layer1", "block0", "block1"]
    again = gradual("graph", "m.onnx")
    assert again.out == (tmp_path / "m.svg").read_text()


def test_the_function_is_chosen_as_for_alloc(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", SKIP + SKIP.replace("@skip", "@other"))
    assert gradual("graph", path).code == 2
    assert 'digraph "@other"' in gradual("graph", path, "--entry", "@other", "--format", "dot").out
