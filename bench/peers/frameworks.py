"""The networks of `bench/texts.py` as programs of JAX and PyTorch, run on shapes alone.

JAX infers the shapes of a function (`jax.eval_shape`) with named sizes; PyTorch runs a program on fake tensors, which
have numbers as sizes.  Each framework is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

CHANNELS, SIDE, WIDTH, HEADS = 64, 56, 96, 4
BATCH, LENGTH = 2, 128
"""The sizes of the tokens where they have to be numbers."""


def torch_cnn(operators: int) -> object:
    """The residual network on fake tensors."""
    torch = import_module("torch")
    functional = torch.nn.functional

    def network(made: Callable[..., Any]) -> Any:
        value = made(1, CHANNELS, SIDE, SIDE)
        for _ in range(-(-operators // 10)):
            shortcut = value
            gamma, beta, mean, variance = (made(CHANNELS) for _ in range(4))
            value = functional.batch_norm(value, mean, variance, gamma, beta, eps=2e-05)
            for _ in range(2):
                value = functional.conv2d(value, made(CHANNELS, CHANNELS, 3, 3), padding=1)
                value = functional.relu(value + made(CHANNELS, 1, 1))
            value = functional.max_pool2d(value, 3, stride=1, padding=1)
            value = functional.relu(value + shortcut)
        return value

    return _faked(network)


def torch_transformer(layers: int) -> object:
    """The encoder on fake tensors."""
    torch = import_module("torch")
    functional = torch.nn.functional

    def dense(made: Callable[..., Any], value: Any, out: int) -> Any:
        return functional.linear(value, made(out, value.shape[-1]), made(out))

    def normal(made: Callable[..., Any], value: Any) -> Any:
        return functional.layer_norm(value, (WIDTH,), made(WIDTH), made(WIDTH))

    def network(made: Callable[..., Any]) -> Any:
        value = made(BATCH, LENGTH, WIDTH)
        for _ in range(layers):
            inner = normal(made, value)
            query, key, content = (
                dense(made, inner, WIDTH).reshape(BATCH, LENGTH, HEADS, -1).transpose(1, 2) for _ in range(3)
            )
            weights = torch.softmax(query @ key.transpose(2, 3) * 0.204124, -1)
            mixed = (weights @ content).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
            value = dense(made, mixed, WIDTH) + value
            value = dense(made, torch.relu(dense(made, normal(made, value), 4 * WIDTH)), WIDTH) + value
        return value

    return _faked(network)


def _faked(network: Callable[[Callable[..., Any]], Any]) -> object:
    torch = import_module("torch")
    with import_module("torch._subclasses").FakeTensorMode(), torch.no_grad():
        return network(torch.empty)


def jax_cnn(operators: int) -> object:
    """The residual network on shapes."""
    jax = import_module("jax")
    numpy, units = jax.numpy, -(-operators // 10)

    def network(value: Any, parameters: Any) -> Any:
        for norm, halves in parameters:
            shortcut = value
            gamma, beta, mean, variance = (part[:, None, None] for part in norm)
            value = (value - mean) * gamma / numpy.sqrt(variance + 2e-05) + beta
            for kernel, bias in halves:
                value = jax.lax.conv_general_dilated(value, kernel, (1, 1), "SAME")
                value = numpy.maximum(value + bias, 0)
            window, strides = (1, 1, 3, 3), (1, 1, 1, 1)
            value = jax.lax.reduce_window(value, -numpy.inf, jax.lax.max, window, strides, "SAME")
            value = numpy.maximum(value + shortcut, 0)
        return value

    half = _shape(CHANNELS, CHANNELS, 3, 3), _shape(CHANNELS, 1, 1)
    parameters = [([_shape(CHANNELS)] * 4, [half] * 2)] * units
    return jax.eval_shape(network, _shape(1, CHANNELS, SIDE, SIDE), parameters)


def jax_transformer(layers: int) -> object:
    """The encoder on shapes with a named batch and length."""
    jax = import_module("jax")
    numpy = jax.numpy

    def normal(value: Any, scale: Any, shift: Any) -> Any:
        mean, variance = value.mean(-1, keepdims=True), value.var(-1, keepdims=True)
        return (value - mean) / numpy.sqrt(variance + 1e-05) * scale + shift

    def network(value: Any, parameters: Any) -> Any:
        batch, length, _ = value.shape
        for norms, (query, key, content, out, up, down) in parameters:
            inner = normal(value, *norms[0])
            parts = [inner @ weight + bias for weight, bias in (query, key, content)]
            first, second, third = (part.reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3) for part in parts)
            weights = jax.nn.softmax(first @ second.transpose(0, 1, 3, 2) * 0.204124)
            mixed = (weights @ third).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH)
            value = mixed @ out[0] + out[1] + value
            hidden = numpy.maximum(normal(value, *norms[1]) @ up[0] + up[1], 0)
            value = hidden @ down[0] + down[1] + value
        return value

    norms = [[_shape(WIDTH)] * 2] * 2
    widths = [(WIDTH, WIDTH)] * 4 + [(WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
    parameters = [(norms, [(_shape(*pair), _shape(pair[1])) for pair in widths])] * layers
    batch, length = import_module("jax.export").symbolic_shape("b, s")
    return jax.eval_shape(network, _shape(batch, length, WIDTH), parameters)


def _shape(*sizes: Any) -> Any:
    jax = import_module("jax")
    return jax.ShapeDtypeStruct(sizes, jax.numpy.float32)


PROGRAMS: dict[tuple[str, str], Callable[[int], object]] = {
    ("torch", "cnn"): torch_cnn,
    ("torch", "transformer"): torch_transformer,
    ("jax", "cnn"): jax_cnn,
    ("jax", "transformer"): jax_transformer,
}
"""Framework and network -> a function that infers the shapes of a network of some size."""
