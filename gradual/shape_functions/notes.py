"""The texts of comments, which are the same in every language; each is a safe single line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradual.shape_functions.form import ShapeFunction, Size
from gradual.source import visible


def one_line(text: str) -> str:
    """A text for a comment: on one line, in ASCII, and without characters that would end the comment."""
    plain = visible(text).encode("ascii", "backslashreplace").decode()
    return plain.replace("*/", "* /").replace("??", "? ?").rstrip("\\")


def described(made: ShapeFunction) -> Iterator[tuple[str, str]]:
    """The name of each integer vector that the shape function takes (sizes or elements of an argument), described."""
    for given in made.inputs:
        yield given.shape, f"the sizes of {given.path}"
        if given.elements:
            yield given.values, f"the elements of {given.path}"


def bounded(sizes: Iterable[Size]) -> str:
    """A remark on the sizes that are only upper bounds, and on those that are unknown; empty if all are exact."""
    bounds = [str(axis) for axis, size in enumerate(sizes) if not size.exact and size.dim is not None]
    absent = [str(axis) for axis, size in enumerate(sizes) if size.dim is None]
    said = f"; an upper bound only: axis {', '.join(bounds)}" if bounds else ""
    return said + (f"; not known: axis {', '.join(absent)}" if absent else "")
