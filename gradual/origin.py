"""The origin of a piece of an imported program in the model: its node, its module, and the user's Python lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gradual.record import record


@record
class Frame:
    """A line of the Python program that the model was exported from.

    Attributes:
        file: the path, as the exporter recorded it.
        line: counted from 1.
        text: the line itself, as far as the exporter recorded it.
    """

    file: str
    line: int
    function: str = ""
    text: str = ""

    @property
    def path(self) -> str:
        """The path, relative if it is in the current folder: exporters record whole paths, CI needs relative ones."""
        path = Path(self.file)
        return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else self.file

    @property
    def place(self) -> str:
        """`file:line`."""
        return f"{self.path}:{self.line}"


@record
class Origin:
    """The node of a model that a piece of the program was made from.

    Attributes:
        node: the node's operator and name, such as "Slice `node_slice_1`", or which input of the model it is.
        said: the node as one line, in the words of its format: `y = Slice(x, starts, ends)`.
        value: the model's own name of the value; empty for an intermediate one that only the importer needs.
        also: other names of the same value in the model.
        module: the path of the module that contains the node, such as `encoder.layers.0`; empty if it is not recorded.
        frames: the frames of the user's own code, the outermost first; frames of installed packages are left out.
        lent: the node that `frames` were recorded for, if none were recorded for this node; else empty.
    """

    node: str
    said: str
    value: str = ""
    also: tuple[str, ...] = ()
    module: str = ""
    frames: tuple[Frame, ...] = ()
    lent: str = ""

    @property
    def operator(self) -> str:
        """The node's operator."""
        return self.node.partition(" ")[0]

    @property
    def line(self) -> Frame | None:
        """The line of the user's own code that made the node, if it is recorded."""
        return self.frames[-1] if self.frames else None


class Origins:
    """The origin of each piece of a text.

    `starts` are ascending offsets. The text from `starts[i]` up to `starts[i + 1]` has the origin `origins[i]`.

    Attributes:
        folded: the model's own name of each value that was computed while importing -> its type as text, and its shape.
    """

    def __init__(
        self,
        starts: Sequence[int],
        origins: Sequence[Origin | None],
        folded: Mapping[str, tuple[str, tuple[int, ...]]] | None = None,
    ) -> None:
        self._starts = starts
        self._origins = origins
        self.folded = folded or {}

    def at(self, offset: int) -> Origin | None:
        """The origin of the text at an offset; None for text that belongs to no node."""
        index = bisect_right(self._starts, offset) - 1
        return self._origins[index] if index >= 0 else None

    def __iter__(self) -> Iterator[Origin]:
        """The origins in the order of the text."""
        return (one for one in self._origins if one is not None)
