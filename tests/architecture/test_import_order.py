"""The order of the folders is the import order, and every foreign library has one door."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.sources import (
    FOLDERS,
    GROUND,
    ORDER,
    PACKAGE,
    RIM,
    Import,
    Module,
    imports,
    imports_of,
    modules,
)

FORWARD_FOR_TYPES: frozenset[tuple[str, str]] = frozenset()
"""Imports under `if TYPE_CHECKING` that point forward: (module, imported module)."""

DOORS = {
    "z3": ("gradual/dims/solver/smt.py",),
    "lark": ("gradual/syntax/",),
    "pygls": ("gradual/tools/lsp/",),
    "lsprotocol": ("gradual/tools/lsp/",),
    "onnx": ("gradual/importers/onnx/file/reading.py",),
    "click": (
        "gradual/interface/",
        "gradual/conformance/commands/",
        "gradual/conformance/cli.py",
        "gradual/tools/",
        "gradual/__main__.py",
    ),
    "rich": ("gradual/interface/", "gradual/tools/", "gradual/__main__.py"),
    "prompt_toolkit": ("gradual/tools/", "gradual/__main__.py"),
    "pygments": ("gradual/tools/",),
    "distributed": ("gradual/tools/census/cluster.py",),
    "dask": (),
    "IPython": ("gradual/tools/notebook.py",),
    "typer": (),
    "numpy": ("gradual/tensors/arrays/numpy_library.py",),
}


def points_back(found: Import) -> bool:
    """Whether an import stays in its folder or goes to an earlier one."""
    if not found.place:
        return True
    here, there = ORDER.index(found.module.place), ORDER.index(found.place)
    return there < here or (there == here and found.place in (*FOLDERS, *RIM))


def is_behind_its_door(found: Import) -> bool:
    """Whether a foreign library is imported only where its door is."""
    doors = DOORS.get(found.target.partition(".")[0])
    return doors is None or found.module.name.startswith(doors)


def test_every_module_has_a_place_in_the_order() -> None:
    assert [module.name for module in modules() if module.place not in ORDER] == []


def test_imports_point_back_along_the_order() -> None:
    assert [str(found) for found in imports() if not found.for_types and not points_back(found)] == []


def test_imports_for_types_that_point_forward_are_listed() -> None:
    forward = {(found.module.name, found.target) for found in imports() if found.for_types and not points_back(found)}
    assert forward == FORWARD_FOR_TYPES


def test_every_foreign_library_has_one_door() -> None:
    assert [str(found) for found in imports() if not is_behind_its_door(found)] == []


def test_every_folder_of_python_is_a_package() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


@pytest.mark.parametrize(
    ("place", "line", "allowed"),
    [
        ("gradual/dims/x.py", "from gradual.limits import LIMITS", True),
        ("gradual/dims/x.py", "from gradual.dims.term.dim import Dim", True),
        ("gradual/dims/x.py", "def f():\n    from gradual.types.type import Hole", False),
        ("gradual/dims/x.py", "from gradual import compiler", False),
        ("gradual/diagnostic.py", "import gradual.verdict", True),
        ("gradual/verdict.py", "import gradual.diagnostic", False),
        ("gradual/compiler.py", "from gradual.tools.cli import entry", False),
    ],
)
def test_the_test_of_the_order_can_fail(place: str, line: str, allowed: bool) -> None:
    assert all(map(points_back, _written(place, line))) is allowed


@pytest.mark.parametrize(
    ("place", "line", "allowed"),
    [
        ("gradual/dims/solver/smt.py", "import z3", True),
        ("gradual/dims/solver/decide.py", "def f():\n    from z3.z3 import Solver", False),
        ("gradual/interface/terminal.py", "from rich.text import Text", True),
        ("gradual/tensors/tensor.py", "import numpy as np", False),
    ],
)
def test_the_test_of_the_doors_can_fail(place: str, line: str, allowed: bool) -> None:
    assert all(map(is_behind_its_door, _written(place, line))) is allowed


def _written(place: str, text: str) -> list[Import]:
    import ast

    return list(imports_of(Module(PACKAGE.parent / Path(place), ast.parse(text))))


def test_the_ground_is_files_and_the_rest_folders() -> None:
    files = {path.stem for path in PACKAGE.glob("*.py")}
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert files <= {*GROUND, "compilation", "compiler", "exported", "__init__", "__main__"}
    assert folders <= {*FOLDERS, *RIM}
