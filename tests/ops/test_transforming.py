"""Fourier transforms against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, compares, examples, judges, means, refusal

many = examples(100)
UNITS = {DType.FLOAT16: 2e-3, DType.BFLOAT16: 0.016, DType.FLOAT32: 1e-6, DType.FLOAT64: 1e-12}


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def assert_near(found: Tensor, expected: Any) -> None:
    """Within a few roundings of the greatest sum."""
    assert found.shape == expected.shape
    unit = UNITS[found.dtype]
    np.testing.assert_allclose(array_of(found).astype(float), expected, rtol=unit, atol=16 * unit)


@many
@given(data=st.data())
@compares("dft")
def test_dft_is_numpys_fft(data: st.DataObject) -> None:
    application, found = applications("dft", data)
    real, imaginary = (array_of(part).astype(float) for part in application.arguments)
    transform = np.fft.ifft if application.attributes.get("inverse") else np.fft.fft
    expected = transform(real + 1j * imaginary) if real.shape[-1] else real + 1j * imaginary
    for ours, theirs in zip(found, (expected.real, expected.imag), strict=True):
        assert_near(ours, theirs)


@many
@given(data=st.data())
@compares("stft")
def test_stft_is_numpys_fft_of_each_frame(data: st.DataObject) -> None:
    application, found = applications("stft", data)
    signal, weights = (array_of(part).astype(float) for part in application.arguments)
    attributes = application.attributes
    frame, step = attributes["n_fft"], attributes.get("hop_length", attributes["n_fft"] // 4)
    window = np.zeros(frame)
    before = (frame - weights.size) // 2
    window[before : before + weights.size] = weights
    frames = np.lib.stride_tricks.sliding_window_view(signal, frame, -1)[..., ::step, :] * window
    expected = (np.fft.rfft if attributes["onesided"] else np.fft.fft)(frames)
    expected = expected / (np.sqrt(frame) if attributes["normalized"] else 1.0)
    turned = np.swapaxes(expected, -1, -2)
    assert_near(found, np.stack([turned.real, turned.imag], -1))


def test_each_frame_is_weighted_by_the_window() -> None:
    data, window = Tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Tensor([4.0, 3.0, 2.0])
    found = means("stft", data, window, n_fft=3, hop_length=3)
    assert [pair[0] for pair in found.tolist()[0]] == [4 * 1 + 3 * 2 + 2 * 3, 4 * 4 + 3 * 5 + 2 * 6]


def test_parts_have_one_shape() -> None:
    assert goals(judges("dft", of("n", 3), of("m", 5))) == [("op.dft.agree", "n == m"), ("op.dft.agree", "False")]


def test_a_window_and_a_frame_fit() -> None:
    judgement = judges("stft", of("b", "n"), of("w"), n_fft=8, win_length=variable("k"))
    result: Any = judgement.result
    assert list(map(str, result.shape)) == ["b", "5", "n // 2 - 3", "2"]
    assert goals(judgement) == [
        ("op.window.fits", "n >= 8"),
        ("op.stft.window", "w == k"),
        ("op.stft.window", "w <= 8"),
    ]
    open_ = judges("stft", of("n"), of("w"), n_fft=variable("f"), onesided=False)
    assert [goal for _, goal in goals(open_)] == ["f >= 1", "f // 4 >= 1", "f <= n", "w == f", "w <= f"]


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("dft", (of(), of()), {}, "op.rank"),
        ("dft", (of(3), of(3, 3)), {}, "op.rank"),
        ("dft", (of(3), of(3, dtype=DType.FLOAT64)), {}, "op.dtype"),
        ("dft", (of(3, dtype=DType.INT32), of(3, dtype=DType.INT32)), {}, "op.dtype"),
        ("stft", (of(2, 2, 2), of(1)), {"n_fft": 1, "hop_length": 1}, "op.rank"),
        ("stft", (of(8), of(4)), {"n_fft": 3}, "op.attribute"),
        ("stft", (of(8), of(4)), {"n_fft": 4, "hop_length": 0}, "op.attribute"),
        ("stft", (of(8), of(4)), {}, "op.attribute"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
