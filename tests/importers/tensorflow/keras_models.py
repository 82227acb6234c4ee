"""Keras models of the kinds that people export, and functions of TensorFlow; small, so that the evaluator can run them.

It needs TensorFlow, which the project itself and its tests do not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

Array = numpy.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """A model to be exported.

    Attributes:
        model: makes it: a Keras model, or a function of tensors.
        inputs: the specification of each input, with `None` for a size that is left open.
        sizes: of the open axes of all inputs in turn, for each run.
        high: integers of the inputs are below it.
    """

    model: Callable[[], Any]
    inputs: Sequence[tf.TensorSpec]
    sizes: Sequence[Sequence[int]]
    high: int = 10

    def arrays(self, run: int) -> list[Array]:
        """The inputs of a run: floats of a normal distribution, integers from 0 up to `high`."""
        random, open_ = numpy.random.default_rng(run), iter(self.sizes[run])
        return [
            self._array(random, one, [next(open_) if size is None else size for size in one.shape])
            for one in self.inputs
        ]

    def _array(self, random: numpy.random.Generator, spec: tf.TensorSpec, shape: Sequence[int]) -> Array:
        if spec.dtype.is_integer:
            return random.integers(0, self.high, shape).astype(spec.dtype.as_numpy_dtype)
        if spec.dtype.is_bool:
            return random.random(shape) > 0.5
        return random.normal(size=shape).astype(spec.dtype.as_numpy_dtype)


def floats(*shape: int | None) -> tf.TensorSpec:
    """An input of float32."""
    return tf.TensorSpec(shape, tf.float32)


def integers(*shape: int | None) -> tf.TensorSpec:
    """An input of int32."""
    return tf.TensorSpec(shape, tf.int32)


def perceptron() -> keras.Model:
    """Dense layers with normalizations, and every activation that takes no argument."""
    kinds = "relu", "elu", "selu", "gelu", "softplus", "softsign", "swish", "hard_sigmoid", "leaky_relu", "tanh"
    x = start = keras.Input((6,))
    x = layers.BatchNormalization()(layers.Dense(8)(x))
    x = layers.Concatenate()([layers.Dense(3, activation=kind)(x) for kind in kinds])
    x = layers.LayerNormalization()(layers.Dropout(0.5)(x))
    return keras.Model(start, layers.Dense(4, activation="softmax")(x))


def classifier() -> keras.Model:
    """A convolutional network for images of any size."""
    return keras.Sequential(
        [
            keras.Input((None, None, 3)),
            layers.Rescaling(1 / 127.5, offset=-1),
            layers.Conv2D(4, 3, strides=2, padding="same", activation="relu"),
            layers.MaxPooling2D(2),
            layers.ZeroPadding2D(1),
            layers.Conv2D(6, 3, dilation_rate=2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.AveragePooling2D(3, strides=1, padding="same"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(5),
        ]
    )


def residual() -> keras.Model:
    """Inverted residuals with squeeze and excitation, as in MobileNet and EfficientNet."""
    start = keras.Input((None, None, 4))
    x = layers.Conv2D(8, 1, activation="relu6")(start)
    x = layers.DepthwiseConv2D(3, padding="same", activation="swish")(x)
    scale = layers.GlobalAveragePooling2D(keepdims=True)(x)
    scale = layers.Conv2D(8, 1, activation="hard_sigmoid")(layers.Conv2D(2, 1, activation="relu")(scale))
    x = layers.Conv2D(4, 1)(layers.Multiply()([x, scale]))
    x = layers.SeparableConv2D(4, 5, padding="same")(layers.Add()([x, start]))
    return keras.Model(start, layers.GroupNormalization(2)(x))


def tagger() -> keras.Model:
    """A bidirectional LSTM over tokens, of which 0 is padding."""
    start = keras.Input((None,), dtype="int32")
    x = layers.Embedding(10, 4, mask_zero=True)(start)
    x = layers.Bidirectional(layers.LSTM(3, return_sequences=True))(x)
    return keras.Model(start, layers.Dense(2)(x))


class Positions(layers.Layer):  # type: ignore[misc]
    """Adds a learned vector for each position."""

    def __init__(self, longest: int, width: int) -> None:
        super().__init__()
        self.table = layers.Embedding(longest, width)

    def call(self, x: Any) -> Any:
        """The tokens with their positions."""
        return x + self.table(tf.range(tf.shape(x)[1]))


def decoder() -> keras.Model:
    """A decoder of a language model: positions, causal attention, a feed-forward block, tied to no table."""
    start = keras.Input((None,), dtype="int32")
    x = Positions(16, 8)(layers.Embedding(10, 8)(start))
    y = layers.LayerNormalization()(x)
    x = x + layers.MultiHeadAttention(2, 4)(y, y, use_causal_mask=True)
    y = layers.Dense(16, activation="gelu")(layers.LayerNormalization()(x))
    return keras.Model(start, layers.Dense(10)(x + layers.Dense(8)(y)))


def segmenter() -> keras.Model:
    """A U-Net of two levels; height and width have to be even."""
    start = keras.Input((None, None, 2))
    left = layers.Conv2D(4, 3, padding="same", activation="relu")(start)
    x = layers.Conv2D(6, 3, padding="same", activation="relu")(layers.MaxPooling2D()(left))
    up = layers.Conv2DTranspose(4, 2, strides=2, padding="same")(x)
    x = layers.Concatenate()([left, up, layers.UpSampling2D()(x)])
    return keras.Model(start, layers.Conv2D(1, 1, activation="sigmoid")(x))


def text_convolution() -> keras.Model:
    """Convolutions of several widths over tokens, each reduced to its greatest value."""
    start = keras.Input((None,), dtype="int32")
    x = layers.Embedding(10, 5)(start)
    parts = [layers.GlobalMaxPooling1D()(layers.Conv1D(3, width, padding="causal")(x)) for width in (2, 3)]
    return keras.Model(start, layers.Dense(2)(layers.Concatenate()(parts)))


def forecaster() -> keras.Model:
    """Stacked recurrent layers of three kinds over a series."""
    return keras.Sequential(
        [
            keras.Input((None, 3)),
            layers.GRU(4, return_sequences=True),
            layers.SimpleRNN(4, return_sequences=True, go_backwards=True),
            layers.LSTM(3),
            layers.Dense(1),
        ]
    )


def autoencoder() -> keras.Model:
    """An image through a vector and back."""
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(2, 3, strides=2, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dense(3),
            layers.Dense(32),
            layers.Reshape((4, 4, 2)),
            layers.Permute((2, 1, 3)),
            layers.Conv2DTranspose(1, 3, strides=2, padding="same", activation="sigmoid"),
            layers.Cropping2D(1),
        ]
    )


def towers() -> keras.Model:
    """Two encoders, and the cosine of each pair: retrieval."""
    query, document = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    table = layers.Embedding(10, 6)
    vectors = [
        layers.UnitNormalization()(layers.Dense(4)(layers.GlobalAveragePooling1D()(table(one))))
        for one in (query, document)
    ]
    return keras.Model([query, document], [layers.Dot(1)(vectors), layers.Subtract()(vectors)])


def volumes() -> keras.Model:
    """A convolutional network for volumes."""
    return keras.Sequential(
        [
            keras.Input((None, 6, 6, 1)),
            layers.Conv3D(2, 3, padding="same", activation="relu"),
            layers.MaxPooling3D((1, 2, 2)),
            layers.GlobalMaxPooling3D(),
        ]
    )


@tf.function
def gray_to_colour(image: tf.Tensor) -> tf.Tensor:
    """The program of a discussion of dynamic shapes: an image of one channel becomes one of three."""
    depth = tf.shape(image)[-1]
    image = tf.cond(tf.equal(depth, 1), lambda: tf.image.grayscale_to_rgb(image), lambda: image)
    with tf.control_dependencies([tf.debugging.assert_equal(tf.shape(image)[-1], 3)]):
        return tf.identity(image) * 2.0


@tf.function
def beams(scores: tf.Tensor) -> Any:
    """The best entries of each row, and the positions of the good ones."""
    values, places = tf.math.top_k(scores, k=2)
    good = tf.where(scores > 0.0)
    return values, tf.one_hot(places, 4), tf.gather_nd(scores, good), tf.cumsum(scores, axis=1, reverse=True)


@tf.function
def powers(x: tf.Tensor, count: tf.Tensor) -> Any:
    """A loop whose number of turns is a value."""
    total, turn = tf.zeros_like(x), tf.constant(0)
    while turn < count[0]:
        total, turn = total * x + 1.0, turn + 1
    return total, turn


@tf.function
def padded(x: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
    """The mean of the first elements of each row, by a mask."""
    mask = tf.cast(tf.sequence_mask(lengths, tf.shape(x)[1]), tf.float32)
    return tf.einsum("bt,btd->bd", mask, x) / tf.maximum(tf.reduce_sum(mask, 1, keepdims=True), 1.0)


@tf.function
def windows(x: tf.Tensor) -> Any:
    """Frames of a signal and their spectra."""
    frames = tf.signal.frame(x, 4, 2)
    return frames, tf.reverse(x, [1]), tf.roll(x, 1, 1), tf.strided_slice(x, [0, 1], [0, -1], [1, 2], end_mask=1)


CASES = {
    "perceptron": Case(perceptron, [floats(None, 6)], [[2], [5]]),
    "classifier": Case(classifier, [floats(None, None, None, 3)], [[1, 12, 9], [2, 7, 14]]),
    "residual": Case(residual, [floats(None, None, None, 4)], [[1, 6, 5], [2, 4, 7]]),
    "tagger": Case(tagger, [integers(None, None)], [[2, 5], [3, 1]]),
    "decoder": Case(decoder, [integers(None, None)], [[1, 5], [2, 9]]),
    "segmenter": Case(segmenter, [floats(None, None, None, 2)], [[1, 4, 6], [2, 8, 2]]),
    "text_convolution": Case(text_convolution, [integers(None, None)], [[2, 4], [1, 9]]),
    "forecaster": Case(forecaster, [floats(None, None, 3)], [[2, 4], [1, 7]]),
    "autoencoder": Case(autoencoder, [floats(None, 8, 8, 1)], [[1], [3]]),
    "towers": Case(towers, [integers(None, None), integers(None, None)], [[2, 3, 2, 5], [1, 4, 1, 2]]),
    "volumes": Case(volumes, [floats(None, None, 6, 6, 1)], [[1, 4], [2, 3]]),
    "gray_to_colour": Case(lambda: gray_to_colour, [floats(None, None, None, None)], [[1, 2, 3, 1], [2, 2, 2, 3]]),
    "beams": Case(lambda: beams, [floats(None, 4)], [[2], [5]]),
    "powers": Case(lambda: powers, [floats(None), integers(1)], [[3], [1]]),
    "padded": Case(lambda: padded, [floats(None, None, 3), integers(None)], [[2, 4, 2], [1, 6, 1]], high=5),
    "windows": Case(lambda: windows, [floats(None, None)], [[1, 9], [3, 12]]),
}
