"""Find the steps of a block that elaboration inserts again, so that the source text can leave them out.

Where a value flows into a written type, elaboration inserts the checks that the type demands, and converts functions,
references and data inside the value: the checks, projections and conversions before such a step are not written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Any

from gradual.core.check import Check, Site
from gradual.core.def_use import blocks, checks_in, defined, every, operands, reads
from gradual.core.terms import (
    Apply,
    Block,
    Constant,
    Convert,
    Function,
    MakeTuple,
    Project,
    Step,
    Stop,
    Wrap,
    WrapReference,
)
from gradual.core.traversal import with_operands
from gradual.delaborate.demands import Demands, is_demanded
from gradual.dims.term.constraint import FALSE, Constraint
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.types.type import GradualType, TupleType

TEMPORARY = re.compile(r"%(_?[0-9]+|[0-9].*)")
"""Matches generated names, as opposed to names from the source; for instance, a pass names `%0_shape` after `%0`."""

Path = tuple[str, tuple[int, ...]]
"""A value, and the indices of the fields that lead from it to one of its parts."""

Flow = tuple[str, GradualType]
"""A value that flows into a written type, and the type."""

_CONVERSION = Wrap | WrapReference | Convert
_FLOWING = Check | Project | MakeTuple | Wrap | WrapReference | Convert


def uses(function: Function) -> Counter[str]:
    """How often each variable is used, inside nested blocks too."""
    found = Counter((function.body.result,))
    for step in every(function.body):
        inner = blocks(step)
        found.update({*(operands(step) if inner else reads(step))} - {defined(step)})
        found.update(block.result for block in inner)
    return found


def literals_in_place(function: Function, used: Mapping[str, int]) -> dict[str, Tensor]:
    """The constants with a generated name that only one operator reads: they can be written as its operand."""
    steps = list(every(function.body))
    taken = {name for step in steps if isinstance(step, Apply) for name in step.operands}
    return {
        step.name: step.value
        for step in steps
        if isinstance(step, Constant) and TEMPORARY.fullmatch(step.name) and used[step.name] == 1 and step.name in taken
    }


@record(frozen=False, eq=False)
class Implied:
    """The steps of one block that elaboration inserts again.

    Attributes:
        silent: indices of the steps that are not written.
        later: step index -> operand that this step converts -> goals that the conversion checks later.
        instead: step index -> operand -> operand written in its place; the index after the last step is for the result.
    """

    block: Block
    demands: Demands
    ending: frozenset[Constraint]
    silent: set[int] = field(default_factory=set)
    instead: dict[int, dict[str, str]] = field(default_factory=dict)
    later: dict[int, dict[str, list[Constraint]]] = field(default_factory=dict)
    _goals: dict[int, frozenset[Constraint]] = field(default_factory=dict)

    def goals(self, index: int) -> frozenset[Constraint]:
        """The goals that the step at an index demands; at the index after the last step, those of the result."""
        if index not in self._goals:
            steps = self.block.steps
            self._goals[index] = self.demands.goals(steps[index]) if index < len(steps) else self.ending
        return self._goals[index]

    def forget(self) -> None:
        """Clear the memo table of goals, after the types of values have changed."""
        self._goals.clear()

    def demanded(self, index: int) -> frozenset[Constraint]:
        """The goals demanded next after a check; empty if something else can stop the run before."""
        steps, checks = self.block.steps, [self.block.steps[index]]
        for place in range(index + 1, len(steps)):
            step = steps[place]
            if isinstance(step, Check):
                checks.append(step)
            elif not isinstance(step, _FLOWING):
                return self._comes_first(checks, self.goals(place))
            elif isinstance(step, Convert) and place not in self.silent:
                return frozenset()
        return self._comes_first(checks, self.ending)

    def _comes_first(self, checks: Sequence[Any], goals: frozenset[Constraint]) -> frozenset[Constraint]:
        """The goals; empty if a check after the first is written, since it could stop the run before they are checked.

        Also empty if a check never holds after the checks before it: that check is written as a failure.
        """
        if not all(_comes_back(check, goals) for check in checks[1:]):
            return frozenset()
        with self.demands.local():
            for before, check in pairwise(checks):
                self.demands.facts.learn(before.goal)
                if self.demands.never(check.goal):
                    goals = frozenset()
        return goals

    def always_fails(self, index: int) -> bool:
        """Whether the step at an index is a check that is `false`, or one with a `Stop` right behind it."""
        step, behind = self.block.steps[index], self.block.steps[index + 1 : index + 2]
        return isinstance(step, Check) and (step.goal is FALSE or any(isinstance(one, Stop) for one in behind))

    def resolved(self, index: int) -> Step:
        """The step at an index with the operands that are written."""
        names = self.instead.get(index)
        step = self.block.steps[index]
        if not names:
            return step
        return with_operands(step, lambda one: names.get(one, one))

    @property
    def result(self) -> str:
        """The variable that is written as the result of the block."""
        return self.instead.get(len(self.block.steps), {}).get(self.block.result, self.block.result)


def implied(block: Block, demands: Demands, used: Mapping[str, int], flow: Flow | None) -> Implied:
    """The steps that elaboration inserts again in a block; `flow` is the written type of its result, if any."""
    ending = demands.flow_goals(*flow) if flow is not None else frozenset()
    found = Implied(block, demands, ending)
    for place, step in enumerate(block.steps):
        if not isinstance(step, _FLOWING):
            _look(found, place, list(demands.targets(step)), used)
    _look(found, len(block.steps), [flow if flow is not None else (block.result, None)], used)
    return found


def _never_holds(step: Wrap | WrapReference | Convert) -> bool:
    """Whether a conversion contains a check that always fails."""
    return any(check.goal is FALSE for check in checks_in(Block((step,), step.name)))


def _look(found: Implied, place: int, flows: Sequence[tuple[str, GradualType | None]], used: Mapping[str, int]) -> None:
    """Record the steps before index `place` that elaboration inserts again for the values that flow into this step.

    A conversion of data checks immediately, so a conversion before a check that is written is written, too.
    """
    window: dict[str, tuple[int, Step]] = {}
    checked = False
    for index in range(place - 1, -1, -1):
        step = found.block.steps[index]
        if not isinstance(step, _FLOWING) or (checked and isinstance(step, Convert)):
            break
        checked |= isinstance(step, Check) and not _comes_back(step, found.goals(place))
        name = defined(step)
        if name is not None and TEMPORARY.fullmatch(name) and used[name] == 1:
            window[name] = index, step
    if not window:
        return
    for operand, target in flows:
        chain = _Chain(window, found.demands)
        base, fields = chain.origin(operand)
        if fields:
            chain = _Chain(chain.beside(base, fields), found.demands)
            base, fields = chain.origin(operand)
        if base != operand and not fields and all(_at(target, path) == type for path, type in chain.converted):
            found.silent |= chain.steps
            later = Block(tuple(found.block.steps[index] for index in sorted(chain.steps)), base)
            found.later.setdefault(place, {})[base] = [check.goal for check in checks_in(later)]
            found.instead.setdefault(place, {})[operand] = base


def _comes_back(check: Check, goals: frozenset[Constraint]) -> bool:
    """Whether elaboration inserts a check again, since the goals demand it; an assertion is always written."""
    return check.blame.site is not Site.ASSERT and is_demanded(check, goals)


@record(frozen=False, eq=False)
class _Chain:
    """The projections, conversions and tuples by which a value is computed from another.

    Attributes:
        steps: the indices of these steps.
        converted: the path and the new type of each part that is converted.
    """

    window: Mapping[str, tuple[int, Step]]
    demands: Demands
    steps: set[int] = field(default_factory=set)
    converted: list[tuple[tuple[int, ...], GradualType]] = field(default_factory=list)

    def origin(self, name: str) -> Path:
        """The value and its fields that `name` is computed from by conversions; else `name` itself, without fields."""
        place, step = self.window.get(name, (-1, None))
        match step:
            case Wrap() | WrapReference() | Convert() if _never_holds(step):
                return name, ()
            case Project() | Wrap() | WrapReference() | Convert():
                found = self._part(name)
            case MakeTuple(fields=(_, *_) as parts):
                origins = [self.origin(part) for part in parts]
                bases = {(base, path[:-1]) for base, path in origins if path}
                places = [path[-1:] for _, path in origins]
                if len(bases) != 1 or places != [(index,) for index in range(len(parts))]:
                    return name, ()
                found = bases.pop()
                if not self._has_fields(found, len(parts)):
                    return name, ()
            case _:
                return name, ()
        self.steps.add(place)
        return found

    def _part(self, name: str) -> Path:
        """The base and the fields of a chain of projections, with at most one conversion after them."""
        place, step = self.window[name]
        self.steps.add(place)
        if isinstance(step, _CONVERSION):
            base, fields = self._projected(step.operand)
            self.converted.append((fields, step.type))
            return base, fields
        return self._projected(name)

    def _projected(self, name: str) -> Path:
        place, step = self.window.get(name, (-1, None))
        if not isinstance(step, Project):
            return name, ()
        self.steps.add(place)
        base, fields = self._projected(step.operand)
        return base, (*fields, step.index)

    def beside(self, base: str, fields: tuple[int, ...]) -> Mapping[str, tuple[int, Step]]:
        """The steps of `window` without the projections to a field, so that chains begin at the projected value."""
        of_field = (name for name, (_, step) in self.window.items() if isinstance(step, Project))
        gone = {name for name in of_field if _Chain(self.window, self.demands)._projected(name) == (base, fields)}
        return {name: found for name, found in self.window.items() if name not in gone}

    def _has_fields(self, path: Path, count: int) -> bool:
        type = _at(self.demands.type_of(path[0]), path[1])
        return isinstance(type, TupleType) and len(type.fields) == count


def _at(type: GradualType | None, path: tuple[int, ...]) -> GradualType | None:
    """The part of a type at a path."""
    for index in path:
        type = type.fields[index] if isinstance(type, TupleType) and index < len(type.fields) else None
    return type
