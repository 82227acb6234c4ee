"""Non-maximum suppression: of the boxes around objects, those that overlap better ones are dropped."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term, between, counted, extent, numbered, where
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType


def _above(use: Use, threshold: Value) -> Value:
    """The next greater float: TensorFlow keeps a box whose overlap equals the threshold, the language drops it."""
    bits = use.call("reinterpret", use.as_type(threshold, DType.FLOAT32), dtype=DType.INT32)
    return use.call("reinterpret", use.call("add", bits, use.like(1, bits)), dtype=DType.FLOAT32)


@imports("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3")
def kept_boxes(use: Use) -> Value:
    """The boxes, in descending order of scores, that do not overlap a better one by more than a threshold."""
    return _kept(use)


@imports("NonMaxSuppressionV4", results=("selected_indices", "valid_outputs"))
def kept_and_counted_boxes(use: Use) -> Sequence[Value]:
    """As `kept_boxes`, padded with zeros if an attribute says so; and the number of boxes that are kept."""
    found = _kept(use)
    return [_padded(use, found), _count(use, found)]


@imports("NonMaxSuppressionV5", results=("selected_indices", "selected_scores", "valid_outputs"))
def kept_boxes_with_scores(use: Use) -> Sequence[Value]:
    """As `kept_and_counted_boxes`, with the scores; lowering scores by overlap is refused."""
    if use[5].known("the decay of scores").item() != 0:
        raise Unsupported("scores that are lowered by overlaps (`soft_nms_sigma`)")
    found = _kept(use)
    scores = use.call("take", use.ranked(1, 1), found, axis=0, mode="fast")
    return [_padded(use, found), _padded(use, scores), _count(use, found)]


def _kept(use: Use) -> Value:
    boxes, scores = use.ranked(0, 2), use.ranked(1, 1)
    is_first = use.node.operator == "NonMaxSuppression"
    overlap = use.like(use.real("iou_threshold", 0.5), scores) if is_first else use[3]
    least = use[4] if len(use.inputs) > 4 else use.like(-math.inf, scores)
    wide = [use.call("expand_dims", boxes, axis=0), use.call("expand_dims", scores, axis=0, num_newaxis=2)]
    most = use.as_type(use.ranked(2, 0), DType.INT64)
    found = use.call("vision.all_class_non_max_suppression", *wide, most, _above(use, overlap), least)
    rows, count = use.counted(use.builder.named(found, "kept"), 2)
    begin, strides = use.builder.integers([0]), use.builder.integers([1])
    kept = use.call("dyn.strided_slice", rows, begin, count, strides, axes=[0])
    indices = use.call("take", kept, use.builder.number(2, DType.INT64), axis=1, mode="fast")
    return use.as_type(indices, DType.INT32)


def _count(use: Use, found: Value) -> Value:
    return use.as_type(use.extent(found, 0), DType.INT32)


def _padded(use: Use, found: Value) -> Value:
    """The vector, padded with zeros to the greatest number of boxes if an attribute says so."""
    if not use.flag("pad_to_max_output_size"):
        return found
    most = Term(use, use.as_type(use.ranked(2, 0), DType.INT64))
    more = use.written_size((most - extent(use, found, 0)).value)
    return use.call("nn.pad", found, use.like(0, found), pad_width=[[0, more]])


# ---------------------------------------------------------------------------------------------------- several classes
@imports("CombinedNonMaxSuppression", results=("nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"))
def best_boxes(use: Use) -> Sequence[Value]:
    """The best boxes of all classes, from those that each class keeps; zeros follow where there are fewer."""
    boxes, scores = use.ranked(0, 4), use.ranked(1, 3)
    if boxes.extent(2) not in (None, 1):
        raise Unsupported("boxes of their own for each class")
    boxes = use.call("squeeze", boxes, axis=[2])
    rows, values = _of_classes(use, boxes, use.call("transpose", scores, axes=[0, 2, 1]))
    total = _total(use, scores)
    best, order = use.counted(use.builder.named(use.call("topk", values, k=total, axis=1), "best"), 2)
    is_one = Term(use, best) > -math.inf
    chosen = use.call("take", rows, order, axis=1, mode="fast", batch_dims=1)
    classes, places = (use.call("take", chosen, use.builder.number(at, DType.INT64), axis=2) for at in range(2))
    corners = Term(use, use.call("take", boxes, places, axis=1, mode="fast", batch_dims=1))
    corners = between(corners, 0.0, 1.0) if use.flag("clip_boxes", True) else corners
    is_box = Term(use, use.call("expand_dims", is_one.value, axis=2))
    return [
        where(is_box, corners, 0.0).value,
        where(is_one, Term(use, best), 0.0).value,
        where(is_one, Term(use, classes).to(best.dtype), 0.0).value,
        use.call("sum", is_one.to(DType.INT32).value, axis=[1]),
    ]


def _of_classes(use: Use, boxes: Value, scores: Value) -> tuple[Value, Value]:
    """The class and the index of each box that is kept, and its score, padded by the wanted number of boxes."""
    most = use.as_type(use.ranked(2, 0), DType.INT64)
    thresholds = [_above(use, use[4]), use[5]]
    format = {"output_format": "tensorflow"}
    found = use.call("vision.all_class_non_max_suppression", boxes, scores, most, *thresholds, **format)
    rows, values, count = use.counted(use.builder.named(found, "kept"), 3)
    total = use.integer(3, "a number of boxes")
    place = numbered(use, use.written_size(use.extent(values, 1)))
    is_kept = place < Term(use, use.call("expand_dims", count, axis=1))
    wide = where(is_kept, Term(use, values), -math.inf).value
    wide = use.call("nn.pad", wide, use.like(-math.inf, wide), pad_width=[[0, 0], [0, total]])
    rows = use.call("maximum", rows, use.like(0, rows))
    rows = use.call("nn.pad", rows, use.like(0, rows), pad_width=[[0, 0], [0, total], [0, 0]])
    return rows, wide


def _total(use: Use, scores: Value) -> int | Value:
    """How many boxes there are in the result."""
    total = use.integer(3, "a number of boxes")
    if not use.flag("pad_per_class"):
        return total
    each = Term(use, use.as_type(use.ranked(2, 0), DType.INT64)) * extent(use, scores, 2)
    return use.written_size(each.applied("minimum", counted(use, total)).value)
