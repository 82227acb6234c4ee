"""What is not mutated, each with the reason: no profile of the suite can ask about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch

FOLDERS = ("checker", "core", "dims", "ops", "passes", "run", "syntax", "tensors", "types")
"""The folders of the package whose code decides what a profile compares."""

FILES = {
    "checker/fixes/*": "proposed edits, which no profile compares",
    "checker/repairs/*": "proposed edits",
    "checker/program/suggestions.py": "words of messages",
    "checker/program/rule_cache.py": "a cache: it changes the time only",
    "core/verify/*": "refuses wrong programs of a faulty compiler only",
    "core/value_words.py": "words of messages",
    "dims/rewrite/readable.py": "words of messages",
    "ops/*/fast_*.py": "the quick way to values that the plain way has too; used for large tensors only",
    "passes/catalogue.py": "names and descriptions of the passes",
    "run/entry/from_python.py": "the interface of Python",
    "syntax/repair/*": "proposed edits",
    "syntax/printing/*": "the formatter, which no profile asks about",
    "syntax/parsing/errors.py": "words of messages",
    "tensors/arrays/*": "the quick way to values that the plain way has too; used for large tensors only",
    "tensors/exchange/*": "the interface of Python",
    "tensors/json_form.py": "the form of files",
    "tensors/print.py": "how a value is printed",
    "types/hash_consing.py": "a cache: it changes the time only",
}

FUNCTIONS = {
    "__repr__": "how a value is printed",
    "__hash__": "any hash is right",
    "__init_subclass__": "runs while modules are imported",
}


def is_asked(file: str) -> bool:
    """Whether a profile can ask about the code of a file, named from the package's folder."""
    return not any(fnmatch(file, pattern) for pattern in FILES)


def asked_children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The parts of a node that a mutant may change, each with its field.

    Left out are assertions (they hold), messages, annotations, and what runs while a module is imported: decorators and
    defaults.
    """
    if isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr):
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "args", "bases") and not isinstance(node, ast.Call):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and not _is_message(part) and not _names_a_limit(part):
                yield field, part


def _is_message(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg in ("message", "notes", "help", "says")


def _names_a_limit(node: ast.AST) -> bool:
    """Whether an expression compares with a limit: limits are this implementation's own."""
    names = {"LIMITS", "limits"}
    parts = ast.walk(node) if isinstance(node, ast.Compare) else ()
    return any(getattr(part, "id", None) in names or getattr(part, "attr", None) in names for part in parts)
