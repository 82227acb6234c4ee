"""Makes `encoder.pt2`: the embeddings of a text encoder that has 16 positions, and promises to take any text."""

import torch
from torch import Tensor, nn
from torch.export import Dim, export, save


class Encoder(nn.Module):
    """Words and their positions, added."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(100, 4)
        self.positions = nn.Parameter(torch.arange(16 * 4).reshape(16, 4) % 7 / 8)

    def forward(self, ids: Tensor) -> Tensor:
        embedded = self.words(ids)
        placed = self.positions[: ids.shape[1]]
        return embedded + placed


if __name__ == "__main__":
    torch.manual_seed(0)
    ids = torch.zeros(2, 7, dtype=torch.int64)
    sizes = {"ids": {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}}
    save(export(Encoder().eval(), (ids,), dynamic_shapes=sizes), "examples/encoder.pt2")
