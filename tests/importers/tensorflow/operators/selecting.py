"""Operators that choose, order, count, scatter and lay out elements."""

from __future__ import annotations

from typing import Any

from tests.importers.tensorflow.operators.case import Case, each, floats, integers, raw, table, tf

_ROWS = floats(6, 2)
_SEGMENTS = table(0, 0, 1, 1, 1, 3)
_MATRICES = floats(2, 3, 4)


_BOXES = table([[0, 0, 1, 1], [0, 0, 1, 0.5], [2, 2, 3, 3], [0, 0, 0.9, 1]], dtype="float32")


def _scatter(name: str) -> Case:
    return each(
        lambda x, i, u: getattr(raw, name)(tensor=x, indices=i, updates=u),
        *(floats(4, 2), table([[1], [3], [1]]), floats(3, 2, seed=2)),
    )


def _segments(name: str) -> Case:
    return each(lambda x, i: getattr(raw, name)(data=x, segment_ids=i), _ROWS, _SEGMENTS)


def _unsorted(name: str) -> Case:
    return Case(
        lambda x, i: getattr(raw, name)(data=x, segment_ids=i, num_segments=4),
        [[floats(5, 2), table(3, -1, 0, 3, 1)], [floats(2, 2), table(1, 1)]],
    )


def _diagonals(k: Any, **settings: Any) -> Case:
    return Case(
        lambda x: raw.MatrixDiagPartV3(input=x, k=k, padding_value=9.0, **settings),
        [[floats(2, 3, 4)], [floats(1, 5, 3)]],
    )


