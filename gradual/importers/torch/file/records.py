"""The records of tensors in archives: element types, sizes, and layouts in a storage."""

from __future__ import annotations

from typing import Any

from gradual.importers.common.sizes.ports import Extent
from gradual.importers.torch.file import expressions, forms
from gradual.importers.torch.file.forms import Malformed, entry, items, only, text, whole
from gradual.importers.torch.file.schema import Meta, Stored
from gradual.types.dtype import DType

DTYPES = {
    1: DType.UINT8,
    2: DType.INT8,
    3: DType.INT16,
    4: DType.INT32,
    5: DType.INT64,
    6: DType.FLOAT16,
    7: DType.FLOAT32,
    8: DType.FLOAT64,
    12: DType.BOOL,
    13: DType.BFLOAT16,
    28: DType.UINT16,
    34: DType.UINT32,
    35: DType.UINT64,
}
"""`ScalarType` of the schema, by number."""
OTHER_TYPES = {9: "complex32", 10: "complex64", 11: "complex128", 29: "float8_e4m3fn", 30: "float8_e5m2"}
OTHER_TYPES |= {31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz", 33: "float8_e8m0fnu"}
"""Element types that the language does not have."""
STRIDED = 7
"""The `Layout` of dense tensors; all others are sparse."""


def dtype(form: Any) -> DType | str:
    """An element type, or the name of an element type that the language does not have."""
    number = whole(form)
    return DTYPES[number] if number in DTYPES else OTHER_TYPES.get(number, f"scalar type {number}")


def meta(form: Any) -> Meta:
    """The record of a tensor."""
    dtype, kind = _element_type(form)
    sizes = tuple(map(extent, forms.rank(items(entry(form, "sizes")))))
    if any(isinstance(one, int) and one < 0 for one in sizes):
        raise Malformed("a tensor of a negative size")
    return Meta(dtype, sizes, kind)


def _element_type(form: Any) -> tuple[DType | None, str]:
    """The element type of a tensor; None, and the element type's name, if the language does not have it."""
    found = dtype(entry(form, "dtype"))
    if whole(form.get("layout", STRIDED)) != STRIDED:
        return None, f"{found} in a sparse layout"
    return (found, "") if isinstance(found, DType) else (None, found)


def extent(form: Any) -> Extent:
    """A size, or another integer."""
    kind, body = only(form)
    return expressions.size(text(entry(body, "expr_str"))) if kind == "as_expr" else whole(body)


def stored(folder: str, form: Any) -> Stored:
    """A tensor as a folder's list describes it."""
    record = entry(form, "tensor_meta")
    path = None if form.get("use_pickle") else folder + text(entry(form, "path_name"))
    shape, strides = (tuple(map(_number, forms.rank(items(entry(record, key))))) for key in ("sizes", "strides"))
    if len(shape) != len(strides):
        raise Malformed(f"a tensor with {len(shape)} sizes and {len(strides)} strides")
    return Stored(path, _element_type(record)[0], shape, strides, _number(entry(record, "storage_offset")))


def _number(form: Any) -> int:
    """A size of a tensor in the archive, which must be a number."""
    return forms.size(entry(form, "as_int"))
