"""Operators that bring elements together, in one go or one after another."""

from __future__ import annotations

import torch

from tests.importers.torch.modules.case import Case, booleans, calling, floats, integers, n, times

CASES: dict[str, Case] = {
    "sums": calling(
        lambda x: (
            *(
                x.sum(),
                x.sum(1),
                x.sum((0, 2)),
                x.sum(-1, keepdim=True),
                x.sum(dtype=torch.float64),
                x.sum(()),
                x.mean(),
            ),
            *(
                x.mean(1),
                x.mean((1, 2), keepdim=True),
                x.prod(),
                x.prod(1),
                x.prod(2, keepdim=True),
                x.amax(),
                x.amax(1),
            ),
            *(
                x.amin((0, 1)),
                x.max(),
                x.min(),
                *x.max(1),
                *x.min(2, keepdim=True),
                x.argmax(),
                x.argmax(1),
                x.argmin(0),
            ),
            *(
                x.argmax(2, keepdim=True),
                x.argmin(),
                *torch.aminmax(x),
                *torch.aminmax(x, dim=1),
                x.mean(dtype=torch.float64),
            ),
            *(
                x.nansum(),
                x.count_nonzero(),
                x.count_nonzero(1),
                (x > 0).sum((0, 1)),
                x.norm(),
                x.norm(dim=1),
                x.norm(1),
            ),
        ),
        floats(n, 3, 4),
    ),
    "variances": calling(
        lambda x: (
            *(
                x.var(),
                x.var(1),
                x.var((0, 2), unbiased=False),
                x.std(),
                x.std(1, keepdim=True),
                x.std(1, unbiased=False),
            ),
            *(
                x.var(1, correction=0),
                x.var(2, correction=2),
                *torch.var_mean(x, 1),
                *torch.std_mean(x, 1),
                *torch.var_mean(x),
            ),
            *(
                *torch.var_mean(x, (0, 1), keepdim=True),
                *torch.std_mean(x),
                x.std(0, correction=0),
                x.var(unbiased=False),
            ),
        ),
        floats(n, 3, 4),
    ),
    "norms": calling(
        lambda x: (
            *(
                torch.linalg.vector_norm(x),
                torch.linalg.vector_norm(x, 1),
                torch.linalg.vector_norm(x, float("inf"), 1),
            ),
            *(
                torch.linalg.vector_norm(x, 3, (0, 1), keepdim=True),
                torch.linalg.vector_norm(x, 0, 1),
                x.norm(2, 1, True),
            ),
            *(torch.linalg.vector_norm(x, -float("inf")), x.norm(p=1, dim=(0, 1)), torch.norm(x, p="fro"), x.norm(3)),
            *(torch.linalg.norm(x), torch.linalg.norm(x, dim=1), torch.linalg.matrix_norm(x), x.norm(float("inf"))),
            *(x.norm(dim=1, dtype=torch.float64), torch.linalg.matrix_norm(x, 1), torch.linalg.norm(x, ord=1, dim=0)),
        ),
        floats(n, 4),
    ),
    "of_integers": calling(
        lambda x: (
            *(
                x.sum(),
                x.sum(1),
                x.prod(0),
                x.max(),
                x.amin(1),
                x.float().mean(),
                x.cumsum(1),
                x.cumprod(0),
                x.any(),
                x.all(),
            ),
            *(
                x.any(1),
                x.all(0, keepdim=True),
                x.argmax(1),
                *x.max(0),
                x.sum(dtype=torch.float32),
                x.mean(dtype=torch.float32),
            ),
            *(x.any(dim=(0, 1)), x.all(dim=(0, 1)), x.int().sum(), x.int().cumsum(0), x.amax((0, 1)), x.int().prod()),
        ),
        integers(-2, 3, n, 4),
    ),
    "scans": calling(
        lambda x: (
            *(x.cumsum(0), x.cumsum(-1), x.cumprod(1), x.cumsum(1, dtype=torch.float64), *x.cummax(1), *x.cummin(0)),
            *(x.diff(), x.diff(dim=0), x.diff(n=2), x.diff(prepend=x[:, :1]), torch.trapezoid(x, dim=1)),
            *(torch.cumulative_trapezoid(x, dim=1), x.logcumsumexp(0), x.diff(append=x)),
        ),
        floats(n, 5),
    ),
    "quantiles": calling(
        lambda x: (
            *x.median(1),
            *x.kthvalue(2, 1),
            x.median(),
            *x.kthvalue(1, 0, True),
        ),
        floats(n, 5),
        sizes=(5, 3, 7),
    ),
    "booleans_reduced": calling(
        lambda x: (
            x.any(),
            x.any(1),
            x.all(),
            x.all(1, keepdim=True),
            x.sum(0),
            x.any((0, 1)),
            x.float().mean(1),
            x.prod(1),
        ),
        booleans(n, 3),
    ),
    "scalars_reduced": calling(
        lambda x: (
            x[0].sum(),
            x[0].max(),
            x.sum().sum(),
            x.sum().mean(0),
            x[0].softmax(0),
            x[0].cumsum(0),
            x[0].argmax(),
        ),
        floats(n),
    ),
    "sorted": calling(
        lambda x: (
            *(*x.sort(), *x.sort(0), *x.sort(1, descending=True), *x.topk(2), *x.topk(2, 0), *x.topk(3, largest=False)),
            *(
                x.argsort(),
                x.argsort(0, descending=True),
                x.msort(),
                *torch.sort(x, stable=True, dim=1),
                x.argsort(stable=True),
            ),
        ),
        floats(n, 4),
        where="inputs_0_0 >= 2",
    ),
    "top_of_size": calling(lambda x: (*x.topk(x.shape[0] // 2, 0), *x.topk(x.shape[1] - 1)), floats(n, times(2))),
}
