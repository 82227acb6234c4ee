"""`gradual alloc`, `gradual run --runtime` and `gradual check --require-static`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.tools.conftest import Gradual

Write = Callable[[str, str], str]

CHAIN = """def @main(%x: Tensor[(n, 16), float32], %y: Tensor[(m,), float32]) where m == n + 1 {
  let %a = exp(%x);
  let %b = negative(%a);
  (tanh(%b), %y)
}
"""


def test_a_plan_is_a_table_of_formulas(gradual: Gradual, write: Write) -> None:
    done = gradual("alloc", write("a.relay", CHAIN))
    assert (done.code, done.lines) == (
        0,
        [
            "buffer  made by   bytes   steps  where",
            "%a      exp       64 * n  1-2    slot 0",
            "%b      negative  64 * n  2-3    slot 1",
            "%_1     tanh      64 * n  3-5    slot 0",
            "",
            "slot  offset  bytes   holds",
            "0     0       64 * n  %a, %_1",
            "1     64 * n  64 * n  %b",
            "",
            "@main: 3 buffers in 2 slots, 4 steps",
            "peak   128 * n",
            "in all 192 * n",
        ],
    )


def test_numbers_are_bound_and_what_follows_from_them_too(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", CHAIN)
    assert gradual("alloc", path, "--bind", "n=3").lines[-3:] == [
        "peak   384   (66 % of all buffers)",
        "in all 576",
        "live   384 at once, at most",
    ]
    assert gradual("alloc", path, "--bind", "m=4").out == gradual("alloc", path, "--bind", "n=3").out


@pytest.mark.parametrize(
    ("bind", "says"),
    [
        (["k=3"], "there is nothing called `k`; sizes that can be given: `n`, `m`"),
        (["n"], "`n` binds nothing"),
        (["n=-3"], "`n=-3` binds nothing"),
        (["n=3", "m=7"], "`m=7` contradicts what `@main` demands on entry"),
    ],
)
def test_a_binding_that_makes_no_sense_is_a_usage_error(
    gradual: Gradual, write: Write, bind: list[str], says: str
) -> None:
    done = gradual("alloc", write("a.relay", CHAIN), *(word for text in bind for word in ("--bind", text)))
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_plan_is_lines_of_json(gradual: Gradual, write: Write) -> None:
    done = gradual("alloc", write("a.relay", CHAIN), "--format", "json", "--bind", "n=3")
    rows = [json.loads(line) for line in done.lines]
    assert [row["kind"] for row in rows] == ["plan", "slot", "slot", "buffer", "buffer", "buffer"]
    assert rows[0] == {
        "kind": "plan", "function": "@main", "steps": 4, "peak": 384, "total": 576, "live": 384, "calls": [],
    }  # fmt: skip
    assert rows[2] == {"kind": "slot", "slot": 1, "offset": 192, "bytes": 192, "holds": ["%b"]}
    assert rows[3]["bytes"] == rows[3]["at_most"] == 192 and (rows[3]["first"], rows[3]["last"]) == (1, 2)


def test_a_picture_has_a_box_for_each_buffer_that_does_not_overlap(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", CHAIN)
    assert gradual("alloc", path, "--svg", "a.svg", "--bind", "n=4").code == 0
    root = ElementTree.fromstring(Path("a.svg").read_text(encoding="utf-8"))
    boxes = [
        tuple(float(box.attrib[key]) for key in ("x", "y", "width", "height"))
        for box in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(boxes) == 3
    for k, (x, y, width, height) in enumerate(boxes):
        for x2, y2, width2, height2 in boxes[k + 1 :]:
            apart = x + width <= x2 + 0.02 or x2 + width2 <= x + 0.02
            assert apart or y + height <= y2 + 0.02 or y2 + height2 <= y + 0.02
    _has_axes(root, [json.loads(line) for line in gradual("alloc", path, "--bind", "n=4", "--format", "json").lines])
    refused = gradual("alloc", path, "--svg", "b.svg")
    assert refused.code == 2 and "bind `n`" in refused.err and not Path("b.svg").exists()


SVG = "{http://www.w3.org/2000/svg}"


def _has_axes(root: ElementTree.Element, rows: list[dict[str, Any]]) -> None:
    """Both axes have units and numbers, no path is filled, and the numbers are those of the boxes."""
    assert "text, .axis" not in (root.findtext(f"{SVG}style") or "")
    classes = {path.attrib["class"] for path in root.iter(f"{SVG}path")}
    style = dict(re.findall(r"\.(\w+) {([^}]*)}", root.findtext(f"{SVG}style") or ""))
    assert all("fill: none" in style[name] for name in classes)
    texts = [text for text in root.iter(f"{SVG}text") if text.text is not None]
    said = [text.text for text in texts]
    assert "bytes" in said and "step" in said
    left = {
        int(t.text or 0): float(t.attrib["y"]) - 4
        for t in texts
        if t.attrib.get("text-anchor") == "end" and t.text != "bytes"
    }
    below = {
        int(t.text or 0): float(t.attrib["x"])
        for t in texts
        if t.attrib.get("text-anchor") == "middle" and str(t.text).isdecimal()
    }
    assert len(left) >= 3 and len(below) >= 3
    (low, bottom), (high, top) = min(left.items()), max(left.items())
    slots = {row["slot"]: row for row in rows if row["kind"] == "slot"}
    for row, box in zip((row for row in rows if row["kind"] == "buffer"), root.iter(f"{SVG}rect"), strict=True):
        foot = float(box.attrib["y"]) + float(box.attrib["height"])
        assert abs((bottom - foot) / (bottom - top) * (high - low) - slots[row["slot"]]["offset"]) < 1
        edges = float(box.attrib["x"]), float(box.attrib["x"]) + float(box.attrib["width"])
        inside = {step for step, x in below.items() if edges[0] < x < edges[1]}
        assert inside == {step for step in below if row["first"] <= step <= row["last"]}


@pytest.mark.parametrize(("size", "unit"), [(1, "bytes"), (1 << 10, "KiB"), (1 << 20, "MiB"), (1 << 27, "GiB")])
def test_the_unit_of_bytes_grows_with_them(gradual: Gradual, write: Write, size: int, unit: str) -> None:
    assert gradual("alloc", write("a.relay", CHAIN), "--svg", "a.svg", "--bind", f"n={size}").code == 0
    root = ElementTree.fromstring(Path("a.svg").read_text(encoding="utf-8"))
    texts = [text for text in root.iter(f"{SVG}text") if text.attrib.get("text-anchor") == "end"]
    assert [text.text for text in texts if not str(text.text).isdecimal()] == [unit]
    assert 3 <= len(texts) <= 11


def test_the_function_is_named_where_there_is_no_main(gradual: Gradual, write: Write) -> None:
    one = CHAIN.replace("@main", "@f")
    assert gradual("alloc", write("a.relay", one)).code == 0
    both = write("b.relay", one + CHAIN.replace("@main", "@g"))
    assert gradual("alloc", both).code == 2
    assert gradual("alloc", both, "--entry", "@g").code == 0
    assert "it has @f, @g" in gradual("alloc", both, "--entry", "@h").err


def test_a_program_with_errors_has_no_plan(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", "def @main() { %x }")
    assert gradual("alloc", path).code == 1
    refused = gradual("alloc", path, "--format", "json")
    assert [json.loads(line)["code"] for line in refused.lines] == ["E0202"] and refused.code == 1


# ------------------------------------------------------------------------------------------------------------ runtimes
STATIC = "def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] { negative(exp(%x)) }\n"
OPEN = "def @main(%x: Tensor[(?, 3), float32]) { exp(%x) }\ndef @f(%x: Tensor[(2,), int32]) { divide(%x, 0) }\n"


def test_both_runtimes_print_the_same(gradual: Gradual, write: Write) -> None:
    path, call = write("a.relay", STATIC), "@main(float32[2, 3])"
    machine = gradual("run", path, call)
    assert machine.code == 0 and gradual("run", path, call, "--runtime", "graph") == machine
    wrong = gradual("run", path, "@main(float32[2, 4])")
    assert wrong.code == 3 and gradual("run", path, "@main(float32[2, 4])", "--runtime", "graph") == wrong


def test_the_graph_runtime_refuses_before_it_runs(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", OPEN)
    done = gradual("run", path, "@main(float32[2, 3])", "--runtime", "graph")
    assert done.code == 1 and "error[E0406]: the size `dim(%x, 0)` is not known before `@main` is called" in done.out
    (row,) = gradual("run", path, "@main(float32[2, 3])", "--runtime", "graph", "--format", "json").lines
    assert json.loads(row)["diagnostics"][0]["data"]["pins"] == {"dim(%x,0)": 2}
    fault = gradual("run", path, "@f([1, 2])", "--runtime", "graph")
    assert fault.code == 1 and fault.out == gradual("run", path, "@f([1, 2])").out and "E0604" in fault.out


def test_what_has_to_be_static_is_checked(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", OPEN)
    assert gradual("check", path).code == 0
    done = gradual("check", path, "--require-static")
    assert done.code == 1 and "help: pin `dim(%x,0)`: gradual pass specialize" in done.out
    assert done.lines[-1].endswith("errors 1")
    assert gradual("check", path, "--require-static", "--entry", "@f").code == 0
    assert gradual("check", path, "--require-static", "--entry", "@g").code == 2
    assert gradual("check", path, "--entry", "@f").code == 2


def test_without_a_main_every_function_has_to_be_static(gradual: Gradual, write: Write) -> None:
    both = write("a.relay", OPEN.replace("@main", "@g") + STATIC.replace("@main", "@h"))
    done = gradual("check", both, "--require-static", "--format", "json")
    found = [json.loads(line) for line in done.lines if '"diagnostic"' in line]
    assert [(row["code"], row["data"]["function"]) for row in found] == [("E0406", "@g")]


def test_the_help_can_be_run(gradual: Gradual, write: Write) -> None:
    import shlex

    path = write("a.relay", CHAIN + OPEN.replace("@main", "@other"))
    done = gradual("check", path, "--require-static")
    (help,) = [line.partition("gradual ")[2] for line in done.lines if "help: pin" in line]
    after = gradual(*shlex.split(help))
    assert after.code == 0
    assert gradual("check", write("b.relay", after.out), "--require-static").code == 0
