"""Number graph variables `%0`, `%1`, … in the order in which a definition binds them.

An ascription at the end of a branch is added, and named, only after the code that follows the branch is written.
So the final numbers are given in a second traversal, when the whole definition is written.
[pass.surface]
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from operator import is_
from typing import Any

from gradual.source import Span
from gradual.syntax.tree import ast

_GRAPH = re.compile(r"%[0-9]+")


def numbered(definition: ast.Def | ast.OperatorDef) -> ast.Def | ast.OperatorDef:
    """Number the graph variables of a definition from 0; those in a bound value come before the variable."""
    found: ast.Def | ast.OperatorDef = _renamed(definition, {})
    return found


def _renamed(node: Any, names: dict[str, str]) -> Any:
    """Rename a node, the same object if nothing changes; a name not in `names` gets the next number."""
    match node:
        case ast.Local(name=name):
            return replace(node, name=names.setdefault(name, f"%{len(names)}")) if _GRAPH.fullmatch(name) else node
        case ast.Let():
            order: tuple[str, ...] = ("value", "name", "annotation", "attributes")
        case tuple():
            parts = tuple(_renamed(part, names) for part in node)
            return node if all(map(is_, parts, node)) else parts
        case _ if not is_dataclass(node) or isinstance(node, Span):
            return node
        case _:
            order = tuple(one.name for one in fields(node))
    new = {name: part for name in order if (part := _renamed(was := getattr(node, name), names)) is not was}
    return replace(node, **new) if new else node
