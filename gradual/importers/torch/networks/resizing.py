"""Resizing and sampling of signals, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.types.dtype import DType


def _names() -> list[str]:
    """The names of the operators: `upsample_nearest2d.vec`, `_upsample_nearest_exact1d.default`, ..."""
    each = {"linear": (1,), "bilinear": (2,), "trilinear": (3,), "bicubic": (2,)}
    found = [f"upsample_{kind}{count}d" for kind, counts in each.items() for count in counts]
    found += [f"{kind}{count}d" for kind in ("upsample_nearest", "_upsample_nearest_exact") for count in (1, 2, 3)]
    return [f"aten.{name}.{form}" for name in found for form in ("vec", "default")]


@imports(*_names())
def upsample(use: Use) -> Value:
    """An image resized to given spatial sizes, or by factors; sizes are rounded down."""
    x = use["input" if "input" in use.node.arguments else "self"]
    count = int(use.node.operator.split(".")[1][-2])
    factors = _factors(use, count)
    if use.given("output_size") is None:
        if factors is None:
            raise Unsupported("neither a size nor a factor")
        sizes = [_scaled(use, x, 2 + at, factor) for at, factor in enumerate(factors)]
    else:
        sizes = use.sizes("output_size")
    if factors is None or use.flag("align_corners") or all(_is_plain(factor) for factor in factors):
        return _resized(use, x, sizes)
    for at, (size, factor) in enumerate(zip(sizes, factors, strict=True)):
        x = _stretched(use, x, 2 + at, size, factor)
    return x


def _factors(use: Use, count: int) -> list[float] | None:
    """The factors, if one is given for each spatial axis: PyTorch then samples at coordinates divided by them.

    Otherwise None: the sizes determine the coordinates.
    """
    given = use.given("scale_factors")
    if given is None:
        parts = [use.given(name) for name in ("scales_d", "scales_h", "scales_w")[3 - count :]]
        given = [use.given("scales")] if count == 1 and "scales" in use.node.arguments else parts
    factors = [factor for factor in given if isinstance(factor, int | float)]
    return [float(factor) for factor in factors] if len(factors) == count else None


def _is_plain(factor: float) -> bool:
    """Whether any size times the factor is an integer, so that the sizes determine the factor."""
    return factor.is_integer() and factor >= 1


def _scaled(use: Use, x: Value, axis: int, factor: float) -> int | Value:
    """The size of an axis times a factor, rounded down."""
    size = use.extent(x, axis)
    above, below = float(factor).as_integer_ratio()
    if abs(above) < 2**31 and below < 2**16:
        scaled = use.call("multiply", size, use.builder.number(above, DType.INT64))
        if below > 1:
            scaled = use.call("floor_divide", scaled, use.builder.number(below, DType.INT64))
    else:
        product = use.call("multiply", use.as_type(size, DType.FLOAT64), use.builder.number(factor, DType.FLOAT64))
        scaled = use.as_type(use.call("floor", product), DType.INT64)
    return use.written_size(scaled)


def _resized(use: Use, x: Value, sizes: Sequence[int | Value]) -> Value:
    """The image resized to given sizes, which determine the sampled coordinates."""
    kind = use.node.operator
    settings = {"coordinate_transformation_mode": "align_corners" if use.flag("align_corners") else "half_pixel"}
    if "nearest" in kind:
        is_exact = "exact" in kind
        settings = {
            "coordinate_transformation_mode": "half_pixel" if is_exact else "asymmetric",
            "rounding_method": "round" if is_exact else "floor",
        }
    method = "nearest_neighbor" if "nearest" in kind else "cubic" if "cubic" in kind else "linear"
    alpha = -0.75 if method == "cubic" else None
    return use.call(f"image.resize{x.rank - 2}d", x, size=sizes, method=method, cubic_alpha=alpha, **settings)


def _stretched(use: Use, x: Value, axis: int, size: int | Value, factor: float) -> Value:
    """Resize one axis by a factor: index i of the result samples the data near coordinate i / factor."""
    kind, builder = use.node.operator, use.builder
    if "cubic" in kind:
        raise Unsupported(f"bicubic interpolation by the factor {factor}; give the size instead")
    scalars = [builder.number(0, DType.INT64), _scalar(use, size), builder.number(1, DType.INT64)]
    steps = use.as_type(use.call("arange", *scalars, dtype=DType.INT64), DType.FLOAT32)
    is_plain = "nearest" in kind and "exact" not in kind
    middle = steps if is_plain else use.call("add", steps, use.like(0.5, steps))
    place = use.call("multiply", middle, use.like(1.0 / factor, steps))
    if "nearest" in kind:
        return use.call("take", x, use.as_type(use.call("floor", place), DType.INT64), axis=axis, mode="clip")
    place = use.call("maximum", use.call("subtract", place, use.like(0.5, place)), use.like(0.0, place))
    low = use.call("floor", place)
    weight = use.as_type(use.call("subtract", place, low), x.dtype)
    if axis < x.rank - 1:
        weight = use.call("expand_dims", weight, axis=1, num_newaxis=x.rank - 1 - axis)
    first = use.as_type(low, DType.INT64)
    second = use.call("add", first, builder.number(1, DType.INT64))
    one, other = (use.call("take", x, places, axis=axis, mode="clip") for places in (first, second))
    return use.call("add", one, use.call("multiply", use.call("subtract", other, one), weight))


def _scalar(use: Use, size: int | Value) -> Value:
    return size if isinstance(size, Value) else use.builder.number(size, DType.INT64)


# ---------------------------------------------------------------------------------------------------------- sampling
@imports("aten.grid_sampler.default", "aten.grid_sampler_2d.default", "aten.grid_sampler_3d.default")
def grid_sample(use: Use) -> Value:
    """The image sampled at the points of a grid, whose last axis has their coordinates."""
    x, grid = use["input"], use["grid"]
    methods = ("bilinear", "nearest", "bicubic")
    paddings = ("zeros", "border", "reflection")
    order = [0, grid.rank - 1, *range(1, grid.rank - 1)]
    return use.call(
        "image.grid_sample",
        x,
        use.call("transpose", grid, axes=order),
        method=methods[use.integer("interpolation_mode", 0)],
        padding_mode=paddings[use.integer("padding_mode", 0)],
        align_corners=use.flag("align_corners"),
        layout="NCDHW" if x.rank == 5 else None,
    )


@imports("aten.affine_grid_generator.default")
def affine_grid(use: Use) -> Value:
    """For each pixel of the result, the coordinates that an affine map samples."""
    theta, sizes = use["theta"], use.sizes("size")
    if len(sizes) != 4:
        raise Unsupported("an affine grid of a volume")
    if not use.flag("align_corners"):
        height, width = sizes[2:]
        if not isinstance(height, int) or not isinstance(width, int):
            raise Unsupported("an affine grid whose size is not known here")
        factors = [(width - 1) / width, (height - 1) / height, 1.0]
        parts = use.call("stack", use.builder.tuple([use.like(one, theta) for one in factors]), axis=0)
        theta = use.call("multiply", theta, parts)
    return use.call("transpose", use.call("image.affine_grid", theta, target_shape=sizes[2:]), axes=[0, 2, 3, 1])
