"""Decision trees as tables: the nodes of all trees are numbered consecutively, tree by tree, each root first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby, pairwise
from math import isnan, nan

from gradual.importers.common.refusals import Unsupported
from gradual.record import record

COMPARED = {
    "BRANCH_LEQ": "less_equal",
    "BRANCH_LT": "less",
    "BRANCH_GTE": "greater_equal",
    "BRANCH_GT": "greater",
    "BRANCH_EQ": "equal",
    "BRANCH_NEQ": "not_equal",
}
"""Mode of a node -> the operator that compares the feature with the split value."""

Key = tuple[int, int]


@record
class Split:
    """An inner node.

    Attributes:
        takes_missing: whether NaN takes the true branch.
    """

    feature: int
    value: float
    mode: str
    takes_missing: bool
    then: Key
    orelse: Key


Leaf = tuple[tuple[int, float], ...]
"""The targets of a leaf, each with a weight."""


@record
class Group:
    """Consecutive trees whose leaves have weights for the same targets.

    Attributes:
        trees: the indices of the first tree and of the one after the last.
        nodes: the indices of the first node of these trees and of the one after the last.
        leaves: the weights of each of these nodes; empty for an inner node.
    """

    targets: tuple[int, ...]
    trees: Key
    nodes: Key
    leaves: Sequence[Leaf]


@record(frozen=False)
class Forest:
    """Trees as tables with a row for each node; both branches of a leaf lead to the leaf itself.

    Attributes:
        depth: the greatest number of decisions on a path to a leaf.
        features: how many features a point needs.
    """

    feature: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    mode: list[str] = field(default_factory=list)
    takes_missing: list[bool] = field(default_factory=list)
    then: list[int] = field(default_factory=list)
    orelse: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    depth: int = 1
    features: int = 1

    @property
    def modes(self) -> list[str]:
        """The modes of the inner nodes; the default mode if there are no inner nodes."""
        return sorted(set(self.mode) - {""}) or ["BRANCH_LEQ"]

    def gives_always(self, target: int) -> bool:
        """Whether every point gets a weight for a target, because each leaf of some tree has one."""
        return any(
            all(
                any(one == target for one, _ in leaf)
                for leaf, mode in zip(group.leaves[low - first : high - first], self.mode[low:high], strict=True)
                if not mode
            )
            for group in self.groups
            for first in (group.nodes[0],)
            for low, high in pairwise(self.ends(group))
        )

    def ends(self, group: Group) -> list[int]:
        """The first node of each tree of a group, and the end of the last tree."""
        return [*self.roots[slice(*group.trees)], group.nodes[1]]

    def add(self, tree: Mapping[Key, Split], root: Key) -> list[Key]:
        """Number the nodes that are reachable from a root, and return them in this order."""
        levels = list(_levels(tree, root))
        keys = list(dict.fromkeys(key for level in levels for key in level))
        place = {key: at for at, key in enumerate(keys, len(self.feature))}
        for key in keys:
            self._row(tree.get(key) or Split(0, 0.0, "", False, key, key), place)
        self.roots.append(place[root])
        self.depth = max(self.depth, len(levels) - 1)
        return keys

    def _row(self, node: Split, place: Mapping[Key, int]) -> None:
        if node.feature < 0:
            raise Unsupported(f"feature {node.feature}")
        self.features = max(self.features, node.feature + 1)
        self.feature.append(node.feature)
        self.value.append(node.value)
        self.mode.append(node.mode)
        self.takes_missing.append(node.takes_missing)
        self.then.append(place[node.then])
        self.orelse.append(place[node.orelse])


def forest_of(splits: Mapping[Key, Split], leaves: Mapping[Key, Leaf], roots: Sequence[Key]) -> Forest:
    """The tables of trees; trees with weights for the same targets become consecutive."""
    found = Forest()
    trees = [(_targets(splits, leaves, root), root) for root in roots]
    for targets, members in groupby(sorted(trees, key=lambda tree: tree[0]), key=lambda tree: tree[0]):
        trees_before, nodes_before = len(found.roots), len(found.feature)
        given = [leaves.get(key, ()) for _, root in members for key in found.add(splits, root)]
        group = Group(targets, (trees_before, len(found.roots)), (nodes_before, len(found.feature)), given)
        found.groups += [group] if targets else []
    return found


def _targets(splits: Mapping[Key, Split], leaves: Mapping[Key, Leaf], root: Key) -> tuple[int, ...]:
    reached = {key for level in _levels(splits, root) for key in level}
    return tuple(sorted({target for key in reached for target, _ in leaves.get(key, ())}))


def _levels(tree: Mapping[Key, Split], root: Key) -> Iterator[list[Key]]:
    """The nodes at each depth."""
    level = [root]
    for _ in range(len(tree) + 1):
        yield level
        nodes = [tree[key] for key in level if key in tree]
        level = list(dict.fromkeys(key for node in nodes for key in (node.then, node.orelse)))
        if not level:
            return
    raise Unsupported("a tree of which a node comes after itself")


# ------------------------------------------------------------------------------------------- nodes with their own names
def named_nodes(
    trees: Sequence[int], ids: Sequence[int], rows: Sequence[tuple[int, float, str, bool, int, int]]
) -> tuple[dict[Key, Split], list[Key], set[Key]]:
    """The splits, roots and leaves of nodes that are identified by tree and number; each tree begins with its root."""
    keys = list(zip(trees, ids, strict=True))
    known, splits, roots = set(keys), dict[Key, Split](), dict[int, Key]()
    if len(known) != len(keys):
        raise Unsupported("two nodes with one number in a tree")
    for key, (feature, value, mode, missing, then, orelse) in zip(keys, rows, strict=True):
        roots.setdefault(key[0], key)
        if mode == "LEAF":
            continue
        if mode not in COMPARED:
            raise Unsupported(f"nodes of the mode {mode}")
        node = Split(feature, value, mode, missing, (key[0], then), (key[0], orelse))
        if node.then not in known or node.orelse not in known:
            raise Unsupported("a branch to a node that is not there")
        splits[key] = node
    return splits, list(roots.values()), known - set(splits)


def leaves_of(keys: Sequence[Key], targets: Sequence[int], weights: Sequence[float], count: int) -> dict[Key, Leaf]:
    """Leaf -> its targets and weights, from lists with an entry for each pair of leaf and target."""
    if not len(keys) == len(targets) == len(weights):
        raise Unsupported("lists of targets and weights of different lengths")
    if targets and not 0 <= min(targets) <= max(targets) < count:
        raise Unsupported(f"a target beyond the {count} there are")
    found: dict[Key, Leaf] = {}
    for key, target, weight in zip(keys, targets, weights, strict=True):
        found[key] = (*found.get(key, ()), (target, weight))
    return found


# ------------------------------------------------------------------------------------------------- nodes by their place
INNER, LEAF, NEXT = 0, 1, 2
"""The first part of a key: an inner node, a leaf, or a further comparison of a node that tests membership."""

MODES = (*COMPARED, "BRANCH_MEMBER")


def memberships(modes: Sequence[int], members: Sequence[float]) -> Iterator[list[float]]:
    """The members for each node that tests membership, from one list in which NaN ends each node's part."""
    parts: list[list[float]] = [[]]
    for member in members:
        if isnan(member):
            parts.append([])
        else:
            parts[-1].append(member)
    if len(parts) - 1 != sum(mode == MODES.index("BRANCH_MEMBER") for mode in modes) or parts[-1]:
        raise Unsupported("membership_values that are not one list for each node")
    yield from parts[:-1]


def chained(place: int, node: Split, members: Sequence[float], first: int) -> Iterator[tuple[Key, Split]]:
    """A membership test as a chain of comparisons; those after the first have keys that are numbered from `first`."""
    keys = [(INNER, place), *((NEXT, first + at) for at in range(max(len(members) - 1, 0)))]
    for at, key in enumerate(keys):
        orelse = keys[at + 1] if at + 1 < len(keys) else node.orelse
        value = members[at] if members else nan
        yield key, Split(node.feature, value, "BRANCH_EQ", node.takes_missing, node.then, orelse)
