"""From a text to a `Compilation`: the one road every tool takes."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from gradual.checker.advice import Outcome, Trials, advised, annotation_for, findings, name_for, residual
from gradual.checker.declaring import as_function
from gradual.checker.elaboration import Broken, Elaboration
from gradual.checker.module import Checked, checked
from gradual.checker.program import Program
from gradual.core.reading import checks_in
from gradual.core.terms import Check, Function, Module
from gradual.diagnostic import Diagnostic, Help, Severity
from gradual.dims.decide import Decider
from gradual.limits import LIMITS, Limits
from gradual.ops.catalogue import CATALOGUE
from gradual.run.machine import run
from gradual.source import Source, Span, visible
from gradual.syntax import ast
from gradual.syntax.parse import parse
from gradual.syntax.places import open_places
from gradual.tensors.value import Value
from gradual.types.text import shown, shown_contents
from gradual.types.type import FunctionType, TensorType

if TYPE_CHECKING:
    from gradual.passes.passing import Note
    from gradual.run.graph import Graph
    from gradual.run.plan import Plan

# Nesting is bounded by LIMITS.nesting; each level takes a few Python frames, which the default limit does not allow.
_STACK = 20_000


@dataclass(frozen=True, slots=True)
class Options:
    """How to check.

    Attributes:
        smt: whether the SMT rung answers.
        rigid: how grave a named dim's goal is that may fail in a gradual definition: "warning" or "error".
        advise: whether helps are tried.
    """

    smt: bool = True
    limits: Limits = LIMITS
    rigid: str = "warning"
    advise: bool = True


@dataclass(frozen=True, slots=True)
class Binding:
    """A name of the program with its inferred type and, where known, its contents."""

    function: str
    name: str
    type: str
    contents: str | None
    span: Span


@dataclass(frozen=True, eq=False)
class Compilation:
    """A checked file.

    Attributes:
        diagnostics: errors and warnings in source order.
        proved: obligations proved; refuted: obligations that were errors.
        notes: what the passes that made it have to tell.
    """

    source: Source
    surface: ast.Module
    core: Module
    diagnostics: tuple[Diagnostic, ...]
    checks: tuple[Check, ...]
    proved: int
    refuted: int
    smt_queries: int
    rungs: Mapping[str, int]
    options: Options
    notes: tuple[Note, ...] = ()
    _checked: Checked | None = field(default=None, repr=False)

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
    def functions(self) -> Mapping[str, FunctionType]:
        """The type of every function, in source order."""
        return {name: function.type for name, function in self.core.functions.items()}

    @property
    def types(self) -> Mapping[str, str]:
        """The type of every function as text."""
        return {name: shown(type) for name, type in self.functions.items()}

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """Every parameter, let and graph variable, and each function's result, in source order."""
        return tuple(sorted(self._bindings(), key=lambda binding: binding.span.start))

    def _bindings(self) -> Iterator[Binding]:
        for function, state in self._checked.elaborations.items() if self._checked else ():
            for binding in state.scope.bindings:
                type = state.types[binding.value]
                if not isinstance(type, Broken):
                    contents = type.contents if isinstance(type, TensorType) else None
                    known = shown_contents(contents, len(type.shape)) if contents else None  # type: ignore[union-attr]
                    yield Binding(function, binding.name, shown(type), known, binding.span)

    def question(self, check: str) -> str:
        """The question put to the solver about a residual check, as SMT-LIB.

        Raises KeyError for an unknown check, and for every one after passes, which put no questions.
        """
        if self._checked is None:
            raise KeyError(check)
        return self._checked.question(check)

    def help(self, check: Check) -> Help | None:
        """The annotation that would prove a residual check, if one was tried and does."""
        return self._helped(check, _trials(self.source, self.options))

    def helps(self) -> Iterator[tuple[Check, Help | None]]:
        """Every residual check with its help, as far as the budget for the file goes."""
        trials = _trials(self.source, self.options)
        return ((check, self._helped(check, trials)) for check in self.checks)

    def _helped(self, check: Check, trials: Trials) -> Help | None:
        for state in self._checked.elaborations.values() if self._checked else ():
            if check in state.checks:
                before = Outcome(findings(self.diagnostics), residual(self.checks))
                return annotation_for(check, state, self.core, before, trials)
        return None

    @cached_property
    def text(self) -> str:
        """The core as a program that can be read again.  [pass.surface]"""
        from gradual.core.surface import program_text

        with _room():
            text = program_text(self.core, self.surface.version, self.surface.settings)
        return text if self._checked is not None else self._told(text)

    def _told(self, text: str) -> str:
        """What passes made of a program, with the reason in a comment where it is refused.  [pass.surface]"""
        read = compile_source(Source(self.source.name, text), replace(self.options, advise=False))
        error = next((found for found in read.diagnostics if found.severity is Severity.ERROR), None)
        if error is None:
            return text
        return f"// checked again, this is refused: {error.code}: {visible(error.message)}\n{text}"

    def run(self, entry: str, *values: Value, runtime: str = "vm") -> Value:
        """The value of `entry(values)`, by the machine, or by the graph runtime for a static function.

        Raises Blame, Fault, KeyError for an unknown function, ValueError if the program has errors, and
        `passes.requiring.NotStatic` where the graph runtime refuses the function.  [graph.run]
        """
        if runtime == "graph":
            return self.graph(entry).run(*values)
        if runtime != "vm":
            raise ValueError(f"there is no runtime {runtime!r}; there are 'vm' and 'graph'")
        self._accepted("run")
        return run(self.core, entry, values)

    def graph(self, entry: str) -> Graph:
        """A static function with its memory, to be run often.  Raises as `run` does, but for Blame and Fault."""
        from gradual.passes.requiring import graph_of

        self._accepted("run")
        with _room():
            return graph_of(self.core, entry, self._decider(), self.source.name, open_places(self.surface, entry))

    def obstacles(self, entry: str) -> tuple[Diagnostic, ...]:
        """What keeps a function from being static; nothing where the graph runtime takes it.  [graph.static]"""
        from gradual.passes.requiring import required

        self._accepted("be static")
        with _room():
            return required(self.core, entry, self._decider(), self.source.name, open_places(self.surface, entry))

    def unknowns(self) -> tuple[Diagnostic, ...]:
        """What the types of the names in the text leave unknown; nothing after passes.  [type.open]"""
        from gradual.checker.completeness import incomplete

        states = self._checked.elaborations.values() if self._checked else ()
        trials = _trials(self.source, replace(self.options, rigid="error"))
        before = trials.retry(self.source.text)
        found = [unknown for state in states for unknown in incomplete(state)]
        helps = [name_for(unknown, before, trials) for unknown in found]
        return tuple(replace(one, help=(help,) if help else ()) for one, help in zip(found, helps, strict=True))

    def plan(self, entry: str) -> Plan:
        """The allocation plan of a function, after the passes that the graph runtime prepares it with.  [plan]"""
        from gradual.passes.planning import planned

        return planned(self._ready(entry))

    def measure(self, entry: str, *values: Value) -> tuple[Value, Mapping[str, int]]:
        """The value by the machine, and what each buffer of the plan took; an assertion holds it to the plan.

        Raises as `run` does.  [plan.measured]
        """
        from gradual.passes.planning import planned
        from gradual.run.measuring import measured

        function = self._ready(entry)
        return measured(self.core, function, planned(function), values)

    def _ready(self, entry: str) -> Function:
        from gradual.passes.preparing import cut, ready

        self._accepted("be planned")
        with _room():
            return cut(ready(self.core, entry, self._decider()))

    def _accepted(self, what: str) -> None:
        if self.errors:
            raise ValueError(f"{self.source.name} has {self.errors} errors, so it cannot {what}")

    def _decider(self) -> Decider:
        return Decider(self.options.limits, self.options.smt)


