"""Rooms: their order inside a folder, no circle of files, no import in a function without a reason, and their sizes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGE, ROOMS, Import, Module, imports, imports_of, modules

CODE_IN_INIT = ("", "core", "dims/term", "types")
"""The folders whose `__init__` has code: the package answers `import gradual`, the others hand the functions that are
written in a room's later files to the classes of its earlier ones."""

MUTUAL_DATA = frozenset({"gradual.dims.term.atom", "gradual.dims.term.polynomial", "gradual.dims.term.constraint"})
"""Data that contain each other: an atom has dims and conditions, a dim has atoms.  Only types are imported forward."""

HEAVY = (
    *("ctypes", "difflib", "distributed", "google", "importlib", "lark", "numpy", "onnx", "prompt_toolkit", "rich"),
    *("tempfile", "tomllib", "torch", "z3"),
)
"""Libraries that cost start-up time, and that most runs do not need."""

STAGES = (
    *("gradual.checker.fixes", "gradual.passes", "gradual.run.graph", "gradual.run.machine"),
    *("gradual.lints", "gradual.delaborate"),
)
LATE = {
    "gradual/__main__.py": ("gradual.tools.cli",),
    "gradual/compilation.py": (*STAGES, "gradual.checker.completeness", "gradual.report.html"),
    "gradual/compiler.py": ("gradual.checker.fixes", "gradual.passes"),
    "gradual/interface/input/imported.py": ("gradual.importers",),
    "gradual/interface/input/program_text.py": ("gradual.interface.input.imported",),
    "gradual/syntax/parse.py": ("gradual.syntax.repair.suggestions",),
    "gradual/tensors/exchange/array_protocols.py": ("gradual.tensors.exchange.dlpack",),
    "gradual/tensors/tensor.py": ("gradual.tensors.exchange.dlpack",),
    "gradual/tools/checking/cached.py": ("gradual.tools.checking.checking",),
    "gradual/tools/checking/telling.py": ("gradual.interface.reports.ci",),
    "gradual/tools/commands/annotating.py": ("gradual.interface", "gradual.tools"),
    "gradual/tools/commands/check.py": ("gradual.interface.reports", "gradual.tools.checking"),
    "gradual/tools/commands/explain.py": ("gradual.interface.reports",),
    "gradual/tools/commands/fmt.py": ("gradual.tools.checking",),
    "gradual/tools/commands/lsp.py": ("gradual.tools.lsp",),
    "gradual/tools/commands/repl.py": ("gradual.tools.session",),
    "gradual/tools/commands/run.py": ("gradual.interface.reports",),
}
"""Stages that an ordinary check does not need, and that are imported when they are first asked for, by who asks."""

LINES, FILES, ARGUMENTS, ORDINARY = 400, 14, 8, 16

MANY = (
    ("gradual/ops/nn/pool.py", "sliding"),  # the attributes of a pool, one by one
)
"""Functions with more parameters than a function should have; none may be added."""


# -------------------------------------------------------------------------------------------------------------- order
def points_back(found: Import) -> bool:
    """Whether an import inside a folder with rooms stays in its room or goes to an earlier one."""
    here, there = found.module.dotted.split("."), found.target.split(".")
    for depth in range(1, len(here)):
        rooms = ROOMS.get("/".join(here[1:depth]))
        if here[:depth] != there[:depth] or len(there) == depth:
            return True
        if rooms is not None and len(here) > depth and here[depth] != there[depth]:
            return rooms.index(there[depth]) < rooms.index(here[depth])
    return True


def test_imports_point_back_along_the_rooms() -> None:
    wrong = [str(found) for found in imports() if not points_back(found)]
    assert wrong == []


@pytest.mark.parametrize(
    ("place", "line", "allowed"),
    [
        ("gradual/dims/store/x.py", "from gradual.dims.term.dim import Dim", True),
        ("gradual/dims/store/x.py", "from gradual.dims.store.facts import Facts", True),
        ("gradual/dims/store/x.py", "from gradual.limits import LIMITS", True),
        ("gradual/dims/term/x.py", "from gradual.dims.store.facts import Facts", False),
        ("gradual/dims/term/x.py", "def f():\n    from gradual.dims.store.facts import Facts", False),
        ("gradual/core/terms.py", "from gradual.core.print import printed", False),
        ("gradual/importers/onnx/file/x.py", "from gradual.importers.onnx.program import program", False),
    ],
)
def test_the_test_of_the_rooms_can_fail(place: str, line: str, allowed: bool) -> None:
    assert all(map(points_back, _written(place, line))) is allowed


@pytest.mark.parametrize("folder", ROOMS)
def test_every_room_of_a_folder_is_named(folder: str) -> None:
    assert _rooms(PACKAGE / folder) == set(ROOMS[folder])


def test_every_folder_with_rooms_has_an_order() -> None:
    folders = {path.parent.parent for path in PACKAGE.rglob("__init__.py")} - {PACKAGE, PACKAGE.parent}
    assert {folder.relative_to(PACKAGE).as_posix() for folder in folders} == set(ROOMS)


def _rooms(folder: Path) -> set[str]:
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    return files | {path.parent.name for path in folder.glob("*/__init__.py")}


def _written(place: str, text: str) -> list[Import]:
    return list(imports_of(Module(PACKAGE.parent / place, ast.parse(text))))


