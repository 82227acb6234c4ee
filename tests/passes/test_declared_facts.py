"""A new operator needs its declaration only: passes and the checker treat it by what is declared of it."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Unpack

import pytest

import gradual
from gradual.core.def_use import every
from gradual.core.terms import Apply, Module
from gradual.dims.term.dim import Dim
from gradual.lints.stretched import stretched
from gradual.ops import catalogue
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.facts import Connective, Facts, Faults, by_type
from gradual.ops.declaration.operator import Judgement, Operator, operator
from gradual.ops.declaration.padding import POINTWISE, Axes, Growth, Padding, all_but
from gradual.ops.declaration.shapes import judged, tensor
from gradual.passes.framework.pass_ import Unusable
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType


def _meaning(x: Tensor, y: Tensor) -> Tensor:
    return x


def made(name: str, dtype: DType | None = None, **facts: Unpack[Facts]) -> Operator:
    """An operator of two operands that gives a value of the first's shape, and of its element type unless given."""

    @operator(name, meaning=_meaning, family="made", **facts)
    def declared(x: TensorType[Dim], y: TensorType[Dim]) -> Judgement:
        """A value of the first operand's shape."""
        given = tensor(x, 0)
        tensor(y, 1)
        return judged(given.shape, dtype or given.dtype)

    return declared


def _columns(growth: Growth) -> list[Axes]:
    """All axes but the first."""
    return [all_but(type, 0) for type in growth.types]


MADE = (
    made("made.plain"),
    made("made.safe", padding=POINTWISE),
    made("made.rows", padding=Padding(_columns)),
    made("made.faulty", faults=Faults.OTHERWISE),
    made("made.divisor", faults=Faults.ZERO_DIVISOR),
    made("made.identity", identity=by_type),
    made("made.truth", DType.BOOL),
    made("made.and", DType.BOOL, connective=Connective.AND),
    made("made.test", DType.BOOL, comparison=True),
    made("made.placing", writes_shape=True),
    made("made.fmod"),
)


@pytest.fixture(autouse=True)
def _scratch_catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A catalogue that has the made-up operators too."""
    every_operator = MappingProxyType({**CATALOGUE, **{one.name: one for one in MADE}})
    catalogue.by_symbol.cache_clear()
    monkeypatch.setattr(catalogue, "gathered", lambda: every_operator)
    yield
    catalogue.by_symbol.cache_clear()


def core_of(text: str, *passes: str) -> Module:
    found = gradual.check(text)
    assert found.ok, found.diagnostics
    return gradual.apply(found, *passes).core if passes else found.core


def applied(module: Module) -> list[str]:
    """The operators that a program applies."""
    steps = (step for function in module.functions.values() for step in every(function.body))
    return [step.operator.name for step in steps if isinstance(step, Apply)]


PARAMS = "%x: Tensor[(n, 3), float32], %y: Tensor[(n, 3), float32], %i: Tensor[(n,), int32]"


@pytest.mark.parametrize(
    ("term", "stays"),
    [
        ("made.plain(%x, %y)", False),
        ("made.faulty(%x, %y)", True),
        ("made.divisor(%x, %y)", False),
        ("made.divisor(%i, 2)", False),
        ("made.divisor(%i, %i)", True),
    ],
)
def test_what_nobody_reads_is_dropped_unless_it_is_declared_to_fault(term: str, stays: bool) -> None:
    left = applied(core_of(f"def @main({PARAMS}) {{ let %z = {term}; 1f }}", "drop-dead"))
    assert left == ([term.partition("(")[0]] if stays else [])


@pytest.mark.parametrize(("name", "left"), [("made.plain", ["made.plain"]), ("made.identity", [])])
def test_a_declared_identity_is_its_operand(name: str, left: list[str]) -> None:
    assert applied(core_of(f"def @main({PARAMS}) {{ {name}(%x, %y) }}", "simplify-shapes")) == left


def test_operands_are_padded_along_declared_axes() -> None:
    text = f"def @main({PARAMS}) -> Tensor[(n, 3), float32] {{ made.safe(%x, %y) }}"
    assert gradual.apply(gradual.check(text), "bucket", "n=4", "pad=0").ok
    for name in ("made.plain", "made.rows"):
        with pytest.raises(Unusable, match=name):
            gradual.apply(gradual.check(text.replace("made.safe", name)), "bucket", "n=4", "pad=0")


def test_a_declared_connective_says_of_sizes_what_its_operands_say() -> None:
    text = """
    def @main(%c: bool, %x: Tensor[(n,), float32], %y: Tensor[(3,), float32]) {
      if (logical_and(%c, n == 3)) { %y } else { %x }
    }"""
    same, other = (gradual.check(text.replace("logical_and", name)) for name in ("made.and", "made.truth"))
    assert same.types == gradual.check(text).types != other.types


def test_a_declared_comparison_of_integers_is_a_test_of_sizes() -> None:
    text = """
    def @main(%x: Tensor[(4, 3), float32], %g: Tensor[(?,), float32]) {
      if (made.test(dim(%x, 0), 3)) { reshape(%x, newshape=[3]) } else { reshape(%x, newshape=[12]) }
    }"""
    assert gradual.check(text).ok
    assert not gradual.check(text.replace("made.test", "made.truth")).ok


@pytest.mark.parametrize(("name", "told"), [("made.plain", True), ("made.placing", False)])
def test_a_size_of_1_that_the_program_wrote_is_not_told(name: str, told: bool) -> None:
    text = f"""
    def @main(%x: Tensor[(n, 1), float32], %y: Tensor[(n,), float32]) {{ add({name}(%x, %y), %y) }}"""
    assert bool(list(stretched(core_of(text)))) is told


def test_an_operator_goes_before_the_translation_of_its_name_from_another_system() -> None:
    """PyTorch's `fmod` is `mod` as long as no operator here has the name."""
    (error,) = gradual.check(f"def @main({PARAMS}) {{ fmod(%x, %y) }}").diagnostics
    assert [(help.text, help.safe) for help in error.help] == [("`fmod` is written `made.fmod(%x, %y)`", True)]
