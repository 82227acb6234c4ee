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
        imported = program(model_of(made), [where] if where else ())
        compilation = gradual.check(imported.text)
        assert compilation.ok, compilation.diagnostics
        return cls(compilation, imported)

    @property
    def signature(self) -> str:
        return signature(self.compilation)

    def given(self, *arguments: Any) -> Any:
        """What the program gives."""
        (found,) = self.fields(*arguments)
        return found

    def fields(self, *arguments: Any) -> list[Any]:
        """What it gives, several results one by one."""
        found = self.compilation.run("@main", *map(tensor, arguments), *self.imported.weights.values())
        return list(map(array, found if isinstance(found, tuple) else (found,)))


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
    made = node("GlobalLpPool", "x", "y", p=p)
    found = given(model([made], [port("x", ["n", 3, "w"])], [port("y", None)]), x)
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


# ----------------------------------------------------------------------------------------------------------- spectra
def transform(*others: str, constants: Any = None, **attributes: Any) -> Any:
    made = node("DFT", " ".join(["x", *others]), "y", **attributes)
    return model([made], [port("x", ["b", "n", 1])], [port("y", None)], {"a": np.array(1), **(constants or {})})


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_transform_along_an_open_axis(size: int) -> None:
    made = transform("-", "a")
    assert signature(compiled(made)[0]).endswith("-> Tensor[(b, n, 2), float32]")
    agrees(made, ones(2, size, 1))
    half = Ran.of(transform("-", "a", onesided=1))
    assert half.signature.endswith("-> Tensor[(b, n // 2 + 1, 2), float32]")
    wanted = np.fft.rfft(ones(2, size), axis=1)
    assert np.allclose(half.given(ones(2, size, 1)), np.stack([wanted.real, wanted.imag], axis=2), atol=1e-5)


def test_a_length_of_a_transform_cuts_or_fills_the_axis() -> None:
    for length in (2, 4, 6):
        agrees(transform("l", "a", constants={"l": np.array(length)}), ones(2, 4, 1))


def test_half_of_the_frequencies_give_the_numbers_back() -> None:
    x = np.sin(ones(2, 6, 1))
    there = node("DFT", "x - a", "f", onesided=1)
    back = node("DFT", "f - a", "y", onesided=1, inverse=1)
    made = model([there, back], [port("x", ["b", 6, 1])], [port("y", None)], {"a": np.array(1)}, opset=20)
    assert np.allclose(given(made, x), x, atol=1e-6)


def test_frames_of_a_signal_are_weighted_and_transformed() -> None:
    constants = {"s": np.array(2), "w": np.float32([0.5, 1, 1, 0.5])}
    made = model([node("STFT", "x s w", "y")], [port("x", [1, "n", 1])], [port("y", None)], constants)
    ran = Ran.of(made, "n >= 4")
    assert ran.signature.endswith("-> Tensor[(1, n // 2 - 1, 3, 2), float32]")
    x = np.sin(ones(1, 9, 1))
    frames = np.stack([x[0, at : at + 4, 0] for at in (0, 2, 4)]) * constants["w"]
    wanted = np.fft.rfft(frames, axis=1)
    assert np.allclose(ran.given(x), np.stack([wanted.real, wanted.imag], axis=2)[None], atol=1e-6)


# ---------------------------------------------------------------------------------------------- columns and matrices
def test_columns_of_windows_are_added_up_in_an_image() -> None:
    sizes = {"s": np.array([5, 4]), "k": np.array([2, 2])}
    made = model([node("Col2Im", "x s k", "y", strides=[2, 1])], [port("x", ["n", 8, 6])], [port("y", None)], sizes)
    assert signature(agrees(made, ones(1, 8, 6))).endswith("-> Tensor[(n, 2, 5, 4), float32]")


def test_a_deformed_convolution_without_moves_is_a_convolution() -> None:
    ports = [port("x", [1, 2, "h", "w"]), port("o", [1, 8, "h - 1", "w - 1"])]
    weight = ones(3, 2, 2, 2)
    x, still = ones(1, 2, 4, 5), np.zeros((1, 8, 3, 4), np.float32)
    made = model([node("DeformConv", "x k o", "y")], ports, [port("y", None)], {"k": weight}, opset=22)
    plain = model([node("Conv", "x k", "y")], ports[:1], [port("y", None)], {"k": weight})
    assert np.allclose(Ran.of(made).given(x, still), Ran.of(plain, "h >= 2, w >= 2").given(x), rtol=1e-4)


@pytest.mark.parametrize("size", [0, 1, 2, 4])
def test_a_determinant_is_numpys(size: int) -> None:
    made = model([node("Det", "x", "y")], [port("x", ["b", "c", "n", "n"])], [port("y", None)], opset=22)
    x = np.cos(ones(2, 3, size, size) * 7)
    assert np.allclose(given(made, x), np.linalg.det(x), atol=1e-5)
    singular = np.zeros((1, 1, 3, 3), np.float32)
    assert given(made, singular).tolist() == [[0.0]]


def test_a_matrix_of_a_determinant_is_square() -> None:
    made = model([node("Det", "x", "y")], [port("x", ["n", "m"])], [port("y", None)], opset=22)
    assert not gradual.check(program(model_of(made)).text).ok


# ---------------------------------------------------------------------------------------------------- batches, slices
def test_batch_normalization_by_the_data_itself() -> None:
    nodes = [node("BatchNormalization", "x s b m v", "y rm rv", training_mode=1, momentum=0.25)]
    ports = [port("x", ["n", 2, "w"]), *(port(name, [2]) for name in "sbmv")]
    made = model(nodes, ports, [port(name, None) for name in ("y", "rm", "rv")])
    compilation = agrees(made, ones(2, 2, 3), *(np.float32([one, 2]) for one in range(1, 5)))
    assert signature(compilation).endswith(
        "-> (Tensor[(n, 2, w), float32], Tensor[(2,), float32], Tensor[(2,), float32])"
    )


@pytest.mark.parametrize("is_sorted", [0, 1])
def test_slices_are_told_apart_by_their_first_difference(is_sorted: int) -> None:
    x = np.float32([[2, 1], [0, 3], [2, 1], [0, 2]])
    outputs = [port(name, None) for name in "yijc"]
    made = model([node("Unique", "x", "y i j c", axis=0, sorted=is_sorted)], [port("x", ["n", 2])], outputs)
    assert [one.tolist() for one in Ran.of(made).fields(x)] == (
        [[[0, 2], [0, 3], [2, 1]], [3, 1, 0], [2, 1, 2, 0], [1, 1, 2]]
        if is_sorted
        else [[[2, 1], [0, 3], [0, 2]], [0, 1, 3], [0, 1, 0, 2], [2, 1, 1]]
    )


def test_a_cache_is_written_from_the_place_of_each_sample_on() -> None:
    ports = [port("c", ["b", 4, 1]), port("u", ["b", "k", 1]), port("w", ["b"], "int64")]
    made = model([node("TensorScatter", "c u w", "y", mode="circular")], ports, [port("y", None)], opset=24)
    cache, update = np.zeros((2, 4, 1), np.float32), ones(2, 2, 1) + 1
    found = Ran.of(made).given(cache, update, np.array([3, 1]))
    assert found[:, :, 0].tolist() == [[2, 0, 0, 1], [0, 3, 4, 0]]
