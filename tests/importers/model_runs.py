"""The models of the corpora, run here and in ONNX Runtime: values at both recorded sizes, and counterexamples.

    python -m tests.importers.model_runs [--work MILLIONS] [MODEL]...

A model that is accepted gives the same values there, up to a tolerance for each element type; where it is accepted only
under conditions that its diagnostics ask for, it is run under them.  At the sizes of each counterexample the runtime
has to fail too.  Weights that the corpus left out are random, the same on both sides.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from onnx import load as load_model
from onnx.helper import tensor_dtype_to_np_dtype

import gradual
from bench.peers.formulas import valued
from gradual.compilation import Compilation
from gradual.diagnostic import Diagnostic
from gradual.importers.common.text import Program
from gradual.importers.onnx.file.reading import load
from gradual.importers.onnx.program import program
from gradual.run.value import Blame, Fault
from tests.importers.node_tests import tensor
from tests.material import GRAPHS, ONNX_ZOO
from tests.ops.onnx_runtime import Declined, Died, Refused, Runtime

MILLION = 1_000_000
WORK = 1_500
"""Millions of multiply-adds that a run may take."""
FACTORS = (1.0, 0.1)
"""By what weights are multiplied: by the second where the first leads to numbers that are not finite."""
NEAR = {"float16": 1e-2, "float32": 2e-4, "float64": 1e-9}
"""What an element may differ by, relatively to the greatest of its tensor; others may not."""
ROUNDS = 6
"""How often conditions are added."""
WORDS = 36
"""Whole numbers among the inputs are below this, as in the recorded runs."""
LENIENT = {
    "the tensors differ in an axis other than the one": "it passes over tensors without elements of any shape",
    "the window is wider than the padded input": "it counts a window that only begins in the input",
}
"""What is refuted here and runs in ONNX Runtime all the same: a message, and what the runtime does instead.

By ONNX's text such a window counts with `ceil_mode=1` only; there it is not refused here.
"""
CONDITIONS = {
    "gpt2_past_ts": "total == past + seq, total <= 1024",
    "hf_whisper_dyn": "s10 == s86",
    "timm_hrnet_w18_small": "s0 % 32 == 0, s53 % 32 == 0",
}
"""Conditions of models whose diagnostics ask for none that the recorded runs meet."""
_ASKED = re.compile(r"`where (.+?)`")

RUNTIME = Runtime()


@dataclass(frozen=True)
class Model:
    """A model of the corpora with what was recorded of it.

    Attributes:
        inputs: name -> element type, and sizes as the model writes them.
    """

    path: Path
    proto: Any
    recorded: Mapping[str, Any]
    inputs: Mapping[str, tuple[Any, Sequence[int | str]]]

    @classmethod
    def read(cls, path: Path) -> Model:
        """The model and its recorded runs."""
        proto = load_model(path)
        given = {one.name for one in proto.graph.initializer}
        inputs = {}
        for port in proto.graph.input:
            if port.name not in given:
                kind = port.type.tensor_type
                sizes = [size.dim_param or size.dim_value for size in kind.shape.dim]
                inputs[port.name] = tensor_dtype_to_np_dtype(kind.elem_type), sizes
        return cls(path, proto, json.loads(path.with_suffix(".shapes.json").read_text()), inputs)

    def feed(self, run: int, symbols: Mapping[str, int] | None = None, factor: float = 1.0) -> dict[str, Any]:
        """Inputs and weights of a recorded run's sizes, or of others; at random, the same at each call."""
        random = np.random.default_rng(run)
        found = {name: self._drawn(name, self._shape(name, run, symbols), random) for name in self.inputs}
        weights = [name for name in self.recorded["weights"] if found[name].dtype.kind == "f"]
        return found | {name: (found[name] * factor).astype(found[name].dtype) for name in weights}

    def _shape(self, name: str, run: int, symbols: Mapping[str, int] | None) -> list[int]:
        written = self.inputs[name][1]
        recorded = {
            **self.recorded["runs"][run]["inputs"],
            **{k: w["shape"] for k, w in self.recorded["weights"].items()},
        }
        if symbols is None:
            return list(recorded[name])
        found = [
            valued(size, {**self.recorded["symbols"][run], **symbols}) if isinstance(size, str) else size
            for size in written
        ]
        return [int(one or other) for one, other in zip(found, recorded[name], strict=True)]

    def _drawn(self, name: str, shape: Sequence[int], random: Any) -> Any:
        dtype, weight = self.inputs[name][0], self.recorded["weights"].get(name, {})
        if dtype == np.bool_ or "mask" in name:
            return np.ones(shape, dtype)
        if name in self.recorded.get("rules", {}):
            _, other, axis = self.recorded["rules"][name]
            longest = self._shape(other, 0, None)[axis]
            return np.sort(random.integers(1, longest + 1, shape))[::-1].astype(dtype)
        if dtype == np.int8:  # in 7 bits: on some processors the runtime's sums of pairs of products saturate beyond
            return random.integers(-63, 64, shape).astype(dtype)
        if dtype.kind in "iu":
            least, greatest = weight.get("range", (1, WORDS - 1))
            return random.integers(least, greatest + 1, shape).astype(dtype)
        drawn = random.standard_normal(shape) * (scale(shape) if weight else 1.0)
        return (np.abs(drawn) + 0.5 if weight.get("positive") else drawn).astype(dtype)

    def work(self, run: int) -> int:
        """The multiply-adds of a run's contractions, and the elements of all other results."""
        recorded = self.recorded["runs"][run]
        shapes = {**recorded["inputs"], **recorded["outputs"], **recorded["intermediates"]}
        shapes |= {name: one["shape"] for name, one in self.recorded["weights"].items()}
        shapes |= {one.name: list(one.dims) for one in self.proto.graph.initializer}
        return sum(multiplied(node, shapes) for node in self.proto.graph.node)


