"""Sequences of tensors: tuples if the length is known while importing, else lists of the program.

All elements of a list have one type, in which a size that differs between elements is `?`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from gradual.importers.common.builder import Builder, stated
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.type import DataType, Hole, NeverType, TensorType, TupleType, UnrankedType

LIST = "Sequence"
"""The name of the list type."""
OPTIONAL = "Optional"
"""The name of the type of optional values."""

FUNCTIONS = {
    LIST: "type Sequence[A] { Cons(A, Sequence[A]), Nil }\n",
    OPTIONAL: "type Optional[A] { Some(A), None }\n",
    "@has_element": """\
def @has_element[A](%o: Optional[A]) -> bool { match (%o) { Some(_) => True, None => False } }
""",
    "@element": """\
def @element[A](%o: Optional[A]) -> A { match? (%o) { Some(%one) => %one } }
""",
    "@sequence_length": """\
def @sequence_length[A](%s: Sequence[A]) -> int64 {
  match (%s) { Cons(_, %rest) => add(@sequence_length(%rest), 1i64), Nil => 0i64 }
}
""",
    "@sequence_place": """\
def @sequence_place[A](%s: Sequence[A], %i: int64) -> int64 {
  if (%i < 0i64) { add(%i, @sequence_length(%s)) } else { %i }
}
""",
    "@sequence_at": """\
def @sequence_at[A](%s: Sequence[A], %i: int64) -> A {
  match? (%s) { Cons(%one, %rest) => if (%i == 0i64) { %one } else { @sequence_at(%rest, %i - 1i64) } }
}
""",
    "@sequence_filled": """\
def @sequence_filled[A](%one: A, %n: int64) -> Sequence[A] {
  if (%n <= 0i64) { Nil } else { Cons(%one, @sequence_filled(%one, %n - 1i64)) }
}
""",
    "@sequence_set": """\
def @sequence_set[A](%s: Sequence[A], %new: A, %i: int64) -> Sequence[A] {
  match? (%s) {
    Cons(%one, %rest) =>
      if (%i == 0i64) { Cons(%new, %rest) } else { Cons(%one, @sequence_set(%rest, %new, %i - 1i64)) }
  }
}
""",
    "@sequence_put": """\
def @sequence_put[A](%s: Sequence[A], %new: A, %i: int64) -> Sequence[A] {
  if (%i == 0i64) { match (%s) { Cons(_, %rest) => Cons(%new, %rest), Nil => Cons(%new, Nil) } } else {
    match? (%s) { Cons(%one, %rest) => Cons(%one, @sequence_put(%rest, %new, %i - 1i64)) }
  }
}
""",
    "@sequence_append": """\
def @sequence_append[A](%s: Sequence[A], %new: A) -> Sequence[A] {
  match (%s) { Cons(%one, %rest) => Cons(%one, @sequence_append(%rest, %new)), Nil => Cons(%new, Nil) }
}
""",
    "@sequence_insert": """\
def @sequence_insert[A](%s: Sequence[A], %new: A, %i: int64) -> Sequence[A] {
  if (%i == 0i64) { Cons(%new, %s) } else {
    match? (%s) { Cons(%one, %rest) => Cons(%one, @sequence_insert(%rest, %new, %i - 1i64)) }
  }
}
""",
    "@sequence_erase": """\
def @sequence_erase[A](%s: Sequence[A], %i: int64) -> Sequence[A] {
  match? (%s) { Cons(%one, %rest) => if (%i == 0i64) { %rest } else { Cons(%one, @sequence_erase(%rest, %i - 1i64)) } }
}
""",
}
"""Name -> a definition that a program with sequences or optional values may need; indices count from the front."""


def declare(builder: Builder, name: str) -> str:
    """Add a definition, and those that it mentions, to the program; return its name."""
    if name not in builder.functions:
        builder.functions[name] = FUNCTIONS[name]
        for other in re.findall(r"@\w+|\bSequence\b|\bOptional\b", FUNCTIONS[name]):
            declare(builder, other)
    return name


def is_sequence(value: Value) -> bool:
    """Whether a value is a sequence, of known length or not, or an optional value."""
    return isinstance(value.type, TupleType | DataType)


def is_optional(value: Value) -> bool:
    """Whether a value may be absent."""
    return isinstance(value.type, DataType) and value.type.name == OPTIONAL


def held(value: Value) -> Any:
    """The type of a value passed to another scope: a size that contains an unknown becomes `?`, a sequence a list."""
    if isinstance(value.type, TupleType):
        kinds = [stated(field) for field in value.type.fields]
        return DataType(LIST, (reduce(wider, kinds, NeverType()),))
    if isinstance(value.type, UnrankedType):
        return UnrankedType(value.dtype)
    return stated(value.type) if is_sequence(value) else held_tensor(value)


def held_tensor(value: Value) -> Any:
    """As `held`, for a value that has to be a tensor."""
    return stated(value.tensor)


def wider(one: Any, other: Any) -> Any:
    """The join of two types; the checker's own join may be more precise."""
    match one, other:
        case NeverType(), _:
            return other
        case _, NeverType():
            return one
        case DataType(), DataType() if one.name == other.name:
            return DataType(one.name, (wider(one.arguments[0], other.arguments[0]),))
        case TensorType() | UnrankedType(), TensorType() | UnrankedType():
            return _wider_tensor(one, other)
    raise Unsupported("a tensor, a sequence or an optional value in one case and another of them in the other")


