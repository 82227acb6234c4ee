"""Layouts, paddings and windows of convolutions and pools."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
extents = st.sampled_from((3, 1, 2, 4, 5))
small = st.sampled_from((1, 2, 3))


@st.composite
def several(draw: st.DrawFn, count: int, values: Any) -> list[int]:
    """One value, or one for each axis."""
    return draw(st.lists(values, min_size=count, max_size=count)) if draw(st.booleans()) else [draw(values)]


@st.composite
def padding(draw: st.DrawFn, count: int, most: int = 2) -> list[int]:
    """A padding in one of its forms."""
    length = draw(st.sampled_from((1, count, 2 * count)))
    return draw(st.lists(st.integers(0, most), min_size=length, max_size=length))


def both_sides(written: list[int], count: int) -> list[int]:
    """What is added before and after each axis together."""
    if len(written) == 2 * count:
        return [written[i] + written[count + i] for i in range(count)]
    return [2 * size for size in (written * count if len(written) == 1 else written)]


@st.composite
def layout(draw: st.DrawFn, count: int, first: str = "NC") -> str:
    """The usual layout, or another."""
    letters = first + SPATIAL[count]
    last = first[0] + SPATIAL[count] + first[1]
    return draw(st.sampled_from((letters, last, "".join(draw(st.permutations(letters))))))


def arranged(values: dict[str, int], layout: str) -> tuple[int, ...]:
    """The extents in the order of a layout."""
    return tuple(values[letter] for letter in layout)
