"""This implementation, called in process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gradual.compilation import Compilation
from gradual.compiler import apply, compile_source
from gradual.conformance.cases.answer import (
    FoundCheck,
    FoundDiagnostic,
    FoundPlace,
    GotBlame,
    GotFault,
    GotValue,
    Outcome,
    Report,
)
from gradual.conformance.cases.case import Place, Request
from gradual.conformance.implementations.written_values import values_of
from gradual.core.check import Check
from gradual.core.print import printed
from gradual.diagnostic import Diagnostic
from gradual.interface.input.arguments import values
from gradual.interface.input.values import Call
from gradual.limits import Options
from gradual.passes.framework.pass_ import Unusable
from gradual.run.value import Blame, Fault
from gradual.source import Source, Span
from gradual.syntax.printing.format import formatted
from gradual.syntax.printing.print import printed as printed_tree
from gradual.syntax.tree import ast
from gradual.tensors.value import Value
from gradual.types.unpacking import spelled


class Reference:
    """The compiler of this package; the last compilation is kept for the calls that follow its check.

    It offers no fixes, which no profile compares.
    """

    def __init__(self, smt: bool = True) -> None:
        self.options = Options(smt=smt, advise=False)
        self.last: tuple[str, Compilation] | None = None
        self.after: tuple[Compilation, tuple[str, ...], Compilation] | None = None

    def compiled(self, request: Request) -> Compilation:
        """The compilation of a request's program."""
        if self.last is None or self.last[0] != request.text:
            self.last = request.text, compile_source(Source(request.name, request.text), self.options)
        return self.last[1]

    def passed(self, request: Request) -> Compilation:
        """The compilation after the request's passes.  Raises Unusable."""
        before = self.compiled(request)
        if not request.passes:
            return before
        if self.after is None or self.after[0] is not before or self.after[1] != request.passes:
            self.after = before, request.passes, apply(before, *request.passes)
        return self.after[2]

    def check(self, request: Request) -> Report:
        """Check the request's program."""
        compilation = self.compiled(request)
        report = reported(compilation, request.compared)
        if not compilation.ok:
            return report
        if request.print:
            report = replace(report, printed=printed_tree(compilation.surface))
        static = tuple(line for name in request.static for line in obstacles_of(compilation, name))
        plan = tuple(line for name in request.plan for line in plan_of(compilation, name))
        return self._passed(request, replace(report, static=static, plan=plan))

    def _passed(self, request: Request, report: Report) -> Report:
        """The report with the result of the request's passes."""
        if not request.passes:
            return report
        try:
            after = self.passed(request)
        except Unusable as trouble:
            return replace(report, after=(f"unusable: {trouble.message}",))
        lines = tuple(printed(after.core).rstrip("\n").split("\n"))
        left = tuple(f"{note.function}  {place(note.span, after.source)}  {note.says}" for note in after.notes)
        return replace(report, after=lines, left=left, passed=True)

    def given(self, request: Request, call: Call) -> list[Value]:
        """The arguments of a call, with random ones generated."""
        compilation = self.compiled(request)
        return values(call.arguments, compilation.functions[call.function].params, 0, compilation.core.data)

    def format(self, request: Request) -> str:
        """Put the request's program into canonical layout."""
        return formatted(Source(request.name, request.text))

    def run(self, request: Request, call: Call) -> Outcome:
        """Run one call of the request's program."""
        compilation, given = self.passed(request), self.given(request, call)
        try:
            return GotValue(values_of(run_by(compilation, call.function, given, request.runtime)))
        except Blame as blame:
            return _blamed(blame, compilation.source)
        except Fault as fault:
            return GotFault(fault.code, fault.message)


_COSTLY = frozenset({"types", "core", "places"})
"""The profiles whose part of a report is left out if they are not compared."""


def reported(compilation: Compilation, compared: frozenset[str] | None = None) -> Report:
    """The report of a compilation, in the suite's format; with the parts for some profiles only, if they are named."""
    source = compilation.source
    wanted = _COSTLY if compared is None else _COSTLY & compared
    return Report(
        accepted=compilation.ok,
        diagnostics=tuple(_diagnostic(d, source) for d in compilation.diagnostics),
        functions=dict(compilation.types) if "types" in wanted else {},
        bindings=tuple(_bindings(compilation)) if "types" in wanted else (),
        checks=tuple(_check(check, source) for check in compilation.checks),
        core=tuple(printed(compilation.core).rstrip("\n").split("\n")) if compilation.ok and "core" in wanted else (),
        places=tuple(_reported_places(compilation)) if "places" in wanted else (),
    )


