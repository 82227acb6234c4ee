"""The entry checks of a function after a pass has changed its interface.   [run.entry]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gradual.checker.declarations.entry import entry_check
from gradual.core.check import Check
from gradual.core.datatypes import entry_goals
from gradual.core.terms import Closure, Function, Step
from gradual.core.traversal import Rewriting
from gradual.dims.term.constraint import equal
from gradual.dims.term.dim import Dim, Variable
from gradual.passes.framework.map_steps import changed_function
from gradual.types.binder_solving import requirements


def entry_checks(before: Function, header: Function, outside: Mapping[Variable, Dim]) -> Iterator[Check]:
    """The entry checks of the new header: old checks that still apply, and new checks for its sizes.  [run.entry]"""
    named = Rewriting(dims=dict(outside))
    old = {check.goal: check for check in map(named.step, before.entry)}
    places = {
        equal(size, extent): (index, param, axis)
        for index, param in enumerate(header.params)
        for extent, size, _, axis in requirements(param.written, param.name)
        if isinstance(extent, Dim)
    }
    for goal in entry_goals(header, dict(header.binders)):
        if goal in old:
            yield old[goal]
        elif goal in places:
            index, param, axis = places[goal]
            says = f"dimension {axis} of argument {index + 1} is not the declared one"
            yield entry_check(goal, param.span, says, f"argument {index + 1} of `{header.name}`")
        else:
            says, through = f"`{header.name}` requires `{goal}`", f"the arguments of `{header.name}`"
            yield entry_check(goal, header.span, says, through)


def with_entries(function: Function) -> Function:
    """Add entry checks to function literals for sizes that came with instantiated type parameters."""
    return changed_function(function, _entered)


def _entered(step: Step) -> Iterator[Step]:
    if isinstance(step, Closure):
        entry = tuple(entry_checks(step.function, step.function, {}))
        if {check.goal for check in entry} != {check.goal for check in step.function.entry}:
            step = replace(step, function=replace(step.function, entry=entry))
    yield step
