"""The static system by enumeration: at every size of a small grid the function is run, and every branch is entered.

No goal is decided here.  The function is elaborated with each obligation as a check, and run on values of each
valuation of its names.  A branch that is not taken runs too, on the same values: what it owes must be possible, but
may fail.  A boolean that says nothing of sizes may be true and false, so a branch is as good as taken if the condition
takes it for one of these.  A function literal is run on values of its own parameters at every size they may have.

In the branches of a test, which compares integers, sizes may differ and what no run comes to may be impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from random import Random

from gradual.core.check import Check, Site
from gradual.core.terms import Assertion, Block, Closure, Function, If, Invoke, Module, Step
from gradual.dims.term.dim import Undefined
from gradual.run.entry.cast import admitted
from gradual.run.machine import Activation, Machine
from gradual.run.sizes import Sizes, held
from gradual.run.steps.checks import holds, measure
from gradual.run.value import Fault, Frame, Held, Procedure, Stop
from gradual.tensors.tensor import Tensor
from tests.properties.conditions import Conditions
from tests.properties.inputs import Drawn, Misfit, numbers_of, variables_of

GRID = (0, 1, 2, 3, 4, 6, 5, 7, 12, 25, -1)
"""Numbers for every name, the last one for values only.

The constants of generated programs, and their small multiples, are among them or below.
"""

_OWN = (0, 1, 2, 3, -1)
_RUNS = 256
_FUEL = 3_000
_ELEMENTS = 4_000


@dataclass
class Fate:
    """What became of an obligation: at which valuation it failed where it was reached, and whether it ever held.

    `tested` is whether it stands in a branch of a test, where it need not hold at all.
    """

    fails: Mapping[str, int] | None = None
    holds: bool = False
    tested: bool = False


@dataclass
class Static:
    """What enumeration found out about one function.

    Attributes:
        checks: the fate of each obligation that was met.
        joins: the fate of each size of each `if`: that both branches agree on it.
        partial: each `if` of which a branch stopped before its value, so that nothing can be said of all sizes.
        faulty: whether a run ended in a fault, so that nothing is said of what stands behind it.
        calls: each call, and whether it ever came back: what the callee owes may stop it at every valuation.
    """

    checks: dict[Check, Fate] = field(default_factory=dict)
    joins: dict[tuple[If, int], Fate] = field(default_factory=dict)
    partial: set[If] = field(default_factory=set)
    faulty: bool = False
    calls: dict[Invoke, bool] = field(default_factory=dict)

    @property
    def hidden(self) -> bool:
        """Whether no run comes to what stands behind some call."""
        return not all(self.calls.values())

    @property
    def failing(self) -> str:
        """An obligation that fails at some size, or branches under a mute condition that differ; empty if none."""
        owed = ((step, fate) for step, fate in self.checks.items() if step.blame.site is not Site.ASSERT)
        return next((f"{s.goal} fails at {f.fails}" for s, f in owed if f.fails is not None), "") or next(
            (f"branches differ at {fate.fails}" for fate in self.joins.values() if fate.fails is not None), ""
        )

    @property
    def impossible(self) -> str:
        """An obligation that holds at no size, or branches that never have one shape; empty if there is none."""
        never = (str(step.goal) for step, fate in self.checks.items() if not (fate.holds or fate.tested))
        apart = (not fate.holds for (step, _), fate in self.joins.items() if step not in self.partial)
        return next(never, "") or ("branches differ" if any(apart) else "")


class _Spent(Exception):
    """A run that takes too long, or too much room."""


def enumerated(module: Module, function: Function, beside: Sequence[Mapping[str, int]] = ()) -> Static:
    """The function of a module whose every obligation is a check, at every valuation of the grid and those beside."""
    found, conditions = Static(), Conditions(function)
    for valuation in (*beside, *_valuations(function)):
        try:
            values = Drawn(Random("elements"), 1, valuation).arguments(function)
        except (Misfit, Undefined):
            continue
        top = Frame({name: Procedure(one, None) for name, one in module.functions.items()})
        frame = Frame(outer=top)
        try:
            admitted(function, values, frame, module.data)
            _Explorer(top, _Log(found, valuation, conditions, _Fuel())).evaluated(frame, function.body)
        except Fault:
            found.faulty = True
        except (Stop, _Spent):
            continue
    return found


def _valuations(function: Function) -> Iterator[dict[str, int]]:
    """Numbers for every name and integer of the parameters: all of them if they are few, else some."""
    names = list(dict.fromkeys(numbers_of(function)))
    if len(GRID) ** len(names) <= _RUNS:
        yield from (dict(zip(names, numbers, strict=True)) for numbers in product(GRID, repeat=len(names)))
        return
    random = Random("valuations")
    yield from ({name: random.choice(GRID) for name in names} for _ in range(_RUNS))


@dataclass
class _Fuel:
    left: int = _FUEL

    def burn(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _Spent


@dataclass
class _Log:
    """What is found, at which valuation, what conditions may be, and how long it may take."""

    found: Static
    valuation: Mapping[str, int]
    conditions: Conditions
    fuel: _Fuel


class _Plain(Machine):
    """The machine, for as long as there is fuel; what is asserted says nothing of sizes, and elsewhere it holds."""

    def __init__(self, top: Frame, fuel: _Fuel) -> None:
        super().__init__(top)
        self.fuel = fuel

    def _step(self, activation: Activation, step: Step) -> None:
        self.fuel.burn()
        if isinstance(step, Assertion):
            return
        super()._step(activation, step)
        value = activation.frame.values.get(getattr(step, "name", ""))
        if isinstance(value, Tensor) and len(value.elements) > _ELEMENTS:
            raise _Spent


class _Explorer(_Plain):
    """The machine that enters every branch; `live` is whether a run could come here, `tested` whether under a test."""

    def __init__(self, top: Frame, log: _Log, live: bool = True, tested: bool = False) -> None:
        super().__init__(top, log.fuel)
        self.log = log
        self.live = live
        self.tested = tested

    def _step(self, activation: Activation, step: Step) -> None:
        match step:
            case Check():
                fate = self.log.found.checks.setdefault(step, Fate(tested=self.tested))
                self._meets(fate, holds(step.goal, Sizes(activation.frame)), self.live)
                super()._step(activation, step)
            case If():
                self._branched(step, activation.frame)
            case Closure():
                super()._step(activation, step)
                self._applied(step.function, activation.frame)
            case Invoke():
                self._called(step, activation.frame)
            case _:
                super()._step(activation, step)

    def _meets(self, fate: Fate, holds: bool, live: bool) -> None:
        if holds:
            fate.holds = True
        elif live and fate.fails is None:
            fate.fails = self.log.valuation

    def _within(self, frame: Frame, block: Block, live: bool, tested: bool) -> Held:
        return _Explorer(self.top, self.log, live, tested).evaluated(frame, block)

    def _branched(self, step: If, frame: Frame) -> None:
        """Both branches, the one that is not taken first: it runs even where the other one fails."""
        condition = held(frame, step.condition)
        assert isinstance(condition, Tensor)
        mute = len(self.log.conditions.possible(step.condition, frame)) > 1
        taken, other = (step.then, step.orelse) if condition.elements[0] else (step.orelse, step.then)
        tested = self.tested or self.log.conditions.is_test(step.condition)
        vague = not self.log.conditions.vague.isdisjoint({step.then.result, step.orelse.result})
        aside, beside = self._ended(step, frame, other, self.live and mute, tested)
        value, stopped = self._ended(step, frame, taken, self.live, tested)
        if value is not None and aside is not None and not tested:
            for place, (left, right) in enumerate(zip(_sizes(value), _sizes(aside), strict=True)):
                fate = self.log.found.joins.setdefault((step, place), Fate())
                self._meets(fate, left == right, mute and not vague and self.live and stopped is None is beside)
        if stopped is not None:
            raise stopped
        assert value is not None
        frame.values[step.name] = value

    def _ended(
        self, step: If, frame: Frame, block: Block, live: bool, tested: bool
    ) -> tuple[Held | None, Exception | None]:
        """The value of a branch, and what stops it; a value that is there before that is the branch's all the same."""
        try:
            return self._within(frame, block, live, tested), None
        except (Stop, _Spent) as stopped:
            with suppress(AssertionError):
                return held(frame, block.result), stopped
            self.log.found.partial.add(step)
            return None, stopped

    def _applied(self, function: Function, frame: Frame) -> None:
        """A literal's body, at every number that its parameters may have or hold here."""
        own, around = _names(function, frame)
        for numbers in product(_OWN, repeat=len(own)):
            inner = Frame(outer=frame)
            try:
                drawn = Drawn(Random("elements"), 1, around | dict(zip(own, numbers, strict=True)))
                values = drawn.arguments(function)
                inner.values.update(zip((param.name for param in function.params), values, strict=True))
                measure(function, inner)
                self._within(inner, function.body, self.live, self.tested)
            except (Stop, _Spent, Misfit, Undefined):
                continue

    def _called(self, step: Invoke, frame: Frame) -> None:
        """A call runs as it is: what the callee owes is its own affair, unless it is a literal of this function."""
        self.log.found.calls.setdefault(step, False)
        frame.values[step.name] = _Plain(self.top, self.fuel).evaluated(frame, Block((step,), step.name))
        self.log.found.calls[step] = True


def _names(function: Function, frame: Frame) -> tuple[list[str], dict[str, int]]:
    """The names of a literal's own numbers, and the numbers around it that its parameters speak of."""
    params = {param.name for param in function.params}
    around: dict[str, int] = {}
    for variable in variables_of(function):
        of = getattr(variable.witness, "value", variable.name).partition("#")[0]
        if variable not in function.type.binders and of not in params:
            around[variable.name] = Sizes(frame)[variable]
    return [name for name in dict.fromkeys(numbers_of(function)) if name not in around], around


def _sizes(value: Held) -> Iterator[int]:
    if isinstance(value, tuple):
        for part in value:
            yield from _sizes(part)
    elif isinstance(value, Tensor):
        yield from value.shape
