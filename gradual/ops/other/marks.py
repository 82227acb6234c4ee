"""Marks: identities that carry hints for an optimiser or for device placement.

In Relay their type relations and their kernels are identities, so they are identities here; a device that an attribute
names is ignored.
"""

from __future__ import annotations

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.element_ranges import of_first
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, operator
from gradual.ops.declaration.padding import Padding, everywhere
from gradual.ops.declaration.shapes import contents_of
from gradual.tensors.value import Value
from gradual.types.type import TensorType, TupleType, Type


def _same(data: Value, **attributes: object) -> Value:
    return data


def _contents(data: Type[Dim], **attributes: object) -> Contents:
    """The contents of the argument."""
    return contents_of(data)


def _marked(data: Type[Dim]) -> Judgement:
    """The judgement of a value that is returned unchanged: a tensor, or a tuple."""
    if not isinstance(data, TensorType | TupleType):
        raise IllFormed("op.structure", "argument 1 has to be a tensor or a tuple of tensors, not a function", 0)
    return Judgement(data)


@operator(
    "annotation.stop_fusion",
    meaning=_same,
    ranges=of_first,
    family="marking",
    contents=_contents,
    padding=Padding(everywhere),
)
def stop_fusion(data: Type[Dim]) -> Judgement:
    """Identity; a compiler does not fuse across it.   t[..a] -> t[..a]

    out = data
    """
    return _marked(data)


@operator(
    "annotation.checkpoint",
    meaning=_same,
    ranges=of_first,
    family="marking",
    contents=_contents,
    padding=Padding(everywhere),
)
def checkpoint(data: Type[Dim]) -> Judgement:
    """Identity; automatic differentiation computes it again instead of keeping it.   t[..a] -> t[..a]

    out = data
    """
    return _marked(data)


@operator(
    "on_device", meaning=_same, ranges=of_first, family="marking", contents=_contents, padding=Padding(everywhere)
)
def on_device(
    data: Type[Dim],
    *,
    virtual_device: object = None,
    constrain_result: object = False,
    constrain_body: object = True,
) -> Judgement:
    """Identity; a compiler computes it on a device.   t[..a] -> t[..a]

    out = data
    """
    return _marked(data)


@operator(
    "device_copy", meaning=_same, ranges=of_first, family="marking", contents=_contents, padding=Padding(everywhere)
)
def device_copy(data: Type[Dim], *, src_virtual_device: object = None, dst_virtual_device: object = None) -> Judgement:
    """Identity, on another device.   t[..a] -> t[..a]

    out = data
    """
    return _marked(data)
