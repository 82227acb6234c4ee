"""What the evaluator is measured against: the loops that anyone would write first, and ONNX's reference.

The loops sum in Python's floats, which are binary64, from left to right, as the specification has it; only the sum is
rounded to float32.  So they compute the same bits, which is asserted, and round no more often than they have to.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from gradual.tensors.tensor import Tensor

Elements = Sequence[float]


def matmul(values: Sequence[Elements], n: int) -> array[float]:
    """The product of two n x n matrices."""
    (a, b), out = values, [0.0] * (n * n)
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i * n + k] * b[k * n + j]
            out[i * n + j] = total
    return array("f", out)


def conv2d(values: Sequence[Elements], outs: int, into: int, size: int) -> array[float]:
    """The first output channels of a convolution 3 x 3 with a padding of 1, of a square image."""
    (x, w), out = values, []
    for channel in range(outs):
        for row in range(size):
            for column in range(size):
                total = 0.0
                for depth in range(into):
                    for i in range(3):
                        for j in range(3):
                            y, z = row + i - 1, column + j - 1
                            if 0 <= y < size and 0 <= z < size:
                                place = ((channel * into + depth) * 3 + i) * 3 + j
                                total += x[(depth * size + y) * size + z] * w[place]
                out.append(total)
    return array("f", out)


def layer(values: Sequence[Elements], tokens: int, width: int, heads: int) -> array[float]:
    """A transformer layer as `bench.texts.transformer` writes it, of one sample: norms before, a ReLU inside."""
    data, *params = values
    weights, inner = iter(params), 4 * width
    head = width // heads
    normal = _normalized(data, next(weights), next(weights), tokens, width)
    query, key, content = (
        _dense(normal, next(weights), next(weights), tokens, width, width) for _ in ("query", "key", "value")
    )
    mixed = array("f", data)
    for part in range(heads):
        for row in range(tokens):
            scores = []
            for column in range(tokens):
                total = 0.0
                for k in range(head):
                    total += query[row * width + part * head + k] * key[column * width + part * head + k]
                scores.append(total)
            shares = _softmax(array("f", [score * SCALE for score in array("f", scores)]))
            for k in range(head):
                total = 0.0
                for column in range(tokens):
                    total += shares[column] * content[column * width + part * head + k]
                mixed[row * width + part * head + k] = total
    rest = _added(_dense(mixed, next(weights), next(weights), tokens, width, width), data)
    normal = _normalized(rest, next(weights), next(weights), tokens, width)
    hidden = _dense(normal, next(weights), next(weights), tokens, width, inner)
    hidden = array("f", [x if x > 0.0 else 0.0 for x in hidden])
    return _added(_dense(hidden, next(weights), next(weights), tokens, inner, width), rest)


SCALE = array("f", [0.204124])[0]
"""What the scores are multiplied by in the program."""


def _dense(x: Elements, w: Elements, bias: Elements, rows: int, into: int, outs: int) -> array[float]:
    """The products with the rows of a weight, rounded, and a bias."""
    out = []
    for i in range(rows):
        for j in range(outs):
            total = 0.0
            for k in range(into):
                total += x[i * into + k] * w[j * into + k]
            out.append(total)
    rounded = array("f", out)
    return array("f", [rounded[i * outs + j] + bias[j] for i in range(rows) for j in range(outs)])


def _normalized(x: Elements, scale: Elements, shift: Elements, rows: int, width: int) -> array[float]:
    out = []
    for i in range(rows):
        mean = 0.0
        for k in range(width):
            mean += x[i * width + k]
        mean /= width
        variance = 0.0
        for k in range(width):
            variance += (x[i * width + k] - mean) * (x[i * width + k] - mean)
        factor = 1.0 / math.sqrt(variance / width + 1e-5)
        for k in range(width):
            out.append((x[i * width + k] - mean) * factor * scale[k] + shift[k])
    return array("f", out)


def _softmax(scores: Elements) -> array[float]:
    high, total, powers = max(scores), 0.0, []
    for score in scores:
        powers.append(math.exp(score - high))
        total += powers[-1]
    return array("f", [power / total for power in powers])


def _added(left: Elements, right: Elements) -> array[float]:
    return array("f", [left[i] + right[i] for i in range(len(left))])


def onnx_reference(operator: str, operands: Sequence[Tensor], **attributes: Any) -> Callable[[], object] | None:
    """One operator under `onnx.reference`, which computes with NumPy, on one core; None where onnx is not installed."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        import numpy
        from onnx import TensorProto, helper
        from onnx.reference import ReferenceEvaluator
    except ImportError:
        return None
    names = [f"x{place}" for place in range(len(operands))]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, operand.shape)
        for name, operand in zip(names, operands, strict=True)
    ]
    result = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph([helper.make_node(operator, names, ["y"], **attributes)], operator, inputs, result)
    arrays = [numpy.asarray(operand.elements).reshape(operand.shape) for operand in operands]
    session, feeds = ReferenceEvaluator(helper.make_model(graph)), dict(zip(names, arrays, strict=True))
    return lambda: session.run(None, feeds)
