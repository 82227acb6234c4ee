"""Keras models and TensorFlow functions as GraphDefs and SavedModels, with what TensorFlow computes.

    python -m tests.importers.tensorflow.exporting FOLDER [NAME]...

It needs TensorFlow, which the project itself and its tests do not.  For each case of `keras_models.py` it writes
`NAME.graphdef`, a graph with its variables frozen to constants, and `NAME.saved/`, a SavedModel; with `NAME.K.npz` for
each run: the inputs `in0`, `in1`, ... and the outputs `out0`, `out1`, ...  The cases of `operators/` are graphs in a
folder of that name.  With no name it also writes `data/exports.tar.xz`, all of them in one file.
"""

from __future__ import annotations

import json
import lzma
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy

from tests.importers.tensorflow.keras_models import CASES, Case, tf
from tests.importers.tensorflow.operators import case as operators
from tests.importers.tensorflow.operators import elements, indices, selecting, shapes, signals

OPERATORS = {**elements.CASES, **indices.CASES, **selecting.CASES, **shapes.CASES, **signals.CASES}
"""The cases of single operators, by name."""

NEEDED = "saved_model.pb", "variables.index", "variables.data-00000-of-00001"
"""The files of a SavedModel that a reader needs."""


def save(folder: Path, name: str, case: Case) -> None:
    """Write the graph, the SavedModel and the arrays of a case."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    tf.keras.utils.set_random_seed(1)
    model = case.model()
    module = tf.Module()
    module.model = model
    module.run = tf.function(lambda *inputs: _called(model, inputs), input_signature=case.inputs)
    frozen = convert_variables_to_constants_v2(module.run.get_concrete_function(), lower_control_flow=False)
    (folder / f"{name}.graphdef").write_bytes(frozen.graph.as_graph_def().SerializeToString(deterministic=True))
    tf.saved_model.save(module, str(folder / f"{name}.saved"), signatures=module.run)
    for run in range(len(case.sizes)):
        inputs = case.arrays(run)
        outputs = tf.nest.flatten(module.run(*map(tf.constant, inputs)))
        arrays = {f"in{at}": one for at, one in enumerate(inputs)}
        numpy.savez(
            folder / f"{name}.{run}.npz", **arrays, **{f"out{at}": one.numpy() for at, one in enumerate(outputs)}
        )


def _called(model: Any, inputs: Sequence[Any]) -> Any:
    """The outputs by their places; a Keras model takes its inputs as one list."""
    keras = isinstance(model, tf.keras.Model)
    outputs = tf.nest.flatten(model(list(inputs) if len(inputs) > 1 else inputs[0]) if keras else model(*inputs))
    return {f"out{at}": tf.identity(one) for at, one in enumerate(outputs)}


def packed(folder: Path, target: Path) -> None:
    """Everything that a reader needs of a folder as one compressed file."""
    with (
        lzma.open(target, "wb", preset=9 | lzma.PRESET_EXTREME) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            if path.suffix in (".graphdef", ".npz", ".json") or path.name in NEEDED:
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = path.stat().st_size
                with path.open("rb") as file:
                    tar.addfile(entry, file)


# ----------------------------------------------------------------------------------------------------- single operators
def save_operator(folder: Path, name: str, case: operators.Case) -> None:
    """Write the graph of an operator, the arrays of its runs, and those at which it raises an error."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    applied = tf.function(lambda *inputs: _named(case.function(*inputs)), input_signature=case.signature)
    frozen = convert_variables_to_constants_v2(applied.get_concrete_function(), lower_control_flow=False)
    (folder / f"{name}.graphdef").write_bytes(frozen.graph.as_graph_def().SerializeToString(deterministic=True))
    for run, inputs in enumerate([] if case.refused else case.runs):
        outputs = tf.nest.flatten((case.truth or case.function)(*map(tf.constant, inputs)))
        outputs = [tf.cast(one, tf.float32) if one.dtype == tf.bfloat16 else one for one in outputs]
        arrays = {f"in{at}": one for at, one in enumerate(inputs)}
        numpy.savez_compressed(
            folder / f"{name}.{run}.npz", **arrays, **{f"out{at}": one.numpy() for at, one in enumerate(outputs)}
        )

    case.require_errors()
    for run, inputs in enumerate(case.raises):
        arrays = {f"in{at}": one for at, one in enumerate(inputs)}
        numpy.savez_compressed(folder / f"{name}.raises.{run}.npz", **arrays)


def _named(outputs: Any) -> list[Any]:
    return [tf.identity(one) for one in tf.nest.flatten(outputs)]


def save_operators(folder: Path, names: Sequence[str] = ()) -> None:
    """Write the graphs of all operators, and which of them are refused."""
    folder.mkdir(exist_ok=True)
    failed = []
    for name, case in OPERATORS.items():
        if not names or name in names:
            try:
                save_operator(folder, name, case)
            except Exception as error:
                error.add_note(f"the case `{name}`")
                failed.append(error)
    if failed:
        raise ExceptionGroup("some cases are wrong", failed)
    refused = {name: case.refused for name, case in OPERATORS.items() if case.refused}
    (folder / "refused.json").write_text(json.dumps(refused, indent=1))


def main(arguments: Sequence[str]) -> None:
    """Write the cases that are named, or all of them; `operators` names all single operators."""
    folder, names = Path(arguments[0]), arguments[1:]
    folder.mkdir(parents=True, exist_ok=True)
    for name in [name for name in names or CASES if name in CASES]:
        save(folder, name, CASES[name])
    if not names or "operators" in names:
        save_operators(folder / "operators")
    if not names:
        packed(folder, Path(__file__).parent / "data" / "exports.tar.xz")


if __name__ == "__main__":
    main(sys.argv[1:])
