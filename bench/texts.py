"""Programs of any size, written as TVM 0.12 prints them: one graph binding a line, its type in a comment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Page:
    """A function while it is written.

    Attributes:
        operators: how many operators have been applied; a projection is none.
    """

    params: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    operators: int = 0

    def param(self, name: str, type: str) -> str:
        """Declare a parameter."""
        self.params.append(f"%{name}: {type} /* ty={type} */")
        return f"%{name}"

    def bind(self, value: str, type: str) -> str:
        """Bind the next graph variable to an expression."""
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = {value} /* ty={type} */;")
        return name

    def apply(self, call: str, type: str) -> str:
        """Bind the next graph variable to an operator's result."""
        self.operators += 1
        return self.bind(call, type)

    def text(self, result: str, type: str) -> str:
        """The file whose `@main` returns a variable."""
        head = f'#[version = "0.0.5"]\ndef @main({", ".join(self.params)}) -> {type} {{'
        return "\n".join((head, *self.lines, f"  {result}", "}", ""))


def cnn(operators: int, batch: str = "1") -> str:
    """A straight-line residual network with at least so many operators; `batch` may be `?` or a name."""
    page = Page()
    channels, side = 64, 56
    image = f"Tensor[({batch}, {channels}, {side}, {side}), float32]"
    vector, kernel = f"Tensor[({channels}), float32]", f"Tensor[({channels}, {channels}, 3, 3), float32]"
    value = page.param("data", image)
    while page.operators < operators:
        value = _residual_unit(page, value, image, vector, kernel)
    return page.text(value, image)


def _residual_unit(page: Page, value: str, image: str, vector: str, kernel: str) -> str:
    """Two convolutions with a bias, a normalization, a pooling that keeps the size, and the shortcut: ten operators."""
    unit, shortcut = f"u{page.operators}", value
    norm = [page.param(f"{unit}_{part}", vector) for part in ("gamma", "beta", "mean", "var")]
    triple = f"({image}, {vector}, {vector})"
    value = page.apply(f"nn.batch_norm({value}, {', '.join(norm)}, epsilon=2e-05f)", triple)
    value = page.bind(f"{value}.0", image)
    for side in ("a", "b"):
        weight, bias = page.param(f"{unit}_{side}_weight", kernel), page.param(f"{unit}_{side}_bias", vector)
        attributes = "padding=[1, 1, 1, 1], channels=64, kernel_size=[3, 3]"
        value = page.apply(f"nn.conv2d({value}, {weight}, {attributes})", image)
        value = page.apply(f"nn.bias_add({value}, {bias})", image)
        value = page.apply(f"nn.relu({value})", image)
    value = page.apply(f"nn.max_pool2d({value}, pool_size=[3, 3], strides=[1, 1], padding=[1, 1, 1, 1])", image)
    value = page.apply(f"add({value}, {shortcut})", image)
    return page.apply(f"nn.relu({value})", image)


def shape_chain(blocks: int) -> str:
    """Blocks of shape_of, take, concatenate and dyn.reshape: as exporters split heads off and put them back."""
    page = Page()
    whole, split = "Tensor[(?, ?, 96), float32]", "Tensor[(?, ?, 4, 24), float32]"
    value = page.param("data", whole)
    for block in range(blocks):
        tails, wanted = (("96i64",), whole) if block % 2 else (("4i64", "24i64"), split)
        shape = page.apply(f'shape_of({value}, dtype="int64")', f"Tensor[({len(tails) + 2}), int64]")
        sizes = [page.apply(f"take({shape}, {axis}i64 /* ty=int64 */, axis=0)", "int64") for axis in (0, 1)]
        sizes += [f"{tail} /* ty=int64 */" for tail in tails]
        vectors = [page.apply(f"expand_dims({size}, axis=0)", "Tensor[(1), int64]") for size in sizes]
        fields = page.bind(f"({', '.join(vectors)})", f"({', '.join(['Tensor[(1), int64]'] * len(vectors))})")
        joined = page.apply(f"concatenate({fields})", f"Tensor[({len(vectors)}), int64]")
        value = page.apply(f"dyn.reshape({value}, {joined}, newshape=[])", wanted)
    return page.text(value, whole if blocks % 2 == 0 else split)


def turned_chain(blocks: int, allowzero: bool = True) -> str:
    """Blocks that turn a shape round and round; without `allowzero` each size may be a 0 that copies another."""
    page = Page()
    cube, triple = "Tensor[(?, ?, ?), float32]", "Tensor[(3), int64]"
    value = page.param("data", cube)
    for _ in range(blocks):
        shape = page.apply(f'shape_of({value}, dtype="int64")', triple)
        last = page.apply(f"take({shape}, 2i64 /* ty=int64 */, axis=0)", "int64")
        last = page.apply(f"expand_dims({last}, axis=0)", "Tensor[(1), int64]")
        slice = f'strided_slice({shape}, begin=[0], end=[2], strides=[1], slice_mode="end", axes=None)'
        first = page.apply(slice, "Tensor[(2), int64]")
        pair = page.bind(f"({last}, {first})", "(Tensor[(1), int64], Tensor[(2), int64])")
        turned = page.apply(f"concatenate({pair})", triple)
        value = page.apply(f"dyn.reshape({value}, {turned}, newshape=[], allowzero={allowzero})", cube)
    return page.text(value, cube)


