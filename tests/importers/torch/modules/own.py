"""Six models of the kinds that people export."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F

from tests.importers.torch.modules.case import Case


class SelectiveScan(nn.Module):
    """A block of a state-space model, as in Mamba: a causal convolution, and a scan that depends on the input."""

    def __init__(self, width: int = 6, states: int = 3) -> None:
        super().__init__()
        self.states = states
        self.into = nn.Linear(width, 2 * width)
        self.conv = nn.Conv1d(width, width, 3, groups=width, padding=2)
        self.project = nn.Linear(width, 1 + 2 * states)
        self.rates = nn.Parameter(torch.rand(width, states))
        self.skip = nn.Parameter(torch.ones(width))
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The block's output."""
        length = x.shape[1]
        u, gate = self.into(x).chunk(2, dim=-1)
        u = F.silu(self.conv(u.transpose(1, 2))[..., :length].transpose(1, 2))
        step, b, c = self.project(u).split([1, self.states, self.states], dim=-1)
        step = F.softplus(step)
        decay = torch.exp(-step[..., None] * torch.exp(self.rates))
        given = (step * u)[..., None] * b[:, :, None, :]

        def turn(state: torch.Tensor, at: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, torch.Tensor]:
            state = at[0] * state + at[1]
            return state, (state * at[2][:, None, :]).sum(-1)

        from torch._higher_order_ops import scan

        start = given[:, 0] * 0
        _, y = scan(turn, start, (decay.transpose(0, 1), given.transpose(0, 1), c.transpose(0, 1)))
        return self.out((y.transpose(0, 1) + u * self.skip) * F.silu(gate))


class Experts(nn.Module):
    """A mixture of experts: each token goes to its two best experts."""

    def __init__(self, width: int = 4, experts: int = 3) -> None:
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.up = nn.Parameter(torch.randn(experts, width, 8))
        self.down = nn.Parameter(torch.randn(experts, 8, width))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The tokens, and how many went to each expert."""
        batch, length, width = x.shape
        tokens = x.reshape(-1, width)
        weights, chosen = torch.topk(self.router(tokens).softmax(-1), 2)
        weights = weights / weights.sum(-1, keepdim=True)
        mask = F.one_hot(chosen, self.router.out_features)
        out = torch.zeros_like(tokens)
        for expert in range(self.router.out_features):
            rows, place = torch.where(mask[:, :, expert].bool())
            part = F.gelu(tokens[rows] @ self.up[expert]) @ self.down[expert]
            out = out.index_add(0, rows, part * weights[rows, place][:, None])
        return out.view(batch, length, width), mask.sum((0, 1))


class Detector(nn.Module):
    """The head of a detector: scores and boxes on a grid, of which those above a threshold are kept."""

    def __init__(self, classes: int = 3) -> None:
        super().__init__()
        self.trunk = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.scores = nn.Conv2d(8, classes, 1)
        self.boxes = nn.Conv2d(8, 4, 1)

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The kept boxes with their scores and classes, the best first."""
        features = F.relu(self.trunk(image))
        height, width = features.shape[2:]
        scores = self.scores(features).sigmoid()[0].flatten(1)
        deltas = self.boxes(features)[0].flatten(1).t()
        ys, xs = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        centers = torch.stack([xs, ys], -1).reshape(-1, 2).float() * 2 + 1
        corners = torch.cat([centers - deltas[:, :2].exp(), centers + deltas[:, 2:].exp()], 1)
        best, classes = scores.max(0)
        keep = torch.nonzero(best > 0.5).squeeze(1)
        order = torch.argsort(best[keep], descending=True)
        keep = keep[order]
        return corners[keep], best[keep], classes[keep]


