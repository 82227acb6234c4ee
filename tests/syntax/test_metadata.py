"""The metadata section: constants of every element type, sizes outside the text, and broken sections."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import pytest

import gradual
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.parsing.metadata import MAGIC, Undecodable, decoded
from gradual.syntax.printing.print import printed
from gradual.syntax.tree import ast

CODES = {"int": 0, "uint": 1, "float": 2, "handle": 3, "bfloat": 4}


def array(kind: str, bits: int, shape: tuple[int, ...], data: bytes, lanes: int = 1) -> str:
    """TVM's binary form of an array, in base64."""
    head = struct.pack("<QQiiiBBH", MAGIC, 0, 1, 0, len(shape), CODES[kind], bits, lanes)
    return base64.b64encode(head + struct.pack(f"<{len(shape)}qq", *shape, len(data)) + data).decode()


def section(kinds: dict[str, list[dict[str, Any]]], extra: list[dict[str, Any]], arrays: list[str]) -> str:
    """A graph whose map has these lists; `extra` nodes are numbered from 100."""
    nodes: list[dict[str, Any]] = [{"type_key": ""}, {"type_key": "Map", "keys": list(kinds), "data": []}]
    for entries in kinds.values():
        nodes[1]["data"].append(len(nodes))
        nodes.append({"type_key": "Array", "data": list(range(len(nodes) + 1, len(nodes) + 1 + len(entries)))})
        nodes += entries
    nodes += [{"type_key": ""}] * (100 - len(nodes)) + extra
    return json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": arrays, "attrs": {"tvm_version": "0.12.0"}})


def constant(data: int) -> dict[str, Any]:
    return {"type_key": "relay.Constant", "attrs": {"data": str(data), "span": "0"}}


@pytest.mark.parametrize(
    ("kind", "bits", "form", "values", "dtype"),
    [
        ("int", 8, "b", (-128, 127), "int8"),
        ("int", 16, "h", (-5, 5), "int16"),
        ("int", 32, "i", (-7, 7), "int32"),
        ("int", 64, "q", (-(2**63), 1), "int64"),
        ("uint", 8, "B", (0, 255), "uint8"),
        ("uint", 16, "H", (0, 65535), "uint16"),
        ("uint", 32, "I", (0, 2**32 - 1), "uint32"),
        ("uint", 64, "Q", (0, 2**64 - 1), "uint64"),
        ("uint", 1, "B", (False, True), "bool"),
        ("float", 16, "e", (-1.5, 0.25), "float16"),
        ("float", 32, "f", (-1.5, 0.25), "float32"),
        ("float", 64, "d", (-1.5, 0.1), "float64"),
    ],
)
def test_constants_of_every_element_type_are_decoded(
    kind: str, bits: int, form: str, values: tuple[Any, ...], dtype: str
) -> None:
    stored = array(kind, bits, (1, 2), struct.pack(f"<2{form}", *values))
    found = decoded(section({"relay.Constant": [constant(0)]}, [], [stored])).constants["relay.Constant", 0]
    assert isinstance(found, ast.MetaTensor)
    assert (found.dtype, found.shape, found.elements) == (dtype, (1, 2), values)


def test_bfloat16_is_the_upper_half_of_float32() -> None:
    stored = array("bfloat", 16, (2,), struct.pack("<2H", 0x3FC0, 0xC000))
    found = decoded(section({"relay.Constant": [constant(0)]}, [], [stored])).constants["relay.Constant", 0]
    assert isinstance(found, ast.MetaTensor) and found.elements == (1.5, -2.0)


def test_an_element_type_outside_the_language_is_left_out() -> None:
    arrays = [
        array("int", 8, (1,), b"\0\0\0\0", lanes=4),
        array("handle", 64, (1,), bytes(8)),
        array("int", 8, (1,), b"\7"),
    ]
    found = decoded(section({"relay.Constant": [constant(0), constant(1), constant(2)]}, [], arrays)).constants
    assert list(found) == [("relay.Constant", 2)]


