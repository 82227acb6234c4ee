"""Activations, softmaxes and losses."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from tests.importers.torch.modules.case import Case, calling, floats, integers, n

CASES: dict[str, Case] = {
    "activations": calling(
        lambda x: (
            *(F.relu(x), F.relu6(x), F.leaky_relu(x), F.leaky_relu(x, 0.3), F.elu(x), F.elu(x, 0.5), F.selu(x)),
            *(F.celu(x), F.celu(x, 0.7), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.hardtanh(x)),
            *(F.hardtanh(x, -0.5, 0.2), F.hardswish(x), F.hardsigmoid(x), F.softplus(x), F.softplus(x, 2.0, 1.0)),
            *(F.softsign(x), F.logsigmoid(x), F.tanhshrink(x), F.hardshrink(x), F.softshrink(x), F.hardshrink(x, 0.1)),
            *(F.threshold(x, 0.1, 3.0), F.glu(x, 1), F.glu(x), torch.sigmoid(x), torch.tanh(x), F.rrelu(x)),
            *(F.softshrink(x, 0.2), F.dropout(x, 0.5, False), F.alpha_dropout(x, 0.5, False), F.elu(x * 60)),
            *(F.logsigmoid(x * 60), F.softplus(x * 30), F.mish(x * 30)),
        ),
        floats(n, 6),
    ),
    "softmax": calling(
        lambda x: (
            *(x.softmax(1), x.softmax(-1), x.log_softmax(1), F.softmin(x, 0), x.softmax(0, torch.float64)),
            *(torch.logsumexp(x, 1), torch.logsumexp(x, (0, 1)), torch.logsumexp(x, 0, keepdim=True)),
            *(x.logcumsumexp(1), torch.special.log_softmax(x, 0), F.softmax(x.double(), 1)),
        ),
        floats(n, 5),
    ),
    "prelu": calling(
        lambda m, x, y: (m.one(x), m.each(x), m.each(y)),
        floats(n, 3, 4),
        floats(n, 3),
        parts=lambda: {"one": nn.PReLU(), "each": nn.PReLU(3)},
    ),
    "modules_of_activations": calling(
        lambda m, x: m.all(x),
        floats(n, 6),
        parts=lambda: {
            "all": nn.Sequential(
                *(nn.ReLU(), nn.Dropout(0.1), nn.GELU(), nn.Tanh(), nn.SiLU(), nn.Softmax(1), nn.Hardswish(), nn.ELU()),
                *(nn.ReLU6(), nn.Sigmoid(), nn.LogSoftmax(1), nn.Softplus(), nn.Mish(), nn.Identity(), nn.LeakyReLU()),
            )
        },
    ),
    "losses": calling(
        lambda x, y: (
            *(F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.huber_loss(x, y), F.kl_div(x, y.softmax(1))),
            *(F.mse_loss(x, y, reduction="sum"), F.mse_loss(x, y, reduction="none"), F.l1_loss(x, y, reduction="none")),
            *(F.binary_cross_entropy(x.sigmoid(), y.sigmoid()), F.binary_cross_entropy_with_logits(x, y.sigmoid())),
            *(F.smooth_l1_loss(x, y, beta=0.5), F.cosine_similarity(x, y), F.cosine_similarity(x, y, 0)),
            *(F.pairwise_distance(x, y), F.kl_div(x, y, log_target=True), F.cross_entropy(x, y.softmax(1))),
            *(
                F.binary_cross_entropy_with_logits(x, y.sigmoid(), pos_weight=y.exp()),
                F.normalize(x),
                F.normalize(y, dim=0),
            ),
        ),
        floats(n, 5),
        floats(n, 5),
    ),
    "cross_entropy": calling(
        lambda x, y: (
            *(F.cross_entropy(x, y), F.cross_entropy(x, y, reduction="sum")),
            *(F.nll_loss(x.log_softmax(1), y), F.cross_entropy(x, y, ignore_index=2), F.nll_loss(x, y, ignore_index=1)),
            *(F.cross_entropy(x, y, label_smoothing=0.1), F.cross_entropy(x, y, weight=x[0].exp())),
        ),
        floats(n, 5),
        integers(0, 5, n),
    ),
}
