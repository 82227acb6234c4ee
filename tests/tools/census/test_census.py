"""`gradual census`: a row for each file whatever happens, nothing done twice, nothing lost, and a true report."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradual.interface.input.files import streamed
from gradual.tools.census.key import key_of
from gradual.tools.census.row import PLAIN, timeless
from gradual.tools.census.running import here, rows
from gradual.tools.checking.checking_many import AHEAD
from gradual.tools.checking.children import UNBOUNDED
from tests.interrupts import heard
from tests.tools.census.conftest import FILES, copies, endless, hungry, rows_of
from tests.tools.conftest import Gradual
from tests.tools.test_check import NEVER, PROVED

ROOT = Path(__file__).parents[3]


def test_every_file_has_a_row_whatever_happens_to_it(gradual: Gradual, files: Path) -> None:
    hungry(files / "hungry.relay")
    endless(files / "endless.relay")
    names = [*FILES, "hungry.relay", "endless.relay", "missing.relay"]
    done = gradual("census", *names, "--jobs", "2", "--timeout", "6", "--memory", "150", "--journal", "journal")
    found = {row["file"]: row for row in rows_of(files / "journal")}
    expected = {name: outcome for name, (_, outcome) in FILES.items()}
    expected |= {"hungry.relay": "memory", "endless.relay": "timeout", "missing.relay": "unreadable"}
    assert {name: row["outcome"] for name, row in found.items()} == expected
    assert done.code == 0 and done.lines[0].startswith("9 files: ok 3 ·")
    assert found["endless.relay"]["seconds"] >= 6 and found["endless.relay"]["says"] == "not checked within 6 s"
    assert found["hungry.relay"]["says"] == "not checked within 150 MB"
    assert found["hungry.relay"]["limits"] == {"seconds": 6.0, "megabytes": 150}
    assert found["unknown.onnx"]["operators"] == ["Unheard"]
    assert [row["format"] for row in found.values() if row["file"].endswith(".onnx")] == ["onnx"] * 3
    assert all(row["key"] for row in found.values() if row["file"] in FILES)


def test_a_row_says_what_check_says(gradual: Gradual, files: Path) -> None:
    gradual("census", ".", "--jobs", "1", "--journal", "journal")
    for row in rows_of(files / "journal"):
        done = gradual("check", row["file"], "missing.relay", "--format", "json")
        (own,) = (one for one in map(json.loads, done.lines) if one["kind"] == "file" and one["file"] == row["file"])
        assert {key: row[key] for key in own} == own


def test_models_of_all_formats_are_read_in_folders_and_alone(gradual: Gradual, tmp_path: Path) -> None:
    (tmp_path / "in").symlink_to(ROOT / "examples")
    gradual("census", "in/encoder.pt2", "in/heads", "in/positions.onnx", "in/head.relay", "--journal", "journal")
    formats = {row["file"]: row["format"] for row in rows_of(tmp_path / "journal")}
    expected = {"in/encoder.pt2": "torch", "in/heads": "tensorflow", "in/positions.onnx": "onnx"}
    assert formats == expected | {"in/head.relay": "relay"}
    shutil.copytree(ROOT / "examples" / "heads", tmp_path / "models" / "heads")
    gradual("census", "models", "--journal", "second")
    (row,) = rows_of(tmp_path / "second")
    assert (row["file"], row["format"]) == ("models/heads/saved_model.pb", "tensorflow")
    assert any(other.endswith("variables.index") for other in row["others"])


def test_a_malformed_configuration_costs_the_files_of_its_folder_their_check(gradual: Gradual, files: Path) -> None:
    (files / "other").mkdir()
    (files / "other" / "p.relay").write_text(PROVED)
    (files / "other" / "gradual.toml").write_text("smt = 1\nrigid = 2\n")
    gradual("census", "proved.relay", "other", "--jobs", "1", "--journal", "journal")
    found = {row["file"]: (row["outcome"], [*row["codes"]]) for row in rows_of(files / "journal")}
    assert found == {"proved.relay": ("ok", []), "other/p.relay": ("unreadable", ["E0705"])}


# ------------------------------------------------------------------------------------------------------- resuming
def test_a_second_run_checks_only_what_has_changed(gradual: Gradual, files: Path) -> None:
    arguments = ("census", ".", "--jobs", "2", "--journal", "journal")
    first = gradual(*arguments)
    before = rows_of(files / "journal")
    for path in files.iterdir():  # a newer time alone is no change
        os.utime(path)
    assert gradual(*arguments) == first
    assert rows_of(files / "journal") == before
    kept = (files / "proved.relay").stat()
    (files / "proved.relay").write_text(PROVED.replace("@f", "@g"))
    os.utime(files / "proved.relay", ns=(kept.st_atime_ns, kept.st_mtime_ns))
    (files / "new.relay").write_text(PROVED)
    assert gradual(*arguments).lines[0] == "7 files: ok 4 · errors 1 · unreadable 1 · unsupported 1"
    added = rows_of(files / "journal")[len(before) :]
    assert sorted(row["file"] for row in added) == ["new.relay", "proved.relay"]


def test_a_journal_is_for_the_options_that_it_was_written_with(gradual: Gradual, files: Path) -> None:
    arguments = ("census", "proved.relay", "refuted.relay", "--jobs", "1", "--journal", "journal")
    gradual(*arguments)
    before = rows_of(files / "journal")
    (files / "gradual.toml").write_text("smt = false\n")
    gradual(*arguments)
    after = rows_of(files / "journal")[len(before) :]
    assert [row["file"] for row in after] == ["proved.relay", "refuted.relay"]
    assert not {row["key"] for row in after} & {row["key"] for row in before}


def test_a_key_is_for_one_version_and_one_content(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(files / name) for name in FILES]
    keys = [key_of(path, PLAIN) for path in paths]
    assert len({*keys, ""}) == len(FILES) + 1 and keys == [key_of(path, PLAIN) for path in paths]
    monkeypatch.setattr("gradual.tools.census.key.__version__", "0.0.0")
    assert not {key_of(path, PLAIN) for path in paths} & {*keys}


def test_a_key_is_for_all_files_of_a_model(tmp_path: Path) -> None:
    model, other = tmp_path / "saved_model.pb", tmp_path / "weights"
    model.write_bytes(b"graph")
    keys = [key_of(str(tmp_path), PLAIN)]
    for content in (None, b"", b"values", b"others"):
        if content is not None:
            other.write_bytes(content)
        keys.append(key_of(str(model), PLAIN, [str(other)]))
    assert len({*keys, ""}) == 6 and keys[0] == key_of(str(model), PLAIN)


def test_weights_in_another_file_are_part_of_a_model(gradual: Gradual, tmp_path: Path) -> None:
    held = numpy_helper.from_array(np.arange(600, dtype=np.float32), "w")
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 600]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", ports[:1], ports[1:], [held])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
    for added in (1, 0, 1, 0):
        before = len(rows_of(tmp_path / "journal"))
        assert gradual("census", "m.onnx", "--jobs", "1", "--journal", "journal").lines[0] == "1 file: ok 1"
        assert len(rows_of(tmp_path / "journal")) - before == added
        if not added:
            (tmp_path / "m.data").write_bytes(np.ones(600, dtype=np.float32).tobytes())
    assert rows_of(tmp_path / "journal")[0]["others"] == ["m.data"]


def test_only_what_exceeded_its_limits_is_checked_within_others(gradual: Gradual, files: Path) -> None:
    hungry(files / "hungry.relay")
    arguments = ("census", "hungry.relay", "proved.relay", "--jobs", "1", "--journal", "journal", "--memory")
    for memory, added in (("150", 2), ("150", 0), ("151", 1)):
        before = len(rows_of(files / "journal"))
        gradual(*arguments, memory)
        assert len(rows_of(files / "journal")) - before == added, memory


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_is_resumed(tmp_path: Path, how: signal.Signals) -> None:
    names, journal = copies(tmp_path / "in", 40), tmp_path / "journal"
    command = [sys.executable, "-m", "gradual", "census", "in", "--jobs", "2", "--journal", "journal"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    options: dict[str, Any] = {"cwd": tmp_path, "env": environment, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, preexec_fn=heard, stdout=subprocess.DEVNULL, **options) as run:
        while len(rows_of(journal)) < 5:
            assert run.poll() is None
            time.sleep(0.01)
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        run.send_signal(how)
        run.wait()
    before = rows_of(journal)
    assert run.returncode == (130 if how is signal.SIGINT else -how) and len(before) < len(names)
    until = time.monotonic() + 30
    while any(map(alive, children)):
        assert time.monotonic() < until, children
        time.sleep(0.01)
    with journal.open("ab") as stream:
        stream.write(b'{"kind": "file", "file": "in/00')  # a row that was not written to its end
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, **options)
    after = rows_of(journal)
    assert after[: len(before)] == before
    assert sorted(row["file"] for row in after) == names
    assert done.stdout.startswith("40 files: ok 21 · errors 7 · unreadable 6 · unsupported 6\n"), done.stdout


def alive(process: str) -> bool:
    """Whether a process is running: it exists, and is no zombie, which has ended without a parent that waits for it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("text", ["a note\n", "a note", '{"kind": "file", "file": 1\n', '{"kind": "fire"'])
