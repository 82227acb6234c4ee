"""Packing: give each buffer of constant size its own offset.   [plan.pack]

Buffers that are not live at the same time may then overlap partly.  Buffers are placed from the largest on, each in the
smallest sufficient gap between the buffers whose live ranges overlap its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gradual.dims.term.dim import constant
from gradual.run.graph.plan import Buffer, Plan, Slot

PAIRS = 1 << 20
"""The limit on pairs of buffers with overlapping live ranges; a plan with more keeps its slots."""

Place = tuple[int, int]
"""The location of a buffer in the arena: its offset and its bytes."""


def packed(plan: Plan) -> Plan:
    """Pack a plan, if all sizes are numbers and the arena becomes smaller.  [plan.pack]"""
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
    """Path -> the buffers whose live ranges overlap; None if there are too many pairs."""
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
    """The offset of the smallest sufficient gap, the lowest of equals; if there is none, the end of all buffers."""
    best: Place | None = None
    end = 0
    for offset, taken in around:
        gap = offset - end
        if gap >= size and (best is None or gap < best[1]):
            best = end, gap
        end = max(end, offset + taken)
    return best[0] if best is not None else end


def _laid_out(plan: Plan, places: Mapping[str, Place]) -> Plan:
    """The plan with one slot for each location, in the order of the offsets."""
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
