"""The domain `ai.onnx.ml`: what ONNX's reference evaluator says, and what is written out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper, numpy_helper

import gradual
from gradual.importers.onnx.file.reading import load, model_of
from gradual.importers.onnx.importers import IMPORTERS
from gradual.importers.onnx.program import program
from tests.importers import drawn_learned
from tests.importers.drawn import Draw
from tests.importers.models import agrees, declared, given, model, node, port, refused, same, signature, stops
from tests.importers.node_tests import tensor
from tests.material import ONNX_ZOO, needs_onnx_zoo

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = "ai.onnx.ml"
SEEDS = range(12)


def one(operator: str, inputs: Any, outputs: str = "y", version: int = 3, **settings: Any) -> ModelProto:
    """A model of one node of the domain, whose inputs have shapes."""
    made = node(operator, " ".join(inputs), outputs, domain=DOMAIN, **settings)
    return several([made], inputs, outputs, version)


def several(nodes: Any, inputs: Any, outputs: str, version: int = 3) -> ModelProto:
    ports = [port(name, *(declared(value) or ([None], "float32"))) for name, value in inputs.items()]
    found = model(nodes, ports, [port(name, None) for name in outputs.split()])
    found.opset_import.append(helper.make_opsetid(DOMAIN, version))
    return found


def f32(*shape: int) -> Any:
    """Numbers between -1 and 1."""
    return np.sin(np.arange(np.prod(shape), dtype=np.float32) * 1.7 + 1).reshape(shape)


STUMP: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [1, 0, 0],
    "nodes_values": [0.5, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
}
"""A decision by the second of the features."""


def scored(prefix: str, low: float, high: float, target: int = 0) -> dict[str, Any]:
    """What the leaves of the stump give to a target."""
    parts = {"treeids": [0, 0], "nodeids": [1, 2], "ids": [target] * 2, "weights": [low, high]}
    return STUMP | {f"{prefix}_{name}": value for name, value in parts.items()}


# ---------------------------------------------------------------------------------------------------------------- trees
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("how", ["SUM", "AVERAGE", "MIN", "MAX"])
def test_trees_give_numbers(how: str, seed: int) -> None:
    draw = Draw(Random(seed), f"{DOMAIN}.TreeEnsembleRegressor")
    trees = drawn_learned.Trees(draw, 3)
    settings = trees.attributes() | trees.leaves("target", 1) | {"n_targets": 1, "aggregate_function": how}
    x = drawn_learned.points(draw, 3, "float32")
    x[0, seed % 3] = np.nan
    made = one("TreeEnsembleRegressor", {"x": ["n", 3]}, **settings, base_values=[0.25])
    assert signature(agrees(made, x)).endswith("-> Tensor[(n, 1), float32]")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"])
def test_trees_choose_classes(kind: str, seed: int) -> None:
    draw = Draw(Random(seed), f"{DOMAIN}.TreeEnsembleClassifier")
    trees = drawn_learned.Trees(draw, 2)
    leaves = trees.leaves("class", 3)
    leaves["class_weights"] = [abs(weight) / 8 + 0.01 for weight in leaves["class_weights"]]
    settings = trees.attributes() | leaves | {"classlabels_int64s": [5, 3, 9], "post_transform": kind}
    agrees(one("TreeEnsembleClassifier", {"x": ["n", 2]}, "l s", **settings), drawn_learned.points(draw, 2, "float32"))


@pytest.mark.parametrize("seed", range(40))
def test_trees_with_leaves_apart(seed: int) -> None:
    draw = Draw(Random(seed), f"{DOMAIN}.TreeEnsemble")
    drawn = drawn_learned.ensemble(draw)
    settings = drawn.attributes | {"post_transform": 0, "aggregate_function": seed % 2}
    made = one("TreeEnsemble", {"x": ["n", drawn.inputs[0].shape[1]]}, version=5, **settings)
    made.graph.input[0].type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(drawn.inputs[0].dtype)
    if not np.isnan(drawn.inputs[0]).any():
        agrees(made, drawn.inputs[0])


def test_a_missing_feature_goes_the_way_that_is_said() -> None:
    """NaN is not unequal to a split either, where it does not go the way of the true."""
    settings = scored("target", -1.0, 1.0) | {"n_targets": 1}
    x = np.float32([[0, np.nan], [0, 0.5], [0, 1]])
    for mode, tracks, wanted in [
        ("BRANCH_NEQ", 0, [1, 1, -1]),
        ("BRANCH_NEQ", 1, [-1, 1, -1]),
        ("BRANCH_GTE", 0, [1, -1, -1]),
        ("BRANCH_GTE", 1, [-1, -1, -1]),
    ]:
        settings |= {"nodes_modes": [mode, "LEAF", "LEAF"], "nodes_missing_value_tracks_true": [tracks, 0, 0]}
        found = given(one("TreeEnsembleRegressor", {"x": ["n", 2]}, **settings), x)
        assert found.ravel().tolist() == wanted


def test_doubles_are_compared_as_doubles() -> None:
    settings = scored("target", 1e-12, 1.0) | {"n_targets": 1}
    for name in ("nodes_values", "target_weights"):
        held = [0.1, 0.0, 0.0] if name == "nodes_values" else settings[name]
        settings[f"{name}_as_tensor"] = numpy_helper.from_array(np.float64(held))
        del settings[name]
    made = one("TreeEnsembleRegressor", {"x": ["n", 2]}, **settings)
    made.graph.input[0].type.tensor_type.elem_type = 11
    found = given(made, np.array([[0, 0.1], [0, np.nextafter(0.1, 1)]]))
    assert same(found, np.float32([[1e-12], [1]]))


def test_scores_of_targets_that_some_trees_do_not_know() -> None:
    """Trees of one target each: the third target has the score 0, also where the least is asked for."""
    two = {name: [*value, *value] for name, value in STUMP.items()} | {"nodes_treeids": [0] * 3 + [1] * 3}
    parts = {"treeids": [0, 0, 1, 1], "nodeids": [1, 2, 1, 2], "ids": [1, 1, 0, 0], "weights": [1.0, 2.0, 3.0, 4.0]}
    settings = two | {f"target_{name}": value for name, value in parts.items()}
    for how in ("SUM", "MIN", "MAX"):
        made = one("TreeEnsembleRegressor", {"x": ["n", 2]}, **settings, n_targets=3, aggregate_function=how)
        assert same(given(made, np.float32([[0, 0], [0, 1]])), np.float32([[3, 1, 0], [4, 2, 0]]))


def test_points_have_the_features_that_trees_ask_for() -> None:
    settings = scored("target", -1.0, 1.0) | {"n_targets": 1}
    refused(one("TreeEnsembleRegressor", {"x": ["n", 1]}, **settings), "there are less than 2 features")
    made = one("TreeEnsembleRegressor", {"x": ["n", "f"]}, **settings)
    assert same(given(made, np.float32([[9, 0, 9]])), np.float32([[-1]]))
    stops(made, np.float32([[9]]), says="there are less than 2 features")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"nodes_truenodeids": [0, 0, 0]}, "a node comes after itself"),
        ({"nodes_truenodeids": [7, 0, 0]}, "a branch to a node that is not there"),
        ({"nodes_nodeids": [0, 1, 1]}, "two nodes with one number"),
        ({"nodes_values": [0.5]}, "lists of nodes of different lengths"),
        ({"nodes_modes": ["BRANCH_NEAR", "LEAF", "LEAF"]}, "nodes of the mode BRANCH_NEAR"),
        ({"nodes_featureids": [-1, 0, 0]}, "feature -1"),
        ({"target_ids": [0, 1]}, "a target beyond the 1 there are"),
        ({"target_ids": [0]}, "lists of targets and weights"),
        ({"base_values": [1.0, 2.0]}, "2 base_values of 1 scores"),
        ({"aggregate_function": "MEDIAN"}, "aggregate_function='MEDIAN'"),
        ({"post_transform": "EXP"}, "post_transform='EXP'"),
    ],
)
def test_trees_that_are_not_well_formed_are_refused(changed: dict[str, Any], says: str) -> None:
    settings = scored("target", -1.0, 1.0) | {"n_targets": 1} | changed
    refused(one("TreeEnsembleRegressor", {"x": ["n", 2]}, **settings), says)


# -------------------------------------------------------------------------------------------------------------- classes
@pytest.mark.parametrize(
    ("low", "kind", "wanted"),
    [
        (0.25, "NONE", [[0.75, 0.25], [0.25, 0.75]]),
        (-0.25, "NONE", [[0.25, -0.25], [-0.75, 0.75]]),
        (-0.25, "LOGISTIC", 1 / (1 + np.exp([[-0.25, 0.25], [0.75, -0.75]]))),
        (-0.25, "SOFTMAX", 1 / (1 + np.exp([[-0.5, 0.5], [1.5, -1.5]]))),
    ],
)
def test_of_two_classes_the_second_may_be_scored_alone(low: float, kind: str, wanted: Any) -> None:
    settings = scored("class", low, 0.75) | {"classlabels_int64s": [7, 5], "post_transform": kind}
    found = given(one("TreeEnsembleClassifier", {"x": ["n", 2]}, "l s", **settings), np.float32([[0, 0], [0, 1]]))
    assert found[0].tolist() == [7, 5] and np.allclose(found[1], wanted)


def test_labels_that_are_strings_are_left_out_and_refused_where_they_are_used() -> None:
    settings = scored("class", 0.25, 0.75) | {"classlabels_strings": ["a", "b"]}
    made = one("TreeEnsembleClassifier", {"x": ["n", 2]}, "l s", **settings)
    refused(made, "output `l`: labels that are strings")
    del made.graph.output[0]
    assert same(given(made, np.float32([[0, 0]])), np.float32([[0.75, 0.25]]))
    made.graph.node.append(node("Identity", "l", "i"))
    made.graph.output.append(port("i", None))
    refused(made, "Identity `i`: `l`: labels that are strings")


def test_tables_of_scores_are_their_matrix() -> None:
    settings = {"coefficients": [0.5, -1.0], "intercepts": [0.25], "classlabels_ints": [0, 1]}
    nodes = [
        node("LinearClassifier", "x", "l s", domain=DOMAIN, post_transform="LOGISTIC", **settings),
        node("ZipMap", "s", "z", domain=DOMAIN, classlabels_int64s=[0, 1]),
    ]
    made = several(nodes, {"x": ["n", 2]}, "z")
    assert same(given(made, f32(3, 2)).sum(1).round(5), np.ones(3, np.float32))
    assert "without the names of classes" in program(model_of(made)).notes[0]


# ----------------------------------------------------------------------------------------------------- linear, vectors
@pytest.mark.parametrize("kind", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
def test_linear_functions(kind: str) -> None:
    settings = {"coefficients": f32(9).tolist(), "intercepts": [0.5, 0.0, -0.25]}
    agrees(one("LinearRegressor", {"x": ["n", 3]}, targets=3, **settings), f32(4, 3))
    settings |= {"classlabels_ints": [4, 2, 8], "post_transform": kind}
    agrees(one("LinearClassifier", {"x": ["n", 3]}, "l s", **settings), f32(4, 3))
    refused(
        one("LinearClassifier", {"x": ["n", 3]}, "l s", **(settings | {"intercepts": [1.0, 2.0]})), "9 coefficients"
    )
    wrong = gradual.check(program(model_of(one("LinearClassifier", {"x": ["n", 4]}, "l s", **settings))).text)
    assert not wrong.ok


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
def test_support_vectors(kernel: str) -> None:
    settings: dict[str, Any] = {"kernel_type": kernel, "kernel_params": [0.5, 0.25, 2.0]}
    settings |= {"support_vectors": f32(12).tolist()}
    numbers = settings | {"coefficients": [0.5, -1.0, 0.25, 0.75], "rho": [0.125], "n_supports": 4}
    for single in (0, 1):
        agrees(one("SVMRegressor", {"x": ["n", 3]}, one_class=single, **numbers), f32(5, 3))
    classes = settings | {"coefficients": f32(8).tolist(), "rho": [0.1, -0.2, 0.05], "vectors_per_class": [1, 2, 1]}
    agrees(one("SVMClassifier", {"x": ["n", 3]}, "l s", classlabels_ints=[7, 1, 4], **classes), f32(5, 3))
    pair = settings | {"coefficients": f32(4).tolist(), "rho": [0.1], "vectors_per_class": [3, 1]}
    made = one("SVMClassifier", {"x": ["n", 3]}, "l s", classlabels_ints=[7, 1], **pair)
    labels, scores = given(made, f32(5, 3))
    assert same(labels, np.where(scores[:, 1] > 0, 7, 1)) and same(scores[:, 0], -scores[:, 1])
    refused(one("SVMClassifier", {"x": ["n", 3]}, "l s", prob_a=[1.0], **pair), "probabilities of classes")


# ------------------------------------------------------------------------------------------------------------- features
def test_features_are_prepared() -> None:
    x, missing = f32(3, 2) + 1, np.float32([[1, np.nan], [2, 3]])
    agrees(one("Scaler", {"x": ["n", 2]}, offset=[0.5, 1.0], scale=[2.0, -1.0]), x)
    agrees(one("Scaler", {"x": ["n", 2]}, offset=[0.5], scale=[2.0]), x)
    agrees(one("Binarizer", {"x": ["n", 2]}, threshold=1.0), x)
    agrees(one("Imputer", {"x": ["n", 2]}, imputed_value_floats=[7.0, 8.0], replaced_value_float=float("nan")), missing)
    agrees(one("Imputer", {"x": ["n", 2]}, imputed_value_floats=[7.0], replaced_value_float=2.0), missing)
    agrees(one("FeatureVectorizer", {"x": ["n", 2], "z": ["n", 1]}, inputdimensions=[2, 1]), x, f32(3, 1))
    for norm in ("MAX", "L1", "L2"):
        agrees(one("Normalizer", {"x": ["n", 2]}, norm=norm), x)
        assert not given(one("Normalizer", {"x": ["n", 2]}, norm=norm), np.zeros((1, 2), np.float32)).any()
    picked = one("ArrayFeatureExtractor", {"x": ["n", 2], "i": (["k"], "int64")})
    agrees(picked, x, np.int64([1, 1, 0]))
    stops(picked, x, np.int64([2]))
    refused(one("Imputer", {"x": ["n", 2]}), "no imputed_value_floats")


def test_categories_are_numbers() -> None:
    x = np.int64([[3, 1], [2, 3]])
    made = one("OneHotEncoder", {"x": (["n", 2], "int64")}, cats_int64s=[3, 1], zeros=0)
    agrees(one("OneHotEncoder", {"x": (["n", 2], "int64")}, cats_int64s=[3, 1]), x)
    stops(made, x, says="an element has no category")
    keys = {"keys_int64s": [3, 1], "values_floats": [0.5, 0.25], "default_float": 9.0}
    agrees(one("LabelEncoder", {"x": (["n", 2], "int64")}, version=2, **keys), x)
    tensors = {
        name: numpy_helper.from_array(np.float64(value)) for name, value in [("keys", [3, 1]), ("values", [2, 7])]
    }
    held = {f"{name}_tensor": value for name, value in tensors.items()}
    made = one(
        "LabelEncoder", {"x": ["n"]}, version=4, default_tensor=numpy_helper.from_array(np.float64([-1])), **held
    )
    made.graph.input[0].type.tensor_type.elem_type = 11
    assert same(given(made, np.float64([1, 3, 4])), np.float64([7, 2, -1]))
    strings = {"keys_strings": ["a"], "values_int64s": [1]}
    refused(one("LabelEncoder", {"x": (["n"], "int64")}, version=2, **strings), "keys that are strings")
    refused(one("CategoryMapper", {"x": (["n"], "int64")}, cats_int64s=[1], cats_strings=["a"]), "categories that are")


# --------------------------------------------------------------------------------------------------- converters' models
@needs_onnx_zoo
@pytest.mark.parametrize("name", ["lgb_reg", "xgb_cls", "sk_rf_nozip", "sk_logreg_pipe", "sk_gmm"])
def test_models_of_converters_have_the_recorded_sizes_and_labels(name: str) -> None:
    """The recorded tables of a `ZipMap` are the rows of a matrix here."""
    path = ONNX_ZOO / f"{name}.onnx"
    imported = program(load(str(path)))
    compilation = gradual.check(imported.text)
    assert (compilation.ok, compilation.checks) == (True, ())
    for run in json.loads(path.with_suffix(".shapes.json").read_text())["runs"]:
        x = np.random.default_rng(run["seed"]).standard_normal(run["inputs"]["X"]).astype(np.float32)
        found = compilation.run("@main", tensor(x), *imported.weights.values())
        outputs = found if isinstance(found, tuple) else (found,)
        for (key, shape), one in zip(run["outputs"].items(), outputs, strict=True):
            rows = shape["sequence"] if isinstance(shape, dict) else None
            assert list(one.shape) == (shape if rows is None else [len(rows), rows[0]["map"]])
            assert key not in run["shape_values"] or list(one.flat()) == run["shape_values"][key]


def test_the_operators_that_are_imported_are_listed_for_users() -> None:
    page = (ROOT / "docs/how-to/import-onnx.md").read_text()
    listed = page.partition("`ai.onnx.ml`: ")[2].partition(".\n")[0]
    wanted = sorted(name for domain, name in IMPORTERS if domain == DOMAIN and name != "CategoryMapper")
    assert listed == ", ".join(f"`{name}`" for name in wanted)
