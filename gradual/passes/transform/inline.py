"""`inline`: replace calls by the bodies of the functions.   [pass.inline]

Dims of the callee become those of the arguments, and the type of the result is refined accordingly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from gradual.core.def_use import every, reads
from gradual.core.terms import Function, Invoke, Module, Stop
from gradual.core.traversal import Rewriting, apart
from gradual.passes.framework.bound_names import bound_in, names_in
from gradual.passes.framework.map_steps import with_functions
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed
from gradual.passes.refine.sweep import Sweep
from gradual.passes.transform.drop_dead import Dropping
from gradual.passes.transform.entry_checks import with_entries
from gradual.record import record
from gradual.types.binder_solving import measured
from gradual.types.type import NeverType

GROWTH = 20_000
"""The largest number of steps that inlining adds to one function."""


@record(frozen=False, eq=False)
class Inlining:
    """Decides which calls of one function are inlined.

    Attributes:
        recursive: the declared functions that call themselves, directly or through others.
        room: the number of steps that may still be added.
    """

    module: Module
    recursive: set[str]
    room: int = GROWTH
    left: list[tuple[Invoke, str]] = field(default_factory=list)

    def __call__(self, sweep: Sweep, call: Invoke) -> Function | None:
        """A fresh copy of the callee; None to keep the call."""
        callee = self.module.functions.get(call.function) or sweep.closures.get(call.function)
        if callee is None:
            self.left.append((call, "the called function is known only at run time"))
            return None
        why = self._refusal(sweep, call, callee)
        if why:
            self.left.append((call, why))
            return None
        choice = measured(callee.type, sweep.arguments(call, callee.type))
        if choice.unsolved:
            self.left.append((call, "the arguments do not determine one of its dims"))
            return None
        dims = dict(choice.mapping)
        names = apart(sorted(names_in(callee)), sweep.taken)
        self.room -= sum(1 for _ in every(callee.body))
        return Rewriting(dict(names), dims, binding=True).function(callee)

    def _refusal(self, sweep: Sweep, call: Invoke, callee: Function) -> str:
        """Why a call is not inlined; empty if it is."""
        if call.function in self.recursive or _calls_itself(callee):
            return "it calls itself"
        if self.module.declares(call.function):
            return "it is a declared operator"
        if any(isinstance(step, Stop) for step in callee.body.steps):
            return "it has no body"
        if any(isinstance(type, NeverType) for type in call.types):
            return "the call does not determine one of its type parameters"
        inner = bound_in(callee) - {*callee.type.binders, *callee.type.types}
        if inner & sweep.around:
            return "a function inside it binds a dim or a type whose name is in use"
        if sum(1 for _ in every(callee.body)) > self.room:
            return f"the function would grow by more than {GROWTH} steps"
        return ""


def _calls_itself(function: Function) -> bool:
    """Whether a function literal uses the variable that it is bound to."""
    return any(function.name in reads(step) for step in function.body.steps)


def recursive(module: Module) -> set[str]:
    """The declared functions on a cycle of the call graph."""
    calls = {name: set(_mentioned(module, function)) for name, function in module.functions.items()}
    found: set[str] = set()
    for name in calls:
        reached: set[str] = set()
        waiting = list(calls[name])
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += calls[one]
        if name in reached:
            found.add(name)
    return found


def _mentioned(module: Module, function: Function) -> Iterator[str]:
    for step in function.body.steps:
        yield from (name for name in reads(step) if name in module.functions)
    if function.body.result in module.functions:
        yield function.body.result


def inlined(module: Module, context: Context) -> Transformed:
    """Inline the calls in all functions.   [pass.inline]"""
    cyclic = recursive(module)
    functions: dict[str, Function] = {}
    notes: list[Note] = []
    for name, function in module.functions.items():
        expand = Inlining(module, cyclic)
        sweep = Sweep(context.decider, module, expand=expand)
        swept = with_entries(sweep.function(function))
        functions[name] = Dropping(among=sweep.loosened).function(swept)
        notes += [_stays(name, call, why) for call, why in expand.left]
    return Transformed(with_functions(module, functions), tuple(notes))


def _stays(function: str, call: Invoke, why: str) -> Note:
    return Note(function, call.span, f"the call of `{call.function}` stays: {why}", left=True)


PASSES: tuple[Pass, ...] = (Pass("inline", "Replace calls by the bodies of the functions.   [pass.inline]", inlined),)