def scale(shape: Sequence[int]) -> float:
    """The deviation of a weight's elements that keeps a layer's results about as large as its operands."""
    if prod(shape[1:]) < 2:  # a number for each channel
        return 0.1
    return 1.0 / float(np.sqrt(prod(shape[1:]) if len(shape) > 2 else max(*shape, 1)))


def multiplied(node: Any, shapes: Mapping[str, Any]) -> int:
    """How many products a node takes, or elements it makes."""
    made = sum(prod(shapes[name]) for name in node.output if isinstance(shapes.get(name), list))
    operands = [shapes[name] for name in node.input if isinstance(shapes.get(name), list)]
    if "Conv" in node.op_type and len(operands) > 1:
        weight = next((one for one in operands[1:] if len(one) > 2), [1, 1])
        spread = prod(operands[0]) if node.op_type == "ConvTranspose" else made
        return int(spread * prod(weight[1:]))
    if ("MatMul" in node.op_type or "Gemm" in node.op_type or node.op_type == "Attention") and operands and operands[0]:
        return int(made * operands[0][-1])
    return made


@dataclass
class Outcome:
    """What became of a model.

    Attributes:
        lines: what is told of it.
        wrong: what has no explanation.
    """

    name: str
    lines: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    compared: int = 0
    counterexamples: int = 0


def outcome(path: Path, work: float = WORK, runs: Sequence[int] = (0, 1)) -> Outcome:
    """A model here and there."""
    model, found = Model.read(path), Outcome(path.stem)
    made, compilation, conditions, errors = accepted(path)
    if errors and isinstance(answer := theirs(model, model.feed(0)), str):
        found.lines.append(f"the runtime does not run it, {short(answer)}")
        return found
    for error in errors:
        counterexample(model, error, found)
    if compilation is None or made is None:
        found.wrong.append(f"not accepted under {', '.join(conditions) or 'any condition'}")
        return found
    if conditions:
        found.lines.append(f"accepted where {', '.join(conditions)}")
    for run in runs:
        if (millions := model.work(run) / MILLION) > work:
            found.lines.append(f"{_at(model, run)}: left out, {millions:.0f} million multiply-adds")
        else:
            compared(model, run, made, compilation, found)
    return found


def accepted(path: Path) -> tuple[Program | None, Compilation | None, list[str], list[Diagnostic]]:
    """The program under the conditions that its errors ask for, these conditions, and the errors without them."""
    conditions, first = list[str](), list[Diagnostic]()
    symbols = json.loads(path.with_suffix(".shapes.json").read_text())["symbols"]
    for _ in range(ROUNDS):
        made = program(load(str(path)), conditions)
        compilation = gradual.check(made.text, path.stem)
        if compilation.ok:
            return made, compilation, conditions, first
        errors = [one for one in compilation.diagnostics if one.severity == "error"]
        first = first or errors
        asked = [match[1] for error in errors for help in error.help if (match := _ASKED.search(help.text))]
        met = [one for one in asked if one not in conditions and all(holds(one, sizes) for sizes in symbols)]
        met += [CONDITIONS[path.stem]] if path.stem in CONDITIONS and not conditions else []
        if not met:
            break
        conditions.append(met[0])
    return None, None, conditions, first


def holds(conditions: str, sizes: Mapping[str, int]) -> bool:
    """Whether sizes meet conditions, which commas part."""
    return all(valued(one, sizes) == 1 for one in conditions.split(","))


