"""TensorFlow graphs, imported and checked, and their runs against recorded outputs.

python -m tests.importers.tensorflow.comparing FILE.graphdef
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.importers.common.text import Program
from gradual.importers.tensorflow.file.reading import load
from gradual.importers.tensorflow.file.schema import Model
from gradual.importers.tensorflow.program import program
from gradual.limits import Options
from gradual.source import Source
from gradual.tensors.tensor import Tensor

RELATIVE, ABSOLUTE = 2e-4, 2e-5
"""How far floats may be from TensorFlow's, which computes in float32 what is rounded once here."""
COARSE = {"float16": 2e-3, "bfloat16": 2e-2}
"""The same for narrow floats, by the name of their type."""


@dataclass(frozen=True)
class Import:
    """A model, what it became, and what the checker says."""

    path: Path
    model: Model
    imported: Program
    compilation: Compilation


def imported(
    path: Path, where: str | None = None, signature: str = "", is_open: bool = False, opens: bool = False
) -> Import:
    """A model, imported and checked; with `is_open` all its inputs' sizes are open, with `opens` these may be 0."""
    model = load(str(path), signature)
    if is_open:
        inputs = {name: replace(port, shape=(None,) * len(port.shape or ())) for name, port in model.inputs.items()}
        model = replace(model, inputs=inputs)
    made = program(model, () if where is None else [where], opens)
    compilation = compile_source(Source(path.name, made.text, made.origins), Options(rigid="error"))
    return Import(path, model, made, compilation)


def arrays(path: Path) -> list[Any]:
    """The recorded tensors of one file, in order."""
    found = numpy.load(path)
    return [found[key] for key in sorted(found, key=lambda key: int(key[1:]))]


def placed(one: Import, inputs: Sequence[Any]) -> list[Any]:
    """The inputs `inputs_0`, `inputs_1`, ... in the order in which the graph has them."""
    return [inputs[int(name.rpartition("_")[2])] for name in one.model.inputs]


def ran(one: Import, inputs: Sequence[Any]) -> list[Any]:
    """The results of a run at some inputs."""
    value = one.compilation.run("@main", *map(Tensor, inputs), *one.imported.weights.values())
    return list(value) if isinstance(value, tuple) else [value]


def differences(one: Import, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    """What a run at these inputs gives otherwise than these outputs; empty where nothing is."""
    return differing(ran(one, inputs), outputs)


def differing(found: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    """What in some results is different from these outputs."""
    if len(found) != len(outputs):
        return [f"{len(found)} outputs for {len(outputs)}"]
    told = (difference(at, *pair) for at, pair in enumerate(zip(found, outputs, strict=True)))
    return [text for text in told if text]


def difference(at: int, found: Any, wanted: Any) -> str:
    """What is different in a result; empty if nothing is."""
    dtype, ours = str(found.dtype), numpy.array(found.tolist() if str(found.dtype) == "bfloat16" else found)
    if dtype not in ("bfloat16", str(wanted.dtype)):
        return f"output {at}: {dtype} for {wanted.dtype}"
    if ours.shape != wanted.shape:
        return f"output {at}: shape {ours.shape} for {wanted.shape}"
    if ours.dtype.kind != "f":
        return "" if numpy.array_equal(ours, wanted) else f"output {at}: {ours} for {wanted}"
    relative = COARSE.get(dtype, RELATIVE)
    pair = ours.astype("float64"), wanted.astype("float64")
    close = numpy.isclose(*pair, rtol=relative, atol=max(ABSOLUTE, relative / 10), equal_nan=True)
    if close.all():
        return ""
    place = tuple(numpy.argwhere(~close)[0])
    return f"output {at}: {ours[place]} for {wanted[place]} at {place}, {(~close).sum()} of {ours.size} elements"


def main(paths: Sequence[str]) -> None:
    """Print the program, the report, and the outputs that differ."""
    for path in map(Path, paths):
        one = imported(path)
        print(one.imported.text)
        print(one.compilation.render(checks=True))
        for given in sorted(path.parent.glob(f"{path.stem}.[0-9].in.npz")):
            wanted = given.with_name(given.name.replace(".in.", ".out."))
            print(given.name, differences(one, arrays(given), arrays(wanted)) if one.compilation.ok else "refused")


if __name__ == "__main__":
    main(sys.argv[1:])
