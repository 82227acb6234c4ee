"""NumPy's files, against NumPy."""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradual.interface.input import npy
from gradual.tensors.json_form import from_json
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from tests.tools.conftest import Gradual

KNOWN = [dtype for dtype in DType if dtype is not DType.BFLOAT16]
SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)


def array_of(tensor: Tensor) -> np.ndarray:
    return np.array(tensor.flat(), dtype=str(tensor.dtype)).reshape(tensor.shape)


def file_of(array: np.ndarray) -> bytes:
    stream = BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _packed() -> bytes:
    stream = BytesIO()
    np.savez_compressed(stream, x=np.arange(40, dtype="float32"))
    return stream.getvalue()


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KNOWN), SHAPES, st.integers(0, 9), st.sampled_from("<>"), st.booleans())
def test_what_numpy_writes_is_read(dtype: DType, shape: tuple[int, ...], seed: int, order: str, columns: bool) -> None:
    tensor = random_tensor(shape, dtype, seed)
    array = np.asarray(array_of(tensor).astype(np.dtype(str(dtype)).newbyteorder(order)), order="F" if columns else "C")
    assert npy.read(file_of(array)) == tensor


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KNOWN), SHAPES, st.integers(0, 9))
def test_what_is_written_is_what_numpy_writes(dtype: DType, shape: tuple[int, ...], seed: int) -> None:
    tensor = random_tensor(shape, dtype, seed)
    assert npy.write(tensor) == file_of(array_of(tensor))
    assert npy.read(npy.write(tensor)) == tensor


def test_odd_floats_keep_their_values() -> None:
    odd = [float("nan"), float("inf"), float("-inf"), -0.0, 5e-324]
    for dtype in (DType.FLOAT64, DType.FLOAT32, DType.FLOAT16):
        tensor = Tensor(odd, dtype)
        assert npy.read(npy.write(tensor)) == tensor


def test_archives_are_numpy_s() -> None:
    held = {"w": random_tensor((2, 3), DType.FLOAT32, 1), "b": random_tensor((), DType.INT64, 2)}
    data = npy.write_archive(held)
    assert data == npy.write_archive(held)
    with np.load(BytesIO(data)) as loaded:
        assert {name: Tensor(loaded[name].tolist(), str(loaded[name].dtype)) for name in loaded} == held
    stream = BytesIO()
    np.savez_compressed(stream, **{name: array_of(tensor) for name, tensor in held.items()})
    assert npy.names_in(stream) == list(held)
    assert {name: npy.read_from(stream, name) for name in held} == held


@pytest.mark.parametrize(
    "data",
    [
        b"",
        npy.MAGIC,
        npy.MAGIC + b"\x01\x00\xff\xff{",
        npy.write(Tensor([1.0]))[:-1],
        npy.write(Tensor([1.0])) + b"\0",
        npy.write(Tensor([1.0])).replace(b"(1,)", b"(-1)"),
        npy.write(Tensor([1.0])).replace(b"(1,)", b"1e99"),
        npy.write(Tensor([1.0])).replace(b"(1,)", b"(1 << 40,)"),
        npy.write(Tensor([1.0])).replace(b"\x01\x00", b"\x09\x00", 1),
        npy.write(Tensor([1.0])).replace(b"<f4", b"xf4"),
        npy.write(Tensor([1.0])).replace(b"False", b"'no' "),
        file_of(np.array(["a"])),
        file_of(np.zeros(2, dtype=[("a", "i4")])),
        file_of(np.zeros(2, dtype="complex64")),
    ],
)
def test_what_is_no_tensor_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        npy.read(data)


PACKED = _packed()


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 400), st.binary(max_size=6))
def test_damaged_files_are_refused_or_read(at: int, other: bytes) -> None:
    for whole in (npy.write_archive({"x": Tensor(1)}), PACKED):
        with suppress(ValueError):
            npy.read_from(BytesIO(whole[:at] + other + whole[at + len(other) :]), "x")
    file = npy.write(Tensor([1.0, 2.0]))
    with suppress(ValueError):
        npy.read(file[:at] + other + file[at + len(other) :])


def test_a_tensor_without_elements_takes_no_room() -> None:
    before, after = b"False, 'shape': (0,), }          ", b"True, 'shape': (1000000000, 0), }"
    many = npy.write(Tensor([], shape=(0,))).replace(before, after)
    assert npy.read(many).shape == (1000000000, 0)


