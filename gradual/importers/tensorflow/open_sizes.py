"""The sizes that a model leaves open (`None`): like named sizes, they are at least 1 unless the user lets them be 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gradual.importers.common.refusals import Misused
from gradual.importers.common.sizes.ports import Port


def not_empty(ports: Mapping[str, Port], empty: Sequence[str], opens: bool) -> Iterator[tuple[str, str]]:
    """For each open size that is not in `empty`, the name of its input, and the condition that it is at least 1.

    With `opens` nothing is required.  Raises Misused if a text in `empty` is not an open size.
    """
    sizes = {size: name for name, port in ports.items() for size in _open(name, port)}
    allowed = {_named(text, sizes) for text in empty}
    return ((name, f"{size} >= 1") for size, name in sizes.items() if size not in allowed and not opens)


def _open(name: str, port: Port) -> list[str]:
    """The open sizes of an input, as conditions write them."""
    return [f"dim({name}, {axis})" for axis, extent in enumerate(port.shape or ()) if extent is None]


def _named(text: str, sizes: Iterable[str]) -> str:
    """The open size that a text names; spaces do not matter."""
    bare = "".join(text.split())
    found = next((size for size in sizes if size.replace(" ", "") == bare), None)
    if found is None:
        raise Misused("empty", f"`{text}` is no open size; they are {', '.join(f'`{one}`' for one in sizes) or 'none'}")
    return found
