"""Testing another implementation needs no checker: suites, the runner, adapters, the protocol, reports."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import PACKAGE, ROOT

ROOTS = ("gradual.conformance.commands.running", "gradual.conformance.commands.reading")
GROUND = {"click", "lark", "rich", "numpy"}
"""The libraries that may be needed; NumPy is imported by functions that the runner does not call."""

CHECKER = ("ops", "core", "checker", "delaborate", "run", "passes", "lints", "compiler", "compilation", "tools")
"""The floors of the checker that is tested, of which a runner for others must need nothing."""


def file_of(module: str) -> Path | None:
    path = ROOT / module.replace(".", "/")
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((one for one in found if one.is_file()), None)


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (one if one.startswith("gradual") and file_of(one) else node.module for one in inner)


def needed() -> set[str]:
    """The modules that the roots import, those that these import, and so on, with their packages."""
    found: set[str] = set()
    waiting = list(ROOTS)
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        parts = module.split(".")
        waiting += [".".join(parts[:k]) for k in range(2, len(parts))]
        if parts[0] == "gradual" and module != "gradual":
            path = file_of(module)
            assert path is not None, module
            waiting += imported(path)
    return found


def test_a_runner_for_other_implementations_needs_nothing_of_the_checker() -> None:
    own = {module for module in needed() if module.startswith("gradual.")}
    assert "gradual.conformance.runner.judge" in own and "gradual.syntax.parse" in own
    assert not {module for module in own if module.split(".")[1] in CHECKER}
    assert "gradual" not in needed() and PACKAGE.name == "gradual"


def test_it_needs_small_libraries_only() -> None:
    others = {module.split(".")[0] for module in needed()} - set(sys.stdlib_module_names) - {"gradual"}
    assert others <= GROUND
