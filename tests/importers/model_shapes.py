"""The graphs of the corpus, imported and checked: what is known of their sizes, and whether runs contradict it.

    python -m tests.importers.model_shapes [NAME=WHERE]...

WHERE is a condition that `@main` then demands, such as `seq >= 1`.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import gradual
from bench.peers import formulas
from gradual.compilation import Compilation
from gradual.importers.common.values import Names
from gradual.importers.onnx.file.reading import load
from gradual.importers.onnx.program import program
from tests.material import GRAPHS

NOTHING: Mapping[str, int] = {}
_MADE = re.compile(r"dim\(%[\w./:]+, [0-9]+\)|%[A-Za-z_][\w./:]*(?:\[[0-9]+\])?")
"""A size of a value, or an integer that is a value or an element of one, in the text of a type."""


@dataclass(frozen=True)
class Sizes:
    """What is known of the sizes of a graph's values.

    Attributes:
        known: sizes that are formulas in the sizes of the inputs.
        computed: sizes that are formulas also in integers that the model computes, of which no formula is known.
        open: other sizes, which are left to the run.
        wrong: sizes that a recorded run contradicts.
    """

    known: int
    computed: int
    open: int
    wrong: tuple[str, ...]


def imported(path: Path, where: str = "") -> tuple[Compilation, str]:
    """The compilation of a graph, and its text."""
    text = program(load(str(path)), [where] if where else ()).text
    return gradual.check(text, name=path.stem), text


def sizes(path: Path, compilation: Compilation) -> Sizes:
    """The sizes of the values against those that ONNX Runtime gave."""
    recorded = json.loads(path.with_suffix(".shapes.json").read_text())
    runs = [run["outputs"] | run["intermediates"] for run in recorded["runs"]]
    integers = [sizes_of_inputs(run) | recorded_integers(run) for run in recorded["runs"]]
    names = {f"%{Names().fresh(name)}": name for run in runs for name in run}
    counts: Counter[str] = Counter()
    wrong = []
    for binding in compilation.bindings:
        if binding.function != "@main":
            continue
        name, extents = names.get(binding.name), extents_of(binding.type)
        if name is None or extents is None:
            continue
        counts.update(_kind(extent, recorded, integers[0]) for extent in extents)
        for symbols, run, made in zip(recorded["symbols"], runs, integers, strict=True):
            if (shape := run.get(name)) is None:
                continue
            found = [valued(extent, symbols, made) for extent in extents]
            if len(found) != len(shape) or any(
                one not in (None, other) for one, other in zip(found, shape, strict=True)
            ):
                wrong.append(f"{name}: {binding.type} at {symbols}, but was {shape}")
    return Sizes(counts["known"], counts["computed"], counts["open"], tuple(wrong))


def _kind(extent: str, recorded: Mapping[str, Any], integers: Mapping[str, int]) -> str:
    """Which of the counts of `Sizes` a size belongs to."""
    symbols = recorded["symbols"][0]
    if valued(extent, symbols, sizes_of_inputs(recorded["runs"][0])) is not None:
        return "known"
    return "open" if valued(extent, symbols, integers) is None else "computed"


def everything_known(path: Path, where: str) -> int:
    """How many sizes of a graph are formulas, given `where`; every size has to be one, and no check may be left."""
    compilation, _ = imported(path, where)
    found = sizes(path, compilation)
    assert (compilation.ok, compilation.checks) == (True, ())
    assert (found.computed, found.open, found.wrong) == (0, 0, ())
    return found.known


def extents_of(type: str) -> list[str] | None:
    """The sizes in the text of a tensor's type; None of another one."""
    if not (match := re.fullmatch(r"Tensor\[\((.*)\), \w+\]", type)):
        return None
    parts, depth = [""], 0
    for character in match[1]:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def sizes_of_inputs(run: Mapping[str, Any]) -> dict[str, int]:
    """The sizes of the inputs of a recorded run, as types spell those that have no name."""
    return {
        f"dim(%{Names().fresh(name)}, {axis})": size
        for name, shape in run["inputs"].items()
        for axis, size in enumerate(shape)
    }


def recorded_integers(run: Mapping[str, Any]) -> dict[str, int]:
    """The integers that a recorded run computed, and the elements of its vectors of them, as types spell them."""
    found: dict[str, Any] = {}
    for name, value in run["shape_values"].items():
        spelled = f"%{Names().fresh(name)}"
        found |= (
            {f"{spelled}[{at}]": one for at, one in enumerate(value)} if isinstance(value, list) else {spelled: value}
        )
    return {spelled: value for spelled, value in found.items() if isinstance(value, int)}


def valued(extent: str, symbols: Mapping[str, int], integers: Mapping[str, int] = NOTHING) -> Fraction | None:
    """A size at some sizes of the inputs and some integers; None where it speaks of something else."""
    return formulas.valued(_MADE.sub(lambda found: str(integers.get(found[0], found[0])), extent), symbols)


def main() -> None:
    """Print what is known of each graph."""
    clauses = dict(argument.partition("=")[::2] for argument in sys.argv[1:])
    for path in sorted(GRAPHS.glob("*.onnx")):
        if sys.argv[1:] and path.stem not in clauses:
            continue
        started = time.process_time()
        compilation, _ = imported(path, clauses.get(path.stem, ""))
        found, seconds = sizes(path, compilation), time.process_time() - started
        errors = sum(diagnostic.severity == "error" for diagnostic in compilation.diagnostics)
        verdicts = f"{len(compilation.checks)} residual, {errors} errors"
        told = f"{found.known} known, {found.computed} computed, {found.open} open, {len(found.wrong)} wrong"
        print(f"{path.stem}: {told}; {verdicts}; {seconds:.1f} s")
        for one in [*found.wrong[:5], *(str(d.message) for d in compilation.diagnostics[:4])]:
            print(f"    {one}")


if __name__ == "__main__":
    main()
