"""The syntax of values in calls on the command line, and in calls and outcomes of conformance cases.

    call    = "@" name "(" [ value { "," value } ] ")"
    value   = dtype "[" [ int { "," int } ] "]"        a tensor of that shape with random elements
            | dtype " " literal | literal              given elements; a bare literal takes the expected dtype
            | "(" [ value { "," value } [ "," ] ] ")"  a tuple
            | name [ "(" [ value { "," value } ] ")" ] a constructor of a declared type
    literal = number | "True" | "False" | "[" [ literal { "," literal } ] "]"

A number is one of the language, with or without a suffix (`3`, `2i64`, `1.5f16`, `1e-05f`, `inff`), or `inf` or `nan`;
a suffix in a list applies to all its numbers.
There is no blank between a dtype and the bracket of a shape, but one between a dtype and a list of elements.
"""

from __future__ import annotations

import re

from gradual.record import record
from gradual.syntax.tree.literals import SPECIAL, BadNumber, number
from gradual.types.dtype import DType

Nested = bool | int | float | tuple["Nested", ...]

_DIGITS = 100
"""More digits than an integer of any element type has."""


@record
class Drawn:
    """A random tensor of a given dtype and shape: `float32[5, 784]`."""

    dtype: str
    shape: tuple[int, ...]


@record
class Literal:
    """A tensor with given elements: `int64 [2, 6]`, `3`; `dtype` is None if the context determines it."""

    dtype: str | None
    shape: tuple[int, ...]
    elements: tuple[bool | int | float, ...]


@record
class Fields:
    """A tuple: `(a, b)`."""

    items: tuple[Values, ...]


@record
class Built:
    """A value of a declared type: `Cons(a, b)`, `Nil`."""

    constructor: str
    items: tuple[Values, ...] = ()


Values = Drawn | Literal | Fields | Built


@record
class Call:
    """A call of a function of the program."""

    function: str
    arguments: tuple[Values, ...]


_TOKEN = re.compile(
    r"""(?:(?P<mark>[\[\](),])
      | (?P<number>-?\d+\.?\d*(?:[eE][+-]?\d+)?[a-z]*\d*)
      | (?P<drawn>(?:bool|bfloat16|u?int(?:8|16|32|64)|float(?:16|32|64))\[)
      | (?P<dtype>(?:bool|bfloat16|u?int(?:8|16|32|64)|float(?:16|32|64)))(?=\s)
      | (?P<constructor>(?!(?:nan|inf|True|False|SPECIAL)\b)[A-Za-z_]\w*)
      | (?P<special>-?(?:inf|nan)[a-z]*\d*)
      | (?P<truth>True|False)
      | (?P<name>@[A-Za-z_][A-Za-z0-9_.]*))\s*""".replace("SPECIAL", "|".join(sorted(SPECIAL))),
    re.VERBOSE,
)