def compile_source(source: Source, options: Options = Options()) -> Compilation:
    """The source checked; never raises, whatever the text."""
    with _room():
        surface, found = parse(source)
        decider = Decider(options.limits, options.smt)
        program = Program(source, surface, CATALOGUE, decider, options.limits, _strict(surface))
        result = checked(program)
    graded = list(_graded(result.diagnostics, options))
    if options.advise and not found:
        graded = advised(graded, _definitions(surface, result), _trials(source, options))
    for state in result.elaborations.values():
        state.forget()
    diagnostics = sorted((*found, *graded), key=lambda d: (d.span.start, d.span.end))
    return Compilation(
        source,
        surface,
        result.core,
        tuple(diagnostics),
        result.checks,
        result.proved,
        result.refuted,
        decider.smt_queries,
        dict(decider.counts),
        options,
        _checked=result,
    )


def _definitions(surface: ast.Module, result: Checked) -> list[tuple[Elaboration, ast.Fn]]:
    functions = {d.name.name: d.function for d in surface.definitions if isinstance(d, ast.Def)}
    functions |= {d.name.name: as_function(d) for d in surface.definitions if isinstance(d, ast.OperatorDef)}
    return [(state, functions[name]) for name, state in result.elaborations.items()]


def _trials(source: Source, options: Options) -> Trials:
    """The source to be checked again with edits, with no helps of its own."""

    def retry(text: str) -> Outcome:
        again = compile_source(Source(source.name, text), replace(options, advise=False))
        return Outcome(findings(again.diagnostics), residual(again.checks))

    return Trials(source.text, retry, options.limits.trials)


