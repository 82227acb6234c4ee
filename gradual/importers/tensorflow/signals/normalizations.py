"""Normalizations of images by channels, and by neighbouring channels."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term, extent, greater, product, rsqrt
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports

LAYOUTS = "NHWC", "NCHW", "NDHWC", "NCDHW"


@imports("FusedBatchNorm", results=("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"))
@imports(
    *("FusedBatchNormV2", "FusedBatchNormV3"),
    results=("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"),
)
def batch_norm(use: Use) -> Sequence[Value | None]:
    """Each channel normalized by a given mean and variance, or in training by its own; then scaled and shifted."""
    layout = use.only("data_format", *LAYOUTS)
    x = use.ranked(0, len(layout))
    wide, axis = use.as_type(x, use[1].dtype), layout.index("C")
    made = _by_batch if use.flag("is_training", True) else _by_given
    found, mean, variance = made(use, wide, axis)
    return [use.as_type(found, x.dtype), mean, variance, None, None, None]


def _by_given(use: Use, x: Value, axis: int) -> tuple[Value, Value, Value]:
    """The normalized elements, and the given mean and variance."""
    epsilon = use.real("epsilon", 1e-4)
    found = use.call("nn.batch_norm", x, *use.tensors(1, 5), axis=axis, epsilon=epsilon)
    return use.counted(found, 3)[0], use[3], use[4]


def _by_batch(use: Use, x: Value, axis: int) -> tuple[Value, Value, Value]:
    """The normalized elements, and the mean and the unbiased variance of each channel, or moving averages of them."""
    weight = use.real("exponential_avg_factor", 1.0)
    vectors = use.tensors(1, 3 if weight == 1.0 else 5)
    for at, vector in enumerate(vectors):
        x, vectors[at] = use.agreeing(x, axis, vector, 0)
    others = [at for at in range(x.rank) if at != axis]
    mean = use.call("mean", x, axis=others, keepdims=True)
    variance = use.call("variance", x, mean, axis=others, keepdims=True)
    scale, offset = (Term(use, _lane(use, one, x.rank - 1 - axis)) for one in vectors[:2])
    factor = rsqrt(Term(use, variance) + use.real("epsilon", 1e-4)) * scale
    found = (Term(use, x) - Term(use, mean)) * factor + offset
    count = product(extent(use, x, at) for at in others)
    rest = greater(count - 1, 1).to(x.dtype)
    unbiased = Term(use, variance) * count.to(x.dtype) / rest
    own = [Term(use, use.call("squeeze", one.value, axis=others)) for one in (Term(use, mean), unbiased)]
    if weight != 1.0:
        own = [Term(use, old) * (1.0 - weight) + one * weight for old, one in zip(vectors[2:], own, strict=True)]
    return found.value, own[0].value, own[1].value


def _lane(use: Use, vector: Value, after: int) -> Value:
    """A vector along an axis that `after` others follow."""
    return use.call("expand_dims", vector, axis=1, num_newaxis=after) if after else vector


@imports("LRN")
def local_response(use: Use) -> Value:
    """Each element divided by a power of the sum of squares of the channels around it."""
    x, size = use.ranked(0, 4), 2 * use.number("depth_radius", 5) + 1
    settings = {name: use.real(name, usual) for name, usual in (("bias", 1.0), ("beta", 0.5))}
    return use.call("nn.lrn", x, size=size, axis=3, alpha=use.real("alpha", 1.0) * size, **settings)
