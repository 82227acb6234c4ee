"""Function literals that become closures, and the functions of definitions.  [type.fn]"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gradual.checker.coercion.flow import flow
from gradual.checker.declarations.header import Header, closed_result, read_header
from gradual.checker.obligations.size_tests import reached
from gradual.checker.program.elided import calls_itself, is_omitted
from gradual.checker.program.place import Place
from gradual.checker.state.context import Elaboration
from gradual.checker.state.scope import Binding
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.check import Site
from gradual.core.terms import Block, Closure, Function, Step
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import last
from gradual.types.type import FunctionType, NeverType, TensorType


def closure(
    state: Elaboration,
    literal: ast.Fn,
    hint: str | None,
    named: str | None = None,
    expected: FunctionType | None = None,
) -> str:
    """Check a function literal's body once, under the facts that hold here.  [type.fn] [type.fn.expected]

    In its body, the closure is bound to `named`; omitted parameter types are those of `expected`, or else inferred.
    """
    name = state.values.fresh(hint)
    with state.branch() as steps, state.reach.beside(reported=False):
        written = literal if named is None else with_result(state, literal, named)
        header = None if written is None else read_header(state, written, name, expected)
        if header is not None and header.type is not None:
            state.strictness.wrote(header.type.result)
        if header is not None and named is not None and named not in {param.name.name for param in literal.params}:
            state.scope.bind(named, state.values.define(name, header.type if header.whole and header.type else BROKEN))
        result = held = name
        if header is not None and written is not None:
            held = returned(state, value_of(state, written.body, header), header, written)
            result = reached(state, held, last(written.body).span)
    shows = result if isinstance(state.values.types.get(held), Broken) else held
    function = None if header is None else function_of(state, header, literal, name, steps, result, shows)
    if function is None:
        return state.values.define(name, BROKEN)
    state.output.steps.append(Closure(name, function, function.type, literal.span))
    return state.values.define(name, function.type, Made("a function literal", (), literal.span))


def with_result(state: Elaboration, literal: ast.Fn, named: str) -> ast.Fn | None:
    """Add the inferred result type to a recursive literal that has none; None after reporting an undetermined one.

    [type.recursion]
    """
    if not is_omitted(literal.result) or not calls_itself(literal, named):
        return literal
    result = state.judge.omitted_type(state, literal, literal.span)
    if result is None:
        message = f"`{named}` is recursive, and its result type cannot be inferred; write it"
        state.output.report("E0310", "type.recursion", message, literal.span)
        return None
    return replace(literal, result=result)


def completed(state: Elaboration, header: Header, literal: ast.Fn, name: str) -> Function | None:
    """The core function of a definition whose header was read in this state; None if its result is broken."""
    with state.branch() as steps:
        result = value_of(state, literal.body, header)
        if not isinstance(literal.body, ast.Absent):
            state.scope.bindings.append(Binding("result", result, last(literal.body).span))
        result = returned(state, result, header, literal)
    return function_of(state, header, literal, name, state.output.steps + steps, result)


def value_of(state: Elaboration, body: ast.Expr, header: Header) -> str:
    """Check a body; a deferred lambda as its result is typed by the declared result type."""
    judge = state.judge
    return judge.infer(state, body) if header.type is None else judge.deferred(state, body)


def function_of(
    state: Elaboration,
    header: Header,
    literal: ast.Fn,
    name: str,
    steps: Sequence[Step],
    result: str,
    shows: str | None = None,
) -> Function | None:
    """Build a core function from its steps; an omitted result type is the inferred one, closed.  [type.close]

    If the end of the body is unreachable, the result type is that of the variable `shows`.   [type.if.fails]
    """
    inferred = state.values.types[result if shows is None else shows]
    if not header.whole:
        return None
    if header.type is not None:
        type = header.type
    elif isinstance(inferred, Broken):
        return None
    else:
        type = replace(header.interface, result=closed_result(state, header, inferred))
        state.strictness.agree(type)
    body = Block(tuple(steps), result)
    says = dict(_said(literal.attributes))
    strict = not state.strictness.gradual
    return Function(name, header.params, header.binders, header.entry, body, type, strict, literal.span, says)


def _said(attributes: Sequence[ast.Attribute]) -> Iterator[tuple[str, bool | int | float | str]]:
    """Yield a definition's attributes whose values are numbers or strings; others are ignored."""
    for attribute in attributes:
        if isinstance(attribute.value, ast.Number | ast.Text):
            yield attribute.key, attribute.value.value


def returned(state: Elaboration, result: str, header: Header, literal: ast.Fn) -> str:
    """Coerce the value of a body to the declared result type, or else to the closed inferred type.

    [type.result] [type.close]
    """
    inferred = state.values.types[result]
    what = f"the result of `{state.function}`"
    place = Place(last(literal.body).span, Site.RESULT, "type.result", what, what, literal.result)
    if header.type is not None and isinstance(header.type.result, NeverType):  # the declared type's error was reported
        return state.values.broken()
    if header.type is not None:
        return flow(state, result, header.type.result, place) or state.values.broken()
    if isinstance(inferred, Broken | TensorType):
        return result
    return flow(state, result, closed_result(state, header, inferred), place) or state.values.broken()
