"""The user's own Python lines that made the nodes of a graph, if it was saved with them.

They are in the graph, or in a SavedModel's folder `debug` (`SaveOptions(save_debug_info=True)`).  Field numbers are
those of `graph_debug_info.proto` of TensorFlow.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from gradual.importers.common.python_frames import is_own
from gradual.importers.tensorflow.file.wire import EMPTY, Malformed, Message
from gradual.origin import Frame

_SAVING = "_trackable_children"
"""The function through which Keras traces a model to save it; frames outside it belong to the call that saves."""
_DEPTH = 64
"""How many frames of a trace are read, the innermost ones."""


class Traces:
    """The traces of nodes."""

    def __init__(self, info: Message = EMPTY) -> None:
        self._files = list(info.texts(1))
        self._names = {entry.text(1): _key(entry, 2) for entry in info.messages(5)}
        self._frames = {_key(entry, 1): entry.message(2) for entry in info.messages(4)}
        self._traces = {_key(entry, 1): entry.message(2) for entry in info.messages(6)}
        self._whole: Mapping[str, Message] = dict(info.entries(2))
        self._found: dict[int, tuple[Frame, ...]] = {}

    def of(self, name: str, function: str = "") -> tuple[Frame, ...]:
        """The user's frames of a node of a function, or of the graph itself; the outermost first."""
        key = f"{name}@{function}"
        if key in self._names:
            number = self._names[key]
            if number not in self._found:
                self._found[number] = tuple(self._read(self._traces.get(number, EMPTY)))
            return self._found[number]
        return tuple(self._read(self._whole[key])) if key in self._whole else ()

    def _read(self, trace: Message) -> list[Frame]:
        """The user's frames of a `StackTrace`."""
        whole = memoryview(b"".join(trace.contents(2)))
        numbered = [_number(whole[at : at + 8]) for at in range(0, len(whole), 8)]
        frames = [self._frames.get(one, EMPTY) for one in numbered[-_DEPTH:]]
        found: list[Frame] = []
        for frame in frames or list(trace.messages(1))[-_DEPTH:]:
            index, line = frame.number(1), frame.number(2)
            file = self._files[index] if index < len(self._files) else ""
            if file and is_own(file, line):
                found.append(Frame(file, line, frame.text(4), frame.text(5)))
            elif frame.text(4) == _SAVING:
                found.clear()
        return found


def _key(entry: Message, field: int) -> int:
    """A number of fixed width, which identifies a frame or a trace."""
    return _number(entry.content(field)) if entry.has(field) else 0


def _number(data: memoryview) -> int:
    if len(data) != 8:
        raise Malformed("a number that has not eight bytes")
    found: int = struct.unpack("<Q", data)[0]
    return found
