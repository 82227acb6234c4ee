"""Drawn nodes of ONNX's domain `ai.onnx.ml`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import numpy_helper

from tests.importers.drawn import Draw, Made, draws

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")


def learned(*operators: str) -> Any:
    """Declare what draws operators of the domain."""
    return draws(*(f"ai.onnx.ml.{operator}" for operator in operators))


def points(draw: Draw, features: int, *kinds: str, missing: bool = False) -> Any:
    """A matrix of features, some of which are missing."""
    dtype = draw.one(*(kinds or ("float32", "float32", "float64", "int64")))
    x = draw.array((draw.one(1, 3, 5), features), "float32", 0.0)
    if missing and dtype.startswith("float") and draw.rarely(0.5):
        x[draw.whole(0, len(x) - 1), draw.whole(0, features - 1)] = np.nan
    return x.astype(dtype)


def weights(draw: Draw, count: int, low: float = -1.0) -> list[float]:
    return [round(draw.random.uniform(low, 1.0), 3) for _ in range(count)]


# --------------------------------------------------------------------------------------------------------------- trees
class Trees:
    """Random trees as lists of nodes: the root is 0, a leaf has no split.

    Attributes:
        nodes: tree, number, feature, split, mode, whether NaN goes to the true branch, and the branches.
    """

    def __init__(self, draw: Draw, features: int, modes: Sequence[str] = MODES) -> None:
        self.draw, self.features = draw, features
        chosen = [draw.one(*modes) for _ in range(draw.whole(1, 3))]
        self.modes, self.missing = chosen, draw.rarely(0.5)
        self.nodes: list[list[Any]] = []
        for tree in range(draw.whole(1, 4)):
            self._grown(tree, [0], 0 if draw.rarely(0.8) else 3)

    def _grown(self, tree: int, count: list[int], depth: int) -> int:
        """Grow a node at a depth; gives its number."""
        number, draw = count[0], self.draw
        count[0] += 1
        if depth == 3 or (depth and draw.rarely(0.3)):
            self.nodes.append([tree, number, 0, 0.0, "LEAF", 0, 0, 0])
            return number
        missing = draw.whole(0, 1) if self.missing else 0
        split = [draw.whole(0, self.features - 1), draw.whole(-6, 6) / 2, draw.one(*self.modes), missing]
        row = [tree, number, *split, 0, 0]
        self.nodes.append(row)
        row[6], row[7] = self._grown(tree, count, depth + 1), self._grown(tree, count, depth + 1)
        return number

    @property
    def has_missing(self) -> bool:
        """Whether points may be missing features; the runtime lets NaN be unequal to all splits."""
        return "BRANCH_NEQ" not in self.modes

    def attributes(self) -> dict[str, Any]:
        names = "treeids nodeids featureids values modes missing_value_tracks_true truenodeids falsenodeids"
        columns = map(list, zip(*self.nodes, strict=True))
        return {f"nodes_{name}": column for name, column in zip(names.split(), columns, strict=True)}

    def leaves(self, prefix: str, targets: int, low: float = -1.0) -> dict[str, Any]:
        """A weight for each target in each leaf, or for one that depends on the tree; each target has some."""
        every = self.draw.rarely(0.5) or self.nodes[-1][0] + 1 < targets
        rows = [
            (node[0], node[1], target)
            for node in self.nodes
            if node[4] == "LEAF"
            for target in (range(targets) if every else [node[0] % targets])
        ]
        columns = map(list, zip(*rows, strict=True))
        named = {
            f"{prefix}_{name}": column for name, column in zip(("treeids", "nodeids", "ids"), columns, strict=True)
        }
        return named | {f"{prefix}_weights": weights(self.draw, len(rows), low)}


@learned("TreeEnsembleRegressor")
def regressor(draw: Draw) -> Made:
    features, targets = draw.whole(1, 4), draw.whole(1, 3)
    trees = Trees(draw, features)
    settings = trees.attributes() | trees.leaves("target", targets) | {"n_targets": targets}
    settings |= draw.given(aggregate_function=draw.one("SUM", "AVERAGE", "MIN", "MAX"))
    if len(settings["target_ids"]) % targets == 0 and targets == 1:
        settings |= draw.given(base_values=weights(draw, targets))
    settings |= draw.given(post_transform=draw.one(*TRANSFORMS))
    return Made(draw.operator, [points(draw, features, "float32", missing=trees.has_missing)], settings, version=3)


@learned("TreeEnsembleClassifier")
def classifier(draw: Draw) -> Made:
    features, classes = draw.whole(1, 4), draw.one(2, 3, 4)
    trees, low = Trees(draw, features), draw.one(-1.0, 0.0)
    single = classes == 2 and draw.rarely(0.7)
    settings = {"classlabels_int64s": draw.random.sample(range(9), classes)} | trees.attributes()
    settings |= trees.leaves("class", 1 if single else classes, low)
    if single:
        settings |= draw.given(base_values=weights(draw, 1))
    settings |= draw.given(post_transform=draw.one(*TRANSFORMS))
    x = points(draw, features, missing=trees.has_missing)
    return Made(draw.operator, [x], settings, 2, version=draw.one(1, 3))


@learned("TreeEnsemble")
def ensemble(draw: Draw) -> Made:
    features, targets = draw.whole(1, 4), draw.whole(1, 3)
    kind = draw.one("float32", "float64")
    members = kind == "float32" and draw.rarely(0.4)
    trees = Trees(draw, features)
    nodes = [node for node in trees.nodes if node[4] != "LEAF"]
    roots = [at for at, node in enumerate(nodes) if node[1] == 0]
    if not roots:
        return ensemble(draw)
    settings, tested = placed(trees.nodes, nodes), []
    modes = [MODES.index(node[4]) for node in nodes]
    for at in range(len(modes)) if members else ():
        if draw.rarely(0.4):
            modes[at] = len(MODES)
            tested += [*(draw.whole(1, 6) / 2 for _ in range(draw.whole(1, 3))), float("nan")]
    leaves = len(trees.nodes) - len(nodes)
    settings |= {
        "tree_roots": roots,
        "nodes_modes": numpy_helper.from_array(np.array(modes, "uint8")),
        "nodes_splits": numpy_helper.from_array(np.array([node[3] for node in nodes], kind)),
        "leaf_targetids": [draw.whole(0, targets - 1) for _ in range(leaves)],
        "leaf_weights": numpy_helper.from_array(np.array(weights(draw, leaves), kind)),
        "n_targets": targets,
        "aggregate_function": draw.whole(0, 3),
        "post_transform": draw.one(0, 0, 1, 2, 3, 4),
    }
    if tested:
        settings["membership_values"] = numpy_helper.from_array(np.array(tested, kind))
    return Made(draw.operator, [points(draw, features, kind, missing=trees.has_missing)], settings, version=5)


def placed(nodes: Sequence[Any], inner: Sequence[Any]) -> dict[str, Any]:
    """The branches of inner nodes, by their place among inner nodes or among leaves."""
    places = {(node[0], node[1]): (0, at) for at, node in enumerate(inner)}
    leaves = [node for node in nodes if node[4] == "LEAF"]
    places |= {(node[0], node[1]): (1, at) for at, node in enumerate(leaves)}
    found: dict[str, Any] = {"nodes_featureids": [node[2] for node in inner]}
    found["nodes_missing_value_tracks_true"] = [node[5] for node in inner]
    for way, column in (("true", 6), ("false", 7)):
        branches = [places[node[0], node[column]] for node in inner]
        found[f"nodes_{way}leafs"] = [leaf for leaf, _ in branches]
        found[f"nodes_{way}nodeids"] = [at for _, at in branches]
    return found


# ------------------------------------------------------------------------------------------- linear functions, vectors
@learned("LinearRegressor")
def linear(draw: Draw) -> Made:
    features, targets = draw.whole(1, 4), draw.whole(1, 3)
    settings = {"coefficients": weights(draw, features * targets), "intercepts": weights(draw, targets)}
    settings |= {"targets": targets} | draw.given(post_transform=draw.one(*TRANSFORMS))
    return Made(draw.operator, [points(draw, features, "float32")], settings)


@learned("LinearClassifier")
def linear_classifier(draw: Draw) -> Made:
    features, classes = draw.whole(1, 4), draw.whole(2, 4)
    count = 1 if classes == 2 and draw.rarely(0.5) else classes
    settings = {"coefficients": weights(draw, features * count), "intercepts": weights(draw, count)}
    settings |= {"classlabels_ints": draw.random.sample(range(9), classes)}
    settings |= draw.given(post_transform=draw.one(*TRANSFORMS))
    return Made(draw.operator, [points(draw, features)], settings, 2)


def kernel(draw: Draw) -> dict[str, Any]:
    return {"kernel_type": draw.one("LINEAR", "POLY", "RBF", "SIGMOID"), "kernel_params": [0.5, 0.25, 3.0]}


@learned("SVMRegressor")
def vectors(draw: Draw) -> Made:
    features, count = draw.whole(1, 4), draw.whole(1, 4)
    settings = kernel(draw) | {"support_vectors": weights(draw, count * features), "n_supports": count}
    settings |= {"coefficients": weights(draw, count), "rho": weights(draw, 1)} | draw.given(one_class=draw.whole(0, 1))
    return Made(draw.operator, [points(draw, features, "float32")], settings)


@learned("SVMClassifier")
def vector_classifier(draw: Draw) -> Made:
    features, classes = draw.whole(1, 4), draw.whole(2, 4)
    settings: dict[str, Any] = {"classlabels_ints": draw.random.sample(range(9), classes)}
    if classes > 2:
        settings |= draw.given(post_transform=draw.one(*TRANSFORMS))
        if draw.rarely(0.3):
            settings |= {"coefficients": weights(draw, features * classes), "rho": weights(draw, 1)}
            settings |= {"kernel_type": "LINEAR", "kernel_params": [0.0, 0.0, 0.0]}
            return Made(draw.operator, [points(draw, features)], settings, 2)
    sizes = [draw.whole(1, 3) for _ in range(classes)]
    settings |= kernel(draw) | {"vectors_per_class": sizes, "support_vectors": weights(draw, sum(sizes) * features)}
    settings |= {"coefficients": weights(draw, (classes - 1) * sum(sizes))}
    settings |= {"rho": weights(draw, classes * (classes - 1) // 2)}
    return Made(draw.operator, [points(draw, features)], settings, 2)


# ------------------------------------------------------------------------------------------------------------ features
@learned("Scaler", "Imputer", "Binarizer", "Normalizer")
def prepared(draw: Draw) -> Made:
    features, name = draw.whole(1, 4), draw.operator.rpartition(".")[2]
    x = points(draw, features, missing=name != "Normalizer")
    count = draw.one(1, features)
    kinds: dict[str, dict[str, Any]] = {
        "Scaler": {"offset": weights(draw, count), "scale": weights(draw, count)},
        "Binarizer": draw.given(threshold=draw.one(0.0, 1.5)),
        "Normalizer": draw.given(norm=draw.one("MAX", "L1", "L2")),
        "Imputer": {"imputed_value_floats": weights(draw, count)}
        | draw.given(replaced_value_float=draw.one(float("nan"), 1.5)),
    }
    if name == "Imputer" and x.dtype == np.int64:
        kinds["Imputer"] = {"imputed_value_int64s": [draw.whole(0, 9) for _ in range(count)], "replaced_value_int64": 2}
    return Made(draw.operator, [x], kinds[name])


@learned("ArrayFeatureExtractor")
def extractor(draw: Draw) -> Made:
    x = draw.array((*(draw.whole(1, 3) for _ in range(draw.whole(0, 2))), 4), draw.one("float32", "int64"))
    chosen = np.array([draw.whole(0, 3) for _ in range(draw.whole(1, 3))], "int64")
    return Made(draw.operator, [x, chosen if draw.rarely(0.5) else chosen[None]])


@learned("FeatureVectorizer")
def vectorizer(draw: Draw) -> Made:
    rows, dtype = draw.whole(1, 3), draw.one("float32", "int64")
    parts = [draw.array((rows, draw.whole(1, 3)), dtype) for _ in range(draw.whole(1, 3))]
    return Made(draw.operator, parts, {"inputdimensions": [part.shape[1] for part in parts]})


@learned("OneHotEncoder")
def one_hot(draw: Draw) -> Made:
    x = draw.array(draw.shape(1, 3), draw.one("float32", "int64", "int32"), 0.0)
    settings = {"cats_int64s": draw.random.sample(range(-5, 6), draw.whole(1, 11))}
    return Made(draw.operator, [x], settings | draw.given(zeros=draw.whole(0, 1)))


@learned("LabelEncoder")
def label_encoder(draw: Draw) -> Made:
    count, (one, other) = draw.whole(1, 4), (draw.one("int64", "float32"), draw.one("int64", "float32"))
    keys, values = draw.random.sample(range(-3, 4), count), [draw.whole(0, 9) for _ in range(count)]
    names = {"int64": "int64s", "float32": "floats"}
    kinds: dict[str, Any] = {"int64": int, "float32": float}
    settings = {f"keys_{names[one]}": [*map(kinds[one], keys)], f"values_{names[other]}": [*map(kinds[other], values)]}
    settings |= draw.given(default_int64=7, default_float=0.5)
    return Made(draw.operator, [draw.array(draw.shape(0, 3), one, 0.0)], settings, version=draw.one(2, 4))
