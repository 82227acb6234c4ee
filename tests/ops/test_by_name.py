"""Operators against NumPy's functions of the same name, and the law that every operator is compared with something.

An elementwise operator is compared with the function that NumPy has under its name, or with its counterpart in ONNX
(`onnx_nodes.py`), and so is any other operator for which no property names an oracle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from gradual.conformance.cases.case import ExpectedFault, ExpectedValue
from gradual.conformance.cases.read import load
from gradual.interface.input.values import Drawn
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.facts import Faults
from gradual.ops.elementwise.binary import BINARY
from gradual.ops.elementwise.unary import UNARY
from gradual.resources import folder
from gradual.tensors.fault import TensorFault
from gradual.types.dtype import DType
from tests.generators.operators import Application, rows
from tests.ops.onnx_nodes import NODES
from tests.ops.oracle import (
    COMPARED,
    array_of,
    assert_exactly,
    assert_same,
    compares,
    dtypes_of,
    examples,
    judges,
    kept_in,
    means,
    type_of,
    wide,
)

OPERATORS = sorted({one.name for one in CATALOGUE.values()})
OTHERWISE = {"mod", "divide", "floor_divide"}
"""The operators of which NumPy means another thing: the sign of a remainder, where a quotient is rounded."""

WITHOUT = ("test_by_name", "test_onnx", "test_onnx_runtime")
"""The files that name no oracle: this one, and those that need ONNX."""

WRITTEN = 3
"""How many results are written by hand of an operator that is compared with nothing else."""


def written() -> set[str]:
    """The operators of which a property names its oracle."""
    for path in Path(__file__).parent.glob("test_*.py"):
        if path.stem not in WITHOUT:
            import_module(f"tests.ops.{path.stem}")
    return set(COMPARED)


def numpys(name: str) -> Callable[..., Any] | None:
    """NumPy's function of an operator's name, which may be in a module of ours."""
    found = None if name in OTHERWISE else getattr(np, name.rpartition(".")[2], None)
    return found if callable(found) else None


PROPERTIES = frozenset(written())
AMONG = {one.name for one in (*BINARY, *UNARY)} | (set(OPERATORS) - PROPERTIES)
BY_NAME = {name: function for name in sorted(AMONG) if (function := numpys(name)) is not None}
BY_ONNX = sorted(AMONG & set(NODES) - set(BY_NAME))


@pytest.mark.parametrize("name", BY_NAME)
@examples(40)
@given(data=st.data())
@compares(*BY_NAME)
def test_it_is_numpys_function_of_the_same_name(name: str, data: st.DataObject) -> None:
    application, found = drawn(name, data)
    with np.errstate(all="ignore"):
        expected = BY_NAME[name](*map(operand, application.arguments), **application.attributes)
    fit(found, expected)


@pytest.mark.parametrize("name", BY_ONNX)
@examples(40)
@given(data=st.data())
@compares(*BY_ONNX)
def test_it_is_its_counterpart_by_the_reference_of_onnx(name: str, data: st.DataObject) -> None:
    reference = pytest.importorskip("tests.ops.onnx_reference", exc_type=ImportError)
    application, found = drawn(name, data)
    node = None if DType.BFLOAT16 in dtypes_of(application.arguments) else NODES[name](application.arguments, {})
    assume(node is not None and not application.attributes)
    feed = {f"x{place}": value for place, value in enumerate(node.inputs)}
    try:
        (expected,) = reference.reference_of(reference.model_of(node), feed)
    except reference.Failed:
        reject()
    reference.compare(found, expected, "reference")


def drawn(name: str, data: st.DataObject) -> tuple[Application, Any]:
    """An application whose needs hold, and what its meaning gives; a fault that is declared is passed over."""
    application = data.draw(rows()[name])
    types = map(type_of, application.arguments)
    assume(all(need.goal.evaluate({}) for need in judges(name, *types, **application.attributes).needs))
    try:
        return application, means(name, *application.arguments, **application.attributes)
    except TensorFault:
        assert CATALOGUE[name].faults is not Faults.NEVER
        reject()


def operand(value: Any) -> Any:
    """An argument as NumPy takes it: floats in the type that is computed in, the fields of a tuple in a list."""
    if isinstance(value, tuple):
        return list(map(operand, value))
    return wide(value) if value.dtype.is_float else array_of(value)


def fit(found: Any, expected: Any) -> None:
    """Booleans and integers exactly, floats within roundings; each field of a tuple."""
    if isinstance(found, tuple):
        for ours, theirs in zip(found, expected, strict=True):
            fit(ours, theirs)
    elif found.dtype is DType.BOOL:
        assert_exactly(found, np.asarray(expected, dtype=bool))
    else:
        assert_same(found, kept_in(found.dtype, expected))


# ------------------------------------------------------------------------------------------------------------ the law
@cache
def by_hand() -> Counter[str]:
    """How many results are written in cases about an operator: in those whose id begins with `op/NAME/`."""
    found: Counter[str] = Counter()
    for case in load(folder("spec")).cases:
        kind, _, rest = case.id.partition("/")
        outcomes = case.expectation.outcomes if kind == "op" else ()
        found[rest.rpartition("/")[0]] += sum(
            isinstance(one, ExpectedFault) or (isinstance(one, ExpectedValue) and not isinstance(one.value, Drawn))
            for one in outcomes
        )
    return found


def test_every_operator_is_compared_with_an_oracle() -> None:
    """By a property, NumPy's function of its name, or ONNX; or else a few results of it are written by hand."""
    left = set(OPERATORS) - set(COMPARED)
    assert [name for name in sorted(left) if by_hand()[name] < WRITTEN] == []
    assert set(COMPARED) - set(OPERATORS) == set()


def test_results_that_are_written_by_hand_are_counted() -> None:
    assert by_hand()["nn.dense"] >= 1 and by_hand()["no_such_operator"] == 0
