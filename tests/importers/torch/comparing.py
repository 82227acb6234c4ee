"""Exported PyTorch programs, imported and checked: every size against PyTorch's own, and runs against recorded outputs.

python -m tests.importers.torch.comparing FILE.pt2 [WHERE]
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy

from bench.peers.formulas import valued
from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.importers.common.sizes.ports import Port
from gradual.importers.common.text import Program
from gradual.importers.torch.file.reading import load
from gradual.importers.torch.file.schema import Graph, Model
from gradual.importers.torch.program import named, program
from gradual.limits import Options
from gradual.source import Source
from gradual.tensors.tensor import Tensor

SAMPLES, TRIES = 5, 3000
_SIZE = re.compile(r"L\['(\w+)'\](?:\[(\d+)\])?\.size\(\)\[(\d+)\]")
"""How a guard names a size of an input."""
_FUNCTIONS = {
    "max": max,
    "min": min,
    "Max": max,
    "Min": min,
    "floor": floor,
    "ceiling": ceil,
    "CeilToInt": ceil,
    "FloorToInt": floor,
    "TruncToInt": int,
    "ToFloat": float,
    "IntTrueDiv": lambda a, b: a / b,
    "FloatTrueDiv": lambda a, b: a / b,
    "Identity": lambda a: a,
}
"""What a recorded size may call, besides Python's operators."""

RELATIVE, ABSOLUTE = 2e-4, 2e-5
"""How far floats may be from PyTorch's, which computes in float32 what is rounded once here."""
COARSE = {"float16": 2e-3, "bfloat16": 2e-2}
"""The same for narrow floats, by the name of their type."""


@dataclass(frozen=True)
class Import:
    """An archive, what it became, and what the checker says."""

    path: Path
    model: Model
    imported: Program
    compilation: Compilation


@dataclass
class Sizes:
    """Inferred sizes against the recorded ones.

    Attributes:
        same: sizes that agree at every sample.
        open: sizes that are left to the run here, and known there.
        data: sizes that depend on data there.
        differ: what does not agree.
        unseen: tensors of the export that have no binding of their own, or whose name a graph inside has too.
    """

    same: int = 0
    open: int = 0
    data: int = 0
    unseen: int = 0
    differ: list[str] = field(default_factory=list)


def imported(path: Path, where: str | None = None) -> Import:
    """An archive, imported and checked."""
    model, archive = load(str(path))
    made = program(model, archive, () if where is None else [where])
    compilation = compile_source(Source(path.name, made.text, made.origins), Options(rigid="error"))
    return Import(path, model, made, compilation)


# -------------------------------------------------------------------------------------------------------------- sizes
def compared(one: Import) -> Sizes:
    """The sizes of all bindings of `@main` against what the export recorded."""
    found, samples = Sizes(), symbol_values(one)
    types, inner = dict(_types(one)), set(_inner(one.model.graph))
    for name, meta in one.model.graph.tensors.items():
        extents = types.get(name)
        if extents is None or name in inner:
            found.unseen += 1
            continue
        if len(extents) != len(meta.sizes):
            found.differ.append(f"{name}: rank {len(extents)}, recorded {meta.sizes}")
            continue
        for axis, (ours, recorded) in enumerate(zip(extents, meta.sizes, strict=True)):
            _compare(found, f"{name}[{axis}]", ours, recorded, samples)
    return found


def _inner(graph: Graph) -> Iterator[str]:
    """The names in graphs inside nodes, which may be those of other values outside."""
    for node in graph.nodes:
        for argument in (*node.positional, *node.arguments.values()):
            if isinstance(argument, Graph):
                yield from (*argument.tensors, *_inner(argument))


def _compare(found: Sizes, place: str, ours: str, recorded: Any, samples: Sequence[Mapping[str, int]]) -> None:
    pairs = [(valued(ours, renamed(sample)), recorded_value(recorded, sample)) for sample in samples]
    wrong = next(((at, pair) for at, pair in enumerate(pairs) if None not in pair and pair[0] != pair[1]), None)
    if wrong is not None:
        at, (one, other) = wrong
        found.differ.append(f"{place}: {ours} is {one}, recorded {recorded} is {other} at {samples[at]}")
    elif any(other is None for _, other in pairs):
        found.data += 1
    elif any(one is None for one, _ in pairs):
        found.open += 1
    else:
        found.same += 1


def _types(one: Import) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The extents of each value of the export, by its name there."""
    for binding in one.compilation.bindings:
        origin = one.imported.origins.at(binding.span.start) if binding.function == "@main" else None
        if origin is not None and binding.shape is not None:
            for name in (origin.value, *origin.also):
                yield name, binding.shape
    for name, (_, shape) in one.imported.origins.folded.items():
        yield name, tuple(map(str, shape))
    for name, (_, stored) in one.model.stored.items():
        yield name, tuple(map(str, stored.shape))


def symbol_values(one: Import) -> list[dict[str, int]]:
    """Values of PyTorch's symbols, within the ranges that it recorded."""
    drawn = random.Random(one.path.name)
    found: list[dict[str, int]] = []
    for _ in range(TRIES):
        sample = {}
        for symbol, (least, greatest) in one.model.ranges.items():
            if symbol.startswith("s"):
                low = max(2, least or 0)
                sample[symbol] = drawn.randint(low, max(low, min(greatest or 10**9, low + 40)))
        if len(found) < SAMPLES and all(_holds(guard, one.model, sample) for guard in one.model.guards):
            found.append(sample)
    assert found, f"no sizes satisfy the guards {one.model.guards}"
    ports = [
        Port(name, one.model.graph.tensors[name].dtype, one.model.graph.tensors[name].sizes)
        for name in one.model.user_inputs
        if name in one.model.graph.tensors
    ]
    names = named(ports)
    return [Sample(sample, names) for sample in found]


