"""Relay's operators that this language does not have, and why.

They control how a program is compiled, not what it computes, or belong to another dialect.  A program that has one
is refused with the reason, so that it is not mistaken for a misspelt name.   [name.refused]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_MACHINE = (
    "it belongs to the code that TVM generates for its virtual machine; `gradual core` and `gradual run` take the"
    " program before that"
)
_MEMORY = "it allocates or frees memory, which the language has no word for; sizes of buffers are read off the types"
_DEVICE = (
    "it marks what a compiler does with a part of a program, and only some of that means the same without the mark"
)
_HARDWARE = (
    "it is an instruction of one kind of hardware, with the layout of its memory; write the operator that it computes"
)
_QUANTISED = (
    "it computes with quantised numbers, whose scales and zero points are another dialect of Relay; lower it to "
    "integers first (`relay.qnn.transform.CanonicalizeOps`)"
)
_RANDOM = (
    "its result depends on a generator of random numbers that Relay does not specify; give the numbers as an argument"
)
_PREPACKED = (
    "it is the second half of an operator whose weight was transformed for a schedule; write the operator itself"
)
_PACKED = (
    "it computes on data that a pass has packed into blocks for a schedule; the operator on a plain layout computes "
    "the same, and `layout_transform` unpacks"
)
_REWRITTEN = "it moves the weight of an operator as a tuned schedule wants it; take the program before that"
_LOWERED = (
    "it calls code that is no Relay program, so nothing is known of its shape or its meaning; declare an "
    "`operator` instead"
)
_PARSER = "it stands for an entry of the metadata while TVM reads a text, and never is in a program"
_PRINTER = "it stops TVM's interpreter and prints; `gradual run` shows values"

REFUSED: Mapping[str, str] = {
    "vm.": _MACHINE,
    "vm.invoke_tvm_op": _MACHINE,
    "vm.reshape_tensor": _MACHINE,
    "vm.shape_of": _MACHINE + "; write `shape_of`",
    "memory.": _MEMORY,
    "memory.alloc_storage": _MEMORY,
    "memory.alloc_tensor": _MEMORY,
    "memory.kill": _MEMORY,
    "annotation.": _DEVICE,
    "annotation.bitpack_end": _DEVICE,
    "annotation.bitpack_start": _DEVICE,
    "annotation.cast_hint": _DEVICE,
    "annotation.compiler_begin": _DEVICE,
    "annotation.compiler_end": _DEVICE,
    "annotation.with_funcid": _DEVICE,
    "relay.op.annotation.simulated_quantize": _QUANTISED,
    "contrib.": _HARDWARE,
    "contrib.ethosu.binary_elementwise": _HARDWARE,
    "contrib.ethosu.conv2d": _HARDWARE,
    "contrib.ethosu.depthwise_conv2d": _HARDWARE,
    "contrib.ethosu.identity": _HARDWARE,
    "contrib.ethosu.pooling": _HARDWARE,
    "contrib.ethosu.unary_elementwise": _HARDWARE,
    "random.": _RANDOM,
    "random.multinomial": _RANDOM,
    "random.normal": _RANDOM,
    "random.threefry_generate": _RANDOM,
    "random.threefry_split": _RANDOM,
    "random.uniform": _RANDOM,
    "qnn.": _QUANTISED,
    "nn.contrib_conv2d_gemm_weight_transform": _PREPACKED,
    "nn.contrib_conv2d_gemm_without_weight_transform": _PREPACKED,
    "nn.contrib_conv2d_winograd_nnpack_weight_transform": _PREPACKED,
    "nn.contrib_conv2d_winograd_weight_transform": _PREPACKED,
    "nn.contrib_conv2d_winograd_without_weight_transform": _PREPACKED,
    "nn.contrib_conv3d_winograd_weight_transform": _PREPACKED,
    "nn.contrib_conv3d_winograd_without_weight_transform": _PREPACKED,
    "nn.contrib_conv2d_NCHWc": _PACKED,
    "nn.contrib_dense_pack": _PACKED,
    "nn.contrib_depthwise_conv2d_NCHWc": _PACKED,
    "auto_scheduler_layout_transform": _REWRITTEN,
    "meta_schedule_layout_transform": _REWRITTEN,
    "nn.internal.": _PREPACKED,
    "nn.internal.sparse_dense_padded": _PREPACKED,
    "nn.bitpack": _HARDWARE,
    "nn.bitserial_conv2d": _HARDWARE,
    "nn.bitserial_dense": _HARDWARE,
    "call_lowered": _LOWERED,
    "torch_op": _LOWERED,
    "debug": _PRINTER,
    "parser.MetaRef": _PARSER,
}
"""Name -> why it is refused; a name with a final dot represents every name that begins with it."""

_QNN = """
abs add batch_matmul concatenate contrib_dense_pack conv2d conv2d_transpose dense dequantize erf exp hardswish
leaky_relu log mul quantize requantize rsqrt sigmoid simulated_dequantize simulated_quantize sqrt subtract tanh
"""


def reason(name: str) -> str | None:
    """Why an operator of Relay is refused; None if the name is not that of a refused operator."""
    if name in REFUSED:
        return REFUSED[name]
    stems = (name[: place + 1] for place, letter in enumerate(name) if letter == ".")
    return next((REFUSED[stem] for stem in stems if stem in REFUSED), None)


def listed() -> Iterator[tuple[str, str]]:
    """Every refused name of Relay 0.12 with its reason."""
    yield from ((name, why) for name, why in REFUSED.items() if not name.endswith("."))
    yield from ((f"qnn.{name}", _QUANTISED) for name in _QNN.split())
