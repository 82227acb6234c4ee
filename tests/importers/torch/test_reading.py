"""What an archive says is read as PyTorch means it, and what it must not say is refused with the place."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradual
from gradual.importers.common.refusals import Refused, Unreadable, Unsupported
from gradual.importers.common.text import Program
from gradual.importers.torch import program as importing
from gradual.importers.torch.file import reading
from gradual.importers.torch.file.reading import load
from gradual.importers.torch.file.schema import Graph, Meta, Model, Name
from gradual.importers.torch.program import program
from gradual.limits import LIMITS
from gradual.types.dtype import DType
from tests.importers.torch.composing import (
    Json,
    Made,
    Raw,
    Ref,
    document,
    files_of,
    graph,
    node,
    number,
    ref,
    tensor,
    write,
)

X = {"x": tensor("n", 4)}
RELU = node("aten.relu.default", {"y": tensor("n", 4)}, self=ref("x"))
Edit = Callable[[Json], Any]


def form(edit: Edit = lambda form: None, **description: Any) -> Json:
    """A program of one node, or another one, edited."""
    made = document(**{"inputs": X, "nodes": [RELU], "outputs": [ref("y")], **description})
    own: Json = json.loads(json.dumps(made))
    edit(own)
    return own


def model(path: Path, edit: Edit = lambda form: None, **description: Any) -> Model:
    return load(str(write(path / "a.pt2", files_of(form(edit, **description), description.get("weights")))))[0]


def imported(path: Path, edit: Edit = lambda form: None, **description: Any) -> Program:
    files = files_of(form(edit, **description), description.get("weights"))
    return program(*load(str(write(path / "a.pt2", files))))


def of(found: Json) -> Json:
    """The graph of a program."""
    return dict(found["graph_module"]["graph"])


def refused(path: Path, edit: Edit, **description: Any) -> str:
    with pytest.raises(Unreadable) as found:
        model(path, edit, **description)
    assert "is not as its schema says: " in str(found.value)
    return str(found.value).partition("is not as its schema says: ")[2]


def main(made: Program) -> str:
    """The header of the program."""
    return made.text[: made.text.index("{")].strip()


# -------------------------------------------------------------------------------------------------------- arguments
def argument(path: Path, value: Any) -> Any:
    found = model(path, nodes=[node("own.f.default", {"y": tensor("n", 4)}, a=value, x=ref("x"))])
    return found.graph.nodes[0].arguments["a"]


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("as_none", True, None),
        ("as_tensor", {"name": "x"}, Name("x")),
        ("as_tensors", [{"name": "x"}, {"name": "x"}], (Name("x"), Name("x"))),
        ("as_optional_tensor", {"as_none": True}, None),
        ("as_optional_tensor", {"as_tensor": {"name": "x"}}, Name("x")),
        ("as_optional_tensors", [{"as_none": True}, {"as_tensor": {"name": "x"}}], (None, Name("x"))),
        ("as_nested_tensors", [[{"name": "x"}], []], ((Name("x"),), ())),
        ("as_int", -3, -3),
        ("as_ints", [1, 2], (1, 2)),
        ("as_int_lists", [[1], [2, 3]], ((1,), (2, 3))),
        ("as_float", 1, 1.0),
        ("as_float", "-Infinity", float("-inf")),
        ("as_floats", [0.5, "Infinity"], (0.5, float("inf"))),
        ("as_float_lists", [[0.5], ["Infinity"]], ((0.5,), (float("inf"),))),
        ("as_bool", True, True),
        ("as_bools", [True, False], (True, False)),
        ("as_string", "mean", "mean"),
        ("as_strings", ["a", "b"], ("a", "b")),
        ("as_sym_int", {"as_int": 5}, 5),
        ("as_sym_float", {"as_float": "Infinity"}, float("inf")),
        ("as_sym_bool", {"as_bool": False}, False),
        ("as_sym_ints", [{"as_int": 5}, {"as_name": "x"}], (5, Name("x"))),
        ("as_scalar_type", 7, DType.FLOAT32),
        ("as_scalar_type", 31, "float8_e4m3fnuz"),
        ("as_scalar_type", 77, "scalar type 77"),
        ("as_device", {"type": "cuda", "index": 0}, None),
        ("as_layout", 7, None),
        ("as_memory_format", 1, None),
    ],
)
def test_arguments_are_values(tmp_path: Path, kind: str, body: Any, expected: Any) -> None:
    assert argument(tmp_path, Raw({kind: body})) == expected


@pytest.mark.parametrize(
    ("kind", "body", "says"),
    [
        ("as_complex", {"real": 0.0, "imag": 1.0}, "an argument of the kind `as_complex`"),
        ("as_operator", "aten.add.Tensor", "an argument of the kind `as_operator`"),
        ("as_string_to_argument", {"a": {"as_int": 1}}, "an argument of the kind `as_string_to_argument`"),
        ("as_custom_obj", {"name": "o", "class_fqn": "a.B"}, "an object of the class `a.B`"),
    ],
)
def test_what_is_not_imported_is_told_where_it_is_needed(tmp_path: Path, kind: str, body: Any, says: str) -> None:
    scaled = node("aten.mul.Tensor", {"y": tensor("n", 4)}, self=ref("x"), other=Raw({kind: body}))
    with pytest.raises(Refused, match=says):
        imported(tmp_path, nodes=[scaled])


@pytest.mark.parametrize(
    ("kind", "body", "says"),
    [
        ("as_int", "5", "'5' is not an integer"),
        ("as_int", True, "True is not an integer"),
        ("as_int", 1.0, "1.0 is not an integer"),
        ("as_int", 10**30, "is not an integer"),
        ("as_float", "much", "'much' is not an integer"),
        ("as_bool", 1, "1 is not a truth value"),
        ("as_string", None, "None is not a text"),
        ("as_tensor", {"name": 5}, "5 is not a text"),
        ("as_tensor", "x", "'x' is not a mapping"),
        ("as_tensor", {"name": "z"}, "`z` is not defined where it is used"),
        ("as_tensors", {"name": "x"}, "is not a list"),
        ("as_ints", [1, None], "None is not an integer"),
        ("as_optional_tensors", [{"as_tensor": {"name": "z"}}], "`z` is not defined"),
        ("as_sym_int", {"as_word": 5}, "there is no number `as_word`"),
        ("as_other", 5, "there is no argument `as_other`"),
    ],
)
def test_an_argument_of_another_form_is_refused(tmp_path: Path, kind: str, body: Any, says: str) -> None:
    with pytest.raises(Unreadable) as found:
        argument(tmp_path, Raw({kind: body}))
    assert says in str(found.value) and "node 0: " in str(found.value)


# ----------------------------------------------------------------------------------------------------------- graphs
@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda form: form.pop("graph_module"), "`graph_module` is missing"),
        (lambda form: of(form)["nodes"].append(of(form)["nodes"][0]), "node 1: `y` is defined twice"),
        (lambda form: of(form)["tensor_values"].pop("y"), "nothing is recorded of the tensor `y`"),
        (lambda form: of(form)["tensor_values"].pop("x"), "nothing is recorded of the tensor `x`"),
        (lambda form: of(form)["outputs"].pop(), "the signature has other inputs or outputs than the graph"),
        (lambda form: of(form)["inputs"].pop(), "node 0: `x` is not defined where it is used"),
        (lambda form: of(form)["outputs"][0]["as_tensor"].update(name="z"), "`z` is not defined"),
        (lambda form: of(form)["tensor_values"]["x"]["sizes"].append({"as_int": -1}), "a tensor of a negative size"),
        (lambda form: of(form)["tensor_values"]["x"].update(sizes=[{"as_int": 1}] * 17), "the limit `rank` is 16"),
        (lambda form: of(form)["tensor_values"]["x"].pop("dtype"), "`dtype` is missing"),
        (lambda form: of(form)["nodes"][0].update(target=None), "node 0: None is not a text"),
        (lambda form: of(form)["nodes"][0].update(metadata=[]), "node 0: [] is not a mapping"),
        (lambda form: form.update(range_constraints={"s0": {"min_val": "a", "max_val": 5}}), "'a' is not an integer"),
        (lambda form: form.update(guards_code=[5]), "5 is not a text"),
    ],
)
def test_a_program_of_another_form_is_refused(tmp_path: Path, edit: Edit, says: str) -> None:
    assert says in refused(tmp_path, edit)


def test_a_name_is_known_from_where_it_is_defined_on(tmp_path: Path) -> None:
    second = node("aten.relu.default", {"z": tensor("n", 4)}, self=ref("y"))
    assert "node 0: `y` is not defined where it is used" in refused(tmp_path, lambda _: None, nodes=[second, RELU])


def test_the_names_inside_a_graph_are_its_own(tmp_path: Path) -> None:
    inner = graph({"x": tensor("n", 4)}, [RELU], [ref("y")])
    once = node("own.apply", {"z": tensor("n", 4)}, inner, [ref("x")])
    found = model(tmp_path, nodes=[RELU, once], outputs=[ref("z")]).graph.nodes[1].positional[0]
    assert isinstance(found, Graph) and found.nodes[0].outputs == ("y",)
    outside = graph({}, [RELU], [ref("y")])
    says = refused(tmp_path, lambda _: None, nodes=[node("own.apply", {"z": tensor("n", 4)}, outside, [])])
    assert says.startswith("node 0: node 0: `x` is not defined")


def test_a_node_without_a_name_is_known_by_its_result(tmp_path: Path) -> None:
    assert model(tmp_path, lambda form: of(form)["nodes"][0].pop("name")).graph.nodes[0].name == "y"


@pytest.mark.parametrize(
    ("stack", "module"),
    [
        ("", ""),
        ("L__self__,,zoo.M", ""),
        ("L__self__,,zoo.M;L__self___layers_0,layers.0,zoo.Block", "layers.0"),
        ("_empty_nn_module_stack_from_metadata_hook,_empty,_empty", ""),
        (";;", ""),
        ("L__self__", ""),
    ],
)
def test_the_module_of_a_node_is_the_innermost(tmp_path: Path, stack: str, module: str) -> None:
    found = model(tmp_path, lambda form: of(form)["nodes"][0].update(metadata={"nn_module_stack": stack}))
    assert found.graph.nodes[0].module == module


def test_texts_that_are_no_unicode_are_read(tmp_path: Path) -> None:
    trace = 'File "a\udce9.py", line 3, in f\n    x + y'
    found = model(tmp_path, lambda form: of(form)["nodes"][0].update(metadata={"stack_trace": trace}))
    assert found.graph.nodes[0].frames[0].file == "a?.py"


def test_a_version_of_another_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"version 9\.1 of the export schema, and version 8 is read here"):
        model(tmp_path, lambda form: form.update(schema_version={"major": 9, "minor": 1}))


def test_later_minor_versions_may_have_more_fields(tmp_path: Path) -> None:
    def edit(form: Json) -> None:
        form["schema_version"]["minor"] = 99
        form["new"] = of(form)["new"] = of(form)["nodes"][0]["new"] = of(form)["tensor_values"]["x"]["new"] = [1]

    assert replace(model(tmp_path, edit), version="") == replace(model(tmp_path), version="")


# ------------------------------------------------------------------------------------------------- inputs and outputs
def test_numbers_among_the_inputs_are_scalars_of_their_type(tmp_path: Path) -> None:
    def edit(form: Json) -> None:
        for name, kind in (("f", "as_sym_float"), ("b", "as_sym_bool")):
            of(form)["inputs"].append({kind: {"as_name": name}})
            form["graph_module"]["signature"]["input_specs"].append({"user_input": {"arg": {kind: {"as_name": name}}}})

    made = imported(tmp_path, edit, inputs={**X, "i": "i"})
    assert main(made) == (
        "def @main(%x: Tensor[(x_0, 4), float32], %i: Tensor[(), int64], %f: Tensor[(), float64], %b: Tensor[(), bool])"
    )


@pytest.mark.parametrize("value", [{"as_int": 3}, {"as_none": True}, {"as_string": "a"}, {"as_float": 0.5}])
def test_an_input_that_is_a_constant_is_no_parameter(tmp_path: Path, value: Json) -> None:
    def edit(form: Json) -> None:
        of(form)["inputs"].append(value)
        spec = {"constant_input": {"name": "k", "value": value}}
        form["graph_module"]["signature"]["input_specs"].append(spec)

    assert main(imported(tmp_path, edit)) == "def @main(%x: Tensor[(x_0, 4), float32])"


@pytest.mark.parametrize(
    ("spec", "input", "says"),
    [
        (
            {"user_input": {"arg": {"as_custom_obj": {"name": "o", "class_fqn": "a.B"}}}},
            {"as_custom_obj": {"name": "o", "class_fqn": "a.B"}},
            "an input that is an object",
        ),
        (
            {"custom_obj": {"arg": {"name": "o", "class_fqn": "a.B"}, "custom_obj_name": "o"}},
            {"as_custom_obj": {"name": "o", "class_fqn": "a.B"}},
            "an input of the kind `custom_obj`",
        ),
        ({"token": {"arg": {"name": "t"}}}, {"as_none": True}, "an input of the kind `token`"),
    ],
)
def test_other_inputs_are_told_with_all_else(tmp_path: Path, spec: Json, input: Json, says: str) -> None:
    def edit(form: Json) -> None:
        of(form)["inputs"].append(input)
        form["graph_module"]["signature"]["input_specs"].append(spec)

    with pytest.raises(Refused) as found:
        imported(tmp_path, edit, nodes=[node("own.f.default", {"y": tensor("n", 4)}, x=ref("x"))])
    assert found.value.reasons == (says, "own.f.default `y`: an operator that is not imported")


def test_outputs_are_tensors_and_numbers_and_none_is_left_out(tmp_path: Path) -> None:
    results = [ref("y"), None, 3, 0.5, True, number("i"), "text"]
    made = imported(tmp_path, inputs={**X, "i": "i"}, outputs=results)
    compilation = gradual.check(made.text)
    assert compilation.types["@main"].endswith("-> (Tensor[(x_0, 4), float32], int64, float64, bool, int64)")
    assert made.notes == ("the model gives texts among its outputs, and the program does not",)


def test_a_program_without_outputs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="the program has no outputs"):
        imported(tmp_path, outputs=[None])


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("buffer_mutation", "buffer_name"),
        ("parameter_mutation", "parameter_name"),
        ("user_input_mutation", "user_input_name"),
    ],
)
def test_what_is_written_to_is_told_and_is_no_result(tmp_path: Path, kind: str, field: str) -> None:
    def edit(form: Json) -> None:
        form["graph_module"]["signature"]["output_specs"][0] = {kind: {"arg": {"name": "y"}, field: "count"}}

    made = imported(tmp_path, edit, outputs=[ref("y"), ref("x")])
    assert gradual.check(made.text).types["@main"].endswith("-> Tensor[(x_0, 4), float32]")
    assert made.notes == ("the model writes to `count`, and the program does not",)


def test_the_loss_is_a_result(tmp_path: Path) -> None:
    def edit(form: Json) -> None:
        form["graph_module"]["signature"]["output_specs"][0] = {"loss_output": {"arg": {"name": "y"}}}

    assert model(tmp_path, edit, outputs=[ref("y"), ref("x")]).user_outputs == (0, 1)


def test_tensors_of_other_types_are_known_as_such(tmp_path: Path) -> None:
    metas = {name: tensor("n", 4, dtype=name) for name in ("complex64", "float8_e4m3fn", "uint16")}
    sparse = {**tensor("n", 4), "layout": 1}
    found = model(tmp_path, inputs={**X, **metas, "sparse": sparse}).graph.tensors
    assert found["complex64"] == Meta(None, ("n", 4), "complex64")
    assert found["float8_e4m3fn"] == Meta(None, ("n", 4), "float8_e4m3fn")
    assert found["uint16"] == Meta(DType.UINT16, ("n", 4))
    assert found["sparse"] == Meta(None, ("n", 4), "float32 in a sparse layout")
    with pytest.raises(Refused, match="`sparse` has elements of type float32 in a sparse layout"):
        imported(tmp_path, inputs={**X, "sparse": sparse})


def test_ranges_may_have_no_end(tmp_path: Path) -> None:
    def edit(form: Json) -> None:
        form["range_constraints"] = {
            "a": {"min_val": 2, "max_val": None},
            "b": {"min_val": "-Infinity", "max_val": "Infinity"},
            "c": {"min_val": 0, "max_val": 2**63 - 2},
        }

    assert model(tmp_path, edit).ranges == {"a": (2, None), "b": (None, None), "c": (0, 2**63 - 2)}


@pytest.mark.parametrize("name", ["if", "def", "a.b", "1x", "é", "x y", "%x", "main", "Tensor", "dim", "shape_of"])
def test_any_name_of_a_value_can_be_written(tmp_path: Path, name: str) -> None:
    cut = node("aten.relu.default", {f"{name}.out": tensor(name, 4)}, self=Ref(name))
    made = imported(tmp_path, inputs={name: tensor("s0", 4)}, nodes=[cut], outputs=[ref(f"{name}.out")])
    assert gradual.check(made.text).ok, made.text


# ----------------------------------------------------------------------------------------------------------- limits
def nested(depth: int) -> Made:
    """A branch inside a branch, so deep."""
    body = [nested(depth - 1)] if depth else [node("aten.relu.default", {"r": tensor("n", 4)}, self=ref("x"))]
    result = ref(f"r{depth - 1}" if depth else "r")
    inner, other = (graph(X, nodes, [one]) for nodes, one in ((body, result), ([], ref("x"))))
    return node("higher_order.cond", {f"r{depth}": tensor("n", 4)}, ref("x"), inner, other, [ref("x")])


def test_graphs_nest_as_deep_as_the_limit(tmp_path: Path) -> None:
    deepest = LIMITS.graphs - 1
    assert model(tmp_path, nodes=[nested(deepest)], outputs=[ref(f"r{deepest}")]).user_outputs == (0,)
    with pytest.raises(Unreadable, match="its graphs nest deeper than the limit `graphs`, 16") as found:
        model(tmp_path, nodes=[nested(deepest + 1)], outputs=[ref(f"r{deepest + 1}")])
    assert found.value.code == "E0704"


def test_nodes_are_as_many_as_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMITS", replace(LIMITS, operations=2))
    chain = [node("aten.relu.default", {f"y{at + 1}": tensor("n", 4)}, self=ref(f"y{at}")) for at in range(3)]
    start = {"y0": tensor("n", 4)}
    assert len(model(tmp_path, inputs=start, nodes=chain[:2], outputs=[ref("y2")]).graph.nodes) == 2
    with pytest.raises(Unreadable, match="it has more nodes than the limit `operations`, 2") as found:
        model(tmp_path, inputs=start, nodes=chain, outputs=[ref("y3")])
    assert found.value.code == "E0704"


def test_a_body_that_is_imported_again_and_again_comes_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "LIMITS", replace(LIMITS, operations=50))
    with pytest.raises(Refused, match="more nodes are to be imported than the limit `operations`, 50"):
        imported(
            tmp_path,
            inputs={"x": tensor("n"), "c": tensor(dtype="bool")},
            nodes=[looped(6)],
            outputs=[ref("l6")],
        )


@pytest.mark.parametrize("operator", ["cat", "stack", "hstack", "linalg_multi_dot", "block_diag", "meshgrid"])
def test_a_list_of_no_tensors_is_refused(tmp_path: Path, operator: str) -> None:
    joined = node(f"aten.{operator}.default", {"y": tensor("n", 4)}, tensors=Raw({"as_tensors": []}))
    with pytest.raises(Refused, match="`tensors` is a list of no tensors"):
        imported(tmp_path, nodes=[joined])


def looped(depth: int) -> Made:
    """A loop inside a loop, whose carried value is of another size after each turn."""
    inputs = {"x": tensor("n"), "c": tensor(dtype="bool")}
    last = ref(f"l{depth - 1}") if depth else ref("x")
    joined = node("aten.cat.default", {"j": tensor("m")}, tensors=[last, last], dim=0)
    turn = graph(inputs, [*([looped(depth - 1)] if depth else []), joined], [ref("j"), ref("c")])
    results = {f"l{depth}": tensor("u0"), f"c{depth}": tensor(dtype="bool")}
    goes_on = graph(inputs, [], [ref("c")])
    return node("higher_order.while_loop", results, goes_on, turn, [ref("x"), ref("c")], [])


def test_a_graph_takes_as_many_values_as_it_has_inputs(tmp_path: Path) -> None:
    inner = graph({**X, "z": tensor("n", 4)}, [], [ref("x")])
    branch = node("higher_order.cond", {"y": tensor("n", 4)}, ref("c"), inner, inner, [ref("x")])
    with pytest.raises(Refused, match="a graph of 2 inputs that is given 1"):
        imported(tmp_path, inputs={**X, "c": tensor(dtype="bool")}, nodes=[branch])


# ---------------------------------------------------------------------------------------------------------- weights
def test_weights_of_another_type_than_in_the_graph_are_refused(tmp_path: Path) -> None:
    weights = {"w": np.ones((4, 4), "float32")}
    scaled = [node("aten.add.Tensor", {"y": tensor("n", 4)}, self=ref("x"), other=ref("p_w"))]
    assert model(tmp_path, nodes=scaled, weights=weights).stored["p_w"][0] == "w"
    for meta in (tensor(4, 5), tensor(4), tensor("n", 4), tensor(4, 4, dtype="float64")):
        says = refused(
            tmp_path, lambda form, meta=meta: of(form)["tensor_values"].update(p_w=meta), nodes=scaled, weights=weights
        )
        assert says == "`w` is another tensor in the archive than in the graph"


def test_a_weight_that_is_nowhere_is_refused_but_where_all_are_pickled(tmp_path: Path) -> None:
    weights = {"w": np.ones((4,), "float32")}
    scaled = [node("aten.add.Tensor", {"y": tensor("n", 4)}, self=ref("x"), other=ref("p_w"))]
    files = files_of(form(nodes=scaled, weights=weights), weights)
    files["m/data/weights/model_weights_config.json"] = json.dumps({"config": {}}).encode()
    with pytest.raises(Unreadable, match="the archive has no tensor `w`"):
        load(str(write(tmp_path / "a.pt2", files)))
    del files["m/data/weights/model_weights_config.json"]
    made = program(*load(str(write(tmp_path / "b.pt2", {**files, "m/data/weights/model.pt": b"pickled"}))))
    assert gradual.check(made.text).ok and "%w: Tensor[(4,), float32]" in made.text
    with pytest.raises(Unsupported, match="`w` is saved as a Python object"):
        made.weights["w"]
