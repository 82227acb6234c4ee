"""What an import costs, counted in lines that are run, and that kept judgements are those that would be made again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import copysign
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.fit import exponent
from bench.kinds import LINEAR
from gradual.dims.term.dim import constant, variable
from gradual.importers.common.judging import Judged, Judging
from gradual.importers.onnx.file.model import Model
from gradual.importers.onnx.file.reading import load, read
from gradual.importers.onnx.program import program
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import Operator
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType
from tests.importers.models import model, node, port
from tests.material import SHARED
from tests.test_growth import lines_run

LINES = 400
"""How many lines a node of a layer that was imported before may cost, from the message of protobuf to the text."""

IMAGE: tuple[int | str, ...] = ("n", 8, 14, 14)


def layers(count: int) -> Any:
    """A network of equal layers of five nodes, with weights of their own."""
    nodes, weights, value = [], {}, "x"
    for at in range(count):
        weights |= {f"w{at}": np.full((8, 8, 3, 3), at, np.float32), f"b{at}": np.full(8, at, np.float32)}
        nodes += [
            node("Conv", f"{value} w{at} b{at}", f"c{at}", pads=[1, 1, 1, 1], kernel_shape=[3, 3]),
            node("Relu", f"c{at}", f"r{at}"),
            node("MaxPool", f"r{at}", f"p{at}", kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1]),
            node("Add", f"p{at} {value}", f"a{at}"),
            node("Softmax", f"a{at}", f"s{at}", axis=1),
        ]
        value = f"s{at}"
    return model(nodes, [port("x", IMAGE)], [port(value, IMAGE)], weights)


def test_a_layer_that_was_imported_before_costs_few_lines(tell: Any) -> None:
    program(read(layers(2)))
    sizes = (20, 40, 80)
    costs = [lines_run(lambda made=made: program(read(made))) for made in map(layers, sizes)]
    a_node = (costs[2] - costs[1]) / (5 * (sizes[2] - sizes[1]))
    power = exponent(sizes, costs)
    tell(f"import: {a_node:.0f} lines a node; lines grow with size to the power {power:.2f}")
    assert a_node <= LINES
    assert power <= LINEAR


# ----------------------------------------------------------------------------------------------- kept judgements
class Forgetting(Judging):
    """Keeps no judgement."""

    def judged(self, operator: Operator, types: Sequence[OpenedType], given: Mapping[str, Any]) -> Judged:
        self._known.clear()
        return super().judged(operator, types, given)


def models() -> Iterator[Path]:
    return (path for folder in ("onnx-small", "onnx") for path in sorted(SHARED.glob(f"corpus/{folder}/*.onnx")))


@pytest.mark.parametrize("path", list(models()), ids=lambda path: path.stem)
def test_a_program_is_the_same_if_no_judgement_is_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = load(str(path))
    kept = _told(found)
    monkeypatch.setattr("gradual.importers.common.builder.Judging", Forgetting)
    assert _told(found) == kept


def _told(found: Model) -> tuple[object, ...]:
    made = program(found)
    return made.text, list(made.origins), made.notes


def rows(*shape: int | str) -> TensorType[Any]:
    return TensorType(tuple(variable(one) if isinstance(one, str) else constant(one) for one in shape), DType.FLOAT32)


def test_zeros_of_either_sign_have_judgements_of_their_own() -> None:
    judging = Judging()
    signs = [
        copysign(1, judging.judged(CATALOGUE["nn.leaky_relu"], [rows("n")], {"alpha": zero}).settings["alpha"])
        for zero in (0.0, -0.0, 0.0)
    ]
    assert signs == [1, -1, 1]


def test_judgements_differ_by_types_attributes_and_operators() -> None:
    judging = Judging()
    asked = [
        ("transpose", [rows(2, 3)], {"axes": (1, 0)}, rows(3, 2)),
        ("transpose", [rows(2, 3)], {"axes": (0, 1)}, rows(2, 3)),
        ("transpose", [rows("n", 3)], {"axes": (1, 0)}, rows(3, "n")),
        ("sum", [rows(2, 3)], {"axis": (0,)}, rows(3)),
        ("sum", [rows(2, 3)], {"axis": (0,), "exclude": True}, rows(2)),
        ("sum", [rows(2, 3)], {"axis": (0,), "keepdims": True}, rows(1, 3)),
        ("argmax", [rows(2, 3)], {"axis": (0,)}, TensorType((constant(3),), DType.INT32)),
        ("add", [rows(2, 3), rows(3)], {}, rows(2, 3)),
        ("add", [rows(3), rows(2, 3)], {}, rows(2, 3)),
    ]
    for name, types, given, found in asked * 2:
        assert judging.judged(CATALOGUE[name], types, given).type == found


def test_unknown_sizes_are_unknowns_of_their_own() -> None:
    judging = Judging()
    asked = CATALOGUE["argwhere"], [TensorType((variable("n"),), DType.BOOL)], dict[str, Any]()
    one, other = (judging.typed(judging.judged(*asked)) for _ in range(2))
    assert isinstance(one, TensorType)
    assert isinstance(other, TensorType)
    assert one.shape[0] is not other.shape[0]
    assert one.shape[1] is other.shape[1]


def test_unknown_elements_that_become_sizes_are_unknowns_of_their_own() -> None:
    judging = Judging()
    sizes = TensorType((constant(2),), DType.INT64)
    one, other = (judging.judged(CATALOGUE["dyn.zeros"], [sizes], {"dtype": DType.FLOAT32}).type for _ in range(2))
    assert isinstance(one, TensorType)
    assert isinstance(other, TensorType)
    assert not {*one.shape} & {*other.shape}
