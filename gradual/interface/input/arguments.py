"""Arguments of a run: a call as text, or a JSON list of values.

    call = "@" name "(" [ argument { "," argument } ] ")"
    argument = value | "@" path ".json" | "@" path ".npy" | "@" path ".npz" [ ":" name ] | "*@" path ".npz"

`*@weights.npz` passes all tensors of an archive in order, each as one argument.
Inside double quotes, commas and brackets are part of a path.
Values are written as in the conformance suite: `3`, `[1, 2]`, `float32 [1.5]`, `float32[5, 784]` for elements drawn
from the seed, and `Cons(int32 1, Nil)` for data.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from os import SEEK_END
from typing import Any

from gradual.interface.input import npy
from gradual.interface.input.files import content, opened
from gradual.interface.input.values import Built, Drawn, Fields, Literal, Values, read_value
from gradual.interface.terminal import Trouble
from gradual.limits import LIMITS
from gradual.tensors.index import numel
from gradual.tensors.json_form import from_json
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.declared import Data
from gradual.types.dtype import DType
from gradual.types.substitution import instantiated
from gradual.types.type import DataType, GradualType, TensorType, TupleType, UnrankedType

Argument = Values | Tensor | str
"""A value as written or read, or the path of a file that holds one."""

QUOTE = '"'
NO_DATA: Mapping[str, Data] = {}

_NESTED = 50_000
"""How deep a JSON file may nest; a `List` nests twice as deep as it has elements."""
_CALL = re.compile(r"\s*(@[A-Za-z_][\w.]*)\s*\((.*)\)\s*", re.DOTALL)


def read_call(text: str) -> tuple[str, list[Argument]]:
    """The function and the arguments of `@f(…)`; raises ValueError with what was expected."""
    if not (match := _CALL.fullmatch(text)):
        raise ValueError(f"expected a call such as `@main(float32[5, 784], 3)`, found `{text}`")
    return match[1], [argument for part in _parts(match[2]) for argument in _arguments(part)]


def _arguments(text: str) -> list[Argument]:
    """Parse one argument, or read all tensors of an archive; raises Trouble if the archive cannot be read."""
    if text.startswith("*@"):
        return [*_all(_path(text[1:]))]
    return [_path(text) if text.startswith("@") else read_value(text)]


def _path(text: str) -> str:
    return text[1:].strip().replace(QUOTE, "")


def _all(path: str) -> list[Tensor]:
    """Every tensor of an archive, in order."""
    try:
        with opened(path, "file") as stream:
            return npy.read_all(stream)
    except (ValueError, OverflowError) as error:
        raise Trouble("E0702", f"`{path}` does not hold tensors: {error}") from error


def _parts(text: str) -> Iterator[str]:
    """Split a text at commas outside brackets and quotes; an empty last part is due to a trailing comma."""
    depth, start, quoted = 0, 0, False
    for at, character in enumerate(text):
        quoted ^= character == QUOTE
        if quoted:
            continue
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if last := text[start:].strip():
        yield last


def values(
    arguments: Sequence[Argument], params: Sequence[GradualType], seed: int, data: Mapping[str, Data] = NO_DATA
) -> list[Value]:
    """The values of the arguments; a random k-th one uses `seed + k`, a bare literal takes its parameter's dtype."""
    wanted = [*params, *(None for _ in arguments)]
    return [_valued(argument, wanted[k], seed + k, data) for k, argument in enumerate(arguments)]


def _valued(argument: Argument, wanted: GradualType | None, seed: int, data: Mapping[str, Data]) -> Value:
    if isinstance(argument, str | Tensor):
        return from_file(argument) if isinstance(argument, str) else argument
    return made(argument, wanted, seed, data)


def made(value: Values, wanted: GradualType | None, seed: int, data: Mapping[str, Data] = NO_DATA) -> Value:
    """Build a value for a parameter of type `wanted`; `data` are the program's declared types."""
    match value:
        case Drawn(dtype, shape):
            return random_tensor(_possible(shape), DType(dtype), seed)
        case Literal(None, _, elements) if (other := _misfit(elements, wanted)) is not None:
            raise ValueError(f"`{other}` is no element of type {_natural(elements, wanted)}")
        case Literal(dtype, shape, elements):
            return Tensor(list(elements), dtype or _natural(elements, wanted), shape)
        case Fields(items):
            inside = wanted.fields if isinstance(wanted, TupleType) else ()
            return _parts_made(items, inside, seed, data)
        case Built(constructor, items):
            if not any(constructor in declared.constructors for declared in data.values()):
                raise ValueError(f"`{constructor}` is not a constructor of the program")
            return Constructed(constructor, _parts_made(items, _fields(constructor, wanted, data), seed, data))


