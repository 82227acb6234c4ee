"""A checked file: its report, its types, its residual checks, and the tools that apply to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gradual.checker.fixes.conditions import condition_for
from gradual.checker.fixes.suggested import Outcome, Trials, findings, name_for, residual
from gradual.checker.module import Checked
from gradual.checker.state.context import Elaboration
from gradual.core.check import Check
from gradual.core.terms import Function, Module
from gradual.diagnostic import Diagnostic, Edit, Help, Severity, counted
from gradual.dims.solver.decide import CHEAP, Decider
from gradual.gc_paused import collector_paused
from gradual.limits import Options
from gradual.record import record
from gradual.report import render, summary
from gradual.report.bindings import Binding, Named, named
from gradual.report.located import followed, of_model_run
from gradual.report.paint import painter
from gradual.report.residual import residual as as_note
from gradual.report.residual import with_checks
from gradual.report.totals import totals
from gradual.run.entry.cast import with_weights
from gradual.run.value import NotStatic, Stop
from gradual.source import Position, Source, Span, visible
from gradual.syntax.tree import ast
from gradual.syntax.tree.unknown_sizes import open_places
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.print import shown
from gradual.types.type import FunctionType

if TYPE_CHECKING:
    from gradual.passes.framework.pass_ import Note
    from gradual.run.graph.plan import Plan
    from gradual.run.graph.runtime import Graph

# Nesting is bounded by LIMITS.nesting; each level takes several Python frames, more than the default limit allows.
_STACK = 20_000


Compile = Callable[[Source, Options], "Compilation"]
"""The function that compiles a text; a compilation calls it again for an edited text."""


@record(eq=False, repr=False, slots=False)
class Compilation:
    """A checked file.

    `str` and `render` give the report that `gradual check` prints, without lints.

    Attributes:
        source: the text, with its name.
        core: the elaborated program with its checks; `str(core)` is what `gradual core` prints.
        diagnostics: errors and warnings in source order, each with `line`, `column`, `message`, `notes`, `help`.
        checks: the residual checks, each with its `condition`, its `blame` and its `span`.
        proved: how many obligations were proved.
        refuted: the number of obligations that errors report as failing, at all sizes or at some.
        compile: the function that compiles an edited text.
        notes: notes from the passes that made this compilation.
        weights: the weights of an imported model, by the parameters of `@main` that follow the model's inputs.
    """

    source: Source
    surface: ast.Module
    core: Module
    diagnostics: tuple[Diagnostic, ...]
    checks: tuple[Check, ...]
    proved: int
    refuted: int
    smt_queries: int
    stages: Mapping[str, int]
    options: Options
    compile: Compile
    notes: tuple[Note, ...] = ()
    weights: Mapping[str, Tensor] = field(default_factory=dict)
    _checked: Checked | None = None

    def __str__(self) -> str:
        """The report, as `render` gives it."""
        return self.render()

    def __repr__(self) -> str:
        return f"<Compilation of {visible(self.source.name)}: {self.totals}>"

    def _repr_html_(self) -> str:
        """The report for a notebook, with the residual checks in a collapsible section."""
        from gradual.report.html import page

        found = [render.full(as_note(one), render.within(self.source), painter(True)) for one in self.checks]
        return page(self.render(color=True), "\n\n".join(found), counted(len(found), "residual check"))

    def render(self, found: Diagnostic | Stop | None = None, *, checks: bool = False, color: bool = False) -> str:
        """The report as text, as `gradual check` prints it; or one diagnostic, or what stopped a run.

        Args:
            found: what to render: a diagnostic, or the `Blame` or `Fault` that `run` raised; None for the whole report.
            checks: whether to show each residual check, with the annotation that would prove it.
            color: whether to use a terminal's colours.
        """
        paint = painter(color)
        if found is not None:
            one = found.diagnostic if isinstance(found, Stop) else found
            return render.full(one, render.within(self.source), paint)
        told = with_checks(self.diagnostics, self.helps(), self.source) if checks else self.diagnostics
        return summary.full(
            self.source,
            summary.types_shown(self.functions, len(self.weights), self.source.origins is not None),
            summary.in_order(told),
            self.totals,
            paint,
        )

    @property
    def totals(self) -> str:
        """The counts in a line: `proved 14 · residual 3 · refuted 0`."""
        return totals(self.proved, self.residual, self.refuted, self.errors, self.not_empty)

    def position(self, span: Span) -> Position:
        """Line and column at which a span begins, such as a check's; counted from 1, in code points."""
        return self.source.position(span.start)

    @property
    def ok(self) -> bool:
        """Whether no diagnostic is an error."""
        return not self.errors

    @property
    def errors(self) -> int:
        """Number of errors."""
        return sum(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)

    @property
    def residual(self) -> int:
        """Number of obligations left to run time."""
        return len(self.checks)

    @property
    def not_empty(self) -> int:
        """Number of obligations left to run time that only require that something is not empty."""
        return sum(check.not_empty for check in self.checks)

    @property
    def functions(self) -> Mapping[str, FunctionType]:
        """The type of every function, in source order."""
        return {name: function.type for name, function in self.core.functions.items()}

    @property
    def types(self) -> Mapping[str, str]:
        """The type of every function as text."""
        return {name: shown(type) for name, type in self.functions.items()}

    @property
    def elaborations(self) -> Mapping[str, Elaboration]:
        """The final checker state of every definition, for tools; empty after passes."""
        return self._checked.elaborations if self._checked else {}

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """Every parameter, let and graph variable, and each function's result, in source order."""
        return tuple(one.shown() for one in self.named())

    def named(self) -> list[Named]:
        """What `bindings` lists, in this order, with types that are not yet text."""
        states = self._checked.elaborations.items() if self._checked else ()
        return sorted(named(states), key=lambda one: one.span.start)

    def question(self, check: str) -> str:
        """The solver's query for a residual check, as SMT-LIB.

        Raises KeyError for an unknown check, and for every check after passes, which make no queries.
        """
        if self._checked is None:
            raise KeyError(check)
        return self._checked.question(check)

    def help(self, check: Check) -> Help | None:
        """An annotation that proves a residual check, if one was found."""
        return dict(self._helped((check,)))[check]

    def helps(self) -> Iterator[tuple[Check, Help | None]]:
        """Every residual check with its help; None if none was found within the budget for the file."""
        return self._helped(self.checks)

    def _helped(self, checks: Iterable[Check]) -> Iterator[tuple[Check, Help | None]]:
        states = self._checked.elaborations.values() if self._checked else ()
        owners = {check: state for state in states for check in state.obligations.checks}
        before = Outcome(findings(self.diagnostics), residual(self.checks))
        written = {id(state): fn for state, fn in self._checked.definitions(self.surface)} if self._checked else {}
        trials = trials_of(self.source, self.options, self.compile)
        for check in checks:
            state = owners.get(check)
            yield check, None if state is None else self._annotation(check, state, written[id(state)], before, trials)

    def _annotation(
        self, check: Check, state: Elaboration, written: ast.Fn, before: Outcome, trials: Trials
    ) -> Help | None:
        """A help for a check: an annotation or, for the program of a model, a condition on the inputs."""
        from gradual.checker.fixes.open_sizes import help_for

        if self.source.origins is None:
            return help_for(check, self.checks, state, self.core, written, before, trials)
        found = condition_for(check, state, written, before, trials)
        return found and followed(found, self.source)

    @cached_property
    def text(self) -> str:
        """The core as a program that can be parsed again.  [pass.surface]"""
        from gradual.delaborate.program import program_text

        with room():
            text = program_text(self.core, self.surface.version, self.surface.settings)
        return text if self._checked is not None else self._told(text)

    def _told(self, text: str) -> str:
        """The text of a program after passes; if the text does not check again, a comment says why.  [pass.surface]"""
        read = self.compile(Source(self.source.name, text), replace(self.options, advise=False))
        error = next((found for found in read.diagnostics if found.severity is Severity.ERROR), None)
        if error is None:
            return text
        return f"// checked again, this is refused: {error.code}: {visible(error.message)}\n{text}"

    def run(self, entry: str, *values: Any, runtime: str = "vm", fast: bool = False) -> Value:
        """The value of `entry(values)`, a `Tensor`, a tuple or a `Constructed`; the weights of a model may be left out.

        Args:
            entry: the function's name, such as "@main".
            values: a `Tensor` or an array of any library for a tensor, a tuple for a tuple, a `Constructed` for data.
                An array keeps its element type; a number or a list takes that of its parameter.
            runtime: "vm", or "graph" for a function whose sizes are all known before it is called.
            fast: whether operators compute with NumPy, if it gives the same bits.

        Raises:
            Blame: a check failed, or an argument is not what its parameter declares; it names who broke which promise.
            Fault: the program's own fault, such as a division by zero.
            KeyError: no function has this name.
            ValueError: the program has errors, or an argument is no value of the language.
            NotStatic: the graph runtime refuses the function.  [graph.run]
            ImportError: `fast` is set, and NumPy is not installed.
        """
        from gradual.run.machine import run

        if runtime not in ("vm", "graph"):
            raise ValueError(f"there is no runtime {runtime!r}; there are 'vm' and 'graph'")
        self._accepted(entry, "run")
        with self._placing():
            values = with_weights(self.core.functions[entry], self.weights, values) if entry == "@main" else values
            if runtime == "graph":
                return self.graph(entry).run(*values, fast=fast)
            return run(self.core, entry, values, fast=fast)

    def graph(self, entry: str) -> Graph:
        """A static function with its memory, to be run often.  Raises the errors of `run` except Blame and Fault."""
        from gradual.passes.plan.require_static import graph_of

        self._accepted(entry, "run")
        with room(), self._placing():
            return graph_of(self.core, entry, self.decider(), self.source.name, open_places(self.surface, entry))

    def obstacles(self, entry: str) -> tuple[Diagnostic, ...]:
        """What keeps a function from being static; empty if the graph runtime accepts it.  [graph.static]"""
        from gradual.passes.plan.require_static import required

        self._accepted(entry, "be static")
        with room():
            found = required(self.core, entry, self.decider(), self.source.name, open_places(self.surface, entry))
        return self._placed(found)

    def unknowns(self) -> tuple[Diagnostic, ...]:
        """The unknowns in the types of the program's names; empty after passes.  [type.open]"""
        from gradual.checker.completeness import incomplete

        states = self._checked.elaborations.values() if self._checked else ()
        trials = trials_of(self.source, replace(self.options, rigid="error"), self.compile)
        before = trials.retry(self.source.text)
        found = [unknown for state in states for unknown in incomplete(state)]
        helps = [name_for(unknown, before, trials) for unknown in found]
        helped = zip(found, helps, strict=True)
        return self._placed(replace(one, help=(help,) if help else ()) for one, help in helped)

    def lints(self, *, names: bool = True, beside_errors: bool = False) -> tuple[Diagnostic, ...]:
        """The lints; none after passes, and none for a program with errors unless `beside_errors` is set.

        They are not in `diagnostics`: no type, check or error depends on them.

        Args:
            names: whether to report unused and shadowing names; not useful for an imported model.
            beside_errors: whether to report lints of a program with errors, as far as it could be checked.
        """
        from gradual.lints.lint import lints_of_names, lints_of_types

        if self._checked is None or not (self.ok or beside_errors):
            return ()
        trials, before = trials_of(self.source, self.options, self.compile), findings(self.diagnostics)
        states = self._checked.elaborations.values()
        known = ((span, always) for state in states for span, always in state.output.decided.items())
        taken = {span: always for span, always in known if always is not None}

        def works(edit: Edit) -> bool:
            outcome = trials.outcome(edit) if self.options.advise else None
            return outcome is not None and outcome.errors <= before

        with room():
            found = [*lints_of_types(self.surface, self.source.text, self.core, taken, works)]
            found += lints_of_names(self.surface, self.source.text) if names else ()
        return self._placed(sorted(found, key=lambda one: (one.span.start, one.code)))

    def plan(self, entry: str) -> Plan:
        """The allocation plan of a function, after the passes that the graph runtime prepares it with.  [plan]"""
        from gradual.passes.plan.slots import planned

        return planned(self._ready(entry))

    def measure(self, entry: str, *values: Any) -> tuple[Value, Mapping[str, int]]:
        """The value computed by the machine, and buffer -> bytes that it took; assert that they agree with the plan.

        Raises as `run` does.  [plan.measured]
        """
        from gradual.passes.plan.slots import planned
        from gradual.run.graph.measured import measured

        function = self._ready(entry)
        with self._placing():
            return measured(self.core, function, planned(function), values)

    def _ready(self, entry: str) -> Function:
        from gradual.passes.plan.prepare import cut, ready

        self._accepted(entry, "be planned")
        with room():
            return cut(ready(self.core, entry, self.decider()))

    def _accepted(self, entry: str, what: str) -> None:
        if not self.ok:
            first = next(one for one in self.diagnostics if one.severity is Severity.ERROR)
            raise ValueError(f"the program has {counted(self.errors, 'error')} and cannot {what}: {first}")
        if entry not in self.core.functions:
            raise KeyError(f"there is no function {entry!r}; there are {', '.join(self.core.functions) or 'none'}")

    def _placed(self, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(replace(one, source=self.source) for one in found)

    @contextmanager
    def _placing(self) -> Iterator[None]:
        """Attach the source to an exception that stops a run."""
        try:
            yield
        except Stop as stop:
            stop.diagnostic = replace(of_model_run(self.source, stop.diagnostic), source=self.source)
            raise
        except NotStatic as refused:
            refused.diagnostics = self._placed(refused.diagnostics)
            raise

    def decider(self) -> Decider:
        """The decider of goals, with the limits that the options set."""
        return Decider(self.options.limits, self.options.smt)


def trials_of(source: Source, options: Options, compile: Compile) -> Trials:
    """Trials that check edited versions of the source, without helps and least counterexamples."""
    quick = replace(options, advise=False, limits=replace(options.limits, least=0))

    def retry(text: str) -> Outcome:
        again = compile(Source(source.name, text), quick)
        searches = sum(number for stage, number in again.stages.items() if stage not in CHEAP)
        errors = [one for one in again.diagnostics if one.severity is Severity.ERROR]
        places = tuple((one.code, one.span.start, one.span.end) for one in errors)
        return Outcome(findings(errors), residual(again.checks), searches, places)

    return Trials(source.text, retry, options.limits.trials)


@contextmanager
def room() -> Iterator[None]:
    """Raise the recursion limit for nested programs, and pause garbage collection while a program is built."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _STACK))
    try:
        with collector_paused():
            yield
    finally:
        sys.setrecursionlimit(limit)
