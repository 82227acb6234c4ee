"""What is read as a model, what is told of one that is not imported, and how functions expand."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, ValueInfoProto, checker, helper, numpy_helper

import gradual
from gradual.importers.common.refusals import Refused, Unreadable
from gradual.importers.onnx.file.model import Model
from gradual.importers.onnx.file.reading import load, model_of, read
from gradual.importers.onnx.importers import IMPORTERS
from gradual.importers.onnx.program import program
from gradual.importers.onnx.survey import measured
from gradual.limits import LIMITS
from tests.importers.models import body, compiled, given, model, node, ones, port, same, signature, whole
from tests.importers.node_tests import tensor

OPSETS = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]


def plain(*nodes: Any, **constants: Any) -> ModelProto:
    nodes = nodes or (node("Relu", "x", "y"),)
    return model(nodes, [port("x", ["n"])], [port("y", ["n"])], constants)


# ------------------------------------------------------------------------------------- what runtimes take as a model
def nameless() -> ModelProto:
    made = plain()
    made.graph.name = ""
    return made


def with_output(output: ValueInfoProto) -> ModelProto:
    made = plain()
    made.graph.output[0].CopyFrom(output)
    return made


def twice() -> ModelProto:
    made = plain()
    for value in "ab":
        made.metadata_props.add(key="k", value=value)
    return made


def early() -> ModelProto:
    """Of a version in which weights had to be inputs too, and are none."""
    made = plain(node("Add", "x w", "y"), w=np.float32(1))
    made.ir_version = 3
    return made


UNTYPED = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
FOUND = {
    "no name": nameless(),
    "an output without a type": with_output(ValueInfoProto(name="y")),
    "an output without a shape": with_output(UNTYPED),
    "nodes in another order": plain(node("Neg", "b", "y"), node("Relu", "a", "b"), node("Abs", "x", "a")),
    "a property twice": twice(),
    "weights that are no inputs": early(),
    "an input without a shape": model([node("Relu", "x", "y")], [port("x", None)], [port("y", None)]),
}


@pytest.mark.parametrize("what", FOUND)
def test_what_runtimes_run_is_read(what: str, tmp_path: Path) -> None:
    """ONNX's own checker refuses each of them, and ONNX Runtime none."""
    made, path = FOUND[what], tmp_path / "a.onnx"
    with pytest.raises(checker.ValidationError):
        checker.check_model(made)
    path.write_bytes(made.SerializeToString())
    compilation = gradual.check(program(load(str(path))).text)
    wanted = {"nodes in another order": [0, -1], "weights that are no inputs": [1, 2]}.get(what, [0, 1])
    assert compilation.run("@main", tensor(ones(2))) == tensor(np.float32(wanted))


def test_a_node_may_stand_before_what_its_graph_takes_from_around() -> None:
    then, orelse = (
        body(name, [node(operator, "late", name)], [], [port(name, None)])
        for operator, name in (("Neg", "t"), ("Relu", "e"))
    )
    nodes = [node("If", "c", "y", then_branch=then, else_branch=orelse), node("Abs", "x", "late")]
    made = model(nodes, [port("x", ["n"]), port("c", [], "bool")], [port("y", None)])
    compilation = gradual.check(program(read(made)).text)
    assert compilation.run("@main", tensor(-ones(2)), tensor(np.array(True))) == tensor(-ones(2))


