"""Arguments of other types than PyTorch declares reach no importer."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

import pytest

from gradual.importers.common.refusals import Unread
from gradual.importers.torch.file.declarations import _named, _parameters, declarations, misfit
from gradual.importers.torch.file.schema import Graph, Name, Node
from gradual.importers.torch.importers import IMPORTERS
from gradual.importers.torch.program import FAMILIES
from gradual.types.dtype import DType

X = Name("x")
LINES = resources.files("gradual.importers.torch.file") / "declarations.txt"


@pytest.mark.parametrize(
    ("operator", "arguments", "wrong"),
    [
        ("aten.relu.default", {"self": X}, None),
        ("aten.relu.default", {}, "the argument `self` is missing"),
        ("aten.relu.default", {"self": X, "dim": 0}, "it takes no argument `dim`"),
        ("aten.relu.default", {"self": None}, "the argument `self` is no Tensor"),
        ("aten.relu.default", {"self": (X,)}, "the argument `self` is no Tensor"),
        ("aten.add.Tensor", {"self": X, "other": 2}, None),
        ("aten.add.Tensor", {"self": X, "other": X, "alpha": "2"}, "the argument `alpha` is no Scalar"),
        ("aten.slice.Tensor", {"self": X, "start": None, "end": X}, None),
        ("aten.slice.Tensor", {"self": X, "dim": True}, "the argument `dim` is no int"),
        ("aten.slice.Tensor", {"self": X, "step": None}, "the argument `step` is no SymInt"),
        ("aten.view.default", {"self": X, "size": (2, X)}, None),
        ("aten.view.default", {"self": X, "size": 2}, "the argument `size` is no SymInt[]"),
        ("aten.view.default", {"self": X, "size": (2, 0.5)}, "the argument `size` is no SymInt[]"),
        ("aten.max_pool2d.default", {"self": X, "kernel_size": 2}, None),
        ("aten.index.Tensor", {"self": X, "indices": (X, None)}, None),
        ("aten.cat.default", {"tensors": (X, 3)}, "the argument `tensors` is no Tensor[]"),
        ("aten.cat.default", {"tensors": (X, None)}, "the argument `tensors` is no Tensor[]"),
        ("aten.gelu.default", {"self": X, "approximate": 1}, "the argument `approximate` is no str"),
        ("aten.sum.default", {"self": X, "dtype": DType.INT64}, None),
        ("aten.sum.default", {"self": X, "dtype": 4}, "the argument `dtype` is no ScalarType"),
        ("aten.mul.Tensor", {"self": X, "other": Unread("a complex number")}, None),
        ("_operator.add", {"a": X, "b": 1}, None),
        ("_operator.add", {"a": X}, "the argument `b` is missing"),
        ("own.unknown.default", {"whatever": 1}, None),
    ],
)
def test_what_is_wrong_with_a_call_is_said(operator: str, arguments: dict[str, Any], wrong: str | None) -> None:
    assert misfit(Node("y", f"torch.ops.{operator}", (), arguments, ("y",))) == wrong


G = Graph((), (), (), {})


@pytest.mark.parametrize(
    ("operator", "arguments", "wrong"),
    [
        ("cond", (X, G, G, (X, 3)), None),
        ("cond", (True, G, G), None),
        ("cond", (X, G, G, (X, G)), "the argument `operands` is no Scalar[]"),
        ("cond", (X, G, X, ()), "the argument `false_fn` is no Graph"),
        ("cond", (), "the argument `pred` is missing"),
        ("cond", (X, G, G, (), X), "it takes no argument `5`"),
        ("while_loop", (G, G, (X,), ()), None),
        ("while_loop", (G, G), "the argument `carried_inputs` is missing"),
    ],
)
def test_arguments_by_position_are_those_that_are_declared(operator: str, arguments: Any, wrong: str | None) -> None:
    assert misfit(Node("y", f"torch.ops.higher_order.{operator}", arguments, {}, ("y",))) == wrong


def test_an_argument_without_a_name_is_told() -> None:
    assert misfit(Node("y", "torch.ops.aten.relu.default", (X,), {"self": X}, ("y",))) == "an argument has no name"


def test_the_last_parameter_may_stand_for_all_that_follow() -> None:
    found = dict(_parameters("bool on, Scalar *args"))
    assert [name for name, _ in _named(list(found.items()), (True, X, 3))] == ["on", "args"]
    assert dict(_named(list(found.items()), (True, X, 3)))["args"] == (X, 3)
    assert found["args"].takes((X, 3)) and not found["args"].takes((X, G)) and not found["args"].is_required


def test_every_parameter_of_every_line_is_read() -> None:
    for line in LINES.read_text("utf-8").splitlines():
        operator, _, rest = line.partition("(")
        bare = re.sub(r'=(\[[^\]]*\]|"[^"]*"|[^,)]*)', "", re.sub(r"\(\w!?\)", "", rest))
        assert list(declarations()[operator]) == re.findall(r"(\w+)[,)]", bare), line


def test_every_line_is_of_an_operator_that_is_imported() -> None:
    assert FAMILIES
    assert sorted(set(declarations()) - set(IMPORTERS)) == []
    assert list(declarations()) == sorted(declarations())
