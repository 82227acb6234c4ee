"""Row-major indexing; NumPy is the oracle."""

from __future__ import annotations

from array import array

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gradual.tensors.index import broadcast_shape, coordinates, numel, offsets, permuted, spread, strides
from tests.generators.operators import compatible, shapes


@given(shape=shapes())
def test_strides_lead_from_an_element_to_its_neighbours(shape: tuple[int, ...]) -> None:
    held = np.arange(numel(shape)).reshape(shape)
    steps = strides(shape)
    assert [held[place] for place in coordinates(shape)] == [
        sum(i * step for i, step in zip(place, steps, strict=True)) for place in coordinates(shape)
    ]


@given(shape=shapes(), data=st.data())
def test_a_permutation_reorders_the_elements(shape: tuple[int, ...], data: st.DataObject) -> None:
    axes = data.draw(st.permutations(range(len(shape))))
    held = np.arange(numel(shape)).reshape(shape)
    assert list(permuted(array("q", held.ravel()), shape, axes)) == held.transpose(axes).ravel().tolist()


@given(pair=compatible(2))
def test_spreading_is_broadcasting(pair: tuple[tuple[int, ...], ...]) -> None:
    target = broadcast_shape(*pair)
    assert target == np.broadcast_shapes(*pair)
    for shape in pair:
        held = np.arange(numel(shape)).reshape(shape)
        assert list(spread(array("q", held.ravel()), shape, target)) == np.broadcast_to(held, target).ravel().tolist()


def test_a_step_of_zero_stays_in_place() -> None:
    assert offsets((2, 3), (0, 2), start=1) == [1, 3, 5, 1, 3, 5]
    assert offsets((2, 0), (1, 1)) == []
