"""Axes at whose end cells may be added without changing what was there.

An operator *extends* along an axis of an operand if, where the operand is longer along it, the result begins with
what it was: each element depends on what stands at its own place or before it, never on what follows, nor on how much
there is.  Then a batch may be padded, and the result cut off again.  An operator that has no rule here is not known to
extend along any axis.   [pass.bucket.extend]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gradual.dims.term.dim import Dim, Variable, product
from gradual.ops.declaration.operator import Operator
from gradual.ops.indexing.slice import slices_of
from gradual.ops.reduction.reductions import reduced_axes
from gradual.types.type import TensorType, TupleType

Axes = frozenset[int]
Types = Sequence[Any]
Attributes = Mapping[str, Any]
Grows = frozenset[Variable]
Rule = Callable[[Operator, Types, Attributes, Grows], Iterable[Axes]]
"""The axes along which an operator extends where some sizes grow, by operand; of a tuple, those of all its fields."""

_NONE: Axes = frozenset()


def extends(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> tuple[Axes, ...] | None:
    """The axes of each operand along which the operator extends; None where nothing is known of it."""
    rule = rule_of(operator)
    return None if rule is None else tuple(rule(operator, types, attributes, grows))


def rule_of(operator: Operator) -> Rule | None:
    """The operator's rule, if it has one."""
    return _everywhere if _is_pointwise(operator) else RULES.get(operator.name)


def _is_pointwise(operator: Operator) -> bool:
    """Whether each element of the result is made of those at its own place."""
    return operator.family == "elementwise" and operator.name != "fixed_point_multiply_per_axis"


# ----------------------------------------------------------------------------------------------------------- in general
def _rank(type: Any) -> int:
    if isinstance(type, TupleType):
        return min(map(_rank, type.fields), default=0)
    assert isinstance(type, TensorType)
    return type.rank


def _all(type: Any) -> Axes:
    return frozenset(range(_rank(type)))


def _but(type: Any, *axes: int) -> Axes:
    rank = _rank(type)
    return _all(type) - {axis % rank for axis in axes} if rank else _NONE


