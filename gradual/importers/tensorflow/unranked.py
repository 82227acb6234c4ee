"""Variables of which a graph records no rank: the ranks that follow from the pattern of batch normalization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradual.importers.common.refusals import Unsupported
from gradual.importers.tensorflow.file.schema import Model
from gradual.importers.tensorflow.order import ordered

_ELEMENTWISE = ("Add", "AddV2", "Cast", "Identity", "Mul", "Neg", "Rsqrt", "Sub")
"""Operators that combine the parameters of a batch normalization with each other."""


def with_ranks(model: Model, ranks: Mapping[str, int]) -> Model:
    """The model, in which some variables have ranks."""
    known = {name: replace(model.variables[name], shape=(None,) * rank) for name, rank in ranks.items()}
    return replace(model, variables={**model.variables, **known})


def normalizing(model: Model) -> Sequence[str]:
    """The variables without a rank or value that are parameters of batch normalizations.

    `tf.nn.batch_normalization` computes `x * a + (offset - mean * a)` with `a = rsqrt(variance + epsilon) * scale`. So
    the parameters are the variables of a subexpression that contains the reciprocal root and not yet the input `x`.
    """
    open = {name for name, one in model.variables.items() if one.shape is None and one.stored is None}
    made_of = dict[str, frozenset[str]]()
    rooted, found = set[str](), dict[str, None]()
    try:
        nodes = ordered(model.nodes, [source.node for _, source in model.outputs]) if open else ()
    except Unsupported:  # a cycle, for which the import refuses the model
        return ()
    for node in nodes:
        inputs = [one.node for one in node.inputs]
        if node.name in open:
            made_of[node.name] = frozenset([node.name])
        elif node.operator == "Const":
            made_of[node.name] = frozenset()
        elif node.operator in (*_ELEMENTWISE, "ReadVariableOp") and all(one in made_of for one in inputs):
            made_of[node.name] = frozenset().union(*(made_of[one] for one in inputs))
            if node.operator == "Rsqrt" or not rooted.isdisjoint(inputs):
                rooted.add(node.name)
                found |= dict.fromkeys(made_of[node.name])
    return [name for name in model.variables if name in found]


def several(names: Sequence[str], of_one: str, of_more: str) -> str:
    """What a note says of variables: the first one, how many more there are, and what is said of one or of more."""
    others = len(names) - 1
    return f"the variable `{names[0]}` " + (f"and {others} more {of_more}" if others else of_one)
