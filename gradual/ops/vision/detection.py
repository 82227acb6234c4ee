"""Detecting objects: boxes with a score and a class, of which those that overlap a better one are dropped.

A box has two opposite corners, in either order.  The overlap of two boxes is the area of their intersection over that
of their union, computed in binary64, 0 if the union is empty.  Results are large enough for every box; what belongs to
no box that is kept is -1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from gradual.dims.term.constraint import at_most
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, Shape, agreement, judged, of_dtype, same_dtype, size, tensor
from gradual.ops.indexing.index_modes import integers
from gradual.tensors.fault import invalid_value
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType, Type

Row: TypeAlias = Sequence[Any]


# ----------------------------------------------------------------------------------------------------------- boxes
def floats(given: Type[Dim], operand: int, rank: int) -> TensorType[Dim]:
    """The argument as a tensor of floats of this rank; raises IllFormed if it is not."""
    found = tensor(given, operand, rank=rank)
    of_dtype(found, operand, lambda dtype: dtype.is_float, "a tensor of floats")
    return found


def _number(given: Type[Dim], operand: int) -> None:
    """Require a single number."""
    found = tensor(given, operand, rank=0)
    of_dtype(found, operand, lambda dtype: dtype is not DType.BOOL, "a number")


def rows_of(given: Tensor) -> Iterator[list[Row]]:
    """For each batch its rows along the last axis of a tensor of rank 3."""
    batches, count, width = given.shape
    for batch in range(batches):
        starts = range(batch * count * width, (batch + 1) * count * width, width) if width else [0] * count
        yield [given.elements[start : start + width] for start in starts]


def from_best(scores: Sequence[Any]) -> list[int]:
    """The indices that sort scores, the greatest first; equal ones keep their order, NaN comes first."""
    return sorted(range(len(scores)), key=lambda place: _rank(scores[place]), reverse=True)


def _rank(score: Any) -> tuple[bool, Any]:
    return (True, 0) if score != score else (False, score)


def shared(left: Row, right: Row) -> float:
    """The intersection of two boxes over their union, 0 if the union is empty."""
    (top, low), (first, last) = _spans(left), _spans(right)
    both = max(0.0, min(top[1], first[1]) - max(top[0], first[0])) * max(
        0.0, min(low[1], last[1]) - max(low[0], last[0])
    )
    either = (top[1] - top[0]) * (low[1] - low[0]) + (first[1] - first[0]) * (last[1] - last[0]) - both
    return both / either if either > 0.0 else 0.0


def _spans(box: Row) -> tuple[tuple[float, float], tuple[float, float]]:
    """The least and greatest coordinate of a box along each of the two axes."""
    a, b, c, d = box
    return (min(a, c), max(a, c)), (min(b, d), max(b, d))


def unsuppressed(order: Iterable[int], rivals: Callable[[int, int], bool]) -> Iterator[int]:
    """The indices, in order, that are no rival of an earlier one that was kept."""
    given: list[int] = []
    for place in order:
        if not any(rivals(place, other) for other in given):
            given.append(place)
            yield place


def _most(limit: int) -> int | None:
    """A limit as `islice` takes it; a negative one becomes None, which is no limit."""
    return None if limit < 0 else limit


def _columns(wanted: Iterable[tuple[str, int, int]], given: TensorType[Dim]) -> tuple[Need, ...]:
    """Needs that `count` columns from each index on are within a row; raises IllFormed for an index below 0."""
    needs = []
    for name, index, count in wanted:
        if index < 0:
            raise IllFormed("op.attribute", f"{name} has to be at least 0, not {index}")
        says = f"a row of data has no column for {name}"
        needs.append(Need(at_most(constant(index + count), given.shape[2]), "op.boxes.columns", says, ((0, 2),)))
    return tuple(needs)


def _with_class(id_index: int) -> tuple[tuple[str, int, int], ...]:
    """The column of classes, if there is one."""
    return (("id_index", id_index, 1),) if id_index >= 0 else ()


# ------------------------------------------------------------------------------------------------ get_valid_counts
def _is_box(row: Row, least: float, score_index: int, id_index: int) -> bool:
    return bool(row[score_index] > least and (id_index < 0 or row[id_index] >= 0))


def _get_valid_counts(
    data: Tensor, threshold: Tensor, *, score_threshold: object, id_index: int, score_index: int
) -> tuple[Tensor, Tensor, Tensor]:
    (least,) = threshold.elements
    batches, count, width = data.shape
    counts: list[int] = []
    elements: list[Any] = []
    places: list[int] = []
    for rows in rows_of(data):
        valid = [place for place, row in enumerate(rows) if _is_box(row, least, score_index, id_index)]
        counts.append(len(valid))
        for place in valid:
            elements += rows[place]
        elements += [-1.0] * ((count - len(valid)) * width)
        places += [*valid, *[-1] * (count - len(valid))]
    return (
        tensor_of((batches,), DType.INT32, kept(DType.INT32, counts)),
        tensor_of(data.shape, data.dtype, kept(data.dtype, elements)),
        tensor_of((batches, count), DType.INT32, kept(DType.INT32, places)),
    )


@operator("vision.get_valid_counts", meaning=_get_valid_counts, family="detecting")
def get_valid_counts(
    data: TensorType[Dim],
    threshold: TensorType[Dim],
    *,
    score_threshold: object = None,
    id_index: int = 0,
    score_index: int = 1,
) -> Judgement:
    """The boxes of each batch whose score is above a threshold: their number, their rows, and their indices.

    t[b, n, k], t[] -> (int32[b], t[b, n, k], int32[b, n])

        out.0[b] = the number of i with data[b, i, score_index] > threshold and data[b, i, id_index] >= 0
        out.1[b, j] = data[b, i],  out.2[b, j] = i  for the j-th of these i, in ascending order; -1 in all other rows

    With a negative `id_index` the second condition falls away; else it is a column of a row, below k, as `score_index`
    is [op.boxes.columns]. `score_threshold` repeats the second argument.
    """
    given = floats(data, 0, 3)
    _number(threshold, 1)
    needs = _columns((("score_index", score_index, 1), *_with_class(id_index)), given)
    batches, count, _ = given.shape
    whole = TensorType((batches,), DType.INT32), TensorType(given.shape, given.dtype)
    return Judgement(TupleType((*whole, TensorType((batches, count), DType.INT32))), needs)


# --------------------------------------------------------------------------------------------- non_max_suppression
def _non_max_suppression(
    data: Tensor, valid_count: Tensor, indices: Tensor, max_output_size: Tensor, iou_threshold: Tensor, *,
    force_suppress: bool, top_k: int, coord_start: int, score_index: int, id_index: int, return_indices: bool,
    invalid_to_bottom: bool,
) -> Any:  # fmt: skip
    """Select the boxes of each batch that are kept, by index in order of their scores."""
    (most,), (least,) = max_output_size.elements, iou_threshold.elements
    count = data.shape[1]
    chosen: list[list[int | None]] = []
    for rows, valid in zip(rows_of(data), valid_count.elements, strict=True):
        if not 0 <= valid <= count:
            raise invalid_value(f"valid_count is {valid}, but there are {count} boxes")
        if not least > 0:
            chosen.append(list(range(valid)))
            continue

        def rivals(place: int, other: int, rows: list[Row] = rows) -> bool:
            one, best = rows[place], rows[other]
            if not (force_suppress or id_index < 0 or one[id_index] == best[id_index]):
                return False
            overlap = shared(one[coord_start : coord_start + 4], best[coord_start : coord_start + 4])
            return bool(overlap >= least)

        order = from_best([row[score_index] for row in rows[:valid]])[: top_k if top_k > 0 else None]
        boxes = [place for place in order if _is_box(rows[place], 0, score_index, id_index)]
        left = set(islice(unsuppressed(boxes, rivals), _most(most)))
        chosen.append([place if place in left else None for place in order])
    if return_indices:
        return _indices(chosen, indices)
    return _survivors(data, chosen, invalid_to_bottom)


def _indices(chosen: list[list[int | None]], indices: Tensor) -> tuple[Tensor, Tensor]:
    """The elements of `indices` for the boxes that are kept, and the number of these boxes."""
    batches, count = indices.shape
    found: list[int] = []
    for batch, places in enumerate(chosen):
        named = [indices.elements[batch * count + place] for place in places if place is not None]
        found += [*named, *[-1] * (count - len(named))]
    counts = [sum(place is not None for place in places) for places in chosen]
    both = ((batches, count), found), ((batches, 1), counts)
    first, second = (tensor_of(shape, DType.INT32, kept(DType.INT32, held)) for shape, held in both)
    return first, second


def _survivors(data: Tensor, chosen: list[list[int | None]], packed: bool) -> Tensor:
    """The rows of the boxes that are kept, each at its rank by score, or with `packed` all of them first."""
    _, count, width = data.shape
    nothing = [-1.0] * width
    found: list[Any] = []
    for rows, places in zip(rows_of(data), chosen, strict=True):
        named = [place for place in places if place is not None] if packed else places
        for place in named:
            found += nothing if place is None else rows[place]
        found += nothing * (count - len(named))
    return tensor_of(data.shape, data.dtype, kept(data.dtype, found))


@operator("vision.non_max_suppression", meaning=_non_max_suppression, family="detecting", faults=Faults.OTHERWISE)
def non_max_suppression(
    data: TensorType[Dim],
    valid_count: TensorType[Dim],
    indices: TensorType[Dim],
    max_output_size: TensorType[Dim],
    iou_threshold: TensorType[Dim],
    *,
    force_suppress: bool = False,
    top_k: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = 0,
    return_indices: bool = True,
    invalid_to_bottom: bool = False,
) -> Judgement:
    """From the best score on, the boxes of each batch that do not overlap a better one of their class.

    t[b, n, k], int[b], int[b, n], int[], t[] -> (int32[b, n], int32[b, 1]), or t[b, n, k] without `return_indices`

        out.0[b, j] = indices[b, i] for the j-th kept box i, from the best on; -1 in all other places
        out.1[b, 0] = the number of kept boxes of batch b

    Row i of the first `valid_count[b]` rows is a box with the score data[b, i, score_index], the class data[b, i,
    id_index], and two opposite corners from column coord_start on.  Boxes are taken from the greatest score on, equal
    ones in their order, of these the first `top_k` if that is above 0.  One is dropped if its score is not above 0 or
    its class is negative, if its overlap with an earlier kept box of its class is `iou_threshold` or more, or if
    `max_output_size` boxes are kept already, unless that is negative.  The overlap is the area of the intersection
    over that of the union, 0 if the union is empty.  With `force_suppress` or a negative `id_index` boxes of all
    classes suppress each other.  With a threshold that is not above 0 all valid boxes are kept in the order of the
    rows.

    Without `return_indices` the result has the row of the j-th box taken in row j, or -1 throughout if it is dropped,
    and `indices` may be of any type; with `invalid_to_bottom` the rows of the kept boxes come first.  The first
    three arguments have the same batch b, and `data` and `indices` the same n [op.boxes.agree]; the columns are below
    k [op.boxes.columns].
    """
    given, valid = floats(data, 0, 3), integers(tensor(valid_count, 1, rank=1), 1)
    integers(tensor(max_output_size, 3, rank=0), 3)
    _number(iou_threshold, 4)
    columns = ("coord_start", coord_start, 4), ("score_index", score_index, 1), *_with_class(id_index)
    batches, count, _ = given.shape
    says = "boxes and the other arguments differ in batch or number"
    needs = [
        *_columns(columns, given),
        agreement(batches, valid.shape[0], "op.boxes.agree", says, (0, 0), (1, 0)),
    ]
    if not return_indices:
        tensor(indices, 2)
        return judged(given.shape, given.dtype, needs)
    named = integers(tensor(indices, 2, rank=2), 2)
    needs += [agreement(given.shape[i], named.shape[i], "op.boxes.agree", says, (0, i), (2, i)) for i in range(2)]
    places = (batches, count), (batches, ONE)
    return Judgement(TupleType(tuple(TensorType(shape, DType.INT32) for shape in places)), tuple(needs))


# ----------------------------------------------------------------------------------- all_class_non_max_suppression
def _all_class_non_max_suppression(
    boxes: Tensor, scores: Tensor, max_output_boxes_per_class: Tensor, iou_threshold: Tensor,
    score_threshold: Tensor, *, output_format: str,
) -> Any:  # fmt: skip
    """Select the boxes that are kept for each batch and class, from the best on."""
    (most,), (least,), (low,) = (
        given.elements for given in (max_output_boxes_per_class, iou_threshold, score_threshold)
    )
    found: list[list[tuple[int, int, Any]]] = []
    for rows, classes in zip(rows_of(boxes), rows_of(scores), strict=True):

        def rivals(place: int, other: int, rows: list[Row] = rows) -> bool:
            overlap = shared(rows[place], rows[other])
            return overlap > 0 and overlap >= least

        here: list[tuple[int, int, Any]] = []
        for number, line in enumerate(classes):
            order = [place for place in from_best(line) if line[place] > low]
            left = islice(unsuppressed(order, rivals), _most(most))
            here += [(number, place, line[place]) for place in left]
        found.append(here)
    total = scores.shape[1] * scores.shape[2]
    return _for_onnx(found, total) if output_format == "onnx" else _for_tensorflow(found, total, scores.dtype)


def _int64(shape: tuple[int, ...], elements: Sequence[int]) -> Tensor:
    return tensor_of(shape, DType.INT64, kept(DType.INT64, elements))


def _for_onnx(found: list[list[tuple[int, int, Any]]], total: int) -> tuple[Tensor, Tensor]:
    """Batch, class and index of all boxes in one list, and their number."""
    rows = [part for batch, here in enumerate(found) for number, place, _ in here for part in (batch, number, place)]
    most = len(found) * total
    return _int64((most, 3), rows + [-1] * (3 * most - len(rows))), _int64((1,), [len(rows) // 3])


def _for_tensorflow(found: list[list[tuple[int, int, Any]]], total: int, dtype: DType) -> tuple[Tensor, ...]:
    """Class and index of the boxes of each batch, their scores, and their number."""
    places: list[int] = []
    scores: list[Any] = []
    for here in found:
        places += [part for number, place, _ in here for part in (number, place)] + [-1] * (2 * (total - len(here)))
        scores += [score for *_, score in here] + [-1.0] * (total - len(here))
    return (
        _int64((len(found), total, 2), places),
        tensor_of((len(found), total), dtype, kept(dtype, scores)),
        _int64((len(found),), list(map(len, found))),
    )


@operator(
    "vision.all_class_non_max_suppression",
    meaning=_all_class_non_max_suppression,
    family="detecting",
    onnx="NonMaxSuppression",
)
def all_class_non_max_suppression(
    boxes: TensorType[Dim],
    scores: TensorType[Dim],
    max_output_boxes_per_class: TensorType[Dim],
    iou_threshold: TensorType[Dim],
    score_threshold: TensorType[Dim],
    *,
    output_format: str = "onnx",
) -> Judgement:
    """For each class, from the best score on, the boxes that do not overlap a better one.

    t[b, n, 4], t[b, c, n], int[], t[], t[] -> (int64[b * c * n, 3], int64[1])

        out.0[j] = (batch, class, i) for the j-th kept box: by batch, then class, then from the best on; else -1
        out.1[0] = the number of kept boxes

    In a class, boxes are taken from the greatest score on, equal ones in their order.  Box i is dropped if
    scores[batch, class, i] is not above `score_threshold`, if its overlap with an earlier kept one is positive and
    `iou_threshold` or more (as in `vision.non_max_suppression`), or if `max_output_boxes_per_class` are kept already,
    unless that is negative.  With `output_format` "tensorflow" the result is, for each batch, class and index, the
    scores, and their number: `(int64[b, c * n, 2], t[b, c * n], int64[b])`, -1 in the remaining rows.  Boxes and
    scores have the same batch b and the same n, and a box has 4 coordinates [op.boxes.agree].
    """
    given, rated = floats(boxes, 0, 3), floats(scores, 1, 3)
    same_dtype(given, rated)
    integers(tensor(max_output_boxes_per_class, 2, rank=0), 2)
    _number(iou_threshold, 3)
    _number(score_threshold, 4)
    if output_format not in ("onnx", "tensorflow"):
        raise IllFormed("op.attribute", f'output_format has to be "onnx" or "tensorflow", not "{output_format}"')
    says = "boxes must be one for each score, of four coordinates"
    needs = (
        agreement(given.shape[0], rated.shape[0], "op.boxes.agree", says, (0, 0), (1, 0)),
        agreement(given.shape[1], rated.shape[2], "op.boxes.agree", says, (0, 1), (1, 2)),
        agreement(given.shape[2], constant(4), "op.boxes.agree", says, (0, 2)),
    )
    batches, total = rated.shape[0], size(rated.shape[1:])
    shapes: tuple[tuple[Shape, DType], ...]
    if output_format == "onnx":
        shapes = ((batches * total, constant(3)), DType.INT64), ((ONE,), DType.INT64)
    else:
        many = (batches, total)
        shapes = ((*many, constant(2)), DType.INT64), (many, rated.dtype), ((batches,), DType.INT64)
    return Judgement(TupleType(tuple(TensorType(shape, dtype) for shape, dtype in shapes)), needs)
