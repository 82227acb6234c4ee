"""Functions that speak of what their own parameters hold or have: made, held, joined, given back, passed on, called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradual.dims.term.dim import Dim
from gradual.types.dtype import DType
from gradual.types.type import DataType, FunctionType, ReferenceType, TensorType, TupleType, UnrankedType
from tests.generators.constructs.headings import opt_outs
from tests.generators.constructs.view import CONSTANTS, Construct, Made, Maker, View, form
from tests.generators.program_terms import (
    UNKNOWN,
    Annotation,
    Arrow,
    Body,
    Cases,
    Cast,
    Choice,
    Expression,
    Function,
    Item,
    Let,
    Literal,
    Size,
    Tensor,
    Text,
)

Parameters = tuple[tuple[str, Annotation], ...]


# ---------------------------------------------------------------------------------------------------- what declares
def parameters(maker: Maker, dims: Sequence[str]) -> Parameters:
    """Numbers and tensors in any order, most sizes of which are a number or a size of another parameter.

    There is mostly one of each, so that many functions are alike but for what they say of them.
    """
    random = maker.random
    common = maker.chance(0.6)
    numbers = [maker.fresh() for _ in range(1 if common else random.choice((0, 1, 1, 2)))]
    found: list[tuple[str, Annotation]] = [(name, Tensor((), "int64")) for name in numbers]
    tensors: list[str] = []
    own: list[str] = []

    def size() -> Size:
        which = random.random()
        if numbers and which < 0.45:
            return Size(random.choice((*numbers, *numbers, f"{numbers[-1]} + 1")))
        if tensors and which < 0.6:
            return Size(f"dim({random.choice(tensors)}, 0)")
        if which < 0.75:
            name = random.choice((*dims, *own, maker.fresh().replace("%v", "n")))
            fixed = name not in dims and name not in own
            own.extend([name] if fixed else [])
            return Size(name, fixed)
        if which < 0.9 and not maker.strict:
            return Size(UNKNOWN)
        return Size(str(random.choice(CONSTANTS)))

    for _ in range(1 if common else random.choice((1, 1, 2))):
        shape = tuple(size() for _ in range(1 if common else random.choice((1, 1, 2))))
        tensors.append(maker.fresh())
        found.append((tensors[-1], Tensor(shape)))
    random.shuffle(found)
    return tuple(found)


def function(maker: Maker, name: str, around: Sequence[str]) -> Function:
    """A function of the file over such parameters; `around` it are functions that it may give back."""
    own = parameters(maker, ())
    return Function(name, own, _result(maker, own), opt_outs(maker, own), _body(maker, own, around, 0))


def _literal(maker: Maker, dims: Sequence[str], around: Sequence[str], depth: int) -> Literal:
    own = parameters(maker, dims)
    return Literal(own, _result(maker, own), _body(maker, own, around, depth), opt_outs(maker, own))


def _result(maker: Maker, own: Parameters) -> Annotation | None:
    """The type of one of the parameters, sometimes with an unknown: it may not be what the body gives."""
    if maker.chance(0.7):
        return None
    shapes = [held.sizes for _, held in own if isinstance(held, Tensor) and held.sizes]

    def size(given: Size) -> Size:
        return Size(UNKNOWN if maker.chance(0.3) and not maker.strict else given.text)

    return Tensor(tuple(map(size, maker.random.choice(shapes))))


def _body(maker: Maker, own: Parameters, around: Sequence[str], depth: int) -> Body:
    """A tensor, or a function: one from outside, or a literal whose sizes may be numbers of this function."""
    random, name = maker.random, maker.fresh()
    tensors = [held for held, annotation in own if isinstance(annotation, Tensor) and annotation.sizes]
    numbers = [held for held, annotation in own if isinstance(annotation, Tensor) and not annotation.sizes]
    tensor, which = random.choice(tensors), random.random()
    value: Expression = Text(f"exp({tensor})")
    if which < 0.3:
        return Body((), tensor)
    if which < 0.45 and numbers:
        value = Text(f'zeros(shape=[{random.choice(numbers)}], dtype="float32")')
    elif which < 0.55:
        value = Text(f"strided_slice({tensor}, begin=[0], end=[{random.choice(CONSTANTS)}], strides=[1])")
    elif which < 0.7 and around:
        return Body((), random.choice(around))
    elif which < 0.85 and depth < 2:
        value = _literal(maker, (*numbers, f"dim({tensor}, 0)"), around, depth + 1)
    return Body((Let(name, None, value),), name)


def _made(view: View) -> Made:
    return _literal(view.grower, view.scope.dims, list(view.functions), 0)


# ------------------------------------------------------------------------------------------------------ what is held
def _functions(view: View) -> dict[str, FunctionType]:
    return {name: type for name, type in view.functions.items() if not type.types}


def _picked(view: View) -> str | None:
    return view.pick(list(_functions(view)))


def _like(view: View, type: FunctionType, other: str | None = None) -> str | None:
    """A function whose type differs from this one in sizes only, an `other` one if there is one."""
    found = [name for name, held in _functions(view).items() if form(held) == form(type)]
    return view.pick([name for name in found if name != other] or found)


def _held(view: View) -> Made:
    """A function in a reference, an option, a list or a tuple."""
    name = _picked(view)
    other = name and _like(view, view.functions[name], name)
    forms = (f"ref({name})", f"ref({name})", f"Some({name})", f"Cons({name}, Cons({other}, Nil))", f"({name}, {other})")
    return Text(view.random.choice(forms)) if other else None


def _holders(view: View, kind: type) -> list[str]:
    return [name for name, type in view.types.items() if isinstance(type, kind) and _content(type) is not None]


def _content(type: Any) -> FunctionType | None:
    """The type of the functions that a reference, a tuple or a structure holds."""
    match type:
        case ReferenceType(FunctionType() as held) | TupleType((FunctionType() as held, *_)):
            return held
        case DataType(_, (FunctionType() as held,)):
            return held
    return None


def _taken(view: View) -> Made:
    """A function out of what holds it; an empty structure gives another one."""
    name = view.pick([*_holders(view, ReferenceType), *_holders(view, TupleType), *_holders(view, DataType)])
    held = name and _content(view.types[name])
    if not name or not held:
        return None
    match view.types[name]:
        case ReferenceType():
            return Text(f"ref_read({name})")
        case TupleType(fields):
            return Text(f"{name}.{view.random.randrange(len(fields))}")
    other, variable = _like(view, held), view.grower.fresh()
    if other is None:
        return None
    pattern, empty = (f"Cons({variable}, _)", "Nil") if view.types[name].name == "List" else (f"Some({variable})", "_")
    return Cases(name, ((pattern, Body((), variable)), (empty, Body((), other))))


def _written(view: View) -> Made:
    name = view.pick(_holders(view, ReferenceType))
    held = name and _content(view.types[name])
    other = held and _like(view, held)
    written: list[Item] = [Let(view.grower.fresh(), None, Text(f"ref_write({name}, {other})"))]
    return written if other else None


def _joined(view: View) -> Made:
    """One of two functions, as a branch or a call chooses it."""
    name, flags = _picked(view), view.of(DType.BOOL, 0)
    other = name and _like(view, view.functions[name], name)
    if not other or not flags:
        return None
    flag = view.random.choice(flags)
    if view.chance(0.3):
        return Text(f"@either({flag}, {name}, {other})")
    return Choice(flag, Body((), str(name)), Body((), other))


def _kept(view: View) -> Made:
    """A function through a call at a type that the call chooses."""
    name = _picked(view)
    return Text(f"{view.random.choice(('@keep', '@keep', '@held'))}({name})") if name else None


def _recast(view: View) -> Made:
    """A function, or what holds functions, at another type."""
    holders = [name for kind in (ReferenceType, TupleType, DataType) for name in _holders(view, kind)]
    name = view.pick([*_functions(view), *holders])
    if name is None:
        return None
    type = view.functions.get(name) or view.types[name]
    annotation = named(view, type) if isinstance(type, FunctionType) else view.annotation(type, guessed=0.2)
    return Cast(name, annotation) if view.chance(0.3) else [Let(view.grower.fresh(), annotation, Text(name))]


def named(view: View, type: FunctionType) -> Arrow:
    """An annotation of a function; what its type says of its own parameters may have a name there."""
    names: dict[Dim, Size] = {}

    def part(type: Any) -> Annotation:
        if isinstance(type, FunctionType):
            return Arrow(tuple(map(part, type.params)), part(type.result))
        if not isinstance(type, TensorType) or type.dtype is not DType.FLOAT32:
            return view.annotation(type, guessed=0.2)
        return Tensor(tuple(map(size, type.shape)))

    def size(dim: Any) -> Size:
        if not isinstance(dim, Dim) or view.is_written(dim):
            return view.annotated(dim, guessed=0.2)
        if dim in names:
            return names[dim]
        if view.chance(0.5):
            names[dim] = Size(view.grower.fresh().replace("%v", "q"))
            return Size(names[dim].text, fixed=True)
        return view.guess()

    arrow = part(type)
    assert isinstance(arrow, Arrow)
    return arrow


def _waiting(view: View) -> Made:
    """A literal without types, which gets those of a function type: an annotation, or what another argument shows."""
    name, flag = _picked(view), view.pick(view.of(DType.BOOL, 0))
    if name is None:
        return None
    type = view.functions[name]
    own = [view.grower.fresh() for _ in type.params]
    tensors = [one for one, param in zip(own, type.params, strict=True) if isinstance(param, TensorType) and param.rank]
    if not tensors:
        return None
    result = view.random.choice(tensors)
    literal = f"fn ({', '.join(own)}) {{ {view.random.choice((result, f'exp({result})'))} }}"
    if flag and view.chance(0.5):
        return Text(f"@either({flag}, {name}, {literal})")
    return [Let(view.grower.fresh(), named(view, type), Text(literal))]


# -------------------------------------------------------------------------------------------------------- what calls
def _called(view: View) -> Made:
    name = _picked(view)
    passed = name and _passed(view, view.functions[name].params)
    return Text(f"{name}({', '.join(passed)})") if passed else None


def _passed(view: View, params: Sequence[Any]) -> list[str] | None:
    """Operands for parameters: tensors and functions, then numbers, which are mostly sizes of those."""
    found = [_operand(view, param) for param in params]
    sizes = [
        f"dim({name}, {axis})"
        for name in found
        if isinstance(view.types.get(name or ""), TensorType)
        for axis in range(view.types[str(name)].rank)
    ]
    numbers = [*view.of(DType.INT64, 0), f"{view.random.choice(CONSTANTS)}i64"]
    for place, param in enumerate(params):
        if isinstance(param, TensorType) and param.dtype is DType.INT64 and param.rank == 0:
            found[place] = view.random.choice(sizes if sizes and view.chance(0.6) else numbers)
    passed = [name for name in found if name is not None]
    return passed if len(passed) == len(found) else None


def _operand(view: View, type: Any) -> str | None:
    match type:
        case FunctionType():
            return _like(view, type)
        case UnrankedType():
            return view.pick([*view.floats(), *view.unranked()])
        case TensorType(dtype=dtype, rank=rank):
            return view.pick(view.of(dtype, rank))
    return None


def _given(view: View) -> Made:
    """A function of a number and something else, called by one that does not know the types."""
    fitting = [
        name
        for name, type in _functions(view).items()
        if len(type.params) == 2 and isinstance(type.params[0], TensorType) and type.params[0].dtype is DType.INT64
    ]
    name = view.pick(fitting)
    passed = name and _passed(view, view.functions[name].params)
    return Text(f"@given({name}, {', '.join(passed)})") if passed else None


CONSTRUCTS: list[Construct] = [
    (_made, 6, ()),
    (_held, 4, ()),
    (_taken, 4, ()),
    (_written, 2, ()),
    (_joined, 4, ()),
    (_kept, 2, ()),
    (_recast, 5, ()),
    (_waiting, 3, ()),
    (_called, 14, ()),
    (_given, 2, ()),
]
