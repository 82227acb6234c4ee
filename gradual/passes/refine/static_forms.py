"""The static forms of the dynamic operators that read matrices and floats, whose elements no type tracks.

Such an argument has to be a literal.   [pass.static.value]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gradual.core.terms import Apply
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import Operator
from gradual.ops.vision.interpolation import CROPPING
from gradual.ops.vision.resize import decimal
from gradual.passes.refine.types import Literal, is_closed
from gradual.tensors.tensor import Tensor
from gradual.types.type import OpenedType, TensorType
from gradual.types.unpacking import tracked_length


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A static operator with operands and attributes that mean the same."""

    static: Operator
    operands: tuple[str, ...]
    attributes: Mapping[str, Any]


Types = Mapping[str, OpenedType]
Literals = Mapping[str, Literal]


def by_value(step: Apply, types: Types, literals: Literals) -> Counterpart | None:
    """The static form of an application, None where what it reads is no literal.  Raises IllFormed."""
    name = step.operator.name
    return _FORMS[name](step, types, literals) if name in _FORMS else None


def _form(step: Apply, operands: tuple[str, ...], **read: Any) -> Counterpart:
    static = CATALOGUE[step.operator.name.removeprefix("dyn.")]
    given = {key: value for key, value in step.attributes.items() if key not in read}
    return Counterpart(static, operands, bound(static, {**given, **read}))


def _pad(step: Apply, types: Types, literals: Literals) -> Counterpart | None:
    """`nn.pad` where the widths are a literal."""
    data, widths, value = step.operands
    held = literals.get(widths)
    if not isinstance(held, Tensor) or held.rank != 2 or held.shape[1] != 2:
        return None
    flat = [int(width) for width in held.elements]
    pairs = tuple(zip(flat[::2], flat[1::2], strict=True))
    return _form(step, (data, value), pad_width=pairs)


def _resize(step: Apply, types: Types, literals: Literals) -> Counterpart | None:
    """`image.resize2d` where the sizes are known, and the region is a literal if it is read."""
    data, sizes, region = step.operands
    wanted = types[sizes]
    if not isinstance(wanted, TensorType) or tracked_length(wanted, 2, read=True) != 2 or wanted.contents is None:
        return None
    if not all(map(is_closed, wanted.contents)):
        return None
    if step.attributes["coordinate_transformation_mode"] != CROPPING:
        return _form(step, (data,), size=wanted.contents, roi=None)
    held = literals.get(region)
    if not isinstance(held, Tensor):
        return None
    return _form(step, (data,), size=wanted.contents, roi=tuple(map(float, held.elements)))


def _upsampling(step: Apply, types: Types, literals: Literals) -> Counterpart | None:
    """`nn.upsampling` where the factors are literals that an attribute can say."""
    names = [spec.name for spec in step.operator.attributes if spec.name.startswith("scale_")]
    data, *factors = step.operands
    scales: dict[str, float] = {}
    for name, factor in zip(names, factors, strict=True):
        held = literals.get(factor)
        if not isinstance(held, Tensor) or not _is_plain(held):
            return None
        scales[name] = float(held.elements[0])
    return _form(step, (data,), **scales)


def _is_plain(factor: Tensor) -> bool:
    """Whether a factor is positive, and the same decimal number as an attribute."""
    value = factor.elements[0]
    if not 0 < value < math.inf:
        return False
    return not factor.dtype.is_float or decimal(value, factor.dtype) == decimal(float(value))


_FORMS: Mapping[str, Callable[[Apply, Types, Literals], Counterpart | None]] = {
    "dyn.nn.pad": _pad,
    "dyn.image.resize2d": _resize,
    "dyn.nn.upsampling": _upsampling,
    "dyn.nn.upsampling3d": _upsampling,
}

READ: Mapping[str, tuple[int, ...]] = {
    "dyn.nn.pad": (1,),
    "dyn.image.resize2d": (1, 2),
    "dyn.nn.upsampling": (1, 2),
    "dyn.nn.upsampling3d": (1, 2, 3),
}
"""The arguments that become attributes."""
