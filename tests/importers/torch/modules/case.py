"""What is exported: a module, its inputs at some sizes, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


class Calling(nn.Module):
    """A module that calls a function with its parts."""

    def __init__(self, function: Callable[..., Any], parts: dict[str, nn.Module]) -> None:
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs: Any) -> Any:
        """The function's result."""
        return self.function(self, *inputs) if self.parts_are_used else self.function(*inputs)

    @property
    def parts_are_used(self) -> bool:
        """Whether the function takes the module."""
        return bool(self._modules)


@dataclass(frozen=True)
class Case:
    """A module to be exported.

    Attributes:
        module: makes it.
        inputs: its inputs at a size.
        sizes: at which it is run; it is exported at the first.
        kind: what an axis is declared as whose size varies: "DYNAMIC", or "AUTO", which may be specialised.
        where: what the program needs of its sizes beyond that they are at least 1.
        refused: what the import says if the module has what it does not import.
    """

    module: Callable[[], nn.Module]
    inputs: Callable[[int], tuple[Any, ...]]
    sizes: Sequence[int] = (5, 3, 8)
    kind: str = "DYNAMIC"
    where: str = ""
    refused: str = ""


def calling(
    function: Callable[..., Any], *inputs: Callable[[int], Any], sizes: Sequence[int] = (5, 3, 8), **more: Any
) -> Case:
    """A case of a function; `parts=` has modules that it takes by way of its first argument."""
    parts = more.pop("parts", dict)
    return Case(lambda: Calling(function, parts()), lambda size: tuple(one(size) for one in inputs), sizes, **more)


def floats(*shape: Any) -> Callable[[int], torch.Tensor]:
    """Normally distributed numbers; a size may be a function of the case's size."""
    return lambda size: torch.randn(_sizes(shape, size))


def positive(*shape: Any) -> Callable[[int], torch.Tensor]:
    """Numbers from 0.1 to 0.9."""
    return lambda size: torch.rand(_sizes(shape, size)) * 0.8 + 0.1


def integers(low: int, high: Any, *shape: Any, dtype: torch.dtype = torch.int64) -> Callable[[int], torch.Tensor]:
    """Integers from one number up to another, which may depend on the size."""
    return lambda size: torch.randint(low, _sizes((high,), size)[0], _sizes(shape, size), dtype=dtype)


def booleans(*shape: Any) -> Callable[[int], torch.Tensor]:
    """Truth values."""
    return lambda size: torch.rand(_sizes(shape, size)) > 0.5


def _sizes(shape: Sequence[Any], size: int) -> tuple[int, ...]:
    return tuple(one if isinstance(one, int) else one(size) for one in shape)


def n(size: int) -> int:
    """The size itself."""
    return size


def times(factor: int, more: int = 0) -> Callable[[int], int]:
    """The size times a number, and a number."""
    return lambda size: size * factor + more


def called(module: nn.Module, inputs: Sequence[Any]) -> list[Any]:
    """The outputs, in a flat list."""
    found = module(*inputs)
    return [one for one in _flat(found) if one is not None]


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return [one for part in value for one in _flat(part)]
    return [value]
