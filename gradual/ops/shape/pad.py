"""Padding: a constant around a tensor, or its own border repeated or mirrored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gradual.dims.term.constraint import FALSE, any_of, at_least, at_most, less
from gradual.dims.term.dim import Dim, constant
from gradual.limits import LIMITS
from gradual.ops.declaration.facts import Faults, StaticForm, is_number
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Axes, Growth, Padding, all_axes, all_but
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, judged, of_dtype, tensor
from gradual.ops.declaration.windows import surrounded
from gradual.tensors.fault import invalid_value
from gradual.tensors.index import numel, picked, strides
from gradual.tensors.scalar import converted, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import Hole, TensorType

Widths = tuple[tuple[int, int], ...]
Place = Callable[[int, int], int]


def _edge(place: int, extent: int) -> int:
    return min(max(place, 0), extent - 1)


def _reflected(place: int, extent: int) -> int:
    """The index mirrored at the border element, which is not repeated."""
    turn = 2 * (extent - 1)
    return 0 if turn == 0 else min(place % turn, turn - place % turn)


def _mirrored(place: int, extent: int) -> int:
    """The index mirrored beyond the border element, which is repeated."""
    around = place % (2 * extent)
    return min(around, 2 * extent - 1 - around)


_SOURCES: dict[str, Place] = {"edge": _edge, "reflect": _reflected, "symmetric": _mirrored}


def _bordered(data: Tensor, widths: Widths, source: Place) -> Tensor:
    """The padded tensor; `source` gives the element of the data that is repeated at each added index."""
    shape = tuple(extent + before + after for extent, (before, after) in zip(data.shape, widths, strict=True))
    where = [0] if all(shape) else []
    each = zip(data.shape, strides(data.shape), widths, strict=True)
    for extent, step, (before, after) in each if where else ():
        reach = [source(place, extent) * step for place in range(-before, extent + after)]
        where = [base + move for base in where for move in reach]
    return tensor_of(shape, data.dtype, picked(data.elements, where))


def _pad(data: Tensor, pad_val: Tensor, *, pad_width: Widths, pad_mode: str) -> Tensor:
    mode = pad_mode.lower()
    if mode != "constant":
        return _bordered(data, pad_width, _SOURCES[mode])
    if data.rank == 0:
        return data
    fill = converted(pad_val.dtype, data.dtype, pad_val.elements)[0]
    volume = surrounded(data.elements, data.shape, pad_width, fill, 1)
    return tensor_of(volume.shape, data.dtype, kept(data.dtype, volume.cells))


def _axes(given: TensorType[Dim], widths: Sequence[tuple[Dim, Dim]]) -> Iterator[tuple[int, Dim, Dim, Dim]]:
    """Each axis with its extent and what is added before and after it."""
    if len(widths) != given.rank:
        raise IllFormed("op.attribute", f"pad_width has to have {given.rank} pairs, not {len(widths)}")
    for axis, (extent, (before, after)) in enumerate(zip(given.shape, widths, strict=True)):
        yield axis, extent, before, after


def _is_wide_enough(extent: int, side: int, mode: str) -> bool:
    """Whether the axis is long enough for a border of `side` elements."""
    return side <= 0 or {"constant": True, "edge": extent >= 1, "reflect": side < extent}[mode]


def _border_needs(given: TensorType[Dim], widths: Sequence[tuple[Dim, Dim]], mode: str) -> Iterator[Need]:
    """Needs that cuts and borders are no longer than the axes allow.   [op.pad.size] [op.pad.source]"""
    for axis, extent, before, after in _axes(given, widths):
        if (before + after).value is None or min(before.value or 0, after.value or 0) < 0:
            says = "the negative padding is larger than the axis"
            yield Need(at_most(ZERO, extent + before + after), "op.pad.size", says, ((0, axis),))
    if mode == "constant":
        return
    for axis, extent, *sides in _axes(given, widths):
        for side in sides:
            enough = at_least(extent, ONE) if mode == "edge" else at_most(side, extent)
            if mode == "reflect":
                enough = less(side, extent)
            says = f"the axis is too short to {mode if mode != 'edge' else 'repeat'} its border"
            if side.value is None or side.value > 0:
                yield Need(any_of(at_most(side, ZERO), enough), "op.pad.source", says, ((0, axis),))


def _widened(given: TensorType[Dim], widths: Sequence[tuple[Dim, Dim]]) -> list[Dim]:
    return [extent + before + after for _, extent, before, after in _axes(given, widths)]


def _mode(written: str, admitted: Sequence[str], attribute: str) -> str:
    if written.lower() not in admitted:
        raise IllFormed("op.attribute", f'{attribute} has to be one of {", ".join(admitted)}, not "{written}"')
    return written.lower()


def _pad_extends(growth: Growth) -> Iterator[Axes]:
    """The axes that are not padded."""
    widths = growth.attributes["pad_width"]
    yield all_but(
        growth.types[0], *(axis for axis, pair in enumerate(widths) if any(width.value != 0 for width in pair))
    )
    yield from map(all_axes, growth.types[1:])


def _adds_nothing(given: TensorType[Dim], attributes: Mapping[str, Any]) -> bool:
    """Whether no axis is padded."""
    return all(is_number(width, 0) for pair in attributes["pad_width"] for width in pair)


@operator("nn.pad", meaning=_pad, family="padding", padding=Padding(_pad_extends), identity=_adds_nothing, onnx="Pad")
def pad(
    data: TensorType[Dim],
    pad_val: TensorType[Dim],
    *,
    pad_width: tuple[tuple[Dim, Dim], ...],
    pad_mode: str = "constant",
) -> Judgement:
    """Elements added before and after each axis.   t[..a], u[] -> t[..a + before + after]

        out[i, ..] = data[i - before, ..] if 0 <= i - before < n, along each axis, else pad_val  with "constant"
        out[i, ..] = data[p(i - before), ..]  with "edge" and "reflect"

    `pad_width` has a pair (before, after) for each axis, and `pad_mode` says which; `pad_val` is converted as by
    `cast`.  With "edge", p(j) is j limited to 0 to n - 1, and n is at least 1 where elements are added; with
    "reflect", p(j) is j, or -j, or 2 * (n - 1) - j, whichever is an index, and no more than n - 1 elements are added
    at an end [op.pad.source].  A negative number cuts elements away; both together no more than there are, n
    [op.pad.size].
    """
    given = tensor(data, 0)
    tensor(pad_val, 1, rank=0)
    mode = _mode(pad_mode, ("constant", "edge", "reflect"), "pad_mode")
    return judged(_widened(given, pad_width), given.dtype, _border_needs(given, pad_width, mode))


def _mirror_pad(data: Tensor, *, mode: str, pad_width: Widths) -> Tensor:
    return _bordered(data, pad_width, _SOURCES[mode.lower()])


@operator("nn.mirror_pad", meaning=_mirror_pad, family="padding", padding=Padding(_pad_extends), onnx="Pad")
def mirror_pad(data: TensorType[Dim], *, mode: str = "SYMMETRIC", pad_width: tuple[tuple[Dim, Dim], ...]) -> Judgement:
    """The border mirrored, its edge included (SYMMETRIC) or not (REFLECT).   t[..a] -> t[..a + before + after]

        out[i, ..] = data[p(i - before), ..]

    `pad_width` has a pair (before, after) for each axis.  With the `mode` "SYMMETRIC", p(j) is j, or -1 - j, or 2 * n
    - 1 - j, whichever is an index, and no more than n elements are added at an end; with "REFLECT" it is j, or -j, or
    2 * (n - 1) - j, and no more than n - 1 are added [op.pad.source].  No more elements are cut away than there are, n
    [op.pad.size].
    """
    given = tensor(data, 0)
    chosen = _mode(mode, ("symmetric", "reflect"), "mode")
    return judged(_widened(given, pad_width), given.dtype, _border_needs(given, pad_width, chosen))


def _dyn_pad(data: Tensor, widths: Tensor, pad_val: Tensor, *, pad_width: object, pad_mode: str) -> Tensor:
    flat = list(widths.elements)
    found = tuple((flat[2 * axis], flat[2 * axis + 1]) for axis in range(data.rank))
    for extent, (before, after) in zip(data.shape, found, strict=True):
        if extent + before + after < 0:
            raise invalid_value(f"padding {before} and {after} cuts away more than the {extent} elements of the axis")
        if not all(_is_wide_enough(extent, side, pad_mode.lower()) for side in (before, after)):
            raise invalid_value(f"{extent} elements are too few for padding {before} and {after}")
    sizes = [extent + before + after for extent, (before, after) in zip(data.shape, found, strict=True)]
    if max(sizes, default=0) > LIMITS.size or numel(sizes) > LIMITS.elements:
        raise invalid_value(f"a tensor of shape {tuple(sizes)} is too large")
    return _pad(data, pad_val, pad_width=found, pad_mode=pad_mode)


def _read_widths(types: Sequence[Any], values: Sequence[Any], attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """The widths, if they are a literal."""
    (widths,) = values
    if not isinstance(widths, Tensor) or widths.rank != 2 or widths.shape[1] != 2:
        return None
    flat = [int(width) for width in widths.elements]
    return {"pad_width": tuple(zip(flat[::2], flat[1::2], strict=True))}


@operator(
    "dyn.nn.pad",
    meaning=_dyn_pad,
    family="padding",
    data_dependent=True,
    faults=Faults.OTHERWISE,
    onnx="Pad",
    static_form=StaticForm((1,), _read_widths),
)
def dyn_pad(
    data: TensorType[Dim],
    widths: TensorType[Dim],
    pad_val: TensorType[Dim],
    *,
    pad_width: object = None,
    pad_mode: str = "constant",
) -> Judgement:
    """As `nn.pad`, with widths as an argument.   t[..a], int[rank, 2], u[] -> t[..]

        out = nn.pad(data, pad_val, pad_width=widths, pad_mode=pad_mode)

    `widths` has a row of two numbers for each axis [op.dyn.nn.pad.pairs].  More elements cut away than there are, or
    an axis that is too short for its border, is a fault.  Known widths require what `nn.pad` requires [op.pad.size]
    [op.pad.source].
    """
    given, pairs = tensor(data, 0), tensor(widths, 1, rank=2)
    of_dtype(pairs, 1, lambda dtype: dtype.is_integer, "a tensor of integers")
    tensor(pad_val, 2, rank=0)
    mode = _mode(pad_mode, ("constant", "edge", "reflect"), "pad_mode")
    says = "there must be a pair of numbers for each axis"
    needs = [
        agreement(pairs.shape[axis], constant(wanted), "op.dyn.nn.pad.pairs", says, (1, axis))
        for axis, wanted in enumerate((given.rank, 2))
    ]
    if pairs.numbers is None or any(need.goal is FALSE for need in needs):
        return judged([Hole(ZERO)] * given.rank, given.dtype, needs)
    flat = [constant(int(number)) for number in pairs.numbers]
    known = list(zip(flat[::2], flat[1::2], strict=True))
    return judged(_widened(given, known), given.dtype, (*needs, *_border_needs(given, known, mode)))
