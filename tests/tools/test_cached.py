"""Kept results of `gradual check`: as if each file had been checked, whatever changed since."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradual.interface.input.levels import Level, Levels, chosen
from gradual.limits import Options
from gradual.tools.checking import cached, checking
from gradual.tools.checking.cached import FOLDER, TAG, Entry, digest, result_of
from gradual.tools.checking.results import Checked, Wanted
from tests.tools.conftest import Done, Gradual
from tests.tools.test_check import NEVER, PROVED, RESIDUAL

EXAMPLES = Path(__file__).parents[2] / "examples"
WANTED = Wanted("full", False, False, 20, Options(), cached=True)
FORMATS = ("full", "concise", "json", "sarif", "github", "junit")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADUAL_CACHE", "1")
    monkeypatch.setattr(cached, "UNSETTLED", 0)
    for name, text in (("proved", PROVED), ("residual", RESIDUAL), ("never", NEVER)):
        Path(f"{name}.relay").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are checked, in order."""
    seen: list[str] = []
    plainly = checking.checked_file

    def counted(path: Any, wanted: Wanted) -> Checked:
        seen.append(path)
        return plainly(path, wanted)

    monkeypatch.setattr(checking, "checked_file", counted)
    return seen


def entries() -> list[Path]:
    return sorted(Path(FOLDER).glob("*.bin"))


def with_weights(path: str, values: list[int]) -> None:
    """A model that reshapes its input to sizes that another file holds."""
    sizes = numpy_helper.from_array(numpy.array(values, dtype=numpy.int64), "sizes")
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [6]), ("y", None))]
    graph = helper.make_graph([helper.make_node("Reshape", ["x", "sizes"], ["y"])], "g", ports[:1], ports[1:], [sizes])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    Path(f"{path}.data").unlink(missing_ok=True)
    onnx.save(model, path, save_as_external_data=True, location=f"{path}.data", size_threshold=0)


# ---------------------------------------------------------------------------------------------------- the same answers
@pytest.mark.parametrize("format", FORMATS)
def test_a_kept_result_is_told_in_the_same_words(gradual: Gradual, checks: list[str], format: str) -> None:
    asked = ("check", "proved.relay", "residual.relay", "never.relay", str(EXAMPLES / "encoder.pt2"), "--checks")
    options = ("--format", format, "--warn", "residual", *(["--annotate"] if format in ("full", "json") else []))
    plain = gradual(*asked, *options, "--no-cache")
    assert not Path(FOLDER).exists()
    first, count = gradual(*asked, *options), len(checks)
    again = gradual(*asked, *options)
    assert count == len(checks) == 8
    assert [_without_time(done) for done in (first, again)] == [_without_time(plain)] * 2


def _without_time(done: Done) -> tuple[int, str, str]:
    return done.code, done.out, done.err


def test_notes_on_a_model_are_told_again(gradual: Gradual, checks: list[str]) -> None:
    path = str(EXAMPLES / "encoder.pt2")
    first, again = gradual("check", path), gradual("check", path)
    assert first.err == again.err
    assert len(checks) == 1
    assert gradual("check", path, "-q").err == ""


def test_workers_keep_results_too(gradual: Gradual) -> None:
    asked = ("check", "proved.relay", "residual.relay", "never.relay", "--jobs", "2")
    assert gradual(*asked).out == gradual(*asked).out == gradual(*asked, "--no-cache").out
    assert len(entries()) == 3


def test_runs_at_the_same_time_agree() -> None:
    command = [sys.executable, "-m", "gradual", "check", "proved.relay", "residual.relay", "never.relay"]
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) for _ in range(4)
    ]
    assert len({run.communicate() for run in runs}) == 1
    assert len(entries()) == 3


def test_a_kept_result_is_told_without_loading_the_checker(gradual: Gradual) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "gradual", "check", "proved.relay"]
    gradual(*command[5:])
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stderr
    loaded = {line.rpartition("|")[2].strip() for line in told.splitlines() if " gradual" in line}
    assert "gradual.tools.checking.cached" in loaded
    rooms = {"dims", "types", "tensors", "ops", "syntax", "core", "checker", "run", "importers", "compiler"}
    assert {name for name in loaded if name.split(".")[1:2] and name.split(".")[1] in rooms} == set()


# ------------------------------------------------------------------------------------------------------ what is asked
def variants(value: Any) -> Iterator[Any]:
    """Requests that differ from one in a single part, however deep."""
    for part in fields(value):
        old = getattr(value, part.name)
        news = variants(old) if is_dataclass(old) else [_other(old)]
        yield from (replace(value, **{part.name: new}) for new in news)


def _other(old: object) -> object:
    match old:
        case bool():
            return not old
        case int():
            return old + 1
        case str():
            return old + "x"
        case None:
            return "x"
        case tuple():
            return (*old, "x")
        case _:
            raise AssertionError(f"no other value for {old!r}")


def test_each_option_has_results_of_its_own() -> None:
    wanted = replace(WANTED, levels=Levels(tuple(chosen(Level.DENY, ["residual"], "here"))))
    others = [other for other in (*variants(wanted), WANTED) if other.cached]
    places = {cached._place("proved.relay", other) for other in (wanted, *others)}
    assert len(places) == len(others) + 1 > 50


def test_each_file_and_working_directory_has_results_of_its_own(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "gradual.toml").write_text("", encoding="utf-8")
    here = {cached._place(path, WANTED) for path in ("a.relay", "b.relay")}
    (place / "inner").mkdir()
    monkeypatch.chdir(place / "inner")
    there = {cached._place(path, WANTED) for path in ("a.relay", "b.relay")}
    assert len(here | there) == 4
    assert {path.parent for path in here | there} == {place / FOLDER}  # beside the configuration


