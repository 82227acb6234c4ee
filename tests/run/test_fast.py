"""A run with NumPy ends as one without: the same bits, but for those of NaN, the same blame, the same fault."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import gradual
from gradual.interface.input.arguments import values
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import Operator
from gradual.run.value import NotStatic
from gradual.tensors.arrays.numpy_library import numpy
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.dtype import DType
from tests.generators.programs import generated
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.run.graphs import ended, examples
from tests.thorough import times

PROGRAMS = times(40)

LAYER = """def @main(%x: Tensor[(?, 24), float32], %w: Tensor[(24, 24), float32], %b: Tensor[(24,), float32]) {
  let %a = nn.relu(nn.bias_add(nn.dense(%x, %w), %b, axis=-1));
  nn.softmax(nn.layer_norm(%a, %b, %b))
}"""


def one_nan(value: Value) -> Value:
    """The value with one NaN in place of all."""
    match value:
        case Tensor():
            if not value.dtype.is_float:
                return value
            numbers = array(value.elements.typecode, [x if x == x else float("nan") for x in value.elements])
            return Tensor(numbers, value.dtype, value.shape)
        case Constructed(constructor, fields):
            return Constructed(constructor, tuple(map(one_nan, fields)))
        case _:
            return tuple(map(one_nan, value))


def ends_alike(found: gradual.Compilation, name: str, given: Any, runtime: str = "vm") -> bool:
    """Whether a call ends alike without NumPy and with it."""
    plain, fast = (
        ended(lambda with_numpy=with_numpy: one_nan(found.run(name, *given, runtime=runtime, fast=with_numpy)))
        for with_numpy in (False, True)
    )
    return plain == fast


def layer() -> tuple[gradual.Compilation, list[Tensor]]:
    return gradual.check(LAYER), [random_tensor(shape, DType.FLOAT32, 1) for shape in ((5, 24), (24, 24), (24,))]


@pytest.mark.slow
def test_the_calls_of_the_suite_end_alike(tell: Callable[[str], None]) -> None:
    counts: Counter[str] = Counter()
    for case in examples():
        found = compiled(case.request.text)
        for call in case.request.calls if found.ok else ():
            given = values(call.arguments, found.functions[call.function].params, 0, found.core.data)
            assert ends_alike(found, call.function, given), case.id
            counts["vm"] += 1
            try:
                found.graph(call.function)
            except NotStatic:
                continue
            assert ends_alike(found, call.function, given, "graph"), case.id
            counts["graph"] += 1
    tell(f"calls of the suite with NumPy and without: {dict(counts)}")
    assert counts["vm"] > 20 and counts["graph"] > counts["vm"] // 50


@pytest.mark.slow
def test_generated_programs_end_alike() -> None:
    for seed in range(9000, 9000 + PROGRAMS):
        case = Case(generated(seed, compiled), seed)
        for given in case.inputs if case.found.ok and "@main" in case.found.functions else ():
            assert ends_alike(case.found, "@main", given), f"seed {seed}\n{case.text}"


def test_a_blame_and_a_fault_are_the_same() -> None:
    text = """def @cut(%x: Tensor[(?,), float32]) { add(%x as Tensor[(3,), float32], %x) }
def @divided(%x: Tensor[(n,), int32], %y: Tensor[(n,), int32]) { divide(add(%x, %y), %y) }
"""
    found = gradual.check(text)
    assert ends_alike(found, "@cut", [random_tensor((4,), DType.FLOAT32, 0)])
    assert ends_alike(found, "@divided", [[1, 2], [1, 0]])
    with pytest.raises(gradual.Fault) as caught:
        found.run("@divided", [1, 2], [1, 0], fast=True)
    assert caught.value.code == "E0604"


def test_numpy_is_used_only_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []
    for one in {one.name: one for one in CATALOGUE.values()}.values():
        if one.fast is not None:
            monkeypatch.setattr(one, "fast", counting(one, used))
    found, given = layer()
    found.run("@main", *given)
    assert used == []
    found.run("@main", *given, fast=True)
    assert used == ["nn.dense", "nn.bias_add", "nn.relu", "nn.layer_norm", "nn.softmax"]


def counting(one: Operator, used: list[str]) -> Callable[..., Any]:
    """The operator with NumPy, which takes note of its use."""
    fast = one.fast
    assert fast is not None

    def noted(*given: Any, **attributes: Any) -> Any:
        used.append(one.name)
        return fast(*given, **attributes)

    return noted


def test_a_run_that_overflows_gives_no_warning() -> None:
    text = "def @main(%x: Tensor[(n,), float32]) { divide(multiply(%x, %x), subtract(%x, %x)) }"
    assert str(gradual.check(text).run("@main", [1e30, 0.0], fast=True)) == "float32 [inf, nan]"


def test_without_numpy_only_a_fast_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found, given = layer()
    monkeypatch.setitem(sys.modules, "numpy", None)
    numpy.cache_clear()
    assert isinstance(found.run("@main", *given), Tensor)
    with pytest.raises(ImportError, match=r"pip install 'gradual\[fast\]'"):
        found.run("@main", *given, fast=True)
    monkeypatch.undo()
    assert isinstance(found.run("@main", *given, fast=True), Tensor)