def _misfit(elements: Sequence[bool | int | float], wanted: GradualType | None) -> float | None:
    """The first element that is written as a fraction though the parameter has no such elements."""
    is_whole = isinstance(wanted, TensorType | UnrankedType) and not wanted.dtype.is_float
    return next((one for one in elements if is_whole and isinstance(one, float)), None)


def _possible(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Check that a tensor can have the shape; raises ValueError with the reason if not."""
    beyond = next((size for size in shape if size not in range(1 << 63)), None)
    if beyond is not None:
        raise ValueError(f"the size {beyond} does not fit int64")
    if numel(shape) > LIMITS.elements:
        raise ValueError(f"a tensor of {numel(shape)} elements is not drawn: the limit is {LIMITS.elements}")
    return shape


def _parts_made(
    items: Sequence[Values], wanted: Sequence[GradualType], seed: int, data: Mapping[str, Data]
) -> tuple[Value, ...]:
    padded = [*wanted, *(None for _ in items)]
    return tuple(made(item, padded[k], seed + k, data) for k, item in enumerate(items))


def _fields(constructor: str, wanted: GradualType | None, data: Mapping[str, Data]) -> tuple[GradualType, ...]:
    """The types of a constructor's fields, as far as the expected type determines them."""
    if not isinstance(wanted, DataType) or wanted.name not in data:
        return ()
    declared = data[wanted.name]
    found = declared.constructors.get(constructor)
    chosen = dict(zip(declared.types, wanted.arguments, strict=True))
    return tuple(instantiated(field, chosen) for field in found.fields) if found is not None else ()


def _natural(elements: Sequence[bool | int | float], wanted: GradualType | None) -> DType:
    """The dtype of the parameter if it is a tensor, else the default dtype of a literal."""
    if isinstance(wanted, TensorType | UnrankedType):
        return wanted.dtype
    if elements and all(isinstance(element, bool) for element in elements):
        return DType.BOOL
    return DType.INT32 if all(isinstance(element, int) for element in elements) and elements else DType.FLOAT32


def from_file(path: str) -> Value:
    """Read a value from a `.npy`, `.npz` or JSON file, chosen by its name; raises Trouble if it holds none."""
    archive, member, name = path.partition(".npz:")
    if member or path.lower().endswith(".npz"):
        return _member(f"{archive}.npz" if member else path, name)
    return _array(path) if path.lower().endswith(".npy") else _value(path, _json(path))


def _array(path: str) -> Tensor:
    try:
        with opened(path, "file") as stream:
            length = stream.seek(0, SEEK_END)
            stream.seek(0)
            return npy.read_stream(stream, length)
    except (ValueError, OverflowError) as error:
        raise Trouble("E0702", f"`{path}` holds no tensor: {error}") from error


def _member(path: str, name: str) -> Tensor:
    """The tensor of that name in an archive, or its only tensor if no name is given."""
    try:
        with opened(path, "file") as stream:
            names = npy.names_in(stream)
            if name in names or (not name and len(names) == 1):
                return npy.read_from(stream, name or names[0])
    except (ValueError, OverflowError) as error:
        raise Trouble("E0702", f"`{path}` holds no tensor{f' `{name}`' * bool(name)}: {error}") from error
    if name or not names:
        shown = f" `{name}`; it has {', '.join(names) or 'none'}" if name else "s"
        raise Trouble("E0702", f"`{path}` holds no tensor{shown}")
    raise Trouble("E0702", f"`{path}` holds {len(names)} tensors; say which, as in `{path}:{names[0]}`")


def list_from_file(path: str) -> list[Value]:
    """Read a JSON list of values from a file; raises Trouble if it has anything else."""
    form = _json(path)
    if not isinstance(form, list):
        raise Trouble("E0702", f"`{path}` holds no list of values")
    return [_value(path, each) for each in form]


def _json(path: str) -> Any:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _NESTED))
    try:
        return json.loads(content(path, "values"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise Trouble("E0702", f"`{path}` is not JSON: {error}") from error
    except RecursionError as error:
        raise Trouble("E0702", f"`{path}` is nested too deeply") from error
    except ValueError as error:  # Python limits the digits of an integer
        raise Trouble("E0702", f"`{path}` has a number of more than {sys.get_int_max_str_digits()} digits") from error
    finally:
        sys.setrecursionlimit(limit)


def _value(path: str, form: Any) -> Value:
    try:
        return from_json(form)
    except (ValueError, TypeError, OverflowError) as error:
        raise Trouble("E0702", f"`{path}` holds no value: {error}") from error
