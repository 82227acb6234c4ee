"""Applications of operators that detect: rows of boxes on a coarse grid, so that they overlap and tie."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.scalar import wrapped
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import FLOATS, INTEGERS, NUMBERS, Application, Row, as_argument, dtypes, sizes

SCORES = (-1.0, 0.0, 0.25, 0.5, 0.5, 0.75, 1.0)
CLASSES = (-1.0, 0.0, 0.0, 1.0)


def _floats(draw: st.DrawFn, values: Any, shape: tuple[int, ...], dtype: DType) -> Tensor:
    count = 1
    for extent in shape:
        count *= extent
    return Tensor(draw(st.lists(st.sampled_from(values), min_size=count, max_size=count)), dtype, shape)


def _boxes(draw: st.DrawFn, shape: tuple[int, int], width: int, dtype: DType, columns: dict[str, int]) -> Tensor:
    """Rows with coordinates everywhere but in the columns of scores and classes."""
    batches, count = shape
    plain = _floats(draw, tuple(float(i) for i in range(5)), (batches, count, width), dtype).flat()
    for place in range(batches * count):
        plain[place * width + columns["score_index"]] = draw(st.sampled_from(SCORES))
        if columns["id_index"] >= 0:
            plain[place * width + columns["id_index"]] = draw(st.sampled_from(CLASSES))
    return Tensor(plain, dtype, (batches, count, width))


@st.composite
def _threshold(draw: st.DrawFn, values: tuple[float, ...]) -> Tensor:
    """One of some numbers, of any type that has it."""
    dtype = draw(dtypes(NUMBERS))
    held = [value for value in values if dtype.is_float or wrapped(dtype, int(value)) == value]
    return Tensor(draw(st.sampled_from(held)), dtype)


@st.composite
def _columns(draw: st.DrawFn) -> tuple[int, dict[str, int]]:
    """The width of a row, and where score, class and coordinates stand in it."""
    return draw(
        st.sampled_from(
            (
                (6, {"id_index": 0, "score_index": 1, "coord_start": 2}),
                (5, {"id_index": -1, "score_index": 0, "coord_start": 1}),
                (7, {"id_index": 5, "score_index": 4, "coord_start": 0}),
            )
        )
    )


@st.composite
def _valid(draw: st.DrawFn) -> Application:
    width, columns = draw(_columns())
    shape = draw(sizes.filter(lambda n: n < 4)), draw(sizes)
    data = _boxes(draw, shape, width, draw(dtypes(FLOATS)), columns)
    del columns["coord_start"]
    threshold = draw(_threshold((-2.0, 0.0, 0.5)))
    return Application((data, threshold), dict(columns), ("id_index", "score_index"))


@st.composite
def _suppression(draw: st.DrawFn) -> Application:
    width, columns = draw(_columns())
    batches, count = draw(sizes.filter(lambda n: n < 4)), draw(sizes)
    data = _boxes(draw, (batches, count), width, draw(dtypes(FLOATS)), columns)
    valid = Tensor([draw(st.integers(0, count)) for _ in range(batches)], draw(dtypes(INTEGERS)), (batches,))
    indices = Tensor([10 + i for i in range(batches * count)], draw(dtypes(INTEGERS)), (batches, count))
    most = draw(as_argument(draw(st.integers(-1, 3))))
    threshold = draw(_threshold((0.0, 0.25, 0.5, 1.0)))
    attributes: dict[str, Any] = {
        "force_suppress": draw(st.booleans()),
        "top_k": draw(st.integers(-1, 4)),
        "return_indices": draw(st.booleans()),
        "invalid_to_bottom": draw(st.booleans()),
    }
    return Application((data, valid, indices, most, threshold), attributes | columns)


@st.composite
def _all_classes(draw: st.DrawFn) -> Application:
    batches, classes, count = draw(st.sampled_from((1, 0, 2))), draw(st.sampled_from((1, 0, 3))), draw(sizes)
    dtype = draw(dtypes(FLOATS))
    boxes = _floats(draw, tuple(float(i) for i in range(5)), (batches, count, 4), dtype)
    scores = _floats(draw, SCORES, (batches, classes, count), dtype)
    most = draw(as_argument(draw(st.integers(-1, 3))))
    thresholds = [draw(_threshold(among)) for among in ((0.0, 0.25, 0.5, 1.0), (-2.0, 0.0, 0.5))]
    form = draw(st.sampled_from(("onnx", "tensorflow")))
    return Application((boxes, scores, most, *thresholds), {"output_format": form})


ROWS: dict[str, Row] = {
    "vision.get_valid_counts": _valid(),
    "vision.non_max_suppression": _suppression(),
    "vision.all_class_non_max_suppression": _all_classes(),
}