class _Reader:
    """A cursor over the tokens of one line."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.suffixes: list[DType] = []

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "the end")

    def next(self) -> tuple[str, str]:
        token = self.peek()
        self.at += 1
        return token

    def skip(self, mark: str) -> bool:
        if self.peek()[1] != mark:
            return False
        self.at += 1
        return True

    def expect(self, mark: str) -> None:
        kind, text = self.next()
        if text != mark or kind == "end":
            raise ValueError(f"expected `{mark}`, found `{text}`")


_NESTED = 200
"""How deep a value may nest; a deeper one has to be in a file."""


def _tokens(text: str) -> list[tuple[str, str]]:
    text = text.lstrip()
    found, at, depth = [], 0, 0
    for match in _TOKEN.finditer(text):
        if match.start() != at:
            break
        kind = match.lastgroup or ""
        word = match[kind]
        found.append(("number" if kind == "special" else kind, word))
        depth += (word[-1] in "([") - (word in ")]")
        if depth > _NESTED:
            raise ValueError(f"a value that is written nests at most {_NESTED} deep")
        at = match.end()
    if at < len(text):
        raise ValueError(f"unexpected `{text[at]}`")
    return found


def read_call(text: str) -> Call:
    """Parse a call; raises ValueError with what was expected."""
    reader = _Reader(text)
    kind, name = reader.next()
    if kind != "name":
        raise ValueError(f"expected a function name such as `@f`, found `{name}`")
    reader.expect("(")
    arguments = _until(reader, ")")
    _ended(reader)
    return Call(name, arguments)


def read_value(text: str) -> Values:
    """Parse a value; raises ValueError with what was expected."""
    reader = _Reader(text)
    value = _value(reader)
    _ended(reader)
    return value


def _ended(reader: _Reader) -> None:
    if reader.peek()[0] != "end":
        raise ValueError(f"unexpected `{reader.peek()[1]}`")


def _until(reader: _Reader, close: str) -> tuple[Values, ...]:
    items: list[Values] = []
    while not reader.skip(close):
        items.append(_value(reader))
        if not reader.skip(","):
            reader.expect(close)
            break
    return tuple(items)


def _value(reader: _Reader) -> Values:
    kind, text = reader.peek()
    if kind == "drawn":
        return _drawn(reader)
    if text == "(":
        reader.next()
        return Fields(_until(reader, ")"))
    if kind == "constructor":
        reader.next()
        return Built(text, _until(reader, ")") if reader.skip("(") else ())
    dtype = reader.next()[1] if kind == "dtype" else None
    data = _literal(reader)
    return Literal(_agreed(dtype, reader.suffixes), _shape(data), tuple(_flat(data)))


def _agreed(written: str | None, suffixes: list[DType]) -> str | None:
    """The element type given before the elements, or by the suffixes of the numbers; None if there is neither."""
    found = dict.fromkeys([*([written] if written is not None else []), *map(str, suffixes)])
    suffixes.clear()
    if len(found) > 1:
        raise ValueError(f"one tensor has elements of one type, not {' and '.join(found)}")
    return next(iter(found), None)


def _integer(text: str) -> int:
    """Parse an integer; raises ValueError for one that no size or element can be."""
    if len(text) > _DIGITS:
        raise ValueError(f"`{text[:12]}…` has too many digits")
    return int(text)


def _drawn(reader: _Reader) -> Drawn:
    dtype = reader.next()[1].removesuffix("[")
    sizes: list[int] = []
    while not reader.skip("]"):
        kind, text = reader.next()
        if kind != "number" or not text.isdigit():
            raise ValueError(f"expected a size, found `{text}`")
        sizes.append(_integer(text))
        if not reader.skip(","):
            reader.expect("]")
            break
    return Drawn(dtype, tuple(sizes))


def _literal(reader: _Reader) -> Nested:
    kind, text = reader.next()
    if kind == "truth":
        return text == "True"
    if kind == "number":
        return _number(reader, text)
    if text != "[":
        raise ValueError(f"expected a value, found `{text}`")
    items: list[Nested] = []
    while not reader.skip("]"):
        items.append(_literal(reader))
        if not reader.skip(","):
            reader.expect("]")
            break
    return tuple(items)


def _number(reader: _Reader, text: str) -> int | float:
    if text.lstrip("-").isdigit():
        return _integer(text)
    try:
        return float(text)
    except ValueError:
        pass
    try:
        value, dtype, _ = number(text)
    except BadNumber as problem:
        raise ValueError(f"`{text}` is no number: {problem}") from problem
    reader.suffixes.append(dtype)
    return value


def _shape(data: Nested) -> tuple[int, ...]:
    if not isinstance(data, tuple):
        return ()
    inner = {_shape(item) for item in data}
    if len(inner) > 1:
        raise ValueError("rows of a list differ in length")
    return (len(data), *(inner.pop() if inner else ()))


def _flat(data: Nested) -> list[bool | int | float]:
    if not isinstance(data, tuple):
        return [data]
    return [scalar for item in data for scalar in _flat(item)]


def written(value: Values) -> str:
    """The text of a value, as `read_value` reads it."""
    match value:
        case Drawn(dtype, shape) | Literal(str(dtype), (_, _, *_) as shape, ()):
            return f"{dtype}[{', '.join(map(str, shape))}]"
        case Literal(dtype, shape, elements):
            return f"{dtype} {_listed(shape, elements)}" if dtype else _listed(shape, elements)
        case Fields(items):
            comma = "," if len(items) == 1 else ""
            return f"({', '.join(map(written, items))}{comma})"
        case Built(constructor, items):
            return f"{constructor}({', '.join(map(written, items))})" if items else constructor


def _listed(shape: tuple[int, ...], elements: tuple[bool | int | float, ...]) -> str:
    if not shape:
        return str(elements[0])
    step = len(elements) // shape[0] if shape[0] else 0
    rows = (_listed(shape[1:], elements[i * step : (i + 1) * step]) for i in range(shape[0]))
    return f"[{', '.join(rows)}]"
