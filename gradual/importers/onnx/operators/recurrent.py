"""Recurrent layers, as a recursive function of the program that steps over the sequence.

A step is computed as ONNX specifies it for LSTM, GRU and RNN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradual.dims.term.dim import constant
from gradual.importers.common.recurrence import SUMS, defined
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports
from gradual.record import record
from gradual.syntax.tree.literals import written
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType

LSTM_STEP = """\
    let %gates = split({clipped}, indices_or_sections=4, axis=1);
    let %input = {f_input};
    let %forget = {f_forget};
    let %c1 = add(multiply(%forget, %c), multiply(%input, {g}));
    let %output = {f_output};
    let %h1 = multiply(%output, {h});"""

GRU_STEP = """\
    let %from_x = split(add(nn.dense(%xt, %w), %wb), indices_or_sections=3, axis=1);
    let %from_h = split(add(nn.dense(%h, %r), %rb), indices_or_sections=3, axis=1);
    let %update = {update};
    let %reset = {reset};
    let %new = {new};
    let %h1 = add(multiply(subtract({one}, %update), %new), multiply(%update, %h));"""

RNN_STEP = """\
    let %h1 = {f};"""

ACTIVATIONS = {"sigmoid": "sigmoid({})", "tanh": "tanh({})", "relu": "nn.relu({})", "identity": "{}"}

Applied = Callable[[str], str]


@record(slots=False)
class _Cell:
    """A kind of recurrent layer.

    Attributes:
        gates: how many gates a step computes, each by a product with the input.
        states: the names of the layer's states.
        usual: the layer's default activations.
    """

    gates: int
    states: tuple[str, ...]
    usual: tuple[str, ...]


CELLS = {
    "LSTM": _Cell(4, ("h", "c"), ("Sigmoid", "Tanh", "Tanh")),
    "GRU": _Cell(3, ("h",), ("Sigmoid", "Tanh")),
    "RNN": _Cell(1, ("h",), ("Tanh",)),
}


@imports(*CELLS)
def recurrent(use: Use) -> list[Value]:
    """A layer that runs forward, in reverse, or in both directions: all outputs, and the last states."""
    cell = CELLS[use.node.operator]
    directions = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[
        use.only("direction", "forward", "reverse", "bidirectional")
    ]
    if not use[0].dtype.is_float:
        raise Unsupported(f"elements of type {use[0].dtype}")
    batch_first = use.attribute("layout", 0)
    x = use.call("transpose", use[0], axes=[1, 0, 2]) if batch_first else use[0]
    lengths = _lengths(use, x)
    runs = [_run(use, cell, x, lengths, index, reverse) for index, reverse in enumerate(directions)]
    outputs, *states = ([run[at] for run in runs] for at in range(len(cell.states) + 1))
    whole = use.call("stack", use.builder.tuple(outputs), axis=2 if batch_first else 1)
    if batch_first:
        whole = use.call("transpose", whole, axes=[1, 0, 2, 3])
    return [whole, *(use.call("stack", use.builder.tuple(parts), axis=int(batch_first)) for parts in states)]


def _lengths(use: Use, x: Value) -> Value | None:
    """The length of each sequence of a batch; None if every sequence has the length of the axis."""
    given = use.optional(4)
    if given is None or (given.elements is not None and set(given.numbers("lengths")) == {x.extent(0)}):
        return None
    lengths = use.exactly(use.call("cast", given, dtype=DType.INT64), 0, use.written_size(use.extent(x, 1)))
    some = use.call("greater_equal", lengths, use.like(0, lengths))
    most = use.call("less_equal", lengths, use.extent(x, 0))
    within = use.call("all", use.call("logical_and", some, most))
    return use.demanded(lengths, within, "a length is negative or longer than the axis")


def _run(use: Use, cell: _Cell, x: Value, lengths: Value | None, index: int, reverse: bool) -> list[Value]:
    """Run one direction: the outputs of all steps, and the last states."""
    builder = use.builder
    w, r = _direction(use, 1, index), _direction(use, 2, index)
    hidden: int | None = use.attribute("hidden_size", r.extent(1))
    if hidden is None or r.extent(1) not in (None, hidden):
        raise Unsupported("a hidden size that is not known here")
    r = use.exactly(r, 1, hidden)
    biases = _biases(use, cell, index, hidden)
    peepholes = [_direction(use, 7, index)] if use.optional(7) is not None else []
    begun = [_initial(use, x, 5 + at, index, hidden) for at in range(len(cell.states))]
    nothing = use.call("strided_slice", use.call("expand_dims", begun[0], axis=0), begin=[0], end=[0], axes=[0])
    sequence = _reversed(use, x, lengths) if reverse else x
    start = builder.number(0, DType.INT64)
    besides = [*peepholes, *([] if lengths is None else [lengths])]
    operands = [sequence, w, r, *biases, *besides, start, *begun, nothing]
    length, batch = x.tensor.shape[:2]
    state: TensorType[Any] = TensorType((batch, constant(hidden)), x.dtype)
    outputs: TensorType[Any] = TensorType((length, batch, constant(hidden)), x.dtype)
    type: TupleType[Any] = TupleType((outputs, *(state for _ in begun)))
    function = _function(use, cell, x.dtype, index, lengths is not None)
    fields = use.counted(builder.applied(function, operands, type), len(begun) + 1)
    states = fields[1:] if lengths is None else [_of_some(use, one, lengths) for one in fields[1:]]
    return [_reversed(use, fields[0], lengths) if reverse else fields[0], *states]


def _of_some(use: Use, state: Value, lengths: Value) -> Value:
    """The last state of each sequence; 0 for an empty sequence, as in ONNX Runtime."""
    some = use.call("expand_dims", use.call("greater", lengths, use.like(0, lengths)), axis=1)
    return use.call("where", some, state, use.like(0.0, state))


def _reversed(use: Use, x: Value, lengths: Value | None) -> Value:
    """Each sequence in reverse order."""
    if lengths is None:
        return use.call("reverse", x, axis=0)
    return use.call("reverse_sequence", x, lengths, seq_axis=0, batch_axis=1)


def _direction(use: Use, input: int, index: int) -> Value:
    """The part of an input for one direction."""
    return use.call("take", use[input], use.builder.number(index, DType.INT64), axis=0, mode="fast")


def _biases(use: Use, cell: _Cell, index: int, hidden: int) -> list[Value]:
    size = cell.gates * hidden
    if use.optional(3) is None:
        return [use.call("zeros", shape=[size], dtype=use[0].dtype)] * 2
    both = _direction(use, 3, index)
    return [use.call("strided_slice", both, begin=[low], end=[low + size]) for low in (0, size)]


def _initial(use: Use, x: Value, input: int, index: int, hidden: int) -> Value:
    """The initial value of a state."""
    given = use.optional(input)
    if given is None:
        sizes = [use.extent(x, 1), use.builder.number(hidden, DType.INT64)]
        return use.call("dyn.zeros", use.call("stack", use.builder.tuple(sizes), axis=0), dtype=x.dtype)
    number = use.builder.number(index, DType.INT64)
    return use.call("take", given, number, axis=1 if use.attribute("layout", 0) else 0, mode="fast")


# ---------------------------------------------------------------------------------------------------- the function
def _function(use: Use, cell: _Cell, dtype: DType, index: int, has_lengths: bool) -> str:
    """The name of the recursive function, which is defined once for each variant of the layer."""
    kind = use.node.operator
    f = _activations(use, cell, index)
    peepholes = kind == "LSTM" and use.optional(7) is not None
    limit = use.attribute("clip")

    def clipped(sum: str) -> str:
        return sum if limit is None else f"clip({sum}, a_min={-limit!r}, a_max={limit!r})"

    step = {"LSTM": _lstm, "GRU": _gru, "RNN": _rnn}[kind](use, f, clipped)
    return defined(use.builder, kind.lower(), dtype, cell.gates, cell.states, step, peepholes, has_lengths)


def _activations(use: Use, cell: _Cell, index: int) -> list[Applied]:
    names: Sequence[str] = use.attribute("activations") or cell.usual * 2
    count = len(cell.usual)
    if use.attribute("activation_alpha") or use.attribute("activation_beta"):
        raise Unsupported("activations with parameters")
    chosen = [name.lower() for name in names[index * count : (index + 1) * count]]
    unknown = next((name for name in chosen if name not in ACTIVATIONS), None)
    if unknown is not None or len(chosen) < count:
        raise Unsupported(f"activations {', '.join(names)}")
    return [ACTIVATIONS[name].format for name in chosen]


def _lstm(use: Use, activations: Sequence[Applied], clipped: Applied) -> str:
    if use.attribute("input_forget", 0):
        raise Unsupported("input_forget=1")
    f, g, h = activations
    seen = use.optional(7) is not None
    limit = use.attribute("clip")
    if seen and limit is not None:
        raise Unsupported("clip with peepholes")

    def gate(number: int, peephole: int, cell: str) -> str:
        part = f"%gates.{number}"
        if not seen:
            return f(part)
        return f(f"add({part}, multiply(split(%p, indices_or_sections=3).{peephole}, {cell}))")

    return LSTM_STEP.format(
        clipped=clipped(SUMS),
        f_input=gate(0, 0, "%c"),
        f_forget=gate(2, 2, "%c"),
        f_output=gate(1, 1, "%c1"),
        g=g("%gates.3"),
        h=h("%c1"),
    )


def _gru(use: Use, activations: Sequence[Applied], clipped: Applied) -> str:
    f, g = activations
    if use.attribute("linear_before_reset", 0):
        candidate = "add(%from_x.2, multiply(%reset, %from_h.2))"
    else:
        part = "split({}, indices_or_sections=3, axis=0).2"
        again = f"add(nn.dense(multiply(%reset, %h), {part.format('%r')}), {part.format('%rb')})"
        candidate = f"add(%from_x.2, {again})"
    return GRU_STEP.format(
        update=f(clipped("add(%from_x.0, %from_h.0)")),
        reset=f(clipped("add(%from_x.1, %from_h.1)")),
        new=g(clipped(candidate)),
        one=written(1.0, use[0].dtype, True),
    )


def _rnn(use: Use, activations: Sequence[Applied], clipped: Applied) -> str:
    del use
    return RNN_STEP.format(f=activations[0](clipped(SUMS)))
