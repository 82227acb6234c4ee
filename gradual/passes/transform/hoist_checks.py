"""Move checks up, and drop proved ones: `hoist-checks` and `drop-proved-checks`.

A check moves up only over steps that cannot fail, so the first failure of a run stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from gradual.core.check import Check
from gradual.core.def_use import defined, every, reads
from gradual.core.terms import Block, Module, Step
from gradual.core.traversal import with_blocks
from gradual.dims.store.facts import Facts
from gradual.dims.term.dim import NumelOf, RankOf, Variable
from gradual.passes.analysis.may_fault import Failing, failing_of
from gradual.passes.framework.map_steps import changed, visited, with_body, with_functions
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed
from gradual.record import record
from gradual.types.type import OpenedType
from gradual.types.unpacking import base_of, shapes_unknown
from gradual.verdict import Proved


# ------------------------------------------------------------------------------------------------------------- hoisting
@record(frozen=False, eq=False)
class Hoisting:
    """Hoists the checks of one function, block by block.

    Attributes:
        failing: which steps may fail, and the types of variables.
        moved: the checks that were moved.
    """

    failing: Failing
    moved: list[Check] = field(default_factory=list)

    def block(self, block: Block) -> Block:
        """Move each check up to where its operands are defined, but not over a step that may fail.

        [pass.hoist.order] [pass.hoist.branch]
        """
        places: dict[str, int] = {}
        after: list[list[Step]] = [[]]
        last = 0
        for step in block.steps:
            if isinstance(step, Check) and self._is_movable(step):
                place = max(last, max((places.get(name, 0) for name in reads(step)), default=0))
                if place < len(after) - 1:
                    self.moved.append(step)
                after[place].append(step)
                last = place
                continue
            after.append([with_blocks(step, self.block)])
            name = defined(step)
            if name is not None:
                places[name] = len(after) - 1
            if not self.failing.cannot(step):
                last = len(after) - 1
        steps = tuple(step for group in after for step in group)
        same = len(steps) == len(block.steps) and all(new is old for new, old in zip(steps, block.steps, strict=True))
        return block if same else Block(steps, block.result)

    def _is_movable(self, check: Check) -> bool:
        """Whether the ranks of all values whose sizes a check mentions are known without earlier checks."""
        bases = (base_of(variable) for variable in check.goal.variables())
        types = [self.failing.types[base] for base in bases if base is not None and base in self.failing.types]
        return not check.says and not any(True for type in types for _ in shapes_unknown(type))


def hoisted(module: Module, context: Context) -> Transformed:
    """Move the checks of all functions up in their blocks, so that the first failure stays the same.   [pass.hoist]"""
    functions, notes = {}, []
    for name, function in module.functions.items():
        hoisting = Hoisting(failing_of(function))
        functions[name] = with_body(function, hoisting.block(function.body))
        notes += [Note(name, one.span, f"check {one.id} `{one.condition}` is made earlier") for one in hoisting.moved]
    return Transformed(with_functions(module, functions), tuple(notes))


# ----------------------------------------------------------------------------------------------- dropping proved checks
def without_proved(module: Module, context: Context) -> Transformed:
    """Drop the checks that are proved by the facts before them.   [pass.proved]"""
    proved: set[int] = set()

    def look(step: Step, facts: Facts, types: Mapping[str, OpenedType]) -> None:
        if not isinstance(step, Check) or step.says or any(map(_tells_rank, step.goal.variables())):
            return
        if isinstance(context.decider.decide(facts, step.goal), Proved) or context.decider.unreachable(facts):
            proved.add(id(step))

    visited(module, context.decider, look)
    after = changed(module, lambda step: () if id(step) in proved else (step,))
    return Transformed(after, tuple(_gone(module, proved)))


def _gone(module: Module, proved: set[int]) -> Iterator[Note]:
    for name, function in module.functions.items():
        for step in every(function.body):
            if isinstance(step, Check) and id(step) in proved:
                yield Note(name, step.span, f"check {step.id} `{step.condition}` always holds")


def _tells_rank(variable: Variable) -> bool:
    """Whether a check of the variable may give a rank, which the code that follows may need."""
    return isinstance(variable.witness, RankOf | NumelOf)


PASSES: tuple[Pass, ...] = (
    Pass(
        "hoist-checks",
        "Move each check as early as possible without changing the outcome.   [pass.hoist]",
        hoisted,
        idempotent=True,
    ),
    Pass(
        "drop-proved-checks",
        "Remove checks that are proved by the facts before them.   [pass.proved]",
        without_proved,
        idempotent=True,
    ),
)
"""The passes on checks."""
