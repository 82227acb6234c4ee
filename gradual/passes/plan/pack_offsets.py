"""Packing: buffers whose sizes are numbers, each at an offset of its own.   [plan.pack]

Slots are never split; offsets are.  The largest buffer is placed first, each at the smallest gap that holds it among
those whose lives overlap its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gradual.dims.term.dim import constant
from gradual.run.graph.plan import Buffer, Plan, Slot

PAIRS = 1 << 20
"""How many pairs of buffers with overlapping lives are looked at; a plan with more keeps its slots."""

Place = tuple[int, int]
"""Where in the arena a buffer lies: its offset, and the bytes that it takes."""


def packed(plan: Plan) -> Plan:
    """The plan with offsets for slots, where all sizes are numbers and less is held so.  [plan.pack]"""
    sizes = {
        path: buffer.bound.value
        for path, buffer in plan.buffers.items()
        if buffer.slot is not None and buffer.bound is not None
    }
    numbers = {path: size for path, size in sizes.items() if size is not None}
    beside = _beside([plan.buffers[path] for path in numbers]) if len(numbers) == len(sizes) else None
    if beside is None:
        return plan
    places: dict[str, Place] = {}
    for path in sorted(numbers, key=lambda path: -numbers[path]):
        around = sorted(places[other] for other in beside[path] if other in places)
        places[path] = _offset(numbers[path], around), numbers[path]
    found = _laid_out(plan, places)
    most = plan.arena.value
    return found if most is not None and (found.arena.value or 0) < most else plan


def _beside(buffers: Iterable[Buffer]) -> Mapping[str, Sequence[str]] | None:
    """The buffers that live while another does, by its path; None for too many."""
    beside: defaultdict[str, list[str]] = defaultdict(list)
    live: dict[str, int] = {}
    pairs = 0
    for buffer in buffers:  # in the order in which they are filled
        live = {path: last for path, last in live.items() if last >= buffer.first}
        pairs += len(live)
        if pairs > PAIRS:
            return None
        for path in live:
            beside[path].append(buffer.path)
        beside[buffer.path] += live
        live[buffer.path] = buffer.last
    return beside


def _offset(size: int, around: Sequence[Place]) -> int:
    """Where the smallest gap begins that holds so many bytes, the lowest of equals; behind everything else."""
    best: Place | None = None
    end = 0
    for offset, taken in around:
        gap = offset - end
        if gap >= size and (best is None or gap < best[1]):
            best = end, gap
        end = max(end, offset + taken)
    return best[0] if best is not None else end


def _laid_out(plan: Plan, places: Mapping[str, Place]) -> Plan:
    """The plan with a slot for each place, in the order of the offsets."""
    number = {place: slot for slot, place in enumerate(sorted(set(places.values())))}
    holds: list[list[str]] = [[] for _ in number]
    buffers = dict(plan.buffers)
    for path in (path for path in plan.buffers if path in places):
        slot = number[places[path]]
        holds[slot].append(path)
        buffers[path] = replace(buffers[path], slot=slot)
    slots = (
        Slot(constant(size), constant(offset), tuple(paths))
        for (offset, size), paths in zip(number, holds, strict=True)
    )
    return replace(plan, buffers=buffers, slots=tuple(slots))
