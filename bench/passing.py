"""The passes: shape arithmetic of growing length, and the printed models that an importer filled with it."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import gradual
from bench.fit import exponent
from bench.texts import shape_chain, turned_chain
from gradual.compilation import Compilation
from gradual.core.def_use import every
from gradual.core.terms import Apply

BAR = 5_000
"""Blocks of shape arithmetic a second that `dynamic-to-static` has to take."""
MODEL_BAR = 5.0
"""Seconds for a model."""


def plain_chain(blocks: int) -> str:
    """Blocks of shape_of, take, concatenate and dyn.reshape, and nothing else."""
    lines, value = ["def @main(%x: Tensor[(n, 12, 64), float32]) {"], "%x"
    for block in range(blocks):
        tail = "[64i64, 12i64]" if block % 2 else "[12i64, 64i64]"
        lines.append(f'  let %s{block} = shape_of({value}, dtype="int64");')
        lines.append(f"  let %a{block} = take(%s{block}, [0i64], axis=0);")
        lines.append(f"  let %c{block} = concatenate((%a{block}, {tail}), axis=0);")
        lines.append(f"  let %r{block} = dyn.reshape({value}, %c{block});")
        value = f"%r{block}"
    return "\n".join((*lines, f"  {value}", "}"))


CHAINS: dict[str, tuple[Callable[[int], str], str]] = {
    "four operators": (plain_chain, f"{BAR}"),
    "shape chain": (shape_chain, "-"),
    "shape chain, turned": (turned_chain, "-"),
}
"""Chains with the bar, which is about blocks of four operators; the others have eight and six."""

MODELS = Path(os.environ.get("GRADUAL_SHARED", Path(__file__).parents[2] / "shared"), "corpus", "relay-models")
IMPORTED = ("onnx_bert_ts", "onnx_gpt2_past_ts")
PASSES = ("dynamic-to-static", "fold-constants", "simplify-shapes", "inline", "static-to-dynamic", "drop-dead")


def report(quick: bool) -> Iterator[str]:
    """A line for each size, then each model; processor time of the pass alone, the least of three runs."""
    yield f"{'dynamic-to-static':24}{'blocks':>8}{'s':>9}{'blocks/s':>10}{'bar':>8}{'dyn. left':>11}"
    for name, (make, bar) in CHAINS.items():
        yield from _chain(name, make, bar, (500, 1_000, 2_000) if quick else (1_000, 2_000, 4_000, 8_000))
    yield ""
    yield f"{'model':24}{'pass':20}{'s':>8}{'bar':>6}{'steps':>16}{'dyn.':>12}{'shape_of':>12}"
    for name in IMPORTED:
        path = MODELS / f"{name}.relay"
        if path.exists():
            yield from _model(name, gradual.check(path.read_text("utf-8"), name))
        else:
            yield f"{name:24}not here"


def _chain(name: str, make: Callable[[int], str], bar: str, sizes: tuple[int, ...]) -> Iterator[str]:
    costs = []
    for size in sizes:
        found = gradual.check(make(size))
        seconds, after = _passed(found, "dynamic-to-static")
        costs.append(seconds)
        left = counts(after)["dyn."]
        yield f"{name:24}{size:8}{seconds:9.3f}{size / seconds:10.0f}{bar:>8}{left:11}"
    yield f"{'':24}grows with size to the power {exponent(sizes, costs):.2f}"


def _model(name: str, found: Compilation) -> Iterator[str]:
    before = counts(found)
    for one in PASSES:
        seconds, after = _passed(found, one)
        numbers = counts(after)
        parts = "".join(
            f"{f'{before[k]} to {numbers[k]}':>{w}}" for k, w in (("steps", 16), ("dyn.", 12), ("shapes", 12))
        )
        yield f"{name:24}{one:20}{seconds:8.2f}{MODEL_BAR:6.0f}{parts}"


def _passed(found: Compilation, name: str) -> tuple[float, Compilation]:
    """The seconds of a pass, without its verification, and what it made."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        after = gradual.apply(found, name, verify=False)
        best = min(best, time.process_time() - start)
    return best, after


def counts(found: Compilation) -> Counter[str]:
    """How many steps there are, how many dynamic operators, and how many that read shapes."""
    numbers: Counter[str] = Counter()
    for function in found.core.functions.values():
        for step in every(function.body):
            numbers["steps"] += 1
            name = step.operator.name if isinstance(step, Apply) else ""
            numbers["dyn."] += name.startswith("dyn.")
            numbers["shapes"] += name in ("shape_of", "ndarray_size")
    return numbers
