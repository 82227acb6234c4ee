"""Tracked texts name no machine, public names have docstrings, and the longest files are reported."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, Module, modules

# Written so that the pattern does not match itself.
MACHINE = re.compile(
    r"(?<![\w.~<>{}-])/(?:work|home|Users|root|mnt|private/var)/\w"
    r"|\b[A-Z]:\\(?:Users|Windows)\b"
    r"|\b(?:pypi|test\.pypi)[.]org|pythonhosted[.]org|npmjs[.]org|proxy\.golang[.]org|crates[.]io\b"
    r"|--(?:extra-)?index-url|\b(?:artifactory|nexus)[.]"
    r"|\b(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}:\d{2,5}\b"
)


def tracked() -> list[Path]:
    """The files under version control, or every file of an unpacked archive."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return [path for path in ROOT.rglob("*") if path.is_file()]
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def test_tracked_texts_name_no_machine_and_no_registry() -> None:
    found = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if MACHINE.search(line))
        found += [f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}" for number, line in lines]
    assert found == []


@pytest.mark.parametrize(
    "halves",  # written apart, so that this file does not offend
    [
        ("see /wo", "rk/main/gradual"),
        ("open('/ho", "me/somebody/x')"),
        ("pip install --index", "-url=x"),
        ("https://py", "pi.org/simple"),
        ("http://127.0", ".0.1:8080"),
    ],
)
def test_a_machine_is_recognised(halves: tuple[str, str]) -> None:
    assert MACHINE.search("".join(halves))


@pytest.mark.parametrize(
    "line", ["a framework/library", "docs/home/index.md", "1.10.0.3", "~/work/relay", "/usr/bin/env"]
)
def test_an_ordinary_line_is_not(line: str) -> None:
    assert not MACHINE.search(line)


BUILDERS = ("gradual/syntax/parsing/build.py", "gradual/syntax/parsing/build_types.py")
"""Their functions bear the names of the grammar's rules, where they are explained."""


def test_public_names_have_docstrings() -> None:
    assert [name for module in modules() for name in _undocumented(module)] == []


def _undocumented(module: Module) -> Iterator[str]:
    if module.path.name != "__init__.py" and ast.get_docstring(module.tree) is None:
        yield f"{module.name}:1 the module"
    for node in _public(module.tree) if module.name not in BUILDERS else ():
        if ast.get_docstring(node) is None:
            yield f"{module.name}:{node.lineno} {node.name}"


def _public(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if not any(ast.unparse(mark).endswith((".setter", "overload", "override")) for mark in node.decorator_list):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from _public(node)


CHAPTER = 350


def test_the_longest_files_are_reported(tell: Callable[[str], None]) -> None:
    lengths = {module.name: module.path.read_text("utf-8").count("\n") for module in modules()}
    long = sorted((lines, name) for name, lines in lengths.items() if lines > CHAPTER)
    tell(f"gradual/: {len(lengths)} files, {sum(lengths.values())} lines, {len(long)} longer than {CHAPTER} lines")
    for lines, name in reversed(long):
        tell(f"  {lines:5d} {name}")
