"""Operators of images and volumes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from tests.importers.tensorflow.operators.case import Case, each, floats, integers, raw, table, tf

_IMAGES = [[floats(1, 5, 6, 3)], [floats(2, 7, 4, 3, seed=2)]]
_SMALL = floats(1, 4, 4, 2)


def _conv(kernel: tuple[int, ...], **settings: object) -> Case:
    weight = floats(*kernel, seed=5)
    usual = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    return Case(lambda x: raw.Conv2D(input=x, filter=weight, **{**usual, **settings}), _IMAGES)


def _first(x: tf.Tensor) -> tf.Tensor:
    return tf.transpose(x, [0, 3, 1, 2])


def _last(x: tf.Tensor) -> tf.Tensor:
    return tf.transpose(x, [0, 2, 3, 1])


def _pool(name: str, **settings: object) -> Case:
    usual = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}
    word = "input" if name.startswith("Max") else "value"
    return Case(lambda x: getattr(raw, name)(**{word: x}, **{**usual, **settings}), _IMAGES)


def _back(
    sizes: list[int], kernel: tuple[int, ...], out: tuple[int, ...], stride: int, way: str, **more: object
) -> Case:
    weight = floats(*kernel, seed=7)
    return each(
        lambda y: raw.Conv2DBackpropInput(
            input_sizes=sizes, filter=weight, out_backprop=y, strides=[1, stride, stride, 1], padding=way, **more
        ),
        floats(*out),
    )


_APART = floats(3, 3, 2, 3, seed=7) * numpy.array([1, 0, 1], "float32")[:, None, None]
_APART *= numpy.array([1, 0, 1], "float32")[:, None, None, None]


def _back_of(y: tf.Tensor) -> dict[str, object]:
    return {"input_sizes": [1, 7, 7, 2], "out_backprop": y, "strides": [1, 1, 1, 1], "padding": "VALID"}


_PEEPHOLES = {name: floats(4, seed=at) for at, name in enumerate(("wci", "wcf", "wco"))}


def _states(found: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """The states of an LSTM; TensorFlow does not say what its other results are behind the last step."""
    return [found[1], found[6]]


_TAPS = {"filter": floats(3, 3, 2, 3), "padding": "SAME"}


def _norm(x: tf.Tensor, **settings: object) -> list[tf.Tensor]:
    vectors = [floats(3, seed=at, low=0.5) for at in range(4)]
    names = "scale", "offset", "mean", "variance"
    return list(raw.FusedBatchNormV3(x=x, **dict(zip(names, vectors, strict=True)), **settings))[:3]


def _resized(name: str, size: list[int], **settings: object) -> Case:
    return Case(lambda x: getattr(raw, name)(images=x, size=size, **settings), _IMAGES)


_FIRST = {"strides": [1, 1, 2, 1], "data_format": "NCHW", "padding": "VALID"}

CASES = {
    "conv": _conv((3, 3, 3, 4)),
    "conv_even": _conv((2, 4, 3, 2), strides=[1, 2, 3, 1]),
    "conv_wide": _conv((1, 1, 3, 2), strides=[1, 3, 3, 1]),
    "conv_dilated": _conv((3, 2, 3, 2), dilations=[1, 2, 1, 1], padding="VALID"),
    "conv_explicit": _conv((3, 3, 3, 2), padding="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0]),
    "conv_groups": Case(
        lambda x: raw.Conv2D(input=x, filter=floats(2, 2, 1, 6), strides=[1, 1, 1, 1], padding="SAME"), _IMAGES
    ),
    "conv_first": Case(
        lambda x: raw.Conv2D(input=x, filter=floats(2, 2, 3, 2), **_FIRST),
        [[floats(1, 3, 5, 6)]],
        truth=lambda x: _first(
            raw.Conv2D(input=_last(x), filter=floats(2, 2, 3, 2), strides=[1, 2, 1, 1], padding="VALID")
        ),
    ),
    "depthwise": Case(
        lambda x: raw.DepthwiseConv2dNative(input=x, filter=floats(3, 3, 3, 2), strides=[1, 2, 2, 1], padding="SAME"),
        _IMAGES,
    ),
    "conv_volume": each(
        lambda x: raw.Conv3D(input=x, filter=floats(2, 3, 2, 2, 3), strides=[1, 1, 2, 1, 1], padding="SAME"),
        floats(1, 4, 5, 3, 2),
    ),
    "back_same": _back([1, 7, 8, 2], (3, 3, 2, 3), (1, 4, 4, 3), 2, "SAME"),
    "back_small_kernel": _back([1, 6, 5, 2], (1, 2, 2, 3), (1, 2, 2, 3), 3, "SAME"),
    "back_valid": _back([1, 8, 7, 2], (3, 2, 2, 3), (1, 3, 3, 3), 2, "VALID"),
    "back_dilated": each(
        lambda y: raw.Conv2DBackpropInput(filter=_APART[::2, ::2], dilations=[1, 2, 2, 1], **_back_of(y)),
        floats(1, 5, 5, 3),
        truth=lambda y: raw.Conv2DBackpropInput(filter=_APART, **_back_of(y)),
    ),
    "back_explicit": _back(
        *([1, 6, 6, 2], (3, 3, 2, 3), (1, 3, 3, 3), 2, "EXPLICIT"), explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0]
    ),
    "back_two_sizes": _back([7, 8], (3, 3, 2, 3), (1, 4, 4, 3), 2, "SAME"),
    "back_keras": Case(
        lambda y: tf.nn.conv2d_transpose(
            y, floats(4, 4, 2, 3), tf.stack([tf.shape(y)[0], tf.shape(y)[1] * 2, tf.shape(y)[2] * 2, 2]), 2
        ),
        [[floats(1, 3, 4, 3)], [floats(2, 2, 5, 3)]],
    ),
    "back_depthwise": each(
        lambda y: raw.DepthwiseConv2dNativeBackpropInput(
            input_sizes=[1, 5, 6, 2],
            filter=floats(3, 3, 2, 2),
            out_backprop=y,
            strides=[1, 2, 2, 1],
            padding="SAME",
        ),
        floats(1, 3, 3, 4),
    ),
    "back_volume": each(
        lambda y: raw.Conv3DBackpropInputV2(
            input_sizes=[1, 4, 5, 6, 2],
            filter=floats(2, 3, 3, 2, 3),
            out_backprop=y,
            strides=[1, 2, 2, 2, 1],
            padding="SAME",
        ),
        floats(1, 2, 3, 3, 3),
    ),
    "max_pool": _pool("MaxPool"),
    "max_pool_valid": _pool("MaxPool", padding="VALID"),
    "max_pool_explicit": _pool("MaxPool", padding="EXPLICIT", explicit_paddings=[0, 0, 1, 1, 0, 1, 0, 0]),
    "avg_pool": _pool("AvgPool"),
    "avg_pool_valid": _pool("AvgPool", padding="VALID"),
    "avg_pool_wide": _pool("AvgPool", ksize=[1, 1, 1, 1], strides=[1, 3, 2, 1]),
    "max_pool_v2": Case(
        lambda x: raw.MaxPoolV2(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 1, 1], padding="VALID"), _IMAGES
    ),
    "pool_volumes": each(
        lambda x: [
            raw.MaxPool3D(input=x, ksize=[1, 2, 2, 1, 1], strides=[1, 2, 1, 1, 1], padding="SAME"),
            raw.AvgPool3D(input=x, ksize=[1, 2, 3, 2, 1], strides=[1, 1, 2, 1, 1], padding="SAME"),
        ],
        floats(1, 3, 4, 3, 2),
    ),
    "pool_places": Case(
        lambda x: list(raw.MaxPoolWithArgmax(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")),
        _IMAGES,
    ),
    "pool_places_batch": Case(
        lambda x: list(
            raw.MaxPoolWithArgmax(
                input=x,
                ksize=[1, 2, 2, 1],
                strides=[1, 1, 2, 1],
                padding="VALID",
                include_batch_in_index=True,
                Targmax=tf.int32,
            )
        ),
        _IMAGES,
    ),
    "batch_norm": Case(lambda x: _norm(x, is_training=False, epsilon=1e-3)[0], _IMAGES),
    "batch_norm_own": Case(lambda x: _norm(x, is_training=True), _IMAGES),
    "batch_norm_average": Case(lambda x: _norm(x, is_training=True, exponential_avg_factor=0.25), _IMAGES),
    "batch_norm_narrow": each(lambda x: _norm(x, is_training=False)[0], floats(1, 2, 2, 3).astype("float16")),
    "batch_norm_first": each(
        lambda x: _norm(x, is_training=False, data_format="NCHW")[0],
        floats(1, 3, 2, 4),
        truth=lambda x: _first(_norm(_last(x), is_training=False)[0]),
    ),
    "local_response": Case(lambda x: raw.LRN(input=x, depth_radius=1, bias=0.5, alpha=0.2, beta=0.75), _IMAGES),
    "local_response_usual": Case(lambda x: raw.LRN(input=x), _IMAGES),
    "space_to_batch": Case(
        lambda x: raw.SpaceToBatchND(input=x, block_shape=[2, 3], paddings=[[1, 0], [0, 2]]),
        [[floats(1, 5, 4, 2)], [floats(2, 3, 1, 2)]],
    ),
    "space_to_batch_old": each(
        lambda x: raw.SpaceToBatch(input=x, paddings=[[0, 0], [1, 1]], block_size=2), floats(1, 4, 2, 1)
    ),
    "batch_to_space": each(
        lambda x: [
            raw.BatchToSpaceND(input=x, block_shape=[2, 2], crops=[[0, 1], [1, 0]]),
            raw.BatchToSpace(input=x, crops=[[0, 0], [0, 0]], block_size=2),
        ],
        floats(4, 2, 3, 1),
    ),
    "depth_to_space": Case(
        lambda x: raw.DepthToSpace(input=x, block_size=2), [[floats(1, 2, 3, 8)], [floats(2, 1, 2, 8)]]
    ),
    "space_to_depth": Case(
        lambda x: raw.SpaceToDepth(input=x, block_size=2), [[floats(1, 2, 4, 3)], [floats(2, 6, 2, 3)]]
    ),
    "depth_to_space_first": each(
        lambda x: raw.DepthToSpace(input=x, block_size=2, data_format="NCHW"),
        floats(1, 8, 2, 3),
        truth=lambda x: _first(raw.DepthToSpace(input=_last(x), block_size=2)),
    ),
    "patches": Case(
        lambda x: raw.ExtractImagePatches(
            images=x, ksizes=[1, 2, 3, 1], strides=[1, 2, 1, 1], rates=[1, 1, 1, 1], padding="SAME"
        ),
        _IMAGES,
    ),
    "patches_apart": Case(
        lambda x: raw.ExtractImagePatches(
            images=x, ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 2, 2, 1], padding="VALID"
        ),
        _IMAGES,
    ),
    "dilation": Case(
        lambda x: raw.Dilation2D(
            input=x, filter=floats(2, 3, 3), strides=[1, 2, 1, 1], rates=[1, 1, 1, 1], padding="SAME"
        ),
        _IMAGES,
    ),
    "dilation_apart": Case(
        lambda x: raw.Dilation2D(
            input=x, filter=floats(2, 2, 3), strides=[1, 1, 1, 1], rates=[1, 2, 1, 1], padding="VALID"
        ),
        _IMAGES,
    ),
    "bilinear": _resized("ResizeBilinear", [3, 9]),
    "bilinear_half": _resized("ResizeBilinear", [9, 3], half_pixel_centers=True),
    "bilinear_corners": _resized("ResizeBilinear", [4, 8], align_corners=True),
    "bilinear_one": _resized("ResizeBilinear", [1, 1], align_corners=True),
    "nearest": _resized("ResizeNearestNeighbor", [3, 9]),
    "nearest_half": _resized("ResizeNearestNeighbor", [9, 3], half_pixel_centers=True),
    "nearest_corners": _resized("ResizeNearestNeighbor", [4, 9], align_corners=True),
    "nearest_whole": each(
        lambda x: raw.ResizeNearestNeighbor(images=x, size=[4, 2], half_pixel_centers=True), integers(1, 2, 3, 1)
    ),
    "bilinear_open": Case(
        lambda x: raw.ResizeBilinear(images=x, size=tf.shape(x)[1:3] * 2, half_pixel_centers=True), _IMAGES
    ),
    "bicubic": each(lambda x: raw.ResizeBicubic(images=x, size=[8, 2]), _SMALL),
    "bicubic_half": each(lambda x: raw.ResizeBicubic(images=x, size=[8, 2], half_pixel_centers=True), _SMALL),
    "crops": each(
        lambda x, b, i: raw.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=[3, 2], extrapolation_value=0.5),
        floats(2, 4, 5, 2),
        table([[0.1, 0.2, 0.9, 0.7], [-0.5, 0.0, 1.2, 1.0], [0.8, 0.9, 0.1, 0.0]], dtype="float32"),
        table(0, 1, 1),
    ),
    "crops_nearest": each(
        lambda x, b, i: raw.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=[3, 1], method="nearest"),
        integers(2, 4, 5, 2, dtype="uint8"),
        table([[0.1, 0.2, 0.8, 0.7], [-0.5, 0.0, 1.2, 1.0]], dtype="float32"),
        table(0, 1),
    ),
    "pads": each(
        lambda x: [
            raw.Pad(input=x, paddings=[[1, 0], [2, 3]]),
            raw.PadV2(input=x, paddings=[[0, 0], [0, 1]], constant_values=7.0),
            raw.MirrorPad(input=x, paddings=[[1, 1], [0, 2]], mode="REFLECT"),
            raw.MirrorPad(input=x, paddings=[[2, 1], [0, 3]], mode="SYMMETRIC"),
        ],
        floats(2, 3),
    ),
    "area": _resized("ResizeArea", [3, 9]),
    "area_corners": each(
        lambda x: raw.ResizeArea(images=x, size=[2, 2], align_corners=True), _SMALL, refused="align_corners=True"
    ),
    **{
        f"weighted_{kind}": Case(
            lambda x, kind=kind: raw.ScaleAndTranslate(
                images=x, size=[3, 8], scale=[0.6, 1.7], translation=[0.1, -0.3], kernel_type=kind
            ),
            _IMAGES,
        )
        for kind in ("lanczos3", "triangle", "keyscubic", "gaussian", "mitchellcubic")
    },
    "weighted_plain": Case(
        lambda x: raw.ScaleAndTranslate(
            images=x, size=[3, 2], scale=[0.5, 0.5], translation=[0.0, 0.0], kernel_type="triangle", antialias=False
        ),
        _IMAGES,
    ),
    "antialiased": Case(
        lambda x: tf.image.resize(x, tf.shape(x)[1:3] // 2, method="lanczos3", antialias=True), _IMAGES
    ),
    "back_first": each(
        lambda y: raw.Conv2DBackpropInput(
            input_sizes=[1, 2, 6, 5], out_backprop=y, strides=[1, 1, 2, 2], data_format="NCHW", **_TAPS
        ),
        floats(1, 3, 3, 3),
        truth=lambda y: _first(
            raw.Conv2DBackpropInput(input_sizes=[1, 6, 5, 2], out_backprop=_last(y), strides=[1, 2, 2, 1], **_TAPS)
        ),
    ),
    "depthwise_first": each(
        lambda x: raw.DepthwiseConv2dNative(
            input=x, filter=floats(2, 3, 3, 2), strides=[1, 1, 1, 1], padding="SAME", data_format="NCHW"
        ),
        floats(1, 3, 4, 5),
        truth=lambda x: _first(
            raw.DepthwiseConv2dNative(input=_last(x), filter=floats(2, 3, 3, 2), strides=[1, 1, 1, 1], padding="SAME")
        ),
    ),
    "pools_first": each(
        lambda x: [
            raw.MaxPool(input=x, ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="SAME", data_format="NCHW"),
            raw.AvgPool(value=x, ksize=[1, 1, 2, 2], strides=[1, 1, 1, 2], padding="SAME", data_format="NCHW"),
        ],
        floats(1, 3, 5, 4),
        truth=lambda x: [
            _first(raw.MaxPool(input=_last(x), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")),
            _first(raw.AvgPool(value=_last(x), ksize=[1, 2, 2, 1], strides=[1, 1, 2, 1], padding="SAME")),
        ],
    ),
    "patches_volume": each(
        lambda x: raw.ExtractVolumePatches(input=x, ksizes=[1, 2, 1, 2, 1], strides=[1, 1, 1, 2, 1], padding="VALID"),
        floats(1, 3, 2, 4, 2),
    ),
    "space_to_batch_open": Case(lambda x: tf.nn.conv2d(x, floats(3, 3, 3, 2), 1, "SAME", dilations=[2, 3]), _IMAGES),
    "no_images": Case(
        lambda x: [
            raw.Conv2D(input=x, filter=floats(3, 3, 3, 2), strides=[1, 2, 2, 1], padding="SAME"),
            raw.MaxPool(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"),
            raw.ResizeBilinear(images=x, size=[3, 3]),
            raw.SpaceToDepth(input=x[:, :4], block_size=2),
            _norm(x, is_training=False)[0],
        ],
        [[floats(0, 5, 6, 3)], [floats(1, 5, 6, 3)]],
    ),
    "one_pixel": Case(
        lambda x: [
            raw.Conv2D(input=x, filter=floats(3, 3, 3, 2), strides=[1, 2, 2, 1], padding="SAME"),
            raw.AvgPool(value=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
            raw.ResizeBilinear(images=x, size=[3, 2], half_pixel_centers=True),
            raw.ResizeNearestNeighbor(images=x, size=[2, 3], align_corners=True),
            raw.LRN(input=x),
        ],
        [[floats(1, 1, 1, 3)], [floats(1, 2, 1, 3)]],
    ),
    "lstm_cell": each(
        lambda x, c, h: list(
            raw.LSTMBlockCell(
                x=x, cs_prev=c, h_prev=h, w=floats(7, 16), b=floats(16), forget_bias=0.5, cell_clip=0.4, **_PEEPHOLES
            )
        ),
        *(floats(2, 3), floats(2, 4, seed=2), floats(2, 4, seed=3)),
    ),
    "lstm": Case(
        lambda x, n: _states(
            raw.BlockLSTM(
                seq_len_max=n,
                x=x,
                cs_prev=tf.zeros([tf.shape(x)[1], 4]),
                h_prev=tf.zeros([tf.shape(x)[1], 4]),
                w=floats(7, 16),
                b=floats(16),
                use_peephole=True,
                **_PEEPHOLES,
            )
        ),
        [[floats(4, 2, 3), table(4, dtype="int64")], [floats(3, 1, 3), table(2, dtype="int64")]],
    ),
    "lstm_second": each(
        lambda x: list(
            raw.BlockLSTMV2(
                seq_len_max=tf.constant(3, tf.int64),
                x=x,
                cs_prev=floats(2, 4),
                h_prev=floats(2, 4, seed=2),
                w=floats(7, 16),
                b=floats(16),
                **_PEEPHOLES,
            )
        ),
        floats(3, 2, 3),
    ),
    "gru_cell": each(
        lambda x, h: list(
            raw.GRUBlockCell(x=x, h_prev=h, w_ru=floats(7, 8), w_c=floats(7, 4, seed=2), b_ru=floats(8), b_c=floats(4))
        ),
        *(floats(2, 3), floats(2, 4, seed=2)),
    ),
}