def test_sizes_outside_the_text_become_names_numbers_and_arithmetic() -> None:
    def node(kind: str, **attributes: str) -> dict[str, Any]:
        return {"type_key": kind, "attrs": attributes}

    extra = [
        node("tir.SizeVar", name="n", dtype="int32"),
        node("IntImm", value="2", dtype="int32"),
        node("tir.Any", dtype="int32"),
        node("tir.Var", name="n", dtype="int32"),
    ]
    kinds = {
        "tir.SizeVar": [{"type_key": "tir.SizeVar", "attrs": {"name": "any_dim.1"}}],
        "tir.Mul": [node("tir.Mul", a="100", b="101")],
        "tir.FloorDiv": [node("tir.FloorDiv", a="103", b="101")],
        "tir.Min": [node("tir.Min", a="100", b="102")],
        "tir.Cast": [node("tir.Cast", value="100")],
        "IntImm": [node("IntImm", value="7")],
    }
    dims = ", ".join(f"meta[{kind}][0]" for kind in kinds)
    text = f"def @f(%x: Tensor[({dims}), float32]) {{ %x }}\n#[metadata]\n{section(kinds, extra, [])}"
    module, diagnostics = parse(Source("test.relay", text))
    assert not diagnostics
    (definition,) = module.definitions
    assert "Tensor[(any_dim_1, n * 2, n_1 // 2, min(n, ?), meta[tir.Cast][0], 7), float32]" in printed(definition)
    assert module.metadata["IntImm", 0] == 7


def test_a_type_that_was_not_inferred_is_omitted() -> None:
    module, diagnostics = parse(Source("test.relay", "def @f(%x: meta[IncompleteType][0]) { %x }"))
    (definition,) = module.definitions
    assert not diagnostics and isinstance(definition, ast.Def)
    assert isinstance(definition.function.params[0].annotation, ast.Omitted)


def test_the_section_is_printed_back_as_it_was_written() -> None:
    text = section({"relay.Constant": [constant(0)]}, [], [array("int", 8, (), b"\5")])
    module, _ = parse(Source("test.relay", f"meta[relay.Constant][0]\n\n#[metadata]\n{text}\n"))
    assert module.metadata_text == text and printed(module).endswith(f"\n\n#[metadata]\n{text}\n")


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "{",
        "[]",
        '{"root": 5, "nodes": []}',
        '{"root": 0, "nodes": [{"type_key": "Array"}]}',
        "[" * 100000,
        section({"relay.Constant": [constant(3)]}, [], []),
        section({"relay.Constant": [constant(0)]}, [], ["not base64!"]),
        section({"relay.Constant": [constant(0)]}, [], [base64.b64encode(b"short").decode()]),
        section({"relay.Constant": [constant(0)]}, [], [base64.b64encode(bytes(64)).decode()]),
        section({"relay.Constant": [constant(0)]}, [], [array("int", 8, (2,), b"\0")]),
        section({"relay.Constant": [constant(0)]}, [], [array("int", 8, (-1,), b"\0")]),
    ],
)
def test_a_broken_section_is_one_error_and_the_program_is_read(broken: str) -> None:
    text = f"def @f() {{ 1 }}\n#[metadata]\n{broken}"
    module, (diagnostic,) = parse(Source("test.relay", text))
    assert (diagnostic.code, diagnostic.rule) == ("E0106", "syntax.metadata")
    assert text[diagnostic.span.start : diagnostic.span.end] == "#[metadata]"
    assert len(module.definitions) == 1


def test_the_words_of_the_header_in_a_comment_or_string_are_no_section() -> None:
    module, diagnostics = parse(Source("test.relay", 'f("a", x="#[metadata]") // #[metadata]\n'))
    assert not diagnostics and module.metadata_text is None
    module, diagnostics = parse(Source("test.relay", "/*\n#[metadata]\n*/ 1"))
    assert not diagnostics and module.metadata_text is None


