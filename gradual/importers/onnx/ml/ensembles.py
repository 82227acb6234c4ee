"""Ensembles of decision trees: all trees are evaluated together, level by level, by lookups in tables of nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import inf
from typing import Any

from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_type
from gradual.importers.onnx.ml.scores import (
    best,
    constant,
    labelled,
    labels_of,
    learned,
    numbers,
    paired,
    rows,
    second_if,
    transformed,
)
from gradual.importers.onnx.ml.trees import (
    COMPARED,
    INNER,
    LEAF,
    MODES,
    NEXT,
    Forest,
    Group,
    Key,
    Leaf,
    Split,
    chained,
    forest_of,
    leaves_of,
    memberships,
    named_nodes,
)
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType


# ------------------------------------------------------------------------------------------------------------ following
@record
class _Tables:
    """The tables of a forest as constants.

    Attributes:
        mode: the comparison of each node; None if all nodes use the same one.
        missing: whether each node sends NaN to its true branch; None if no node does.
    """

    feature: Value
    split: Value
    then: Value
    orelse: Value
    mode: Value | None
    missing: Value | None


def _tables(use: Use, forest: Forest, dtype: DType) -> _Tables:
    modes = forest.modes
    numbered = [modes.index(mode or modes[0]) for mode in forest.mode]
    missing = forest.takes_missing
    return _Tables(
        constant(use, "features", forest.feature, DType.INT64),
        constant(use, "splits", forest.value, dtype),
        constant(use, "then", forest.then, DType.INT64),
        constant(use, "else", forest.orelse, DType.INT64),
        constant(use, "modes", numbered, DType.INT64) if len(modes) > 1 else None,
        constant(use, "missing", missing, DType.BOOL) if any(missing) else None,
    )


def _reached(use: Use, forest: Forest, x: Value) -> Value:
    """The leaf that each point reaches in each tree."""
    if not forest.roots:
        raise Unsupported("no trees")
    count = use.extent(x, 1)
    enough = use.call("less", use.like(forest.features - 1, count), count)
    x = use.builder.named(use.demanded(x, enough, f"there are less than {forest.features} features"), "points")
    tables, at = _tables(use, forest, x.dtype), constant(use, "roots", forest.roots, DType.INT64)
    for level in range(forest.depth):
        feature = _looked_up(use, tables.feature, at)
        seen = use.call("gather", x, feature, axis=1) if level else use.call("take", x, feature, axis=1)
        goes = _decided(use, forest.modes, tables, use.builder.named(seen, "seen"), at)
        at = use.call("where", goes, _looked_up(use, tables.then, at), _looked_up(use, tables.orelse, at))
        at = use.builder.named(at, "nodes")
    return at


def _looked_up(use: Use, table: Value, at: Value) -> Value:
    return use.call("take", table, at, axis=0)


def _decided(use: Use, modes: Sequence[str], tables: _Tables, seen: Value, at: Value) -> Value:
    """Whether each point takes the true branch of its node."""
    split = _looked_up(use, tables.split, at)
    goes = _compared(use, modes[0], seen, split)
    if tables.mode is not None:
        mode = _looked_up(use, tables.mode, at)
        for number, name in enumerate(modes[1:], 1):
            chosen = use.call("equal", mode, use.like(number, mode))
            goes = use.call("where", chosen, _compared(use, name, seen, split), goes)
    if tables.missing is not None:
        takes = use.call("logical_and", use.call("isnan", seen), _looked_up(use, tables.missing, at))
        goes = use.call("logical_or", goes, takes)
    return goes


def _compared(use: Use, mode: str, seen: Value, split: Value) -> Value:
    """Compare by a mode; the result is false for NaN."""
    if mode != "BRANCH_NEQ":
        return use.call(COMPARED[mode], seen, split)
    return use.call("logical_or", use.call("less", seen, split), use.call("greater", seen, split))


# ---------------------------------------------------------------------------------------------------------- aggregating
@record
class Aggregate:
    """How the weights of leaves become a score.

    Attributes:
        nothing: the identity of the aggregation; a target without any weight has the score 0.
    """

    over_trees: str
    of_two: str
    join: Callable[[float, float], float]
    nothing: float
    is_mean: bool = False


_SUM = Aggregate("sum", "add", lambda one, other: one + other, 0.0)
_AGGREGATES = {
    "SUM": _SUM,
    "AVERAGE": Aggregate("sum", "add", lambda one, other: one + other, 0.0, is_mean=True),
    "MIN": Aggregate("min", "minimum", min, inf),
    "MAX": Aggregate("max", "maximum", max, -inf),
}
_NUMBERED = ("AVERAGE", "SUM", "MIN", "MAX")


def _aggregate(use: Use) -> Aggregate:
    kind = use.attribute("aggregate_function", "SUM")
    found = _AGGREGATES.get(_NUMBERED[kind] if kind in range(len(_NUMBERED)) else kind)
    if found is None:
        raise Unsupported(f"aggregate_function={kind!r}")
    return found


def _scores(use: Use, forest: Forest, x: Value, how: Aggregate, count: int, dtype: DType) -> Value:
    """The scores of each point: a column for each of `count` targets."""
    at = _reached(use, forest, x)
    whole = tuple(range(count))
    if [group.targets for group in forest.groups] == [whole]:
        found = _of_group(use, forest, forest.groups[0], at, how, dtype)
        found = use.call("expand_dims", found, axis=1) if count == 1 else found
    else:
        found = _columns(use, forest, at, how, count, dtype)
    if how.nothing and not all(map(forest.gives_always, whole)):
        empty = use.call("equal", found, use.like(how.nothing, found))
        found = use.call("where", empty, use.like(0.0, found), found)
    return use.call("divide", found, use.like(len(forest.roots), found)) if how.is_mean else found


def _columns(use: Use, forest: Forest, at: Value, how: Aggregate, count: int, dtype: DType) -> Value:
    """The scores as columns, if different trees have weights for different targets."""
    parts: dict[int, list[Value]] = {target: [] for target in range(count)}
    for group in forest.groups:
        found = use.builder.named(_of_group(use, forest, group, at, how, dtype), "scores")
        for place, target in enumerate(group.targets):
            one = len(group.targets) == 1
            number = use.builder.number(place, DType.INT64)
            parts[target].append(found if one else use.call("take", found, number, axis=1))
    first = use.call("take", at, use.builder.number(0, DType.INT64), axis=1)
    nothing = use.call("full_like", as_type(use, first, dtype), use.builder.number(how.nothing, dtype))
    columns = [
        reduce(lambda one, other: use.call(how.of_two, one, other), found or [nothing]) for found in parts.values()
    ]
    return use.call("stack", use.builder.tuple(columns), axis=1)


def _of_group(use: Use, forest: Forest, group: Group, at: Value, how: Aggregate, dtype: DType) -> Value:
    """The scores from the trees of a group, with a column for each target; a vector if the group has one target."""
    first, last = group.trees
    if (first, last) != (0, len(forest.roots)):
        at = use.call("strided_slice", at, begin=[first], end=[last], axes=[1])
        at = use.call("subtract", at, use.like(group.nodes[0], at))
    count = len(group.targets)
    table = [part for leaf in group.leaves for part in _row(leaf, group.targets, how)]
    shape = (len(group.leaves), count) if count > 1 else (len(group.leaves),)
    weights = constant(use, "weights", table, dtype, *shape)
    return use.call(how.over_trees, _looked_up(use, weights, at), axis=1)


def _row(leaf: Leaf, targets: Sequence[int], how: Aggregate) -> list[float]:
    """The weight of a leaf for each target; the aggregation's identity where the leaf has none."""
    found = dict.fromkeys(targets, how.nothing)
    for target, weight in leaf:
        found[target] = how.join(found[target], weight)
    return list(found.values())


