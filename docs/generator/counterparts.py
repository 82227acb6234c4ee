"""The operators of ONNX, PyTorch and TensorFlow that are imported as one operator, read from the code of the importers.

The counterpart in ONNX is a fact of the operator's declaration. Elsewhere the importers know it, where they apply one
operator to the inputs and nothing else: an importer that was made for the name of an operator, one that returns
`use.call("nn.dense", …)` of its inputs, or one that applies the operator of its own name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any

import gradual.importers.onnx.program
import gradual.importers.tensorflow.program
import gradual.importers.torch.program  # noqa: F401  # the modules fill the tables
from gradual.importers.tensorflow.importers import IMPORTERS as TENSORFLOW
from gradual.importers.torch.importers import IMPORTERS as PYTORCH
from gradual.ops.catalogue import CATALOGUE

Importer = Callable[..., Any]
SYSTEMS: Mapping[str, Mapping[str, Importer]] = {"PyTorch": PYTORCH, "TensorFlow": TENSORFLOW}


@cache
def counterparts() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Operator -> system -> the operators of the system that are imported as this operator alone."""
    found: dict[str, dict[str, list[str]]] = {}
    for operator in CATALOGUE.values():
        if operator.onnx:
            found.setdefault(operator.name, {})["ONNX"] = [operator.onnx]
    for system, table in SYSTEMS.items():
        for name, importer in sorted(table.items()):
            for operator in sorted(alone(name, importer)):
                found.setdefault(operator, {}).setdefault(system, []).append(name)
    return {name: {system: tuple(of) for system, of in systems.items()} for name, systems in found.items()}


def alone(name: str, importer: Importer) -> set[str]:
    """The operators that an importer applies to its inputs alone."""
    bound = {value for value in _bound(importer) if isinstance(value, str)} & CATALOGUE.keys()
    functions = list(_functions(importer, set()))
    returned = {text for one in functions[:1] for text in _returned(_definition(one))}
    applied = {text for one in functions for text in _called(_definition(one))}
    namesake = {one for one in applied & CATALOGUE.keys() if _plain(one.rpartition(".")[2]) == _own(name)}
    chosen = namesake or next((one for one in (bound, returned & CATALOGUE.keys()) if len(one) == 1), set())
    return {CATALOGUE[one].name for one in chosen}


def _own(name: str) -> str:
    """The name of an operator without its namespace and overload: `conv2d` for `aten.conv2d.default`."""
    parts = name.split(".")
    return _plain(parts[1] if len(parts) > 1 else parts[0])


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


# ------------------------------------------------------------------------------------------------------- functions
def _bound(value: Any) -> Iterator[Any]:
    """The values that are bound in a function: of a partial application, or by a closure."""
    match value:
        case partial():
            for part in (value.func, *value.args, *value.keywords.values()):
                yield from _bound(part)
        case FunctionType(__closure__=cells):
            for cell in cells or ():
                yield from _bound(cell.cell_contents)
        case _:
            yield value


def _functions(value: Any, seen: set[Any]) -> Iterator[FunctionType]:
    """An importer's function, and those that are bound in it or that it calls."""
    match value:
        case partial():
            for part in (value.func, *value.args):
                yield from _functions(part, seen)
        case FunctionType(__closure__=cells) if value not in seen and value.__module__.startswith("gradual.importers"):
            seen.add(value)
            yield value
            named = [value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__]
            for part in (*named, *(cell.cell_contents for cell in cells or ())):
                yield from _functions(part, seen)


def _definition(function: FunctionType) -> ast.AST:
    code = function.__code__
    return _definitions(code.co_filename).get(code.co_firstlineno, ast.Module([], []))


@cache
def _definitions(path: str) -> Mapping[int, ast.AST]:
    """The functions of a file by the line of their first decorator, or of their name."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    return {min([one.lineno, *(mark.lineno for mark in getattr(one, "decorator_list", ()))]): one for one in found}


# ----------------------------------------------------------------------------------------------------------- calls
@cache
def _called(function: ast.AST) -> frozenset[str]:
    """The texts that a function gives to `call` as the name of an operator."""
    return frozenset(text for node in ast.walk(function) if _applies(node) for text in _texts(node.args[0]))


def _applies(node: ast.AST) -> Any:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "call" and node.args
    )


def _texts(node: ast.AST) -> Iterator[str]:
    """A constant, or the names of operators that have the form of `f"nn.conv{rank}d"`."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            form = "".join(re.escape(one.value) if isinstance(one, ast.Constant) else r"\w+" for one in parts)
            yield from (name for name in CATALOGUE if re.fullmatch(form, name))


def _returned(function: ast.AST) -> Iterator[str]:
    """The operators that a function applies to what is no result of an operator, and returns."""
    given: dict[str, list[ast.AST]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given.setdefault(name, []).append(value)
    returned = [function.body] if isinstance(function, ast.Lambda) else []
    returned += [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    for value in returned:
        for call in _results(value, given):
            if isinstance(call.args[0], ast.Constant):
                yield from _texts(call.args[0])


def _results(value: ast.AST, given: Mapping[str, list[ast.AST]]) -> Iterator[Any]:
    """The calls of one operator that a result may be; a name that is bound twice may be anything."""
    match value:
        case ast.IfExp(body=body, orelse=orelse):
            yield from _results(body, given)
            yield from _results(orelse, given)
        case ast.Name(id=name) if len(given.get(name, ())) == 1:
            yield from _results(given[name][0], _without(name, given))
        case ast.Call() if _applies(value) and not any(_computed(part, given) for part in value.args[1:]):
            yield value


def _computed(value: ast.AST, given: Mapping[str, list[ast.AST]]) -> bool:
    """Whether an argument is, or may be, the result of an operator: of `call`, or of a function of the importers."""
    nodes = list(ast.walk(value))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    return any(
        _applies(node) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) for node in nodes
    ) or any(_computed(one, _without(name, given)) for name in names for one in given.get(name, ()))


def _without(name: str, given: Mapping[str, list[ast.AST]]) -> dict[str, list[ast.AST]]:
    return {key: values for key, values in given.items() if key != name}
