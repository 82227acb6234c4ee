"""Branches, loops, scans, and other operators that take graphs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gradual.importers.common.branching import branched, repeated
from gradual.importers.common.composed.scanning import scanned
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.file.schema import Graph
from gradual.importers.torch.importers import Use, imports
from gradual.types.dtype import DType


def _graph(use: Use, index: int) -> Graph:
    found = use.node.positional[index] if index < len(use.node.positional) else None
    if not isinstance(found, Graph):
        raise Unsupported(f"argument {index + 1} is no graph")
    return found


def _values(use: Use, index: int) -> list[Value]:
    """A list of tensors and numbers."""
    found = use.value(use.node.positional[index]) if index < len(use.node.positional) else ()
    return [one if isinstance(one, Value) else use.builder.number(one, DType.INT64) for one in found]


@imports("higher_order.cond")
def choose(use: Use) -> Sequence[Value]:
    """The results of one of two graphs, chosen by a condition."""
    condition = use.value(use.node.positional[0])
    if not isinstance(condition, Value):
        condition = use.builder.number(condition, DType.BOOL)
    if condition.rank:
        condition = use.call("reshape", condition, newshape=[])
    operands = _values(use, 3)
    graphs = [_graph(use, index) for index in (1, 2)]
    return branched(use, condition, [partial(use.bodies.outputs, graph, operands) for graph in graphs])


@imports("higher_order.while_loop")
def loop(use: Use) -> Sequence[Value]:
    """A loop; return the carried values when its condition is false."""
    condition, body = _graph(use, 0), _graph(use, 1)
    carried, others = _values(use, 2), _values(use, 3)

    def goes_on(values: list[Value]) -> list[Value]:
        (found,) = use.bodies.outputs(condition, [*values, *others])
        return [use.call("reshape", found, newshape=[]) if found.rank else found]

    return repeated(use, use.node.name, carried, goes_on, lambda values: use.bodies.outputs(body, [*values, *others]))


# ------------------------------------------------------------------------------------------------------------ scans
@imports("higher_order.scan")
def scan(use: Use) -> Sequence[Value]:
    """A scan along the first axis: the last carried values, and the stacked results of all iterations."""
    graph, begun, others = _graph(use, 0), _values(use, 1), _values(use, 3)
    name, slices = use.node.name, _values(use, 2)
    return scanned(use, name, begun, slices, lambda kept, at: use.bodies.outputs(graph, [*kept, *at, *others]))


@imports("higher_order.map_impl")
def mapped(use: Use) -> Sequence[Value]:
    """The results of a graph for each slice along the first axis, stacked."""
    graph, others = _graph(use, 0), _values(use, 2)
    name, slices = use.node.name, _values(use, 1)
    return scanned(use, name, [], slices, lambda _, at: use.bodies.outputs(graph, [*at, *others]))


@imports("higher_order.associative_scan")
def associative_scan(use: Use) -> Sequence[Value]:
    """A scan by an associative operator: the results for all prefixes of the slices, computed sequentially."""
    graph, whole, others = _graph(use, 0), _values(use, 1), _values(use, 2)
    firsts = [use.call("take", one, use.builder.number(0, DType.INT64), axis=0, mode="fast") for one in whole]
    rest = [use.call("strided_slice", one, begin=[1], end=[2**31 - 1]) for one in whole]

    def turn(kept: list[Value], at: list[Value]) -> list[Value]:
        made = use.bodies.outputs(graph, [*kept, *at, *others])
        return [*made, *made]

    following = scanned(use, use.node.name, firsts, rest, turn)[len(firsts) :]
    pairs = [(use.call("expand_dims", one, axis=0), other) for one, other in zip(firsts, following, strict=True)]
    return [use.call("concatenate", use.builder.tuple(pair), axis=0) for pair in pairs]


# ---------------------------------------------------------------------------------------------- graphs under a mode
@imports("higher_order.wrap_with_set_grad_enabled")
def with_gradients(use: Use) -> Sequence[Value]:
    """The results of a graph; recording of gradients does not change them."""
    return use.bodies.outputs(_graph(use, 1), _inputs(use, 2))


@imports("higher_order.wrap_with_autocast")
def with_autocast(use: Use) -> Sequence[Value]:
    """The results of a graph; refused if autocast is enabled, which changes element types at run time."""
    if use.node.positional[2] is not False:
        raise Unsupported("mixed precision; save `exported.run_decompositions({})` instead, which says each cast")
    return use.bodies.outputs(_graph(use, 4), _inputs(use, 5))


def _inputs(use: Use, index: int) -> list[Value]:
    return [
        one if isinstance(one, Value) else use.builder.number(one, DType.INT64)
        for one in map(use.value, use.node.positional[index:])
    ]
