"""Operators that make tensors, and those that change shapes."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from tests.importers.torch.modules.case import Case, calling, floats, integers, n, times

CASES: dict[str, Case] = {
    "creations": calling(
        lambda x: (
            *(
                torch.zeros(x.shape[0], 3),
                torch.ones(2, x.shape[0]),
                torch.full((x.shape[0],), 2.5),
                torch.zeros_like(x),
            ),
            *(
                torch.ones_like(x),
                torch.full_like(x, 3),
                x.new_zeros(x.shape[0]),
                x.new_ones(2),
                x.new_full((x.shape[1],), 4),
            ),
            *(
                torch.arange(x.shape[0]),
                torch.arange(2, x.shape[0] + 2),
                torch.arange(0, 10, 3),
                torch.arange(x.shape[0]).float(),
            ),
            *(torch.arange(0, x.shape[0], dtype=torch.float32), torch.arange(10, 0, -2), torch.arange(0.0, 1.0, 0.3)),
            *(torch.eye(3), torch.eye(x.shape[0]), torch.linspace(0, 1, 5), torch.linspace(-1, 1, 4), torch.eye(3, 4)),
            *(
                torch.tensor(3.0),
                torch.tensor([1, 2, 3]),
                torch.scalar_tensor(2.0),
                torch.zeros(0),
                torch.full_like(torch.empty_like(x), 2),
            ),
            *(
                torch.tril_indices(3, 3),
                torch.triu_indices(3, 4, 1),
                torch.full((2, x.shape[0]), x.shape[1]),
                torch.zeros_like(x.new_empty(3)),
            ),
            *(
                torch.logspace(0, 2, 3),
                torch.hann_window(6),
                torch.hamming_window(4),
                torch.zeros(x.shape, dtype=torch.int32),
            ),
            *(
                torch.zeros(x.shape[0] * 2, x.shape[1] - 1),
                torch.fill(x, 2.0),
                torch.full((), 2),
                torch.linspace(3, 3, 1),
            ),
        ),
        floats(n, times(1, 2)),
    ),
    "reshapes": calling(
        lambda x: (
            *(
                x.view(-1),
                x.reshape(x.shape[0], -1),
                x.view(x.shape[0], 2, 3),
                x.flatten(),
                x.flatten(1),
                x.unflatten(1, (2, 3)),
            ),
            *(
                x.reshape(-1, 3),
                x.unsqueeze(0),
                x.unsqueeze(-1),
                x[:, None].squeeze(1),
                x.unsqueeze(1).squeeze(),
                x.ravel(),
            ),
            *(
                x.view(x.shape[0] * 2, 3),
                x.unflatten(-1, (-1, 2)),
                x[None].squeeze((0,)),
                x.flatten().view_as(x),
                x.T,
                x.t(),
            ),
            *(
                x.reshape(x.shape[0], 3, 2).flatten(0, 1),
                x.reshape(1, -1, 1),
                x.reshape_as(x),
                x.view(2, -1),
                torch.atleast_3d(x),
            ),
            *(
                x.sum().reshape(1),
                x.sum().view(1, 1),
                x.sum().flatten(),
                x.sum().unsqueeze(0),
                x.sum().squeeze(),
                x.sum().expand(2),
            ),
        ),
        floats(n, 6),
        sizes=(4, 2, 6),
    ),
    "axes": calling(
        lambda x: (
            *(
                x.transpose(0, 1),
                x.permute(2, 0, 1),
                x.mT,
                x.movedim(0, 2),
                x.movedim((0, 1), (1, 2)),
                x.swapaxes(0, 2),
            ),
            *(
                x.flip(0),
                x.flip((0, 2)),
                x.roll(1, 0),
                x.roll((1, 2), (0, 1)),
                x.roll(2),
                x.rot90(1, (0, 1)),
                x.rot90(2, (1, 2)),
            ),
            *(
                x.fliplr(),
                x.flipud(),
                x.moveaxis(-1, 0),
                torch.swapdims(x, 1, 2),
                x.roll(-1, 2),
                x.adjoint(),
                x.rot90(3, (0, 2)),
            ),
        ),
        floats(n, 3, 4),
    ),
    "joins": calling(
        lambda x, y: (
            *(
                torch.cat([x, y]),
                torch.cat([x, x], 1),
                torch.stack([x, x]),
                torch.stack([x, x], -1),
                torch.hstack([x, x]),
            ),
            *(
                torch.vstack([x, y]),
                torch.dstack([x, x]),
                torch.column_stack([x, x[:, 0]]),
                torch.cat([x, x.new_zeros(0)]),
            ),
            *(
                torch.cat([x]),
                torch.concat([x, y, x]),
                torch.block_diag(x[:2], y[:2]),
                torch.cat([x, x * 2, x[:, :1]], dim=-1),
            ),
        ),
        floats(n, 3),
        floats(times(2, 1), 3),
        where="inputs_0_0 >= 2, inputs_1_0 >= 2",
    ),
    "repeats_of_shapes": calling(
        lambda x: (
            *(
                x.expand(4, -1, -1),
                x.repeat(2, 1),
                x.repeat(2, 1, 3),
                x.tile(2),
                x.tile(2, 2),
                x[:1].expand(x.shape[0], 3),
            ),
            *(
                x.repeat(1, x.shape[0]),
                torch.broadcast_to(x, (2, x.shape[0], 3)),
                x.unsqueeze(1).expand(-1, 5, -1),
                x.repeat_interleave(2, 0),
            ),
            *(
                *torch.broadcast_tensors(x, x[0]),
                x.expand(x.shape),
                x[0].expand(x.shape[0], -1),
                x.repeat_interleave(2),
            ),
        ),
        floats(n, 3),
    ),
    "parts": calling(
        lambda x, y: (
            *(*x.split(2, 1), *x.chunk(3, 1), *x.split([1, 2, 3], 1), *x.unbind(1), *torch.tensor_split(x, 4, 1)),
            *(
                *y.chunk(2),
                *torch.tensor_split(x, (1, 4), 1),
                *x.unsafe_split(4, 1),
                *x.hsplit(2),
                *x.chunk(4, 1),
                *x.unsafe_chunk(2, 1),
            ),
        ),
        floats(n, 6),
        floats(4, n),
    ),
    "parts_of_sizes": calling(
        lambda x: (*x.split([2, x.shape[0] - 2]), *x.split([x.shape[0] // 2, x.shape[0] - x.shape[0] // 2])),
        floats(n, 2),
        where="inputs_0_0 >= 2",
    ),
    "halves": calling(lambda x: (*x.chunk(2, 1), *x.split(x.shape[1] // 2, 1)), floats(3, times(2))),
    "slices": calling(
        lambda x: (
            *(
                x[1:],
                x[:-1],
                x[::2],
                x[1:3],
                x[:, 1:4:2],
                x[-2:],
                x[:, :2],
                x[1:, 1:],
                x.narrow(1, 1, 2),
                x.select(1, 2),
            ),
            *(
                x[0],
                x[-1],
                x[:, -1],
                x[: x.shape[0] // 2],
                x[x.shape[0] // 2 :],
                x[:, 0:0],
                x[:100],
                x[..., 1::3],
                x[-100:],
            ),
            *(
                x.narrow(0, 0, 2),
                x[2:1],
                x[x.shape[0] - 1],
                x[:, x.shape[1] - 2],
                x[1 : x.shape[0] - 1],
                x.narrow(0, 1, x.shape[0] - 1),
            ),
        ),
        floats(n, 5),
        where="inputs_0_0 >= 2",
    ),
    "diagonals": calling(
        lambda x, y: (
            *(x.diagonal(), x.diagonal(1), x.diagonal(-1), y.diagonal(0, 1, 2), torch.diag(x[0]), x.diag(), x.trace()),
            *(
                torch.diag_embed(x),
                x.tril(),
                x.triu(1),
                x.tril(-1),
                y.tril(),
                y.diagonal(),
                torch.diag_embed(x, 1),
                x.diag_embed(-1),
            ),
            *(x.triu(-1), torch.ones(x.shape[0], x.shape[0]).tril(), x.bool().tril(), y.diagonal(1, 2, 0)),
        ),
        floats(4, 4),
        floats(n, 3, 4),
    ),
    "diagonal_of_open": calling(lambda x: (x.diagonal(), x.diagonal(1), x.trace()), floats(n, times(1, 1))),
    "windows": calling(
        lambda x, y: (
            *(
                x.unfold(1, 3, 2),
                x.unfold(1, 2, 1),
                x.unfold(0, 2, 2),
                F.unfold(y, 2),
                F.unfold(y, (2, 3), padding=1, stride=2),
            ),
            *(
                F.unfold(y, 2, dilation=2),
                F.fold(F.unfold(y, 2, stride=2), (6, 6), 2, stride=2),
                F.fold(F.unfold(y, 3), (6, 6), 3),
            ),
            *(F.fold(F.unfold(y, 2, padding=1), (6, 6), 2, padding=1),),
        ),
        floats(n, 7),
        floats(n, 2, 6, 6),
        where="inputs_0_0 >= 2",
    ),
    "unfold_of_open": calling(
        lambda x, y: (x.unfold(1, 4, 2), F.unfold(y, 2, stride=2)),
        floats(2, times(2, 2)),
        floats(2, 3, times(2, 1), n),
        where="inputs_0_1 >= 4, inputs_1_2 >= 2, inputs_1_3 >= 2",
    ),
    "shuffles": calling(
        lambda x, y: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(y, 2), F.channel_shuffle(x, 4), F.pixel_unshuffle(y, 1)),
        floats(2, 8, n, 3),
        floats(n, 2, 4, 6),
    ),
    "unshuffle_of_open": calling(lambda x: F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2), floats(2, 8, n, 3)),
    "grids": calling(
        lambda x, y: (
            *(*torch.meshgrid(x, y, indexing="ij"), *torch.meshgrid(x, y, indexing="xy"), torch.cartesian_prod(x, y)),
            *(torch.outer(x, y), torch.stack(torch.meshgrid(torch.arange(3), torch.arange(x.shape[0]), indexing="ij"))),
            *(
                *torch.meshgrid(x, indexing="ij"),
                *torch.meshgrid(torch.arange(2), torch.arange(3), torch.arange(4), indexing="xy"),
            ),
        ),
        floats(n),
        floats(times(1, 1)),
    ),
    "pads": calling(
        lambda x: (
            *(
                F.pad(x, (1, 2)),
                F.pad(x, (1, 1, 2, 0), value=3.0),
                F.pad(x, (1, 1, 1, 1), mode="reflect"),
                F.pad(x, (0, -1)),
            ),
            *(
                F.pad(x, (2, 1, 1, 2), mode="replicate"),
                F.pad(x, (1, 1, 1, 2), mode="circular"),
                F.pad(x, (0, 0, 0, 0, 1, 0)),
            ),
            *(
                F.pad(x[0], (1, 1), mode="reflect"),
                F.pad(x[0], (1, 2), mode="replicate"),
                F.pad(x[0, 0], (0, 1)),
                F.pad(x, (1, x.shape[2])),
            ),
            *(F.pad(x[None], (1, 1, 1, 1, 1, 1), mode="reflect"), F.pad(x[None], (1, 0, 0, 1, 2, 1), mode="replicate")),
            *(F.pad(x[0], (1, 2), mode="circular"), F.pad(x.long(), (1, 1), value=7), F.pad(x > 0, (1, 1), value=True)),
        ),
        floats(2, 3, times(1, 1), times(1, 2)),
        where="inputs_0_2 >= 2, inputs_0_3 >= 2",
    ),
    "strides": calling(lambda x: x.as_strided((3, 2), (2, 1)), floats(n, 4), refused="export the model with `reshape`"),
    "element_counts": calling(lambda x: (x.stride(0) * x, x.numel() * x), floats(n, 4)),
    "symbols": calling(
        lambda x, y: (
            *(
                x * x.shape[0],
                x / x.shape[1],
                x + x.shape[0] ** 0.5 if False else x + x.shape[0],
                x * (x.shape[0] // 2),
            ),
            *(
                torch.full((2,), x.shape[0] % 3),
                x.view(x.numel()),
                x * max(x.shape[0], x.shape[1]),
                x * (x.shape[0] > 2),
            ),
            *(
                torch.arange(x.shape[0] - 1, -1, -1),
                torch.arange(y.shape[0], x.shape[0] + y.shape[0]),
                x.shape[0] / x.shape[1] * x,
            ),
            *(
                x[: min(x.shape[0], 2)],
                torch.zeros(x.shape[0] + y.shape[0], x.shape[1] * 2),
                x * -x.shape[0],
                x.new_tensor([1.0, 2.0]),
            ),
        ),
        floats(n, times(1, 2)),
        floats(times(2)),
    ),
    "returned_sizes": calling(lambda x: (x.shape[0], x.sum(), 3, x.numel(), 1.5), floats(n, 3)),
    "inputs_of_integers": calling(
        lambda i: (i.float(), F.one_hot(i % 3, 3).float(), i[:, None] == torch.arange(3)), integers(0, 9, n)
    ),
}
