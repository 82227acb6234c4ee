"""Branches and loops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gradual.importers.common import lists
from gradual.importers.common.applying import positive
from gradual.importers.common.branching import branched, fields, listed
from gradual.importers.common.composed.scanning import scanned
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.sizes.ports import Port
from gradual.importers.common.values import Block, Value
from gradual.importers.onnx.file.model import Graph
from gradual.importers.onnx.importers import Use, as_scalar, imports
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.type import Hole, TensorType


@imports("If")
def choose(use: Use) -> Sequence[Value]:
    """The outputs of one of two graphs, chosen by a condition."""
    graphs = [use.graph(name) for name in ("then_branch", "else_branch")]
    return branched(use, as_scalar(use, use[0]), [partial(use.outputs, graph) for graph in graphs])


# ------------------------------------------------------------------------------------------------------------ scans
@imports("Scan")
def scan(use: Use) -> Sequence[Value]:
    """Apply a graph to consecutive slices of some tensors; return the final states and the stacked outputs.

    Before version 9 the tensors have a batch axis, and each sample is scanned separately.
    """
    body, inputs = use.graph("body"), [use[index] for index in range(int(use.opset < 9), len(use.inputs))]
    count = len(inputs) - use.required("num_scan_inputs")
    if not 0 <= count < len(inputs):
        raise Unsupported(f"num_scan_inputs={use.required('num_scan_inputs')} of {len(inputs)} inputs")
    begun, slices = inputs[:count], inputs[count:]
    if use.opset >= 9:
        return _scan(use, body, begun, slices)
    if use.optional(0) is not None:
        raise Unsupported("sequence_lens of version 8")
    samples = _of_one_length(use, inputs)
    return scanned(use, use.node.name, [], samples, lambda _, at: _scan(use, body, at[:count], at[count:]))


def _scan(use: Use, body: Graph, begun: Sequence[Value], inputs: Sequence[Value]) -> list[Value]:
    """A scan along an axis of each input; these axes have to have equal sizes."""
    count, given = len(begun), len(inputs)
    if len(body.inputs) != count + given or len(body.outputs) < count:
        raise Unsupported(f"a body of {len(body.inputs)} inputs for {count + given} values")
    backwards = use.attribute("scan_input_directions" if use.opset >= 9 else "directions", (0,) * given)
    axes = use.attribute("scan_input_axes", (0,) * given)
    moved = [_first(use, one, positive(axis, one.rank)) for one, axis in zip(inputs, axes, strict=True)]
    turned = [use.call("reverse", one, axis=0) if back else one for one, back in zip(moved, backwards, strict=True)]

    def turn(kept: list[Value], at: list[Value]) -> list[Value]:
        names = [port.name for port in body.inputs]
        made = use.outputs(body, dict(zip(names, [*kept, *at], strict=True)))
        return [*map(partial(_shaped, use), made[:count], begun), *made[count:]]

    found = scanned(use, use.node.name, begun, _of_one_length(use, turned), turn)
    stacks = len(found) - count
    backwards = use.attribute("scan_output_directions", (0,) * stacks)
    axes = use.attribute("scan_output_axes", (0,) * stacks)
    each = zip(found[count:], axes, backwards, strict=True)
    return [*found[:count], *(_placed(use, one, axis, bool(back)) for one, axis, back in each)]


def _of_one_length(use: Use, values: Sequence[Value]) -> list[Value]:
    """The values, with a check that their first axes have equal sizes."""
    length = use.written_size(use.extent(values[0], 0))
    return [values[0], *(use.exactly(one, 0, length) for one in values[1:])]


def _shaped(use: Use, value: Value, begun: Value) -> Value:
    """A state after an iteration, with a check that its shape is unchanged."""
    if value.rank != begun.rank:
        raise Unsupported(f"a state of rank {begun.rank} that becomes one of rank {value.rank}")
    for axis, size in enumerate(begun.tensor.shape):
        if value.tensor.shape[axis] is not size:
            value = use.exactly(value, axis, use.written_size(use.extent(begun, axis)))
    return value


def _first(use: Use, value: Value, axis: int) -> Value:
    """The value with an axis moved to the front."""
    order = [axis, *(at for at in range(value.rank) if at != axis)]
    return use.call("transpose", value, axes=order) if axis else value


def _placed(use: Use, stack: Value, axis: int, backwards: bool) -> Value:
    """Stacked results, with the stacking axis moved to a position and reversed if `backwards`."""
    stack = use.call("reverse", stack, axis=0) if backwards else stack
    order = list(range(1, stack.rank))
    order.insert(positive(axis, stack.rank), 0)
    return use.call("transpose", stack, axes=order) if order[0] else stack


# ------------------------------------------------------------------------------------------------------------ loops
@imports("Loop")
def loop(use: Use) -> Sequence[Value]:
    """Repeat a graph, as a recursive function.

    A loop-carried tensor may change its sizes and its rank, but not its element type.
    """
    builder, body = use.builder, use.graph("body")
    begun = [use[index] for index in range(2, len(use.inputs))]
    types = [lists.held(value) for value in begun]
    while True:
        block, inputs, outputs = _turn(use, body, types)
        if len(outputs) < 1 + len(begun):
            raise Unsupported(f"a body that gives {len(outputs)} values for {len(begun)} that are handed on")
        after = [lists.held(outputs[1 + at]) for at in range(len(begun))]
        wider = [lists.wider(one, other) for one, other in zip(types, after, strict=True)]
        if wider == types:
            break
        types = wider
    types = [lists.settled(type) for type in types]
    begun = [listed(use, value, type) for value, type in zip(begun, types, strict=True)]
    with builder.inside(block):
        kept = [listed(use, value, type) for value, type in zip(outputs[1:], types, strict=False)]
    scanned = outputs[1 + len(begun) :]
    name = builder.names.fresh(use.node.name or "loop")
    empty = [_nothing(use, value) for value in scanned]
    gathered = [builder.names.unused("scanned") for _ in scanned]
    handed = [*types, *(TensorType((Hole(), *lists.held_tensor(value).shape), value.dtype) for value in scanned)]
    start = [builder.number(0, DType.INT64), _condition(use), *begun, *empty]
    limit = use.optional(0)
    names = [*(str(value.origin) for value in inputs), *(f"%{one}" for one in gathered)]
    types_of = ["int64", "bool", *map(shown, handed)]

    def text(given: Sequence[str]) -> str:
        conditions = [] if limit is None else [f"less({names[0]}, {given[-1]})"]
        if use.optional(1) is not None:  # otherwise the condition that the body returns is ignored
            conditions.append(names[1])
        goes_on = f"logical_and({', '.join(conditions)})" if len(conditions) == 2 else "".join(conditions) or "True"
        turn = _turn_text(use, name, names, len(inputs), block, [outputs[0], *kept, *scanned])
        return _loop_text(name, list(zip(names, types_of, strict=True)), goes_on, turn, given[: len(start)])

    operands = [*start, *([] if limit is None else [as_scalar(use, limit)])]
    return fields(use, [builder.open(type) for type in handed], builder.bind(operands, text))


def _condition(use: Use) -> Value:
    given = use.optional(1)
    return use.builder.number(True, DType.BOOL) if given is None else as_scalar(use, given)


def _turn(use: Use, body: Graph, types: Sequence[Any]) -> tuple[Block, list[Value], list[Value]]:
    """One iteration of the graph: its block, its inputs and its outputs."""
    builder = use.builder
    known = [TensorType((), DType.INT64), TensorType((), DType.BOOL), *types]
    if len(body.inputs) != len(known):
        raise Unsupported(f"a body of {len(body.inputs)} inputs for {len(known)} values")
    with builder.inside() as block:
        inputs = [
            builder.input(builder.names.fresh(port.name), builder.open(type))
            for port, type in zip(body.inputs, known, strict=True)
        ]
        seen = [*(_as_declared(use, *pair) for pair in zip(body.inputs[:2], inputs[:2], strict=True)), *inputs[2:]]
        outputs = use.outputs(body, {port.name: value for port, value in zip(body.inputs, seen, strict=True)})
        if outputs:
            outputs[0] = as_scalar(use, outputs[0])
    return block, inputs, outputs


def _as_declared(use: Use, port: Port, value: Value) -> Value:
    """The iteration number or the condition: a scalar, or a tensor of one element if the graph declares a tensor."""
    return value if not port.shape else use.call("reshape", value, newshape=[1] * len(port.shape))


def _nothing(use: Use, value: Value) -> Value:
    """A scan output before the first iteration: its first axis has size 0."""
    sizes = []
    for size in lists.held_tensor(value).shape:
        if isinstance(size, Hole):
            raise Unsupported("an output of each turn whose sizes are not known here")
        sizes.append(size.value if size.value is not None else use.builder.dimension(size))
    return use.call("zeros", shape=[0, *sizes], dtype=value.dtype)


def _turn_text(use: Use, name: str, names: Sequence[str], count: int, block: Block, outputs: Sequence[Value]) -> str:
    """One iteration and the recursive call; the first `count` names are the graph's inputs, the others scan outputs."""
    builder = use.builder
    lines = "".join(f"{line}\n" for line in builder.lines(block))
    written = [builder.written(value) for value in outputs]
    scans = [
        f"concatenate(({gathered}, expand_dims({one}, axis=0)), axis=0)"
        for gathered, one in zip(names[count:], written[count - 1 :], strict=True)
    ]
    again = [f"add({names[0]}, 1i64)", *written[: count - 1], *scans]
    return f"{lines}%{name}({', '.join(again)})"


def _loop_text(name: str, params: Sequence[tuple[str, str]], goes_on: str, turn: str, start: Sequence[str]) -> str:
    """The recursive function and its first call; it returns its parameters except iteration number and condition."""
    results = params[2:]
    one = len(results) == 1
    last = results[0][0] if one else f"({', '.join(value for value, _ in results)})"
    result = results[0][1] if one else f"({', '.join(type for _, type in results)})"
    taken = ", ".join(f"{value}: {type}" for value, type in params)
    return (
        f"{{ let %{name} = fn ({taken}) -> {result} {{\n"
        f"if ({goes_on}) {{\n{turn}\n}} else {{ {last} }}\n}};\n"
        f"%{name}({', '.join(start)}) }}"
    )
