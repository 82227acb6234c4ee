"""Recurrent layers over sequences of different lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.importers.models import compiled, given, model, node, ones, port, stops


def layer(direction: str) -> Any:
    """A plain layer whose state is the sum of what it has met."""
    weights = {
        "w": np.ones((1, 2, 2), np.float32) * np.eye(2, dtype=np.float32),
        "r": np.eye(2, dtype=np.float32)[None],
    }
    made = node("RNN", "x w r - n", "y h", hidden_size=2, activations=["Identity"], direction=direction)
    ports = [port("x", ["t", "b", 2]), port("n", ["b"], "int64")]
    cast = node("Cast", "n", "n32", to=6)
    made.input[4] = "n32"
    return model([cast, made], ports, [port("y", None), port("h", None)], weights)


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_outputs_behind_the_end_of_a_sequence_are_zero(direction: str) -> None:
    x, lengths = ones(3, 4, 2) + 1, np.array([3, 1, 0, 2])
    y, h = given(layer(direction), x, lengths)
    inside = np.arange(3)[:, None] < lengths
    kept = x * inside[:, :, None]
    sums = np.cumsum(kept, axis=0) if direction == "forward" else np.cumsum(kept[::-1], axis=0)[::-1]
    assert np.array_equal(y[:, 0], sums * inside[:, :, None])
    assert np.array_equal(h[0], kept.sum(axis=0))


def test_lengths_are_within_the_axis() -> None:
    assert compiled(layer("forward"))[0].ok
    stops(layer("forward"), ones(3, 1, 2), np.array([4]), says="a length is negative or longer")
    stops(layer("forward"), ones(3, 1, 2), np.array([-1]), says="a length is negative or longer")
