"""Arrays of other libraries: an array that goes in comes out with the same type, shape and elements, by every door."""

from __future__ import annotations

import ctypes
import gc
import sys
import tracemalloc
from array import array
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gradual.tensors.exchange import dlpack, export
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType

KINDS = {dtype: np.dtype(str(dtype) if dtype is not DType.BFLOAT16 else ml_dtypes.bfloat16) for dtype in DType}
"""NumPy's element types by ours."""


class Only:
    """An array known by some of its protocols only."""

    def __init__(self, held: Any, *names: str) -> None:
        self._held = held
        self.__dict__ |= {name: getattr(held, name) for name in names if not name.startswith("__array__")}


class Converted(Only):
    """An array known by `__array__` only."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._held


class Lent(Only):
    """An array known by DLPack only, of a library that knows of versions or does not."""

    def __init__(self, held: Any, versions: bool) -> None:
        super().__init__(held)
        self.versions = versions

    def __dlpack__(self, **wanted: Any) -> Any:
        if wanted and not self.versions:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        return self._held.__dlpack__(**wanted)

    def __dlpack_device__(self) -> Any:
        return self._held.__dlpack_device__()


def lender(held: Any, writeable: bool = False) -> Any:
    """What lends the array: itself, or we where NumPy does not."""
    own = (
        isinstance(held, np.ndarray) and held.dtype != KINDS[DType.BFLOAT16] and (held.flags.writeable or not writeable)
    )
    return held if own else Tensor(held)


DOORS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda held: held,
    "interface": lambda held: Only(held, "__array_interface__", "dtype"),
    "array": Converted,
    "dlpack": lambda held: Lent(lender(held), True),
    "dlpack without versions": lambda held: Lent(lender(held, True), False),
    "nested": lambda held: list(held) if held.ndim and held.shape[0] else held,
}


@st.composite
def held(draw: st.DrawFn) -> Any:
    """An array of any of our types and any layout: a view with its axes permuted, cut, reversed, or spread."""
    kind = KINDS[draw(st.sampled_from(list(DType)))]
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    bits = draw(arrays.arrays(np.dtype(f"u{kind.itemsize}"), shape))
    found = bits.view(kind) if kind != np.bool_ else bits % 2 == 1
    if found.ndim and draw(st.booleans()):
        found = np.broadcast_to(found, (2, *found.shape))
    order = draw(st.permutations(range(found.ndim)))
    steps = tuple(slice(None, None, draw(st.sampled_from([1, -1, 2]))) for _ in order)
    found = np.transpose(found, order)[steps]
    swapped = kind != KINDS[DType.BFLOAT16] and draw(st.booleans())
    return found.astype(found.dtype.newbyteorder()) if swapped else found


def same(one: Any, other: Any) -> bool:
    """Whether two arrays have one element type, one shape, and the same numbers; NaN is one number."""
    alike = one.dtype.newbyteorder("=") == other.dtype.newbyteorder("=") and one.shape == other.shape
    wide = [
        np.asarray(side).astype(np.float64) if side.dtype.kind in "fV" else np.asarray(side) for side in (one, other)
    ]
    return alike and bool(np.array_equal(*wide, equal_nan=one.dtype.kind in "fV"))


@pytest.mark.parametrize("door", DOORS)
@given(held())
def test_an_array_goes_in_and_out_exactly(door: str, found: Any) -> None:
    native = found.astype(found.dtype.newbyteorder("="))
    made = Tensor(DOORS[door](native if door.startswith("dlpack") else found))
    assert KINDS[made.dtype] == native.dtype
    assert same(np.asarray(made), native)
    assert same(np.array(made), native)
    if made.dtype is not DType.BFLOAT16:
        assert same(np.from_dlpack(made), native)
        assert same(np.from_dlpack(Lent(made, False)), native)
    assert Tensor(Lent(made, True)) == Tensor(Lent(made, False)) == made


@given(held())
def test_a_buffer_has_the_type_the_shape_and_the_elements(found: Any) -> None:
    made = Tensor(found)
    half = made.dtype is DType.FLOAT16 and (sys.version_info < (3, 12) or not made.size)
    if made.dtype is DType.BFLOAT16 or half:
        with pytest.raises(BufferError, match=str(made.dtype)):
            made.buffer()
        return
    view = made.buffer()
    assert view.readonly and view.shape == made.shape
    assert same(np.asarray(view), found)
    if made.size:
        assert repr(view.tolist()) == repr(made.tolist())
    if sys.version_info >= (3, 12):
        again = memoryview(made)
        assert (again.format, again.shape, again.tobytes()) == (view.format, view.shape, view.tobytes())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have no buffers before Python 3.12")
def test_a_tensor_is_a_buffer() -> None:
    assert bytes(Tensor([1, 2], "uint8")) == b"\1\2"


# ----------------------------------------------------------------------------------------------------- what is exact
def test_numbers_that_are_no_float32_are_kept() -> None:
    assert Tensor(np.array([16777217], np.int64)).tolist() == [16777217]
    assert Tensor(np.array([1e300])).tolist() == [1e300]
    assert Tensor(np.int64(2**62 + 1)).item() == 2**62 + 1
    assert Tensor(np.float64(1e300)).item() == 1e300
    assert Tensor([np.int64(2**60), np.int64(1)]).tolist() == [2**60, 1]
    assert Tensor(array("q", [2**60 + 1])).tolist() == [2**60 + 1]
    assert Tensor(memoryview(array("d", [0.1]))).tolist() == [0.1]
    assert Tensor(b"\xff").dtype is DType.UINT8
    assert Tensor((ctypes.c_int16 * 2)(1, -2)) == Tensor([1, -2], "int16")
    assert Tensor(Tensor([True], "bool")) == Tensor([True], "bool")
    assert Tensor([Tensor([1], "int8"), np.array([2], np.int8)]) == Tensor([[1], [2]], "int8")


@pytest.mark.parametrize("data", [16777217, [[2**60 + 1]], [1e300, 0.5], [0.5, -16777217]])
def test_numbers_that_no_float32_holds_are_refused_unless_a_type_is_said(data: Any) -> None:
    with pytest.raises(ValueError, match="is not a float32"):
        Tensor(data)
    assert Tensor(data, "float64").dtype is DType.FLOAT64


def test_ordinary_numbers_are_float32() -> None:
    for data in (0.1, [1, 2], [[True]], float("inf"), [float("nan")], range(3), (1.5,), [2**30]):
        assert Tensor(data).dtype is DType.FLOAT32


# --------------------------------------------------------------------------------------------------- what is refused
@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: np.zeros(2, "M8[s]"), "datetime64"),
        (lambda: np.datetime64("2020"), "datetime64"),
        (lambda: np.array(["a"]), "of type str"),
        (lambda: np.array([object()]), "of type object"),
        (lambda: np.zeros(2, np.longdouble), "of type "),
        (lambda: np.zeros(2, "c8"), "of type complex64"),
        (lambda: np.zeros(2, "i4, f4"), "of type void"),
        (lambda: np.zeros(2, ml_dtypes.float8_e4m3fn), "of type float8_e4m3fn"),
        (lambda: np.zeros(2, ml_dtypes.int4), "of type int4"),
        (lambda: np.broadcast_to(np.float32(0), (1 << 40,)), "beyond the limit"),
        (lambda: Lent(np.broadcast_to(np.float32(0), (1 << 40,)), True), "beyond the limit"),
        (lambda: Only(np.broadcast_to(np.float32(0), (1 << 40,)), "__array_interface__"), "beyond the limit"),
        (lambda: Lent(np.zeros(2, "c8"), True), "of type number 5 of DLPack"),
        (lambda: Lent(np.zeros(2, ">i4"), True), "is not lent"),
        (lambda: [np.zeros(2, "i4"), np.zeros(2, "i8")], "int32 and int64"),
        (lambda: [np.zeros(2, "i4"), np.zeros(3, "i4")], "ragged"),
        (lambda: {"a": 1}, "made of a dict"),
        (lambda: 1j, "made of a complex"),
        (lambda: "abc", "made of a str"),
        (lambda: Interfaced({"shape": (2,)}), "cannot be read"),
        (lambda: Interfaced({"shape": (2,), "typestr": "<f4", "data": b"123"}), "fill its shape"),
        (lambda: Interfaced({"shape": (1,), "typestr": "<V2", "data": b"12"}), "of type V2"),
    ],
)
def test_an_array_that_a_tensor_cannot_hold_is_refused(made: Callable[[], Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Tensor(made())


class Interfaced:
    def __init__(self, interface: Any) -> None:
        self.__array_interface__ = interface


def test_an_array_on_another_device_is_refused() -> None:
    lent = Lent(np.zeros(2), True)
    lent.__dict__["_held"] = Device(np.zeros(2))
    with pytest.raises(ValueError, match="another device"):
        Tensor(lent)


class Device(Only):
    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


# ------------------------------------------------------------------------------------------------------ what is lent
def test_an_array_that_shares_memory_cannot_be_written_and_a_copy_can() -> None:
    made = Tensor([1.0, 2.0])
    shared, lent, copied = np.asarray(made), np.from_dlpack(made), np.array(made)
    assert not shared.flags.writeable
    with pytest.raises(ValueError):
        shared[0] = 7.0
    copied[0] = 8.0
    if lent.flags.writeable:
        lent[0] = 9.0
    assert made.tolist() == [1.0, 2.0]
    assert np.asarray(made, copy=False) is not None and np.asarray(made, dtype=np.float64).dtype == np.float64
    for of in (made, Tensor([1.0], "float16")):
        with pytest.raises(ValueError, match="copy"):
            np.asarray(of, dtype="int8", copy=False)
    with pytest.raises(ValueError, match="copy"):
        Tensor([1.0], "float16").__array__(copy=False)


@pytest.mark.parametrize("wanted", [{"copy": False}, {"dl_device": (2, 0)}, {"stream": 1}])
def test_what_cannot_be_lent_is_a_buffer_error(wanted: dict[str, Any]) -> None:
    with pytest.raises(BufferError):
        Tensor([1.0]).__dlpack__(**wanted)


@pytest.mark.parametrize("max_version", [None, (0, 8), (1, 0), (2, 5)])
def test_a_borrower_gets_the_newest_form_that_it_knows(max_version: tuple[int, int] | None) -> None:
    capsule = Tensor([1.0]).__dlpack__(max_version=max_version, copy=True, dl_device=(1, 0))
    assert ('"dltensor_versioned"' in repr(capsule)) is (max_version is not None and max_version >= (1, 0))


def test_an_array_outlives_the_tensor_and_goes_while_an_exception_passes() -> None:
    arrays_ = [np.from_dlpack(Tensor([float(k)] * 1000)) for k in range(50)]
    gc.collect()
    assert [float(one[-1]) for one in arrays_] == [float(k) for k in range(50)]
    for _ in range(20):
        with pytest.raises(TypeError):
            np.from_dlpack(Tensor([1.0])) + object()  # the array is dropped with the exception set
        with pytest.raises((RuntimeError, BufferError)):
            np.from_dlpack(Tensor([1.0], "bfloat16"))  # NumPy drops the capsule so, having read what is in it


def test_what_nobody_takes_is_given_back() -> None:
    tensor, size = Tensor(bytes(1 << 20)), 1 << 20
    tensor.__dlpack__()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            tensor.__dlpack__(max_version=(1, 0))
            np.from_dlpack(tensor)
        assert tracemalloc.get_traced_memory()[0] - before < 4 * size
    finally:
        tracemalloc.stop()
    assert len(dlpack._offers) <= 1


def test_a_capsule_that_is_held_stays_good() -> None:
    kept = [Tensor([float(k)]).__dlpack__() for k in range(5)]

    class Holder:
        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self, **wanted: Any) -> object:
            return kept.pop(0)

    assert [float(np.from_dlpack(Holder())[0]) for _ in range(5)] == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_bfloat16_needs_ml_dtypes_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        if name == "ml_dtypes":
            raise ImportError(name)
        return np

    monkeypatch.setattr(export, "import_module", missing)
    with pytest.raises(TypeError, match="ml_dtypes"):
        Tensor([1.0], "bfloat16").__array__()


@pytest.mark.parametrize("dtype", list(DType))
def test_packed_elements_are_those_of_numpy(dtype: DType) -> None:
    made = random_tensor((3, 2), dtype, 5)
    wide = np.array(made.tolist(), dtype=np.float64 if dtype.is_float else KINDS[dtype])
    assert bytes(export.packed(made)) == wide.astype(KINDS[dtype]).tobytes()
