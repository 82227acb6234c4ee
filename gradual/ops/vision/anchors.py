"""Anchors: boxes at every position of an image, and the boxes that predictions make of them.

Everything is computed in binary64 and rounded once at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, cycle, islice, product
from typing import Any, TypeAlias

from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, agreement, judged, not_negative, same_dtype
from gradual.ops.vision.detection import floats, from_best, unsuppressed
from gradual.tensors import reals
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType

Box: TypeAlias = tuple[float, float, float, float]
_UNIT = constant(4)
_TOP = constant(300)


def _positive(name: str, values: Sequence[float]) -> None:
    """Require at least one value, all above 0."""
    if not values:
        raise IllFormed("op.attribute", f"{name} is empty")
    for value in values:
        if not value > 0:
            raise IllFormed("op.attribute", f"{name} has to be above 0, not {value}")


def _clipped(value: float, high: float) -> float:
    return reals.maximum(reals.minimum(value, high), 0.0)


# -------------------------------------------------------------------------------------------------- multibox_prior
def _multibox_prior(
    data: Tensor, *, sizes: Sequence[float], ratios: Sequence[float], steps: Sequence[float],
    offsets: Sequence[float], clip: bool,
) -> Tensor:  # fmt: skip
    """For each position a box of each size, and a box of the first size for each ratio after the first."""
    height, width = data.shape[2:]
    forms = [(size, 1.0) for size in sizes] + [(sizes[0], math.sqrt(ratio)) for ratio in ratios[1:]]
    halves = [(size * height / width * root / 2.0, size / root / 2.0) for size, root in forms] if width else []
    down, across = (step if step > 0 else reals.divide(1.0, n) for step, n in zip(steps, (height, width), strict=True))
    found: list[float] = []
    for row, column in product(range(height), range(width)):
        y, x = (row + offsets[0]) * down, (column + offsets[1]) * across
        for wide, high in halves:
            found += (x - wide, y - high, x + wide, y + high)
    if clip:
        found = [_clipped(value, 1.0) for value in found]
    return tensor_of((1, height * width * len(forms), 4), data.dtype, kept(data.dtype, found))


@operator("vision.multibox_prior", meaning=_multibox_prior, family="anchoring")
def multibox_prior(
    data: TensorType[Dim],
    *,
    sizes: tuple[float, ...] = (1.0,),
    ratios: tuple[float, ...] = (1.0,),
    steps: tuple[float, float] = (-1.0, -1.0),
    offsets: tuple[float, float] = (0.5, 0.5),
    clip: bool = False,
) -> Judgement:
    """Boxes around every pixel of an image.   t[n, c, h, w] -> t[1, h * w * (sizes + ratios - 1), 4]

        out[0, (y * w + x) * f + k] = (cx - p, cy - q, cx + p, cy + q)
        cx = (x + offsets[1]) * steps[1],  cy = (y + offsets[0]) * steps[0]
        p = s * h / w * r / 2,  q = s / r / 2

    There are f boxes at a pixel: with s = sizes[k] and r = 1 for each size, then with s = sizes[0] and r = sqrt(ratio)
    for each of the `ratios` after the first.  A step that is not above 0 is taken as 1 / h or 1 / w.  With `clip`
    coordinates are limited to 0 to 1.  The elements of the data do not matter.
    """
    given = floats(data, 0, 4)
    _positive("sizes", sizes)
    _positive("ratios", ratios)
    _, _, height, width = given.shape
    return judged((ONE, height * width * (len(sizes) + len(ratios) - 1), _UNIT), given.dtype)


# ------------------------------------------------------------------------------------------ multibox_transform_loc
def _multibox_transform_loc(
    cls_prob: Tensor, loc_pred: Tensor, anchor: Tensor, *, clip: bool, threshold: float, variances: Sequence[float]
) -> tuple[Tensor, Tensor]:
    """The boxes whose best class is not the background, each moved from its anchor."""
    batches, classes, count = cls_prob.shape
    found: list[Any] = []
    counts: list[int] = []
    for batch in range(batches):
        kept_here = 0
        for place in range(count):
            first = batch * classes * count + place
            column = cls_prob.elements[first : first + classes * count : count] if classes else ()
            number, score = _best(column)
            if number == 0 or score < threshold:
                continue
            moves = loc_pred.elements[(batch * count + place) * 4 : (batch * count + place) * 4 + 4]
            box = _moved(anchor.elements[place * 4 : place * 4 + 4], moves, variances)
            found += (number - 1.0, score, *((_clipped(value, 1.0) for value in box) if clip else box))
            kept_here += 1
        found += [-1.0] * (6 * (count - kept_here))
        counts.append(kept_here)
    rows = tensor_of((batches, count, 6), cls_prob.dtype, kept(cls_prob.dtype, found))
    return rows, tensor_of((batches,), DType.INT32, kept(DType.INT32, counts))


def _best(column: Sequence[float]) -> tuple[int, float]:
    """The first class after the background that has the greatest score above -1; class 0 if there is none."""
    number, best = 0, -1.0
    for place, score in enumerate(column[1:], 1):
        if score > best:
            number, best = place, score
    return number, best


def _moved(anchor: Sequence[float], moves: Sequence[float], variances: Sequence[float]) -> Box:
    """An anchor with its centre moved and its sides stretched."""
    left, top, right, bottom = anchor
    dx, dy, dw, dh = (move * by for move, by in zip(moves, variances, strict=True))
    wide, high = right - left, bottom - top
    x, y = dx * wide + (left + right) / 2.0, dy * high + (top + bottom) / 2.0
    w, h = reals.exp(dw) * wide / 2.0, reals.exp(dh) * high / 2.0
    return x - w, y - h, x + w, y + h


@operator("vision.multibox_transform_loc", meaning=_multibox_transform_loc, family="anchoring")
def multibox_transform_loc(
    cls_prob: TensorType[Dim],
    loc_pred: TensorType[Dim],
    anchor: TensorType[Dim],
    *,
    clip: bool = True,
    threshold: float = 0.01,
    variances: tuple[float, float, float, float] = (0.1, 0.1, 0.2, 0.2),
) -> Judgement:
    """The boxes that predictions make of anchors.   t[b, c, n], t[b, 4 * n], t[1, n, 4] -> (t[b, n, 6], int32[b])

        (left, top, right, bottom) = anchor[0, i],  w = right - left,  h = bottom - top
        (dx, dy, dw, dh) = loc_pred[b, 4 * i : 4 * i + 4] * variances
        x = dx * w + (left + right) / 2,  y = dy * h + (top + bottom) / 2,  p = exp(dw) * w / 2,  q = exp(dh) * h / 2
        out.0[b, j] = (class - 1, score, x - p, y - q, x + p, y + q) for the j-th anchor i with a box, else six times -1
        out.1[b] = the number of anchors with a box

    The class of an anchor is the first with the greatest score cls_prob[b, class, i], apart from class 0, the
    background. It has a box if this score is above -1 and is `threshold` or more.  With `clip` coordinates are limited
    to 0 to 1. `loc_pred` has 4 * n columns, `anchor` has one row of n boxes with 4 coordinates, and `cls_prob` and
    `loc_pred` have the same batch [op.multibox_transform_loc.agree].
    """
    given, moves, boxes = floats(cls_prob, 0, 3), floats(loc_pred, 1, 2), floats(anchor, 2, 3)
    same_dtype(given, moves, boxes)
    batches, _, count = given.shape
    says = "classes, locations and anchors differ in batch or number, or an anchor does not have four coordinates"
    wanted = (
        (batches, moves.shape[0], ((0, 0), (1, 0))),
        (count * 4, moves.shape[1], ((0, 2), (1, 1))),
        (ONE, boxes.shape[0], ((2, 0),)),
        (count, boxes.shape[1], ((0, 2), (2, 1))),
        (_UNIT, boxes.shape[2], ((2, 2),)),
    )
    needs = [agreement(left, right, "op.multibox_transform_loc.agree", says, *where) for left, right, where in wanted]
    parts = TensorType((batches, count, constant(6)), given.dtype), TensorType((batches,), DType.INT32)
    return Judgement(TupleType(parts), tuple(needs))


# -------------------------------------------------------------------------------------------------------- proposal
def _anchor(ratio: float, scale: float, stride: int) -> Box:
    """The box of a ratio and scale around a square of `stride` pixels, with inclusive corners."""
    wide = math.floor(math.sqrt(math.floor(stride * stride / ratio)) + 0.5)
    high = math.floor(wide * ratio + 0.5)
    centre, w, h = 0.5 * (stride - 1.0), 0.5 * (wide * scale - 1.0), 0.5 * (high * scale - 1.0)
    return centre - w, centre - h, centre + w, centre + h


def _regressed(box: Box, delta: Sequence[float], iou_loss: bool) -> Box:
    """An anchor moved by a prediction, which moves each corner, or moves the centre and scales the sides."""
    a, b, c, d = box
    if iou_loss:
        return a + delta[0], b + delta[1], c + delta[2], d + delta[3]
    wide, high = c - a + 1.0, d - b + 1.0
    x, y = delta[0] * wide + a + 0.5 * (wide - 1.0), delta[1] * high + b + 0.5 * (high - 1.0)
    w, h = 0.5 * (reals.exp(delta[2]) * wide - 1.0), 0.5 * (reals.exp(delta[3]) * high - 1.0)
    return x - w, y - h, x + w, y + h


def _overlap(one: Box, two: Box) -> float:
    """Intersection over union of boxes with inclusive corners."""
    wide = max(0.0, min(one[2], two[2]) - max(one[0], two[0]) + 1.0)
    high = max(0.0, min(one[3], two[3]) - max(one[1], two[1]) + 1.0)
    areas = [(box[2] - box[0] + 1.0) * (box[3] - box[1] + 1.0) for box in (one, two)]
    return reals.divide(wide * high, areas[0] + areas[1] - wide * high)


def _predicted(
    scores: Sequence[float], deltas: Sequence[float], image: Sequence[float], anchors: Sequence[Box],
    extents: tuple[int, int], stride: int, least: int, iou_loss: bool,
) -> Iterator[tuple[Box, float]]:  # fmt: skip
    """For each position and anchor, the clipped box and its score: -1 outside of the image or for a small box."""
    (tall, broad, scale), (height, width) = image, extents
    area = height * width
    smallest = scale * least
    for row, column in product(range(height), range(width)):
        inside = row + 1 <= tall / stride and column + 1 <= broad / stride
        shift = (column * stride, row * stride) * 2
        for number, anchor in enumerate(anchors):
            at = row * width + column
            delta = [deltas[(number * 4 + i) * area + at] for i in range(4)]
            placed = tuple(part + by for part, by in zip(anchor, shift, strict=True))
            box = _regressed(placed, delta, iou_loss)  # type: ignore[arg-type]
            edges = (broad - 1.0, tall - 1.0) * 2
            a, b, c, d = (_clipped(part, edge) for part, edge in zip(box, edges, strict=True))
            score = scores[(len(anchors) + number) * area + at] if inside else -1.0
            if c - a + 1.0 < smallest or d - b + 1.0 < smallest:
                half = smallest / 2.0
                a, b, c, d, score = a - half, b - half, c + half, d + half, -1.0
            yield (a, b, c, d), score


def _proposal(
    cls_prob: Tensor, bbox_pred: Tensor, im_info: Tensor, *, scales: Sequence[float], ratios: Sequence[float],
    feature_stride: int, threshold: float, rpn_pre_nms_top_n: int, rpn_post_nms_top_n: int, rpn_min_size: int,
    iou_loss: bool,
) -> Tensor:  # fmt: skip
    """For each sample the requested number of best boxes, repeated if there are fewer."""
    batches, _, height, width = cls_prob.shape
    anchors = [_anchor(ratio, scale, feature_stride) for ratio in ratios for scale in scales]
    share = len(anchors) * height * width
    found: list[float] = []
    for batch in range(batches):
        predicted = list(
            _predicted(
                cls_prob.elements[batch * share * 2 : (batch + 1) * share * 2],
                bbox_pred.elements[batch * share * 4 : (batch + 1) * share * 4],
                im_info.elements[batch * 3 : batch * 3 + 3],
                anchors, (height, width), feature_stride, rpn_min_size, iou_loss,
            )
        )  # fmt: skip
        boxes = [box for box, _ in predicted]
        order = from_best(kept(cls_prob.dtype, [score for _, score in predicted]))
        best = order[: rpn_pre_nms_top_n if rpn_pre_nms_top_n > 0 else None]

        def rivals(place: int, other: int, boxes: list[Box] = boxes) -> bool:
            return _overlap(boxes[other], boxes[place]) > threshold

        left = [boxes[place] for place in unsuppressed(best, rivals)] or [(0.0, 0.0, 0.0, 0.0)]
        rows = islice(cycle(left), rpn_post_nms_top_n)
        found += chain.from_iterable((float(batch), *box) for box in rows)
    return tensor_of((batches * rpn_post_nms_top_n, 5), cls_prob.dtype, kept(cls_prob.dtype, found))


@operator("vision.proposal", meaning=_proposal, family="anchoring")
def proposal(
    cls_prob: TensorType[Dim],
    bbox_pred: TensorType[Dim],
    im_info: TensorType[Dim],
    *,
    scales: tuple[float, ...] = (4.0, 8.0, 16.0, 32.0),
    ratios: tuple[float, ...] = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    threshold: float = 0.7,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: Dim = _TOP,
    rpn_min_size: int = 16,
    iou_loss: bool = False,
) -> Judgement:
    """Regions that may hold an object.   t[b, 2 * a, h, w], t[b, 4 * a, h, w], t[b, 3] -> t[b * top, 5]

        wide = floor(sqrt(floor(f * f / ratio)) + 0.5),  high = floor(wide * ratio + 0.5),  f = feature_stride
        anchor = (m - u, m - v, m + u, m + v) + (x, y, x, y) * f
        m = (f - 1) / 2,  u = (wide * scale - 1) / 2,  v = (high * scale - 1) / 2
        out[i * top + j] = (i, left, top, right, bottom) of the j-th kept box of sample i, counted around

    At each position y, x there is an anchor k for each of the `ratios` and, inside of these, each of the `scales`, a
    in all; bbox_pred[i, 4 * k : 4 * k + 4, y, x] is its prediction (dx, dy, dw, dh), and cls_prob[i, a + k, y, x] its
    score. With `iou_loss` the prediction is added to the corners.  Else, for an anchor from left to right of width W =
    right - left + 1, the box goes from X - p to X + p, X = dx * W + left + (W - 1) / 2, p = (exp(dw) * W - 1) / 2; and
    so along y. Corners are clipped to 0 and im_info[i, 1] - 1 along x, im_info[i, 0] - 1 along y.  A box with a side
    right - left + 1 below least = rpn_min_size * im_info[i, 2] has score -1, and its corners are moved outwards by
    least / 2; the score is also -1 where (y + 1) * f is above im_info[i, 0] or (x + 1) * f above im_info[i, 1].

    Boxes are taken from the greatest score on, equal ones in the order of y, x, k; of these only the
    `rpn_pre_nms_top_n` first, or all if that is below 1.  A box is dropped if its overlap with an earlier kept box is
    above `threshold`: intersection over union, sides counted as right - left + 1.  There are top =
    `rpn_post_nms_top_n` rows for each sample, at least 0 [op.proposal.top]; where fewer boxes are kept, they repeat in
    their order.  The channels are 2 * a and 4 * a, the first two arguments agree in b, h and w, and the third has b
    rows of 3 numbers [op.proposal.agree].
    """
    given, moves, images = floats(cls_prob, 0, 4), floats(bbox_pred, 1, 4), floats(im_info, 2, 2)
    same_dtype(given, moves, images)
    _positive("scales", scales)
    _positive("ratios", ratios)
    if feature_stride < 1:
        raise IllFormed("op.attribute", f"feature_stride has to be at least 1, not {feature_stride}")
    batches, channels, height, width = given.shape
    anchors = constant(len(scales) * len(ratios))
    says = "scores, predictions and images do not agree on batch, anchors, height and width"
    wanted = (
        (channels, anchors * 2, ((0, 1),)),
        (moves.shape[1], anchors * 4, ((1, 1),)),
        (batches, moves.shape[0], ((0, 0), (1, 0))),
        (height, moves.shape[2], ((0, 2), (1, 2))),
        (width, moves.shape[3], ((0, 3), (1, 3))),
        (batches, images.shape[0], ((0, 0), (2, 0))),
        (images.shape[1], constant(3), ((2, 1),)),
    )
    needs: list[Need] = [agreement(left, right, "op.proposal.agree", says, *where) for left, right, where in wanted]
    needs += not_negative((rpn_post_nms_top_n,), "op.proposal.top", "the number of regions is negative")
    return judged((batches * rpn_post_nms_top_n, constant(5)), given.dtype, needs)
