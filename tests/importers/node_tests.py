"""ONNX's own tests of operators, through the importer: what became of each.

    python -m tests.importers.node_tests [REGEX]

The tests come with the package `onnx` (`onnx.backend.test`): a model of one node, its inputs, and what it gives.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import gradual
from gradual.compilation import Compilation
from gradual.importers.common.refusals import Refused, Unsupported
from gradual.importers.common.text import Program
from gradual.importers.onnx.file.reading import model_of, tensor_of_proto
from gradual.importers.onnx.program import program
from gradual.run.value import Blame, Fault

COARSE = 2.0**-6
"""What a few operations in a row may differ by in 16 bits, relatively: some of ONNX's results are rounded once only."""

ROUNDED = {32: 2.0**-24, 64: 2.0**-53}
"""What a sum of numbers may differ by, for the width of floats, relatively to the greatest of them."""


@dataclass(frozen=True)
class Outcome:
    """What became of a test.

    Attributes:
        kind: `agrees`, `differs`, `refused` by the importer, `rejected` by the checker, or `stopped` at run time.
    """

    name: str
    kind: str
    says: str = ""


@cache
def cases() -> dict[str, Any]:
    """The tests of nodes by name, but those of a function's body, which are other models of the same."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, about what tests of infinities do
        return {case.name: case for case in collect_testcases(None) if "_expanded" not in case.name}


def outcome(case: Any) -> Outcome:
    """What became of a test; where its model has axes and the like as inputs, they are made constants."""
    found = _outcome(case, case.model, frozenset())
    if found.kind == "refused" and "computed when the model runs" in found.says:
        return _outcome(case, *_with_constants(case))
    return found


def _with_constants(case: Any) -> tuple[Any, frozenset[int]]:
    """The model with its inputs of whole numbers as constants, and which of them they are."""
    from onnx import ModelProto, numpy_helper

    model = ModelProto()
    model.CopyFrom(case.model)
    inputs = case.data_sets[0][0]
    given = {at: np.asarray(value) for at, value in enumerate(inputs) if value is not None and at > 0}
    settings = {at for at, port in enumerate(case.model.graph.input) if port.name in ("roi", "scales")}
    fixed = {at for at, value in given.items() if value.dtype.kind in "iub" or at in settings}
    for at in fixed:
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(inputs[at]), model.graph.input[at].name))
    return model, frozenset(fixed)


def _outcome(case: Any, model: Any, fixed: frozenset[int]) -> Outcome:
    """Import a model, check it, run it, and compare."""
    try:
        imported = program(model_of(model))
        compilation = gradual.check(imported.text)
    except (Unsupported, Refused) as error:
        return Outcome(case.name, "refused", str(error))
    if not compilation.ok:
        return Outcome(case.name, "rejected", "; ".join(str(d.message) for d in compilation.diagnostics))
    for inputs, expected in case.data_sets:
        try:
            given = [_argument(value, kind) for at, value, kind in _present(case, inputs) if at not in fixed]
            found = _run(compilation, imported, given)
        except (Blame, Fault) as error:
            return Outcome(case.name, "stopped", str(error))
        if difference := _difference(case, found, expected):
            return Outcome(case.name, "differs", difference)
    return Outcome(case.name, "agrees")


def _run(compilation: Compilation, imported: Program, inputs: Sequence[Any]) -> list[gradual.Tensor]:
    return list(_tensors(compilation.run("@main", *inputs, *imported.weights.values())))


def _present(case: Any, inputs: Sequence[Any]) -> list[tuple[int, Any, str]]:
    """The inputs that the model has, each with its place and its kind: of a node, others may be left out."""
    kinds = [str(port.type.WhichOneof("value")) for port in case.model.graph.input]
    given = [(at, value) for at, value in enumerate(inputs) if value is not None or len(inputs) == len(kinds)]
    return [(at, value, kind) for (at, value), kind in zip(given, kinds, strict=True)]


def _argument(value: Any, kind: str = "") -> Any:
    """A tensor, or a sequence of them; of a `kind` that may be absent, as an optional value."""
    if kind == "optional_type":
        return gradual.Constructed(*(("None", ()) if value is None else ("Some", (_argument(value),))))
    if not isinstance(value, list):
        return tensor(value)
    rest = gradual.Constructed("Nil", ())
    for one in reversed(value):
        rest = gradual.Constructed("Cons", (tensor(one), rest))
    return rest


def _tensors(value: Any) -> Iterator[gradual.Tensor]:
    """The tensors of a value, those of its sequences one after another."""
    if isinstance(value, gradual.Tensor):
        yield value
    else:
        for one in value.fields if isinstance(value, gradual.Constructed) else value:
            yield from _tensors(one)


def tensor(array: Any) -> gradual.Tensor:
    """A tensor of an array of NumPy's, or of ONNX's own."""
    if hasattr(array, "raw_data"):
        return tensor_of_proto(array)
    found = np.asarray(array)
    elements = found.astype(np.float64) if "float" in str(found.dtype) else found
    return gradual.Tensor(elements.ravel().tolist(), dtype=str(found.dtype), shape=found.shape)


def _difference(case: Any, found: Sequence[gradual.Tensor], outputs: Sequence[Any]) -> str:
    expected = [one for output in outputs for one in (output if isinstance(output, list) else [output])]
    if len(found) != len(expected):
        return f"{len(found)} outputs instead of {len(expected)}"
    for index, (one, other) in enumerate(zip(found, expected, strict=True)):
        wanted = tensor(other)
        if one.shape != wanted.shape or one.dtype is not wanted.dtype:
            return f"output {index}: {one.dtype}{list(one.shape)} instead of {wanted.dtype}{list(wanted.shape)}"
        rtol = max(case.rtol, COARSE) if one.dtype.bits == 16 else case.rtol
        left, right = np.array(one.flat(), float), np.array(wanted.flat(), float)
        atol = max(case.atol, ROUNDED.get(one.dtype.bits, 0.0) * np.max(np.abs(right[np.isfinite(right)]), initial=0.0))
        if not np.allclose(left, right, rtol=rtol, atol=atol, equal_nan=True):
            return f"output {index}: {left[:6].tolist()} instead of {right[:6].tolist()}"
    return ""


def outcomes(pattern: str = "") -> Iterator[Outcome]:
    """What became of the tests whose names match."""
    for name, case in sorted(cases().items()):
        if re.search(pattern, name):
            yield outcome(case)


def main() -> None:
    """Print what did not agree, and count."""
    counts: Counter[str] = Counter()
    for one in outcomes(*sys.argv[1:2]):
        counts[one.kind] += 1
        if one.kind != "agrees":
            print(f"{one.kind:9} {one.name}: {one.says[:300]}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
