"""The package's sources as syntax trees, and every import in them with where it points."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gradual"

GROUND = ("record", "origin", "source", "verdict", "diagnostic", "codes", "limits", "resources", "trail", "gc_paused")
FOLDERS = (
    *("dims", "types", "tensors", "ops", "syntax", "core", "checker", "delaborate"),
    *("run", "passes", "shape_functions", "importers", "lints", "report"),
)
RIM = ("interface", "conformance", "tools")
ORDER = (*GROUND, *FOLDERS, "compilation", "compiler", "exported", *RIM, "__init__", "__main__")
"""A module may import what stands before it here, and its own folder; the top `__init__` answers `import gradual`."""

ROOMS: dict[str, tuple[str, ...]] = {
    "dims": ("term", "bounds", "rewrite", "store", "solver"),
    "ops": (
        *("declaration", "elementwise", "reduction", "linear", "shape", "indexing", "other", "nn", "vision", "sparse"),
        *("catalogue", "two_forms"),
    ),
    "syntax": ("tree", "parsing", "repair", "parse", "printing"),
    "tensors": (
        *("fault", "index", "scalar", "bits", "integers", "reals", "inner_products"),
        "arrays",
        *("exchange", "print", "tensor", "value", "json_form"),
    ),
    "core": (
        "value_words",
        "roles",
        "check",
        "pattern",
        "terms",
        "print",
        "refinement",
        "context",
        "def_use",
        "datatypes",
        "known_ranges",
        "traversal",
        "verify",
    ),
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
    "importers": ("common", "onnx", "torch", "tensorflow"),
    "importers/tensorflow": (
        *("file", "importers", "operators", "elements", "selecting", "signals"),
        *("order", "refused", "survey", "open_sizes", "unranked", "program"),
    ),
    "importers/torch": (*("file", "guards", "importers", "arithmetic", "networks", "operators", "refused", "program"),),
    "importers/common": (
        *("refusals", "progress", "python_frames", "text", "values", "sizes", "folding", "exact_floats", "judging"),
        *("builder", "lists", "applying", "branching", "composed", "products", "recurrence"),
    ),
    "importers/onnx": ("file", "importers", "operators", "signals", "microsoft", "ml", "survey", "origins", "program"),
    "interface": ("progress", "terminal", "pages", "document", "input", "reports"),
    "conformance": ("cases", "entries", "runner", "reports", "implementations", "commands", "cli"),
    "tools": (
        *("checking", "census", "session", "migrating", "lsp", "models", "commands"),
        *("graph", "overview", "shape_function", "notebook", "highlighting", "cli"),
    ),
    "tools/lsp": (
        *(
            "trees",
            "pieces",
            "recovery",
            "reading",
            "document",
            "definitions",
            "findings",
            "shown",
            "usage",
            "checking",
        ),
        *("messages", "features", "answers", "session", "requests", "server"),
    ),
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

    @property
    def dotted(self) -> str:
        """How it is imported."""
        parts = self.path.relative_to(ROOT).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True)
class Import:
    """One imported module, dotted.

    Attributes:
        for_types: whether it stands under `if TYPE_CHECKING`.
        late: whether it stands in a function.
    """

    module: Module
    target: str
    line: int
    for_types: bool
    late: bool = False

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
    for node, for_types, late in _statements(module.tree, False, False):
        match node:
            case ast.Import(names):
                for alias in names:
                    yield Import(module, alias.name, node.lineno, for_types, late)
            case ast.ImportFrom(target, names, 0) if target is not None and target.partition(".")[0] == "gradual":
                wanted = (_inside(target, alias.name) for alias in names if alias.name != "__version__")
                for name in dict.fromkeys(wanted):  # the version is a text; it needs nothing
                    yield Import(module, name, node.lineno, for_types, late)
            case ast.ImportFrom(target, _, 0) if target is not None:
                yield Import(module, target, node.lineno, for_types, late)
            case ast.ImportFrom():
                raise AssertionError(f"{module.name}:{node.lineno}: imports are absolute")


def _inside(package: str, name: str) -> str:
    """What `from package import name` imports: a module of that name, or else the package itself."""
    path = ROOT.joinpath(*package.split("."), name)
    return f"{package}.{name}" if path.is_dir() or path.with_suffix(".py").is_file() else package


def _statements(node: ast.AST, for_types: bool, late: bool) -> Iterator[tuple[ast.AST, bool, bool]]:
    """Every node below, with whether only the type checker reads it, and whether it stands in a function."""
    guarded = node.body if isinstance(node, ast.If) and _is_type_guard(node.test) else ()
    inside = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        seen_by_types = for_types or child in guarded
        yield child, seen_by_types, inside
        yield from _statements(child, seen_by_types, inside)


def _is_type_guard(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
