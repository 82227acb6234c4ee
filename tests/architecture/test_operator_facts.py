"""What is known of an operator stands in its declaration: no list of operators stands anywhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradual.ops.catalogue import CATALOGUE, FAMILIES, declared
from tests.architecture.sources import PACKAGE, Module, modules

FEW = 3
"""So many operators in one collection are a list of operators."""

OTHER_NAMES = (
    "gradual/importers/",
    "gradual/syntax/repair/",
    "gradual/checker/repairs/",
    "gradual/interface/",
    "gradual/conformance/",
)
"""Where operators are called by what other systems, readers or cases call them."""

WORDS = {
    "gradual/ops/indexing/multiple_indices.py": "how elements with one index are combined, which an attribute names",
    "gradual/ops/indexing/take.py": "how elements with one index are combined, which an attribute names",
    "gradual/ops/vision/interpolation.py": "ways of rounding, which an attribute names",
}
"""Modules of operators where such words mean something else, and what."""

DECLARED = {f"gradual/ops/{family.replace('.', '/')}.py": family for family in FAMILIES}


def lists(module: Module) -> Iterator[str]:
    """The collections, matches and split texts of a module that hold several operators which it does not declare."""
    if module.name.startswith(OTHER_NAMES) or module.name in WORDS:
        return
    family = DECLARED.get(module.name)
    own = {name for one in declared(family) for name in (one.name, *one.aliases)} if family is not None else set()
    for node in ast.walk(module.tree):
        found = {name for text in _texts(node) if (name := text.strip("`")) in CATALOGUE} - own
        if len(found) >= FEW:
            yield f"{module.name}:{getattr(node, 'lineno', 0)} lists {', '.join(sorted(found))}"


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts that stand directly in a collection, in the cases of a match, or in a text that is split."""
    match node:
        case ast.Set(elts) | ast.List(elts) | ast.Tuple(elts):
            yield from (text for element in elts for text in _within(element))
        case ast.Dict(keys, values):
            yield from (text for part in (*keys, *values) if part is not None for text in _within(part))
        case ast.Match(cases=cases):
            yield from (text for case in cases for part in ast.walk(case.pattern) for text in _within(part))
        case ast.Call(ast.Attribute(ast.Constant(str(text)), "split")):
            yield from text.split()


def _within(part: ast.AST) -> Iterator[str]:
    """A text, or those of a collection inside."""
    match part:
        case ast.Constant(str(text)):
            yield from text.split() if " " in text else (text,)
        case ast.MatchValue(value):
            yield from _within(value)
        case ast.Starred(value):
            yield from _within(value)
        case _:
            yield from _texts(part)


def test_no_list_of_operators_stands_outside_their_declarations() -> None:
    assert [found for module in modules() for found in lists(module)] == []


@pytest.mark.parametrize(
    ("place", "text", "allowed"),
    [
        ("gradual/passes/x.py", 'SAFE = frozenset({"add", "copy", "nn.relu"})', False),
        ("gradual/passes/x.py", 'SAFE = ("add", *("copy", "nn.relu"))', False),
        ("gradual/passes/x.py", 'RULES = {"add": f, "copy": g, "nn.relu": h}', False),
        ("gradual/passes/x.py", 'RULES = (("add copy", f), ("nn.relu", g))', False),
        ("gradual/passes/x.py", 'RULES = "add copy nn.relu".split()', False),
        ("gradual/checker/x.py", 'NAMES = {f"`{name}`" for name in ("add", "copy", "nn.relu")}', False),
        ("gradual/checker/x.py", 'match name:\n case "add" | "copy": f()\n case "nn.relu": g()', False),
        ("gradual/ops/nn/pool.py", 'SAFE = ["add", "copy", "nn.relu"]', False),
        ("gradual/ops/elementwise/unary.py", 'SAFE = ["add", "copy", "nn.relu"]', True),
        ("gradual/checker/repairs/x.py", 'SAFE = ["add", "copy", "nn.relu"]', True),
        ("gradual/passes/x.py", 'SAFE = ["add", "copy", "other"]', True),
        ("gradual/passes/x.py", '"""add copy nn.relu"""', True),
    ],
)
def test_the_test_of_the_lists_can_fail(place: str, text: str, allowed: bool) -> None:
    assert (list(lists(Module(PACKAGE.parent / Path(place), ast.parse(text)))) == []) is allowed
