"""Translation of a call in another system's notation: arguments are bound to parameters, attributes are renamed.

[name.operator] [name.attribute]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from gradual.checker.program.foreign_dtypes import element_type
from gradual.checker.program.suggestions import closest
from gradual.checker.repairs.foreign_rows import DROPPED, NEGATED, ONNX_TYPES, RENAMED, Row
from gradual.checker.repairs.place import Application, Program, called
from gradual.dims.term.atom import Kind
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.attributes import Choice, Form, Plain, form_of
from gradual.ops.declaration.operator import AttributeSpec, Operator
from gradual.record import record
from gradual.syntax.repair.python_indexing import split
from gradual.syntax.tree import ast
from gradual.types.dtype import DType

_PLACE = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r"<([^<>{]*)\{(\w+)\}([^<>]*)>")
_ONE = re.compile(r"[\[(]\s*(-?[0-9]+)\s*,?\s*[\])]")
_LITERAL = re.compile(r"-?[0-9.]+\w*|\[.*\]|\".*\"|None|True|False", re.DOTALL)
_LIST = re.compile(r"[\[(](.*)[\])]", re.DOTALL)
LISTS = frozenset({"newshape", "shape", "axes", "reps"})
"""The attributes whose value is the list of all numbers passed by position."""

_LOOSE = (ast.Infix, ast.Unary, ast.Cast, ast.Choose, ast.If, ast.Fn)


@record
class Given:
    """The source texts of a call's arguments and attributes.

    Attributes:
        loose: the arguments that need parentheses as operands of an infix operator.
        shape: the shape of the first argument, if its rank is known.
    """

    arguments: tuple[str, ...]
    attributes: Mapping[str, str]
    loose: frozenset[str] = frozenset()
    shape: tuple[Dim, ...] | None = None


def given(program: Program, application: Application, receiver: str | None = None) -> Given:
    """The texts of an application's arguments; the `receiver` of a method call becomes the first."""
    arguments = tuple(map(program.words, application.operands))
    loose = {program.words(one) for one in application.operands if isinstance(one, _LOOSE)}
    attributes = {one.key: program.words(one.value) for one in application.attributes}
    if receiver is not None:
        shape = program.shape(ast.Local(receiver, application.span))
        return Given((receiver, *arguments), attributes, frozenset(loose), shape)
    shape = program.shape(application.operands[0]) if application.operands else None
    return Given(arguments, attributes, frozenset(loose), shape)


# ------------------------------------------------------------------------------------------------------- by a row
@record(frozen=False)
class _Bound:
    """The parameters of a row of the translation table with their texts, and the attributes that are no parameters."""

    values: dict[str, str | list[str]] = field(default_factory=dict)
    rest: dict[str, str] = field(default_factory=dict)


def by_row(row: Row, call: Given, operators: Mapping[str, Operator]) -> str | None:
    """Translate a call by a row of the translation table; None if the call does not match the row's parameters."""
    bound = _bound(row, call)
    if bound is None:
        return None
    wanted = set(_PLACE.findall(_OPTIONAL.sub("", row.written)))
    if "swapped" in wanted:
        return _swapped(bound, call)
    if "ordered" in wanted:
        return _ordered(bound)
    if "expanded" in wanted:
        return _expanded(bound, call)
    if not wanted <= bound.values.keys():
        return None
    kept = _OPTIONAL.sub(lambda found: found[0][1:-1] if found[2] in bound.values else "", row.written)
    written = _PLACE.sub(lambda found: _filled(found, bound.values[found[1]], call, kept), kept)
    operator = operators.get(written.partition("(")[0])
    if not bound.rest:
        return written
    named = None if operator is None or not kept.endswith(")") else _renamed(operator, bound.rest)
    return (
        None
        if named is None or any(f"{key}=" in kept for key in named)
        else f"{written[:-1]}{''.join(f', {key}={text}' for key, text in named.items())})"
    )


def _bound(row: Row, call: Given) -> _Bound | None:
    bound, waiting = _Bound(), list(call.arguments)
    named = {_param(row, key) or key: text for key, text in call.attributes.items() if key not in DROPPED}
    for place, param in enumerate(row.params):
        name = param.lstrip("*")
        if param.startswith("*") and waiting and name not in named:
            taken = _several(waiting, place < len(row.params) - 1)
            bound.values[name] = _inside(waiting[0]) if taken == 0 else waiting[:taken]
            del waiting[: taken or 1]
        elif name in named:
            text = named.pop(name)
            bound.values[name] = _inside(text) if param.startswith("*") else text
        elif waiting:
            bound.values[name] = waiting.pop(0)
    bound.rest = named
    for name in NEGATED.keys() & bound.values:
        bound.values[name] = _NEGATION.get(str(bound.values[name]), "")
    differs = any(bound.values.get(name, text) != text for name, text in row.only.items())
    return None if waiting or differs or "" in bound.values.values() else bound


def _param(row: Row, key: str) -> str | None:
    names = [param.lstrip("*") for param in row.params]
    return key if key in names else next((one for one in RENAMED.get(key, ()) if one in names), None)


def _several(waiting: Sequence[str], more: bool) -> int:
    """The number of arguments that a starred parameter takes; 0 if the first argument is a list already."""
    if _LIST.fullmatch(waiting[0]):
        return 0
    if not more:
        return len(waiting)
    return next((place for place, text in enumerate(waiting) if place and _LITERAL.fullmatch(text)), len(waiting))


