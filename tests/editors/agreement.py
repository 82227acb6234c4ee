"""Compares tree-sitter's trees with the parser's: `python -m tests.editors.agreement` does so for every program."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.parsing.comments import comments
from gradual.syntax.tree import ast
from tests.editors.accepted import ROOT, own, printed_by_tvm

FOLDER = ROOT / "editors" / "tree-sitter-relay"

Spans = dict[str, set[tuple[int, int]]]

NODES = {
    ast.Infix: "binary_expression",
    ast.Choose: "conditional_expression",
    ast.Cast: "cast_expression",
    ast.Call: "call",
    ast.Project: "projection",
    ast.Instance: "instance",
    ast.If: "if_expression",
    ast.Match: "match_expression",
    ast.Listing: "list",
}
"""The nodes of both trees that correspond one to one."""

OTHER_TREES = (
    "syntax.token/imported-names",  # `%input.1.0`, where `%input.1` is declared: a projection of a projection
    "print/names/imported",  # likewise
    "syntax/token/names-with-numbers",  # likewise
    "syntax/long/unusual-forms",  # likewise
    "syntax/metadata/sizes",  # the parser puts arithmetic on sizes from the metadata section into the types
    "print/statements/metadata",  # the parser puts attributes from the metadata section into the call
    "syntax/metadata/attributes",  # likewise
    "syntax/metadata/attributes-that-are-lists",  # likewise
)
"""Programs with another tree, and why."""


def compiled(folder: Path, compiler: str = "cc") -> Any:
    """tree-sitter's parser with the committed tables, which are compiled into a folder."""
    from tree_sitter import Language, Parser

    library = folder / "relay.so"
    sources = [str(FOLDER / "src" / name) for name in ("parser.c", "scanner.c")]
    options = ("-shared", "-fPIC", "-I", str(FOLDER / "src"))
    subprocess.run([compiler, *options, "-o", str(library), *sources], check=True)
    language = ctypes.CDLL(str(library)).tree_sitter_relay
    language.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return Parser(Language(capsule(language(), b"tree_sitter.Language", None)))


def difference(parser: Any, text: str) -> str | None:
    """How the two trees of an accepted program differ in operations and comments; None if they do not."""
    tree = parser.parse(text.encode())
    if tree.root_node.has_error:
        return "an error"
    found, wanted = _found(tree.root_node), _wanted(text)
    for kind in ("line_comment", *NODES.values()):
        if found.get(kind, set()) != wanted.get(kind, set()):
            return f"{kind}: {found.get(kind, set()) ^ wanted.get(kind, set())}"
    return None


def _found(root: Any) -> Spans:
    """Where each kind of node of a tree of tree-sitter's stands, in bytes."""
    found: Spans = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found.setdefault(node.type, set()).add((node.start_byte, node.end_byte))
        waiting += node.children
    return found


def _wanted(text: str) -> Spans:
    """Where the same nodes and comments stand by the project's parser, in bytes."""
    at = [0]
    for letter in text:
        at.append(at[-1] + len(letter.encode()))
    found: Spans = {"line_comment": {(at[one.span.start], at[one.span.end]) for one in comments(text)}}
    for node in _nodes(parse(Source("program.relay", text))[0].definitions):
        if (kind := NODES.get(type(node))) is not None:
            found.setdefault(kind, set()).add((at[node.span.start], at[node.span.end]))
    return found


def _nodes(tree: Any) -> Iterator[Any]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += node
        elif is_dataclass(node) and not isinstance(node, Span):
            yield node
            waiting += [getattr(node, one.name) for one in fields(node)]


def main() -> int:
    """Compare every program; each difference is printed, and the exit code is 1 if there is one."""
    counted = differing = 0
    with TemporaryDirectory() as folder:
        parser = compiled(Path(folder))
        for read in (own, printed_by_tvm):
            for name, text in read():
                counted += 1
                if name not in OTHER_TREES and (found := difference(parser, text)) is not None:
                    differing += 1
                    print(f"{name}: {found}")
    print(f"{counted} programs, {differing} with another tree, and {len(OTHER_TREES)} that are meant to")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
