"""A file's definitions: interfaces first, callees before callers where a result type is inferred."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gradual.checker.data import declare_data
from gradual.checker.discharge import settle
from gradual.checker.elaboration import Elaboration
from gradual.checker.header import Header, read_header
from gradual.checker.infer import completed
from gradual.checker.program import Program
from gradual.core.terms import Check, Function, Module
from gradual.diagnostic import Diagnostic
from gradual.dims.facts import Facts
from gradual.source import Span
from gradual.syntax import ast
from gradual.types.declared import Data


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """What checking a file found.

    Attributes:
        core: the functions that could be elaborated, in source order.
        elaborations: the state of every definition when it was finished, for tools that ask more.
    """

    core: Module
    diagnostics: tuple[Diagnostic, ...]
    checks: tuple[Check, ...]
    elaborations: dict[str, Elaboration]
    proved: int
    refuted: int

    def question(self, id: str) -> str:
        """What is asked about a residual check, as SMT-LIB.  Raises KeyError for an unknown check."""
        from gradual.dims.smt import question

        for state in self.elaborations.values():
            for check in state.checks:
                if check.id == id:
                    facts = Facts()
                    for fact in state.cones[check].known:
                        facts.assume(fact)
                    for fact in state.cones[check].path:
                        facts.suppose(fact)
                    return question(facts, check.goal)
        raise KeyError(id)


def checked(program: Program) -> Checked:
    """Every definition of the file checked, its checks numbered in source order."""
    found: list[Diagnostic] = list(declare_data(program, program.surface.definitions))
    defs = list(_definitions(program, found))
    for definition in defs:
        program.spans[definition.name.name] = definition.name.span
    functions: dict[str, Function | None] = {}
    states: dict[str, Elaboration] = {}
    wholes = {definition.name.name: _whole(definition) for definition in defs}
    headers = {name: _declared(program, name, whole, states) for name, whole in wholes.items()}
    for definition in _ordered(defs, found):
        name = definition.name.name
        header = headers[name]
        function = functions[name] = None if header is None else completed(states[name], header, wholes[name], name)
        program.signatures[name] = None if function is None else function.type
        settle(states[name])
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
        for check in states[name].checks:
            checks.append(check)
            check.id = f"c{len(checks)}"
        found += states[name].diagnostics
    return Checked(
        Module({name: function for name in names if (function := functions[name]) is not None}, data),
        tuple(sorted(found, key=lambda diagnostic: (diagnostic.span.start, diagnostic.span.end, diagnostic.code))),
        tuple(checks),
        states,
        sum(state.proved for state in states.values()),
        sum(state.refuted for state in states.values()),
    )


def _definitions(program: Program, found: list[Diagnostic]) -> Iterator[ast.Def]:
    """The functions defined, first of each name; what is not supported yet is reported.  [name.duplicate]"""
    seen: dict[str, Span] = {}
    for definition in program.surface.definitions:
        match definition:
            case ast.Def(name):
                if name.name in seen:
                    message = f"`{name.name}` is defined twice"
                    found.append(Diagnostic("E0204", "name.duplicate", message, name.span))
                    continue
                seen[name.name] = name.span
                yield definition
            case ast.TypeDef() | ast.ExternType():  # read by `declare_data`
                pass
            case ast.OperatorDef(name=name):
                message = f"the operator declaration `{name.name}` is not supported yet"
                found.append(Diagnostic("E0399", "type.unsupported", message, definition.span))


def _whole(definition: ast.Def) -> ast.Fn:
    """The function of a definition; the free variables before a file's single expression are its parameters."""
    function = definition.function
    if not definition.implicit or not isinstance(function.body, ast.Block):
        return function
    free = [item for item in function.body.items if isinstance(item, ast.FreeVar)]
    params = tuple(ast.Param(item.name, item.annotation, (), item.span) for item in free)
    items = tuple(item for item in function.body.items if not isinstance(item, ast.FreeVar))
    body = ast.Block(items, function.body.result, function.body.span)
    return replace(function, params=function.params + params, body=body)


# ---------------------------------------------------------------------------------------------------------- order
def _ordered(defs: list[ast.Def], found: list[Diagnostic]) -> list[ast.Def]:
    """Definitions such that a function whose result is inferred precedes its callers; others keep their places.

    Written interfaces are declared already, so that only inferred ones order anything.  [type.recursion]
    """
    by_name = {definition.name.name: definition for definition in defs}
    written = {name for name, definition in by_name.items() if _has_result(definition)}
    calls = {name: [callee for callee in _globals(d.function) if callee in by_name] for name, d in by_name.items()}
    inferred = {name: [callee for callee in callees if callee not in written] for name, callees in calls.items()}
    order, circular = _callees_first(inferred)
    for name in by_name:
        if name in circular:
            message = f"`{name}` is recursive, so its result type must be written"
            found.append(Diagnostic("E0310", "type.recursion", message, by_name[name].name.span))
    return [by_name[name] for name in order]


def _callees_first(calls: dict[str, list[str]]) -> tuple[list[str], set[str]]:
    """Names such that each follows what it calls, and those on a cycle of calls; with an explicit stack."""
    order: list[str] = []
    circular: set[str] = set()
    entered: set[str] = set()
    for root in calls:
        path: list[str] = [root] if root not in entered else []
        waiting = [iter(calls[root])] if path else []
        active = {root: 0} if path else {}
        entered.add(root)
        while path:
            callee = next(waiting[-1], None)
            if callee is None:
                waiting.pop()
                order.append(path.pop())
                del active[order[-1]]
            elif callee in active:
                circular.update(path[active[callee] :])
            elif callee not in entered:
                entered.add(callee)
                active[callee] = len(path)
                path.append(callee)
                waiting.append(iter(calls[callee]))
    return order, circular


def _has_result(definition: ast.Def) -> bool:
    result = definition.function.result
    return result is not None and not isinstance(result, ast.Omitted)


def _declared(program: Program, name: str, whole: ast.Fn, states: dict[str, Elaboration]) -> Header | None:
    """The function's declaration, read once ahead of every body, in the state that its body will use."""
    state = states[name] = Elaboration(program, name)
    header = read_header(state, whole, name)
    program.signatures[name] = None if header is None else header.type
    return header


def _globals(function: ast.Fn) -> list[str]:
    """The functions that a function mentions, in order, found with an explicit stack."""
    found: list[str] = []
    waiting: list[object] = [function.body]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Global(name):
                found.append(name)
            case ast.Call(callee, arguments):
                waiting += (*reversed(arguments), callee)
            case ast.Block(items, result):
                waiting.append(result)
                waiting += [
                    item.condition if isinstance(item, ast.Assert) else _value(item) for item in reversed(items)
                ]
            case ast.Infix(_, left, right):
                waiting += (right, left)
            case ast.If(condition, then, orelse):
                waiting += (orelse, then, condition)
            case ast.Tuple(items) | ast.Listing(items):
                waiting += reversed(items)
            case ast.Project(operand, _) | ast.Unary(_, operand) | ast.Cast(operand, _):
                waiting.append(operand)
            case ast.Fn():
                waiting.append(node.body)
            case ast.Match(scrutinee, arms):
                waiting += (*[arm.body for arm in reversed(arms)], scrutinee)
            case ast.Ref(_, operands):
                waiting += reversed(operands)
    return found


def _value(item: ast.Let | ast.FreeVar) -> object:
    return item.value if isinstance(item, ast.Let) else None
