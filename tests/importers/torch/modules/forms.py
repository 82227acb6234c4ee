"""Operators and forms of operators that no function of PyTorch's own calls, but other programs' exports contain."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from tests.importers.torch.modules.case import Case, booleans, calling, floats, integers, n, positive, times

A = torch.ops.aten


def _data_dependent(x: torch.Tensor, mask: torch.Tensor, count: torch.Tensor) -> tuple[torch.Tensor, ...]:
    number = count.item()
    torch._check(number >= 0)
    torch._check(number <= x.shape[0])
    return x[mask].sum(0), torch.zeros(number + 1), x[:number] * 2


CASES: dict[str, Case] = {
    "forms_of_elements": calling(
        lambda x, i, p: (
            *(
                A.absolute(x),
                A.arctan2(x, x * x),
                A.negative(x),
                A.clip.Tensor(x, -x.abs(), x.abs()),
                A.sub.Scalar(x, 2),
            ),
            *(A.copysign.Scalar(x, -1.0), A.div.Scalar_mode(x, 0.5, rounding_mode="floor"), A.divide.Scalar(x, 2)),
            *(A.divide.Scalar_mode(i, 2, rounding_mode="trunc"), A.divide.Tensor_mode(x, p, rounding_mode="floor")),
            *(A.float_power.Scalar(2.0, x), A.float_power.Tensor_Scalar(p, 2), A.floor_divide.Scalar(i, 2)),
            *(A.greater.Scalar(x, 0), A.greater_equal.Scalar(x, 0), A.less.Scalar(x, 0), A.less_equal.Scalar(x, 0)),
            *(A.not_equal.Scalar(i, 1), A.multiply.Scalar(x, 3), A.subtract.Scalar(x, 1), A.true_divide.Scalar(x, 4)),
            *(A.remainder.Scalar_Tensor(5.0, p), A.xlogy.Scalar_Other(x, 2.0), A.xlogy.Scalar_Self(0.5, p), A.real(x)),
            *(A.clamp_max.Tensor(x, p), A.resolve_conj(x), A.resolve_neg(x), A.conj(x), A.to.other(i, x)),
            *(A.special_erfc(x), A.special_exp2(x), A.special_expit(x), A.special_expm1(x), A.special_log1p(p)),
            *(A.special_sinc(x), A.fill.Tensor(x, x[0, 0]), A.zero(x), A.copy(x, i), A.lift_fresh_copy(x)),
            *(A.special_softmax(x, 1), A.special_logsumexp(x, [1]), A.logit(p, 1e-3), A.square(i), A.special_entr(p)),
            *(
                A.feature_dropout(x, 0.5, False),
                A.feature_alpha_dropout(x, 0.5, False),
                *A.native_dropout(x, 0.5, False),
            ),
            *(A._prelu_kernel(x, p), *A.log_sigmoid_forward(x)[:1], A.rrelu_with_noise_functional(x, x)[0]),
        ),
        floats(n, 3),
        integers(-4, 5, n, 3),
        positive(n, 3),
    ),
    "forms_of_bits": calling(
        lambda i, j: (
            *(A.bitwise_and.Scalar_Tensor(6, i), A.bitwise_or.Scalar_Tensor(6, i), A.bitwise_xor.Scalar_Tensor(6, i)),
            *(A.bitwise_left_shift(i, j), A.bitwise_right_shift(i, j), A.bitwise_right_shift.Tensor_Scalar(i, 1)),
            *(A.bitwise_left_shift.Scalar_Tensor(3, j), A.bitwise_right_shift.Scalar_Tensor(64, j), A.bitwise_not(i)),
        ),
        integers(-9, 10, n, 3),
        integers(0, 4, n, 3),
    ),
    "forms_of_shapes": calling(
        lambda x: (
            *(A.atleast_1d(x), A.atleast_2d(x[0, 0]), A.concatenate([x, x]), A.diagonal_copy(x, 0, 1, 2), A.mH(x[0])),
            *(A.matrix_H(x[0]), A.meshgrid([x[0, 0], x[0, 1]])[0], A.moveaxis.intlist(x, [0, 1], [1, 2])),
            *(A.narrow_copy(x, 1, 0, 2), *A.split_with_sizes_copy(x, [1, 2], 1)),
            *(*A.unbind_copy(x, 1), A.unfold_copy(x, 2, 2, 1), *A.unsafe_split_with_sizes(x, [1, 2], 1)),
            *(*A.vsplit.array(x[0], [1]), *A.hsplit.array(x, [1]), *A.dsplit.int(x, 2), *A.dsplit.array(x, [1, 3])),
            *(A.expand_copy(x[:, :1], [-1, 3, -1]), A._reshape_alias(x[0], [12], [1]), *A.split.sizes(x, [2, 1], 1)),
            *(x.unsqueeze(1).squeeze(), x[:, :1].squeeze((0, 1)), x[:, :1].squeeze(1), A.atleast_3d(x[0])),
        ),
        floats(n, 3, 4),
        where="inputs_0_0 >= 2",
    ),
    "forms_of_creations": calling(
        lambda x: (
            *(
                torch.bartlett_window(5),
                torch.bartlett_window(4, False),
                torch.blackman_window(5),
                torch.ones(()).expand(3),
            ),
            *(torch.blackman_window(6, False), torch.hamming_window(5, False), torch.hamming_window(5, True, 0.5)),
            *(torch.hamming_window(5, True, 0.5, 0.4), torch.hann_window(5, False), torch.hann_window(1), x * 1),
            *(
                torch.linspace(2, -1, 7),
                torch.logspace(1, 2, 4, base=2.0),
                torch.linspace(0, 1, 4, dtype=torch.float64),
            ),
        ),
        floats(n),
    ),
    "forms_of_reductions": calling(
        lambda x, i: (
            *(A.norm.Scalar(x, 2), A.norm.ScalarOpt_dim(x, 1, [0]), A.norm.ScalarOpt_dtype(x, 2, dtype=torch.float64)),
            *(A.norm.ScalarOpt_dim_dtype(x, 2, [1], True, dtype=torch.float64), A.std(x, False), *A.std_mean(x, True)),
            *(*A.var_mean(x, False), A.trapz.dx(x, dx=0.5), A.count_nonzero.dim_IntList(i, [0]), A.aminmax(x)[0]),
            *(
                A.bucketize.Scalar(0.3, x[0].sort()[0]),
                A.searchsorted.Scalar(x[0].sort()[0], 0.2),
                A.isin.Scalar_Tensor(2, i),
            ),
            *(A._unique(i)[0], *A.nonzero_numpy(i)),
        ),
        floats(n, 3),
        integers(0, 4, n, 3),
    ),
    "forms_of_networks": calling(
        lambda x, y, z: (
            *(
                A.ger(x[0, 0], x[0, 1]),
                A.linalg_matmul(x[0], x[0].T),
                A.chain_matmul([x[0], x[0].T]),
                A._safe_softmax(x, 1),
            ),
            *(
                A._fused_rms_norm(x, [4], None, 1e-5)[0],
                A._euclidean_dist(x[0], x[0] * 2 + 1),
                A._unsafe_index(x, [None, y]),
            ),
            *(
                A._unsafe_index_put(x, [None, y], x[:, :2] * 2),
                A.reflection_pad1d(x, [1, 2]),
                A.replication_pad1d(x, [1, 1]),
            ),
            *(
                A.replication_pad2d(z, [1, 1, 2, 0]),
                A.reflection_pad2d(z, [1, 1, 0, 1]),
                A.reflection_pad3d(z, [1] * 6),
            ),
            *(
                A.replication_pad3d(z, [1, 0, 0, 2, 1, 1]),
                A.linalg_multi_dot([x[0], x[0].T, x[0]]),
                A.special_logsumexp(x, [2]),
            ),
            *(A.native_batch_norm(z, None, None, z[0, :, 0, 0], z[0, :, 0, 1].exp(), False, 0.1, 1e-5)[0],),
            *(A._scaled_dot_product_attention_math(z, z, z), A._scaled_dot_product_flash_attention_for_cpu(z, z, z)[0]),
            *(A._scaled_dot_product_attention_math(z, z, z, is_causal=True)[1], A.max_pool1d_with_indices(x, 2)),
            *(A._scaled_dot_product_flash_attention_for_cpu(z, z, z, is_causal=True, scale=0.3)[0],),
        ),
        floats(n, 3, 4),
        integers(0, 3, 2),
        floats(2, 3, 4, 5),
    ),
    "forms_of_losses": calling(
        lambda x, y: (
            *(A.nll_loss(x, y), A.nll_loss_forward(x, y, None, 1, -100)[0], F.cross_entropy(x[:, :, None], y[:, None])),
            *(A.nll_loss2d(x[:, :, None, None], y[:, None, None]),),
        ),
        floats(n, 5),
        integers(0, 5, n),
    ),
    "forms_of_resizes": calling(
        lambda x, y, z: (
            *(A.upsample_nearest1d(x, [7]), A.upsample_linear1d(x, [9], False), A.upsample_nearest2d(y, [7, 3])),
            *(
                A.upsample_bilinear2d(y, [6, 8], True),
                A.upsample_bicubic2d(y, [6, 8], False),
                A.upsample_nearest3d(z, [3, 4, 5]),
            ),
            *(
                A.upsample_trilinear3d(z, [3, 4, 5], False),
                A._upsample_nearest_exact2d(y, [7, 3]),
                A._upsample_nearest_exact3d(z, [5, 4, 7]),
            ),
            *(
                A._upsample_nearest_exact1d(x, [3]),
                A.upsample_nearest2d(y, [6, 8], 2.0, 2.0),
                F.interpolate(z, scale_factor=2, mode="nearest-exact"),
            ),
            *(
                A.upsample_bilinear2d(y, [1, 1], True),
                A.upsample_bilinear2d(y, [4, 6], False, 1.5, 1.5),
                A.upsample_linear1d(x, [7], True),
            ),
        ),
        floats(n, 2, 5),
        floats(n, 2, 3, 4),
        floats(1, 2, 2, n, 3),
    ),
    "stretched": calling(
        lambda x: (
            *(F.interpolate(x, scale_factor=1.5), F.interpolate(x, scale_factor=0.5, mode="bilinear")),
            *(
                F.interpolate(x, scale_factor=(1.25, 2), mode="bilinear"),
                F.interpolate(x, scale_factor=0.75, mode="nearest-exact"),
            ),
        ),
        floats(2, 1, times(4), times(2, 2)),
        sizes=(4, 2, 3),
    ),
    "numbers": calling(
        lambda x: (
            *(x * (x.shape[0] > 3), x * (x.shape[0] // 2), x / (x.shape[0] + 1)),
            *(x * (x.shape[0] ** 2), x[: x.shape[0] // 2]),
            *(torch.zeros(-(-x.shape[0] // 3)), torch.zeros(x.shape[0] % 4)),
        ),
        floats(n),
        sizes=(5, 4, 9),
    ),
    "data_dependent": calling(_data_dependent, floats(n, 3), booleans(n), lambda size: torch.tensor(2)),
}