def transformer(layers: int, batch: str = "b", length: str = "s", width: int = 96, heads: int = 4) -> str:
    """Encoder layers over a batch and a length that are not known."""
    page = Page()
    tokens = f"Tensor[({batch}, {length}, {width}), float32]"
    value = page.param("data", tokens)
    for layer in range(layers):
        value = _attention(page, value, f"h{layer}", width, heads)
        value = _feed_forward(page, value, f"h{layer}", width)
    return page.text(value, tokens)


def _attention(page: Page, value: str, layer: str, width: int, heads: int) -> str:
    head = width // heads
    rows, parts, wide = (
        f"Tensor[(?, ?, {width}), float32]",
        f"Tensor[(?, {heads}, ?, {head}), float32]",
        "Tensor[(?, ?, ?), float32]",
    )
    normal = _normalized(page, value, f"{layer}_1", width)
    flat = []
    for name in ("query", "key", "value"):
        part = _projected(page, normal, f"{layer}_{name}", width, width)
        part = page.apply(
            f"reshape({part}, newshape=[0, 0, {heads}, {head}])", f"Tensor[(?, ?, {heads}, {head}), float32]"
        )
        part = page.apply(f"transpose({part}, axes=[0, 2, 1, 3])", parts)
        flat.append(page.apply(f"reshape({part}, newshape=[-3, 0, 0])", f"Tensor[(?, ?, {head}), float32]"))
    query, key, content = flat
    scores = page.apply(f"nn.batch_matmul({query}, {key}, transpose_b=True)", wide)
    scores = page.apply(f"multiply({scores}, 0.204124f /* ty=float32 */)", wide)
    weights = page.apply(f"nn.softmax({scores})", wide)
    mixed = page.apply(f"nn.batch_matmul({weights}, {content}, transpose_b=False)", wide)
    mixed = page.apply(f"reshape({mixed}, newshape=[-4, -1, {heads}, -2])", parts)
    mixed = page.apply(f"transpose({mixed}, axes=[0, 2, 1, 3])", f"Tensor[(?, ?, {heads}, {head}), float32]")
    mixed = page.apply(f"reshape({mixed}, newshape=[0, 0, -3])", rows)
    return page.apply(f"add({_projected(page, mixed, f'{layer}_out', width, width)}, {value})", rows)


def _feed_forward(page: Page, value: str, layer: str, width: int) -> str:
    rows, inner = f"Tensor[(?, ?, {width}), float32]", f"Tensor[(?, ?, {4 * width}), float32]"
    hidden = _projected(page, _normalized(page, value, f"{layer}_2", width), f"{layer}_up", width, 4 * width)
    hidden = page.apply(f"nn.relu({hidden})", inner)
    return page.apply(f"add({_projected(page, hidden, f'{layer}_down', 4 * width, width)}, {value})", rows)


def _normalized(page: Page, value: str, layer: str, width: int) -> str:
    vector = f"Tensor[({width}), float32]"
    scale, shift = page.param(f"{layer}_scale", vector), page.param(f"{layer}_shift", vector)
    return page.apply(f"nn.layer_norm({value}, {scale}, {shift})", f"Tensor[(?, ?, {width}), float32]")


def _projected(page: Page, value: str, layer: str, width: int, out: int) -> str:
    weight = page.param(f"{layer}_weight", f"Tensor[({out}, {width}), float32]")
    bias = page.param(f"{layer}_bias", f"Tensor[({out}), float32]")
    type = f"Tensor[(?, ?, {out}), float32]"
    product = page.apply(f"nn.dense({value}, {weight}, units={out})", type)
    return page.apply(f"nn.bias_add({product}, {bias}, axis=-1)", type)


HARD = """def @main(%x: Tensor[(a, b, c), float32], %y: Tensor[(a * a * a + b * b * b,), float32]) {
  %y as Tensor[(c * c * c + 1,), float32]
}
"""

SMALL = """def @head(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) -> Tensor[(?, 10), float32] {
  %0 = nn.dense(%x, %w, units=None);
  %1 = nn.relu(%0);
  %2 = nn.softmax(%1);
  let %y = multiply(%2, 2f);
  let %z = add(%y, %2);
  let %t = (%y, %z);
  let %u = %t.1;
  %u
}
"""
"""Ten lines, for the time it takes to start."""


@dataclass(frozen=True, slots=True)
class Family:
    """Programs of one kind; a unit of its sizes is an operator, a block or a layer."""

    name: str
    unit: str
    make: Callable[[int], str]
    sizes: tuple[int, ...]
    quick: tuple[int, ...]


def families() -> Iterator[Family]:
    """Every family, with the sizes measured by default."""
    sizes, quick = (1_000, 5_000, 20_000, 100_000), (1_000, 5_000)
    yield Family("cnn", "operators", cnn, sizes, quick)
    yield Family("cnn, any batch", "operators", lambda size: cnn(size, "?"), sizes, quick)
    yield Family("cnn, named batch", "operators", lambda size: cnn(size, "n"), sizes[:3], quick)
    blocks = (500, 2_000, 8_000, 20_000)
    yield Family("shape chain", "blocks", shape_chain, blocks, (200, 1_000))
    yield Family("shape chain, turned", "blocks", turned_chain, blocks, (200, 1_000))
    yield Family("shape chain, zeros", "blocks", lambda size: turned_chain(size, False), (6, 12, 24, 48), (6, 12))
    yield Family("transformer", "layers", transformer, (12, 24, 48, 96), (12, 24))
    yield Family(
        "transformer, any size", "layers", lambda size: transformer(size, "?", "?"), (12, 24, 48, 96), (12, 24)
    )