@pytest.mark.parametrize(
    "made",
    [
        plain(node("Relu", "b", "y"), node("Relu", "y", "b")),
        plain(node("Relu", "nothing", "y")),
        plain(node("Relu", "x", "y", alpha=1.0)),
        plain(node("Relu", "x", "y"), node("Neg", "x", "y")),
        ModelProto(),
    ],
)
def test_what_no_runtime_takes_is_no_model(made: ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    path.write_bytes(made.SerializeToString())
    with pytest.raises(Unreadable, match="not a valid ONNX model"):
        load(str(path))


def test_operators_that_onnx_does_not_know_are_told_like_others(tmp_path: Path) -> None:
    """As some converters write them, and return without a word."""
    inner = body("t", [node("Strange", "x", "t")], [], [port("t", None)])
    nodes = [
        node("Strange", "x", "a"),
        node("RegexFullMatch", "a", "b"),
        node("If", "c", "y", then_branch=inner, else_branch=inner),
    ]
    made = model(nodes, [port("x", ["n"]), port("c", [], "bool")], [port("y", None)])
    path = tmp_path / "a.onnx"
    path.write_bytes(made.SerializeToString())
    with pytest.raises(Refused) as refused:
        program(load(str(path)))
    assert refused.value.reasons == (f"Strange `a` and 2 more: {UNKNOWN}", f"RegexFullMatch `b`: {UNKNOWN}")


def test_a_weight_with_too_few_elements_is_told() -> None:
    made = plain(node("Add", "x w", "y"), w=ones(2))
    made.graph.initializer[0].dims[0] = 3
    with pytest.raises(Refused, match="`w`: 2 elements do not fill the shape"):
        program(read(made))


# ------------------------------------------------------------------------------------------ what is told, all of it
def reasons(made: ModelProto) -> tuple[str, ...]:
    with pytest.raises(Refused) as refused:
        program(model_of(made))
    return refused.value.reasons


UNKNOWN = "an operator that is not imported"


def test_nodes_behind_a_refused_one_are_told_with_their_number() -> None:
    nodes = [node("RegexFullMatch", "x", "a"), *(node("RegexFullMatch", name, f"{name}1") for name in ("a", "a1"))]
    nodes += [node("ImageDecoder", "a", "b"), node("Strange", "b", "c", domain="elsewhere"), node("Neg", "c", "y")]
    assert reasons(plain(*nodes)) == (
        f"RegexFullMatch `a` and 2 more: {UNKNOWN}",
        f"ImageDecoder `b`: {UNKNOWN}",
        "Strange `c`: an operator of the domain elsewhere",
    )


def test_an_operator_of_another_domain_is_imported_by_its_domain_and_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of ONNX's own of the same name is another; what a model defines itself comes before both."""
    monkeypatch.setitem(IMPORTERS, ("elsewhere", "Relu"), lambda use: use.call("negative", use[0]))
    made = plain(node("Relu", "x", "a", domain="elsewhere"), node("Relu", "a", "y"))
    assert same(given(made, ones(3) - 1), [1, 0, 0])
    opsets = [*OPSETS, helper.make_opsetid("elsewhere", 1)]
    own = helper.make_function("elsewhere", "Relu", ["p"], ["q"], [node("Abs", "p", "q")], opsets)
    defined = model([node("Relu", "x", "y", domain="elsewhere")], [port("x", [3])], [port("y", None)], functions=[own])
    assert same(given(defined, ones(3) - 1), [1, 0, 1])
    others = plain(node("Gelu", "x", "a", domain="elsewhere"), node("Gelu", "a", "y", domain="elsewhere"))
    assert reasons(others) == ("Gelu `a` and 1 more: an operator of the domain elsewhere that is not imported",)


def test_nodes_in_graphs_and_in_functions_are_told() -> None:
    inner = helper.make_function("own", "Inner", ["p"], ["q"], [node("ImageDecoder", "p", "q")], OPSETS)
    outer = helper.make_function("own", "Outer", ["p"], ["q"], [node("Inner", "p", "q", domain="own")] * 1, OPSETS)
    then = body("then", [node("RegexFullMatch", "x", "t")], [], [port("t", None)])
    deeper = body("deeper", [node("If", "c", "d", then_branch=then, else_branch=then)], [], [port("d", None)])
    nodes = [
        node("Outer", "x", "o", domain="own"),
        node("Outer", "o", "p", domain="own"),
        node("If", "c", "y", then_branch=deeper, else_branch=then),
    ]
    made = model(nodes, [port("x", ["n"]), port("c", [], "bool")], [port("y", None)], functions=[inner, outer])
    assert reasons(made) == (f"ImageDecoder `q`: {UNKNOWN}", f"RegexFullMatch `t` and 2 more: {UNKNOWN}")


def test_what_is_told_of_many_nodes_is_told_once() -> None:
    nodes = [node("Clip", "x l", f"y{at}") for at in range(5)] + [node("Mod", "x x", "y")]
    assert reasons(plain(*nodes, l=ones(2))) == (
        "Clip `y0` and 4 more: a vector where a number has to be",
        "Mod `y`: fmod=0 of elements of type float32",
    )


def test_what_nobody_needs_stands_in_nobodys_way() -> None:
    made = plain()
    made.graph.node.append(node("Constant", "", "words", value_strings=["a", "b"]))
    made.graph.input.append(helper.make_tensor_value_info("text", TensorProto.STRING, [1]))
    made.graph.output.append(helper.make_tensor_value_info("text", TensorProto.STRING, [1]))
    assert reasons(made) == (
        "`text` has elements of type string",
        "Constant `words`: a constant given by value_strings",
    )
    strange = numpy_helper.from_array(ones(1))
    strange.data_type = TensorProto.STRING
    made = plain(node("Relu", "x", "y"), node("Constant", "", "c", value=strange))
    assert reasons(made) == ("Constant `c`: `` has elements of type string",)


def test_why_a_body_is_not_imported_is_told_by_the_node_that_applies_it() -> None:
    two = helper.make_function("own", "Two", ["p"], ["q"], [node("Mod", "p p", "q")], OPSETS)
    made = model([node("Two", "x", "y", domain="own")], [port("x", ["n"])], [port("y", None)], functions=[two])
    assert reasons(made) == ("Two `y`: Mod `q`: fmod=0 of elements of type float32",)


# --------------------------------------------------------------------------------------------- functions that expand
def doubling(count: int, times: int = 2) -> ModelProto:
    """Functions each of which applies the next one several times."""
    functions = [helper.make_function("own", "F0", ["p"], ["q"], [node("Neg", "p", "q")], OPSETS)]
    for at in range(1, count):
        names = ["p", *(f"m{step}" for step in range(times - 1)), "q"]
        inner = [node(f"F{at - 1}", names[step], names[step + 1], domain="own") for step in range(times)]
        functions.append(helper.make_function("own", f"F{at}", ["p"], ["q"], inner, OPSETS))
    nodes = [node(f"F{count - 1}", "x", "y", domain="own")]
    return model(nodes, [port("x", ["n"])], [port("y", None)], functions=functions)


def test_functions_that_apply_another_twice_are_measured_before_they_expand() -> None:
    began = time.process_time()
    (reason,) = reasons(doubling(100))
    assert reason.startswith("functions that expand to ") and f"above the limit of {LIMITS.inlined}" in reason
    assert time.process_time() - began < 5


def test_what_measuring_costs_grows_with_the_text() -> None:
    """Each body is looked at once, however often it is applied."""
    looked: list[int] = []

    class Counted(dict[Any, Any]):
        def get(self, key: Any, default: Any = None) -> Any:
            looked[-1] += 1
            return super().get(key, default)

    for count in (20, 40, 80):
        made = model_of(doubling(count, 3))
        looked.append(0)
        with pytest.raises(Exception, match="functions that expand"):
            measured(Model(made.graph, made.opsets, Counted(made.functions)))
    assert looked[1] < 2.2 * looked[0] and looked[2] < 2.2 * looked[1]


def test_functions_that_expand_to_little_are_expanded() -> None:
    compilation, imported = compiled(doubling(7))
    assert imported.text.count("negative") == 64
    assert compilation.run("@main", tensor(ones(2))) == tensor(ones(2))


def test_functions_that_nest_deep_are_refused_and_less_deep_ones_are_not() -> None:
    assert reasons(doubling(LIMITS.nesting + 2, 1)) == (f"functions that nest deeper than {LIMITS.nesting}",)
    compiled(doubling(LIMITS.nesting, 1))


# ------------------------------------------------------------------------------------------- conditions that are known
def guarded(condition: Any, then: Any, orelse: Any, shape: Any, **constants: Any) -> ModelProto:
    """A choice by what is computed of the sizes of `x`, and an operator that needs the rank."""
    graphs = {
        "then_branch": body("t", [then], [], [port(then.output[0], None)]),
        "else_branch": body("e", [orelse], [], [port(orelse.output[0], None)]),
    }
    nodes = [*condition, node("If", "c", "y", **graphs), node("Softmax", "y", "z", axis=1)]
    return model(nodes, [port("x", shape)], [port("z", None)], constants)


RANK = [node("Shape", "x", "s"), node("Size", "s", "r"), node("Equal", "r zero", "c")]
BELOW = [
    node("Shape", "x", "s"),
    node("Gather", "s zero", "s0"),
    node("Less", "s0 zero", "c"),
]
AXIS = [node("Shape", "x", "s", start=0, end=1), node("Equal", "s one", "c1"), node("Squeeze", "c1", "c")]


@pytest.mark.parametrize(
    ("condition", "shape"),
    [
        (RANK, ["n", 4]),
        ([*RANK[:2], node("Greater", "zero r", "c")], ["n", 4]),
        (AXIS, [3, "n"]),
        (AXIS, [3, 4]),
        (BELOW, ["n", 4]),
        (BELOW, [None, 4]),
        ([*BELOW[:-1], node("LessOrEqual", "zero s0", "c0"), node("Not", "c0", "c")], ["n", 4]),
    ],
)
@pytest.mark.parametrize(
    "then", [node("Reshape", "x back", "a"), node("Squeeze", "x", "a"), node("Squeeze", "x first", "a")]
)
def test_a_branch_that_sizes_exclude_is_left_out(condition: Any, shape: Any, then: Any) -> None:
    constants = {"zero": np.array(0), "one": whole(1), "back": whole(-1), "first": whole(0)}
    made = guarded(condition, then, node("Identity", "x", "b"), shape, **constants)
    compilation, imported = compiled(made)
    assert "if" not in imported.text and compilation.checks == ()


def test_a_value_of_either_rank_is_handed_on() -> None:
    """What nothing decides has no rank, and operators that need none take it."""
    then, orelse = node("Squeeze", "x first", "a"), node("Identity", "x", "b")
    graphs = {
        "then_branch": body("t", [then], [], [port("a", None)]),
        "else_branch": body("e", [orelse], [], [port("b", None)]),
    }
    nodes = [*AXIS, node("If", "c", "y", **graphs), node("Relu", "y", "r"), node("Add", "r r", "z")]
    made = model(nodes, [port("x", ["n", 4])], [port("z", None)], {"one": whole(1), "first": whole(0)})
    compilation, _ = compiled(made)
    assert compilation.checks == ()
    for size in (1, 3):
        wanted = 2 * ones(size, 4)
        assert compilation.run("@main", tensor(ones(size, 4))) == tensor(wanted[0] if size == 1 else wanted)


def test_parts_of_a_shape_are_followed() -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Split", "s", "a b c", axis=0),
        node("Concat", "a c b", "t", axis=0),
        node("Expand", "one t", "y"),
    ]
    made = model(nodes, [port("x", ["n", "m", 4])], [port("y", None)], {"one": np.float32(1)}, opset=13)
    compilation, _ = compiled(made)
    assert signature(compilation).endswith("-> Tensor[(n, 4, m), float32]")


def test_parts_of_computed_sizes_are_followed() -> None:
    nodes = [
        *(node("Shape", name, f"n{name}", start=0, end=1) for name in "ab"),
        node("Concat", "a b", "c", axis=0),
        node("Concat", "na nb", "sizes", axis=0),
        node("Split", "c sizes", "p q", axis=0),
        node("Add", "p a", "y"),
    ]
    compilation, _ = compiled(
        model(nodes, [port("a", ["n", 2]), port("b", ["m", 2])], [port("y", None), port("q", None)])
    )
    assert signature(compilation).endswith("-> (Tensor[(n, 2), float32], Tensor[(m, 2), float32])")
    assert compilation.checks == ()