def check(text: str, name: str = "<text>", *, smt: bool = True) -> Compilation:
    """A text checked.

    >>> check("def @f(%x: Tensor[(n,), float32]) { nn.relu(%x) }").types["@f"]
    'fn (Tensor[(n,), float32]) -> Tensor[(n,), float32]'
    """
    return compile_source(Source(name, text), Options(smt=smt))


def apply(compilation: Compilation, *passes: str, verify: bool = True) -> Compilation:
    """The compilation after passes, each given by its name and then its arguments: `"specialize", "n=3"`.

    Labels of checks, diagnostics and spans are those of the text that was checked.  Raises ValueError if the
    program has errors, `passes.passing.Unusable` where a pass cannot do what it is asked.  [pass.verified]

    >>> c = check("def @f(%x: Tensor[(2, 3), float32]) { dyn.reshape(%x, [3, 2]) }")
    >>> "dyn." in apply(c, "dynamic-to-static").text
    False
    """
    if compilation.errors:
        raise ValueError(f"{compilation.source.name} has {compilation.errors} errors, so no pass can take it")
    from gradual.passes.pipeline import read_uses, transformed

    words = [word for given in passes for word in given.split()]
    with _room():
        after = transformed(compilation.core, read_uses(words), compilation._decider(), verify)
    checks = {id(check): check for one in after.module.functions.values() for check in checks_in(one.body)}
    return replace(
        compilation,
        core=after.module,
        checks=tuple(checks.values()),
        notes=(*compilation.notes, *after.notes),
        _checked=None,
    )


def _strict(surface: ast.Module) -> bool:
    return any(key == "broadcast" and value == "strict" for key, value, _ in surface.settings)


def _graded(diagnostics: tuple[Diagnostic, ...], options: Options) -> Iterator[Diagnostic]:
    for diagnostic in diagnostics:
        if options.rigid == "error" and diagnostic.code == "E0402":
            yield replace(diagnostic, severity=Severity.ERROR)
        else:
            yield diagnostic


@contextmanager
def _room() -> Iterator[None]:
    """Stack for nested programs, and no garbage collection while a program is built."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, _STACK))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            if not gc.get_freeze_count():  # what was built is old at once, instead of being walked as young garbage
                gc.freeze()
                gc.unfreeze()
            gc.enable()
