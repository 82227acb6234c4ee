"""Preprocessing of features: scale, normalize, select, concatenate, impute, encode."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_type
from gradual.importers.onnx.ml.scores import as_floats, constant, learned, rows
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType


# ----------------------------------------------------------------------------------------------------- column by column
def _columnwise(use: Use, x: Value, held: Sequence[float], what: str) -> tuple[Value, Value]:
    """The features, and a number for each feature; a single number applies to all."""
    if x.rank not in (1, 2):
        raise Unsupported(f"features in a tensor of rank {x.rank}")
    if len(held) == 1:
        return x, use.like(held[0], x)
    return use.exactly(x, x.rank - 1, len(held)), constant(use, what, held, x.dtype)


@learned("Scaler")
def scaler(use: Use) -> Value:
    """Each feature minus an offset, times a scale."""
    x = as_floats(use, use[0])
    for operator, name in (("subtract", "offset"), ("multiply", "scale")):
        if held := use.attribute(name, ()):
            x = use.call(operator, *_columnwise(use, x, held, name))
    return as_type(use, x, DType.FLOAT32)


@learned("Imputer")
def imputer(use: Use) -> Value:
    """Replace the marker of missing values by a number for each column."""
    x = use[0]
    kind = "float" if x.dtype.is_float else "int64"
    held, missing = use.attribute(f"imputed_value_{kind}s", ()), use.attribute(f"replaced_value_{kind}", 0)
    if not held:
        raise Unsupported(f"no imputed_value_{kind}s for elements of type {x.dtype}")
    x, filled = _columnwise(use, x, held, "imputed")
    is_missing = use.call("isnan", x) if isnan(missing) else use.call("equal", x, use.like(missing, x))
    return use.call("where", is_missing, filled, x)


@learned("Binarizer")
def binarizer(use: Use) -> Value:
    """1 for each element above a threshold, else 0."""
    x, threshold = use[0], use.attribute("threshold", 0.0)
    compared = x if x.dtype.is_float else as_type(use, x, DType.FLOAT64)
    return as_type(use, use.call("greater", compared, use.like(threshold, compared)), x.dtype)


# ----------------------------------------------------------------------------------------------------------- row by row
@learned("Normalizer")
def normalizer(use: Use) -> Value:
    """Each row divided by its maximum, by its sum of magnitudes or by its Euclidean norm, unless the divisor is 0."""
    x = as_floats(use, use[0])
    if x.rank not in (1, 2):
        raise Unsupported(f"features in a tensor of rank {x.rank}")
    match use.attribute("norm", "MAX"):
        case "MAX":
            size = use.call("max", x, axis=-1, keepdims=True)
        case "L1":
            size = use.call("sum", use.call("abs", x), axis=-1, keepdims=True)
        case "L2":
            size = use.call("sqrt", use.call("sum", use.call("multiply", x, x), axis=-1, keepdims=True))
        case other:
            raise Unsupported(f"norm={other!r}")
    empty = use.call("equal", size, use.like(0.0, size))
    divisor = use.call("where", empty, use.like(1.0, size), size)
    return as_type(use, use.call("divide", x, divisor), DType.FLOAT32)


@learned("ArrayFeatureExtractor")
def extractor(use: Use) -> Value:
    """The features at some indices of the last axis; a vector is one row."""
    x = use[0] if use[0].rank > 1 else rows(use, use[0])
    chosen = use[1] if use[1].rank == 1 else use.call("reshape", use[1], newshape=[-1])
    return use.call("take", x, chosen, axis=x.rank - 1, mode="fast")


@learned("FeatureVectorizer")
def vectorizer(use: Use) -> Value:
    """The features of several inputs, concatenated."""
    counts = use.attribute("inputdimensions", ())
    if len(counts) != len(use.inputs):
        raise Unsupported(f"{len(counts)} inputdimensions of {len(use.inputs)} inputs")
    parts = [as_type(use, use.exactly(rows(use, use[at]), 1, count), DType.FLOAT32) for at, count in enumerate(counts)]
    return parts[0] if len(parts) == 1 else use.call("concatenate", use.builder.tuple(parts), axis=1)


# ----------------------------------------------------------------------------------------------------------- categories
@learned("OneHotEncoder")
def one_hot(use: Use) -> Value:
    """A one-hot vector for the category of each element; without `zeros`, an element without a category is an error."""
    if not (categories := use.attribute("cats_int64s", ())):
        raise Unsupported("categories that are strings")
    x = as_type(use, use[0], DType.INT64)
    held = constant(use, "categories", categories, DType.INT64)
    found = use.call("equal", use.call("expand_dims", x, axis=x.rank), held)
    if not use.attribute("zeros", 1):
        found = use.demanded(found, use.call("all", use.call("any", found, axis=-1)), "an element has no category")
    return as_type(use, found, DType.FLOAT32)


_KINDS = {"floats": DType.FLOAT32, "int64s": DType.INT64}


def _listed(use: Use, what: str) -> Tensor:
    """The keys or the values of a table, which is given by one of several attributes."""
    if isinstance(held := use.attribute(f"{what}_tensor"), Tensor):
        return held
    for kind, dtype in _KINDS.items():
        if elements := use.attribute(f"{what}_{kind}"):
            return Tensor(list(elements), dtype, (len(elements),))
    raise Unsupported(f"{what} that are strings" if use.attribute(f"{what}_strings") else f"no {what}")


@learned("LabelEncoder")
def label_encoder(use: Use) -> Value:
    """Look up each element in a table, with a default; if keys are repeated, the first one is used."""
    if use.attribute("classes_strings"):
        raise Unsupported("keys or values that are strings")
    x, keys, values = use[0], _listed(use, "keys"), _listed(use, "values")
    if keys.dtype is not x.dtype or keys.size != values.size:
        raise Unsupported(
            f"{keys.size} keys of type {keys.dtype} and {values.size} values for elements of type {x.dtype}"
        )
    usual = use.attribute("default_tensor")
    if not isinstance(usual, Tensor):
        usual = Tensor(
            [use.attribute("default_float", -0.0) if values.dtype.is_float else use.attribute("default_int64", -1)],
            values.dtype,
            (1,),
        )
    found = use.call("equal", use.call("expand_dims", x, axis=x.rank), constant(use, "keys", keys.flat(), keys.dtype))
    place = use.call("argmax", use.call("cast", found, dtype=DType.INT32), axis=-1)
    chosen = use.call("take", constant(use, "values", values.flat(), values.dtype), place, axis=0)
    return use.call("where", use.call("any", found, axis=-1), chosen, use.builder.number(usual.flat()[0], values.dtype))


@learned("CategoryMapper")
def category_mapper(use: Use) -> Value:
    """A mapping between strings and integers, which is refused: the language has no strings."""
    raise Unsupported("categories that are strings")


@learned("ZipMap")
def zip_map(use: Use) -> Value:
    """In ONNX a map from class to score for each point; here the matrix of scores."""
    use.note("the scores of each point as a row of a matrix, without the names of classes")
    return use[0]
