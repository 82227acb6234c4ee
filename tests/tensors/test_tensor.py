"""What tensors are made of, and what they give back."""

from __future__ import annotations

import math
from array import array
from typing import Any

import numpy as np
import pytest

from gradual.tensors.json_form import from_json, to_json
from gradual.tensors.tensor import Tensor, random_tensor, scalar, tensor_of
from gradual.types.dtype import DType


class Wrapping:
    """An array known only by `__array__`."""

    def __array__(self) -> Any:
        return np.array([[1, 2], [3, 4]], dtype=np.int16)


class Interfaced:
    """An array known only by `__array_interface__`."""

    def __init__(self, held: Any, copied: bool) -> None:
        self.held = held
        interface = dict(held.__array_interface__)
        interface["data"] = held.tobytes() if copied else interface["data"]
        self.__array_interface__ = interface


def test_nested_lists_give_the_shape() -> None:
    made = Tensor([[1, 2, 3], [4, 5, 6]])
    assert (made.shape, made.rank, made.size, str(made.dtype)) == ((2, 3), 2, 6, "float32")
    assert made.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.mark.parametrize("data, shape", [([], (0,)), ([[], []], (2, 0)), (3, ()), ([[[]]], (1, 1, 0))])
def test_emptiness_has_a_shape(data: Any, shape: tuple[int, ...]) -> None:
    made = Tensor(data, "int32")
    assert made.shape == shape
    assert made.tolist() == data


def test_a_flat_list_fills_a_shape() -> None:
    assert Tensor(range_list(6), "int64", (3, 2)).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert Tensor([], shape=(2, 0, 3)).tolist() == [[], []]


def range_list(count: int) -> list[int]:
    return list(range(count))


