"""Blocks against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import variable
from gradual.tensors.scalar import converted
from gradual.types.dtype import DType
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, refusal
from tests.ops.test_resizing import goals, of, shape_of

many = examples(100)
b = variable("b")


def owed(name: str, *arguments: Any, **attributes: Any) -> list[tuple[str, str]]:
    return [each for each in goals(judges(name, *arguments, **attributes)) if each[1] != "True"]


@many
@given(data=st.data())
@compares("nn.depth_to_space")
def test_depth_to_space_moves_each_channel_to_a_cell_of_its_block(data: st.DataObject) -> None:
    application, found = applications("nn.depth_to_space", data)
    block, layout, mode = (application.attributes[name] for name in ("block_size", "layout", "mode"))
    order = [layout.index(letter) for letter in "NCHW"]
    x = np.transpose(array_of(application.arguments[0]), order)
    n, c, h, w = x.shape
    share = c // block**2
    expected = np.zeros((n, share, h * block, w * block), dtype=x.dtype)
    for channel in range(c):
        cell, to = divmod(channel, share) if mode == "DCR" else divmod(channel, block**2)[::-1]
        expected[:, to, cell // block :: block, cell % block :: block] = x[:, channel]
    assert_exactly(found, np.transpose(expected, np.argsort(order)))


@many
@given(data=st.data())
@compares("nn.space_to_depth")
def test_space_to_depth_moves_each_cell_of_a_block_to_a_channel(data: st.DataObject) -> None:
    application, found = applications("nn.space_to_depth", data)
    block, layout = application.attributes["block_size"], application.attributes["layout"]
    order = [layout.index(letter) for letter in "NCHW"]
    x = np.transpose(array_of(application.arguments[0]), order)
    parts = [x[:, :, i::block, j::block] for i in range(block) for j in range(block)]
    assert_exactly(found, np.transpose(np.concatenate(parts, axis=1), np.argsort(order)))


@many
@given(data=st.data())
@compares("nn.space_to_batch_nd")
def test_space_to_batch_takes_every_so_many_cells(data: st.DataObject) -> None:
    application, found = applications("nn.space_to_batch_nd", data)
    x, options = array_of(application.arguments[0]), application.attributes
    blocks, widths = options["block_shape"], options["paddings"]
    rest = x.ndim - 1 - len(blocks)
    fill = converted(DType.FLOAT64, found.dtype, [float(options.get("pad_value", 0.0))])[0]
    x = np.pad(x, [(0, 0), *map(tuple, widths), *[(0, 0)] * rest], constant_values=np.array(fill, dtype=x.dtype))
    parts = [
        x[(slice(None), *(slice(i, None, step) for i, step in zip(at, blocks, strict=True)))]
        for at in np.ndindex(*blocks)
    ]
    assert_exactly(found, np.concatenate(parts, axis=0))


@many
@given(data=st.data())
@compares("nn.batch_to_space_nd")
def test_batch_to_space_puts_every_so_many_cells(data: st.DataObject) -> None:
    application, found = applications("nn.batch_to_space_nd", data)
    x, options = array_of(application.arguments[0]), application.attributes
    blocks, crops = options["block_shape"], options["crops"]
    count = len(blocks)
    space = [extent * block for extent, block in zip(x.shape[1:], blocks, strict=False)]
    whole = np.zeros((x.shape[0] // int(np.prod(blocks)), *space, *x.shape[count + 1 :]), dtype=x.dtype)
    for part, at in enumerate(np.ndindex(*blocks)):
        every = tuple(slice(i, None, step) for i, step in zip(at, blocks, strict=True))
        whole[(slice(None), *every)] = x[part * whole.shape[0] : (part + 1) * whole.shape[0]]
    cut = tuple(slice(low, extent - high) for (low, high), extent in zip(crops, space, strict=True))
    assert_exactly(found, whole[(slice(None), *cut)])


@many
@given(data=st.data())
@compares("nn.dilate")
def test_dilate_leaves_room_between_cells(data: st.DataObject) -> None:
    application, found = applications("nn.dilate", data)
    x, steps = array_of(application.arguments[0]), application.attributes["strides"]
    fill = converted(DType.FLOAT64, found.dtype, [application.attributes.get("dilation_value", 0.0)])[0]
    shape = [(extent - 1) * step + 1 if extent else 0 for extent, step in zip(x.shape, steps, strict=True)]
    expected = np.full(shape, fill, dtype=x.dtype)
    expected[tuple(slice(None, None, step) for step in steps)] = x
    assert_exactly(found, expected)


@many
@given(data=st.data())
@compares("nn.fifo_buffer")
def test_fifo_buffer_is_the_end_of_buffer_and_data(data: st.DataObject) -> None:
    application, found = applications("nn.fifo_buffer", data)
    new, old = map(array_of, application.arguments)
    axis = application.attributes["axis"]
    both = np.concatenate([old, new], axis)
    assert_exactly(found, np.take(both, range(new.shape[axis], both.shape[axis]), axis))


def test_sizes_are_formulas_and_blocks_are_owed() -> None:
    image = of("n", "c", "h", "w")
    assert shape_of(judges("nn.depth_to_space", image, block_size=2)) == ["n", "c // 4", "2 * h", "2 * w"]
    assert owed("nn.depth_to_space", image, block_size=2) == [("op.nn.depth_to_space.blocks", "c % 4 == 0")]
    assert owed("nn.depth_to_space", image, block_size=b)[0] == ("op.window.positive", "b >= 1")
    assert shape_of(judges("nn.space_to_depth", image, block_size=2)) == ["n", "4 * c", "h // 2", "w // 2"]
    assert [rule for rule, _ in owed("nn.space_to_depth", image, block_size=2)] == ["op.nn.space_to_depth.blocks"] * 2


def test_batches_are_formulas() -> None:
    image = of("n", "h", 4, "c")
    into = {"block_shape": [2, 2], "paddings": [[1, 0], [0, 2]]}
    assert shape_of(judges("nn.space_to_batch_nd", image, **into)) == ["4 * n", "(h + 1) // 2", "3", "c"]
    assert [rule for rule, _ in owed("nn.space_to_batch_nd", image, **into)] == ["op.nn.space_to_batch_nd.blocks"]
    back = {"block_shape": [2, 2], "crops": [[1, 0], [0, 2]]}
    assert shape_of(judges("nn.batch_to_space_nd", image, **back)) == ["n // 4", "2 * h - 1", "6", "c"]
    assert [rule for rule, _ in owed("nn.batch_to_space_nd", image, **back)] == [
        "op.nn.batch_to_space_nd.blocks",
        "op.nn.batch_to_space_nd.crops",
    ]


def test_an_axis_without_cells_stays_without() -> None:
    judgement = judges("nn.dilate", of("n", 0, 3), strides=[2, 3, 4])
    assert shape_of(judgement)[1:] == ["0", "9"]
    assert owed("nn.fifo_buffer", of("n", "m"), of("k", "l"), axis=1) == [
        ("op.nn.fifo_buffer.agree", "n == k"),
        ("op.nn.fifo_buffer.fits", "m <= l"),
    ]


IMAGE = of(1, 4, 2, 2)


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("nn.depth_to_space", (of(1, 4, 2),), {}, "op.rank"),
        ("nn.depth_to_space", (IMAGE,), {"mode": "RCD"}, "op.attribute"),
        ("nn.depth_to_space", (IMAGE,), {"block_size": 0}, "op.attribute"),
        ("nn.space_to_depth", (IMAGE,), {"mode": "CRD"}, "op.attribute"),
        ("nn.space_to_depth", (IMAGE,), {"layout": "NCH"}, "op.attribute"),
        ("nn.space_to_batch_nd", (of(1, 4),), {"block_shape": [1, 1], "paddings": [[0, 0], [0, 0]]}, "op.rank"),
        ("nn.space_to_batch_nd", (IMAGE,), {"block_shape": [1, 1], "paddings": [[0, 0]]}, "op.attribute"),
        ("nn.space_to_batch_nd", (IMAGE,), {"block_shape": [1], "paddings": [[-1, 0]]}, "op.attribute"),
        ("nn.batch_to_space_nd", (IMAGE,), {"block_shape": [0], "crops": [[0, 0]]}, "op.attribute"),
        ("nn.dilate", (IMAGE,), {}, "op.attribute"),
        ("nn.dilate", (of(2, 2),), {"strides": [1, 0]}, "op.attribute"),
        ("nn.fifo_buffer", (of(2), of(2, 2)), {"axis": 0}, "op.rank"),
        ("nn.fifo_buffer", (of(2), of(2)), {"axis": 1}, "op.axis"),
        ("nn.fifo_buffer", (of(2), of(2, dtype=DType.BOOL)), {"axis": 0}, "op.dtype"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
