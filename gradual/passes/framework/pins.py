"""Sizes that a user pins: numbers for a function's dims and for sizes of its parameters.

n=3             the dim `n`
dim(%x,0)=3     the size of an axis of a parameter; a `?` is pinned itself; if the type has a dim there, the unknown in
                this dim is pinned so that the dim has this value
%x=(10,?)       all sizes of a parameter; a size given as `?` is not pinned
%k=3            the value of a scalar parameter
@f:n=3          any of these, for one function only                                [pass.specialize.names]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import TypeVar

from gradual.core.terms import Function, Module
from gradual.dims.term.dim import ContentOf, Dim, Kind, SizeOf, Variable, constant, of_atom
from gradual.passes.framework.pass_ import Unusable
from gradual.record import record
from gradual.tensors.scalar import integer_range
from gradual.types.binder_solving import requirements
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from gradual.types.unpacking import content_of, size_of, spelled

K = TypeVar("K")
Place = tuple[str, int]
"""A size of a parameter: the path of the value, and the axis."""

_DIGITS = 40
"""The largest number of digits that is parsed."""

_SIZE = re.compile(r"dim\((%[^,\s]+),\s*(\d+)\)")
_SHAPE = re.compile(r"\(\s*(.*?)\s*,?\s*\)")


@record(frozen=False, eq=False)
class Pins:
    """Numbers for unknowns of a function's declaration.

    Attributes:
        named: dim of the function -> number.
        sizes: (path, axis) of a `?` of a parameter -> number.
        elements: integer parameter of rank 0 -> its value.
        label: what distinguishes a copy with these numbers, as part of a name: `n_3`.
    """

    named: dict[Variable, int] = field(default_factory=dict)
    sizes: dict[Place, int] = field(default_factory=dict)
    elements: dict[str, int] = field(default_factory=dict)
    label: str = ""

    def outside(self) -> dict[Variable, Dim]:
        """Name in the declaration -> its number."""
        numbers = [(of_atom(name), number) for name, number in self.named.items()]
        numbers += [(content_of(name, (), Kind.RIGID), number) for name, number in self.elements.items()]
        return {variable: constant(number) for dim, number in numbers for variable in dim.variables()}

    def dims(self) -> dict[Variable, Dim]:
        """Unknown in the body -> its number."""
        numbers = [(of_atom(name), number) for name, number in self.named.items()]
        numbers += [(size_of(*place), number) for place, number in self.sizes.items()]
        for name, number in self.elements.items():
            numbers += [(content_of(name, (), kind), number) for kind in Kind]
        return {variable: constant(number) for dim, number in numbers for variable in dim.variables()}


def whole(words: Iterable[str]) -> Iterator[str]:
    """Join words that were split inside parentheses, such as `dim(%x, 0)=3`."""
    open_word = ""
    for word in words:
        open_word += word
        if open_word.count("(") <= open_word.count(")"):
            yield open_word
            open_word = ""
    if open_word:
        yield open_word


def add(given: dict[str, str], key: str, text: str) -> None:
    """Add an argument of a pass.  Raises Unusable if it is given twice with different values."""
    if given.setdefault(key, text) != text:
        raise Unusable(f"`{key}` is given both `{given[key]}` and `{text}`")


def by_function(module: Module, given: Mapping[str, str]) -> dict[str, Pins]:
    """Function -> its pins.  Raises Unusable for an unknown name or contradicting numbers."""
    found: dict[str, Pins] = {}
    for key, text in given.items():
        owner, colon, name = key.rpartition(":")
        functions = {name: one for name, one in module.functions.items() if name.startswith("@")}
        if colon and owner not in functions:
            raise Unusable(f"there is no function `{owner}`")
        among = [functions[owner]] if colon else list(functions.values())
        concerned = [function for function in among if _knows(function, name)]
        if not concerned:
            raise Unusable(f"there is nothing called `{name}`" + _open_in(among))
        for function in concerned:
            _pin(function, found.setdefault(function.name, Pins()), name, text)
    return {name: pins for name, pins in found.items() if pins.named or pins.sizes or pins.elements}


def number(text: str, what: str) -> int:
    """Parse a size.  Raises Unusable."""
    if not text.isascii() or not text.isdigit():
        raise Unusable(f"`{what}` is given `{text}`; a size is a number that is not negative")
    return _within(text, what, DType.INT64)


def unknowns(function: Function) -> Iterator[str]:
    """The names that can be pinned of a function, as a user writes them."""
    yield from (variable.name for variable in function.type.binders)
    for param in function.params:
        for extent, _, path, axis in requirements(param.written, param.name):
            if isinstance(extent, Hole):
                yield f"dim({spelled(path)},{axis})"


def _open_in(functions: list[Function]) -> str:
    """A hint that lists what can be pinned."""
    names = [f"`{function.name}:{name}`" for function in functions for name in unknowns(function)]
    return f"; sizes that can be given: {', '.join(names[:8])}" if names else "; no size can be given"


def _knows(function: Function, name: str) -> bool:
    size = _SIZE.fullmatch(name)
    if size is not None:
        return (_path(size[1]), int(size[2])) in _extents(function)
    return name in {param.name for param in function.params} | {variable.name for variable in function.type.binders}


def _path(spelling: str) -> str:
    return spelling.replace(".", "#")


def _extents(function: Function) -> dict[Place, Dim | Hole]:
    """(path, axis) -> the written size, for all parameters."""
    return {
        (path, axis): extent
        for param in function.params
        for extent, _, path, axis in requirements(param.written, param.name)
    }


def _pin(function: Function, pins: Pins, name: str, text: str) -> None:
    size = _SIZE.fullmatch(name)
    if size is not None:
        _label(pins, f"{size[1]}_{size[2]}_{text}")
        return _pin_size(function, pins, (_path(size[1]), int(size[2])), number(text, name))
    if not name.startswith("%"):
        _label(pins, f"{name}_{text}")
        named = next(variable for variable in function.type.binders if variable.name == name)
        return _agree(pins.named, named, number(text, name), name)
    param = next(param for param in function.params if param.name == name)
    if not isinstance(param.written, TensorType):
        raise Unusable(f"`{name}` is no tensor of known rank", param.span)
    shape = _SHAPE.fullmatch(text)
    if shape is None and param.written.rank == 0 and param.written.dtype.counts:
        _label(pins, f"{name}_{text}")
        return _agree(pins.elements, name, _integer(text, name, param.written.dtype), name)
    if shape is None and param.written.rank == 0:
        raise Unusable(f"`{name}` is {param.written.dtype}: a value can be given for int32 and int64 only", param.span)
    sizes = [part.strip() for part in shape[1].split(",")] if shape is not None and shape[1] else []
    if shape is None or len(sizes) != param.written.rank:
        raise Unusable(
            f"`{name}` has {param.written.rank} sizes, and `{text}` gives another number of sizes", param.span
        )
    _label(pins, "_".join((name, *sizes)))
    for axis, given in enumerate(sizes):
        if given != "?":
            _pin_size(function, pins, (name, axis), number(given, f"dim({name},{axis})"))


def _integer(text: str, what: str, dtype: DType) -> int:
    if re.fullmatch(r"-?[0-9]+", text) is None:
        raise Unusable(f"`{what}` is given `{text}`, which is no integer")
    return _within(text, what, dtype)


def _within(text: str, what: str, dtype: DType) -> int:
    """Parse an integer in the range of a dtype; texts that are far too long are not parsed.  Raises Unusable."""
    low, high = integer_range(dtype)
    found = int(text) if len(text) <= _DIGITS else None
    if found is None or not low <= found <= high:
        raise Unusable(f"`{what}` is given a number outside the range of {dtype}, {low} to {high}")
    return found


def _pin_size(function: Function, pins: Pins, place: Place, wanted: int) -> None:
    """Pin one size of a parameter: a `?` itself, a written dim by the unknown in it."""
    what = f"{function.name}:dim({spelled(place[0])},{place[1]})"
    extent = _extents(function)[place]
    if isinstance(extent, Hole):
        return _agree(pins.sizes, place, wanted, what)
    extent = extent.substitute({**pins.outside(), **pins.dims()})
    if extent.value is not None:
        if extent.value != wanted:
            raise Unusable(f"`{what}` is {extent.value}, not {wanted}")
        return None
    solved = _solved(extent, wanted)
    if solved is None:
        raise Unusable(f"`{what}` is `{extent}`; no number for a single unknown makes it {wanted}")
    variable, found = solved
    match variable.witness:
        case SizeOf(path, axis):
            _pin_size(function, pins, (path, axis), found)
        case ContentOf(name):
            _agree(pins.elements, name, _within(str(found), name, _held(function, name)), what)
        case _:
            _agree(pins.named, variable, found, what)


def _solved(extent: Dim, wanted: int) -> tuple[Variable, int] | None:
    """Solve a size that is linear in one unknown: the unknown and its natural number; None if there is none."""
    variables = sorted(extent.variables())
    factor = dict(extent.terms).get((variables[0],)) if len(variables) == 1 else None
    if factor is None:
        return None
    rest = (extent - factor * of_atom(variables[0])).value
    if rest is None or (wanted - rest) % factor:
        return None
    found = (wanted - rest) // factor
    return (variables[0], found) if found >= 0 or isinstance(variables[0].witness, ContentOf) else None


def _held(function: Function, name: str) -> DType:
    """The element type of an integer parameter."""
    (type,) = (param.written for param in function.params if param.name == name)
    assert isinstance(type, TensorType), type
    return type.dtype


def _agree(table: dict[K, int], key: K, wanted: int, what: str) -> None:
    if table.setdefault(key, wanted) != wanted:
        raise Unusable(f"`{what}` is given both {table[key]} and {wanted}")


def _label(pins: Pins, text: str) -> None:
    """Add the words of a pin to the label: `dim(%x,0)=3` gives `x_0_3`."""
    words = re.findall(r"[A-Za-z0-9_]+", text)
    pins.label = "_".join(part for part in (pins.label, *words) if part)