def _wider_tensor(one: Any, other: Any) -> Any:
    if one.dtype is not other.dtype:
        raise Unsupported(f"a tensor of {one.dtype} in one case and of {other.dtype} in the other")
    if isinstance(one, UnrankedType) or isinstance(other, UnrankedType) or one.rank != other.rank:
        return UnrankedType(one.dtype)
    sizes = (left if left is right else Hole() for left, right in zip(one.shape, other.shape, strict=True))
    return TensorType(tuple(sizes), one.dtype)


def of(builder: Builder, element: Any) -> Any:
    """The type of lists of an element type, in which a size that contains an unknown becomes `?`."""
    return DataType(declare(builder, LIST), (stated(element),))


def optional_of(builder: Builder, element: Any) -> Any:
    """The type of optional values, in which a size that contains an unknown becomes `?`."""
    return DataType(declare(builder, OPTIONAL), (stated(element),))


def settled(type: Any) -> Any:
    """The type; the elements of a list that is always empty are float32 tensors, as is ONNX's default."""
    match type:
        case DataType(name, (NeverType(),)):
            return DataType(name, (UnrankedType(DType.FLOAT32),))
        case _:
            return type


def element_of(sequence: Value) -> Any:
    """The type of a list's elements."""
    (element,) = sequence.type.arguments if isinstance(sequence.type, DataType) else (NeverType(),)
    if isinstance(element, NeverType):
        raise Unsupported("an element of a sequence that has none yet")
    return element


def as_list(builder: Builder, value: Value, type: Any = None) -> Value:
    """The sequence as a list; of a wider type if one is given."""
    if isinstance(value.type, TupleType):
        type = settled(type or held(value))
        fields = value.made_by("tuple") or [builder.field(value, at) for at in range(len(value.type.fields))]
        value = Value(type, builder.bind([as_element(builder, one, type) for one in fields], _consed))
    elif type is None or type == value.type:
        return value
    declare(builder, type.name)
    return Value(type, builder.bind([value], lambda given: f"({given[0]} as {shown(type)})"))


def as_element(builder: Builder, value: Value, type: Any) -> Value:
    """The value cast to the element type of a type of lists."""
    (element,) = type.arguments
    if value.type == element:
        return value
    return Value(value.type, builder.bind([value], lambda given: f"({given[0]} as {shown(element)})"))


def _consed(given: Sequence[str]) -> str:
    return reduce(lambda rest, one: f"Cons({one}, {rest})", reversed(given), "Nil")


def applied(builder: Builder, name: str, type: Any, *operands: Value) -> Value:
    """Call one of the `FUNCTIONS` on lists."""
    return builder.applied(declare(builder, name), operands, builder.open(type))


def recursive(
    builder: Builder,
    wanted: str,
    param: str,
    result: Any,
    operands: Sequence[Value],
    body: Callable[[str, Sequence[str]], str],
    start: Callable[[Sequence[str]], str],
) -> Value:
    """Call a recursive function literal; `body` writes its body and `start` the arguments of its first call."""
    name = f"%{builder.names.fresh(wanted)}"

    def text(given: Sequence[str]) -> str:
        function = f"fn ({param}) -> {shown(result)} {{ {body(name, given)} }}"
        return f"{{ let {name} = {function}; {name}({start(given)}) }}"

    return Value(builder.open(result), builder.bind(operands, text))
