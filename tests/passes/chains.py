"""Chains of operators on a padded batch: whatever is accepted gives the same bits, whatever mixes rows is refused.

`python -m tests.passes.chains 3000` draws more of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from random import Random
from typing import Any

import gradual
from gradual import Compilation
from gradual.passes.framework.pass_ import Unusable
from gradual.run.value import Stop
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Value
from gradual.types.dtype import DType

RULES: dict[str, tuple[str, ...]] = {
    "A>B": (
        "transpose({0}, axes=[1, 0])",
        "reshape({0}, newshape=[4, -1])",
    ),
    "A>C": ("reshape({0}, newshape=[-1, 2, 2])",),
    "A>A": (
        "nn.relu({0})",
        "nn.softmax({0})",
        "nn.softmax({0}, axis=0)",
        "cumsum({0}, axis=0)",
        "cumsum({0}, axis=1, exclusive=True)",
        "reverse({0}, axis=1)",
        "reverse({0}, axis=0)",
        "sort({0}, axis=0)",
        "sort({0}, axis=1)",
        'nn.layer_norm({0}, ones(shape=[4], dtype="float32"), zeros(shape=[4], dtype="float32"))',
        "nn.dense({0}, %w)",
        "nn.bias_add({0}, %b)",
        "add({0}, %b)",
        "take({0}, [1, 0, 3, 2], axis=1)",
        "take({0}, [0], axis=0) + {0}",
        "concatenate((take({0}, [2, 3], axis=1), strided_slice({0}, begin=[0], end=[2], axes=[1])), axis=1)",
        "nn.batch_norm({0}, %b, %b, %b, exp(%b)).0",
        "repeat(strided_slice({0}, begin=[0], end=[2], axes=[1]), repeats=2, axis=1)",
        "nn.l2_normalize({0}, eps=0.1, axis=[0, 1])",
        "nn.l2_normalize({0}, eps=0.1, axis=[1])",
        "{0} + reshape(max({0}, axis=[1]), newshape=[-1, 1])",
        "clip({0}, a_min=0.0, a_max=0.5)",
        "nn.prelu({0}, %b)",
        'one_hot(cast(take({0}, 0, axis=1), dtype="int32"), 1f, 0f, depth=4, axis=-1, dtype="float32")',
        "broadcast_to({0}, shape=[n, 4])",
        "zeros_like({0})",
        'where({0} > 0f, {0}, ones(shape=[n, 4], dtype="float32"))',
        "tile(strided_slice({0}, begin=[0], end=[2], axes=[1]), reps=[1, 2])",
        "nn.lrn({0}, size=3, axis=1)",
        "nn.lrn({0}, size=3, axis=0)",
    ),
    "AA>A": (
        "add({0}, {1})",
        "where({0} > {1}, {0}, {1})",
        "maximum({0}, {1})",
        "subtract({0}, {1})",
        "squeeze(take(stack(({0}, {1}), axis=0), [1], axis=0), axis=[0])",
        "squeeze(take(stack(({0}, {1}), axis=1), [1], axis=1), axis=[1])",
        "nn.dense({0}, nn.dense(transpose({1}, axes=[1, 0]), transpose({0}, axes=[1, 0])))",
    ),
    "B>A": (
        "transpose({0}, axes=[1, 0])",
        "reshape({0}, newshape=[-1, 4])",
    ),
    "B>B": (
        "nn.softmax({0})",
        "nn.softmax({0}, axis=0)",
        "exp({0})",
        "cumsum({0}, axis=1)",
        "reverse({0}, axis=1)",
        "nn.bias_add({0}, %b, axis=0)",
        "nn.matmul(%w, {0})",
        "nn.dense(%w, transpose({0}, axes=[1, 0]))",
    ),
    "C>A": (
        "nn.batch_flatten({0})",
        "reshape({0}, newshape=[0, -1])",
        "reshape({0}, newshape=[-1, 4])",
    ),
    "C>C": (
        "nn.batch_matmul({0}, {0})",
        "transpose({0}, axes=[0, 2, 1])",
        "nn.softmax({0}, axis=1)",
        'nn.batch_matmul({0}, ones(shape=[1, 2, 2], dtype="float32"))',
        'nn.conv1d({0}, ones(shape=[2, 2, 1], dtype="float32"))',
        "nn.max_pool1d({0}, pool_size=[1])",
        "nn.adaptive_avg_pool1d({0}, output_size=[2])",
        'nn.instance_norm({0}, ones(shape=[2], dtype="float32"), ones(shape=[2], dtype="float32"))',
    ),
    "C>E": (
        "transpose({0}, axes=[1, 2, 0])",
        "reshape({0}, newshape=[2, 2, -1])",
    ),
    "E>C": (
        "transpose({0}, axes=[2, 0, 1])",
        "reshape({0}, newshape=[-1, 2, 2])",
    ),
    "E>E": (
        "cumsum({0}, axis=2)",
        'nn.conv1d({0}, ones(shape=[2, 2, 1], dtype="float32"))',
        'nn.conv1d({0}, ones(shape=[2, 2, 3], dtype="float32"), padding=[1, 1])',
        "sum({0}, axis=[0], keepdims=True) + {0}",
        "sum({0}, axis=[2], keepdims=True) + {0}",
        "nn.softmax({0}, axis=0)",
        "nn.max_pool1d({0}, pool_size=[1])",
    ),
    "A>D": (
        "sum({0}, axis=[1])",
        "max({0}, axis=[1])",
        "mean({0}, axis=[0], exclude=True)",
        "take({0}, 2, axis=1)",
        'cast(argmax({0}, axis=1), dtype="float32")',
        "reshape(strided_slice({0}, begin=[0], end=[1], axes=[1]), newshape=[-1])",
    ),
    "D>D": (
        "cumsum({0}, axis=0)",
        "sort({0})",
        "nn.softmax({0})",
        "exp({0})",
        "cumsum({0})",
        "reverse({0}, axis=0)",
    ),
    "AD>A": (
        "{0} * expand_dims({1}, axis=1)",
        "nn.bias_add({0}, {1}, axis=0)",
        "transpose(transpose({0}, axes=[1, 0]) + {1}, axes=[1, 0])",
        "sequence_mask({0}, {1}, axis=1)",
        "sequence_mask({0}, %b, axis=0)",
        'take({0}, cast({1}, dtype="int32"), axis=0)',
        'take(%w, cast({1}, dtype="int32"), axis=0)',
    ),
    "A>F": ("reshape({0}, newshape=[-1])",),
    "F>A": ("reshape({0}, newshape=[-1, 4])",),
    "F>F": (
        "exp({0})",
        "cumsum({0})",
        "reverse({0}, axis=0)",
        "nn.softmax({0})",
    ),
    "F>B": ("reshape({0}, newshape=[4, -1])",),
    "FF>F": ("{0} + {1}",),
}
"""What may be applied to values of some forms, and the form that it has: some keep rows apart, some do not.

