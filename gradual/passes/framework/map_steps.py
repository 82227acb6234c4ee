"""Visit the steps of a module with the facts at each, and replace steps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace

from gradual.core.terms import Block, Function, Module, Step
from gradual.core.traversal import with_blocks
from gradual.core.verify.function import Visit, violations
from gradual.dims.solver.decide import Decider

Change = Callable[[Step], Iterable[Step]]


def visited(module: Module, decider: Decider, visit: Visit, only: Container[str] | None = None) -> None:
    """Call `visit` with every step of a module, or of some functions, and the verifier's facts there."""
    violations(module, decider, only, visit)


def changed(module: Module, change: Change) -> Module:
    """Replace steps in all functions; the same module if nothing changes."""
    return with_functions(
        module, {name: changed_function(function, change) for name, function in module.functions.items()}
    )


def changed_function(function: Function, change: Change) -> Function:
    """Replace steps in a function, from the inside out."""
    return with_body(function, changed_block(function.body, change))


def changed_block(block: Block, change: Change) -> Block:
    """Replace steps in a block, those of nested blocks first."""

    def inner(block: Block) -> Block:
        return changed_block(block, change)

    steps = tuple(new for step in block.steps for new in change(with_blocks(step, inner)))
    same = len(steps) == len(block.steps) and all(map(_is, steps, block.steps))
    return block if same else Block(steps, block.result)


def _is(left: Step, right: Step) -> bool:
    return left is right


def with_body(function: Function, body: Block) -> Function:
    """Replace the body of a function; the same function if nothing changes."""
    return function if body is function.body else replace(function, body=body)


def with_functions(module: Module, functions: Mapping[str, Function]) -> Module:
    """Replace functions, or add them after the others; the same module if nothing changes."""
    if all(module.functions.get(name) is function for name, function in functions.items()):
        return module
    return replace(module, functions={**module.functions, **functions})
