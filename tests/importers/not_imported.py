"""The page of what is not imported from ONNX, made from the importers and from ONNX's own schemas.

    python -m tests.importers.not_imported

writes it.  An importer refuses by `Unsupported(…)`, by `use.only(attribute, *values)`, and by `value.numbers(what)`,
where numbers have to be constants; what it says is read from its code, and from that of the functions that it calls.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from types import FunctionType, ModuleType
from typing import Any

from onnx import defs

from gradual.importers.common import applying, values
from gradual.importers.onnx import importers, program
from gradual.importers.onnx.file import schemas
from gradual.importers.onnx.file.model import Node
from gradual.importers.onnx.file.narrow import KINDS
from gradual.importers.onnx.importers import IMPORTERS
from gradual.importers.onnx.survey import why_not
from gradual.types.dtype import DType

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "onnx-not-imported.md"
NODE_TESTS = Path(__file__).with_name("node_tests.txt")
SHARED = (importers, schemas, values, applying)
"""The modules whose refusals are those of any operator."""
KNOWN = {*map(str, DType), *map(str, KINDS.values()), "float", "double"}
"""The element types that are imported, in ONNX's words."""
WHY = {
    "the size of a compressed image is not known before it is decoded": ("ImageDecoder",),
    "strings have no values in the language": ("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"),
    "it counts n-grams of strings or integers, which no operator of the language does": ("TfIdfVectorizer",),
    "maps have no type in the language": ("CastMap", "DictVectorizer"),
    "it trains a model; only inference is imported": ("Adagrad", "Adam", "Gradient", "Momentum"),
}
"""Why operators are not imported."""
LEFT = "…"
"""What stands for a part that is known only when the model is read."""

HEAD = (
    "# What is not imported from ONNX\n",
    "A model with a node that cannot be imported is refused with a report (`gradual explain E0703`). This page lists"
    " the operators that are not imported, and the reasons that the report can give for a node of any other operator."
    " `python -m tests.importers.not_imported` generates it from the importers and from ONNX's schemas, and a test"
    " compares them.\n\n"
    "`…` stands for a part of the message that depends on the model. Many of the reasons are requirements of ONNX"
    " itself; others are sizes, ranks and settings that have to be known when the model is imported."
    " [Check an ONNX model](../how-to/import-onnx.md) describes the import.\n",
)


def page() -> str:
    """The page."""
    parts = [
        *HEAD,
        "## Operators\n",
        "These operators of ONNX's own domains are not imported, and ONNX has no function body for them:\n",
        *_table("| operator | versions | message | reason |", _operators()),
        "\nOperators of `com.microsoft` are refused unless [the list](../how-to/import-onnx.md) has them. Operators of"
        " other domains are refused unless the model has a function for them.\n",
        "## Element types\n",
        f"Tensors of these types are refused: {', '.join(f'`{one}`' for one in _types())}."
        " Constants of type `int4`, `uint4`, `int2` and `uint2` are stored in bytes; inputs of these types are"
        " refused.\n",
        "## ONNX's own tests of operators\n",
        f"{_tests()} [A list](../../tests/importers/node_tests.txt) has their names;"
        " `python -m tests.importers.node_tests` prints the reasons.\n",
        "## Any operator\n",
        *(f"- {one}" for one in _of_any()),
        "\n## Attributes, versions and operands\n",
        *_table("| operator | what is refused |", _refusals()),
    ]
    return "\n".join(parts) + "\n"


