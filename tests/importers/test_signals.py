"""Images and sounds: pools, other sizes, spectra, columns of windows; their sizes open, and runs as ONNX has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gradual
from gradual.importers.common.text import Program
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from tests.importers.models import agrees, array, compiled, given, model, node, ones, port, signature, stops
from tests.importers.node_tests import tensor

IMAGE = ["n", 1, "h", "w"]


def image(operator: str, *others: str, constants: Any = None, opset: int = 21, **attributes: Any) -> Any:
    made = node(operator, " ".join(["x", *others]), "y", **attributes)
    return model([made], [port("x", IMAGE)], [port("y", None)], constants, opset)


@dataclass(frozen=True)
class Ran:
    """A model whose sizes are at least 1 and satisfy a condition, as a program."""

    compilation: gradual.Compilation
    imported: Program

    @classmethod
    def of(cls, made: Any, where: str = "") -> Ran:
        """The program of a model, which has to be accepted."""
        imported = program(model_of(made), where or None)
        compilation = gradual.check(imported.text)
        assert compilation.ok, compilation.diagnostics
        return cls(compilation, imported)

    @property
    def signature(self) -> str:
        return signature(self.compilation)

    def given(self, *arguments: Any) -> Any:
        """What the program gives."""
        return array(self.compilation.run("@main", *map(tensor, arguments), *self.imported.weights.values()))


# -------------------------------------------------------------------------------------------------------- padding
@pytest.mark.parametrize("automatic", ["SAME_UPPER", "SAME_LOWER"])
def test_a_padding_of_open_axes_leaves_a_window_for_each_stride(automatic: str) -> None:
    settings = {"strides": [2, 2], "auto_pad": automatic}
    models = [image(operator, **settings, kernel_shape=[3, 2]) for operator in ("MaxPool", "AveragePool")]
    models.append(image("Conv", "k", constants={"k": np.ones((1, 1, 3, 2), np.float32)}, **settings))
    for made in models:
        ran = Ran.of(made)
        assert ran.signature.endswith("-> Tensor[(n, 1, (h + 1) // 2, (w + 1) // 2), float32]")
        assert ran.compilation.checks == ()
        for height, width in ((1, 1), (4, 5), (7, 6)):
            made.graph.input[0].CopyFrom(port("x", [1, 1, height, width]))
            x = ones(1, 1, height, width)
            assert np.array_equal(ran.given(x), Ran.of(made).given(x))


def test_a_kernel_may_be_an_input_of_any_size() -> None:
    made = model([node("Conv", "x k", "y")], [port("x", IMAGE), port("k", [2, 1, "a", "b"])], [port("y", None)])
    x, k = ones(1, 1, 4, 5), ones(2, 1, 2, 3)
    found = Ran.of(made, "a <= h, b <= w").given(x, k)
    assert np.array_equal(found, Ran.of(image("Conv", "k", constants={"k": k}), "h >= 2, w >= 3").given(x))


def test_a_window_that_begins_behind_the_data_is_left_out() -> None:
    made = image("MaxPool", kernel_shape=[2, 2], strides=[3, 3], pads=[1, 1, 1, 1], ceil_mode=1)
    for size in range(1, 8):
        found = given(made, ones(1, 1, size, size))
        assert found.shape[2] == (size + 2 - 2 + 2) // 3 + 1 - ((size + 2 - 2 + 2) // 3 * 3 >= size + 1)


def test_where_the_greatest_elements_are_undoes_a_pool() -> None:
    pool = node("MaxPool", "x", "p i", kernel_shape=[2, 2], strides=[2, 2])
    back = node("MaxUnpool", "p i", "y", kernel_shape=[2, 2], strides=[2, 2])
    made = model([pool, back], [port("x", [2, 2, 4, 6])], [port("y", None)])
    x = ones(2, 2, 4, 6)
    found = given(made, x)
    assert np.array_equal(found, np.where((np.arange(4) % 2 == 1)[:, None] & (np.arange(6) % 2 == 1), x, 0))


@pytest.mark.parametrize("p", [1, 2, 3])
def test_a_global_norm_is_numpys(p: int) -> None:
    x = ones(2, 3, 4) - 5
    found = given(model([node("GlobalLpPool", "x", "y", p=p)], [port("x", ["n", 3, "w"])], [port("y", None)]), x)
    assert np.allclose(found, np.linalg.norm(x, ord=p, axis=2, keepdims=True))


# ------------------------------------------------------------------------------------------------------- other sizes
def resized(scales: Any = None, **settings: Any) -> Any:
    made = node("Resize", "x - s", "y", **settings)
    ports = [port("x", IMAGE)] if scales is not None else [port("x", IMAGE), port("s", [4])]
    return model([made], ports, [port("y", None)], {} if scales is None else {"s": np.float32(scales)})


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("place", ["half_pixel", "asymmetric", "half_pixel_symmetric"])
def test_factors_that_leave_a_rest(mode: str, place: str) -> None:
    made = resized([1, 1, 1.5, 0.75], mode=mode, coordinate_transformation_mode=place)
    compilation, _ = compiled(made)
    assert signature(compilation).endswith("-> Tensor[(n, 1, h + h // 2, 3 * w // 4), float32]")
    for height, width in ((2, 4), (3, 5)):
        agrees(made, ones(1, 1, height, width))


def test_factors_may_be_computed_when_the_model_runs() -> None:
    made = resized(mode="linear")
    x, scales = ones(1, 1, 3, 4), np.float32([1, 1, 0.7, 2])
    agrees(made, x, scales)
    stops(made, x, np.float32([1, 1, 0, 2]), says="a factor is not greater than 0")