A is (n, 4), B is (4, n), C is (n, 2, 2), D is (n,), E is (2, 2, n), F is (4 * n,).
"""

SIZES = (1, 2, 4, 6, 7)
CELLS = ("0", "7", "-inf", "nan")


def chain(random: Random) -> str:
    """A program of a few operators, each on values that there are."""
    rules = [(*key.split(">"), text) for key, texts in RULES.items() for text in texts]
    pool: dict[str, list[str]] = {"A": ["%x"]}
    lines = []
    for step in range(random.randint(2, 7)):
        given, made, text = random.choice([rule for rule in rules if all(form in pool for form in rule[0])])
        operands = [pool[form][-1] if random.random() < 0.7 else random.choice(pool[form]) for form in given]
        lines.append(f"  let %v{step} = {text.format(*operands)};")
        pool.setdefault(made, []).append(f"%v{step}")
    return "\n".join(
        (
            "def @main(%x: Tensor[(n, 4), float32], %w: Tensor[(4, 4), float32], %b: Tensor[(4,), float32])",
            "  where n > 0 {",
            *lines,
            f"  %v{step}",
            "}",
        )
    )


def bits(value: Value) -> Any:
    """A value so that equal ones have the same bits."""
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    assert isinstance(value, Tensor)
    return value.shape, value.dtype, bytes(value.elements)


def ended(found: Compilation, *values: Value) -> Any:
    """How a run ends: the bits of its value, or the label that stopped it."""
    try:
        return bits(found.run("@main", *values))
    except Stop as stop:
        return stop.code, stop.diagnostic.rule, stop.span


def breach(seed: int) -> tuple[bool, str | None]:
    """Whether padding was accepted for a chain, and at which program its value is another one."""
    random = Random(f"chain {seed}")
    text = chain(random)
    before = gradual.check(text)
    assert before.ok, text
    try:
        after = gradual.apply(before, "bucket", "n=1,3,6", f"pad={random.choice(CELLS)}")
    except Unusable:
        return False, None
    shapes: Sequence[tuple[int, ...]] = ((4, 4), (4,))
    weights = [random_tensor(shape, DType.FLOAT32, 2) for shape in shapes]
    for n in SIZES:
        x = random_tensor((n, 4), DType.FLOAT32, seed)
        if ended(before, x, *weights) != ended(after, x, *weights):
            return True, f"n = {n}\n{text}"
    return True, None


def main(count: int) -> None:
    """Draw so many chains, and tell what is wrong."""
    accepted = 0
    for seed in range(count):
        taken, wrong = breach(seed)
        accepted += taken
        assert wrong is None, f"seed {seed}: {wrong}"
    print(f"{count} chains, {accepted} padded, all with the bits that they had")


if __name__ == "__main__":
    main(int(sys.argv[1]))
