"""Graph variables numbered as they stand: `%0`, `%1`, … in the order in which a definition binds them.

A value that is brought to a type at the end of a branch gets its line, and its name, after what follows the branch has
been written.   [pass.surface]
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
    """The definition with its graph variables numbered from 0, a value before the variable that it is bound to."""
    found: ast.Def | ast.OperatorDef = _renamed(definition, {})
    return found


def _renamed(node: Any, names: dict[str, str]) -> Any:
    """The node under new names, itself where nothing changes; a name that is new to `names` gets the next number."""
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
