"""One tool on one model in a process of its own: `python -m bench.peers.child TOOL MODEL` prints the answer as JSON."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.peers.formulas import valued
from bench.peers.tools import TOOLS, Shapes, one_node

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Recorded:
    """What ONNX Runtime gave in two runs.

    Attributes:
        shapes: value -> its shape in each run; a value without one rank in both, or that is no tensor, is missing.
        inputs: those of the inputs.
        symbols: the model's own name of a size -> the size, in each run.
    """

    shapes: Mapping[str, Sequence[Sequence[int]]]
    inputs: Mapping[str, Sequence[Sequence[int]]]
    symbols: Sequence[Mapping[str, int]]

    @classmethod
    def of(cls, path: Path) -> Recorded:
        """What is recorded beside a model."""
        found = json.loads(path.with_suffix(".shapes.json").read_text())
        runs = [run["outputs"] | run["intermediates"] for run in found["runs"]]
        inputs = {name: [run["inputs"][name] for run in found["runs"]] for name in found["runs"][0]["inputs"]}
        both = {name: [run.get(name) for run in runs] for name in runs[0]}
        ranked = {name: shapes for name, shapes in both.items() if all(isinstance(one, list) for one in shapes)}
        one_rank = {name: shapes for name, shapes in ranked.items() if len({*map(len, shapes)}) == 1}
        return cls(one_rank, inputs, found["symbols"])

    @property
    def count(self) -> int:
        """How many sizes there are."""
        return sum(len(shapes[0]) for shapes in self.shapes.values())


def measured(tool: str, path: Path) -> dict[str, Any]:
    """What a tool knows of a model: the seconds it took, and how many sizes it knows, and knows wrong."""
    recorded = Recorded.of(path)
    with TemporaryDirectory() as folder, redirect_stdout(sys.stderr), chdir(folder):  # ONNX Runtime prints and writes
        TOOLS[tool](one_node(folder))  # libraries and tables are not measured
        began = time.process_time()
        shapes = TOOLS[tool](str(path))
        seconds = time.process_time() - began
    known, wrong = judged(shapes, recorded)
    return {"seconds": seconds, "sizes": recorded.count, "known": known, "wrong": wrong}


def judged(shapes: Shapes, recorded: Recorded) -> tuple[int, list[str]]:
    """How many sizes are formulas in the sizes of the inputs, and which of them a run contradicts.

    A name that a tool invents for a size of which it knows nothing is no formula, unless an input has that size.
    """
    runs = list(_symbols(shapes, recorded))
    known, wrong = 0, []
    for name, truth in recorded.shapes.items():
        extents = shapes.get(name)
        if extents is None:
            continue
        if len(extents) != len(truth[0]):
            wrong.append(f"{name}: rank {len(extents)}, but was {len(truth[0])}")
            continue
        for axis, extent in enumerate(extents):
            found = [None if extent is None else valued(_written(extent, symbols), _plain(symbols)) for symbols in runs]
            known += None not in found
            if None not in found and found != (was := [shape[axis] for shape in truth]):
                wrong.append(f"{name}, axis {axis}: {extent} is {', '.join(map(str, found))}, but was {was}")
    return known, wrong


def _symbols(shapes: Shapes, recorded: Recorded) -> Iterator[dict[str, int]]:
    """The sizes by name in each run: the model's names, and those that a tool has for sizes of inputs."""
    for run, symbols in enumerate(recorded.symbols):
        found = dict(symbols)
        for name, truth in recorded.inputs.items():
            for extent, size in zip(shapes.get(name, ()), truth[run], strict=False):
                if extent is not None and (_NAME.fullmatch(extent) or extent.startswith("dim(")):
                    found.setdefault(extent, size)
        yield found


def _written(extent: str, symbols: Mapping[str, int]) -> str:
    """A formula in which sizes without a name, `dim(%x, 0)`, have one."""
    for name in symbols:
        extent = extent.replace(name, _plainly(name)) if name.startswith("dim(") else extent
    return extent


def _plain(symbols: Mapping[str, int]) -> dict[str, int]:
    return {_plainly(name): size for name, size in symbols.items()}


def _plainly(name: str) -> str:
    return re.sub(r"\W+", "_", name)


if __name__ == "__main__":
    try:
        answer = measured(sys.argv[1], Path(sys.argv[2]).resolve())
    except Exception as failure:  # whatever a tool raises is its answer, and told in the table
        answer = {"failed": type(failure).__name__, "says": str(failure)}
    print(json.dumps(answer))
