"""The translation table for operators of PyTorch, NumPy, TensorFlow, JAX and ONNX.

A row has the foreign names, the parameters in the foreign order and the translation. `*axes` takes all arguments that
are left; `axis=1` matches only if `1` or nothing is passed. `{x}` is an argument's text; a part between `<` and `>` is
omitted if its parameter was not passed.  Names are compared without their module and case-insensitively.  A name
after `=` is also that of an operator of this language; the row then translates another system's arguments.  Any other
row is skipped if an operator has its name.
[name.operator]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from gradual.record import record

_ROWS = """
view =reshape resize | x *newshape | reshape({x}, newshape={newshape})
swapaxes swapdims =transpose | x a b | {swapped}
permute | x *axes | transpose({x}, axes={axes})
=transpose | x *axes | {ordered}
t | x | transpose({x})
mt matrix_transpose | x | {swapped}
unsqueeze expanddims | x axis | expand_dims({x}, axis={axis})
=squeeze | x axis | squeeze({x}<, axis={axis}>)
flatten | x axis=1 end=-1 | nn.batch_flatten({x})
flatten ravel | x | reshape({x}, newshape=[-1])
cat concat =concatenate concat_v2 | xs axis | concatenate({xs}, axis={axis})
cat concat =concatenate hstack | *tensors axis | concatenate(({tensors})<, axis={axis}>)
vstack | *tensors | concatenate(({tensors}), axis=0)
chunk | x n axis | split({x}, indices_or_sections={n}<, axis={axis}>)
=matmul mm dot | a b | nn.matmul({a}, {b})
=matmul bmm dot | a b | nn.batch_matmul({a}, {b})
=matmul dot | a b | einsum(({a}, {b}), equation="...ij,...jk->...ik")
linear fullyconnected | x w | nn.dense({x}, {w})
linear fullyconnected | x w b | nn.bias_add(nn.dense({x}, {w}), {b}, axis=-1)
gemm addmm | a b c | nn.matmul({a}, {b}) + {c}
embedding embedding_lookup | ids table | take({table}, {ids}, axis=0)
embedding embedding_lookup | table ids | take({table}, {ids}, axis=0)
index_select | x axis i | take({x}, {i}, axis={axis})
=gather | x i axis | take({x}, {i}<, axis={axis}>)
=gather | x axis i | gather({x}, {i}, axis={axis})
gelu | x | 0.5f * {x} * (1f + erf({x} * 0.70710678f))
silu swish | x | {x} * sigmoid({x})
relu6 | x | clip({x}, a_min=0f, a_max=6f)
hardtanh | x a_min a_max | clip({x}, a_min={a_min}, a_max={a_max})
softplus | x | log(exp({x}) + 1f)
mish | x | {x} * tanh(log(exp({x}) + 1f))
hardsigmoid | x | clip({x} / 6f + 0.5f, a_min=0f, a_max=1f)
hardswish | x | {x} * clip({x} / 6f + 0.5f, a_min=0f, a_max=1f)
square | x | {x} * {x}
reciprocal | x | 1f / {x}
clamp =clip | x a_min a_max | clip({x}, a_min={a_min}, a_max={a_max})
neg | x | negative({x})
masked_fill | x mask value | where({mask}, full_like({x}, {value}), {x})
=logical_and =bitwise_and | a b | logical_and({a}, {b})
pow =power | a b | power({a}, {b})
mul =multiply | a b | multiply({a}, {b})
sub =subtract | a b | subtract({a}, {b})
div =divide truediv true_divide realdiv | a b | divide({a}, {b})
floordiv | a b | floor_divide({a}, {b})
fmod | a b | mod({a}, {b})
remainder | a b | floor_mod({a}, {b})
eq =equal | a b | equal({a}, {b})
ne =not_equal notequal | a b | not_equal({a}, {b})
lt =less | a b | less({a}, {b})
le =less_equal | a b | less_equal({a}, {b})
gt =greater | a b | greater({a}, {b})
ge =greater_equal | a b | greater_equal({a}, {b})
=bitwise_not invert =logical_not | a | logical_not({a})
size | x axis | dim({x}, {axis})
shape size | x | shape_of({x})
numel | x | ndarray_size({x})
to type astype =cast convert_element_type | x dtype | cast({x}, dtype={dtype})
float | x | cast({x}, dtype="float32")
double | x | cast({x}, dtype="float64")
half | x | cast({x}, dtype="float16")
bfloat16 | x | cast({x}, dtype="bfloat16")
int | x | cast({x}, dtype="int32")
long | x | cast({x}, dtype="int64")
bool | x | cast({x}, dtype="bool")
contiguous detach clone identity stop_gradient noop cpu cuda asarray array tensor constant | x | {x}
expand =broadcast_to | x *shape | {expanded}
=full fill | shape value | full({value}, shape={shape})
=repeat =tile | x *reps | tile({x}, reps={reps})
repeat_interleave | x n axis | repeat({x}, repeats={n}<, axis={axis}>)
=sort | x axis descending | sort({x}<, axis={axis}><, is_ascend={descending}>)
=argsort | x axis descending | argsort({x}<, axis={axis}><, is_ascend={descending}>)
=topk top_k | x k axis largest sorted | topk({x}, k={k}<, axis={axis}><, is_ascend={largest}>)
flip =reverse | x axis | reverse({x}, axis={axis})
=layer_norm layernorm | x shape w b eps | nn.layer_norm({x}, {w}, {b}<, epsilon={eps}>)
layernormalization =layer_norm layernorm | x w b eps | nn.layer_norm({x}, {w}, {b}<, epsilon={eps}>)
=batch_norm | x mean var w b | nn.batch_norm({x}, {w}, {b}, {mean}, {var}).0
batchnormalization =batch_norm | x w b mean var | nn.batch_norm({x}, {w}, {b}, {mean}, {var}).0
=conv2d conv | x w b stride padding | nn.bias_add(nn.conv2d({x}, {w}<, strides={stride}><, padding={padding}>), {b})
=conv2d conv | x w | nn.conv2d({x}, {w})
=conv1d | x w b stride padding | nn.bias_add(nn.conv1d({x}, {w}<, strides={stride}><, padding={padding}>), {b})
=einsum | equation *tensors | einsum(({tensors}), equation={equation})
triu | x k | trilu({x}, {k}, upper=True)
tril | x k | trilu({x}, {k}, upper=False)
triu | x | trilu({x}, 0, upper=True)
tril | x | trilu({x}, 0, upper=False)
norm | x | sqrt(sum({x} * {x}))
normalize | x | nn.l2_normalize({x}, eps=1e-12f, axis=[1])
=arange range | end | arange(0, {end}, 1)
=arange range | start end | arange({start}, {end}, 1)
rms_norm rmsnorm | x w | {x} / sqrt(mean({x} * {x}, axis=[-1], keepdims=True) + 1e-5f) * {w}
"""

_POOLS = {
    "max_pool1d": "maxpool1d maxpooling1d",
    "max_pool2d": "maxpool2d maxpooling2d",
    "avg_pool1d": "avgpool1d averagepooling1d",
    "avg_pool2d": "avgpool2d averagepooling2d",
}
"""Pooling -> its other names in PyTorch and Keras, where the strides are those of the window if they are omitted."""

_POOL_ROWS = (
    "x pool_size strides padding | nn.NAME({x}, pool_size={pool_size}, strides={strides}<, padding={padding}>)",
    "x pool_size | nn.NAME({x}, pool_size={pool_size}, strides={pool_size})",
)

RENAMED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("dim", "dims", "axis", "axes", "perm", "reduction_indices", "ax"), ("axis", "axes")),
    **dict.fromkeys(("keepdim", "keep_dims", "keep_dim"), ("keepdims",)),
    **dict.fromkeys(("shape", "new_shape", "output_shape"), ("newshape", "shape", "output_size")),
    **dict.fromkeys(("size", "output_size"), ("newshape", "size", "output_size", "pool_size")),
    **dict.fromkeys(("kernel_shape", "kernel_size", "kernel", "ksize", "pool_size"), ("pool_size", "kernel_size")),
    **dict.fromkeys(("stride", "strides", "steps", "step"), ("strides", "step")),
    **dict.fromkeys(("pad", "pads", "padding", "paddings", "pad_width"), ("padding", "pad_width")),
    **dict.fromkeys(("dilations", "dilation_rate"), ("dilation",)),
    **dict.fromkeys(("group", "feature_group_count"), ("groups",)),
    **dict.fromkeys(("eps", "epsilon"), ("epsilon", "eps")),
    **dict.fromkeys(("negative_slope", "slope"), ("alpha",)),
    **dict.fromkeys(("transA", "transpose_x", "adj_x"), ("transpose_a",)),
    **dict.fromkeys(("transB", "transpose_y", "adj_y"), ("transpose_b",)),
    **dict.fromkeys(("to", "type", "out_type", "output_type"), ("dtype", "out_dtype")),
    **dict.fromkeys(("starts", "start"), ("begin",)),
    **dict.fromkeys(("ends", "stop"), ("end",)),
    **dict.fromkeys(
        ("chunks", "num_outputs", "split", "sections", "split_size_or_sections", "num_or_size_splits"),
        ("indices_or_sections",),
    ),
    **dict.fromkeys(("multiples", "repeats", "reps"), ("reps", "repeats")),
    **dict.fromkeys(("min", "min_value", "clip_value_min"), ("a_min",)),
    **dict.fromkeys(("max", "max_value", "clip_value_max"), ("a_max",)),
    **dict.fromkeys(("num_classes", "n_classes"), ("depth",)),
    **dict.fromkeys(("p", "ratio", "prob"), ("rate",)),
    **dict.fromkeys(("data_format",), ("data_layout", "layout")),
    **dict.fromkeys(("subscripts",), ("equation",)),
    **dict.fromkeys(("blocksize",), ("block_size",)),
}
"""Foreign attribute name -> candidate names here; the first that the operator has is used."""

DIFFERENT = frozenset({"split", "transpose", *_POOLS})
"""Names of operators whose arguments or defaults are others in another system, though the names are the same."""

NEGATED: Mapping[str, str] = {"descending": "is_ascend", "largest": "is_ascend"}
"""Foreign boolean attribute -> the attribute here that is true where the foreign one is false.

