"""Values as JSON: the form in which tools and recorded runs exchange them.

A tensor is `{"dtype": "float32", "shape": [2], "data": ["1.5", "nan"]}`: row-major, floats as `repr` strings, integers
as numbers, booleans as true and false.  A tuple is `{"tuple": [V, ...]}`, a data structure
`{"constructor": "Cons", "fields": [V, ...]}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Constructed:
    """A value of a declared type: `Cons(1, Nil)`.

    Structures may be deep, so nothing here recurses: equality is identity.
    """

    constructor: str
    fields: tuple[Any, ...] = ()


Value: TypeAlias = Tensor | tuple["Value", ...] | Constructed


def to_json(value: Value) -> dict[str, Any]:
    """The JSON form of a value."""
    if isinstance(value, tuple):
        return {"tuple": [to_json(field) for field in value]}
    data = [repr(element) for element in value.elements] if value.dtype.is_float else value.flat()
    return {"dtype": str(value.dtype), "shape": list(value.shape), "data": data}


def from_json(form: Any) -> Value:
    """The value that a JSON form stands for; raises ValueError where it stands for none."""
    if not isinstance(form, dict):
        raise ValueError(f"a value is an object, not {form!r}")
    if "tuple" in form:
        return _tuple(form["tuple"])
    missing = [key for key in ("dtype", "shape", "data") if key not in form]
    if missing:
        raise ValueError(f"a tensor needs {' and '.join(repr(key) for key in missing)}")
    return Tensor(_data(form["data"]), _dtype(form["dtype"]), _shape(form["shape"]))


def _tuple(fields: Any) -> Value:
    if not isinstance(fields, list):
        raise ValueError("the fields of a tuple are a list")
    return tuple(from_json(field) for field in fields)


def _dtype(name: Any) -> DType:
    if name not in DType._value2member_map_:
        raise ValueError(f"{name!r} is no element type; there are {', '.join(DType)}")
    return DType(name)


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or not all(type(extent) is int and extent >= 0 for extent in shape):
        raise ValueError(f"a shape is a list of sizes, not {shape!r}")
    return tuple(shape)


def _data(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError("data is the flat list of the elements, in row-major order")
    return [_number(part) for part in data]


def _number(part: Any) -> Any:
    if isinstance(part, bool | int | float):
        return part
    try:
        return float(part)
    except (TypeError, ValueError):
        raise ValueError(f"{part!r} is no number") from None
