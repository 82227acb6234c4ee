"""What is no archive of `torch.export.save`, or one that means harm, is refused in plain words and within limits."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradual.importers.common.refusals import Unreadable
from gradual.importers.torch.file import archive as archives
from gradual.importers.torch.file.archive import Archive, directory_length
from gradual.importers.torch.file.reading import load
from gradual.limits import LIMITS
from tests.importers.torch.composing import document, files_of, node, ref, tensor, write

INPUTS = {"x": tensor("n")}
FORM = document(INPUTS, [node("aten.relu.default", {"y": tensor("n")}, self=ref("x"))], [ref("y")])
FILES = files_of(FORM)


def refused(path: Path | str, code: str = "E0703") -> str:
    """What is said of an archive that is refused."""
    with pytest.raises(Unreadable) as found:
        load(str(path))
    assert found.value.code == code
    assert "Error" not in str(found.value)
    return str(found.value)


def limited(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    monkeypatch.setattr(archives, "LIMITS", replace(LIMITS, **limits))


# ------------------------------------------------------------------------------------------------- what is no archive
def test_an_archive_is_read(tmp_path: Path) -> None:
    model, archive = load(str(write(tmp_path / "a.pt2", FILES)))
    assert model.user_inputs == ("x",) and model.version == "2.14.1"
    assert archive.names("models/") == ["model.json"] and not archive.is_big_endian


def test_an_archive_is_read_from_memory(tmp_path: Path) -> None:
    content = write(tmp_path / "a.pt2", FILES).read_bytes()
    assert load(io.BytesIO(content), "notebook")[0] == load(str(tmp_path / "a.pt2"))[0]
    with pytest.raises(Unreadable, match="`notebook` is not a PyTorch export"):
        load(io.BytesIO(content[:50]), "notebook")


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"{}", bytes(500), b"\x80\x02}q\x00."])
def test_other_files_are_told_apart(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.pt2").write_bytes(content)
    assert "is not a PyTorch export: " in refused(tmp_path / "a.pt2")


def test_a_file_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "none.pt2", "E0701")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"a.txt": b""}, "it has no file `archive_format`"),
        ({"serialized_exported_program.json": b"{}", "version": b"1"}, "it was saved by PyTorch before 2.8"),
        ({"m/archive_format": b"pt2"}, "it has no program"),
        ({**FILES, "m/models/b.json": b"{}"}, "it has 2 programs, `b` and others"),
        ({**FILES, "m/byteorder": b"middle"}, "the byte order is `middle`"),
        ({**FILES, "m/byteorder": b"\xff"}, "`byteorder` is not UTF-8"),
        ({**FILES, "m/models/model.json": b"\xff"}, "`models/model.json` is not UTF-8"),
        ({**FILES, "m/models/model.json": b"{"}, "`models/model.json` is not JSON"),
        ({**FILES, "m/models/model.json": b"[" * 100_000}, "`models/model.json` is nested too deeply"),
        ({**FILES, "m/models/model.json": b"1" * 5_000}, "`models/model.json` is not JSON"),
        ({**FILES, "m/models/model.json": b"[]"}, "[] is not a mapping"),
    ],
)
def test_the_reason_is_said(tmp_path: Path, files: dict[str, bytes], says: str) -> None:
    assert says in refused(write(tmp_path / "a.pt2", files))


def test_a_program_of_another_name_is_read(tmp_path: Path) -> None:
    files = {name.replace("model.json", "b.json").replace("model_", "b_"): one for name, one in FILES.items()}
    assert load(str(write(tmp_path / "a.pt2", files)))[0] == load(str(write(tmp_path / "b.pt2", FILES)))[0]


# --------------------------------------------------------------------------------------------------------- odd zips
def edited(tmp_path: Path, edit: Callable[[bytearray], Any], name: str = "m/models/model.json") -> Path:
    """An archive of which the entry of one file in the table of contents was edited, as bytes from its start on."""
    data = bytearray(write(tmp_path / "a.pt2", FILES).read_bytes())
    at = data.index(b"PK\x01\x02")
    while data[at + 46 : at + 46 + len(name)] != name.encode():
        at = data.index(b"PK\x01\x02", at + 4)
    head = data[at:]
    edit(head)
    data[at:] = head
    (tmp_path / "b.pt2").write_bytes(data)
    return tmp_path / "b.pt2"


def put(form: str, offset: int, value: int) -> Callable[[bytearray], Any]:
    return lambda head: struct.pack_into(form, head, offset, value)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (put("<H", 8, 1), "encrypted"),
        (put("<H", 10, 12), "is compressed by a method that PyTorch does not use"),
        (put("<H", 10, 99), "is compressed by a method that PyTorch does not use"),
        (put("<L", 24, 10), "`models/model.json`"),
        (put("<L", 20, 5), "`models/model.json`"),
        (put("<L", 42, 1 << 30), "`models/model.json`"),
        (put("<L", 16, 7), "Bad CRC-32"),
        (put("<H", 28, 60_000), "is not a PyTorch export"),
    ],
)
def test_a_zip_that_lies_is_refused(tmp_path: Path, edit: Callable[[bytearray], Any], says: str) -> None:
    assert says in refused(edited(tmp_path, edit))


def test_a_file_under_two_names_is_refused_without_its_bytes(tmp_path: Path) -> None:
    data = write(tmp_path / "a.pt2", FILES).read_bytes()
    (tmp_path / "b.pt2").write_bytes(data.replace(b"m/models/model.json", b"\xff/models/model.json", 1))
    says = refused(tmp_path / "b.pt2")
    assert says.endswith("`models/model.json`: the table of contents has it under another name")


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.pt2", FILES)
    with zipfile.ZipFile(tmp_path / "a.pt2", "a") as made, pytest.warns(UserWarning, match="Duplicate"):
        made.writestr("m/models/model.json", b"{}")
    assert "it has two files `m/models/model.json`" in refused(tmp_path / "a.pt2")


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..", "weight_0\0", ""])
def test_paths_lead_nowhere_outside(tmp_path: Path, name: str) -> None:
    archive = Archive(str(write(tmp_path / "a.pt2", FILES)), "a")
    with pytest.raises(Unreadable, match="is missing"):
        archive.content(f"data/weights/{name}")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.pt2"]


def test_garbage_around_an_archive_changes_nothing(tmp_path: Path) -> None:
    data = write(tmp_path / "a.pt2", FILES).read_bytes()
    (tmp_path / "b.pt2").write_bytes(b"#!garbage" + data)
    assert load(str(tmp_path / "b.pt2"))[0] == load(str(tmp_path / "a.pt2"))[0]


def test_an_archive_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    data = write(tmp_path / "a.pt2", FILES).read_bytes()
    for end in range(0, len(data), 37):
        (tmp_path / "b.pt2").write_bytes(data[:end])
        refused(tmp_path / "b.pt2")


# ----------------------------------------------------------------------------------------------------------- limits
def test_a_description_is_unpacked_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, description=10_000)
    bomb = {**FILES, "m/models/model.json": b" " * 50_000_000}
    assert "is too long: the limit `description` is 10000 bytes" in refused(write(tmp_path / "a.pt2", bomb), "E0704")


def test_a_table_of_contents_is_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, directory=1_000)
    many = {**FILES, **{f"m/{at}": b"" for at in range(100)}}
    assert "the limit `directory` is 1000 bytes" in refused(write(tmp_path / "a.pt2", many), "E0704")
    load(str(write(tmp_path / "b.pt2", FILES)))


def test_the_length_of_the_table_of_contents_is_found() -> None:
    older = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 77, 0, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    newer = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, 1 << 40, 0)
    assert directory_length(io.BytesIO(older)) == 77
    assert directory_length(io.BytesIO(b"x" * 100_000 + older + b"comment")) == 77
    assert directory_length(io.BytesIO(newer + locator + older)) == 1 << 40
    assert directory_length(io.BytesIO(b"no archive")) == 0


def test_of_a_file_no_more_is_unpacked_than_is_asked_for(tmp_path: Path) -> None:
    files = {**FILES, "m/data/weights/weight_0": bytes(200_000_000)}
    archive = Archive(str(write(tmp_path / "a.pt2", files)), "a")
    assert archive.content("data/weights/weight_0", 12) == bytes(12)
