"""Layouts with blocked axes, and grids of coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.element_ranges import of_first
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, agreement, fields, judged, shared_dtype, tensor
from gradual.record import record
from gradual.tensors.index import numel, offsets, permuted, picked, strides
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType

Ints = tuple[int, ...]


# ------------------------------------------------------------------------------------------------ layout_transform
@record
class Layout:
    """A layout such as `NCHW4c`: a letter for each axis; a small letter with a factor is the inner part of an axis.

    Attributes:
        letters: the axes in order.
        factors: the extent of the inner part, by the capital letter of the axis.
    """

    letters: tuple[str, ...]
    factors: dict[str, int]

    @property
    def whole(self) -> tuple[str, ...]:
        """The letters of the axes, without those of inner parts."""
        return tuple(letter for letter in self.letters if letter.isupper())

    def parts(self, letter: str) -> Ints:
        """The positions of the parts of an axis, the outer before the inner one."""
        inner = (self.letters.index(letter.lower()),) if letter in self.factors else ()
        return self.letters.index(letter), *inner

    def grouped(self, order: Sequence[str]) -> Ints:
        """The positions of all parts, axis by axis."""
        return tuple(place for letter in order for place in self.parts(letter))


_AXIS = re.compile(r"([A-Z])|([1-9][0-9]*)([a-z])")


def layout(text: str, attribute: str) -> Layout:
    """The layout that a text denotes; raises IllFormed if the text is not a layout."""
    found = list(_AXIS.finditer(text))
    letters = tuple(match[1] or match[3] for match in found)
    factors = {match[3].upper(): int(match[2]) for match in found if match[3]}
    whole = [letter for letter in letters if letter.isupper()]
    distinct = len(set(letters)) == len(letters)
    if "".join(match[0] for match in found) != text or not letters or not distinct or not factors.keys() <= set(whole):
        says = "capital letters for axes and a factor with a small letter for the inner part of a blocked one"
        raise IllFormed("op.attribute", f'{attribute} has to be a layout, {says}, not "{text}"')
    return Layout(letters, factors)


def _layouts(src_layout: str, dst_layout: str) -> tuple[Layout, Layout]:
    source, target = layout(src_layout, "src_layout"), layout(dst_layout, "dst_layout")
    if set(source.whole) != set(target.whole):
        raise IllFormed("op.attribute", f'the layouts "{src_layout}" and "{dst_layout}" have different axes')
    return source, target


def _layout_transform(data: Tensor, *, src_layout: str, dst_layout: str) -> Tensor:
    """Join the parts of each axis, then split the axes and order the parts by the target layout."""
    source, target = _layouts(src_layout, dst_layout)
    together, apart = source.grouped(target.whole), target.grouped(target.whole)
    joined = tuple(numel([data.shape[i] for i in source.parts(letter)]) for letter in target.whole)
    shape: list[int] = []
    for extent, letter in zip(joined, target.whole, strict=True):
        factor = target.factors.get(letter)
        shape += [extent] if factor is None else [-(-extent // factor), factor]
    whole = permuted(data.elements, data.shape, together)
    back = [apart.index(place) for place in range(len(apart))]
    elements = permuted(_filled_up(whole, joined, target, data.dtype), shape, back)
    return tensor_of(tuple(shape[i] for i in back), data.dtype, elements)


def _filled_up(elements: Any, shape: Ints, target: Layout, dtype: DType) -> Any:
    """The elements with zeros after the end of each axis up to the next multiple of its block."""
    factors = (target.factors.get(letter, 1) for letter in target.whole)
    wide = tuple(-(-extent // factor) * factor for extent, factor in zip(shape, factors, strict=True))
    if wide == shape:
        return elements
    found = kept(dtype, (0,)) * numel(wide)
    for place, element in zip(offsets(shape, strides(wide)), elements, strict=True):
        found[place] = element
    return found


@operator("layout_transform", meaning=_layout_transform, family="laying", writes_shape=True)
def layout_transform(data: TensorType[Dim], *, src_layout: str, dst_layout: str) -> Judgement:
    """The data in another layout, such as NHWC for NCHW, or NCHW4c with the channels in blocks of 4.

    t[n, c, h, w] -> t[n, (c + 3) // 4, h, w, 4]

        out[n, k, h, w, j] = data[n, k * 4 + j, h, w] if k * 4 + j < c else 0  from NCHW to NCHW4c

    In general an element is found at the same index for each capital letter of `src_layout` and `dst_layout`, which
    for a blocked axis is outer index * factor + inner index.  Where an axis is blocked in the data, its inner part has
    the size of the factor that the layout gives [op.layout_transform.factor].
    """
    source, target = _layouts(src_layout, dst_layout)
    given = tensor(data, 0, rank=len(source.letters))
    shape = [ONE] * len(target.letters)
    for letter in target.whole:
        extent = given.shape[source.parts(letter)[0]] * source.factors.get(letter, 1)
        factor, (outer, *inner) = target.factors.get(letter, 1), target.parts(letter)
        shape[outer] = (extent + factor - 1) // factor
        for place in inner:
            shape[place] = constant(factor)
    return judged(shape, given.dtype, inner_needs(given, source))


def inner_needs(given: TensorType[Dim], source: Layout) -> Iterator[Need]:
    """Needs that the inner part of each blocked axis has its extent.   [op.layout_transform.factor]"""
    for letter, factor in source.factors.items():
        place, says = source.parts(letter)[1], f"the inner part of axis {letter} does not have size {factor}"
        yield agreement(given.shape[place], constant(factor), "op.layout_transform.factor", says, (0, place))


# -------------------------------------------------------------------------------------------------------- meshgrid
def _order(count: int, indexing: str) -> list[int]:
    """The vectors in the order of the grid's axes; the first two are swapped with "xy"."""
    if indexing not in ("ij", "xy"):
        raise IllFormed("op.attribute", f'indexing has to be "ij" or "xy", not "{indexing}"')
    return [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))


def _meshgrid(data: tuple[Tensor, ...], *, indexing: str) -> tuple[Tensor, ...]:
    order = _order(len(data), indexing)
    shape = tuple(data[place].size for place in order)
    grids = []
    for place, part in enumerate(data):
        steps = [1 if other == place else 0 for other in order]
        grids.append(tensor_of(shape, part.dtype, picked(part.elements, offsets(shape, steps))))
    return tuple(grids)


@operator("meshgrid", meaning=_meshgrid, ranges=of_first, family="laying", alike=(0,), writes_shape=True)
def meshgrid(data: TupleType[Dim], *, indexing: str = "ij") -> Judgement:
    """Each of several vectors repeated over the grid of all, in which it runs along its own axis.

    (t[n], t[m], ..) -> (t[n, m, ..], t[n, m, ..], ..)

        out.k[i_0, i_1, ..] = data.k[i_k]  with indexing="ij";  out.k[i_1, i_0, i_2, ..] = data.k[i_k]  with "xy"

    A scalar is a vector of one element.
    """
    parts = fields(data, 0)
    dtype = shared_dtype(parts, 0)
    for part in parts:
        if part.rank > 1:
            raise IllFormed("op.rank", f"the tensors have to have rank 0 or 1, not {part.rank}", 0)
    lengths = [part.shape[0] if part.rank else ONE for part in parts]
    shape = tuple(lengths[place] for place in _order(len(parts), indexing))
    return Judgement(TupleType((TensorType(shape, dtype),) * len(parts)))
