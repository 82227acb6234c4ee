"""The allocation planner: symbolic sizes, live ranges, and slots shared where a proof allows it.   [plan]

Buffers are placed one after another in the order in which they are filled.  A buffer moves into a free slot that is
proved to be large enough; else a free slot grows, to the size of the buffer if that is proved to be larger for all
inputs, or to the maximum of the two; else a slot is added.  The size of a slot is known when the function is entered.
If all sizes are numbers, buffers are packed instead where that takes less memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import field

from gradual.core.terms import Apply, Function, Size, Step
from gradual.dims.term.dim import Dim, constant, maximum, sum_of
from gradual.passes.analysis.entry_bounds import EntryBounds
from gradual.passes.analysis.liveness import Enter, Event, Leave, Lives, Made, lives
from gradual.passes.plan.pack_offsets import packed
from gradual.record import record
from gradual.run.graph.plan import Buffer, Plan, Slot, bytes_of, in_blocks, tensors

TRIED = 16
"""How many free slots are compared with a buffer, the most recently freed first."""


def planned(function: Function) -> Plan:
    """Plan the memory of a function, without an SMT solver.  [plan.slot] [plan.pack]"""
    return packed(_Planner(function).plan())


@record(frozen=False, eq=False)
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


@record(frozen=False, eq=False)
class _Planner:
    """Plans one function.

    Attributes:
        known: what is known of sizes at the current step.
    """

    function: Function
    known: EntryBounds = field(init=False)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    rooms: list[_Room] = field(default_factory=list)
    free: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known = EntryBounds(self.function)

    def plan(self) -> Plan:
        """Compute live ranges, then choose a slot for each buffer in order."""
        found = lives(self.function)
        self._place_all(found)
        slots = tuple(self._laid_out())
        late = _most(buffer for buffer in self.buffers.values() if buffer.slot is None)
        return Plan(self.function.name, found.steps, self.buffers, slots, late, tuple(found.calls))

    # ---------------------------------------------------------------------------------------- placement, step by step
    def _place_all(self, found: Lives) -> None:
        ending: dict[int, list[str]] = defaultdict(list)
        for path, last in found.last.items():
            ending[last].append(path)
        for event in found.events:
            match event:
                case Enter():
                    self.known.enter()
                case Leave():
                    self.known.leave()
                case Event(at, step, makes):
                    self.known.learn(step)
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
        exact = self.known.facts.rewrite(bytes_of(made.type))
        bound = None if made.handed else self.known.bound(exact, self._candidates(exact, event.step))
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
        return any(self.known.at_most(need, part) for part in room.parts)

    def _tightest(self, numbers: list[int]) -> int:
        """The smallest of the slots, as far as proved; of equals the most recently freed."""
        best = numbers[0]
        for number in numbers[1:]:
            ours, theirs = self.rooms[number].parts, self.rooms[best].parts
            if len(ours) == len(theirs) == 1 and ours[0] is not theirs[0]:
                best = number if self.known.at_most(ours[0], theirs[0]) else best
        return best

    def _widest(self, numbers: list[int]) -> int:
        best = numbers[0]
        for number in numbers[1:]:
            ours, theirs = self.rooms[number].parts, self.rooms[best].parts
            if len(ours) == len(theirs) == 1 and ours[0] is not theirs[0]:
                best = number if self.known.sizes.at_most(theirs[0], ours[0], self.known.entry) else best
        return best

    def _grow(self, room: _Room, need: Dim) -> None:
        """Grow the slot to hold `need`.

        Only facts on entry are used, since the slot also holds buffers that are filled before later checks.
        """
        room.parts = [
            *(part for part in room.parts if not self.known.sizes.at_most(part, need, self.known.entry)),
            need,
        ]

    def _laid_out(self) -> Iterator[Slot]:
        """The slots, laid end to end."""
        offset = constant(0)
        for room in self.rooms:
            yield Slot(room.size, offset, tuple(room.holds))
            offset = offset + room.size

    # --------------------------------------------------------------------------------------------------------- bounds
    def _candidates(self, exact: Dim, step: Step) -> Iterator[Dim]:
        """Bounds to try: the size at the bounds of what it depends on, then the bytes of each operand tensor."""
        known = self.known
        yield exact.substitute(known.highs)
        for name in step.operands if isinstance(step, Apply) else ():
            for _, type in tensors(known.types[name], name):
                taken = known.facts.rewrite(bytes_of(type))
                yield taken
                if not known.known(taken):
                    yield taken.substitute(known.highs)


def _maker(step: Step) -> str:
    match step:
        case Apply():
            return step.operator.name
        case Size():
            return "size"
        case _:
            return getattr(step, "function", "")


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
