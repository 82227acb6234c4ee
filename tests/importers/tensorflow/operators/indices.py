"""Operators at indices that are out of bounds, where TensorFlow raises an error."""

from __future__ import annotations

from tests.importers.tensorflow.operators.case import Case, floats, raw, table

_X = floats(3, 4)
_PLACES = table([[2], [0]])
_BELOW = table([[2], [-1]])
_BEYOND = table([[3], [0]])
_ROWS = floats(2, 4, seed=2)


CASES = {
    "gather_bounds": Case(
        lambda x, i: raw.GatherV2(params=x, indices=i, axis=1),
        [[_X, table(0, 3)]],
        raises=[[_X, table(0, -1)], [_X, table(4, 0)]],
    ),
    "gather_one_bounds": Case(
        lambda x, i: raw.GatherV2(params=x, indices=i, axis=0),
        [[_X, table(2)]],
        raises=[[_X, table(-1)], [_X, table(3)]],
    ),
    "gather_nd_bounds": Case(
        lambda x, i: raw.GatherNd(params=x, indices=i), [[_X, _PLACES]], raises=[[_X, _BELOW], [_X, _BEYOND]]
    ),
    "scatter_nd_bounds": Case(
        lambda i, u: raw.ScatterNd(indices=i, updates=u, shape=[3, 4]),
        [[_PLACES, _ROWS]],
        raises=[[_BELOW, _ROWS], [_BEYOND, _ROWS]],
    ),
    "scatter_update_bounds": Case(
        lambda x, i, u: raw.TensorScatterUpdate(tensor=x, indices=i, updates=u),
        [[_X, _PLACES, _ROWS]],
        raises=[[_X, _BELOW, _ROWS], [_X, _BEYOND, _ROWS]],
    ),
    "stitch_bounds": Case(
        lambda i, x: raw.DynamicStitch(indices=[i], data=[x]), [[table(1, 0), _ROWS]], raises=[[table(1, -1), _ROWS]]
    ),
    "segment_bounds": Case(
        lambda x, i: raw.SegmentSum(data=x, segment_ids=i),
        [[_X, table(0, 0, 1)]],
        raises=[[_X, table(-1, 0, 1)]],
    ),
    "sparse_segment_bounds": Case(
        lambda x, i, s: raw.SparseSegmentSum(data=x, indices=i, segment_ids=s),
        [[_X, table(2, 1), table(0, 1)]],
        raises=[[_X, table(-1, 1), table(0, 1)], [_X, table(3, 1), table(0, 1)], [_X, table(2, 1), table(-1, 1)]],
    ),
}
