"""Layers: products, convolutions, pools, normalizations, attention, images."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from tests.importers.torch.modules.case import Case, booleans, calling, floats, n, times

CASES: dict[str, Case] = {
    "products": calling(
        lambda m, x, y, v: (
            *(
                m.a(x),
                m.b(x),
                x @ y,
                x @ v,
                v @ y,
                v @ v,
                x.mm(y),
                x.mv(v),
                v.dot(v),
                torch.matmul(x[None], y),
                x.mm(x.T),
            ),
            *(torch.addmm(m.a.bias[:2], x, y), torch.addmm(m.a.bias[:2], x, y, beta=0.5, alpha=2.0), torch.outer(v, v)),
            *(
                torch.inner(x, x),
                torch.inner(v, v),
                torch.tensordot(x, y, 1),
                torch.tensordot(x, x, ([0, 1], [0, 1])),
                m.a(v),
            ),
            *(torch.addmv(x[:, 0], x, v), torch.vdot(v, v), torch.kron(y[:2], y[:2])),
            *(
                torch.addr(x[:, :1] * v, x[:, 0], v),
                m.c(x, x),
                torch.linalg.vecdot(x, x),
                v.matmul(x.T),
            ),
        ),
        floats(n, 4),
        floats(4, 2),
        floats(4),
        parts=lambda: {"a": nn.Linear(4, 2), "b": nn.Linear(4, 3, bias=False), "c": nn.Bilinear(4, 4, 2)},
    ),
    "batches": calling(
        lambda x, y, z: (
            *(
                x.bmm(y),
                x @ y,
                x @ z,
                z.transpose(0, 1) @ y,
                torch.baddbmm(x @ y, x, y, beta=2, alpha=0.5),
                x[None] @ y,
            ),
            *(
                x[:, None] @ y[:, None],
                torch.addbmm(x[0] @ y[0], x, y),
                (x.unsqueeze(1) @ y.unsqueeze(0)),
                x.transpose(1, 2) @ x,
            ),
        ),
        floats(n, 3, 4),
        floats(n, 4, 2),
        floats(4, 5),
    ),
    "einsums": calling(
        lambda x, y, z: (
            *(torch.einsum("bij,bjk->bik", x, y), torch.einsum("bij->bji", x), torch.einsum("bij,bij->b", x, x)),
            *(
                torch.einsum("bij,jk->bik", x, z),
                torch.einsum("bij,bkj->bik", x, x),
                torch.einsum("...ij,...jk->...ik", x, y),
            ),
            *(
                torch.einsum("bij->", x),
                torch.einsum("i,j->ij", x[:, 0, 0], z[0]),
                torch.einsum("bij,bjk", x, y),
                torch.einsum("ij,ij->i", z, z),
            ),
            *(torch.einsum("bhd,bkd,bk->bh", x, x, x[:, :, 0]), torch.einsum("ii->i", z[:4, :4])),
        ),
        floats(n, 3, 4),
        floats(n, 4, 2),
        floats(4, 5),
    ),
    "attentions": calling(
        lambda q, k, v, m: (
            *(F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, attn_mask=m)),
            *(
                F.scaled_dot_product_attention(q, k, v, is_causal=True),
                F.scaled_dot_product_attention(q, k, v, scale=0.2),
            ),
            *(
                F.scaled_dot_product_attention(q, k, v, attn_mask=m.float()),
                F.scaled_dot_product_attention(q[0], k[0], v[0]),
            ),
        ),
        floats(2, 2, n, 4),
        floats(2, 2, times(1, 3), 4),
        floats(2, 2, times(1, 3), 6),
        lambda size: torch.ones(size, size + 3).tril(1).bool(),
    ),
    "grouped_queries": calling(
        lambda q, k: F.scaled_dot_product_attention(q, k, k, enable_gqa=True), floats(2, 4, n, 4), floats(2, 2, n, 4)
    ),
    "multihead": calling(
        lambda m, x: (
            *m.a(x, x, x),
            m.a(x, x, x, need_weights=False)[0],
            *m.b(x, x[:, :2], x[:, :2], average_attn_weights=False),
        ),
        floats(2, n, 8),
        parts=lambda: {
            "a": nn.MultiheadAttention(8, 2, batch_first=True),
            "b": nn.MultiheadAttention(8, 2, batch_first=True),
        },
        where="inputs_0_1 >= 2",
    ),
    "transformer": calling(
        lambda m, x: m.a(x),
        floats(2, n, 8),
        parts=lambda: {"a": nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)},
    ),
    "decoder_layer": calling(
        lambda m, x, y: m.a(x, y),
        floats(2, n, 8),
        floats(2, times(1, 2), 8),
        parts=lambda: {"a": nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, norm_first=True)},
    ),
    "convolutions": calling(
        lambda m, x, y, z: (
            m.a(x),
            m.b(y),
            m.c(z),
            m.d(y),
            m.e(y),
            m.f(y),
            m.g(y),
            m.a(x[0]),
            m.h(x),
            m.b(y[0]),
            m.i(y),
        ),
        floats(2, 4, times(2)),
        floats(n, 4, times(1, 4), 7),
        floats(1, 2, n, 4, 5),
        parts=lambda: {
            "a": nn.Conv1d(4, 6, 3),
            "b": nn.Conv2d(4, 3, 3, stride=2, padding=1),
            "c": nn.Conv3d(2, 2, 2, bias=False),
            "d": nn.Conv2d(4, 8, (2, 3), groups=4, padding="same"),
            "e": nn.Conv2d(4, 4, 3, dilation=2, padding=(2, 1)),
            "f": nn.Conv2d(4, 4, 3, padding=1, padding_mode="reflect"),
            "g": nn.Conv2d(4, 4, 2, padding="valid", stride=(2, 1)),
            "h": nn.Conv1d(4, 4, 4, padding="same", groups=2),
            "i": nn.Conv2d(4, 2, 3, padding=1, padding_mode="circular"),
        },
        sizes=(5, 3, 6),
        where="inputs_0_2 >= 3, inputs_2_2 >= 2, inputs_1_2 >= 2",
    ),
    "transposed_convolutions": calling(
        lambda m, x, y, z: (m.a(x), m.b(y), m.c(z), m.d(y), m.e(y), m.b(y[0])),
        floats(2, 4, n),
        floats(n, 4, n, 5),
        floats(1, 2, n, 2, 3),
        parts=lambda: {
            "a": nn.ConvTranspose1d(4, 6, 3, stride=2),
            "b": nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1),
            "c": nn.ConvTranspose3d(2, 2, 2, bias=False),
            "d": nn.ConvTranspose2d(4, 8, 2, groups=2, stride=2),
            "e": nn.ConvTranspose2d(4, 4, 3, dilation=2),
        },
        sizes=(4, 3, 5),
    ),
    "pools": calling(
        lambda x, y, z: (
            *(
                F.max_pool1d(x, 2),
                F.max_pool1d(x, 3, 2, 1),
                F.max_pool2d(y, 2),
                F.max_pool2d(y, 3, 2, 1),
                F.max_pool2d(y, 2, 2, 1, ceil_mode=True),
            ),
            *(
                F.max_pool2d(y, 2, 1, dilation=2),
                F.avg_pool1d(x, 2),
                F.avg_pool2d(y, 2),
                F.avg_pool2d(y, 3, 2, 1),
                F.max_pool3d(z, 2),
            ),
            *(
                F.avg_pool2d(y, 3, 2, 1, count_include_pad=False),
                F.avg_pool2d(y, 2, 2, ceil_mode=True),
                F.avg_pool3d(z, 2),
                F.max_pool2d(y[0], 2),
            ),
            *(
                F.avg_pool2d(y, 2, divisor_override=3),
                F.avg_pool2d(y, 3, 2, 1, True),
                F.lp_pool2d(y.abs(), 2, 2),
                F.avg_pool1d(x[0], 3, 1, 1),
            ),
            *(
                F.avg_pool2d(y[0], (2, 3), (1, 2)),
                F.max_pool2d(y, (3, 2), (2, 1), (1, 0)),
                F.max_pool3d(z, 2, 1, 1, ceil_mode=True),
            ),
        ),
        floats(2, 3, 12),
        floats(n, 3, times(1, 3), 7),
        floats(1, 2, n, 4, 5),
        sizes=(6, 4, 7),
        where="inputs_1_2 >= 3, inputs_2_2 >= 2",
    ),
    "pool_indices": calling(
        lambda x: (*F.max_pool2d(x, 2, return_indices=True), *F.max_pool2d(x, 3, 2, 1, return_indices=True)),
        floats(2, 3, 6, 7),
        sizes=(5,),
    ),
    "adaptive_pools": calling(
        lambda x, y, z: (
            *(
                F.adaptive_avg_pool1d(x, 2),
                F.adaptive_avg_pool2d(y, 1),
                F.adaptive_avg_pool2d(y, (2, 3)),
                F.adaptive_avg_pool3d(z, 1),
            ),
            *(
                F.adaptive_max_pool1d(x, 1),
                F.adaptive_max_pool2d(y, (2, 2)),
                F.adaptive_avg_pool2d(y[0], 1),
                F.adaptive_avg_pool2d(y, (None, 1)),
            ),
            *(
                F.adaptive_avg_pool1d(x, 1),
                F.adaptive_max_pool2d(y, 1),
                F.adaptive_max_pool3d(z, 1),
                F.adaptive_avg_pool3d(z, (2, 1, 2)),
            ),
        ),
        floats(2, 3, times(2)),
        floats(n, 3, 6, 9),
        floats(1, 2, 4, 4, n),
    ),
    "adaptive_of_open": calling(
        lambda x: (
            F.adaptive_avg_pool2d(x, 1),
            F.adaptive_avg_pool2d(x, (1, 1)).flatten(1),
            F.adaptive_max_pool2d(x, 1),
        ),
        floats(2, 3, n, times(1, 2)),
    ),
    "normalizations": calling(
        lambda m, x, y: (
            m.a(x),
            m.b(y),
            m.c(y),
            m.d(x),
            m.e(y),
            m.f(y),
            m.g(x),
            m.h(x),
            m.i(y),
            m.j(x),
            F.layer_norm(x, (6,)),
            m.k(y),
        ),
        floats(n, 3, 6),
        floats(n, 4, 3, 5),
        parts=lambda: {
            "a": nn.LayerNorm(6),
            "b": nn.BatchNorm2d(4),
            "c": nn.GroupNorm(2, 4),
            "d": nn.BatchNorm1d(3),
            "e": nn.InstanceNorm2d(4),
            "f": nn.InstanceNorm2d(4, affine=True),
            "g": nn.RMSNorm(6),
            "h": nn.LayerNorm((3, 6), elementwise_affine=False),
            "i": nn.LocalResponseNorm(2),
            "j": nn.LayerNorm(6, bias=False, eps=1e-3),
            "k": nn.GroupNorm(4, 4, affine=False),
        },
    ),
    "running_statistics": calling(
        lambda m, x, y: (m.a(x), m.b(y), m.c(x[0])),
        floats(n, 4, 5),
        floats(n, 2, 3, 3, 2),
        parts=lambda: {
            "a": nn.InstanceNorm1d(4, track_running_stats=True),
            "b": nn.BatchNorm3d(2, affine=False),
            "c": nn.BatchNorm1d(5, track_running_stats=False),
        },
    ),
    "resizes": calling(
        lambda x: (
            *(
                F.interpolate(x, scale_factor=2),
                F.interpolate(x, (7, 9)),
                F.interpolate(x, scale_factor=2, mode="bilinear"),
            ),
            *(F.interpolate(x, (7, 9), mode="bilinear", align_corners=True), F.interpolate(x, (3, 2), mode="bilinear")),
            *(
                F.interpolate(x, (3, 3), mode="nearest-exact"),
                F.interpolate(x, scale_factor=(2, 3)),
                F.interpolate(x, (6, 7), mode="bicubic"),
            ),
            *(F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=True), F.interpolate(x, scale_factor=0.5)),
            *(
                F.interpolate(x, scale_factor=1.5, mode="bilinear"),
                F.interpolate(x, scale_factor=1.5, mode="bilinear", recompute_scale_factor=True),
            ),
            *(
                F.interpolate(x, scale_factor=2.5),
                F.interpolate(x, size=(x.shape[2] * 2, 4)),
                F.interpolate(x, scale_factor=0.7),
            ),
        ),
        floats(2, 3, 5, 6),
        sizes=(5,),
    ),
    "resizes_of_open": calling(
        lambda x: (
            *(
                F.interpolate(x, scale_factor=2),
                F.interpolate(x, scale_factor=2, mode="bilinear"),
                F.interpolate(x, x.shape[2:]),
            ),
            *(
                F.interpolate(x, size=(x.shape[2] * 2, x.shape[3] + 1), mode="bilinear", align_corners=True),
                F.interpolate(x, (4, 4)),
            ),
            *(
                F.interpolate(F.max_pool2d(x, 2), x.shape[2:], mode="bilinear"),
                F.interpolate(x, scale_factor=(1, 3), mode="nearest"),
            ),
        ),
        floats(n, 2, times(1, 2), times(2)),
        where="inputs_0_2 >= 2, inputs_0_3 >= 2",
    ),
    "resizes_of_lines": calling(
        lambda x, z: (
            *(F.interpolate(x, scale_factor=2), F.interpolate(x, 7, mode="linear"), F.interpolate(z, scale_factor=2)),
            *(
                F.interpolate(z, (3, 4, 5), mode="trilinear"),
                F.interpolate(x, scale_factor=2, mode="linear", align_corners=True),
            ),
            *(F.interpolate(z, scale_factor=2, mode="trilinear"), F.interpolate(x, 3, mode="nearest-exact")),
        ),
        floats(2, 3, n),
        floats(1, 2, 2, n, 3),
    ),
    "sampling": calling(
        lambda x, g: (
            *(F.grid_sample(x, g, align_corners=False), F.grid_sample(x, g, align_corners=True, padding_mode="border")),
            *(
                F.grid_sample(x, g, mode="nearest", align_corners=False),
                F.grid_sample(x, g, padding_mode="reflection", align_corners=True),
            ),
            *(
                F.grid_sample(
                    x,
                    F.affine_grid(g[:, :2, 0, 0:1].expand(-1, -1, 3), (x.shape[0], 2, 3, 4), align_corners=True),
                    align_corners=True,
                ),
            ),
        ),
        floats(n, 2, 5, 6),
        lambda size: torch.rand(size, 3, 4, 2) * 2.2 - 1.1,
    ),
    "distances": calling(
        lambda x, y: (
            torch.cdist(x, y),
            torch.cdist(x, y, p=1.0),
            torch.cdist(x, x, p=float("inf")),
            torch.cdist(x, y, p=3.0),
        ),
        floats(n, 4),
        floats(times(1, 2), 4),
    ),
    "crosses": calling(
        lambda x, y: (torch.cross(x, y, 1), torch.linalg.cross(x, y), x.renorm(2, 0, 1.0)), floats(n, 3), floats(n, 3)
    ),
    "masked_attention": calling(
        lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m[:, None, None]),
        floats(2, 2, n, 4),
        lambda size: torch.rand(2, size) > 0.3,
    ),
    "masked_mean": calling(
        lambda x, m: (x * m[..., None]).sum(1) / m.sum(1, keepdim=True).clamp(min=1), floats(2, n, 4), booleans(2, n)
    ),
}
