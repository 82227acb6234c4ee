"""The package `numpy`, which is optional and is imported here only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, TypeAlias

Array: TypeAlias = Any
"""A NumPy array, or a NumPy scalar in place of an array of rank 0."""

INSTALL = "pip install 'gradual[fast]'"


@cache
def numpy() -> Any:
    """The package.  Raises ImportError, with the command that installs it."""
    try:
        import numpy
    except ImportError as error:
        raise ImportError(f"this needs the package numpy: {INSTALL}") from error
    return numpy


@contextmanager
def ieee_arithmetic(wanted: bool) -> Iterator[None]:
    """If arithmetic on arrays is wanted, let it overflow without warnings.  Raises ImportError without NumPy."""
    with numpy().errstate(all="ignore") if wanted else nullcontext():
        yield
