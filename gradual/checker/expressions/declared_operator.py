"""Operator declarations: the type of an operator that is implemented elsewhere, or written in the language.

    operator my.op<n>(%x: Tensor[(n,), float32], %k: int64) -> Tensor[(min(n, %k),), float32] where %k >= 0;

In core a declared operator is a function of its own name, without a sigil; one without a body stops the run.
[type.declared] [op.declared.argument] [op.declared.where] [op.declared.result]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import READ, NotADim, Sizes, discharge_divisions
from gradual.checker.expressions.literals import fits, number_value
from gradual.checker.functions.call import DECLARED, Callee, complete, invoked
from gradual.checker.obligations.discharge import require
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.check import Site
from gradual.core.terms import Size, Stop
from gradual.diagnostic import counted
from gradual.dims.term.constraint import at_least
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import within
from gradual.types.dtype import DType
from gradual.types.type import FunctionType, GradualType, NeverType, TensorType
from gradual.types.unpacking import sizes

Infer = Callable[[ast.Expr], str]


def as_definition(declaration: ast.OperatorDef) -> ast.Def:
    """Convert a declaration to the definition of a function with the same name."""
    name = declaration.name
    return ast.Def(ast.Global(name.name, name.span), as_function(declaration), declaration.span)


def as_function(declaration: ast.OperatorDef) -> ast.Fn:
    """Convert a declaration to a function; a missing body becomes one that stops the run."""
    body = declaration.body if declaration.body is not None else ast.Absent(declaration.name.span)
    return ast.Fn(
        declaration.binders, declaration.params, (), declaration.result, declaration.where, body, declaration.span
    )


def clash(name: ast.Name, operators: Mapping[str, Operator], others: Mapping[str, object]) -> str | None:
    """The error message if a declared operator's name is already taken; else None.  [name.duplicate]"""
    if name.name in operators or name.name in READ:
        return f"`{name.name}` is an operator of the language, so it cannot be declared"
    return f"`{name.name}` is a constructor, so it cannot be an operator too" if name.name in others else None


def stopped(state: Elaboration, absent: ast.Absent) -> str:
    """Emit the body of an operator declared without one: a `Stop`; require that the result's sizes are not negative.

    [op.declared.result]
    """
    type = state.program.signatures[state.function]
    if type is not None:
        for size in _extents(type.result):
            says = f"a size of the result of `{state.function}` may be negative"
            require(
                state, Obligation(at_least(size, constant(0)), "op.declared.result", Site.RESULT, says, absent.span)
            )
    name = state.values.fresh(None)
    state.output.steps.append(Stop(name, f"`{state.function}` is declared without a body", NeverType(), absent.span))
    return state.values.define(name, NeverType(), Made("nothing", (), absent.span))


def _extents(type: GradualType) -> Iterator[Dim]:
    yield from (extent for extent in sizes(type) if isinstance(extent, Dim))  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------ application
@record
class Application:
    """A call of a declared operator."""

    name: str
    arguments: Sequence[ast.Expr]
    attributes: Sequence[ast.Attribute]
    span: Span


def applied(state: Elaboration, application: Application, infer: Infer, hint: str | None) -> str:
    """Check a call of a declared operator: arguments by position, scalars also by name; return its core variable.

    `infer` may defer function literals.

    [type.declared]
    """
    type = state.strictness.interface(application.name)
    if type is None:
        return state.values.broken()
    written = _arguments(state, application, type)
    if written is None:
        return state.values.broken()
    passed = [_operand(state, expr, param, infer) for expr, param in zip(written, type.params, strict=True)]
    callee, spans = Callee(application.name, application.name, type, DECLARED), [expr.span for expr in written]
    operands = complete(state, callee, type, passed, spans)
    if operands is None:
        return state.values.broken()
    name = state.values.fresh(hint)
    if any(isinstance(state.values.types[operand], Broken) for operand in operands):
        return state.values.define(name, BROKEN)
    return invoked(state, callee, operands, spans, application.span, name)


def _arguments(state: Elaboration, application: Application, type: FunctionType) -> list[ast.Expr] | None:
    """The arguments in the order of the parameters; None after reporting missing or excess ones."""
    params = state.program.functions[application.name].params
    names = [param.name.name.removeprefix("%") for param in params]
    given: dict[str, ast.Expr] = dict(zip(names, application.arguments, strict=False))
    for attribute in application.attributes:
        if attribute.key == "attrs_type_key":
            continue
        wrong = _unfit(application.name, attribute.key, names, given, type)
        if wrong:
            state.output.report("E0207", "name.attribute", wrong, attribute.span)
            return None
        given[attribute.key] = attribute.value
    missing = [f"`%{name}`" for name in names if name not in given]
    if missing or len(application.arguments) > len(names):
        told = f"; {' and '.join(missing)} missing" if missing else ""
        found = max(len(given), len(application.arguments))
        message = f"`{application.name}` takes {counted(len(names), 'argument')}, not {found}"
        state.output.report("E0304", "type.call.arity", message + told, application.span)
        return None
    return [given[name] for name in names]


def _unfit(operator: str, key: str, names: Sequence[str], given: Mapping[str, object], type: FunctionType) -> str:
    if key not in names:
        return f"`{operator}` has no parameter `%{key}`"
    if key in given:
        return f"`%{key}` of `{operator}` is given twice"
    param = type.params[names.index(key)]
    scalar = isinstance(param, TensorType) and not param.shape
    return "" if scalar else f"`%{key}` of `{operator}` is not a scalar, so it is passed by position"


def _operand(state: Elaboration, expr: ast.Expr, param: GradualType, infer: Infer) -> str:
    """Check an argument; an unsuffixed number takes the parameter's dtype, an int64 parameter also takes a dim."""
    dtype = param.dtype if isinstance(param, TensorType) and not param.shape else None
    if dtype is None or any(isinstance(part, ast.Local) for part in within(expr)):
        return infer(expr)
    if isinstance(expr, ast.Number):
        adapts = not expr.explicit and fits(expr.value, dtype)
        return number_value(state, expr, dtype if adapts else expr.dtype, None)
    if dtype is DType.INT64:
        reading = Sizes(state)
        try:
            dim = reading.dim(expr)
        except NotADim:
            return infer(expr)
        except Unreadable:
            return state.values.broken()
        discharge_divisions(state, reading)
        known: TensorType[Dim] = TensorType((), DType.INT64, (dim,))
        value = state.values.fresh(None)
        state.output.steps.append(Size(value, dim, known, expr.span))
        return state.values.define(value, known, Made("a size", (), expr.span))
    return infer(expr)
