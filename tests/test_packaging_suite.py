"""The suite is a distribution of its own, which is built from the sources of `gradual` and runs without it."""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.test_packaging import ROOT, run

FOLDER = ROOT / "packaging" / "conformance"
ADAPTER = shlex.join([sys.executable, str(ROOT / "examples" / "adapter.py")])
PATIENT = ("--timeout", "120", "--jobs", "1")
ALONE = """import runpy, sys
sys.modules["gradual"] = None
sys.path += sys.argv.pop(1).split(":")
runpy.run_module("gradual_conformance", run_name="__main__", alter_sys=True)"""
"""Runs the installed suite; an import of `gradual` is an error."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("suite")
    run(sys.executable, "-m", "build", "--outdir", folder, FOLDER, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel is installed."""
    target = tmp_path_factory.mktemp("installed")
    (wheel,) = built.glob("*.whl")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, wheel, cwd=built)
    return target


def alone(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command where no `gradual` can be imported; its adapter can import it."""
    libraries = Path(str(importlib.metadata.distribution("click").locate_file("")))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALONE, f"{installed}:{libraries}", *words],
        cwd=installed, env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.rest
def test_a_wheel_from_the_sdist_is_the_wheel_from_the_checkout(built: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, FOLDER, cwd=tmp_path)
    (direct,) = tmp_path.glob("*.whl")
    assert contents(direct) == contents(built / direct.name)
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        assert not [name for name in archive.getnames() if "mechanized" in name]


def contents(wheel: Path) -> dict[str, bytes]:
    """What each file of a wheel has; its RECORD lists them in the order of the archive, and is left out."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


@pytest.mark.slow
@pytest.mark.rest
def test_it_carries_the_suite_the_chapters_the_schemas_and_the_licence(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    found = contents(wheel)
    assert wheel.name.split("-")[1] == (ROOT / "spec/conformance/VERSION").read_text(encoding="utf-8").strip()
    wanted = [path for path in (ROOT / "spec").rglob("*") if path.is_file() and "mechanized" not in path.parts]
    for path in (*wanted, ROOT / "grammar" / "gradual.lark"):
        assert found[f"gradual_conformance/{path.relative_to(ROOT).as_posix()}"] == path.read_bytes()
    assert any(name.endswith("licenses/LICENSE") for name in found)
    assert {name.split("/")[0].split("-")[0] for name in found} == {"gradual_conformance"}


@pytest.mark.slow
@pytest.mark.rest
@pytest.mark.parametrize(
    "words",
    [
        ("run", "rfc/broadcast/*", *PATIENT, "--adapter", ADAPTER),
        ("run", "-v", "pass/static/reshape", "rfc/broadcast/any-with-ten", *PATIENT, "--adapter", ADAPTER),
        ("list", "--level", "core"),
        ("show", "rfc/broadcast/*"),
        ("copy", "rfc/broadcast/*"),
        ("lint",),
    ],
)
def test_without_gradual_it_says_what_gradual_conformance_says(installed: Path, words: tuple[str, ...]) -> None:
    theirs = alone(installed, *words)
    assert theirs.returncode == 0, theirs.stderr
    assert theirs.stdout.strip() == run(
        sys.executable, "-m", "gradual", "conformance", *words, cwd=ROOT, PYTHONPATH=str(ROOT)
    )


@pytest.mark.slow
@pytest.mark.rest
def test_it_counts_an_adapter_s_answers_by_rule(installed: Path) -> None:
    """An adapter that skips every case: all rules are listed, and none is answered."""
    skips = installed / "skips.py"
    skips.write_text(SKIPS)
    done = alone(installed, "coverage", "--adapter", shlex.join([sys.executable, str(skips)]))
    assert done.returncode == 0, done.stderr
    name, *rows = done.stdout.splitlines()
    assert name == "skips 1" and rows
    assert all(" passed   0 of   0 answered" in row for row in rows)
    assert any(row.startswith("op.nn.dense.contract ") for row in rows)


SKIPS = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    replies = {
        "hello": {"protocol": 1, "name": "skips", "version": "1", "profiles": ["verdict"]},
        "bye": {"bye": True},
    }
    print(json.dumps({"seq": request["seq"]} | replies.get(request["cmd"], {"skipped": "all"})), flush=True)
"""


@pytest.mark.slow
@pytest.mark.rest
@pytest.mark.parametrize("command", ["run", "coverage"])
def test_without_an_implementation_to_test_it_asks_for_one(installed: Path, command: str) -> None:
    done = alone(installed, command)
    assert done.returncode == 2 and "name the implementation under test" in done.stderr


@pytest.mark.slow
@pytest.mark.rest
def test_its_version_is_the_suite_s(installed: Path) -> None:
    version = (ROOT / "spec/conformance/VERSION").read_text(encoding="utf-8").strip()
    assert alone(installed, "--version").stdout == f"gradual-conformance {version}\n"