def test_what_is_no_journal_is_left_alone(gradual: Gradual, files: Path, text: str) -> None:
    (files / "notes").write_text(text)
    done = gradual("census", "proved.relay", "--journal", "notes")
    assert (done.code, done.out, (files / "notes").read_text()) == (2, "", text)
    assert "E0701" in done.err and "no row of a census" in done.err


# ------------------------------------------------------------------------------------------------------ the order
def test_files_are_taken_as_there_is_room_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies(tmp_path / "in", 30)
    monkeypatch.chdir(tmp_path)
    taken = 0

    def units() -> Any:
        nonlocal taken
        for unit in streamed(["in"], (".relay", ".onnx")):
            taken += 1
            yield unit

    for done, _ in enumerate(rows(units(), here(2, UNBOUNDED), None, UNBOUNDED)):
        assert taken <= done + AHEAD * 2
    assert taken == 30


def test_a_report_is_the_same_for_any_number_of_processes(gradual: Gradual, files: Path) -> None:
    copies(files / "in", 12)
    told = [gradual("census", ".", "--jobs", jobs, "--format", "json").out for jobs in ("1", "3")]
    one, many = ({key: value for key, value in json.loads(text).items() if key in STEADY} for text in told)
    assert one == many and one["files"] == 18
    assert many["listed"]["errors"] == sorted(many["listed"]["errors"], key=lambda entry: entry["file"])