def _inside(text: str) -> list[str]:
    found = _LIST.fullmatch(text)
    return split(found[1], ",") if found is not None else [text]


def _filled(found: re.Match[str], value: str | list[str], call: Given, template: str) -> str:
    before, after = template[: found.start()][-1:], template[found.end() :][:1]
    if isinstance(value, list):
        return f"{', '.join(value)}{',' * (len(value) == 1)}" if before == "(" else f"[{', '.join(value)}]"
    if found[1] == "dtype":
        return quoted_type(value)
    if found[1] == "axis" and (single := _ONE.fullmatch(value)) is not None:
        return single[1]
    if found[1] == "xs" and value.startswith("["):
        return f"({value[1:-1]})"
    is_alone = (before in ("(", "") or template[: found.start()].endswith((", ", "="))) and after in (",", ")", "")
    return value if is_alone or value not in call.loose else f"({value})"


def quoted_type(text: str) -> str:
    """The text of an element type as an attribute value, in quotes; a misspelt one is the closest one."""
    name = ONNX_TYPES.get(text, text.strip('"'))
    near = closest(name, DType)
    return f'"{element_type(name) or (near[0] if len(near) == 1 else name)}"'


def _swapped(bound: _Bound, call: Given) -> str | None:
    """Translate an exchange of two axes to a `transpose` with all axes."""
    x, first, second = (bound.values.get(name, last) for name, last in (("x", ""), ("a", "-2"), ("b", "-1")))
    numbers = [str(text) for text in (first, second)]
    if call.shape is None or bound.rest or not all(re.fullmatch(r"-?[0-9]+", text) for text in numbers):
        return None
    order = list(range(len(call.shape)))
    one, other = (int(text) for text in numbers)
    if not all(-len(order) <= axis < len(order) for axis in (one, other)):
        return None
    order[one], order[other] = order[other], order[one]
    return called("transpose", [str(x)], {"axes": f"[{', '.join(map(str, order))}]"})


def _expanded(bound: _Bound, call: Given) -> str | None:
    """Translate PyTorch's `expand`, in which -1 is the size that the tensor has."""
    wanted = bound.values["shape"]
    if bound.rest or not isinstance(wanted, list):
        return None
    own = [str(size) if all(one.kind is Kind.RIGID for one in size.variables()) else "" for size in call.shape or ()]
    aligned = [*[""] * (len(wanted) - len(own)), *own]
    sizes = [kept if text == "-1" else text for text, kept in zip(wanted, aligned, strict=False)]
    return called("broadcast_to", [str(bound.values["x"])], {"shape": f"[{', '.join(sizes)}]"}) if all(sizes) else None


def _ordered(bound: _Bound) -> str | None:
    """Translate a `transpose` with all axes; two numbers may also be the axes that PyTorch exchanges."""
    axes = bound.values.get("axes")
    if bound.rest or not isinstance(axes, list) or len(axes) == 2:
        return None
    return called("transpose", [str(bound.values["x"])], {"axes": f"[{', '.join(axes)}]"})


# ------------------------------------------------------------------------------------------------ by an operator
def by_operator(operator: Operator, call: Given) -> str | None:
    """Rewrite a call as one of `operator`, with attributes renamed; None if arguments or attributes do not match."""
    count = len(operator.arguments)
    named = _renamed(operator, call.attributes)
    if named is None or len(call.arguments) < count:
        return None
    more = list(call.arguments[count:])
    free = [spec for spec in operator.attributes if spec.name not in named]
    if more and free and free[0].name in LISTS and all(map(_LITERAL.fullmatch, more)):
        named, more = {free[0].name: more[0] if len(more) == 1 else f"[{', '.join(more)}]"} | named, []
    if len(more) > len(free) or not all(map(_LITERAL.fullmatch, more)):
        return None
    placed = {spec.name: _value(spec, text) for spec, text in zip(free, more, strict=False)}
    return called(operator.name, call.arguments[:count], placed | named)


def _renamed(operator: Operator, attributes: Mapping[str, str]) -> dict[str, str] | None:
    """Rename attributes to those of an operator; None if one of them has no counterpart there."""
    specs = {spec.name: spec for spec in operator.attributes}
    found: dict[str, str] = {}
    for key, text in attributes.items():
        if key in DROPPED:
            continue
        names = (key, NEGATED.get(key), *RENAMED.get(key, ()))
        name = next((one for one in names if one in specs), None)
        value = text if name is None or NEGATED.get(key) != name else _NEGATION.get(text)
        if name is None or name in found or value is None:
            return None
        found[name] = _value(specs[name], value)
    return found


_NEGATION = {"True": "False", "False": "True", "1": "False", "0": "True"}


def _value(spec: AttributeSpec, text: str) -> str:
    """Convert the text of an attribute's value: `1` for a boolean is `True`, an element type is quoted."""
    form = form_of(spec.annotation)
    if _is(form, "bool") and text in ("0", "1"):
        return "True" if text == "1" else "False"
    return quoted_type(text) if _is(form, "DType") and text != "None" else text


def _is(form: Form, name: str) -> bool:
    among = form.among if isinstance(form, Choice) else (form,)
    return Plain(name) in among