CASES = {
    "top": Case(lambda x: list(raw.TopKV2(input=x, k=2)), [[floats(2, 5)], [floats(1, 2)]]),
    "top_none": each(lambda x: list(raw.TopKV2(input=x, k=0)), floats(2, 3)),
    "top_ties": each(lambda x: list(raw.TopKV2(input=x, k=4, index_type=tf.int64)), integers(3, 6, high=3)),
    "top_given": Case(
        lambda x, k: list(raw.TopKV2(input=x, k=k)), [[floats(2, 5), table(3)], [floats(2, 5), table(0)]]
    ),
    "nth": each(lambda x: [raw.NthElement(input=x, n=1), raw.NthElement(input=x, n=0, reverse=True)], floats(2, 4)),
    "in_top": each(
        lambda x, t: raw.InTopKV2(predictions=x, targets=t, k=2),
        *(table([[1, 2, 3], [3, 3, 3], [1, float("inf"), 2]], dtype="float32"), table(1, 2, 1)),
    ),
    "bounds": each(
        lambda s, v: [raw.LowerBound(sorted_inputs=s, values=v), raw.UpperBound(sorted_inputs=s, values=v)],
        *(table([[1, 2, 2, 5], [0, 0, 0, 1]]), table([[2, 6], [0, -1]])),
    ),
    "buckets": each(
        lambda x: raw.Bucketize(input=x, boundaries=[0.0, 1.0, 2.5]), table(-1, 0, 1, 2.5, 9, dtype="float32")
    ),
    "inverse": each(lambda x: raw.InvertPermutation(x=x), table(3, 0, 2, 1)),
    "difference": Case(
        lambda x, y: list(raw.ListDiff(x=x, y=y)), [[table(1, 2, 3, 2), table([2])], [table(4, 5), table(4, 5, 6)]]
    ),
    "unique_counts": each(lambda x: list(raw.UniqueWithCounts(x=x)), table(5, 1, 5, 5, 2)),
    "unique": each(lambda x: list(raw.Unique(x=x, out_idx=tf.int64)), table(5, 1, 5, 5, 2)),
    "histogram": each(
        lambda x: raw.HistogramFixedWidth(values=x, value_range=[0.0, 5.0], nbins=5),
        table(-1.0, 0.0, 1.5, 2.0, 5.0, 15.0, dtype="float32"),
    ),
    "bincount": each(
        lambda x, w: [raw.Bincount(arr=x, size=4, weights=w), raw.Bincount(arr=x, size=4, weights=tf.zeros([0]))],
        *(table(0, 1, 1, 3, 7), floats(5)),
    ),
    "dense_bincount": each(
        lambda x: [
            raw.DenseBincount(input=x, size=4, weights=tf.zeros([0]), binary_output=is_binary)
            for is_binary in (False, True)
        ],
        table([[0, 1, 1], [3, 3, 3]]),
    ),
    "one_hot": Case(
        lambda i: raw.OneHot(indices=i, depth=3, on_value=2.0, off_value=-1.0, axis=1),
        [[table([[0, 2], [1, -1]])], [table([[3]])]],
    ),
    "one_hot_last": each(
        lambda i: raw.OneHot(indices=i, depth=4, on_value=True, off_value=False), integers(3, dtype="uint8")
    ),
    "one_hot_given": Case(
        lambda i, d: raw.OneHot(indices=i, depth=d, on_value=1, off_value=0, axis=0),
        [[table(0, 2), table(3)], [table(1, 1), table(2)]],
    ),
    "extremes": Case(
        lambda x: [
            raw.ArgMax(input=x, dimension=1, output_type=tf.int32),
            raw.ArgMin(input=x, dimension=-1),
            raw.Max(input=x, axis=[0], keep_dims=True),
            raw.Min(input=x, axis=[-1]),
            raw.Prod(input=x, axis=[0, 1]),
            raw.EuclideanNorm(input=x, axis=[1]),
        ],
        [[floats(2, 4)], [floats(3, 2)]],
    ),
    "scans": Case(
        lambda x: [
            raw.Cumsum(x=x, axis=1, exclusive=True),
            raw.Cumsum(x=x, axis=-1, reverse=True),
            raw.Cumprod(x=x, axis=0, exclusive=True, reverse=True),
        ],
        [[floats(2, 4)], [floats(0, 3)]],
    ),
    "log_scan": each(
        lambda x: [raw.CumulativeLogsumexp(x=x, axis=1), raw.CumulativeLogsumexp(x=x, axis=0, reverse=True)],
        floats(2, 4),
    ),
    "log_scan_before": each(
        lambda x: raw.CumulativeLogsumexp(x=x, axis=0, exclusive=True), floats(3), refused="exclusive=True"
    ),
    "sparse_to_dense": Case(
        lambda i, v: raw.SparseToDense(sparse_indices=i, output_shape=[2, 3], sparse_values=v, default_value=-1.0),
        [[table([[0, 1], [1, 2]]), floats(2)], [table([[1, 0]]), floats(1)]],
    ),
    "sparse_to_dense_given": each(
        lambda i, v, s: raw.SparseToDense(sparse_indices=i, output_shape=s, sparse_values=v, default_value=0),
        *(table(1, 3), table(7, 8), table([5])),
    ),
    "sparse_rows": each(
        lambda i, v: list(raw.SparseFillEmptyRows(indices=i, values=v, dense_shape=[4, 5], default_value=9.0))[:3],
        *(table([[0, 1], [2, 0], [2, 4]], dtype="int64"), floats(3)),
    ),
    "sparse_reshape": each(
        lambda i: list(raw.SparseReshape(input_indices=i, input_shape=[2, 6], new_shape=[3, -1])),
        table([[0, 1], [1, 5]], dtype="int64"),
    ),
    "sparse_product": each(
        lambda i, v, b: raw.SparseTensorDenseMatMul(
            a_indices=i, a_values=v, a_shape=[2, 3], b=b, adjoint_a=True, adjoint_b=True
        ),
        *(table([[0, 1], [1, 2]], dtype="int64"), floats(2), floats(4, 2)),
    ),
    "gather": Case(
        lambda x, i: [
            raw.GatherV2(params=x, indices=i, axis=1),
            raw.GatherV2(params=x, indices=i, axis=-1, batch_dims=1),
        ],
        [[floats(2, 4, 3), table([[1, 2, 0], [2, 2, 1]])]],
    ),
    "gather_nd": each(
        lambda x, i: [raw.GatherNd(params=x, indices=i), raw.GatherNd(params=x, indices=i[0])],
        *(floats(3, 4, 2), table([[1, 0], [2, 3], [0, 0]])),
    ),
    "gather_nd_all": each(
        lambda x, i: raw.GatherNd(params=x, indices=i), floats(2, 3), integers(2, 2, 2, high=2, dtype="int64")
    ),
    "where": Case(lambda x: raw.Where(condition=x), [[table([[1, 0], [2, 3]])], [table([[0, 0]])]]),
    **{f"scatter_{name.lower()}": _scatter(f"TensorScatter{name}") for name in ("Update", "Add", "Sub", "Max", "Min")},
    "scatter_nd": Case(
        lambda i, u: raw.ScatterNd(indices=i, updates=u, shape=[3, 2]),
        [[table([[0, 1], [2, 0], [0, 1]]), floats(3)], [table([[1, 1]]), floats(1)]],
    ),
    "scatter_nd_rows": each(
        lambda i, u, s: raw.ScatterNd(indices=i, updates=u, shape=s),
        *(table([[4], [3], [1]]), integers(3, 2), table(5, 2)),
    ),
    **{
        f"in_place_{name.lower()}": each(
            lambda x, i, v, name=name: getattr(raw, f"Inplace{name}")(x=x, i=i, v=v),
            *(floats(4, 2), table(3, 1), floats(2, 2, seed=2)),
        )
        for name in ("Update", "Add", "Sub")
    },
    "stitch": each(
        lambda x, y: raw.DynamicStitch(indices=[[0, 3], [[1, 2], [4, 0]]], data=[x, y]), floats(2, 2), floats(2, 2, 2)
    ),
    "stitch_given": Case(
        lambda i, x: raw.DynamicStitch(indices=[i, 0], data=[x, 5.0]),
        [[table(1, 2), floats(2)], [table(3, 1, 2), floats(3)]],
    ),
    "partition": Case(
        lambda x, p: list(raw.DynamicPartition(data=x, partitions=p, num_partitions=3)),
        [[floats(4, 2), table(0, 2, 0, 2)], [floats(3, 2), table(1, 1, 0)]],
    ),
    **{f"segment_{name.lower()}": _segments(f"Segment{name}") for name in ("Sum", "Prod", "Max", "Min", "Mean")},
    "segment_whole": each(lambda x, i: raw.SegmentMax(data=x, segment_ids=i), integers(4, low=-9), table(0, 0, 2, 2)),
    **{f"unsorted_{name.lower()}": _unsorted(f"UnsortedSegment{name}") for name in ("Sum", "Prod", "Max", "Min")},
    "unsorted_matrix": each(
        lambda x, i: raw.UnsortedSegmentSum(data=x, segment_ids=i, num_segments=3),
        floats(2, 2, 3),
        table([[0, 2], [2, 0]]),
    ),
    **{
        f"sparse_segment_{name.lower()}": each(
            lambda x, i, s, name=name: [
                getattr(raw, f"SparseSegment{name}")(data=x, indices=i, segment_ids=s),
                getattr(raw, f"SparseSegment{name}WithNumSegments")(data=x, indices=i, segment_ids=s, num_segments=4),
            ],
            *(floats(4, 3), table(0, 2, 2, 3), table(0, 0, 1, 1)),
        )
        for name in ("Sum", "Mean", "SqrtN")
    },
    "diag": each(lambda x, y: [raw.Diag(diagonal=x), raw.DiagPart(input=y)], floats(2, 3), floats(2, 2, 2, 2)),
    "diag_vector": Case(lambda x: raw.Diag(diagonal=x), [[floats(3)], [floats(2)]]),
    "matrix_diag": Case(lambda x: raw.MatrixDiag(diagonal=x), [[floats(2, 3)], [floats(1, 1)]]),
    "matrix_diag_band": each(
        lambda x: [
            raw.MatrixDiagV3(diagonal=x, k=[-1, 1], num_rows=-1, num_cols=-1, padding_value=7.0),
            raw.MatrixDiagV3(diagonal=x, k=[-1, 1], num_rows=3, num_cols=4, padding_value=7.0, align="LEFT_RIGHT"),
            raw.MatrixDiagV3(diagonal=x[:2], k=[-3, -2], num_rows=-1, num_cols=-1, padding_value=7.0),
            raw.MatrixDiagV3(diagonal=x[0], k=2, num_rows=3, num_cols=-1, padding_value=7.0),
            raw.MatrixDiagV2(diagonal=x[0], k=1, num_rows=4, num_cols=4, padding_value=0.0),
        ],
        floats(3, 3),
    ),
    "diag_part": Case(lambda x: raw.MatrixDiagPart(input=x), [[_MATRICES], [floats(1, 5, 2)]]),
    "diag_part_above": _diagonals(1),
    "diag_part_band": _diagonals([-1, 2]),
    "diag_part_left": _diagonals([-2, 0], align="LEFT_LEFT"),
    "set_diag": Case(
        lambda x, d: raw.MatrixSetDiag(input=x, diagonal=d),
        [[floats(2, 3, 4), floats(2, 3, seed=2)], [floats(1, 2, 2), floats(1, 2)]],
    ),
    "set_diag_band": each(
        lambda x, d: [
            raw.MatrixSetDiagV3(input=x, diagonal=d, k=[0, 1]),
            raw.MatrixSetDiagV2(input=x, diagonal=d, k=[0, 1]),
            raw.MatrixSetDiagV3(input=x, diagonal=d[:, 0], k=1),
        ],
        *(floats(2, 3, 4), floats(2, 2, 3, seed=2)),
    ),
    "band": each(
        lambda x: [
            raw.MatrixBandPart(input=x, num_lower=1, num_upper=-1),
            raw.MatrixBandPart(input=x, num_lower=0, num_upper=2),
        ],
        _MATRICES,
    ),
    "spaced": each(
        lambda x, y: raw.LinSpace(start=x, stop=y, num=5), table(1.0, dtype="float32"), table(-2.0, dtype="float32")
    ),
    "spaced_given": Case(lambda n: raw.LinSpace(start=0.5, stop=2.0, num=n), [[table(3)], [table(1)]]),
    "suppressed": each(
        lambda b, s: [
            raw.NonMaxSuppressionV3(boxes=b, scores=s, max_output_size=2, iou_threshold=0.6, score_threshold=0.1),
            raw.NonMaxSuppression(boxes=b, scores=s, max_output_size=9, iou_threshold=0.4),
            raw.NonMaxSuppressionV2(boxes=b, scores=s, max_output_size=9, iou_threshold=0.5),
            *raw.NonMaxSuppressionV4(
                boxes=b,
                scores=s,
                max_output_size=5,
                iou_threshold=0.6,
                score_threshold=0.1,
                pad_to_max_output_size=True,
            ),
            *raw.NonMaxSuppressionV5(
                boxes=b, scores=s, max_output_size=5, iou_threshold=0.6, score_threshold=0.1, soft_nms_sigma=0.0
            ),
        ],
        *(_BOXES, table(0.9, 0.8, 0.05, 0.7, dtype="float32")),
    ),
    "suppressed_softly": each(
        lambda b, s: (
            raw.NonMaxSuppressionV5(
                boxes=b, scores=s, max_output_size=5, iou_threshold=0.6, score_threshold=0.1, soft_nms_sigma=0.5
            ).selected_scores
        ),
        *(_BOXES, table(0.9, 0.8, 0.05, 0.7, dtype="float32")),
        refused="soft_nms_sigma",
    ),
    "combined": Case(
        lambda b, s: list(
            raw.CombinedNonMaxSuppression(
                boxes=b[:, :, None],
                scores=s,
                max_output_size_per_class=2,
                max_total_size=4,
                iou_threshold=0.6,
                score_threshold=0.2,
            )
        ),
        [
            [_BOXES[None] / 3, floats(1, 4, 2, low=0.0, high=1.0)],
            [_BOXES[None, :2], floats(1, 2, 3, low=0.1, high=1.0)],
        ],
    ),
    "combined_by_class": each(
        lambda b, s: list(
            raw.CombinedNonMaxSuppression(
                boxes=b[:, :, None],
                scores=s,
                max_output_size_per_class=1,
                max_total_size=6,
                iou_threshold=0.5,
                score_threshold=0.0,
                pad_per_class=True,
                clip_boxes=False,
            )
        ),
        *(_BOXES[None], floats(1, 4, 2, low=0.0, high=1.0)),
    ),
    "segment_vectors": each(
        lambda x, i: [getattr(raw, f"Segment{name}")(data=x, segment_ids=i) for name in ("Sum", "Mean", "Max")],
        *(floats(5), table(0, 1, 1, 4, 4)),
    ),
    "segments_of_nothing": Case(
        lambda x, i: [
            raw.SegmentSum(data=x, segment_ids=i),
            raw.UnsortedSegmentMax(data=x, segment_ids=i, num_segments=2),
            raw.UnsortedSegmentSum(data=x[:0], segment_ids=i[:0], num_segments=0),
        ],
        [[floats(0, 3), table([], dtype="int64")], [floats(2, 3), table(0, 1, dtype="int64")]],
    ),
    "nothing_chosen": Case(
        lambda x: [
            *raw.TopKV2(input=x, k=2),
            raw.ArgMax(input=x, dimension=1),
            raw.Where(condition=x > 9),
            raw.GatherV2(params=x, indices=tf.zeros([0], tf.int32), axis=1),
            raw.OneHot(indices=tf.shape(x)[:0], depth=3, on_value=1, off_value=0),
            *raw.Unique(x=x[:, 0]),
        ],
        [[floats(0, 3)], [floats(2, 3)]],
    ),
}
