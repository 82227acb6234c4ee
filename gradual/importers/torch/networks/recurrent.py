"""Recurrent layers: a recursive function of the program that steps over the sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradual.importers.common.recurrence import SUMS, defined
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.record import record
from gradual.syntax.tree.literals import written
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType

LSTM_STEP = f"""\
    let %gates = split({SUMS}, indices_or_sections=4, axis=1);
    let %c1 = add(multiply(sigmoid(%gates.1), %c), multiply(sigmoid(%gates.0), tanh(%gates.2)));
    let %h1 = multiply(sigmoid(%gates.3), tanh(%c1));"""

GRU_STEP = """\
    let %from_x = split(add(nn.dense(%xt, %w), %wb), indices_or_sections=3, axis=1);
    let %from_h = split(add(nn.dense(%h, %r), %rb), indices_or_sections=3, axis=1);
    let %reset = sigmoid(add(%from_x.0, %from_h.0));
    let %update = sigmoid(add(%from_x.1, %from_h.1));
    let %new = tanh(add(%from_x.2, multiply(%reset, %from_h.2)));
    let %h1 = add(multiply(subtract({one}, %update), %new), multiply(%update, %h));"""

RNN_STEP = f"""\
    let %h1 = {{activation}}({SUMS});"""


@record(slots=False)
class _Cell:
    """A kind of recurrent layer.

    Attributes:
        gates: how many gates a step computes, each by a product with the input.
        states: the names of the layer's states.
        step: the text of a step, given the element type.
    """

    gates: int
    states: tuple[str, ...]
    step: Callable[[DType], str]


CELLS = {
    "lstm": _Cell(4, ("h", "c"), lambda dtype: LSTM_STEP),
    "gru": _Cell(3, ("h",), lambda dtype: GRU_STEP.format(one=written(1.0, dtype, True))),
    "rnn_tanh": _Cell(1, ("h",), lambda dtype: RNN_STEP.format(activation="tanh")),
    "rnn_relu": _Cell(1, ("h",), lambda dtype: RNN_STEP.format(activation="nn.relu")),
}


@imports(*(f"aten.{name}.input" for name in CELLS))
def recurrent(use: Use) -> Sequence[Value]:
    """Stacked layers, each forward or bidirectional: all outputs, and the last states."""
    cell = CELLS[use.node.operator.split(".")[1]]
    if use.flag("train"):
        raise Unsupported("training: export the model after `.eval()`")
    directions, layers = 1 + use.flag("bidirectional"), use.integer("num_layers")
    weights, each = use.tensors("params"), 4 if use.flag("has_biases") else 2
    if len(weights) != each * directions * layers:
        raise Unsupported("a projection of the states")
    begun = use.tensors("hx") if len(cell.states) > 1 else [use["hx"]]
    x = use["input"]
    if use.flag("batch_first"):
        x = use.call("transpose", x, axes=[1, 0, 2])
    last: list[list[Value]] = [[] for _ in begun]
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            index = layer * directions + direction
            states = [_part(use, one, index) for one in begun]
            output, *ends = _run(use, cell, x, weights[index * each : (index + 1) * each], states, direction == 1)
            outputs.append(output)
            for kept, end in zip(last, ends, strict=True):
                kept.append(end)
        x = outputs[0] if directions == 1 else use.call("concatenate", use.builder.tuple(outputs), axis=2)
    if use.flag("batch_first"):
        x = use.call("transpose", x, axes=[1, 0, 2])
    return [x, *(use.call("stack", use.builder.tuple(states), axis=0) for states in last)]


def _part(use: Use, value: Value, index: int) -> Value:
    return use.call("take", value, use.builder.number(index, DType.INT64), axis=0, mode="fast")


def _run(
    use: Use, cell: _Cell, x: Value, weights: Sequence[Value], begun: Sequence[Value], reverse: bool
) -> list[Value]:
    """One direction of a layer: the outputs of all steps, and the last states."""
    builder = use.builder
    w, r, *biases = weights
    if not biases:
        biases = [use.call("zeros", shape=[w.extent(0)], dtype=x.dtype)] * 2
    nothing = use.call("strided_slice", use.call("expand_dims", begun[0], axis=0), begin=[0], end=[0], axes=[0])
    sequence = use.call("reverse", x, axis=0) if reverse else x
    operands = [sequence, w, r, *biases, builder.number(0, DType.INT64), *begun, nothing]
    length, batch = x.tensor.shape[:2]
    state: TensorType[Any] = TensorType((batch, r.tensor.shape[1]), x.dtype)
    outputs: TensorType[Any] = TensorType((length, *state.shape), x.dtype)
    function = defined(builder, use.node.operator.split(".")[1], x.dtype, cell.gates, cell.states, cell.step(x.dtype))
    type: TupleType[Any] = TupleType((outputs, *(state for _ in begun)))
    fields = use.counted(builder.named(builder.applied(function, operands, type), "layer"), len(begun) + 1)
    return [use.call("reverse", fields[0], axis=0) if reverse else fields[0], *fields[1:]]


# ------------------------------------------------------------------------------------------------------ single steps
@imports(*(f"aten.{name}_cell.default" for name in CELLS))
def single_step(use: Use) -> Value | Sequence[Value]:
    """A single step of a cell: the next state or states."""
    kind = use.node.operator.split(".")[1].removesuffix("_cell")
    states = use.tensors("hx") if kind == "lstm" else [use["hx"]]
    x, h = (
        _with_bias(use, use.call("nn.dense", value, use[f"w_{name}"]), f"b_{name}")
        for value, name in ((use["input"], "ih"), (states[0], "hh"))
    )
    if kind == "gru":
        return _gru_cell(use, x, h, states[0])
    both = use.call("add", x, h)
    if kind != "lstm":
        return use.call("tanh" if kind == "rnn_tanh" else "nn.relu", both)
    into, forget, new, out = use.counted(_gates(use, both, 4), 4)
    forget, into, out = (use.call("sigmoid", one) for one in (forget, into, out))
    kept = use.call("multiply", forget, states[1])
    c = use.call("add", kept, use.call("multiply", into, use.call("tanh", new)))
    return [use.call("multiply", out, use.call("tanh", c)), c]


def _gru_cell(use: Use, x: Value, h: Value, state: Value) -> Value:
    reset, update, new = zip(use.counted(_gates(use, x, 3), 3), use.counted(_gates(use, h, 3), 3), strict=True)
    r, z = (use.call("sigmoid", use.call("add", *pair)) for pair in (reset, update))
    n = use.call("tanh", use.call("add", new[0], use.call("multiply", r, new[1])))
    fresh = use.call("multiply", use.call("subtract", use.like(1.0, z), z), n)
    return use.call("add", fresh, use.call("multiply", z, state))


def _gates(use: Use, value: Value, count: int) -> Value:
    return use.builder.named(use.call("split", value, indices_or_sections=count, axis=1), "gates")


def _with_bias(use: Use, value: Value, name: str) -> Value:
    bias = use.optional(name)
    return value if bias is None else use.call("add", value, bias)
