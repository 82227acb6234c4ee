"""Formats of models that are recognised but not read, each with advice what to use instead.

A format is recognised by the first bytes of a file, or else by the ending of its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

ADVICE: Mapping[str, str] = {
    "keras": "a Keras file; write a SavedModel of the model, `model.export(FOLDER)`, and give its folder",
    "hdf5": "an HDF5 file, as Keras writes models and weights; write a SavedModel of the model, "
    "`model.export(FOLDER)`, and give its folder",
    "tflite": "a TensorFlow Lite file; give the SavedModel that it was converted from",
    "graph text": "a text GraphDef; write it with `as_text=False`",
}
"""Format -> what a file of this format is, and what the user can do."""
_ENDINGS = {".keras": "keras", ".h5": "hdf5", ".hdf5": "hdf5", ".tflite": "tflite", ".pbtxt": "graph text"}
_BEGINNINGS = (
    (re.compile(rb"PK\x03\x04[\x00-\xff]{26}(metadata|config)\.json"), "keras"),
    (re.compile(rb"\x89HDF\r\n\x1a\n"), "hdf5"),
    (re.compile(rb"[\x00-\xff]{4}TFL3"), "tflite"),
    (re.compile(rb"\s*(node\s*\{\s*name\s*:|saved_model_schema_version\s*:|meta_graphs?\s*\{)"), "graph text"),
)
"""What a file begins with -> its format."""


def foreign_format(ending: str, head: bytes) -> str | None:
    """The format of a file that is not read, by its first bytes or the ending of its name; None for any other."""
    for beginning, format in _BEGINNINGS:
        if beginning.match(head):
            return format
    return _ENDINGS.get(ending)
