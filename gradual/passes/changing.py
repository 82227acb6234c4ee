"""What is known at each step of a module, and modules with some steps exchanged for others."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace

from gradual.core.terms import Arm, Block, Closure, Function, If, Match, Module, Step
from gradual.core.verify import Visit, violations
from gradual.dims.decide import Decider

Change = Callable[[Step], Iterable[Step]]


def visited(module: Module, decider: Decider, visit: Visit, only: Container[str] | None = None) -> None:
    """Every step of every block, or of those of some functions, shown with what the verifier knows there."""
    violations(module, decider, only, visit)


def changed(module: Module, change: Change) -> Module:
    """The module with every step of a block replaced; the same module where none is."""
    functions = {name: changed_function(function, change) for name, function in module.functions.items()}
    if all(functions[name] is function for name, function in module.functions.items()):
        return module
    return replace(module, functions=functions)


def changed_function(function: Function, change: Change) -> Function:
    """The function with every step of its body replaced, from the inside out."""
    body = changed_block(function.body, change)
    return function if body is function.body else replace(function, body=body)


def changed_block(block: Block, change: Change) -> Block:
    """The block with every step replaced, those of the blocks inside it first."""
    steps = tuple(new for step in block.steps for new in change(_inside(step, change)))
    same = len(steps) == len(block.steps) and all(map(_is, steps, block.steps))
    return block if same else Block(steps, block.result)


def _is(left: Step, right: Step) -> bool:
    return left is right


def _inside(step: Step, change: Change) -> Step:
    """The step with the blocks inside it changed."""
    match step:
        case If(then=then, orelse=orelse):
            yes, no = changed_block(then, change), changed_block(orelse, change)
            return step if yes is then and no is orelse else replace(step, then=yes, orelse=no)
        case Match(arms=arms):
            blocks = [changed_block(arm.block, change) for arm in arms]
            if all(new is arm.block for new, arm in zip(blocks, arms, strict=True)):
                return step
            return replace(step, arms=tuple(Arm(arm.pattern, new) for arm, new in zip(arms, blocks, strict=True)))
        case Closure(function=function):
            inner = changed_function(function, change)
            return step if inner is function else replace(step, function=inner)
        case _:
            return step


def with_functions(module: Module, functions: Mapping[str, Function]) -> Module:
    """The module with some functions exchanged, or added after the others."""
    return replace(module, functions={**module.functions, **functions})
