"""Recurrent layers, loops, branches, and graphs inside graphs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch._higher_order_ops import associative_scan, map, scan, while_loop

from tests.importers.torch.modules.case import Case, booleans, calling, floats, n


def _no_grad(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        y = x * 2
    return y + 1


def _grad_mode(x: torch.Tensor) -> Any:
    with torch.set_grad_enabled(False):
        y = x.sin()
        z = y @ y.T
    with torch.set_grad_enabled(True):
        w = z + 1
    return y, w


def _autocast(x: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        y = x @ x.T
    return y.float()


CASES: dict[str, Case] = {
    "lstm": calling(
        lambda m, x, h, c: (*m.a(x), *m.b(x, (h, c)), *m.c(x.transpose(0, 1)), *m.d(x), *m.e(x[0])),
        floats(n, 5, 3),
        floats(2, n, 4),
        floats(2, n, 4),
        parts=lambda: {
            "a": nn.LSTM(3, 4, batch_first=True),
            "b": nn.LSTM(3, 4, num_layers=2, batch_first=True),
            "c": nn.LSTM(3, 4, bidirectional=True),
            "d": nn.LSTM(3, 4, bias=False, batch_first=True, num_layers=2, bidirectional=True),
            "e": nn.LSTM(3, 4),
        },
    ),
    "gru": calling(
        lambda m, x, h: (*m.a(x), *m.b(x, h), *m.c(x), *m.d(x[0])),
        floats(n, 5, 3),
        floats(2, n, 4),
        parts=lambda: {
            "a": nn.GRU(3, 4, batch_first=True),
            "b": nn.GRU(3, 4, num_layers=2, batch_first=True),
            "c": nn.GRU(3, 4, bidirectional=True, batch_first=True, bias=False),
            "d": nn.GRU(3, 4),
        },
    ),
    "rnn": calling(
        lambda m, x: (*m.a(x), *m.b(x), *m.c(x)),
        floats(4, n, 3),
        parts=lambda: {
            "a": nn.RNN(3, 4),
            "b": nn.RNN(3, 4, nonlinearity="relu"),
            "c": nn.RNN(3, 4, bidirectional=True),
        },
    ),
    "projected_lstm": calling(
        lambda m, x: m.a(x), floats(4, n, 3), parts=lambda: {"a": nn.LSTM(3, 4, proj_size=2)}, refused="a projection"
    ),
    "cells": calling(
        lambda m, x, h: (*m.a(x, (h, h)), m.b(x, h), m.c(x, h), m.b(x)),
        floats(n, 3),
        floats(n, 4),
        parts=lambda: {"a": nn.LSTMCell(3, 4), "b": nn.GRUCell(3, 4), "c": nn.RNNCell(3, 4)},
    ),
    "scan": calling(lambda x, h: scan(lambda c, v: (c + v, c * v), h, x), floats(n, 3), floats(3)),
    "scan_of_trees": calling(
        lambda x, y, h: scan(
            lambda c, v: ((c[0] + v[0], c[1] * 0.5), (c[0] * v[1], v[0] + 1)), (h, h + 1), (x, y), reverse=True
        ),
        floats(n, 3),
        floats(n, 3),
        floats(3),
    ),
    "map": calling(lambda x, y: map(lambda v, w: v * w + v.sum(), x, y), floats(n, 3), floats(3)),
    "associative_scan": calling(
        lambda x: associative_scan(lambda a, b: a + b, x, 0, combine_mode="generic"),
        floats(n, 3),
        sizes=(5,),
        refused="`torch.vmap`",
    ),
    "while": calling(
        lambda x, i: while_loop(lambda j, v: j < 4, lambda j, v: (j + 1, v * 2), (i, x)),
        floats(n, 3),
        lambda size: torch.tensor(0),
    ),
    "cond": calling(lambda x: torch.cond(x.shape[0] > 4, lambda v: v + 1, lambda v: v - 1, (x,)), floats(n, 3)),
    "cond_of_data": calling(
        lambda x, p: torch.cond(p.any(), lambda v: (v.sin(), v + 1), lambda v: (v.cos(), v * 2), (x,)),
        floats(n, 3),
        booleans(n),
    ),
    "no_grad": calling(_no_grad, floats(n, 3)),
    "grad_mode": calling(_grad_mode, floats(n, 3)),
    "autocast": calling(_autocast, floats(n, 3), refused="mixed precision"),
}
