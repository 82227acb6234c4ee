"""Operators that the file declares, functions of any type, and what they make of lists, options and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradual.types.dtype import DType
from gradual.types.type import DataType, FunctionType, ReferenceType, TensorType, TupleType
from tests.generators.constructs.functions import operand
from tests.generators.constructs.headings import opt_outs
from tests.generators.constructs.view import Construct, Made, Maker, View, form
from tests.generators.program_terms import UNKNOWN, Body, Cases, Cast, Function, Let, Size, Tensor, Text

_VALUES = (TensorType, TupleType, DataType, FunctionType, ReferenceType)


def _any(view: View) -> str | None:
    """A variable of whatever type."""
    return view.pick([name for name, type in view.types.items() if isinstance(type, _VALUES)])


def _like(view: View, name: str | None) -> str | None:
    """Another variable of a type of the same form, the variable itself if there is none."""
    if name is None:
        return None
    found = [other for other, type in view.types.items() if form(type) == form(view.types[name])]
    return view.pick([other for other in found if other != name] or found)


def _flag(view: View) -> str | None:
    return view.pick(view.of(DType.BOOL, 0))


def _number(view: View) -> str:
    return view.random.choice((*view.of(DType.INT64, 0), "0i64", "1i64", "2i64", "3i64"))


def function(maker: Maker, name: str, around: Sequence[str]) -> Function:
    """A function of one vector, as those of any type take it."""
    del around
    dim = maker.fresh().replace("%v", "n")
    sizes = [Size(dim, fixed=True), Size(dim, fixed=True), Size("3"), *(() if maker.strict else (Size(UNKNOWN),))]
    parameter, value = maker.fresh(), maker.fresh()
    forms = (
        f"exp({parameter})",
        f"concatenate(({parameter}, {parameter}), axis=0)",
        f"strided_slice({parameter}, begin=[1], end=[9], strides=[1])",
        f"my.half({parameter})",
        f"my.some({parameter})",
    )
    body = Body((Let(value, None, Text(maker.random.choice(forms))),), value)
    own = ((parameter, Tensor((maker.random.choice(sizes),))),)
    return Function(name, own, None, opt_outs(maker, own), body)


# --------------------------------------------------------------------------------------------------------- operators
def _operator(view: View) -> Made:
    """A declared operator of vectors: its result is a formula, unknown, or as long as an argument says."""
    name, other = view.pick(view.of(DType.FLOAT32, 1)), view.pick(view.of(DType.FLOAT32, 1))
    if name is None:
        return None
    forms = (
        f"my.twice({name})",
        f"my.half({name})",
        f"my.some({name})",
        f"my.some({name})",
        f"my.most({name}, {_number(view)})",
        f"my.valid({name}, {other})",
        f'my.at(ones(shape=[2, 3], dtype="float32"), {_number(view)})',
    )
    return Text(view.random.choice(forms))


# -------------------------------------------------------------------------------------------- functions of any type
def _kept(view: View) -> Made:
    """A value through a function of any type, sometimes at an instance that is given."""
    name = _any(view)
    if name is None:
        return None
    instance = ""
    if isinstance(view.types[name], TensorType) and view.chance(0.4):
        instance = f"[{view.annotation(view.types[name], guessed=0.2)}]"
    return Text(f"@keep{instance}({name})")


def _chosen(view: View) -> Made:
    name, flag = _any(view), _flag(view)
    other = _like(view, name)
    return Text(f"@either({flag}, {name}, {other})") if other and flag else None


def _paired(view: View) -> Made:
    left, right = _any(view), _any(view)
    return Text(f"@swap(({left}, {right}))") if left and right else None


def _again(view: View) -> Made:
    """A function applied as often as a number says: what it gives it has to take again."""
    function = view.pick([name for name, type in view.functions.items() if len(type.params) == 1 and not type.types])
    value = function and operand(view, view.functions[function].params[0])
    return Text(f"@again({_number(view)}, {function}, {value})") if value else None


def _waiting(view: View) -> Made:
    """A literal without types, which gets them where it is passed."""
    value, held, flag, own = _any(view), view.pick(view.structures("List")), _flag(view), view.grower.fresh()
    other = _like(view, value)
    if value is None or other is None:
        return None
    forms = [f"@again({_number(view)}, fn ({own}) {{ {own} }}, {value})"]
    forms += [f"@again({_number(view)}, fn ({own}) {{ @either({flag}, {own}, {other}) }}, {value})"] if flag else []
    forms += [f"@mapped(fn ({own}) {{ ({own}, {value}) }}, {held})"] if held else []
    return Text(view.random.choice(forms))


def _composed(view: View) -> Made:
    """A function literal that is made by a function of any type, and a call of it."""
    functions = [name for name, type in view.functions.items() if len(type.params) == 1 and not type.types]
    first, second = view.pick(functions), view.pick(functions)
    value = first and operand(view, view.functions[first].params[0])
    if not value:
        return None
    made = view.grower.fresh()
    return [
        Let(made, None, Text(f"@composed({first}, {second})")),
        Let(view.grower.fresh(), None, Text(f"{made}({value})")),
    ]


# -------------------------------------------------------------------------------------------------------------- data
def _pushed(view: View) -> Made:
    lists = view.structures("List")
    held = view.pick(lists)
    flag, name = _flag(view), _any(view)
    if held is not None and isinstance(inside := view.types[held].arguments[0], TensorType):
        name = view.pick(view.of(inside.dtype, inside.rank))
    if name is None or flag is None:
        return None
    return Text(f"@pushed({flag}, {name}, {held if held is not None and view.chance(0.8) else 'Nil'})")


def _mapped(view: View) -> Made:
    function = view.pick([name for name, type in view.functions.items() if len(type.params) == 1 and not type.types])
    held = view.pick(view.structures("List"))
    return Text(f"@mapped({function}, {held})") if function and held else None


def _first(view: View) -> Made:
    held = view.pick(view.structures("List"))
    inside = view.types[held].arguments[0] if held else None
    other = operand(view, inside)
    return Text(f"@first({held}, {other})") if other else None


def _nested(view: View) -> Made:
    """A list of options, or an option of a list; taken apart by a pattern inside a pattern."""
    name = _any(view)
    if name is None:
        return None
    made, variable = view.grower.fresh(), view.grower.fresh()
    if view.chance(0.5):
        arms = ((f"Cons(Some({variable}), _)", Body((), variable)), ("_", Body((), name)))
        built = f"Cons(Some({name}), Cons(None_, Nil))"
    else:
        arms = ((f"Some(Cons({variable}, Nil))", Body((), variable)), ("_", Body((), name)))
        built = f"Some(Cons({name}, Nil))"
    return [Let(made, None, Text(built)), Let(view.grower.fresh(), None, Cases(made, arms))]


def _recast(view: View) -> Made:
    """A pair, a structure or a reference at another type."""
    kinds = (TupleType, DataType, ReferenceType)
    name = view.pick([name for name, type in view.types.items() if isinstance(type, kinds) and _is_written(type)])
    return Cast(name, view.annotation(view.types[name], guessed=0.2)) if name else None


def _is_written(type: Any) -> bool:
    """Whether an annotation can say the type."""
    match type:
        case TupleType(fields):
            return all(map(_is_written, fields))
        case DataType(_, arguments):
            return len(arguments) == 1 and all(map(_is_written, arguments))
        case ReferenceType(content):
            return _is_written(content)
        case FunctionType(params=params, result=result, types=types):
            return not types and all(map(_is_written, (*params, result)))
        case _:
            return isinstance(type, TensorType)


CONSTRUCTS: list[Construct] = [
    (_operator, 6, ("concatenate", "strided_slice", "unique")),
    (_kept, 2, ()),
    (_chosen, 3, ()),
    (_paired, 2, ()),
    (_again, 3, ()),
    (_composed, 3, ()),
    (_waiting, 3, ()),
    (_pushed, 3, ()),
    (_mapped, 3, ()),
    (_first, 2, ()),
    (_nested, 2, ()),
    (_recast, 3, ()),
]