In a row, `{largest}` is the negated value.
"""

DROPPED = frozenset({"inplace", "name", "out", "training", "requires_grad", "device", "memory_format"})
"""Foreign attributes that are dropped: they do not change the value of a model that is only evaluated."""

ONNX_TYPES: Mapping[str, str] = dict(
    zip(
        ["1", "2", "3", "4", "5", "6", "7", "9", "10", "11", "16"],
        ["float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "bool", "float16", "float64", "bfloat16"],
        strict=True,
    )
)
"""ONNX's number (`TensorProto.DataType`) -> element type."""


@record
class Row:
    """The translation of one foreign operator."""

    params: tuple[str, ...]
    written: str
    only: Mapping[str, str]


def _rows() -> Mapping[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    pools = [f"={pool} {names} | {row}".replace("NAME", pool) for pool, names in _POOLS.items() for row in _POOL_ROWS]
    for line in (*_ROWS.strip().splitlines(), *pools):
        names, params, written = line.split(" | ")
        pairs = [param.partition("=") for param in params.split()]
        only = {name: text for name, _, text in pairs if text}
        for foreign in names.split():
            found[foreign].append(Row(tuple(name for name, _, _ in pairs), written.strip(), only))
    return found


ROWS = _rows()
"""Lower-case foreign name, after `=` if an operator of this language has that name -> rows."""


def rows_of(name: str, exists: bool) -> Sequence[Row]:
    """The translations of a call of that name; `exists`: whether an operator of this language has it."""
    return ROWS.get(f"={name}" if exists else name, ())
