"""Detecting against plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

many = examples(100)
INT = DType.INT32


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def packed(rows: Any, count: int, like: Any) -> Any:
    """The rows, and -1 up to a number of them."""
    found = np.full((count, *like.shape[1:]), -1, like.dtype)
    found[: len(rows)] = rows
    return found


def overlaps(one: Any, boxes: Any) -> Any:
    """Intersection over union of one box and others."""
    low = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    own = np.minimum(one[:2], one[2:]), np.maximum(one[:2], one[2:])
    both = np.clip(np.minimum(low[1], own[1]) - np.maximum(low[0], own[0]), 0, None).prod(axis=1)
    either = (low[1] - low[0]).prod(axis=1) + (own[1] - own[0]).prod() - both
    return np.divide(both, either, out=np.zeros_like(both), where=either > 0)


def best_first(scores: Any) -> Any:
    return np.argsort(-scores, kind="stable")


@many
@given(data=st.data())
@compares("vision.get_valid_counts")
def test_valid_boxes_are_those_above_the_threshold(data: st.DataObject) -> None:
    application, found = applications("vision.get_valid_counts", data)
    rows, threshold = map(array_of, application.arguments)
    columns = application.attributes
    valid = rows[:, :, columns["score_index"]] > threshold
    if columns["id_index"] >= 0:
        valid &= rows[:, :, columns["id_index"]] >= 0
    counts, moved, places = found
    assert_exactly(counts, valid.sum(axis=1).astype("int32"))
    for batch, mask in enumerate(valid):
        where = np.flatnonzero(mask)
        np.testing.assert_array_equal(array_of(moved)[batch], packed(rows[batch][where], len(mask), rows[batch]))
        like = np.zeros(len(mask), "int32")
        np.testing.assert_array_equal(array_of(places)[batch], packed(where, len(mask), like))


def survivors(rows: Any, valid: int, most: int, least: float, attributes: Any) -> list[int | None]:
    """The places of rows in order of scores, None where one is dropped: a matrix of rivals, read from the top."""
    if least <= 0:
        return list(range(valid))
    scores, start = rows[:valid, attributes["score_index"]], attributes["coord_start"]
    order = best_first(scores)
    if attributes["top_k"] > 0:
        order = order[: attributes["top_k"]]
    ranked = rows[order].astype(float)
    alive = ranked[:, attributes["score_index"]] > 0
    classes = np.zeros(len(order)) if attributes["id_index"] < 0 else ranked[:, attributes["id_index"]]
    alive &= classes >= 0
    for place in range(len(order)):
        if alive[place]:
            near = overlaps(ranked[place, start : start + 4], ranked[:, start : start + 4]) >= least
            near &= (classes == classes[place]) | attributes["force_suppress"]
            near[: place + 1] = False
            alive &= ~near
    if most >= 0:
        alive &= np.cumsum(alive) <= most
    return [int(place) if lives else None for place, lives in zip(order, alive, strict=True)]


@many
@given(data=st.data())
@compares("vision.non_max_suppression")
def test_boxes_that_overlap_a_better_one_are_dropped(data: st.DataObject) -> None:
    application, found = applications("vision.non_max_suppression", data)
    rows, valid, indices, most, least = map(array_of, application.arguments)
    attributes = application.attributes
    for batch, (own, count) in enumerate(zip(rows, valid, strict=True)):
        places = survivors(own, int(count), int(most), float(least), attributes)
        left = [place for place in places if place is not None]
        if attributes["return_indices"]:
            named, counts = map(array_of, found)
            like = indices[batch].astype("int32")
            np.testing.assert_array_equal(named[batch], packed(indices[batch][left], len(own), like))
            assert counts[batch].tolist() == [len(left)]
            continue
        kept = left if attributes["invalid_to_bottom"] else places
        blank = np.full(own.shape[1], -1, own.dtype)
        stacked = [blank if place is None else own[place] for place in kept]
        np.testing.assert_array_equal(
            array_of(found)[batch], packed(stacked, len(own), own) if stacked else own * 0 - 1
        )


@many
@given(data=st.data())
@compares("vision.all_class_non_max_suppression")
def test_every_class_is_suppressed_by_itself(data: st.DataObject) -> None:
    application, found = applications("vision.all_class_non_max_suppression", data)
    boxes, scores, most, least, low = map(array_of, application.arguments)
    attributes = {"score_index": 0, "id_index": -1, "coord_start": 1, "top_k": -1, "force_suppress": False}
    chosen: list[list[tuple[int, int, int, float]]] = []
    for batch in range(len(boxes)):
        chosen.append([])
        for number, line in enumerate(scores[batch]):
            rows = np.concatenate([line[:, None].astype(float) + 10.0, boxes[batch].astype(float)], axis=1)
            rows[line <= low, 0] = -1.0
            places = survivors(rows, len(rows), int(most), max(float(least), 1e-9), attributes)
            chosen[-1] += [(batch, number, place, line[place]) for place in places if place is not None]
    total = scores.shape[1] * scores.shape[2]
    if application.attributes["output_format"] == "onnx":
        flat = [row[:3] for here in chosen for row in here]
        rows, counts = map(array_of, found)
        like = np.zeros((1, 3), "int64")
        np.testing.assert_array_equal(rows, packed(flat, len(boxes) * total, like) if flat else rows * 0 - 1)
        assert counts.tolist() == [len(flat)] and rows.shape == (len(boxes) * total, 3)
        return
    places, rated, counts = map(array_of, found)
    assert counts.tolist() == [len(here) for here in chosen]
    assert (places.shape, rated.shape) == ((len(boxes), total, 2), (len(boxes), total))
    for batch, here in enumerate(chosen):
        assert places[batch].tolist() == [list(row[1:3]) for row in here] + [[-1, -1]] * (total - len(here))
        assert rated[batch].tolist() == [row[3] for row in here] + [-1.0] * (total - len(here))


def test_a_number_of_valid_boxes_that_there_are_not_is_a_fault() -> None:
    boxes, one = Tensor([[[0.0, 0.5, 0.0, 0.0, 1.0, 1.0]]]), Tensor(-1, "int32")
    for valid in (2, -1):
        with pytest.raises(TensorFault, match=f"valid_count is {valid}, but there are 1 boxes"):
            means(
                "vision.non_max_suppression", boxes, Tensor([valid], "int32"), Tensor([[0]], "int32"), one, Tensor(0.5)
            )


def test_a_score_that_is_nan_is_above_nothing() -> None:
    nan = float("nan")
    data = Tensor([[[0.0, nan, 0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.0, 0.0, 1.0, 1.0]]])
    assert means("vision.get_valid_counts", data, Tensor(-9.0))[2] == Tensor([[1, -1]], "int32")
    found = means(
        "vision.non_max_suppression", data, Tensor([2], "int32"), Tensor([[0, 1]], "int32"), Tensor(-1, "int32"),
        Tensor(0.5),
    )  # fmt: skip
    assert found == (Tensor([[1, -1]], "int32"), Tensor([[1]], "int32"))


def test_indices_are_not_read_unless_they_are_returned() -> None:
    arguments = of("b", "n", 6), of("b", dtype=INT), of("c", dtype=INT), of(dtype=INT), of()
    rows = judges("vision.non_max_suppression", *arguments, return_indices=False)
    assert rows.result == of("b", "n", 6)
    assert all(need.goal.evaluate({}) for need in rows.needs if need.rule == "op.boxes.columns")
    assert refusal("vision.non_max_suppression", *arguments).rule == "op.rank"


def test_columns_and_sizes_are_owed() -> None:
    judgement = judges("vision.get_valid_counts", of("b", "n", "k"), of(), id_index=-1, score_index=4)
    assert [(need.rule, str(need.goal)) for need in judgement.needs] == [("op.boxes.columns", "k >= 5")]
    boxes = judges("vision.all_class_non_max_suppression", of("b", "n", 4), of(2, "c", "m"), of(dtype=INT), of(), of())
    assert [str(need.goal) for need in boxes.needs] == ["b == 2", "n == m", "True"]
    assert str(boxes.result.fields[0].shape[0]) == "2 * c * m"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("vision.get_valid_counts", (of(3, 5), of()), {}, "op.rank"),
        ("vision.get_valid_counts", (of(1, 3, 5, dtype=INT), of()), {}, "op.dtype"),
        ("vision.get_valid_counts", (of(1, 3, 5), of(1)), {}, "op.rank"),
        ("vision.get_valid_counts", (of(1, 3, 5), of()), {"score_index": -1}, "op.attribute"),
        ("vision.all_class_non_max_suppression", (of(1, 2, 4), of(1, 1, 2), of(), of(), of()), {}, "op.dtype"),
        (
            "vision.all_class_non_max_suppression",
            (of(1, 2, 4), of(1, 1, 2), of(dtype=INT), of(), of()),
            {"output_format": "caffe"},
            "op.attribute",
        ),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
