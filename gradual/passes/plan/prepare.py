"""Prepare a function for the graph runtime: inline calls, fold constants, replace sizes by numbers.

[graph.prepare]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gradual.core.check import Check
from gradual.core.datatypes import declarations
from gradual.core.terms import Apply, Block, Function, Module, Stop
from gradual.core.traversal import with_blocks
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import FALSE, at_least
from gradual.dims.term.dim import Dim, Variable, constant, of_atom
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.map_steps import with_body
from gradual.passes.pipeline import Use, transformed
from gradual.passes.plan.slots import planned
from gradual.passes.refine.sweep import sharpened
from gradual.run.graph.runtime import Graph, is_too_large
from gradual.types.unpacking import sizes

STEPS = ("inline", "fold-constants", "dynamic-to-static", "drop-dead")
"""The passes to run, in this order."""


def ready(module: Module, entry: str, decider: Decider, verify: bool = True) -> Function:
    """Run the passes, and replace sizes that the entry determines by numbers.  [graph.prepare]"""
    uses = [Use(PASSES[name], {}) for name in STEPS if name in PASSES]
    after = transformed(module, uses, decider, verify).module
    return without_hope(determined(after, after.functions[entry], decider))


def determined(module: Module, function: Function, decider: Decider) -> Function:
    """Replace sizes of the parameters that the declarations determine by numbers."""
    facts = entry_facts(function)
    known = dict(_numbers(function, facts))
    return sharpened(module, function, decider, known) if known else function


def without_hope(function: Function) -> Function:
    """Make the goal of each check right before a `Stop` false: the run fails in any case.

    [graph.static]
    """

    def inside(block: Block) -> Block:
        steps = [with_blocks(step, inside) for step in block.steps]
        for place, behind in enumerate(steps[1:]):
            step = steps[place]
            if isinstance(step, Check) and isinstance(behind, Stop) and step.goal.value is None:
                steps[place] = replace(step, goal=FALSE)
        same = all(new is old for new, old in zip(steps, block.steps, strict=True))
        return block if same else Block(tuple(steps), block.result)

    return with_body(function, inside(function.body))


def cut(function: Function) -> Function:
    """Drop the steps after one that always fails: they are dead code and need no memory."""
    steps = function.body.steps
    for count, step in enumerate(steps, 1):
        if isinstance(step, Stop) or (isinstance(step, Check) and step.goal.value is False):
            body = Block(steps[:count], function.body.result)
            return function if count == len(steps) else replace(function, body=body)
        if isinstance(step, Apply) and is_too_large(step):
            return replace(function, body=Block(steps[:count], function.body.result))
    return function


def graph(module: Module, entry: str, function: Function) -> Graph:
    """The graph of a prepared function without obstacles.  [graph.prepare]"""
    whole = cut(function)
    return Graph(module.functions[entry], whole, planned(whole), module.data)


def entry_facts(function: Function) -> Facts:
    """The facts that hold on entry to a function."""
    facts = Facts()
    for param in function.params:
        for size in sizes(param.type):
            facts.assume(at_least(size, constant(0)))
    for goal in declarations(function):
        facts.assume(goal)
    return facts


def entry_unknowns(function: Function) -> Mapping[Variable, None]:
    """The unknowns in the sizes of a function's parameters, in order."""
    found: dict[Variable, None] = {}
    for param in function.params:
        for size in sizes(param.type):
            found.update(dict.fromkeys(sorted(size.variables())))
    return found


def _numbers(function: Function, facts: Facts) -> Iterator[tuple[Variable, Dim]]:
    for variable in entry_unknowns(function):
        image = facts.rewrite(of_atom(variable))
        if image.value is not None:
            yield variable, image