def _bindings(compilation: Compilation) -> Iterator[tuple[str, str, str]]:
    """Function, name and type of every binding, with what is known of the contents."""
    for one in compilation.bindings:
        yield one.function, one.name, f"{one.type} = {one.contents}" if one.contents else one.type


def function_spans(compilation: Compilation) -> dict[str, Span]:
    """Function, or operator with a declaration in the file -> the span of its name where it is defined."""
    definitions = compilation.surface.definitions
    found = (one.name for one in definitions if isinstance(one, ast.Def | ast.OperatorDef))
    return {name.name: name.span for name in found if name.name in compilation.functions}


def _reported_places(compilation: Compilation) -> Iterator[FoundPlace]:
    """The places of the types of functions and variables, and of the residual checks."""
    source = compilation.source
    for name, span in function_spans(compilation).items():
        yield FoundPlace("type", name, place(span, source))
    for one in compilation.bindings:
        yield FoundPlace("type", f"{one.function} {one.name}", place(one.span, source))
    for check in compilation.checks:
        yield FoundPlace("check", check.blame.rule, place(check.span, source))


def run_by(compilation: Compilation, function: str, given: Sequence[Value], runtime: str) -> Value:
    """The value of a call; "measured" is the machine with assertions that the plan is respected."""
    if runtime == "measured":
        return compilation.measure(function, *given)[0]
    return compilation.run(function, *given, runtime=runtime)


def obstacles_of(compilation: Compilation, name: str) -> Iterator[str]:
    """What keeps a function from being static, one per line, and the inputs that would have to be pinned."""
    found = compilation.obstacles(name)
    if not found:
        yield f"{name}  static"
    for each in found:
        stays = "   stays" if each.data["stays"] else ""
        yield f"{name}  {each.rule}  {place(each.span, compilation.source)}  {each.message}{stays}"
    pins = found[0].data.get("pins") if found else None
    if isinstance(pins, dict):
        yield f"{name}  pins  {'  '.join(pins)}"


def plan_of(compilation: Compilation, name: str) -> Iterator[str]:
    """The memory of a function: its buffers, its slots, the peak."""
    plan = compilation.plan(name)
    for buffer in plan.buffers.values():
        where = f"slot {buffer.slot}" if buffer.slot is not None else "handed" if buffer.handed else "late"
        within = f"  within {buffer.bound}" if buffer.bound is not None and buffer.bound is not buffer.size else ""
        life = f"{buffer.first}-{buffer.last}"
        yield f"{name}  {spelled(buffer.path)}  {buffer.size}  {life}  {where}{within}"
    for number, slot in enumerate(plan.slots):
        yield f"{name}  slot {number}  {slot.size}  at {slot.offset}"
    yield f"{name}  peak  {plan.peak}"


def place(span: Span, source: Source) -> Place:
    """A span in lines and columns."""
    start, end = source.position(span.start), source.position(span.end)
    return Place(start.line, start.column, end.line, end.column)


def _diagnostic(found: Diagnostic, source: Source) -> FoundDiagnostic:
    sizes = found.data.get("counterexample")
    return FoundDiagnostic(
        code=found.code,
        severity=str(found.severity),
        rule=found.rule,
        place=place(found.span, source),
        related=tuple(place(related.span, source) for related in found.related),
        witness=dict(sizes) if isinstance(sizes, dict) else {},
        message=found.message,
    )


def _check(check: Check, source: Source) -> FoundCheck:
    blames = _places(check.blame.blames, source)
    return FoundCheck(check.condition, place(check.span, source), check.blame.rule, blames)


def _places(spans: Iterable[Span], source: Source) -> tuple[Place, ...]:
    return tuple(place(span, source) for span in spans)


def _blamed(blame: Blame, source: Source) -> GotBlame:
    return GotBlame(blame.code, blame.rule, _places(blame.blames, source))
