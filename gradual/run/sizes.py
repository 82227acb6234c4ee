"""Evaluate dims at run time: each variable is read from the values of a frame by its witness.  [run.check]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradual.dims.term.dim import ContentOf, Dim, NumelOf, RankOf, SizeOf, Variable, constant
from gradual.record import record
from gradual.run.value import Frame, Held
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor


@record(eq=False)
class Sizes(Mapping[Variable, int]):
    """A frame as a mapping from variables to numbers."""

    frame: Frame

    def __getitem__(self, variable: Variable) -> int:
        number = self._chosen(variable)
        return _witnessed(self.frame, variable) if number is None else number

    def _chosen(self, variable: Variable) -> int | None:
        """The number stored for a variable in the frame or an enclosing one."""
        frame: Frame | None = self.frame
        while frame is not None:
            if variable in frame.sizes:
                return frame.sizes[variable]
            frame = frame.outer
        return None

    def shape(self, path: str | None) -> tuple[int, ...]:
        """The shape of the value at a path.  [type.unranked]"""
        assert path is not None, "a type that was never opened"
        return _tensor(self.frame, path).shape

    def has(self, variable: Variable) -> bool:
        """Whether the variable has a number: a stored one, or one read by its witness, on an axis that exists."""
        witness = variable.witness
        if self._chosen(variable) is not None:
            return True
        return witness is not None and (
            not isinstance(witness, SizeOf) or witness.axis < len(self.shape(witness.value))
        )

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.frame.sizes)

    def __len__(self) -> int:
        return len(self.frame.sizes)


def _witnessed(frame: Frame, variable: Variable) -> int:
    match variable.witness:
        # A missing size or element occurs only in a branch of a dim that is not taken; any number will do.
        case SizeOf(value=path, axis=axis):
            shape = _tensor(frame, path).shape
            return shape[axis] if axis < len(shape) else 0
        case ContentOf(value=path, index=index):
            elements, place = _tensor(frame, path).elements, index[0] if index else 0
            return int(elements[place]) if place < len(elements) else 0
        case RankOf(value=path):
            return len(_tensor(frame, path).shape)
        case NumelOf(value=path):
            return numel(_tensor(frame, path).shape)
        case None:
            raise AssertionError(f"{variable.name} was not measured")


def _tensor(frame: Frame, path: str) -> Tensor:
    base, *fields = path.split("#")
    value: Any = held(frame, base)
    for field in fields:
        value = value[int(field)]
    assert isinstance(value, Tensor), path
    return value


def held(frame: Frame, name: str) -> Held:
    """The value of a core variable in the frame or an enclosing one."""
    look: Frame | None = frame
    while look is not None:
        if name in look.values:
            return look.values[name]
        look = look.outer
    raise AssertionError(f"{name} has no value")


def concrete(value: Any, sizes: Sizes) -> Any:
    """An attribute value with every dim evaluated to a constant dim."""
    if isinstance(value, Dim):
        return constant(value.evaluate(sizes))
    return tuple(concrete(part, sizes) for part in value) if isinstance(value, tuple) else value


def plain(value: Any) -> Any:
    """An attribute value with every constant dim as an integer, as meanings take it."""
    if isinstance(value, Dim):
        return value.value
    return tuple(map(plain, value)) if isinstance(value, tuple) else value