def _with_base(use: Use, scores: Value, count: int) -> Value:
    """The scores plus the base value of each target."""
    base = numbers(use, "base_values")
    if not base:
        return scores
    if len(base) != count:
        raise Unsupported(f"{len(base)} base_values of {count} scores")
    return use.call("add", scores, constant(use, "base", base, scores.dtype))


# ----------------------------------------------------------------------------------------- versions before TreeEnsemble
def _kind(use: Use, x: Value, *names: str) -> DType:
    """The element type of splits and weights."""
    held = [use.attribute(f"{name}_as_tensor") for name in names]
    doubles = any(isinstance(one, Tensor) and one.dtype is DType.FLOAT64 for one in held)
    return DType.FLOAT64 if doubles or x.dtype is DType.FLOAT64 else DType.FLOAT32


def _forest(use: Use, entries: str, count: int) -> Forest:
    """The forest in the attributes of a node; the attributes of leaves have names that begin with `entries`."""
    trees, ids = (list(use.attribute(f"nodes_{name}", ())) for name in ("treeids", "nodeids"))
    columns: list[Sequence[Any]] = [
        use.attribute("nodes_featureids", ()),
        numbers(use, "nodes_values"),
        use.attribute("nodes_modes", ()),
        [bool(one) for one in use.attribute("nodes_missing_value_tracks_true") or [0] * len(ids)],
        *(use.attribute(f"nodes_{name}", ()) for name in ("truenodeids", "falsenodeids")),
    ]
    if any(len(one) != len(ids) for one in (trees, *columns)):
        raise Unsupported("lists of nodes of different lengths")
    splits, roots, ends = named_nodes(trees, ids, list(zip(*columns, strict=True)))
    keys = [*zip(*(use.attribute(f"{entries}_{name}", ()) for name in ("treeids", "nodeids")), strict=False)]
    weights = numbers(use, f"{entries}_weights")
    leaves = leaves_of(keys, use.attribute(f"{entries}_ids", ()), weights, count)
    return forest_of(splits, {key: leaf for key, leaf in leaves.items() if key in ends}, roots)