STEADY = ("files", "outcomes", "shares", "not_imported", "operators", "rules", "codes", "listed")
"""The parts of a report without times."""


def test_rows_differ_in_their_times_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies(tmp_path / "in", 12)
    monkeypatch.chdir(tmp_path)
    units = list(streamed(["in"], (".relay", ".onnx")))
    found = [[*rows(units, here(jobs, UNBOUNDED), None, UNBOUNDED)] for jobs in (1, 2)]
    by_file = [sorted(map(timeless, one), key=lambda row: row["file"]) for one in found]
    assert by_file[0] == by_file[1] and len(by_file[0]) == 12
    assert all(row["seconds"] > 0 for row in found[0])


# ----------------------------------------------------------------------------------------------------- the report
class Reading(HTMLParser):
    """Reads a page, of which every element that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_page_is_whole_and_loads_nothing(gradual: Gradual, files: Path) -> None:
    (files / "<b>&.relay").write_text(NEVER)
    done = gradual("census", ".", "--jobs", "2", "-o", "report.html")
    assert (done.code, done.out) == (0, "")
    text = (files / "report.html").read_text()
    page = Reading()
    page.feed(text)
    assert page.open == [] and "<b>&.relay" in page.texts
    assert page.tags.isdisjoint({"script", "link", "img", "iframe", "b"})
    assert not any(word in text for word in ("http:", "https:", "url(", "@import", "src="))
    anchors = {link.removeprefix("#") for link in page.attributes["href"]}
    assert anchors == page.attributes["id"] and "0" in page.attributes["tabindex"]
    for word in ("color-scheme: light dark", "@media print"):
        assert word in text
    for shown in ("Unheard", "type.annotation", "E0301", "junk.onnx"):
        assert shown in page.texts


def test_options_that_do_not_go_together(gradual: Gradual) -> None:
    done = gradual("census", "x", "--cluster", "tcp://nowhere:1", "--jobs", "2")
    assert (done.code, done.out) == (2, "") and "--jobs does not go with its address" in done.err
