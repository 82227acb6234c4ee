"""The operators of ONNX that ours stand for; one that is not here has no counterpart of its own.

Names are those of the default domain at opset 17 and later (https://onnx.ai/onnx/operators/).  Where ONNX has one
operator for several of ours, each names it; attributes and their defaults may differ.
"""

from __future__ import annotations

from collections.abc import Mapping

_SAME = """
Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor Log Round Sigmoid Sign Sin Sinh Sqrt Tan Tanh Add
Greater Less Equal Where Cast Clip Reshape Transpose Squeeze Split Tile Unique Einsum Trilu
"""

_OTHER = """
negative Neg | subtract Sub | multiply Mul | divide Div | floor_divide Div | trunc_divide Div | mod Mod |
floor_mod Mod | trunc_mod Mod | power Pow | maximum Max | minimum Min | greater_equal GreaterOrEqual |
less_equal LessOrEqual | logical_and And | logical_or Or | logical_xor Xor | logical_not Not |
bitwise_and BitwiseAnd | bitwise_or BitwiseOr | bitwise_xor BitwiseXor | bitwise_not BitwiseNot |
left_shift BitShift | right_shift BitShift | isnan IsNaN | isinf IsInf | copy Identity | shape_of Shape |
ndarray_size Size | arange Range | full ConstantOfShape | zeros ConstantOfShape | ones ConstantOfShape |
cast_like CastLike | sum ReduceSum | mean ReduceMean | max ReduceMax | min ReduceMin | prod ReduceProd |
argmax ArgMax | argmin ArgMin | cumsum CumSum | concatenate Concat | stack ConcatFromSequence |
expand_dims Unsqueeze | broadcast_to Expand | strided_slice Slice | take Gather | gather GatherElements |
gather_nd GatherND | scatter_elements ScatterElements | scatter_nd ScatterND | one_hot OneHot | argwhere NonZero |
nonzero NonZero | boolean_mask Compress | topk TopK | reverse_sequence ReverseSequence | dft DFT | stft STFT |
nn.relu Relu | nn.leaky_relu LeakyRelu | nn.prelu PRelu | nn.softmax Softmax | nn.log_softmax LogSoftmax |
nn.dense Gemm | nn.matmul MatMul | nn.batch_matmul MatMul | nn.conv1d Conv | nn.conv2d Conv | nn.conv3d Conv |
nn.conv1d_transpose ConvTranspose | nn.conv2d_transpose ConvTranspose | nn.conv3d_transpose ConvTranspose |
nn.deformable_conv2d DeformConv | nn.max_pool1d MaxPool | nn.max_pool2d MaxPool | nn.max_pool3d MaxPool |
nn.avg_pool1d AveragePool | nn.avg_pool2d AveragePool | nn.avg_pool3d AveragePool |
nn.global_max_pool2d GlobalMaxPool | nn.global_avg_pool2d GlobalAveragePool | nn.batch_flatten Flatten |
nn.batch_norm BatchNormalization | nn.layer_norm LayerNormalization | nn.instance_norm InstanceNormalization |
nn.group_norm GroupNormalization | nn.l2_normalize LpNormalization | nn.lrn LRN | nn.dropout Dropout | nn.pad Pad |
nn.mirror_pad Pad | nn.depth_to_space DepthToSpace | nn.space_to_depth SpaceToDepth | nn.upsampling Upsample |
nn.upsampling3d Upsample | nn.nll_loss NegativeLogLikelihoodLoss | image.resize1d Resize | image.resize2d Resize |
image.resize3d Resize | image.grid_sample GridSample | image.affine_grid AffineGrid | vision.roi_align RoiAlign |
vision.roi_pool MaxRoiPool | vision.all_class_non_max_suppression NonMaxSuppression
"""

ONNX: Mapping[str, str] = {name.lower(): name for name in _SAME.split()} | {
    row.split()[0]: row.split()[1] for row in _OTHER.split("|")
}
"""The ONNX operator by the name of ours."""


def onnx_of(name: str) -> str | None:
    """The ONNX operator of ours; that of the static form for a dynamic one."""
    return ONNX.get(name.removeprefix("dyn."))
