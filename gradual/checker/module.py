"""Checking of a file: interfaces first, callees before callers if a result type is inferred."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gradual.checker.coercion import data, proxies
from gradual.checker.coercion.datatypes import declare_data
from gradual.checker.declarations.header import Header, read_header
from gradual.checker.definition_order import callees_first, helpers_first, in_circles, mentioned, waits_for
from gradual.checker.expressions import expr
from gradual.checker.expressions.declared_operator import as_definition, as_function, clash
from gradual.checker.functions import deferred_lambda
from gradual.checker.functions.lambda_ import completed
from gradual.checker.inference import annotation
from gradual.checker.obligations.grouping import told_together
from gradual.checker.obligations.latent_requirements import latent
from gradual.checker.obligations.settlement import settle
from gradual.checker.program.elided import is_omitted
from gradual.checker.program.judgements import Judgements
from gradual.checker.program.program import Program
from gradual.checker.state.context import Elaboration
from gradual.core.check import Check
from gradual.core.terms import Function, Module
from gradual.diagnostic import Diagnostic, Related, Severity
from gradual.dims.solver.smt import question
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.declared import Data


@record(eq=False)
class Checked:
    """The result of checking a file.

    Attributes:
        core: the functions that could be elaborated, in source order.
        elaborations: definition -> its final state, for tools.
        proved: the number of obligations proved.
        refuted: the number of obligations that errors report as failing, at all sizes or at some.
    """

    core: Module
    diagnostics: tuple[Diagnostic, ...]
    checks: tuple[Check, ...]
    elaborations: dict[str, Elaboration]
    proved: int
    refuted: int

    def definitions(self, surface: ast.Module) -> list[tuple[Elaboration, ast.Fn]]:
        """Every definition's state, with the function in the surface syntax."""
        functions = {d.name.name: d.function for d in surface.definitions if isinstance(d, ast.Def)}
        functions |= {d.name.name: as_function(d) for d in surface.definitions if isinstance(d, ast.OperatorDef)}
        return [(state, functions[name]) for name, state in self.elaborations.items()]

    def question(self, id: str) -> str:
        """The query for a residual check, as SMT-LIB.  Raises KeyError for an unknown check."""
        for state in self.elaborations.values():
            for check in state.obligations.checks:
                if check.id == id and check.says and check.goal is TRUE:
                    return f"; {check.says}: the operator's rule is asked at run time, a solver is not\n"
                if check.id == id:
                    facts = Facts()
                    for fact in state.obligations.cones[check].known:
                        facts.assume(fact)
                    for fact in state.obligations.cones[check].path:
                        facts.suppose(fact)
                    return question(facts, check.goal)
        raise KeyError(id)


class Mutual:
    """The mutually recursive judgements, passed to modules that cannot import them."""

    infer = staticmethod(expr.infer)
    deferred = staticmethod(expr.deferred)
    deferred_at = staticmethod(deferred_lambda.deferred_at)
    supplied = staticmethod(deferred_lambda.supplied)
    wrapped = staticmethod(proxies.wrapped)
    wrapped_reference = staticmethod(proxies.wrapped_reference)
    converted = staticmethod(data.converted)
    omitted_type = staticmethod(annotation.omitted_type)


_JUDGEMENTS: Judgements[Elaboration] = Mutual()


def checked(program: Program) -> Checked:
    """Check every definition of a file, and number its checks in source order."""
    found: list[Diagnostic] = list(declare_data(program, program.surface.definitions, _JUDGEMENTS))
    defs = list(_definitions(program, found))
    for definition in defs:
        program.spans[definition.name.name] = definition.name.span
    functions: dict[str, Function | None] = {}
    states = {definition.name.name: Elaboration(program, definition.name.name, _JUDGEMENTS) for definition in defs}
    wholes = program.functions = {definition.name.name: _whole(definition) for definition in defs}
    mentions = mentioned(wholes)
    _, circular = callees_first(waits_for(wholes, mentions))
    if circular:
        wholes = {name: _with_result(states[name], w) if name in circular else w for name, w in wholes.items()}
    circles = in_circles(mentions)
    order, _ = callees_first(helpers_first(wholes, mentions, circles))
    headers = {name: _declared(states[name], name, whole) for name, whole in wholes.items()}
    for name in order:
        header = headers[name]
        function = functions[name] = None if header is None else completed(states[name], header, wholes[name], name)
        program.signatures[name] = None if function is None else function.type
        if function is not None and name not in circles:
            program.latent[name] = latent(states[name], function)
        if function is not None and states[name].strictness.only_forgets(function.type):
            program.forgetful.add(name)
        settle(states[name])
        told_together(states[name])
    return _gathered([definition.name.name for definition in defs], functions, states, found, program.data)