def _table(head: str, rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield head
    yield "|---" * (head.count("|") - 1) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _operators() -> Iterator[tuple[str, ...]]:
    """The operators of ONNX's schemas that are not imported."""
    versions = defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        versions[schema.domain, schema.name].append(schema.since_version)
    for (domain, name), since in sorted(versions.items()):
        says = why_not(Node(name, domain, name, (), (), {}), {domain: max(since)})
        if says is not None:
            (why,) = (why for why, names in WHY.items() if name in names)
            yield f"`{f'{domain}.{name}'.lstrip('.')}`", ", ".join(map(str, sorted(since))), says, why


def _types() -> list[str]:
    """The element types of ONNX's schemas that the language has not."""
    named = {
        match[1]
        for schema in defs.get_all_schemas_with_history()
        for constraint in schema.type_constraints
        for kind in constraint.allowed_type_strs
        if (match := re.fullmatch(r"tensor\((\w+)\)", kind))
    }
    return sorted(named - KNOWN)


def _tests() -> str:
    """What becomes of ONNX's tests that do not agree."""
    lines = [line.split() for line in NODE_TESTS.read_text().splitlines() if line and not line.startswith("#")]
    counts = Counter(kind for _, kind in lines)
    return f"All tests pass except {len(lines)}: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()) + "."


def _of_any() -> list[str]:
    """What is said of any operator."""
    functions = [one for module in SHARED for one in _defined(module)]
    return sorted({says for function in functions for says in _said(function)})


def _defined(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods of a module."""
    for one in vars(module).values():
        for part in vars(one).values() if isinstance(one, type) else (one,):
            part = inspect.unwrap(part.fget if isinstance(part, property) else part)  # a cache is around some
            if isinstance(part, FunctionType) and part.__module__ == module.__name__ and part.__name__ != "__init__":
                yield part


def _refusals() -> Iterator[tuple[str, str]]:
    """Operators with what is said of them; those of which the same is said stand together."""
    together = defaultdict(list)
    for (domain, name), importer in sorted(IMPORTERS.items()):
        if says := reasons(importer):
            together[tuple(says)].append(f"`{f'{domain}.{name}'.lstrip('.')}`")
    for says, names in together.items():
        yield ", ".join(names), " · ".join(says)


def reasons(importer: Any) -> list[str]:
    """For what an importer refuses a node, besides what is said of any operator."""
    shared = {one.__name__ for one in SHARED}
    functions = [one for one in _reached(importer) if one.__module__ not in shared]
    return sorted({says for function in functions for says in _said(function)})


def _reached(function: Any) -> list[FunctionType]:
    """A function and those of the importers that it may call, also by tables."""
    found: dict[str, FunctionType] = {}
    todo = [function]
    while todo:
        one = todo.pop()
        if isinstance(one, Mapping):
            todo += one.values()
        elif isinstance(one, tuple | list):
            todo += one
        elif isinstance(one, FunctionType) and one.__module__.startswith(f"{program.__package__}."):
            key = f"{one.__module__}.{one.__qualname__}"
            if key not in found:
                found[key] = one
                held = [cell.cell_contents for cell in one.__closure__ or ()]
                todo += [one.__globals__[name] for name in _names(one) if name in one.__globals__] + held
    return list(found.values())


def _tree(function: FunctionType) -> ast.AST:
    """The tree of a function; that of a `lambda`, or of a method that a dataclass makes, is empty."""
    made = function.__code__.co_filename != sys.modules[function.__module__].__file__
    if function.__name__ == "<lambda>" or made:
        return ast.Module([], [])
    return ast.parse(dedent(inspect.getsource(function)))


def _names(function: FunctionType) -> set[str]:
    if function.__name__ == "<lambda>":
        return {*function.__code__.co_names}
    body = [one for part in ast.walk(_tree(function)) if isinstance(part, ast.FunctionDef) for one in part.body]
    return {one.id for part in body for one in ast.walk(part) if isinstance(one, ast.Name)}


def _said(function: FunctionType) -> Iterator[str]:
    """The reasons for which a function refuses."""
    for node in ast.walk(_tree(function)):
        match node:
            case ast.Call(ast.Name("Unsupported"), [what]):
                yield from _texts(what)
            case ast.Call(ast.Attribute(attr="only"), [ast.Constant(name), *admitted]):
                written = [one for value in admitted for one in _values(value, function.__globals__)]
                yield f"{name} other than {', '.join(written)}"
            case ast.Call(ast.Attribute(attr="numbers"), [ast.Constant(what)]):
                yield f"{what} computed when the model runs"


def _texts(what: ast.expr) -> Iterator[str]:
    """The texts that an expression may be."""
    match what:
        case ast.Constant(str() as text):
            yield text
        case ast.JoinedStr(parts):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else LEFT for one in parts)
        case ast.IfExp(_, then, orelse):
            yield from (*_texts(then), *_texts(orelse))


def _values(value: ast.expr, known: Mapping[str, Any]) -> Iterator[str]:
    """The values that an expression stands for, as Python writes them."""
    match value:
        case ast.Constant(one):
            yield repr(one)
        case ast.Starred(ast.Name(name)) if name in known:
            yield from map(repr, known[name])
        case _:
            yield LEFT


def main() -> None:
    """Write the page."""
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