def _holds(guard: str, model: Model, sample: Mapping[str, int]) -> bool:
    """Whether a guard of the export holds at a sample, as only there it promises what it recorded.

    Guards that call functions of PyTorch are about other things than sizes."""

    def size(found: re.Match[str]) -> str:
        name = found[1] if found[2] is None else f"{found[1]}_{found[2]}"
        recorded = model.graph.tensors[name].sizes[int(found[3])]
        return f"({recorded})"

    written = _SIZE.sub(size, guard)
    return "torch" in written or bool(eval(written, {"__builtins__": {}, **_FUNCTIONS, **sample}))


class Sample(dict[str, int]):
    """Values of symbols, with the names that the program has for them."""

    def __init__(self, values: Mapping[str, int], names: Mapping[str, str]) -> None:
        super().__init__(values)
        self.names = names


def renamed(sample: Mapping[str, int]) -> dict[str, int]:
    """The values by the names that the program has for the symbols."""
    names = sample.names if isinstance(sample, Sample) else {}
    return {names.get(symbol, symbol): value for symbol, value in sample.items()}


def recorded_value(recorded: Any, sample: Mapping[str, int]) -> int | None:
    """A recorded size at a sample; None for one that depends on data, or that is no formula."""
    if not isinstance(recorded, str):
        return recorded if isinstance(recorded, int) else None
    try:
        return int(eval(recorded, {"__builtins__": {}, **_FUNCTIONS, **sample}))
    except NameError:
        return None


# --------------------------------------------------------------------------------------------------------------- runs
def differences(one: Import, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    """What a run at these inputs gives otherwise than these outputs; empty where nothing is."""
    value = one.compilation.run("@main", *map(_argument, inputs, _dtypes(one)), *one.imported.weights.values())
    found = list(value) if isinstance(value, tuple) else [value]
    if len(found) != len(outputs):
        return [f"{len(found)} outputs for {len(outputs)}"]
    told = (_difference(at, *pair) for at, pair in enumerate(zip(found, outputs, strict=True)))
    return [text for text in told if text]


def _dtypes(one: Import) -> list[str]:
    ports = (one.model.graph.tensors.get(name or "") for name in one.model.user_inputs if name is not None)
    return ["int64" if port is None else str(port.dtype) for port in ports]


def _argument(array: Any, dtype: str) -> Any:
    return Tensor(array, dtype) if dtype == "bfloat16" else Tensor(array)


def _difference(at: int, found: Any, wanted: Any) -> str:
    dtype = str(found.dtype)
    ours = numpy.array(found.tolist() if dtype == "bfloat16" else found)
    if dtype != "bfloat16" and dtype != str(wanted.dtype) and wanted.ndim:
        return f"output {at}: {dtype} for {wanted.dtype}"
    if ours.shape != wanted.shape:
        return f"output {at}: shape {ours.shape} for {wanted.shape}"
    if not ours.size:
        return ""
    if ours.dtype.kind != "f" or wanted.dtype.kind != "f":
        return "" if numpy.array_equal(ours, wanted) else f"output {at}: {_first(ours, wanted)}"
    relative = COARSE.get(dtype, RELATIVE)
    close = numpy.isclose(
        ours.astype("float64"),
        wanted.astype("float64"),
        rtol=relative,
        atol=max(ABSOLUTE, relative / 10),
        equal_nan=True,
    )
    return "" if close.all() else f"output {at}: {_first(ours, wanted, ~close)}"


def _first(ours: Any, wanted: Any, where: Any = None) -> str:
    where = ours != wanted if where is None else where
    place = tuple(int(index) for index in numpy.argwhere(where)[0]) if ours.shape else ()
    return f"{ours[place]} for {wanted[place]} at {place}, {int(where.sum())} of {ours.size} elements"


@dataclass(frozen=True)
class Recording:
    """The inputs and outputs of a run of PyTorch."""

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]


def recording(path: Path) -> Recording:
    """The arrays of one file, `in0`, `in1`, ..., `out0`, ..."""
    arrays = numpy.load(path)
    inputs, outputs = (
        tuple(arrays[key] for key in sorted((key for key in arrays if key.startswith(kind)), key=_number))
        for kind in ("in", "out")
    )
    return Recording(inputs, outputs)


def _number(key: str) -> int:
    return int("".join(character for character in key if character.isdigit()))


def main(arguments: Sequence[str]) -> None:
    """Print the program, the report, the sizes that differ, and the outputs that do."""
    for argument in arguments:
        path = Path(argument)
        one = imported(path)
        print(one.imported.text)
        print(one.compilation.render(checks=True))
        print(compared(one))
        stem = path.name.partition(".")[0]
        for run in sorted(path.parent.glob(f"{stem}.[0-9].npz")):
            given = recording(run)
            print(run.name, differences(one, given.inputs, given.outputs) if one.compilation.ok else "refused")


if __name__ == "__main__":
    main(sys.argv[1:])