class Speech(nn.Module):
    """The front end of a speech model: frames under a window, a filter bank by matrices, logarithms, subsampling."""

    def __init__(self, frame: int = 8, hop: int = 4, bands: int = 5) -> None:
        super().__init__()
        self.frame, self.hop = frame, hop
        angles = 2 * math.pi * torch.arange(frame)[:, None] * torch.arange(frame // 2 + 1) / frame
        self.register_buffer("window", torch.hann_window(frame))
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())
        self.register_buffer("mel", torch.rand(frame // 2 + 1, bands))
        self.one = nn.Conv1d(bands, 6, 3, padding=1)
        self.two = nn.Conv1d(6, 6, 3, stride=2, padding=1)

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        """The features of each second frame."""
        signal = F.pad(signal, (self.frame // 2, self.frame // 2), mode="reflect")
        frames = signal.unfold(-1, self.frame, self.hop) * self.window
        power = (frames @ self.cosines) ** 2 + (frames @ self.sines) ** 2
        bands = torch.log10(torch.clamp(power @ self.mel, min=1e-10))
        bands = torch.maximum(bands, bands.amax((1, 2), keepdim=True) - 8.0)
        features = F.gelu(self.one(((bands + 4.0) / 4.0).transpose(1, 2)))
        features = F.gelu(self.two(features)).transpose(1, 2)
        angles = torch.arange(features.shape[1])[:, None] * torch.exp(torch.arange(0, 6, 2) * (-math.log(10000.0) / 6))
        return features + torch.cat([angles.sin(), angles.cos()], 1)


class Diffusion(nn.Module):
    """A block of a diffusion model: group norm, a time embedding, attention over pixels, down and up again."""

    def __init__(self, channels: int = 4) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(2, channels)
        self.one = nn.Conv2d(channels, channels, 3, padding=1)
        self.time = nn.Linear(8, channels)
        self.down = nn.Conv2d(channels, channels, 3, stride=2, padding=1)
        self.qkv = nn.Conv2d(channels, 3 * channels, 1)
        self.up = nn.Conv2d(2 * channels, channels, 3, padding=1)

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        """The predicted noise."""
        freqs = torch.exp(-math.log(10000.0) * torch.arange(4) / 4)
        angles = t.float()[:, None] * freqs
        embedding = self.time(F.silu(torch.cat([angles.cos(), angles.sin()], -1)))
        h = self.one(F.silu(self.norm(x))) + embedding[:, :, None, None]
        low = self.down(h)
        b, c, height, width = low.shape
        q, k, v = self.qkv(low).view(b, 3, c, height * width).transpose(2, 3).unbind(1)
        attended = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, c, height, width)
        up = F.interpolate(low + attended, scale_factor=2, mode="nearest")
        return self.up(torch.cat([h, up], 1)) + x


class Decoder(nn.Module):
    """A decoder's attention with a cache of a fixed length, into which keys and values go at given positions."""

    def __init__(self, width: int = 8, heads: int = 2, longest: int = 16) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.table = nn.Embedding(longest, width)
        self.register_buffer("causal", torch.ones(longest, longest).tril().bool())

    def forward(
        self, x: torch.Tensor, positions: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The tokens' states, and the caches."""
        batch, length, width = x.shape
        x = x + self.table(positions)
        q, k, v = (
            one.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for one in self.qkv(x).chunk(3, -1)
        )
        keys = keys.index_copy(2, positions, k)
        values = torch.ops.aten.index_put(values, [None, None, positions], v)
        mask = self.causal[positions][None, None]
        attended = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
        return self.out(attended.transpose(1, 2).reshape(batch, length, width)), keys, values


def _positions(size: int) -> torch.Tensor:
    return torch.arange(2, 2 + size)


def _cache(size: int) -> torch.Tensor:
    return torch.randn(2, 2, 16, 4)


CASES: dict[str, Case] = {
    "selective_scan": Case(SelectiveScan, lambda size: (torch.randn(2, size, 6),)),
    "experts": Case(Experts, lambda size: (torch.randn(2, size, 4),)),
    "detector": Case(Detector, lambda size: (torch.randn(1, 3, size * 2, size + 3) * 2,)),
    "speech": Case(Speech, lambda size: (torch.randn(2, size * 8 + 3),), where="signal_1 >= 5"),
    "diffusion": Case(
        Diffusion,
        lambda size: (torch.randn(2, 4, size * 2, size * 2 + 4), torch.arange(2)),
        where="x_2 % 2 == 0, x_3 % 2 == 0",
    ),
    "decoder": Case(
        Decoder, lambda size: (torch.randn(2, size, 8), _positions(size), _cache(size), _cache(size)), sizes=(5, 1, 8)
    ),
}