def counterexample(model: Model, error: Diagnostic, found: Outcome) -> None:
    """Puts the sizes of a counterexample to the runtime, which has to fail as well."""
    sizes = error.data.get("counterexample")
    if not isinstance(sizes, Mapping):
        found.lines.append(f"{error.message}: no counterexample")
        return
    found.counterexamples += 1
    says = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    answer = theirs(model, model.feed(0, sizes))
    why = next((why for message, why in LENIENT.items() if message in error.message), None)
    if isinstance(answer, str):
        found.lines.append(f"refuted at {says}: the runtime fails too, {short(answer)}")
    elif why is not None:
        found.lines.append(f"refuted at {says}: the runtime runs, {why}")
    else:
        found.wrong.append(f"refuted at {says} ({error.message}), where the runtime runs")


def compared(model: Model, run: int, made: Program, compilation: Compilation, found: Outcome) -> None:
    """Compares the values of a recorded run."""
    at = _at(model, run)
    for factor in FACTORS:
        feed = model.feed(run, factor=factor)
        answer = theirs(model, feed)
        if isinstance(answer, str) or all(np.isfinite(_array(one).astype(float)).all() for one in answer):
            break
    if isinstance(answer, str):
        found.lines.append(f"{at}: the runtime does not run it, {short(answer)}")
        return
    if model.recorded.get("nondeterministic"):
        found.lines.append(
            f"{at}: left out, {', '.join(model.recorded['nondeterministic'])} gives other values each time"
        )
        return
    began = time.process_time()
    try:
        given = compilation.run("@main", *map(tensor, feed.values()), *made.weights.values())
    except (Blame, Fault) as stop:
        found.wrong.append(f"{at}: stopped, {stop}")
        return
    seconds = time.process_time() - began
    differences = [*_differences(list(given) if isinstance(given, tuple) else [given], answer)]
    found.compared += 1
    for index, difference, allowed in differences:
        if not difference <= allowed:
            found.wrong.append(f"{at}: output {index} differs by {difference:.1e}")
    most = max((difference for _, difference, _ in differences), default=0.0)
    found.lines.append(f"{at}: {len(differences)} outputs, differ by {most:.1e} at most, {seconds:.1f} s")


def _differences(ours: Sequence[Any], theirs: Sequence[Any]) -> Iterator[tuple[int, float, float]]:
    """Each output, by how much it differs relatively to its greatest element, and how much it may."""
    for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        wanted = _array(other)
        if list(one.shape) != list(wanted.shape):
            yield index, float("inf"), 0.0
            continue
        left, right = np.array(one.flat(), float).ravel(), wanted.astype(float).ravel()
        greatest = max(np.max(np.abs(right[np.isfinite(right)]), initial=0.0), 1e-30)
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        off = np.where(same, 0.0, np.abs(left - right) / greatest)
        yield index, float(np.max(np.nan_to_num(off, nan=np.inf), initial=0.0)), NEAR.get(str(wanted.dtype), 0.0)


def _array(value: Any) -> Any:
    """An output of the runtime; a table for each point becomes a row."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return np.array([[*one.values()] for one in value], np.float32)
    return np.asarray(value)


def theirs(model: Model, feed: Mapping[str, Any]) -> list[Any] | str:
    """What the runtime gives, or why it does not."""
    try:
        return RUNTIME.run(model.proto.SerializeToString(), feed)
    except (Declined, Refused) as failure:
        return " ".join(str(failure).split())
    except Died as death:
        return f"died: {death}"


def short(says: str) -> str:
    """What the runtime says, without where it says it."""
    return re.sub(
        r"^\[ONNXRuntimeError\] : \d+ : |Non-zero status code returned while |/\S+/onnxruntime/\S+ ", "", says
    )[:140]


def _at(model: Model, run: int) -> str:
    return ", ".join(f"{name} = {size}" for name, size in model.recorded["symbols"][run].items()) or f"run {run}"


def main() -> int:
    """Run the models, and tell; the exit status says whether anything has no explanation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=float, default=WORK, metavar="MILLIONS", help="of multiply-adds for each run")
    parser.add_argument("models", nargs="*", metavar="MODEL", help="all where none is named")
    given = parser.parse_args()
    outcomes = []
    for path in (*sorted(GRAPHS.glob("*.onnx")), *sorted(ONNX_ZOO.glob("*.onnx"))):
        if not given.models or path.stem in given.models:
            outcomes.append(outcome(path, given.work))
            print(path.stem, *(f"\n    {line}" for line in outcomes[-1].lines), sep="", flush=True)
            print(*(f"    WRONG {line}\n" for line in outcomes[-1].wrong), sep="", end="", flush=True)
    compared, counted = sum(one.compared for one in outcomes), sum(one.counterexamples for one in outcomes)
    wrong = sum(len(one.wrong) for one in outcomes)
    print(f"{len(outcomes)} models, {compared} runs compared, {counted} counterexamples put to it; {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
