"""Operators that name elements by indices, and those that find or replace them."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from tests.importers.torch.modules.case import Case, booleans, calling, floats, integers, n, times

CASES: dict[str, Case] = {
    "gathers": calling(
        lambda x, i: (
            *(x.gather(0, i), x.gather(1, i), x.index_select(0, i[:, 0]), x.index_select(1, i[0]), x.take(i)),
            *(x.gather(1, i[:2]), x.gather(0, i[:, :1]), x[0].index_select(0, i[0]), x[i[0, 0]]),
        ),
        floats(times(1, 2), 3),
        integers(0, 3, n, 2),
        where="inputs_0_0 >= inputs_1_0",
    ),
    "gathers_along": calling(
        lambda x, i: (torch.take_along_dim(x, i, 0), torch.take_along_dim(x, i), torch.take_along_dim(x, i[:, :1], 0)),
        floats(4, 3),
        integers(0, 3, 2, 3),
        sizes=(5,),
    ),
    "index": calling(
        lambda x, i, j: (
            *(x[i], x[:, i % 3], x[i, j], x[i, :, j], x[:, j, j], x[i[:, None], j], x[i, 1], x[0, i % 3], x[..., j]),
            *(x[-1], x[..., 0], x[None], x[:, None, 1:], x[i, 1:, j], x[[0, 2]], x[:, [0, 1]], x[i, ..., 2], x[-i - 1]),
            *(x[i[None], j[:, None]],),
        ),
        floats(n, 3, 4),
        integers(0, 3, n),
        integers(0, 3, n),
        where="inputs_0_0 >= 3",
    ),
    "masks": calling(
        lambda x, m: (x[m[:, 0]], x[m], x.masked_select(m), x[:, m[0]], x.nonzero(), m.nonzero(), torch.argwhere(m)),
        floats(n, 3),
        booleans(n, 3),
    ),
    "masked_rows": calling(lambda x, m: (x * 2)[m].sum(0), floats(n, 3), booleans(n)),
    "where_one": calling(lambda m: torch.where(m), booleans(n, 3)),
    "embedding": calling(
        lambda m, i: (m.one(i), m.padded(i), F.embedding(i, m.one.weight), m.one(i[0])),
        integers(0, 6, n, 3),
        parts=lambda: {"one": nn.Embedding(6, 4), "padded": nn.Embedding(6, 4, padding_idx=0)},
    ),
    "embedding_bag": calling(
        lambda m, i: (m.sums(i), m.means(i), m.greatest(i)),
        integers(0, 6, n, 3),
        parts=lambda: {
            "sums": nn.EmbeddingBag(6, 4, mode="sum"),
            "means": nn.EmbeddingBag(6, 4, mode="mean"),
            "greatest": nn.EmbeddingBag(6, 4, mode="max"),
        },
    ),
    "puts": calling(
        lambda x, i, v: (
            *(x.index_put((i,), v), x.index_put((i,), v, accumulate=True), x.index_put((i, i % 3), v[:, 0])),
            *(torch.ops.aten.index_put(x, [None, i % 3], v[:, 0]), x.index_put((i,), v[0])),
            *(x.index_put((x > 0,), torch.tensor(2.0)), x.index_put((x[:, 0] > 0,), torch.tensor(0.0))),
            *(x.index_add(0, i, v), x.index_add(0, i, v, alpha=2), x.index_copy(0, torch.arange(2), v[:2])),
            *(x.index_fill(0, i, 3.0), x.index_fill(1, i % 3, v.sum())),
        ),
        floats(n, 3),
        integers(0, 3, n),
        floats(n, 3),
        where="inputs_1_0 >= 2, inputs_0_0 >= 2",
    ),
    "scatters": calling(
        lambda x, i, v: (
            *(x.scatter(0, i, v), x.scatter(1, i, 2.0), x.scatter_add(0, i, v), x.scatter_add(1, i, v[:, :2])),
            *(x.scatter_reduce(0, i, v, "sum"), x.scatter_reduce(0, i, v, "amax"), x.scatter_reduce(0, i, v, "prod")),
            *(x.scatter_reduce(0, i, v, "amin"), x.scatter_reduce(0, i, v, "mean"), x.scatter(0, i, v, reduce="add")),
            *(x.scatter(0, i, 3.0, reduce="multiply"), x.scatter_reduce(0, i, v, "sum", include_self=False)),
            *(
                x.scatter_reduce(0, i, v, "amax", include_self=False),
                x.scatter_reduce(0, i, v, "mean", include_self=False),
            ),
            *(x.scatter_reduce(0, i, v, "prod", include_self=False),),
        ),
        floats(n, 3),
        integers(0, 3, n, 2),
        floats(n, 3),
        where="inputs_1_0 <= inputs_2_0, inputs_1_0 <= inputs_0_0",
    ),
    "slice_scatter": calling(
        lambda x, v: (
            *(x.slice_scatter(v, 0, 1, 3), x.select_scatter(v[0], 0, 1), x.slice_scatter(v[:1], 0, -1)),
            *(x.select_scatter(v[:, 0].sum() + x[:, 0], 1, 2), x.diagonal_scatter(x[:3, 0] * 0), x.slice_scatter(x, 0)),
            *(
                x.slice_scatter(x[:, ::2], 1, step=2),
                x.slice_scatter(x[:, 1:2], 1, 1, 2),
                x.select_scatter(v[0], 0, -1),
            ),
        ),
        floats(n, 3),
        floats(2, 3),
        where="inputs_0_0 >= 3",
    ),
    "masked_scatter": calling(
        lambda x, m, v: (x.masked_scatter(m, v), x.masked_scatter(m[0], v)),
        floats(n, 3),
        booleans(n, 3),
        floats(times(3)),
    ),
    "searching": calling(
        lambda x, b, i: (
            *(torch.bucketize(x, b), torch.bucketize(x, b, right=True), torch.searchsorted(b, x), torch.isin(i, i[:2])),
            *(torch.searchsorted(b, x, side="right"), torch.bucketize(x, b, out_int32=True), torch.isin(i, 2)),
            *(
                F.one_hot(i, 7),
                F.one_hot(i[0] % 3, 3),
                torch.searchsorted(b.expand(2, -1).contiguous(), x[:2]),
                torch.isin(i, i[1:], invert=True),
            ),
        ),
        floats(n, 3),
        lambda size: torch.linspace(-1, 1, 4),
        integers(0, 7, n),
        where="inputs_0_0 >= 2",
    ),
    "unique": calling(
        lambda i: (torch.unique(i), *torch.unique(i, return_inverse=True, return_counts=True)), integers(0, 4, n)
    ),
    "unique_consecutive": calling(lambda i: torch.unique_consecutive(i), integers(0, 3, n)),
    "repeats": calling(
        lambda x, r: (
            torch.repeat_interleave(x, r, 0),
            torch.repeat_interleave(r),
            x.repeat_interleave(2, 1),
            x.repeat_interleave(3),
        ),
        floats(n, 3),
        integers(0, 3, n),
    ),
    "nonzero_static": calling(lambda x: torch.nonzero_static(x > 0, size=4, fill_value=-1), floats(n, 2)),
    "bincount": calling(lambda i: torch.bincount(i, minlength=6), integers(0, 5, n)),
    "item": calling(lambda x, i: x[: i.sum().item()] if False else x * i.sum().item(), floats(n, 3), integers(0, 2, n)),
}
