"""What the distribution `gradual-conformance` consists of: modules of `gradual` under another name, and the suite.

The modules are those that the command needs, computed from the imports, so that there is no list to maintain.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
NAME = "gradual_conformance"
ROOT = "gradual.conformance.commands.standalone"
DATA = ("spec", "grammar")
LEFT_OUT = ("mechanized", "__pycache__")
"""Folders of data that no runner reads: the proofs are compiled in a checkout."""


def is_complete() -> bool:
    """Whether the package stands here already, as it does in an unpacked sdist."""
    return (HERE / NAME / "spec").is_dir()


def version() -> str:
    """The version of the suite."""
    spec = (HERE / NAME if is_complete() else CHECKOUT) / "spec"
    return (spec / "conformance" / "VERSION").read_text(encoding="utf-8").strip()


def write(package: Path) -> None:
    """Write everything of the package except its own `__init__` and `__main__`."""
    for module in sorted(needed()):
        source = file_of(module)
        if source is not None and module != "gradual":
            target = package / source.relative_to(CHECKOUT / "gradual")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(source.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copy(HERE / "README.md", package / "README.md")
    for name in DATA:
        shutil.copytree(CHECKOUT / name, package / name, ignore=shutil.ignore_patterns(*LEFT_OUT))


def needed() -> set[str]:
    """The modules that the command imports, those that these import, and so on, with their packages."""
    found: set[str] = set()
    waiting = [ROOT]
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
            waiting += _imported(path)
    return found


def file_of(module: str) -> Path | None:
    """The source of a module of the checkout; None for any other."""
    path = CHECKOUT / module.replace(".", "/")
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((one for one in found if one.is_file()), None)


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (one if one.startswith("gradual") and file_of(one) else node.module for one in inner)


def renamed(source: str) -> str:
    """A module's text with its imports of `gradual.…` renamed; other mentions of the name stay."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "gradual":
            at = node.lineno - 1
            lines[at] = lines[at].replace("from gradual", f"from {NAME}", 1)
        elif isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] == "gradual" for alias in node.names), ast.unparse(node)
    return "".join(lines)
