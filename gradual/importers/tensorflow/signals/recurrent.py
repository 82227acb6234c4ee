"""Recurrent cells as single operators, and a layer of them.

They follow `tensorflow/core/kernels/rnn/lstm_ops.h` and `gru_ops.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term, between, numbered, sigmoid, tanh, where
from gradual.importers.common.composed.scanning import scanned
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.record import record
from gradual.types.dtype import DType

GATES = ("i", "cs", "f", "o", "ci", "co", "h")
"""The results of a step of an LSTM; the second and the last are its new states."""


@record
class _Weights:
    """The weights of an LSTM; the three peephole weights are vectors with a number for each unit."""

    matrix: Value
    peepholes: Sequence[Value]
    bias: Value


def _gates(use: Use, parts: Sequence[Value], matrix: Value, bias: Value, count: int) -> list[Term]:
    """The products of joined inputs and a matrix, with a bias, in equal parts."""
    joined = use.call("concatenate", use.builder.tuple(parts), axis=1)
    sums = use.call("add", *use.agreeing(use.call("nn.matmul", joined, matrix), 1, bias, 0))
    found = use.call("split", sums, indices_or_sections=count, axis=1)
    return [Term(use, one) for one in use.counted(use.builder.named(found, "gates"), count)]


def _stepped(use: Use, x: Value, states: Sequence[Value], weights: _Weights) -> list[Value]:
    """One step of an LSTM, from its previous cell state and previous output."""
    memory, before = use.alike(*states)
    is_second = use.node.operator.endswith("V2")
    first, second, third, out = _gates(use, [x, before], weights.matrix, weights.bias, 4)
    new, forget = (third, second) if is_second else (second, third)
    forget = forget if is_second else forget + use.real("forget_bias", 1.0)
    old = Term(use, memory)
    ways = [Term(use, one) for one in weights.peepholes] if use.flag("use_peephole") else []
    enter = sigmoid(first + old * ways[0] if ways else first)
    kept = sigmoid(forget + old * ways[1] if ways else forget)
    candidate = tanh(new)
    state = candidate * enter + old * kept
    clip = use.real("cell_clip", 0.0 if is_second else 3.0)
    state = between(state, -clip, clip) if clip > 0 else state
    leave = sigmoid(out + state * ways[2] if ways else out)
    shown = tanh(state)
    return [one.value for one in (enter, state, kept, leave, candidate, shown, leave * shown)]


@imports("LSTMBlockCell", results=GATES)
def cell(use: Use) -> Sequence[Value]:
    """One step of an LSTM."""
    weights = _Weights(use.ranked(3, 2), use.tensors(4, 7), use.ranked(7, 1))
    return _stepped(use, use.ranked(0, 2), [use.ranked(1, 2), use.ranked(2, 2)], weights)


@imports("BlockLSTM", "BlockLSTMV2", results=GATES)
def layer(use: Use) -> Sequence[Value]:
    """An LSTM over the first axis; the results from a given step on are zeros."""
    x, states = use.ranked(1, 3), [use.ranked(2, 2), use.ranked(3, 2)]
    weights = _Weights(use.ranked(4, 2), use.tensors(5, 8), use.ranked(8, 1))

    def turn(kept: list[Value], at: list[Value]) -> list[Value]:
        made = _stepped(use, at[0], kept, weights)
        return [made[1], made[6], *made]

    found = scanned(use, use.node.name, states, [x], turn)[2:]
    steps = numbered(use, use.written_size(use.extent(x, 0)))
    is_run = steps < Term(use, use.as_type(use.ranked(0, 0), DType.INT64))
    mask = Term(use, use.call("expand_dims", is_run.value, axis=1, num_newaxis=2))
    return [where(mask, Term(use, one), 0.0).value for one in found]


@imports("GRUBlockCell", results=("r", "u", "c", "h"))
def gated_cell(use: Use) -> Sequence[Value]:
    """One step of a GRU."""
    x, before = use.ranked(0, 2), use.ranked(1, 2)
    reset, update = map(sigmoid, _gates(use, [x, before], use.ranked(2, 2), use.ranked(4, 1), 2))
    old = Term(use, before)
    (new,) = map(tanh, _gates(use, [x, (old * reset).value], use.ranked(3, 2), use.ranked(5, 1), 1))
    return [one.value for one in (reset, update, new, update * old + (1.0 - update) * new)]
