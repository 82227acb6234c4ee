"""Trees of the surface language, every construct of the grammar, in the form in which the parser builds them.

Spans are NOWHERE; nothing is well scoped or well typed.  `modules()` is the entry, the others serve smaller laws.
"""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from gradual.source import NOWHERE
from gradual.syntax.tree import ast
from gradual.tensors.scalar import integer_range, rounded
from gradual.types.dtype import DType

DEPTH = 3

local_names = st.sampled_from(
    (
        "%x",
        "%y",
        "%x1",
        "%_",
        "%let",
        "%True",
        "%m.layer.0.weight",
        "%onnx::MatMul_925",
        "%base/x",
        "%input:0",
        "%h.1.w",
    )
)
graph_names = st.sampled_from(("%0", "%1", "%17"))
global_names = st.sampled_from(("@main", "@f", "@g_1"))
size_names = st.sampled_from(("n", "m", "u", "batch", "n_1"))
operator_names = st.sampled_from(
    ("add", "nn.conv2d", "dyn.reshape", "where", "min", "Cons", "Nil", "as", "then", "meta", "dim")
)
type_names = st.sampled_from(("List", "A", "Storage", "int_like", "float32"))
keys = st.sampled_from(("axis", "relay.reshape_only", "Primitive", "type", "where", "if", "padding"))
dtypes = st.sampled_from(("float32", "int64", "bool", "int8", "uint16", "bfloat16", "float16"))


def locals_() -> SearchStrategy[ast.Local]:
    """A variable, also of a graph."""
    return st.builds(ast.Local, local_names | graph_names, st.just(NOWHERE))


@st.composite
def numbers(draw: DrawFn) -> ast.Number:
    """A literal of any type, its value as its type holds it."""
    dtype = draw(st.sampled_from(DType))
    if dtype is DType.BOOL:
        return ast.Number(draw(st.booleans()), "bool", False, NOWHERE)
    if dtype.is_integer:
        low, high = integer_range(dtype)
        value = draw(st.integers(low, high) | st.integers(max(low, -9), 9))
        small = -(1 << 31) <= value < 1 << 31
        plain = dtype is DType.INT32 or (dtype is DType.INT64 and not small)
        return ast.Number(value, str(dtype), not (plain and draw(st.booleans())), NOWHERE)
    number = rounded(dtype, draw(st.floats()))
    plain = dtype is DType.FLOAT32 and math.isfinite(number) and draw(st.booleans())
    return ast.Number(number, str(dtype), not plain, NOWHERE)


def texts() -> SearchStrategy[ast.Text]:
    """A string."""
    return st.builds(ast.Text, st.text(max_size=8), st.just(NOWHERE))


def _leaves() -> SearchStrategy[Any]:
    here = st.just(NOWHERE)
    kinds = st.sampled_from(("relay.Constant", "tir.Var", "relay.Call"))
    return st.one_of(
        locals_(),
        numbers(),
        st.builds(ast.Name, size_names | operator_names, here),
        st.builds(ast.Global, global_names, here),
        texts(),
        st.builds(ast.Meta, kinds, st.integers(0, 9), here),
        st.builds(ast.Hole, here),
    )


def _negatable(operand: Any) -> Any:
    """A minus before a number is part of it."""
    return ast.Local("%x", NOWHERE) if isinstance(operand, ast.Number) and operand.dtype != "bool" else operand


@st.composite
def sizes(draw: DrawFn, depth: int = DEPTH) -> Any:
    """A size or a predicate: all operators, `//` and `%` too."""
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(_leaves())
    inner = sizes(depth - 1)
    match draw(st.integers(0, 6)):
        case 0:
            condition, then, orelse = draw(st.tuples(inner, inner, inner))
            return ast.Choose(condition, then, orelse, NOWHERE)
        case 1:
            op = draw(st.sampled_from(("-", "not")))
            operand = draw(inner)
            return ast.Unary(op, _negatable(operand) if op == "-" else operand, NOWHERE)
        case 2:
            return ast.Hole(NOWHERE, draw(size_names), draw(inner))
        case 3:
            return ast.Call(
                ast.Name(draw(operator_names), NOWHERE), tuple(draw(st.lists(inner, max_size=2))), (), NOWHERE
            )
        case 4:
            return ast.Cast(draw(inner), draw(types(depth - 1)), NOWHERE)
    op = draw(st.sampled_from(("*", "/", "//", "%", "+", "-", "<", "<=", ">", ">=", "==", "!=", "and", "or")))
    return ast.Infix(op, draw(inner), draw(inner), NOWHERE)


def _tuple_of(element: SearchStrategy[Any], most: int = 2) -> SearchStrategy[tuple[Any, ...]]:
    return st.lists(element, max_size=most).map(tuple)