# ------------------------------------------------------------------------------------------------------- what changed
def test_a_changed_file_is_checked_even_if_its_stamp_is_the_same(checks: list[str]) -> None:
    path, result_of_first = Path("proved.relay"), result_of("proved.relay", WANTED)
    seen = path.stat()
    path.write_text(PROVED.replace("3", "4"), encoding="utf-8")
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert path.stat().st_size == seen.st_size
    assert result_of("proved.relay", WANTED).head != result_of_first.head
    assert len(checks) == 2


def test_a_model_is_read_again_if_its_weights_change(checks: list[str]) -> None:
    with_weights("m.onnx", [2, 3])
    first = result_of("m.onnx", WANTED)
    assert result_of("m.onnx", WANTED).head == first.head
    assert len(checks) == 1
    content = digest("m.onnx")
    with_weights("m.onnx", [3, 2])
    assert digest("m.onnx") == content
    assert result_of("m.onnx", WANTED).head == ("@main : fn (Tensor[(6,), float32]) -> Tensor[(3, 2), float32]",)
    assert len(checks) == 2


def test_nothing_is_kept_that_may_change_without_a_trace(checks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with_weights("m.onnx", [2, 3])
    monkeypatch.setattr(cached, "UNSETTLED", 60_000_000_000)
    result_of("m.onnx", WANTED)
    assert entries() == []


def test_a_file_that_changes_while_it_is_read_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    plainly = checking.checked_file

    def meddled(path: Any, wanted: Wanted) -> Checked:
        Path(path).write_text(NEVER, encoding="utf-8")
        return plainly(path, wanted)

    monkeypatch.setattr(checking, "checked_file", meddled)
    result_of("proved.relay", WANTED)
    assert entries() == []


@pytest.mark.parametrize("changed", ["tool", "python", "library", "source"])
def test_another_version_checks_again(checks: list[str], monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    result_of("proved.relay", WANTED)
    cached.version.cache_clear()
    stamp = cached._stamp
    match changed:
        case "tool":
            monkeypatch.setattr(cached, "__version__", "0.0.0")
        case "python":
            monkeypatch.setattr(sys, "version", "2.7")
        case "library":
            monkeypatch.setattr(cached, "_stamp", _but("z3", stamp))
        case "source":
            monkeypatch.setattr(cached, "_stamp", _but(os.path.join("dims", "term", "dim.py"), stamp))
    result_of("proved.relay", WANTED)
    cached.version.cache_clear()
    assert len(checks) == 2
    assert len(entries()) == 1  # the new one has replaced the old one


def _but(ending: str, stamp: Callable[[str], cached.Stamp]) -> Callable[[str], cached.Stamp]:
    return lambda path: (path, (0, 0)) if path.endswith(ending) else stamp(path)


# ---------------------------------------------------------------------------------------------------- harm and refusal
def test_a_damaged_entry_counts_as_absent(checks: list[str]) -> None:
    first = result_of("never.relay", WANTED).diagnostics
    whole, [entry] = entries()[0].read_bytes(), entries()
    plain = zlib.decompress(whole)
    damaged = [whole[:length] for length in range(0, len(whole), 7)]
    damaged += [zlib.compress(plain[:at] + bytes([plain[at] ^ 0x55]) + plain[at + 1 :]) for at in range(2, 120)]
    for count, data in enumerate(damaged[: len(whole) // 7], 2):
        entry.write_bytes(data)
        assert result_of("never.relay", WANTED).diagnostics == first
        assert len(checks) == count
    for data in damaged[len(whole) // 7 :]:
        entry.write_bytes(data)
        Entry(entry, "never.relay").result()  # perhaps another text, but no exception


class Attack:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("attacked",)


def test_an_entry_cannot_run_code(checks: list[str]) -> None:
    result_of("proved.relay", WANTED)
    attack = pickle.dumps((cached.version(), digest("proved.relay"), [], Attack()))
    entries()[0].write_bytes(zlib.compress(attack))
    result_of("proved.relay", WANTED)
    assert not Path("attacked").exists()
    assert len(checks) == 2


def test_a_folder_that_cannot_be_written_is_no_error(gradual: Gradual) -> None:
    Path(FOLDER).write_text("", encoding="utf-8")
    assert gradual("check", "proved.relay").code == 0


def test_standard_input_is_not_kept(gradual: Gradual) -> None:
    gradual("check", "-", stdin=PROVED)
    assert not Path(FOLDER).exists()


def test_a_pipe_is_read_once_and_not_kept(gradual: Gradual) -> None:
    os.mkfifo("pipe.relay")
    writer = Thread(target=Path("pipe.relay").write_text, args=(PROVED,), daemon=True)
    writer.start()
    assert gradual("check", "pipe.relay").code == 0
    assert not Path(FOLDER).exists()


# ----------------------------------------------------------------------------------------------------------- the folder
def test_clean_deletes_the_folder(gradual: Gradual) -> None:
    gradual("check", "proved.relay")
    assert sorted(path.name for path in Path(FOLDER).iterdir() if path not in entries()) == [".gitignore", TAG]
    assert gradual("clean").out == f"deleted {Path.cwd() / FOLDER}\n"
    assert not Path(FOLDER).exists()
    assert gradual("clean").out == f"nothing to delete: no {Path.cwd() / FOLDER}\n"


def test_clean_leaves_a_folder_that_is_no_cache(gradual: Gradual) -> None:
    Path(FOLDER).mkdir()
    assert gradual("clean").code == 0
    assert Path(FOLDER).is_dir()