def test_one_tensor_of_an_archive_is_read_whatever_stands_beside_it(gradual: Gradual, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.array([1, 2], dtype="int64"), s=np.array(["text"]))
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("readme.txt", "no array")
    with zipfile.ZipFile(tmp_path / "none.npz", "w") as archive:
        archive.writestr("readme.txt", "no array")
    (tmp_path / "a.relay").write_text("def @main(%x: Tensor[(2,), int64]) { %x }\n")
    assert gradual("run", "a.relay", "@main(@a.npz:x)").out == "int64 [1, 2]\n"
    assert "holds no tensor `s`: '<U4' is not an element type" in gradual("run", "a.relay", "@main(@a.npz:s)").err
    assert "holds no tensors" in gradual("run", "a.relay", "@main(@none.npz)").err
    assert "holds 2 tensors; say which, as in `a.npz:x`" in gradual("run", "a.relay", "@main( @ a.npz )").err


def test_arguments_come_from_numpy_s_files(gradual: Gradual, tmp_path: Path) -> None:
    program = tmp_path / "a.relay"
    program.write_text("def @main(%x: Tensor[(?, 2), float32], %n: int64) { (%x, %n) }\n")
    np.save(tmp_path / "x.npy", np.array([[1, 2]], dtype="float32"))
    np.savez(tmp_path / "both.npz", x=np.array([[3, 4]], dtype="float32"), n=np.int64(7))
    np.savez(tmp_path / "one.npz", np.int64(9))
    at = tmp_path.as_posix()
    assert (
        gradual("run", str(program), f"@main(@{at}/x.npy, @{at}/one.npz)").out == "(float32 [[1.0, 2.0]],\n int64 9)\n"
    )
    done = gradual("run", str(program), f"@main(@{at}/both.npz:x, @{at}/both.npz:n)")
    assert done.out == "(float32 [[3.0, 4.0]],\n int64 7)\n"
    wrong = gradual("run", str(program), f"@main(@{at}/both.npz, 1)")
    assert (wrong.code, "holds 2 tensors; say which" in wrong.err) == (2, True)
    wrong = gradual("run", str(program), f"@main(@{at}/both.npz:y, 1)")
    assert (wrong.code, "holds no tensor `y`; it has x, n" in wrong.err) == (2, True)
    wrong = gradual("run", str(program), f"@main(@{program}.npy, 1)")
    assert (wrong.code, "cannot read" in wrong.err) == (2, True)


def test_values_go_to_numpy_s_files(gradual: Gradual, tmp_path: Path) -> None:
    program = tmp_path / "a.relay"
    program.write_text(
        "def @one(%x: Tensor[(?, 2), float32]) { %x }\n"
        "def @two(%x: Tensor[(?, 2), float32], %n: int64) { (%x, %n) }\n"
        "def @odd(%n: Tensor[(2,), bfloat16]) { (%n, (%n,)) }\n"
    )
    one, two, both = tmp_path / "one.npy", tmp_path / "two.npz", tmp_path / "two.json"
    assert gradual("run", str(program), "@one([[1, 2]])", "--save", str(one)).out == "float32 [[1.0, 2.0]]\n"
    assert npy.read(one.read_bytes()) == Tensor([[1.0, 2.0]])
    assert gradual("run", str(program), "@two([[1, 2]], 3)", "--save", str(two), "-q").code == 0
    with np.load(two) as loaded:
        assert {name: loaded[name].tolist() for name in loaded} == {"arr_0": [[1.0, 2.0]], "arr_1": 3}
    assert gradual("run", str(program), "@two([[1, 2]], 3)", "--save", str(both)).code == 0
    assert from_json(json.loads(both.read_text())) == (Tensor([[1.0, 2.0]]), Tensor(3, "int64"))
    for call, name, why in (
        ("@two([[1, 2]], 3)", "x.npy", "a `.npy` file holds one tensor"),
        ("@odd([1, 2])", "x.npz", "a `.npz` file holds tensors"),
        ("@odd([1, 2])", "x.txt", "`.json`, `.npy` or `.npz`"),
        ("@one([[1, 2]])", "no/x.npy", "cannot write"),
    ):
        wrong = gradual("run", str(program), call, "--save", str(tmp_path / name))
        assert (wrong.code, why in wrong.err) == (2, True), wrong.err
