"""The package's sources as syntax trees, and every import in them with where it points."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gradual"

GROUND = ("source", "verdict", "diagnostic", "limits", "resources", "trail", "gc_paused")
FOLDERS = (
    *("dims", "types", "tensors", "ops", "syntax", "core", "checker", "delaborate"),
    *("run", "passes", "importers", "lints", "report"),
)
RIM = ("interface", "conformance", "tools")
ORDER = (*GROUND, *FOLDERS, "compilation", "compiler", *RIM, "__init__", "__main__")
"""A module may import what stands before it here, and its own folder; the top `__init__` answers `import gradual`."""

ROOMS: dict[str, tuple[str, ...]] = {
    "dims": ("term", "bounds", "rewrite", "store", "solver"),
    "ops": (
        *("declaration", "elementwise", "reduction", "linear", "shape", "indexing", "other", "nn", "vision", "sparse"),
        *("padding_axes", "catalogue", "two_forms"),
    ),
    "syntax": ("tree", "parsing", "repair", "parse", "printing"),
    "core": ("value_words", "terms", "print", "refinement", "constant_text", "datatypes", "traversal", "verify"),
    "checker": (
        *(
            "program",
            "state",
            "obligations",
            "declarations",
            "coercion",
            "joins",
            "functions",
            "expressions",
            "inference",
        ),
        *("definition_order", "completeness", "module", "repairs", "fixes"),
    ),
    "run": ("value", "sizes", "steps", "entry", "machine", "graph"),
    "passes": ("framework", "analysis", "refine", "transform", "catalogue", "pipeline", "plan"),
    "importers": ("onnx",),
    "importers/onnx": ("file", "builder", "operators", "survey", "program"),
    "interface": ("terminal", "pages", "input", "reports"),
    "conformance": ("cases", "runner", "implementations", "cli"),
    "tools": ("checking", "session", "migrating", "lsp", "commands", "cli"),
}
"""Inside a folder that has rooms, the same: a room or a file of it imports what stands before it, and its own room."""


@dataclass(frozen=True)
class Module:
    """One source file."""

    path: Path
    tree: ast.Module

    @property
    def name(self) -> str:
        """Its path below the root, for messages."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def place(self) -> str:
        """Its part of ORDER."""
        first = self.path.relative_to(PACKAGE).parts[0]
        return first.removesuffix(".py")


@dataclass(frozen=True)
class Import:
    """One imported module, dotted; `for_types` tells whether it stands under `if TYPE_CHECKING`."""

    module: Module
    target: str
    line: int
    for_types: bool

    @property
    def place(self) -> str:
        """The part of ORDER that is imported, empty for a foreign module."""
        package, _, rest = self.target.partition(".")
        if package != "gradual":
            return ""
        return rest.partition(".")[0] or "__init__"

    def __str__(self) -> str:
        return f"{self.module.name}:{self.line} imports {self.target}"


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, sorted by path."""
    return tuple(Module(path, ast.parse(path.read_text("utf-8"))) for path in sorted(PACKAGE.rglob("*.py")))


@cache
def imports() -> tuple[Import, ...]:
    """Every import of the package, at the top of a module or inside a function."""
    return tuple(found for module in modules() for found in imports_of(module))


def imports_of(module: Module) -> Iterator[Import]:
    for node, for_types in _statements(module.tree, False):
        match node:
            case ast.Import(names):
                for alias in names:
                    yield Import(module, alias.name, node.lineno, for_types)
            case ast.ImportFrom(target, names, 0) if target == "gradual":
                for alias in names:
                    if alias.name != "__version__":  # a text; it needs nothing
                        yield Import(module, _inside(alias.name), node.lineno, for_types)
            case ast.ImportFrom(target, _, 0) if target is not None:
                yield Import(module, target, node.lineno, for_types)
            case ast.ImportFrom():
                raise AssertionError(f"{module.name}:{node.lineno}: imports are absolute")


def _inside(name: str) -> str:
    """What `from gradual import name` imports: a module of that name, or else the package itself."""
    return f"gradual.{name}" if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file() else "gradual"


def _statements(node: ast.AST, for_types: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Every node below, with whether only the type checker reads it."""
    guarded = node.body if isinstance(node, ast.If) and _is_type_guard(node.test) else ()
    for child in ast.iter_child_nodes(node):
        seen_by_types = for_types or child in guarded
        yield child, seen_by_types
        yield from _statements(child, seen_by_types)


def _is_type_guard(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