def test_a_section_may_begin_inside_a_line() -> None:
    text = section({"relay.Constant": [constant(0)]}, [], [array("int", 8, (), b"\5")])
    module, diagnostics = parse(Source("test.relay", f"/*\n#[metadata]\n*/ meta[relay.Constant][0] #[metadata] {text}"))
    assert not diagnostics and list(module.metadata) == [("relay.Constant", 0)]


def scattered(attributes: dict[str, Any], kind: str = "relay.attrs.ScatterElementsAttrs") -> str:
    """A program whose only call has its attributes in the metadata."""
    nodes: list[dict[str, Any]] = [
        {"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "-1"}},
        {"type_key": "runtime.String", "repr_str": "add"},
    ]
    graph = section({kind: [{"type_key": kind, "attrs": attributes}]}, nodes, [])
    call = f"scatter_elements(%x, %i, %u, meta[{kind}][0])"
    parameters = "%x: Tensor[(3), int32], %i: Tensor[(1), int64], %u: Tensor[(1), int32]"
    return f"def @f({parameters}) {{ {call} }}\n#[metadata]\n{graph}"


def test_attributes_outside_the_text_are_those_of_the_call() -> None:
    text = scattered({"axis": "100", "reduction": "101"})
    module, diagnostics = parse(Source("scattered.relay", text))
    assert not diagnostics
    shown = printed(module)
    assert 'scatter_elements(%x, %i, %u, axis=-1, reduction="add")' in shown
    found = gradual.check(text)
    assert not found.diagnostics
    again = gradual.check(shown)
    assert not again.diagnostics


def test_what_stands_in_the_attributes_itself_is_read_as_it_stands() -> None:
    nodes = {"type_key": "relay.attrs.ScanopAttrs", "attrs": {"axis": "0", "dtype": "int64", "exclusive": "100"}}
    exclusive = {"type_key": "IntImm", "attrs": {"dtype": "bool", "span": "0", "value": "1"}}
    found = decoded(section({"relay.attrs.ScanopAttrs": [nodes]}, [exclusive], []))
    assert found.attributes == {("relay.attrs.ScanopAttrs", 0): {"axis": None, "dtype": "int64", "exclusive": 1}}


def test_lists_and_doubles_are_read_as_cpp_writes_them() -> None:
    kind = "relay.attrs.ProposalAttrs"
    nodes: list[dict[str, Any]] = [
        {"type_key": "Array", "data": [101, 102]},
        {"type_key": "FloatImm", "attrs": {"dtype": "float32", "span": "0", "value": "0.5"}},
        {"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "8"}},
        {"type_key": "Array"},
    ]
    held = {"ratios": "100", "scales": "103", "threshold": "0.69999999999999996", "rpn_min_size": "16", "a": "1e-05"}
    found = decoded(section({kind: [{"type_key": kind, "attrs": held}]}, nodes, []))
    expected = {"ratios": (0.5, 8), "scales": (), "threshold": 0.7, "rpn_min_size": 16, "a": 1e-05}
    assert found.attributes == {(kind, 0): expected}


def test_lists_that_hold_themselves_are_one_error() -> None:
    kind = "relay.attrs.DilateAttrs"
    attributes = {"strides": "100", "dilation_value": "0"}
    graph = section({kind: [{"type_key": kind, "attrs": attributes}]}, [{"type_key": "Array", "data": [100]}], [])
    with pytest.raises(Undecodable):
        decoded(graph)


def test_attributes_are_no_value_and_other_kinds_are_errors() -> None:
    text = scattered({"axis": "100", "reduction": "101"})
    alone = text.replace("scatter_elements(%x, %i, %u, ", "(").replace("Attrs][0])", "Attrs][0])")
    assert [one.code for one in gradual.check(alone).diagnostics] == ["E0106"]
    other = scattered({"axis": "100", "reduction": "101"}, "relay.attrs.OtherAttrs")
    assert next(one.code for one in gradual.check(other).diagnostics) == "E0106"
