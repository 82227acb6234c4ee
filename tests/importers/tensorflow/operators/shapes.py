"""Operators that make, observe and change shapes, and join tensors."""

from __future__ import annotations

from tests.importers.tensorflow.operators.case import Case, each, floats, integers, raw, table, tf

_OPEN = [[floats(2, 3)], [floats(4, 1)]]

CASES = {
    "observed": Case(
        lambda x: [
            raw.Shape(input=x),
            raw.Shape(input=x, out_type=tf.int64),
            raw.Size(input=x),
            raw.Rank(input=x),
            *raw.ShapeN(input=[x, x[0]]),
        ],
        _OPEN,
    ),
    "reshapes": Case(
        lambda x: [
            raw.Reshape(tensor=x, shape=[-1]),
            raw.Reshape(tensor=x, shape=tf.concat([tf.shape(x)[1:], [1], [-1]], 0)),
            raw.ExpandDims(input=x, axis=-2),
            raw.Squeeze(input=x[:, :1], axis=[-1]),
            raw.Squeeze(input=x[:1, None, :1]),
        ],
        _OPEN,
    ),
    "reshape_empty": Case(lambda x: raw.Reshape(tensor=x, shape=[0, 3]), [[floats(3, 0)]]),
    "transposes": Case(
        lambda x: [
            raw.Transpose(x=x, perm=[1, 0]),
            raw.Transpose(x=x[0], perm=[0]),
            raw.Transpose(x=x[0, 0], perm=tf.zeros([0], tf.int32)),
        ],
        _OPEN,
    ),
    "fills": Case(
        lambda x: [
            raw.Fill(dims=[2, 0], value=1.5),
            raw.Fill(dims=tf.shape(x), value=3),
            raw.ZerosLike(x=x),
            raw.OnesLike(x=x),
            raw.Fill(dims=tf.zeros([0], tf.int32), value=x[0, 0]),
        ],
        _OPEN,
    ),
    "repeats": Case(
        lambda x: [
            raw.Tile(input=x, multiples=[2, 3]),
            raw.Tile(input=x, multiples=tf.shape(x)),
            raw.Tile(input=x, multiples=[0, 1]),
            raw.BroadcastTo(input=x[:1], shape=[2, 2, 1] * tf.stack([1, 1, tf.shape(x)[1]])),
        ],
        _OPEN,
    ),
    "joins": Case(
        lambda x: [
            raw.Pack(values=[x, x], axis=-1),
            raw.Pack(values=[x]),
            raw.ConcatV2(values=[x, x[:0], x], axis=0),
            raw.ConcatV2(values=[x, x], axis=-1),
            raw.Concat(concat_dim=1, values=[x, x]),
        ],
        _OPEN,
    ),
    "unpack": each(lambda x: [*raw.Unpack(value=x, num=3, axis=1), *raw.Unpack(value=x, num=2)], floats(2, 3)),
    "splits": each(
        lambda x: [
            *raw.Split(axis=1, value=x, num_split=2),
            *raw.SplitV(value=x, size_splits=[1, -1, 0], axis=1, num_split=3),
            *raw.SplitV(value=x, size_splits=[2], axis=0, num_split=1),
        ],
        floats(2, 4),
    ),
    "ranges": each(
        lambda n: [
            raw.Range(start=0, limit=n, delta=1),
            raw.Range(start=n, limit=-1, delta=-2),
            raw.Range(start=tf.constant(1.0), limit=tf.constant(2.0), delta=tf.constant(0.25)),
            raw.Range(start=3, limit=3, delta=1),
        ],
        table(5),
    ),
    "reverses": Case(
        lambda x: [
            raw.ReverseV2(tensor=x, axis=[-1, 0]),
            raw.ReverseV2(tensor=x, axis=tf.zeros([0], tf.int32)),
            raw.Reverse(tensor=x, dims=[False, True]),
        ],
        _OPEN,
    ),
    "reverse_sequence": each(
        lambda x, n: raw.ReverseSequence(input=x, seq_lengths=n, seq_dim=1), floats(3, 4, 2), table(0, 2, 4)
    ),
    "reverse_sequence_first": each(
        lambda x, n: raw.ReverseSequence(input=x, seq_lengths=n, seq_dim=0, batch_dim=2), floats(3, 1, 2), table(1, 3)
    ),
    "rolls": Case(
        lambda x: [
            raw.Roll(input=x, shift=1, axis=0),
            raw.Roll(input=x, shift=[-5, 7], axis=[-1, 0]),
            raw.Roll(input=x, shift=[1, 1], axis=[1, 1]),
        ],
        [[floats(2, 3)], [floats(3, 4)]],
    ),
    "roll_given": Case(
        lambda x, n: raw.Roll(input=x, shift=n, axis=0), [[floats(4), table(-1)], [floats(3), table(5)]]
    ),
    "slices": Case(
        lambda x: [
            raw.Slice(input=x, begin=[1, 0], size=[-1, 1]),
            x[1:, ::-1],
            x[-1],
            x[tf.newaxis, ..., 0],
            x[: tf.shape(x)[0] - 1],
            x[5:],
        ],
        _OPEN,
    ),
    "broadcast_shape": Case(
        lambda x, y: raw.BroadcastArgs(s0=tf.shape(x), s1=tf.shape(y)),
        [[floats(2, 3), floats(3)], [floats(1, 4), floats(1)]],
    ),
    "broadcast_known": each(lambda x: raw.BroadcastArgs(s0=[2, 1, 3], s1=tf.shape(x)), floats(4, 1)),
    "empty": each(lambda x: tf.shape(raw.Empty(shape=[2, 3], dtype=tf.float32)) + x, integers(2)),
    "ensured": Case(
        lambda x: raw.EnsureShape(input=x, shape=[None, 3]), [[floats(2, 3)], [floats(0, 3)]], is_open=True
    ),
    "products": each(
        lambda a, b: [
            raw.MatMul(a=a, b=b),
            raw.MatMul(a=a, b=a, transpose_b=True),
            raw.MatMul(a=a, b=a, transpose_a=True),
            raw.BatchMatMulV2(x=a[None], y=b, adj_x=False),
            raw.Einsum(inputs=[a, b], equation="ij,jk->ki"),
        ],
        *(floats(2, 3), floats(3, 2, seed=2)),
    ),
    "means": Case(
        lambda x: [
            raw.Mean(input=x, axis=[0], keep_dims=True),
            raw.Sum(input=x, axis=[-1]),
            raw.All(input=x > 0, axis=[0]),
            raw.Any(input=x > 0, axis=[0, 1]),
            raw.Sum(input=x, axis=tf.zeros([0], tf.int32)),
        ],
        [[floats(2, 3)], [floats(1, 3)]],
    ),
    "whole_mean": each(lambda x: raw.Mean(input=x, axis=[0]), integers(3, 2, low=-9, high=9)),
    "identities": each(
        lambda x: [
            raw.Identity(input=x),
            raw.Snapshot(input=x),
            raw.StopGradient(input=x),
            *raw.IdentityN(input=[x, x]),
        ],
        floats(2),
    ),
    "layouts": each(
        lambda x: [
            raw.DataFormatVecPermute(x=x),
            raw.DataFormatVecPermute(x=x[1:3], src_format="NCHW", dst_format="NHWC"),
            raw.DataFormatDimMap(x=x - 4),
            raw.ConjugateTranspose(x=x[None], perm=[1, 0]),
        ],
        table(1, 3, 2, 0),
    ),
    "offsets": each(
        lambda x, y: raw.ConcatOffset(concat_dim=1, shape=[tf.shape(x), tf.shape(y), [2, 7]]),
        floats(2, 3),
        floats(2, 1),
    ),
    "coordinates": each(lambda i: raw.UnravelIndex(indices=i, dims=[3, 4]), table(0, 5, 11)),
    "cross": each(lambda x, y: raw.Cross(a=x, b=y), floats(2, 3), floats(2, 3, seed=2)),
    "whole_products": each(
        lambda x, y: raw.BatchMatMulV3(x=x, y=y, Tout=tf.int32),
        *(integers(2, 3, dtype="int8", high=100), integers(3, 2, dtype="int8", high=100)),
    ),
    "nothing_reduced": Case(
        lambda x: [
            raw.Sum(input=x, axis=[0]),
            raw.Prod(input=x, axis=[0]),
            raw.Mean(input=x, axis=[0]),
            raw.All(input=x > 0, axis=[0]),
            raw.MatMul(a=x, b=x, transpose_a=True),
            raw.Cumsum(x=x, axis=0),
            raw.Pack(values=[x, x]),
            raw.ReverseV2(tensor=x, axis=[0]),
            raw.Roll(input=x, shift=1, axis=1),
        ],
        [[floats(0, 3)], [floats(1, 3)]],
    ),
}
