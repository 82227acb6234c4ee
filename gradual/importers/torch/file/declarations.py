"""The parameters of PyTorch's operators; arguments are checked against them before an importer uses the arguments.

`declarations.txt` has a line for each operator that is imported, in the form of
`aten/src/ATen/native/native_functions.yaml`; operators that take graphs have positional arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gradual.importers.common.refusals import Unread
from gradual.importers.torch.file.schema import Graph, Name, Node
from gradual.record import record
from gradual.types.dtype import DType

_PARAMETER = re.compile(
    r"(?P<type>\w+)(?:\([^)]*\))?(?P<list>\[[0-9]*\])?(?P<none>\??)(?P<more>\[\])? "
    r'(?P<rest>\*?)(?P<name>\w+)(?P<default>=(?:\[[^\]]*\]|"[^"]*"|[^,]*))?(?:, |$)'
)


@record
class Parameter:
    """A parameter of an operator.

    Attributes:
        type: the type of the argument, or of the elements of a list.
        is_list: whether the argument is a list.
        may_be_one: whether a single element is accepted as a list of equal elements.
        may_be_none: whether it may be None; for a list `Tensor?[]`, whether its elements may be.
        is_required: whether it has no default.
        is_rest: whether it takes all remaining arguments.
    """

    type: str
    is_list: bool
    may_be_one: bool
    may_be_none: bool
    is_required: bool
    is_rest: bool = False

    def takes(self, argument: Any) -> bool:
        """Whether an argument is of the type."""
        if isinstance(argument, Unread) or (argument is None and self.may_be_none):
            return True
        fits = _FITS.get(self.type, lambda _: True)
        if not self.is_list:
            return fits(argument) or (self.type == "Tensor" and _is_number(argument))  # a tensor of rank 0
        if isinstance(argument, tuple):
            return all(fits(one) or (one is None and self.may_be_none) for one in argument)
        return self.may_be_one and fits(argument)

    def __str__(self) -> str:
        return f"{self.type}{'[]' if self.is_list else ''}"


def _is_whole(argument: Any) -> bool:
    return isinstance(argument, Name) or (isinstance(argument, int) and not isinstance(argument, bool))


def _is_number(argument: Any) -> bool:
    return isinstance(argument, Name | int | float)


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "Tensor": lambda argument: isinstance(argument, Name),
    "Scalar": _is_number,
    "int": _is_whole,
    "SymInt": _is_whole,
    "float": _is_number,
    "bool": lambda argument: isinstance(argument, bool | Name),
    "str": lambda argument: isinstance(argument, str),
    "ScalarType": lambda argument: isinstance(argument, DType | str),
    "Graph": lambda argument: isinstance(argument, Graph),
}
"""Type -> whether an argument has it; arguments of other types are not checked."""


def misfit(node: Node) -> str | None:
    """The error in the arguments of a call; None if there is none, or if the operator has no declaration."""
    declared = declarations().get(node.operator)
    if declared is None:
        return None
    given = dict(node.arguments)
    if node.operator.startswith("higher_order."):
        given |= dict(_named(list(declared.items()), node.positional))
    elif node.positional:
        return "an argument has no name"
    for name, parameter in declared.items():
        if name not in given:
            if parameter.is_required:
                return f"the argument `{name}` is missing"
        elif not parameter.takes(given[name]):
            return f"the argument `{name}` is no {parameter}"
    return next((f"it takes no argument `{name[:40]}`" for name in given if name not in declared), None)


def _named(declared: Sequence[tuple[str, Parameter]], positional: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Positional arguments by the names of their parameters; an excess argument has its position as its name."""
    for index, argument in enumerate(positional):
        name, parameter = declared[min(index, len(declared) - 1)]
        if parameter.is_rest:
            yield name, positional[len(declared) - 1 :]
            return
        yield name if index < len(declared) else str(index + 1), argument


@cache
def declarations() -> Mapping[str, Mapping[str, Parameter]]:
    """Operator -> its parameters by name."""
    lines = Path(__file__).with_name("declarations.txt").read_text("utf-8").splitlines()
    return {line.partition("(")[0]: dict(_parameters(line.partition("(")[2][:-1])) for line in lines}


def _parameters(text: str) -> Iterator[tuple[str, Parameter]]:
    for found in _PARAMETER.finditer(text):
        is_list = bool(found["list"] or found["more"] or found["rest"])
        is_open = bool(found["none"]) or found["default"] == "=None"
        is_sized = bool(found["list"]) and found["list"] != "[]"
        is_required = not (found["default"] or found["rest"])
        yield found["name"], Parameter(found["type"], is_list, is_sized, is_open, is_required, bool(found["rest"]))
