"""Put a mutant into this process: the code of the functions that are there already is replaced."""

from __future__ import annotations

import gc
import importlib
import pkgutil
from collections.abc import Iterator
from types import CodeType, FunctionType

import gradual
from tests.conformance.mutants.changing import PACKAGE, Mutant, Where, mutated
from tests.conformance.mutants.excluded import FOLDERS


def imported() -> None:
    """Import every module of the folders, so that no mutant's module is imported later."""
    for folder in FOLDERS:
        package = importlib.import_module(f"gradual.{folder}")
        for found in pkgutil.walk_packages(package.__path__, f"gradual.{folder}."):
            importlib.import_module(found.name)
    assert gradual.__file__ == str(PACKAGE / "__init__.py"), "the package is not the one next to the tests"


def where_of(code: CodeType) -> Where | None:
    """The function of a code object; None outside of the package."""
    root = f"{PACKAGE}/"
    if not code.co_filename.startswith(root):
        return None
    return Where(code.co_filename.removeprefix(root), code.co_qualname, code.co_firstlineno)


class Nothing(Exception):
    """No function that is alive has the changed code."""


def plant(mutant: Mutant) -> None:
    """Replace the code of all functions that the mutant changes.  Raises Nothing if there are none."""
    path = str(PACKAGE / mutant.where.file)
    new = {_key(code): code for code in _codes(compile(mutated(mutant), path, "exec")) if where_of(code) is not None}
    changed = 0
    gc.unfreeze()  # frozen objects are not listed
    for function in [found for found in gc.get_objects() if isinstance(found, FunctionType)]:
        old = function.__code__
        if old.co_filename == path and (code := new.get(_key(old))) is not None and code != old:
            if code.co_freevars != old.co_freevars:
                raise Nothing(f"{old.co_qualname} uses other variables")
            function.__code__ = code
            changed += 1
    if not changed:
        raise Nothing(mutant.key)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)


def _key(code: CodeType) -> tuple[Where | None, int]:
    lambda_ = code.co_name == "<lambda>"
    columns = [column for _, _, column, _ in code.co_positions() if column] if lambda_ else []
    return where_of(code), min(columns, default=0)
