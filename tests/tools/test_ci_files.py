"""The hooks for pre-commit and the GitHub action: their commands are run as the services would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROGRAM = "def @f(%x: Tensor[(5,), float32]) -> Tensor[(7,), float32] {\n  %x\n}\n"
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "gradual" / "bin").mkdir(parents=True)
    command = tmp_path / "gradual" / "bin" / "gradual"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m gradual "$@"\n')
    command.chmod(0o755)
    (tmp_path / "a.relay").write_text(PROGRAM)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "RUNNER_TEMP": str(tmp_path)}


@pytest.mark.parametrize(("id", "code"), [("gradual-check", 1), ("gradual-fmt", 0)])
def test_a_hook_runs_on_the_files_that_it_takes(
    tmp_path: Path, environment: dict[str, str], id: str, code: int
) -> None:
    [hook] = [hook for hook in HOOKS if hook["id"] == id]
    assert re.search(hook["files"], "a.relay")
    done = subprocess.run([*hook["entry"].split(), "a.relay"], cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == code
    assert hook["language"] == "python"


def test_the_action_annotates_lines(tmp_path: Path, environment: dict[str, str]) -> None:
    [step] = [step for step in ACTION["runs"]["steps"] if step.get("name") == "Check"]
    given = {"PATHS": "a.relay", "ARGUMENTS": "--deny residual --no-cache"}
    assert step["env"].keys() == given.keys()
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=tmp_path, env={**environment, **given}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=a.relay,line=2,")


def test_the_action_installs_the_extras_that_exist() -> None:
    [step] = [step for step in ACTION["runs"]["steps"] if step.get("name") == "Install"]
    written = (
        step["run"].replace('"$RUNNER_TEMP/gradual/bin/pip" install --quiet', "echo").replace("python -m venv", "true")
    )
    for extras, wanted in (("", "/action"), ("onnx", "/action[onnx]")):
        environment = {**os.environ, "EXTRAS": extras, "GITHUB_ACTION_PATH": "/action", "RUNNER_TEMP": "/tmp"}
        done = subprocess.run(["bash", "-e", "-c", written], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == wanted


def test_every_input_of_the_action_is_used() -> None:
    used = {name for step in ACTION["runs"]["steps"] for name in re.findall(r"inputs\.(\w+)", str(step.get("env", "")))}
    assert used == ACTION["inputs"].keys()
