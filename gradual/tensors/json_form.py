"""Values as JSON: the form in which tools and recorded runs exchange them.

A tensor is `{"dtype": "float32", "shape": [2], "data": ["1.5", "nan"]}`: row-major, floats as `repr` strings, integers
as numbers, booleans as true and false.  A tuple is `{"tuple": [V, ...]}`, a data structure
`{"constructor": "Cons", "fields": [V, ...]}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.dtype import DType


def to_json(value: Value) -> dict[str, Any]:
    """The JSON form of a value."""
    return folded(value, _parts, _form)


def _parts(value: Value) -> tuple[Value, ...]:
    match value:
        case Constructed(_, fields):
            return fields
        case tuple():
            return value
        case _:
            return ()


def _form(value: Value, parts: list[dict[str, Any]]) -> dict[str, Any]:
    match value:
        case Constructed(constructor):
            return {"constructor": constructor, "fields": parts}
        case tuple():
            return {"tuple": parts}
        case Tensor():
            data = [repr(element) for element in value.elements] if value.dtype.is_float else value.flat()
            return {"dtype": str(value.dtype), "shape": list(value.shape), "data": data}


def from_json(form: Any) -> Value:
    """The value that a JSON form represents; raises ValueError if it represents none."""
    return folded(form, inside, _value)


def inside(form: Any) -> Sequence[Any]:
    """The JSON forms of the parts of a value; raises ValueError if it has no such form."""
    if not isinstance(form, dict):
        raise ValueError(f"a value is an object, not {form!r}")
    if "constructor" in form:
        fields = form.get("fields", [])
        if not isinstance(fields, list):
            raise ValueError("the fields of a constructor are a list")
        return fields
    if "tuple" in form:
        if not isinstance(form["tuple"], list):
            raise ValueError("the fields of a tuple are a list")
        return form["tuple"]
    return ()


def _value(form: Any, parts: list[Value]) -> Value:
    if "constructor" in form:
        if not isinstance(form["constructor"], str):
            raise ValueError(f"a constructor is named, not {form['constructor']!r}")
        return Constructed(form["constructor"], tuple(parts))
    if "tuple" in form:
        return tuple(parts)
    data, dtype, shape = tensor_parts(form)
    return Tensor(data, dtype, shape)


def tensor_parts(form: Any) -> tuple[list[Any], DType, tuple[int, ...]]:
    """The numbers, element type and shape of a tensor's JSON form, not rounded; raises ValueError if there are none."""
    missing = [key for key in ("dtype", "shape", "data") if key not in form]
    if missing:
        raise ValueError(f"a tensor needs {' and '.join(repr(key) for key in missing)}")
    return _data(form["data"]), _dtype(form["dtype"]), _shape(form["shape"])


T = TypeVar("T")
R = TypeVar("R")


def folded(whole: T, parts: Callable[[T], Sequence[T]], made: Callable[[T, list[R]], R]) -> R:
    """Fold a tree bottom-up without recursion: `made` combines a node with the results for its parts."""
    top: list[R] = []
    stack: list[tuple[T, Iterator[T], list[R]]] = [(whole, iter(parts(whole)), [])]
    while stack:
        node, waiting, done = stack[-1]
        part = next(waiting, _NOTHING)
        if part is not _NOTHING:
            stack.append((part, iter(parts(part)), []))
            continue
        stack.pop()
        (stack[-1][2] if stack else top).append(made(node, done))
    return top[0]


_NOTHING: Any = object()


def _dtype(name: Any) -> DType:
    if name not in DType._value2member_map_:
        raise ValueError(f"{name!r} is no element type; there are {', '.join(DType)}")
    return DType(name)


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or not all(type(extent) is int and 0 <= extent < 1 << 63 for extent in shape):
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
