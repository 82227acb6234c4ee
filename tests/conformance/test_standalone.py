"""Testing another implementation needs no checker: suites, the runner, adapters, the protocol, reports."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from gradual.conformance.commands.standalone import main
from gradual.resources import folder
from tests.architecture.sources import PACKAGE, ROOT

FOLDER = ROOT / "packaging" / "conformance"

CHECKER = ("ops", "core", "checker", "delaborate", "run", "passes", "lints", "compiler", "compilation", "tools")
"""The floors of the checker that is tested, of which a runner for others must need nothing."""


def loaded(path: Path) -> ModuleType:
    """A module that lies in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


distribution = loaded(FOLDER / "distribution.py")
NEEDED: set[str] = distribution.needed()


def project(folder: Path) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def test_a_runner_for_other_implementations_needs_nothing_of_the_checker() -> None:
    own = {module for module in NEEDED if module.startswith("gradual.")}
    assert "gradual.conformance.runner.judge" in own and "gradual.syntax.parse" in own
    assert not {module for module in own if module.split(".")[1] in CHECKER}
    assert "gradual" not in NEEDED and PACKAGE.name == "gradual"


def test_it_needs_its_declared_dependencies_only_and_numpy_where_no_runner_calls_it() -> None:
    others = {module.split(".")[0] for module in NEEDED} - set(sys.stdlib_module_names) - {"gradual"}
    declared = project(FOLDER)["dependencies"]
    assert isinstance(declared, list)
    assert others == {requirement.split(">")[0] for requirement in declared} | {"numpy"}


def test_it_has_what_the_package_says_of_licence_python_and_dependencies() -> None:
    own, whole = project(FOLDER), project(ROOT)
    assert (FOLDER / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert all(own[key] == whole[key] for key in ("license", "requires-python", "authors"))
    assert isinstance(own["dependencies"], list) and isinstance(whole["dependencies"], list)
    assert set(own["dependencies"]) <= set(whole["dependencies"])


def test_its_version_is_the_suite_s() -> None:
    assert distribution.version() == (ROOT / "spec/conformance/VERSION").read_text(encoding="utf-8").strip()


def test_imports_are_renamed_and_other_mentions_stay() -> None:
    text = (
        '"""See from gradual.record."""\n\nfrom gradual.record import record\n\nif record:\n    from gradual import x\n'
    )
    renamed = text.replace("\nfrom gradual", "\nfrom gradual_conformance").replace(
        "    from gradual", "    from gradual_conformance"
    )
    assert distribution.renamed(text) == renamed
    with pytest.raises(AssertionError):
        distribution.renamed("import gradual.record\n")


def test_a_copy_imports_nothing_that_it_has_not(tmp_path: Path) -> None:
    distribution.write(tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py")}
    assert "conformance/commands/standalone.py" in names and "__init__.py" not in names
    for name in names:
        for node in ast.walk(ast.parse((tmp_path / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                first, _, rest = (node.module or "").partition(".")
                assert first != "gradual", name
                inside = rest.replace(".", "/")
                assert first != distribution.NAME or not {f"{inside}.py", f"{inside}/__init__.py"}.isdisjoint(names), (
                    name
                )


def test_the_package_has_its_readme_which_names_the_shared_modules(tmp_path: Path) -> None:
    distribution.write(tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert (tmp_path / "spec/conformance/protocol/adapter.py").is_file()
    line = text.partition("with modules that the reference implementation uses too: ")[2].partition(
        ", and the grammar"
    )[0]
    shared = {module.split(".")[1] for module in NEEDED if module.startswith("gradual.")} & LANGUAGE
    assert set(re.findall(r"`(\w+)`", line)) == shared


LANGUAGE = {"dims", "limits", "syntax", "tensors", "types", *CHECKER}
"""The modules that implement the language."""


def test_its_help_says_where_the_suite_is() -> None:
    told = CliRunner().invoke(main, ["--help"])
    assert told.exit_code == 0 and str(folder("spec")) in told.output
