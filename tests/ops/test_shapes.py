"""The shape algebra that judgements share, and how the catalogue is gathered."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given

from gradual.dims.term.dim import Dim, Kind, constant, variable
from gradual.ops.catalogue import CATALOGUE, FAMILIES, declared
from gradual.ops.declaration.operator import IllFormed
from gradual.ops.declaration.shapes import axes_of, axis_of, broadcast, fields, tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.generators.operators import compatible

n = variable("n", kind=Kind.RIGID)
matrix = TensorType((n, n), DType.INT8)


def test_an_axis_counts_from_either_end() -> None:
    assert [axis_of(axis, 3) for axis in (0, 2, -1, -3)] == [0, 2, 2, 0]
    assert axes_of((-1, 0), 2) == (1, 0)


@pytest.mark.parametrize("axes, rank", [((0,), 0), ((2,), 2), ((-3,), 2), ((0, -2), 2)])
def test_an_axis_that_is_not_there_is_refused(axes: tuple[int, ...], rank: int) -> None:
    with pytest.raises(IllFormed) as raised:
        axes_of(axes, rank)
    assert raised.value.rule == "op.axis"


def test_arguments_have_the_structure_and_rank_asked_for() -> None:
    assert tensor(matrix, 0, rank=2) is matrix
    assert fields(TupleType((matrix,)), 0) == (matrix,)
    for refused, rule in (
        (lambda: tensor(TupleType(()), 1), "op.structure"),
        (lambda: tensor(matrix, 1, rank=3), "op.rank"),
        (lambda: tensor(matrix, 1, least=3), "op.rank"),
        (lambda: fields(matrix, 1), "op.structure"),
        (lambda: fields(TupleType(()), 1), "op.structure"),
    ):
        with pytest.raises(IllFormed) as raised:
            refused()
        assert (raised.value.rule, raised.value.operand) == (rule, 1)


@given(shapes=compatible(3))
def test_broadcasting_known_shapes_is_broadcasting(shapes: tuple[tuple[int, ...], ...]) -> None:
    common, needs = broadcast([tuple(map(constant, shape)) for shape in shapes])
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    expected = [next((d for d in column if d != 1), 1) for column in zip(*padded, strict=True)]
    assert [dim.value for dim in common] == expected
    assert all(str(need.goal) == "True" for need in needs)


def test_fields_of_a_tuple_are_named_in_the_need() -> None:
    def dims(*sizes: Dim | int) -> Any:
        return tuple(constant(size) if isinstance(size, int) else size for size in sizes)

    _, (need,) = broadcast([dims(n), dims(1, 3)], operands=[(0, 0), (0, 1)])
    assert need.operands == ((0, 0, 0), (0, 1, 1))


def test_every_family_declares_operators_and_no_name_stands_twice() -> None:
    names = [one.name for family in FAMILIES for one in declared(family)]
    assert len(names) == len(set(names))
    assert set(names) <= set(CATALOGUE)
    assert all(next(declared(family), None) for family in FAMILIES)


def test_importing_the_catalogue_imports_no_family() -> None:
    program = "import sys, gradual.ops.catalogue; print('gradual.ops.elementwise.unary' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
