"""Reading a file or folder of TensorFlow: a graph, a graph with signatures, or a SavedModel.

The content shows which of these a file holds: all are protocol buffers, which do not name their own type.
"""

from __future__ import annotations

from glob import escape
from pathlib import Path

from gradual.gc_paused import collector_paused
from gradual.importers.common.refusals import Misused, Unreadable
from gradual.importers.tensorflow.file.bundle import saved_at
from gradual.importers.tensorflow.file.models import Beside, of_graph, of_meta_graph, of_saved_model
from gradual.importers.tensorflow.file.schema import Model
from gradual.importers.tensorflow.file.wire import EMPTY, Malformed, Message, message
from gradual.limits import LIMITS

SAVED, DEBUG = "saved_model.pb", "saved_model_debug_info.pb"
"""The files of a SavedModel folder with its graph, and with the Python lines of its nodes."""
ALONE = Beside()
"""Nothing beside a graph."""


@collector_paused()
def load(path: str, signature: str = "") -> Model:
    """Read a model: the signature with the given name, by default `serving_default` or the only signature.

    Raises Unreadable if there is no model, and Misused if the model has no such signature.
    """
    place = Path(path)
    place = place / SAVED if place.is_dir() else place
    data = _content(place)
    try:
        return read(data, Beside(saved_at(_variables(place)), _debug(place)), signature)
    except Malformed as error:
        raise Unreadable("E0703", f"`{path}` is not a TensorFlow model: {error}") from error


def beside(path: str) -> tuple[str, ...]:
    """The files beside a model that `load` reads or looks for: the values of variables, and the nodes' Python lines."""
    place = Path(path)
    place = place / SAVED if place.is_dir() else place
    prefix = _variables(place)
    parts = sorted(prefix.parent.glob(f"{escape(prefix.name)}.data-*"))
    return tuple(map(str, (*parts, prefix.with_name(f"{prefix.name}.index"), place.with_name("debug") / DEBUG)))


def _variables(place: Path) -> Path:
    """The path, without suffix, of the files with the values of variables: beside a graph, or in a SavedModel."""
    return place.with_name("variables") / "variables" if place.name == SAVED else place.with_suffix("")


def _debug(place: Path) -> Message:
    """The Python lines of the nodes of a SavedModel, if its folder has them."""
    path = place.with_name("debug") / DEBUG
    if place.name != SAVED or not path.is_file():
        return EMPTY
    return message(memoryview(_content(path)))


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > LIMITS.file:
            raise Unreadable("E0704", f"`{path}` is too long: the limit `file` is {LIMITS.file} bytes")
        return path.read_bytes()
    except OSError as error:
        raise Unreadable("E0701", f"cannot read `{path}`: {error.strerror or error}") from error


def read(data: bytes, beside: Beside = ALONE, signature: str = "") -> Model:
    """The model in some bytes, with what is saved beside it; raises Malformed if there is none."""
    whole = message(memoryview(data))
    if _is_saved_model(whole):
        return of_saved_model(whole, beside, signature)
    if _is_meta_graph(whole):
        return of_meta_graph(whole, beside, signature)
    if signature:
        raise Misused("signature", "a graph by itself has no signatures")
    if not whole.has(1):
        raise Malformed("it has no nodes")
    return of_graph(whole, beside)


def _is_saved_model(whole: Message) -> bool:
    """Whether the first field is a number, the version of the format; in a graph the first field is a node."""
    return isinstance(whole.fields.get(1, (memoryview(b""),))[0], int)


def _is_meta_graph(whole: Message) -> bool:
    """Whether the second field is a graph, whose nodes have operators, and not a library of functions."""
    inner = next(whole.message(2).messages(1), None) if whole.has(2) else None
    return inner is not None and inner.has(2)