# ------------------------------------------------------------------------------------------------------------ circles
def circles(graph: Mapping[str, Collection[str]]) -> list[frozenset[str]]:
    """The sets of two or more nodes of which each is reached from each other (Tarjan's algorithm, with a stack)."""
    found: list[frozenset[str]] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_nodes: list[str] = []
    for root in graph:
        stack = [] if root in number else [(root, iter(graph[root]))]
        while stack:
            node, rest = stack[-1]
            if node not in number:
                number[node] = lowest[node] = len(number)
                open_nodes.append(node)
            following = next((one for one in rest if one in graph), None)
            if following is None:
                stack.pop()
                if stack:
                    lowest[stack[-1][0]] = min(lowest[stack[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    at = open_nodes.index(node)
                    found.append(frozenset(open_nodes[at:]))
                    del open_nodes[at:]
            elif following not in number:
                stack.append((following, iter(graph[following])))
            elif following in open_nodes:
                lowest[node] = min(lowest[node], number[following])
    return [circle for circle in found if len(circle) > 1]


def test_no_two_files_import_each_other() -> None:
    graph: dict[str, list[str]] = {module.dotted: [] for module in modules()}
    for found in imports():
        if found.target != found.module.dotted:
            graph[found.module.dotted].append(found.target)
    assert circles(graph) == [MUTUAL_DATA]


def test_what_is_mutual_is_imported_for_types_only() -> None:
    graph: dict[str, list[str]] = {module.dotted: [] for module in modules()}
    for found in imports():
        if found.target != found.module.dotted and not found.for_types:
            graph[found.module.dotted].append(found.target)
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": ["b"], "b": ["c"], "c": []}, []),
        ({"a": ["b"], "b": ["c"], "c": ["b", "z3"]}, [{"b", "c"}]),
        ({"a": ["b", "c"], "b": ["a"], "c": ["d"], "d": ["e"], "e": ["c"]}, [{"c", "d", "e"}, {"a", "b"}]),
        ({"a": ["b"], "b": ["c", "d"], "c": ["d"], "d": ["a"]}, [{"a", "b", "c", "d"}]),
    ],
)
def test_circles_are_found(graph: Mapping[str, Collection[str]], expected: list[set[str]]) -> None:
    assert circles(graph) == expected


# ------------------------------------------------------------------------------------------------------- late imports
def has_a_reason(found: Import) -> bool:
    """Whether an import stands at the top, or is listed as one that costs start-up time."""
    allowed = (*HEAVY, *LATE.get(found.module.name, ()))
    return not found.late or any(found.target == one or found.target.startswith(f"{one}.") for one in allowed)


def test_imports_stand_at_the_top_but_for_start_up_time() -> None:
    assert [str(found) for found in imports() if not has_a_reason(found)] == []


def test_every_late_import_that_is_listed_is_there() -> None:
    late = [(found.module.name, found.target) for found in imports() if found.late]
    listed = [(name, target) for name, targets in LATE.items() for target in targets]
    there = [any(one == name and into.startswith(target) for one, into in late) for name, target in listed]
    assert [pair for pair, found in zip(listed, there, strict=True) if not found] == []
    assert [one for one in HEAVY if not any(into.partition(".")[0] == one for _, into in late)] == []


@pytest.mark.parametrize(
    ("place", "line", "allowed"),
    [
        ("gradual/dims/x.py", "from gradual.limits import LIMITS", True),
        ("gradual/dims/x.py", "def f():\n    from gradual.limits import LIMITS", False),
        ("gradual/dims/x.py", "def f():\n    import difflib", True),
        ("gradual/compiler.py", "def f():\n    from gradual.passes.pipeline import transformed", True),
        ("gradual/compiler.py", "def f():\n    from gradual.checker.module import checked", False),
    ],
)
def test_the_test_of_late_imports_can_fail(place: str, line: str, allowed: bool) -> None:
    assert all(map(has_a_reason, _written(place, line))) is allowed


def test_init_files_have_code_only_where_it_is_listed() -> None:
    full = [module for module in modules() if module.path.name == "__init__.py" and not _is_text(module.tree)]
    assert [module.path.parent.relative_to(PACKAGE).as_posix() for module in full] == [
        one or "." for one in CODE_IN_INIT
    ]


def _is_text(tree: ast.Module) -> bool:
    return not tree.body or (len(tree.body) == 1 and ast.get_docstring(tree) is not None)


# -------------------------------------------------------------------------------------------------------------- sizes
def test_no_file_is_long() -> None:
    lengths = {module.name: module.path.read_text("utf-8").count("\n") for module in modules()}
    assert [name for name, lines in lengths.items() if lines > LINES] == []


def test_no_folder_is_crowded() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [folder for folder in sorted(folders) if len([*folder.glob("*.py")]) > FILES + 1] == []  # with `__init__`


def test_nine_functions_of_ten_are_short() -> None:
    lengths = sorted(_code_lines(node) for _, node in _functions())
    assert lengths[len(lengths) * 9 // 10] <= ORDINARY


def test_no_function_has_many_parameters() -> None:
    many = [(name, node.name) for name, node in _functions() if _parameters(name, node) > ARGUMENTS]
    assert many == list(MANY)


def _functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef):
                yield module.name, node


def _code_lines(node: ast.FunctionDef) -> int:
    """The lines of a function without its docstring."""
    assert node.end_lineno is not None
    text = ast.get_docstring(node, clean=False)
    return node.end_lineno - node.lineno + 1 - (0 if text is None else text.count("\n") + 1)


def _parameters(name: str, node: ast.FunctionDef) -> int:
    """How many parameters there are: options of a command do not count, nor attributes of an operator by name."""
    if any("click" in ast.unparse(mark) or ".command" in ast.unparse(mark) for mark in node.decorator_list):
        return 0
    inside = node.args
    by_name = [] if name.startswith("gradual/ops/") else inside.kwonlyargs
    return len([*inside.posonlyargs, *inside.args, *by_name])