@pytest.mark.parametrize(
    "data, dtype, shape, says",
    [
        ([[1], [1, 2]], "float32", None, "ragged"),
        ([[1], 2], "float32", None, "ragged"),
        ([1, 2], "float32", (3,), "do not fill"),
        ([1], "float32", (-1,), "do not fill"),
        ([1.5], "int32", None, "not a int32"),
        ([256], "uint8", None, "0 to 255"),
        ([-1], "uint8", None, "0 to 255"),
        ([2], "bool", None, "0 to 1"),
        (["1"], "int32", None, "made of a str"),
        (object(), "float32", None, "no tensor can be made of a object"),
        (np.zeros(2, complex), "float32", None, "of type complex128"),
    ],
)
def test_what_is_no_tensor_is_refused(data: Any, dtype: str, shape: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Tensor(data, dtype, shape)


@pytest.mark.parametrize("kind", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i4", "<f8"])
def test_any_buffer_is_read(kind: str) -> None:
    held = np.array([[0, 1], [1, 0]], dtype=kind)
    assert Tensor(held, "int64").tolist() == [[0, 1], [1, 0]]
    assert Tensor(held.T[:, ::-1], "int64").tolist() == held.T[:, ::-1].tolist()


@pytest.mark.parametrize("copied", [False, True])
def test_the_array_interface_is_read(copied: bool) -> None:
    held = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert Tensor(Interfaced(held, copied)).tolist() == held.tolist()


def test_array_conversion_and_numpy_scalars_are_read() -> None:
    assert Tensor(Wrapping(), "int32").tolist() == [[1, 2], [3, 4]]
    assert Tensor(np.float64(2.5)).item() == 2.5
    assert Tensor([np.int64(3), np.int64(4)], "int8").tolist() == [3, 4]
    assert Tensor(array("d", [1.5])).tolist() == [1.5]


def test_a_tensor_makes_a_tensor_of_another_type() -> None:
    assert Tensor(Tensor([True, False], "bool"), "float64").tolist() == [1.0, 0.0]


def test_elements_are_python_numbers() -> None:
    assert Tensor([True], "bool").tolist() == [True]
    assert isinstance(Tensor([True], "bool").item(), bool)
    assert isinstance(Tensor([1], "int8").item(), int)
    assert Tensor(0.1).item() == np.float32(0.1).item()


def test_only_one_element_is_an_item() -> None:
    with pytest.raises(ValueError, match="no single element"):
        Tensor([1, 2]).item()


def test_equality_is_by_number_and_nan_equals_nan() -> None:
    assert Tensor([math.nan, 0.0]) == Tensor([math.nan, -0.0])
    assert Tensor([1.0]) != Tensor([1.0], "float64")
    assert Tensor([1.0]) != Tensor([[1.0]])
    assert Tensor([1.0]) != Tensor([2.0])
    assert Tensor([1.0]) != [1.0]
    assert hash(Tensor([0.0])) == hash(Tensor([-0.0]))


def test_a_tensor_does_not_change() -> None:
    with pytest.raises(AttributeError):
        Tensor([1.0]).shape = (2,)  # type: ignore[misc]


def test_a_long_tensor_is_shown_short() -> None:
    assert repr(Tensor([1, 2], "int32")) == "Tensor[(2,), int32](1, 2)"
    assert "100 elements" in repr(random_tensor((100,), DType.FLOAT32, 0))


@pytest.mark.parametrize("dtype", list(DType))
def test_random_tensors_depend_on_their_arguments_only_and_stay_in_range(dtype: DType) -> None:
    first, again = random_tensor((50, 4), dtype, 3), random_tensor((50, 4), dtype, 3)
    assert first == again
    assert first != random_tensor((50, 4), dtype, 4)
    assert len(set(first.elements)) > 1
    low, high = (-1, 1 - 2**-60) if dtype.is_float else (0, 1 if dtype is DType.BOOL else 9)
    assert all(low <= element <= high for element in first.elements)
    assert Tensor(first.flat(), dtype, first.shape) == first


def test_random_numbers_are_the_same_everywhere() -> None:
    assert random_tensor((3,), DType.FLOAT32, 0).tolist() == PINNED_FLOATS
    assert random_tensor((5,), DType.INT8, 1).tolist() == PINNED_INTEGERS


PINNED_FLOATS = [0.6888436079025269, -0.22950947284698486, 0.5159087181091309]
PINNED_INTEGERS = [7, 0, 1, 2, 2]


@pytest.mark.parametrize("dtype", list(DType))
def test_values_survive_json(dtype: DType) -> None:
    value = (random_tensor((2, 3), dtype, 1), (scalar(1, dtype), tensor_of((0,), dtype, array("f"))), ())
    assert from_json(to_json(value)) == value


def test_special_floats_survive_json() -> None:
    form = to_json(Tensor([math.nan, math.inf, -math.inf, -0.0, 0.1], "float64"))
    assert form == {"dtype": "float64", "shape": [5], "data": ["nan", "inf", "-inf", "-0.0", "0.1"]}
    assert repr(from_json(form)) == repr(Tensor([math.nan, math.inf, -math.inf, -0.0, 0.1], "float64"))


def test_booleans_are_read_as_true_and_false_or_as_numbers() -> None:
    for data in ([True, False], [1, 0]):
        assert from_json({"dtype": "bool", "shape": [2], "data": data}) == Tensor([True, False], "bool")


@pytest.mark.parametrize(
    "form, says",
    [
        (3, "is an object"),
        ({"dtype": "float32"}, "'shape' and 'data'"),
        ({"dtype": "float31", "shape": [], "data": [1]}, "no element type"),
        ({"dtype": "float32", "shape": [2], "data": [1]}, "do not fill"),
        ({"dtype": "float32", "shape": ["n"], "data": [1]}, "list of sizes"),
        ({"dtype": "float32", "shape": [-1], "data": []}, "list of sizes"),
        ({"dtype": "float32", "shape": [1], "data": ["one"]}, "no number"),
        ({"dtype": "float32", "shape": [1], "data": [[1]]}, "no number"),
        ({"dtype": "float32", "shape": [1], "data": 1}, "flat list"),
        ({"dtype": "int8", "shape": [1], "data": [128]}, "-128 to 127"),
        ({"tuple": 1}, "fields of a tuple"),
    ],
)
def test_what_stands_for_no_value_is_refused(form: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        from_json(form)
