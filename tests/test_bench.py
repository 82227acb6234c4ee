"""The benchmark measures what it says: its peers compute the same bits, its model is the printed one."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import gradual
from bench import naive, running
from bench.__main__ import SECTIONS
from bench.page import filled
from bench.running import Work
from gradual.ops.linear import products
from gradual.ops.nn import convolution
from gradual.tensors.inner_products import Row
from gradual.tensors.scalar import dot, kept
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.dtype import DType
from tests.material import models, needs_models

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"


def small_convolution() -> Work:
    text = """def @main(%x: Tensor[(1, 5, 9, 9), float32], %w: Tensor[(4, 5, 3, 3), float32]) {
      nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3])
    }"""
    values = running.drawn((1, 5, 9, 9), (4, 5, 3, 3))
    return Work("conv2d", text, values, lambda: naive.conv2d([value.elements for value in values], 3, 5, 9))


@pytest.mark.parametrize(
    "work", [running.matmul(17), small_convolution(), running.layer(3)], ids=lambda work: work.name
)
def test_naive_loops_compute_the_bits_of_the_evaluator(work: Work) -> None:
    found, expected = gradual.check(work.text).run("@main", *work.values), work.naive()
    assert isinstance(found, Tensor)
    assert len(expected)
    assert found.elements[: len(expected)].tobytes() == expected.tobytes()
    assert _bits(gradual.check(work.text).run("@main", *work.values, fast=True)) == _bits(found)


def _bits(value: Value) -> bytes:
    assert isinstance(value, Tensor)
    return bytes(value.elements.tobytes())


@needs_models
def test_the_model_is_resized_by_the_type_of_its_input() -> None:
    compilation = gradual.check(running.resized(models()["resnet18"].read_text(), 32))
    assert compilation.ok
    assert str(compilation.types["@main"]).endswith("-> Tensor[(1, 1000), float32]")
    assert any("Tensor[(1, 64, 8, 8), float32]" in binding.type for binding in compilation.bindings)
    with pytest.raises(AssertionError):
        running.resized("def @main(%x: float32) { %x }", 32)


@needs_models
@pytest.mark.slow
def test_a_printed_model_has_the_bits_of_the_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    compilation = gradual.check(running.resized(models()["resnet18"].read_text(), 32))
    arguments = list(running.parameters(compilation))
    found = compilation.run("@main", *arguments)
    fast = compilation.run("@main", *arguments, fast=True)
    for module in (products, convolution):
        monkeypatch.setattr(module, "products", defined)
    expected = compilation.run("@main", *arguments)
    assert isinstance(found, Tensor)
    assert _bits(found) == _bits(fast) == _bits(expected)
    assert len(set(found.elements)) > 900


def defined(left: Sequence[Row], right: Sequence[Row], dtype: DType) -> array[Any]:
    """Every inner product by its definition."""
    return kept(dtype, (dot(row, other) for row in left for other in right))


def test_the_page_has_a_place_for_each_table() -> None:
    page = PAGE.read_text("utf-8")
    for name in ("python", *SECTIONS):
        changed = filled(page, name, ["a line"])
        assert changed != page
        assert f"<!-- bench: {name} -->\n```text\na line\n```" in changed