@learned("TreeEnsembleRegressor")
def regressor(use: Use) -> Value:
    """The sum, mean, minimum or maximum of the trees' weights for each target."""
    x, count = rows(use, use[0]), use.required("n_targets")
    dtype = _kind(use, x, "nodes_values", "target_weights", "base_values")
    scores = _scores(use, _forest(use, "target", count), as_type(use, x, dtype), _aggregate(use), count, dtype)
    return transformed(use, as_type(use, _with_base(use, scores, count), DType.FLOAT32))


@learned("TreeEnsembleClassifier")
def classifier(use: Use) -> list[Value | Unread]:
    """The class with the greatest score, and the scores; with two classes, the trees may score only the second."""
    count, labels = labels_of(use, "classlabels_int64s")
    x, ids, weights = rows(use, use[0]), set(use.attribute("class_ids", ())), numbers(use, "class_weights")
    dtype = _kind(use, x, "nodes_values", "class_weights", "base_values")
    is_single, is_share = count == 2 and ids == {0}, all(weight >= 0 for weight in weights)
    columns = 1 if is_single else count
    scores = _scores(use, _forest(use, "class", columns), as_type(use, x, dtype), _SUM, columns, dtype)
    scores = use.builder.named(as_type(use, _with_base(use, scores, columns), DType.FLOAT32), "scores")
    if is_single:
        chosen = second_if(use, scores, 0.5 if is_share else 0.0)
        return [labelled(use, labels, chosen), transformed(use, paired(use, scores, is_share))]
    label = Unread("the label of a single class") if count == 1 else labelled(use, labels, best(use, scores))
    return [label, transformed(use, scores)]


# --------------------------------------------------------------------------------------------------------- TreeEnsemble
@learned("TreeEnsemble")
def ensemble(use: Use) -> Value:
    """Trees whose inner nodes and leaves are in separate tables; the scores have the type of the features."""
    x, weights = rows(use, use[0]), use.required("leaf_weights")
    targets = use.required("leaf_targetids")
    count = use.attribute("n_targets") or max(targets, default=-1) + 1
    keys = [(LEAF, at) for at in range(weights.size)]
    leaves = leaves_of(keys, targets, list(weights.flat()), count)
    forest = forest_of(_splits(use, weights.size), leaves, [(INNER, root) for root in use.required("tree_roots")])
    return transformed(use, _scores(use, forest, x, _aggregate(use), count, x.dtype))


def _splits(use: Use, leaves: int) -> dict[Key, Split]:
    """Index -> inner node; a node that tests membership in a set becomes a chain of comparisons."""
    modes, values = ([*use.required(name).flat()] for name in ("nodes_modes", "nodes_splits"))
    missing = use.attribute("nodes_missing_value_tracks_true") or [0] * len(modes)
    branches = [
        [
            (LEAF if leaf else INNER, at)
            for at, leaf in zip(*(use.required(f"nodes_{way}{name}") for name in ("nodeids", "leafs")), strict=True)
        ]
        for way in ("true", "false")
    ]
    members = memberships(modes, () if (given := use.attribute("membership_values")) is None else given.flat())
    found: dict[Key, Split] = {}
    further = 0
    for at, feature in enumerate(use.required("nodes_featureids")):
        node = Split(feature, values[at], MODES[modes[at]], bool(missing[at]), branches[0][at], branches[1][at])
        if node.mode in COMPARED:
            found[INNER, at] = node
        else:
            chain = dict(chained(at, node, next(members), further))
            further += len(chain) - 1
            found |= chain
    bounds = {INNER: len(modes), LEAF: leaves, NEXT: further}
    if any(not 0 <= place < bounds[kind] for node in found.values() for kind, place in (node.then, node.orelse)):
        raise Unsupported("a branch to a node that is not there")
    return found