@st.composite
def expressions(draw: DrawFn, depth: int = DEPTH) -> Any:
    """An expression of a body."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(_leaves())
    return draw(draw(st.sampled_from(_FORMS))(depth - 1))


def _infix(depth: int) -> SearchStrategy[Any]:
    ops = st.sampled_from(("*", "/", "%", "+", "-", "<", "<=", ">", ">=", "==", "!=", "and", "or"))
    return st.builds(ast.Infix, ops, expressions(depth), expressions(depth), st.just(NOWHERE))


def _minus(depth: int) -> SearchStrategy[Any]:
    return st.builds(ast.Unary, st.just("-"), expressions(depth).map(_negatable), st.just(NOWHERE))


def _call(depth: int) -> SearchStrategy[Any]:
    inner = expressions(depth)
    return st.builds(ast.Call, inner, _tuple_of(inner), _tuple_of(attributes(depth)), st.just(NOWHERE))


def _listing(depth: int) -> SearchStrategy[Any]:
    return st.builds(ast.Listing, _tuple_of(sizes(depth), 3), st.just(NOWHERE))


def _tuple(depth: int) -> SearchStrategy[Any]:
    return st.builds(ast.Tuple, _tuple_of(expressions(depth), 3), st.just(NOWHERE))


def _project(depth: int) -> SearchStrategy[Any]:
    return st.builds(ast.Project, expressions(depth), st.integers(0, 12), st.just(NOWHERE))


def _is_written_out(type: ast.Type) -> bool:
    """Whether a type is one that no expression is."""
    return isinstance(type, ast.FnType) or (isinstance(type, ast.TensorType) and type.shape != ())


def _instance(depth: int) -> SearchStrategy[Any]:
    functions = locals_() | st.builds(ast.Global, global_names, st.just(NOWHERE)) | _call(depth)
    arguments = sizes(depth) | types(depth).filter(_is_written_out)
    return st.builds(ast.Instance, functions, _tuple_of(arguments, 3), st.just(NOWHERE))


def _if(depth: int) -> SearchStrategy[Any]:
    orelse = blocks(depth) if depth == 0 else blocks(depth) | _if(depth - 1)
    return st.builds(ast.If, expressions(depth), blocks(depth), orelse, st.just(NOWHERE))


def _match(depth: int) -> SearchStrategy[Any]:
    arm = st.builds(ast.Arm, patterns(depth), expressions(depth), st.just(NOWHERE))
    return st.builds(ast.Match, expressions(depth), _tuple_of(arm), st.booleans(), st.just(NOWHERE))


def _ref(depth: int) -> SearchStrategy[Any]:
    inner = expressions(depth)
    one = st.builds(ast.Ref, st.sampled_from(("ref", "ref_read")), st.tuples(inner), st.just(NOWHERE))
    return one | st.builds(ast.Ref, st.just("ref_write"), st.tuples(inner, inner), st.just(NOWHERE))


def _cast(depth: int) -> SearchStrategy[Any]:
    return st.builds(ast.Cast, expressions(depth), types(depth), st.just(NOWHERE))


def attributes(depth: int) -> SearchStrategy[ast.Attribute]:
    """`key=value`; `None` is a value, not a name."""
    values = expressions(depth) | st.just(ast.Nothing(NOWHERE)) | _listing(depth)
    return st.builds(ast.Attribute, keys, values, st.just(NOWHERE))


@st.composite
def functions(draw: DrawFn, depth: int = DEPTH) -> ast.Fn:
    """A function literal, also of a definition."""
    return ast.Fn(
        draw(_tuple_of(binders())),
        draw(_tuple_of(params(depth))),
        draw(_tuple_of(attributes(0), 1)),
        draw(st.none() | types(depth)),
        draw(_tuple_of(sizes(depth))),
        draw(blocks(depth)),
        NOWHERE,
    )


def params(depth: int) -> SearchStrategy[ast.Param]:
    """A parameter."""
    name = st.builds(ast.Local, local_names, st.just(NOWHERE))
    return st.builds(ast.Param, name, st.none() | types(depth), _tuple_of(attributes(0), 1), st.just(NOWHERE))


def binders() -> SearchStrategy[ast.Binder]:
    """A name in brackets."""
    return st.builds(ast.Binder, size_names, st.sampled_from((None, "Dim", "Type")), st.just(NOWHERE))


def items(depth: int) -> SearchStrategy[ast.Item]:
    """A `let`, a graph binding, a statement, a `free_var` or an `assert`."""
    here, value = st.just(NOWHERE), expressions(depth)
    annotation = st.none() | types(depth)
    named = st.builds(ast.Local, local_names, here)
    return st.one_of(
        st.builds(ast.Let, locals_(), annotation, value, here, _tuple_of(attributes(0), 1)),
        st.builds(ast.Let, st.none(), st.none(), value, here),
        st.builds(ast.FreeVar, named, annotation, here),
        st.builds(ast.Assert, sizes(depth), st.none() | st.text(max_size=8), here),
    )


def blocks(depth: int) -> SearchStrategy[ast.Block]:
    """A block."""
    return st.builds(ast.Block, _tuple_of(items(depth)), expressions(depth), st.just(NOWHERE))


@st.composite
def patterns(draw: DrawFn, depth: int = DEPTH) -> ast.Pattern:
    """A pattern."""
    match draw(st.integers(0, 3 if depth else 1)):
        case 0:
            return ast.WildcardPattern(NOWHERE)
        case 1:
            annotation = draw(st.none() | types(max(depth - 1, 0)))
            return ast.VariablePattern(ast.Local(draw(local_names), NOWHERE), annotation, NOWHERE)
        case 2:
            fields = draw(_tuple_of(patterns(depth - 1)))
            return ast.ConstructorPattern(draw(st.sampled_from(("Cons", "Nil", "None", "as"))), fields, NOWHERE)
    return ast.TuplePattern(draw(_tuple_of(patterns(depth - 1))), NOWHERE)


@st.composite
def types(draw: DrawFn, depth: int = DEPTH) -> ast.Type:
    """A type."""
    inner = types(depth - 1) if depth else st.just(ast.Omitted(NOWHERE))
    match draw(st.integers(0, 6 if depth else 3)):
        case 0:
            return ast.TensorType((), draw(dtypes | st.just("handle")), NOWHERE)
        case 1:
            return ast.TensorType(draw(st.none() | _tuple_of(sizes(min(depth, 1)), 3)), draw(dtypes), NOWHERE)
        case 2:
            return ast.Omitted(NOWHERE)
        case 3:
            return ast.NamedType(draw(type_names), draw(_tuple_of(inner)), NOWHERE)
        case 4:
            return ast.TupleType(draw(_tuple_of(inner)), NOWHERE)
        case 5:
            return ast.RefType(draw(inner), NOWHERE)
    where = draw(_tuple_of(sizes(depth - 1)))
    return ast.FnType(draw(_tuple_of(binders())), draw(_tuple_of(inner)), draw(inner), where, NOWHERE)


_FORMS = (_infix, _minus, _call, _listing, _tuple, _project, _instance, _if, _match, _ref, _cast, blocks, functions)


@st.composite
def definitions(draw: DrawFn) -> ast.Definition:
    """A definition of any kind."""
    here = st.just(NOWHERE)
    constructor = st.builds(ast.Constructor, st.sampled_from(("Cons", "Nil", "None")), _tuple_of(types(1)), here)
    match draw(st.integers(0, 4)):
        case 0:
            return ast.TypeDef(draw(type_names), draw(_tuple_of(binders())), draw(_tuple_of(constructor)), NOWHERE)
        case 1:
            return ast.ExternType(draw(type_names), draw(_tuple_of(binders())), NOWHERE)
        case 2:
            return ast.OperatorDef(
                ast.Name(draw(st.sampled_from(("my.op", "where", "f"))), NOWHERE),
                draw(_tuple_of(binders())),
                draw(_tuple_of(params(1))),
                draw(types(2)),
                draw(_tuple_of(sizes(1))),
                draw(st.none() | blocks(1)),
                NOWHERE,
            )
    return ast.Def(ast.Global(draw(global_names), NOWHERE), draw(functions(2)), NOWHERE)


def _implicit(function: ast.Fn) -> ast.Def:
    """The `@main` of a program that is one expression, which has no parameters unless it is a function literal."""
    return ast.Def(ast.Global("@main", NOWHERE), function, NOWHERE, implicit=True)


def scripts() -> SearchStrategy[ast.Def]:
    """A program without definitions."""
    here = st.just(NOWHERE)
    body = st.builds(ast.Fn, st.just(()), st.just(()), st.just(()), st.none(), st.just(()), blocks(2), here)
    return st.one_of(functions(2), body).map(_implicit)


def modules() -> SearchStrategy[ast.Module]:
    """A file."""
    setting = st.tuples(st.sampled_from(("broadcast", "mode.x")), st.text(max_size=6), st.just(NOWHERE))
    several = st.lists(definitions(), max_size=3).map(tuple)
    return st.builds(ast.Module, st.sampled_from((None, "0.0.5")), _tuple_of(setting), several | st.tuples(scripts()))
