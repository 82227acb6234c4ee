"""Paddings against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

few = examples(40)


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def padded(x: Any, widths: list[list[int]], mode: str, **fill: Any) -> Any:
    """NumPy's padding, then what is cut away."""
    if x.ndim == 0:
        return x
    added = [(max(low, 0), max(high, 0)) for low, high in widths]
    found = np.pad(x, added, mode=mode, **fill)  # type: ignore[call-overload]
    sides = zip(widths, found.shape, strict=True)
    return found[tuple(slice(max(-low, 0), size + min(high, 0)) for (low, high), size in sides)]


@pytest.mark.parametrize("name", ["nn.pad", "dyn.nn.pad"])
@few
@given(data=st.data())
@compares("nn.pad", "dyn.nn.pad")
def test_a_pad_is_numpys(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data, faults="E0608")
    x, fill = array_of(application.arguments[0]), application.arguments[-1]
    attributes = application.attributes
    mode = attributes.get("pad_mode", "constant")
    widths = attributes["pad_width"] if name == "nn.pad" else application.arguments[1].tolist()
    value = {"constant_values": array_of(fill).astype(x.dtype)} if mode == "constant" else {}
    assert_exactly(found, padded(x, widths, mode, **value))


@few
@given(data=st.data())
@compares("nn.mirror_pad")
def test_a_mirror_pad_is_numpys(data: st.DataObject) -> None:
    application, found = applications("nn.mirror_pad", data)
    x, attributes = array_of(application.arguments[0]), application.attributes
    assert_exactly(found, padded(x, attributes["pad_width"], attributes["mode"].lower()))


def test_symbolic_extents_grow() -> None:
    judgement = judges("nn.pad", of("n", 3), of(), pad_width=[[1, 2], [0, 0]])
    assert list(map(str, judgement.result.shape)) == ["n + 3", "3"]  # type: ignore[union-attr]
    assert goals(judgement) == []


def test_cutting_away_is_owed_to_leave_something() -> None:
    assert goals(judges("nn.pad", of("n"), of(), pad_width=[[-1, -2]])) == [("op.pad.size", "n >= 3")]


@pytest.mark.parametrize(("mode", "goal"), [("edge", "n >= 1"), ("reflect", "n >= 3")])
def test_a_border_is_owed_to_be_wide_enough(mode: str, goal: str) -> None:
    assert goals(judges("nn.pad", of("n"), of(), pad_width=[[2, 0]], pad_mode=mode)) == [("op.pad.source", goal)]
    assert goals(judges("nn.mirror_pad", of("n"), pad_width=[[0, 2]])) == [("op.pad.source", "n >= 2")]


def test_padding_by_a_value_has_sizes_that_depend_on_data() -> None:
    judgement = judges("dyn.nn.pad", of("n", 3), of(2, "k", dtype=DType.INT64), of())
    assert judgement.result.shape == (Hole(constant(0)),) * 2  # type: ignore[union-attr]
    assert goals(judgement) == [("op.dyn.nn.pad.pairs", "True"), ("op.dyn.nn.pad.pairs", "k == 2")]


@pytest.mark.parametrize(("mode", "extent", "side"), [("EDGE", 0, 1), ("reflect", 2, 2), ("Reflect", 2, 3)])
def test_a_border_that_turns_out_too_narrow_is_a_fault(mode: str, extent: int, side: int) -> None:
    def pads(cells: int, after: int) -> Tensor:
        data = Tensor([1.0] * cells, "float32", (cells,))
        return means("dyn.nn.pad", data, Tensor([[0, after]], "int64"), Tensor(0.0), pad_mode=mode)

    with pytest.raises(TensorFault, match="too few for padding"):
        pads(extent, side)
    assert pads(extent + 2, 1).shape == (extent + 3,)


def test_a_fill_of_another_type_is_converted() -> None:
    assert means("nn.pad", Tensor([1.5]), Tensor(2, "int32"), pad_width=[[1, 0]]).tolist() == [2.0, 1.5]


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        ({"pad_width": [[0, 0]]}, "op.attribute"),
        ({"pad_width": [[0, 0], [0]]}, "op.attribute"),
        ({"pad_width": [[0, 0], [0, 0]], "pad_mode": "wrap"}, "op.attribute"),
    ],
)
def test_what_no_size_could_mend_is_refused(attributes: dict[str, Any], rule: str) -> None:
    assert refusal("nn.pad", of(2, 3), of(), **attributes).rule == rule
