"""Weights out of the storages in which they lie, as NumPy sees the same memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from gradual.importers.common.refusals import Unreadable, Unsupported
from gradual.importers.torch.file.reading import load
from gradual.importers.torch.file.schema import Stored
from gradual.importers.torch.file.weights import strided, weight
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.importers.torch.composing import NUMBERS, document, files_of, listing, ref, tensor, write

Array = np.ndarray[Any, Any]
LISTING = "m/data/weights/model_weights_config.json"
AXIS = st.tuples(st.integers(0, 5), st.integers(0, 9))


@given(st.lists(AXIS, max_size=4), st.integers(0, 20))
def test_strided_elements_are_those_of_numpy(axes: list[tuple[int, int]], offset: int) -> None:
    shape, steps = tuple(length for length, _ in axes), tuple(step for _, step in axes)
    stored = Stored("w", DType.INT32, shape, steps, offset)
    memory = np.arange(max(stored.reach, offset + 1), dtype="int32")
    expected = as_strided(memory[offset:], shape, [4 * step for step in steps])
    found = strided(Tensor(memory.tolist(), DType.INT32, memory.shape).elements, stored)
    assert list(found) == expected.ravel().tolist()


@given(st.lists(AXIS, max_size=4), st.integers(0, 20))
def test_the_reach_is_one_more_than_the_last_element(axes: list[tuple[int, int]], offset: int) -> None:
    shape, steps = tuple(length for length, _ in axes), tuple(step for _, step in axes)
    places = [offset + int(np.dot(place, steps)) for place in np.ndindex(*shape)]
    assert Stored("w", DType.INT32, shape, steps, offset).reach == max(places, default=-1) + 1


def read(path: Path, weights: dict[str, Array], **files: bytes) -> dict[str, Tensor]:
    """The weights of a program that gives them back; `files` replace those of the archive."""
    made = files_of(document({}, [], [ref(f"p_{name}") for name in weights], weights), weights)
    made |= {f"m/data/weights/{name}" if name != "byteorder" else f"m/{name}": one for name, one in files.items()}
    model, archive = load(str(write(path / "a.pt2", made)))
    return {own: weight(archive, own, stored) for own, stored in model.stored.values()}


def same(found: Tensor, expected: Array) -> bool:
    given = np.array(found.flat(), dtype=expected.dtype).reshape(found.shape)
    return str(found.dtype) == str(expected.dtype) and np.array_equal(
        given, expected, equal_nan=expected.dtype.kind == "f"
    )


TYPES = (
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "bool",
    "uint16",
    "uint32",
    "uint64",
)


@pytest.mark.parametrize("dtype", TYPES)
def test_every_element_type_is_read(tmp_path: Path, dtype: str) -> None:
    array = np.array([[0, 1, 5], [100, 0, 127]]).astype(dtype)
    assert same(read(tmp_path, {"w": array})["w"], array)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_big_endian_archive_is_read(tmp_path: Path, dtype: str) -> None:
    array = np.array([[0, 1, 5], [100, 0, 127]]).astype(dtype)
    swapped = array.astype(array.dtype.newbyteorder(">")).tobytes()
    assert same(read(tmp_path, {"w": array}, byteorder=b"big", weight_0=swapped)["w"], array)


def test_bfloat16_is_the_upper_half_of_a_float(tmp_path: Path) -> None:
    array = np.array([1.5, -2.0, 0.0, 3.140625], "float32")
    upper = (array.view("uint32") >> 16).astype("uint16")
    form = document({"x": tensor(1)}, [], [ref("x")], {"w": upper})
    form["graph_module"]["graph"]["tensor_values"]["p_w"]["dtype"] = NUMBERS["bfloat16"]
    files = files_of(form, {"w": upper})
    files[LISTING] = files[LISTING].replace(b'"dtype": 28', b'"dtype": 13')
    model, archive = load(str(write(tmp_path / "a.pt2", files)))
    assert list(weight(archive, *model.stored["p_w"]).flat()) == array.tolist()


def test_views_of_one_storage_are_each_read_out_of_it(tmp_path: Path) -> None:
    storage = np.arange(60, dtype="float32").reshape(10, 6)
    views = {
        "all": storage,
        "turned": storage.T,
        "part": storage[2:7, 1:4],
        "thin": storage[::3, ::2],
        "row": storage[9],
        "column": storage[:, 5],
        "one": storage[4, 3:4].reshape(()),
        "wide": as_strided(storage, (3, 4), (0, 4)),
        "none": storage[3:3],
    }
    config, files = listing(views)
    assert list(files) == ["weight_0"]
    assert [one["path_name"] for one in config["config"].values()] == ["weight_0"] * len(views)
    found = read(tmp_path, views)
    assert [name for name, array in views.items() if not same(found[name], array)] == []


def test_a_large_transposed_weight_takes_no_long(tmp_path: Path) -> None:
    array = np.arange(4_000_000, dtype="int32").reshape(2_000_000, 2).T
    assert same(read(tmp_path, {"w": array})["w"], array)


@pytest.mark.parametrize("content", [b"1", bytes(47), bytes(23)])
def test_too_few_bytes_are_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(Unreadable, match=f"`data/weights/weight_0` has {len(content)} bytes, too few for `w`"):
        read(tmp_path, {"w": np.ones((3, 4), "float32")}, weight_0=content)


def test_bytes_behind_the_last_element_change_nothing(tmp_path: Path) -> None:
    array = np.ones((3, 4), "float32")
    assert same(read(tmp_path, {"w": array}, weight_0=array.tobytes() + b"xyz")["w"], array)


def test_a_weight_without_a_single_byte_was_saved_without_its_elements(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="`w` is saved without its elements"):
        read(tmp_path, {"w": np.ones((3, 4), "float32")}, weight_0=b"")
    assert read(tmp_path, {"w": np.ones((0, 4), "float32")}, weight_0=b"")["w"].shape == (0, 4)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("use_pickle", True, "`w` is saved as a Python object"),
        ("path_name", "../../etc/passwd", "the file `data/weights/../../etc/passwd` is missing"),
        ("path_name", 5, "5 is not a text"),
        ("strides", [{"as_int": 1}], "a tensor with 2 sizes and 1 strides"),
        ("strides", [{"as_int": -1}, {"as_int": 1}], "-1 is not a size"),
        ("strides", [{"as_int": 1 << 40}, {"as_int": 1}], "the limit `file`"),
        ("storage_offset", {"as_int": -1}, "-1 is not a size"),
        ("storage_offset", {"as_int": 10**30}, "is not an integer"),
        ("storage_offset", {"as_expr": {"expr_str": "1"}}, "`as_int` is missing"),
        ("storage_offset", {"as_int": 1}, "has 48 bytes, too few for `w`"),
        ("sizes", [{"as_int": 1 << 40}, {"as_int": 1}], "`w` is another tensor in the archive than in the graph"),
    ],
)
def test_what_is_wrong_with_a_weight_is_said(tmp_path: Path, key: str, value: Any, says: str) -> None:
    array = np.ones((3, 4), "float32")
    config, _ = listing({"w": array})
    entry = config["config"]["w"]
    (entry if key in entry else entry["tensor_meta"])[key] = value
    with pytest.raises((Unreadable, Unsupported)) as found:
        read(tmp_path, {"w": array}, **{"model_weights_config.json": json.dumps(config).encode()})
    assert says in str(found.value)