def _everywhere(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """Nothing is combined: elements are moved, kept or dropped by axes other than their own."""
    return map(_all, types)


def _along(name: str = "axis") -> Rule:
    """Every operand is combined along the one axis that an attribute names."""

    def rule(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
        axis = attributes[name]
        return (_NONE if axis is None else _but(type, axis) for type in types)

    return rule


def _first_along(name: str = "axis") -> Rule:
    """The first operand is combined along the axis that an attribute names; the others lie along it."""

    def rule(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
        return (_but(types[0], attributes[name]), *(_NONE for _ in types[1:]))

    return rule


def _batch_of(name: str) -> Rule:
    """The first operand's images, of which an attribute's layout says where they are counted."""

    def rule(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
        at = str(attributes[name]).find("N")
        return (frozenset({at}) if at >= 0 else _NONE, *(_NONE for _ in types[1:]))

    return rule


# ---------------------------------------------------------------------------------------------------------- one by one
def _reduced(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    for type in types:
        gone = reduced_axes(attributes["axis"], attributes["exclude"], _rank(type))
        yield _but(type, *gone) if gone else _all(type)


def _scanned(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """What is added up to a place does not hang on what follows; all axes are one where none is given."""
    yield _all(types[0]) if attributes["axis"] is not None else frozenset({0} if _rank(types[0]) else ())


def _normalized(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """All axes are combined where none is given."""
    axes = attributes["axis"]
    yield _but(types[0], *axes) if axes else _NONE


def _reshaped(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """Blocks that follow each other stay so: as many elements stand before the axis as before the one it becomes."""
    result = operator.judge(*types, **attributes).result
    assert isinstance(result, TensorType)
    starts = [_before(result.shape, axis) for axis in _growing(result.shape, grows)]
    yield frozenset(axis for axis in range(_rank(types[0])) if starts == [_before(types[0].shape, axis)])


def _growing(shape: Sequence[Any], grows: Grows) -> list[int]:
    return [axis for axis, size in enumerate(shape) if isinstance(size, Dim) and not grows.isdisjoint(size.variables())]


def _before(shape: Sequence[Any], axis: int) -> Dim:
    return product(shape[:axis])


def _tiled(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    reps = attributes["reps"]
    first = _rank(types[0]) - len(reps)
    yield _but(types[0], *(first + i for i, count in enumerate(reps) if count.value != 1 and first + i >= 0))


def _sliced(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """Axes that are kept whole."""
    given = types[0]
    slices = slices_of(given.shape, **{name: value for name, value in attributes.items() if name != "data"})
    cut = [
        axis
        for axis, along in slices.items()
        if along.start.value != 0 or along.step.value != 1 or along.count is not given.shape[axis]
    ]
    yield _but(given, *cut)


def _taken(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """The data but along the axis of which it is taken; every index by itself."""
    if attributes["axis"] is None or attributes["batch_dims"]:
        return (_NONE, _NONE if attributes["batch_dims"] else _all(types[1]))
    return _but(types[0], attributes["axis"]), _all(types[1])


def _padded(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    widths = attributes["pad_width"]
    yield _but(types[0], *(axis for axis, pair in enumerate(widths) if any(width.value != 0 for width in pair)))
    yield from (_all(type) for type in types[1:])


def _dense(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    return _but(types[0], -1), _but(types[1], 1)


def _multiplied(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """All but the two axes along which products are summed."""
    left = -2 if attributes["transpose_a"] else -1
    right = -1 if attributes["transpose_b"] else -2
    return _but(types[0], left), _but(types[1], right)


def _in_channels(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """Samples of the first operand are normalized one by one; the others lie along its channels."""
    return (frozenset({0}), *(_NONE for _ in types[1:]))


def _images(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """Images and their channels are pooled one by one."""
    return (_counted(types[0], attributes),)


def _counted(type: Any, attributes: Attributes) -> Axes:
    """The axes that count images and channels, wherever the layout has them."""
    layout = str(attributes["layout"])
    return frozenset(axis for axis, letter in enumerate(layout) if letter in "NC" and len(layout) == _rank(type))


def _sampled(operator: Operator, types: Types, attributes: Attributes, grows: Grows) -> Iterable[Axes]:
    """Images and their channels are read one by one; so is each place of the grid, whose numbers lie along axis 1."""
    return _counted(types[0], attributes), _but(types[1], 1)


SIZED = frozenset(("zeros", "ones", "full", "broadcast_to", "reshape"))
"""Operators whose result grows with a size among their attributes, and begins as it was."""


def never_spoils(operator: Operator, types: Types) -> bool:
    """Whether longer operands cannot make the meaning fault, though it may: places do not fit, integers are divided."""
    if operator.name in ("argsort", "topk"):
        return True
    return operator.name in _AVERAGES and types[0].dtype.is_float


_AVERAGES = frozenset(
    ("nn.global_avg_pool2d", "nn.adaptive_avg_pool1d", "nn.adaptive_avg_pool2d", "nn.adaptive_avg_pool3d")
)

_FAMILIES: tuple[tuple[str, Rule], ...] = (
    ("zeros ones full full_like zeros_like ones_like broadcast_to one_hot sequence_mask", _everywhere),
    ("squeeze expand_dims transpose stack nn.dropout nn.bias_add nn.batch_norm", _everywhere),
    ("annotation.stop_fusion annotation.checkpoint on_device device_copy", _everywhere),
    ("sum prod mean max min all any argmax argmin variance", _reduced),
    ("nn.softmax nn.fast_softmax nn.log_softmax nn.lrn concatenate split sort argsort topk reverse repeat", _along()),
    ("nn.layer_norm nn.prelu", _first_along()),
    ("cumsum cumprod", _scanned),
    ("nn.l2_normalize", _normalized),
    ("reshape nn.batch_flatten", _reshaped),
    ("tile", _tiled),
    ("strided_slice", _sliced),
    ("take", _taken),
    ("nn.pad nn.mirror_pad", _padded),
    ("nn.dense", _dense),
    ("nn.matmul nn.batch_matmul", _multiplied),
    ("nn.conv1d nn.conv2d nn.conv3d", _batch_of("data_layout")),
    ("nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose", _batch_of("data_layout")),
    ("nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d", _images),
    ("nn.global_max_pool2d nn.global_avg_pool2d", _images),
    ("nn.adaptive_max_pool1d nn.adaptive_max_pool2d nn.adaptive_max_pool3d", _images),
    ("nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d", _images),
    ("nn.instance_norm nn.group_norm", _in_channels),
    ("image.resize1d image.resize2d image.resize3d nn.upsampling nn.upsampling3d", _images),
    ("nn.depth_to_space nn.space_to_depth", _batch_of("layout")),
    ("image.grid_sample", _sampled),
)

RULES: Mapping[str, Rule] = {name: rule for names, rule in _FAMILIES for name in names.split()}
"""The rules of operators that are not elementwise."""
