"""The allocation planner: symbolic sizes, live ranges, and slots shared where a proof allows it.   [plan]

Buffers are placed one after another in the order in which they are filled.  A buffer moves into a free slot that is
proved to be large enough; else a free slot grows, to the size of the buffer if that is proved to be larger for all
inputs, or to the maximum of the two; else a slot is added.  The size of a slot is known when the function is entered.
If all sizes are numbers, buffers are packed instead where that takes less memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gradual.core.check import Check
from gradual.core.datatypes import declarations
from gradual.core.def_use import bindings
from gradual.core.terms import Apply, Assertion, Function, Rename, Size, Step
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, at_least, equal
from gradual.dims.term.dim import ContentOf, Dim, NumelOf, RankOf, SizeOf, Variable, Witness, constant, maximum, sum_of
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import IllFormed, OpenRank
from gradual.passes.analysis.compare_sizes import Comparing
from gradual.passes.analysis.liveness import Enter, Event, Leave, Lives, Made, lives
from gradual.passes.plan.pack_offsets import packed
from gradual.run.graph.plan import Buffer, Plan, Slot, bytes_of, in_blocks, tensors
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.type import Hole, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import base_of, paired_sizes, shapes_unknown, sizes, tracked_length, with_contents
from gradual.verdict import Proved, Unknown

TRIED = 16
"""How many free slots are compared with a buffer, the most recently freed first."""


def planned(function: Function) -> Plan:
    """Plan the memory of a function, without an SMT solver.  [plan.slot] [plan.pack]"""
    return packed(_Planner(function).plan())


@dataclass(slots=True, eq=False)
class _Room:
    """A slot under construction.

    Attributes:
        parts: sizes in bytes whose maximum is the size of the slot; none is proved to be at most another.
        holds: the paths of its buffers.
    """

    parts: list[Dim]
    holds: list[str]

    @property
    def size(self) -> Dim:
        """The size in bytes, aligned."""
        return maximum(*map(in_blocks, self.parts))


@dataclass(slots=True, eq=False)
class _Planner:
    """Plans one function.

    Attributes:
        entry: facts that hold on entry.
        facts: facts that hold at the current step.
        highs: size that depends on data -> its upper bound.
        read: the sizes and elements that can be read from the arguments of every call.
        sizes: compares sizes.
        point: a number that is incremented whenever the facts change, the key for memoized comparisons.
    """

    function: Function
    entry: Facts = field(default_factory=Facts)
    facts: Facts = field(default_factory=Facts)
    types: dict[str, OpenedType] = field(default_factory=dict)
    highs: dict[Variable, Dim] = field(default_factory=dict)
    read: set[Witness] = field(default_factory=set)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    rooms: list[_Room] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    sizes: Comparing = field(default_factory=Comparing)
    point: int = 1

    def plan(self) -> Plan:
        """Compute live ranges, then choose a slot for each buffer in order."""
        self._declare()
        found = lives(self.function)
        self._place_all(found)
        slots = tuple(self._laid_out())
        late = _most(buffer for buffer in self.buffers.values() if buffer.slot is None)
        return Plan(self.function.name, found.steps, self.buffers, slots, late, tuple(found.calls))

    def _declare(self) -> None:
        self.read.update(self._readable())
        for param in self.function.params:
            self.types[param.name] = param.type
            for size in sizes(param.type):
                self._hold(at_least(size, constant(0)))
        goals = [*declarations(self.function)]
        for goal in goals:
            self._hold(goal)
        self.sizes = Comparing(goals)

    def _readable(self) -> Iterator[Witness]:
        """What can be read from every argument: sizes if the rank is known, elements if their number is."""
        for param in self.function.params:
            for path, type in tensors(param.type, param.name):
                if isinstance(type, UnrankedType):
                    yield from (RankOf(path), NumelOf(path))
                    continue
                yield from (SizeOf(path, axis) for axis in range(type.rank))
                length = tracked_length(type, LIMITS.contents, read=True) or 0
                yield from (ContentOf(path, (index,) if type.rank else ()) for index in range(length))

    def _hold(self, goal: Constraint) -> None:
        self.entry.assume(goal)
        self.facts.assume(goal)

    # ---------------------------------------------------------------------------------------- placement, step by step
    def _place_all(self, found: Lives) -> None:
        ending: dict[int, list[str]] = defaultdict(list)
        for path, last in found.last.items():
            ending[last].append(path)
        marks = []
        for event in found.events:
            match event:
                case Enter():
                    marks.append((self.facts.mark(), len(self.sizes.goals)))
                case Leave():
                    mark, known = marks.pop()
                    self.facts.rollback(mark)
                    del self.sizes.goals[known:]
                    self.point += 1
                case Event(at, step, makes):
                    self._learn(step)
                    for made in makes:
                        self._place(made, event, found.last[made.path])
                    self._release(ending.get(at, ()))

    def _release(self, paths: Iterable[str]) -> None:
        """Free the slots of buffers that no later step reads."""
        for path in paths:
            slot = self.buffers[path].slot
            if slot is not None:
                self.free.append(slot)

    def _place(self, made: Made, event: Event, last: int) -> None:
        """Add a buffer with its size, its bound and its slot.  [plan.bound] [plan.late]"""
        exact = self.facts.rewrite(bytes_of(made.type))
        bound = None if made.handed else self._bound(exact, event.step)
        slot = self._slot(bound, made.path) if bound is not None else None
        whole = in_blocks(bound) if bound is not None else None
        at, maker, span = event.at, _maker(event.step), event.step.span
        size = in_blocks(exact)
        self.buffers[made.path] = Buffer(made.path, maker, made.type, span, size, whole, at, last, slot, made.handed)

    # --------------------------------------------------------------------------------------------------------- slots
    def _slot(self, need: Dim, path: str) -> int:
        """Choose a free slot that is large enough, else grow a free slot, else add one."""
        tried = self.free[: -TRIED - 1 : -1]
        fitting = [number for number in tried if self._fits(need, self.rooms[number])]
        if fitting:
            chosen = self._tightest(fitting)
        elif tried:
            chosen = self._widest(tried)
            self._grow(self.rooms[chosen], need)
        else:
            self.rooms.append(_Room([need], []))
            self.free.append(chosen := len(self.rooms) - 1)
        self.free.remove(chosen)
        self.rooms[chosen].holds.append(path)
        return chosen

    def _fits(self, need: Dim, room: _Room) -> bool:
        return any(self._at_most(need, part) for part in room.parts)

    def _tightest(self, numbers: list[int]) -> int:
        """The smallest of the slots, as far as proved; of equals the most recently freed."""
        best = numbers[0]
        for number in numbers[1:]:
            ours, theirs = self.rooms[number].parts, self.rooms[best].parts
            if len(ours) == len(theirs) == 1 and ours[0] is not theirs[0]:
                best = number if self._at_most(ours[0], theirs[0]) else best
        return best

    def _widest(self, numbers: list[int]) -> int:
        best = numbers[0]
        for number in numbers[1:]:
            ours, theirs = self.rooms[number].parts, self.rooms[best].parts
            if len(ours) == len(theirs) == 1 and ours[0] is not theirs[0]:
                best = number if self.sizes.at_most(theirs[0], ours[0], self.entry) else best
        return best

    def _grow(self, room: _Room, need: Dim) -> None:
        """Grow the slot to hold `need`; use only facts on entry, as earlier buffers precede later checks."""
        room.parts = [*(part for part in room.parts if not self.sizes.at_most(part, need, self.entry)), need]

    def _at_most(self, low: Dim, high: Dim) -> bool:
        """Whether `low <= high` is proved here."""
        return self.sizes.at_most(low, high, self.facts, self.point)

    def _laid_out(self) -> Iterator[Slot]:
        """The slots, laid end to end."""
        offset = constant(0)
        for room in self.rooms:
            yield Slot(room.size, offset, tuple(room.holds))
            offset = offset + room.size

    # --------------------------------------------------------------------------------------------------------- bounds
    def _bound(self, exact: Dim, step: Step) -> Dim | None:
        """An upper bound of the size, over what is known on entry; None if there is none.  [plan.bound]"""
        if self._known(exact):
            return self._natural(exact)
        for candidate in (exact.substitute(self.highs), *self._operand_sizes(step)):
            if self._known(candidate) and self.sizes.proved(exact, candidate, self.facts):
                return self._natural(candidate)
        return None

    def _natural(self, dim: Dim) -> Dim:
        """Clamp the formula at 0 unless facts on entry prove it natural; facts from checks hold only after them."""
        return dim if self.sizes.at_most(constant(0), dim, self.entry) else maximum(dim, constant(0))

    def _operand_sizes(self, step: Step) -> Iterator[Dim]:
        """The bytes of each operand tensor, and an upper bound if they are not known on entry."""
        for name in step.operands if isinstance(step, Apply) else ():
            for _, type in tensors(self.types[name], name):
                exact = self.facts.rewrite(bytes_of(type))
                yield exact
                if not self._known(exact):
                    yield exact.substitute(self.highs)

    def _known(self, dim: Dim) -> bool:
        """Whether a formula can be evaluated on entry, for all arguments."""
        read = all(variable.witness is None or variable.witness in self.read for variable in dim.variables())
        return read and self.sizes.decider.has_value(self.entry, dim)

    # ---------------------------------------------------------------------------------------------------------- facts
    def _learn(self, step: Step) -> None:
        """Assume the facts that hold after this step.  [plan.slot]"""
        match step:
            case Check(_, goal):
                return self._checked(goal)
            case Assertion():
                return None
            case Apply():
                self._judged(step)
            case Rename(name, operand, type) if operand in self.types:
                self._renamed(name, self.types[operand], type)
        self.types.update(bindings(step))
        for size in sizes(step.type):
            if size.value is None:
                self.facts.assume(at_least(size, constant(0)))
        return None

    def _checked(self, goal: Constraint) -> None:
        self.point += 1
        self.sizes.goals.append(goal)
        match self.sizes.decider.decide(self.facts, goal):
            case Proved() | Unknown(plausible=True):
                self.facts.assume(goal)
            case _:
                self.facts.suppose(goal)

    def _renamed(self, name: str, found: OpenedType, type: OpenedType) -> None:
        for size, own in paired_sizes(found, type):
            variable = bare(own)
            if variable is not None and variable.is_existential and base_of(variable) == name:
                self.facts.assume(equal(own, size))

    def _judged(self, step: Apply) -> None:
        """Assume the bounds that the operator's typing rule states for sizes that depend on data."""
        if step.accepts is not None or all(size.value is not None for size in sizes(step.type)):
            return
        types = [self._opened(name, index in step.operator.reads) for index, name in enumerate(step.operands)]
        if any([*shapes_unknown(type)] for type in types):
            return
        try:
            judged = step.operator.judge(*types, **step.attributes).result
        except (IllFormed, OpenRank):  # in dead code, or if only a fact of the path gives a rank: no bound
            return
        for hole, size in _holes(judged, step.type):
            variable = bare(size)
            for bound in hole.bounds(size):
                self.facts.assume(bound)
            if variable is not None and variable.is_existential and hole.high is not None:
                self.highs[variable] = self.facts.rewrite(hole.high).substitute(self.highs)

    def _opened(self, name: str, read: bool) -> OpenedType:
        """The type of an operand, its elements as unknowns if the rule may read them."""
        type = self.types[name]
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return type
        return with_contents(type, name) if tracked_length(type, LIMITS.contents, read) is not None else type


def _maker(step: Step) -> str:
    match step:
        case Apply():
            return step.operator.name
        case Size():
            return "size"
        case _:
            return getattr(step, "function", "")


def _holes(judged: Any, recorded: OpenedType) -> Iterator[tuple[Hole, Dim]]:
    """The holes of a judged type, each with the size recorded for it."""
    match judged, recorded:
        case TensorType(), TensorType():
            yield from (
                (hole, size) for hole, size in zip(judged.shape, recorded.shape, strict=True) if isinstance(hole, Hole)
            )
        case TupleType(fields), TupleType(others):
            for field_, other in zip(fields, others, strict=True):
                yield from _holes(field_, other)


def _most(buffers: Iterable[Buffer]) -> Dim:
    """The most bytes that buffers take at once: the maximum of the live bytes before each point that frees some."""
    live: dict[str, Buffer] = {}
    sums: dict[Dim, None] = {}
    for buffer in buffers:
        ended = [path for path, other in live.items() if other.last < buffer.first]
        if ended:
            sums[sum_of(other.size for other in live.values())] = None
        for path in ended:
            del live[path]
        live[buffer.path] = buffer
    sums[sum_of(other.size for other in live.values())] = None
    return maximum(*sums)
