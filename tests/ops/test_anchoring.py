"""Anchors against plain NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, assert_nearly, compares, examples, judges, means, narrowed, refusal

many = examples(100)


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


@many
@given(data=st.data())
@compares("vision.multibox_prior")
def test_priors_stand_at_every_cell(data: st.DataObject) -> None:
    application, found = applications("vision.multibox_prior", data)
    height, width = application.arguments[0].shape[2:]
    attributes = {"steps": [-1.0, -1.0], "offsets": [0.5, 0.5]} | application.attributes
    sizes, ratios = np.array(attributes["sizes"]), np.array(attributes["ratios"][1:])
    roots = np.concatenate([np.ones(len(sizes)), np.sqrt(ratios)])
    bases = np.concatenate([sizes, np.full(len(ratios), sizes[0])])
    step = [own if own > 0 else 1 / max(n, 1) for own, n in zip(attributes["steps"], (height, width), strict=True)]
    y, x = np.meshgrid(
        *((np.arange(n) + by) * s for n, by, s in zip((height, width), attributes["offsets"], step, strict=True)),
        indexing="ij",
    )
    halves = np.stack([bases * height / max(width, 1) * roots, bases / roots], axis=-1) / 2
    centres = np.stack([x, y], axis=-1).reshape(-1, 1, 2)
    wanted = np.concatenate([centres - halves, centres + halves], axis=-1).reshape(1, -1, 4)
    wanted = np.clip(wanted, 0, 1) if attributes["clip"] else wanted
    assert_nearly(found, narrowed(application.arguments[0].dtype, wanted))


@many
@given(data=st.data())
@compares("vision.multibox_transform_loc")
def test_anchors_are_moved_where_a_class_is_likely(data: st.DataObject) -> None:
    application, (rows, counts) = applications("vision.multibox_transform_loc", data)
    scores, moves, anchors = (array_of(part).astype(float) for part in application.arguments)
    attributes = {"variances": [0.1, 0.1, 0.2, 0.2]} | application.attributes
    wanted = np.full((len(scores), scores.shape[2], 6), -1.0)
    for batch in range(len(scores)):
        real = scores[batch, 1:]
        best = np.concatenate([np.full((1, real.shape[1]), -1.0), real]).argmax(axis=0)
        score = np.concatenate([np.full((1, real.shape[1]), -1.0), real]).max(axis=0)
        where = np.flatnonzero((best > 0) & (score >= attributes["threshold"]))
        assert counts.flat()[batch] == len(where)
        corners = anchors[0][where].reshape(-1, 2, 2)
        move = moves[batch].reshape(-1, 4)[where] * attributes["variances"]
        sides = corners[:, 1] - corners[:, 0]
        centres = corners.mean(axis=1) + move[:, :2] * sides
        half = np.exp(move[:, 2:]) * sides / 2
        box = np.concatenate([centres - half, centres + half], axis=1)
        box = np.clip(box, 0, 1) if attributes["clip"] else box
        head = np.stack([best[where] - 1.0, score[where]], axis=1)
        wanted[batch, : len(where)] = np.concatenate([head, box], axis=1)
    assert_nearly(rows, narrowed(application.arguments[0].dtype, wanted))


def anchors_of(attributes: Any) -> Any:
    """Inclusive corners of the anchors at the first cell."""
    stride, rows = attributes["feature_stride"], []
    for ratio in attributes["ratios"]:
        for scale in attributes["scales"]:
            wide = np.floor(np.sqrt(np.floor(stride**2 / ratio)) + 0.5)
            sides = np.array([wide, np.floor(wide * ratio + 0.5)]) * scale
            rows.append(np.concatenate([(stride - sides) / 2, (stride + sides) / 2 - 1]))
    return np.array(rows)


def proposals(scores: Any, moves: Any, image: Any, attributes: Any) -> Any:
    """The boxes that are left, from the best on."""
    anchors, (height, width) = anchors_of(attributes), scores.shape[1:]
    count = len(anchors)
    rows, columns = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    shift = np.stack([columns, rows, columns, rows], axis=-1).reshape(-1, 1, 4) * attributes["feature_stride"]
    boxes = (shift + anchors).reshape(-1, 4)
    delta = moves.reshape(count, 4, -1).transpose(2, 0, 1).reshape(-1, 4)
    if attributes["iou_loss"]:
        boxes = boxes + delta
    else:
        sides = boxes[:, 2:] - boxes[:, :2] + 1
        centres = delta[:, :2] * sides + boxes[:, :2] + (sides - 1) / 2
        half = (np.exp(delta[:, 2:]) * sides - 1) / 2
        boxes = np.concatenate([centres - half, centres + half], axis=1)
    boxes = np.clip(boxes, 0, np.array([image[1], image[0]] * 2) - 1)
    rated = scores[count:].reshape(count, -1).T.reshape(-1).copy()
    outside = (rows >= int(image[0] / attributes["feature_stride"])) | (
        columns >= int(image[1] / attributes["feature_stride"])
    )
    rated[np.repeat(outside.reshape(-1), count)] = -1
    least = image[2] * attributes["rpn_min_size"]
    small = (boxes[:, 2:] - boxes[:, :2] + 1 < least).any(axis=1)
    boxes[small] += np.array([-1, -1, 1, 1]) * least / 2
    rated[small] = -1
    order = np.argsort(-rated, kind="stable")
    order = order[: attributes["rpn_pre_nms_top_n"]] if attributes["rpn_pre_nms_top_n"] > 0 else order
    left: list[Any] = []
    for place in order:
        if not any(overlap(boxes[place], other) > attributes["threshold"] for other in left):  # NaN of no area
            left.append(boxes[place])
    return left


def overlap(one: Any, two: Any) -> Any:
    area = [np.prod(box[2:] - box[:2] + 1) for box in (one, two)]
    both = np.prod(np.clip(np.minimum(one[2:], two[2:]) - np.maximum(one[:2], two[:2]) + 1, 0, None))
    return both / (sum(area) - both)


@many
@given(data=st.data())
@compares("vision.proposal")
def test_proposals_are_the_best_boxes_over_again(data: st.DataObject) -> None:
    application, found = applications("vision.proposal", data)
    scores, moves, images = (array_of(part).astype(float) for part in application.arguments)
    top, wanted = application.attributes["rpn_post_nms_top_n"], []
    for batch in range(len(scores)):
        left = proposals(scores[batch], moves[batch], images[batch], application.attributes) or [np.zeros(4)]
        wanted += [[batch, *left[place % len(left)]] for place in range(top)]
    shaped = np.array(wanted, dtype=float).reshape(len(scores) * top, 5)
    assert_nearly(found, narrowed(application.arguments[0].dtype, shaped))


def test_what_a_prediction_blows_up_is_clipped() -> None:
    arguments = Tensor([[[0.0], [0.9]]]), Tensor([[0.0, 0.0, 9e9, math.nan]]), Tensor([[[0.0, 0.0, 1.0, 1.0]]])
    rows, counts = means("vision.multibox_transform_loc", *arguments)
    assert counts == Tensor([1], "int32")
    assert [value == value for value in rows.flat()] == [True, True, True, False, True, False]
    assert rows.flat()[2] == 0.0 and rows.flat()[4] == 1.0


def test_sizes_are_exact_and_owed() -> None:
    prior = judges("vision.multibox_prior", of("n", "c", "h", "w"), sizes=[1.0, 0.5], ratios=[1.0, 2.0])
    assert list(map(str, prior.result.shape)) == ["1", "3 * h * w", "4"]  # type: ignore[union-attr]
    assert prior.needs == ()
    located = judges("vision.multibox_transform_loc", of("b", 3, "n"), of("b", "m"), of(1, "n", 4))
    assert [str(need.goal) for need in located.needs] == ["True", "4 * n == m", "True", "True", "True"]
    arguments = of("b", 24, "h", "w"), of("b", 48, "h", "w"), of("b", 3)
    regions = judges("vision.proposal", *arguments, rpn_post_nms_top_n=variable("t"))
    assert list(map(str, regions.result.shape)) == ["b * t", "5"]  # type: ignore[union-attr]
    assert [str(need.goal) for need in regions.needs] == ["True"] * 7 + ["t >= 0"]


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("vision.multibox_prior", (of(1, 2, 3, 4),), {"sizes": []}, "op.attribute"),
        ("vision.multibox_prior", (of(1, 2, 3, 4),), {"ratios": [1.0, 0.0]}, "op.attribute"),
        ("vision.multibox_prior", (of(1, 2, 3, 4),), {"steps": [1.0]}, "op.attribute"),
        ("vision.multibox_prior", (of(1, 2, 3, 4, dtype=DType.INT32),), {}, "op.dtype"),
        ("vision.multibox_transform_loc", (of(1, 2, 3), of(1, 12), of(3, 4)), {}, "op.rank"),
        ("vision.proposal", (of(1, 2, 3, 3), of(1, 4, 3, 3), of(1, 3)), {"feature_stride": 0}, "op.attribute"),
        ("vision.proposal", (of(1, 2, 3, 3), of(1, 4, 3, 3), of(1, 3, dtype=DType.FLOAT64)), {}, "op.dtype"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