def _gathered(
    names: list[str],
    functions: dict[str, Function | None],
    states: dict[str, Elaboration],
    found: list[Diagnostic],
    data: Mapping[str, Data],
) -> Checked:
    checks: list[Check] = []
    for name in names:
        for check in states[name].obligations.checks:
            checks.append(check)
            check.id = f"c{len(checks)}"
        found += states[name].output.diagnostics
    unique: dict[tuple[object, ...], Diagnostic] = {}
    for one in found:
        unique.setdefault((one.code, one.rule, one.message, one.span), one)
    return Checked(
        Module({name: function for name in names if (function := functions[name]) is not None}, data),
        tuple(sorted(unique.values(), key=lambda found: (found.span.start, found.span.end, found.code))),
        tuple(checks),
        states,
        sum(state.obligations.proved for state in states.values()),
        sum(map(_refuted, unique.values())),
    )


def _refuted(found: Diagnostic) -> int:
    """The number of refuted obligations that an error reports."""
    return len(found.goals) if found.severity is Severity.ERROR else 0


def _definitions(program: Program, found: list[Diagnostic]) -> Iterator[ast.Def]:
    """The functions and operators defined; only the first of each name.  [name.duplicate]"""
    seen: dict[str, Span] = {}

    def taken(message: str, name: str, span: Span) -> None:
        related = (Related(seen[name], "first here"),) if name in seen else ()
        found.append(Diagnostic("E0204", "name.duplicate", message, span, related=related))

    for definition in program.surface.definitions:
        match definition:
            case ast.Def(ast.Global(name, span)):
                if name in seen:
                    taken(f"`{name}` is defined twice", name, span)
                    continue
                seen[name] = span
                yield definition
            case ast.TypeDef() | ast.ExternType():  # read by `declare_data`
                pass
            case ast.OperatorDef(name=ast.Name(name, span)):
                message = clash(definition.name, program.operators, program.constructors)
                if name in seen:
                    message = f"`{name}` is declared twice"
                if message is not None:
                    taken(message, name, span)
                    continue
                if is_omitted(definition.result):
                    message = f"the result type of the operator `{name}` must be written"
                    found.append(Diagnostic("E0310", "type.declared", message, definition.result.span))
                    continue
                seen[name] = span
                yield as_definition(definition)


def _whole(definition: ast.Def) -> ast.Fn:
    """The function of a definition; free variables declared before a file's single expression become parameters."""
    function = definition.function
    if not definition.implicit or not isinstance(function.body, ast.Block):
        return function
    free = [item for item in function.body.items if isinstance(item, ast.FreeVar)]
    params = tuple(ast.Param(item.name, item.annotation, (), item.span) for item in free)
    items = tuple(item for item in function.body.items if not isinstance(item, ast.FreeVar))
    body = ast.Block(items, function.body.result, function.body.span)
    return replace(function, params=function.params + params, body=body)


# ---------------------------------------------------------------------------------------------------- declarations
def _with_result(state: Elaboration, function: ast.Fn) -> ast.Fn:
    """Infer the result type of a recursive function, or report that it is not determined.  [type.recursion]"""
    if not is_omitted(function.result):
        return function
    at = state.program.spans[state.function]
    result = state.judge.omitted_type(state, function, at)
    if result is None:
        message = f"`{state.function}` is recursive, and its result type cannot be inferred; write it"
        state.output.report("E0310", "type.recursion", message, at)
    return replace(function, result=result)


def _declared(state: Elaboration, name: str, whole: ast.Fn) -> Header | None:
    """Read a function's header, before any body is checked, in the state that its body will use."""
    header = read_header(state, whole, name)
    state.program.signatures[name] = None if header is None or not header.whole else header.type
    return header
