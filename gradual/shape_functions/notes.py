"""What the comments of every language say, on lines of their own that no language reads as anything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradual.shape_functions.form import ShapeFunction, Size
from gradual.source import visible


def one_line(text: str) -> str:
    """A text inside a comment: on one line, in ASCII, and without what would end a comment."""
    plain = visible(text).encode("ascii", "backslashreplace").decode()
    return plain.replace("*/", "* /").replace("??", "? ?").rstrip("\\")


def described(made: ShapeFunction) -> Iterator[tuple[str, str]]:
    """Each thing that is given, with what it is."""
    for given in made.inputs:
        yield given.shape, f"the sizes of {given.path}"
        if given.elements:
            yield given.values, f"the elements of {given.path}"


def bounded(sizes: Iterable[Size]) -> str:
    """Which sizes are no more than upper bounds, and which are not known; empty if all are exact."""
    bounds = [str(axis) for axis, size in enumerate(sizes) if not size.exact and size.dim is not None]
    absent = [str(axis) for axis, size in enumerate(sizes) if size.dim is None]
    said = f"; an upper bound only: axis {', '.join(bounds)}" if bounds else ""
    return said + (f"; not known: axis {', '.join(absent)}" if absent else "")
