"""Which node of a model stands at an offset of the program's text."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from gradual.origin import Frame, Origin, Origins
from gradual.source import NOWHERE, Source, Span

NODES = tuple(Origin(f"node {at}", f"y{at} = f(x{at})") for at in range(3))


@given(st.lists(st.tuples(st.integers(0, 3), st.none() | st.sampled_from(NODES)), max_size=8), st.integers(0, 30))
def test_an_origin_holds_from_its_start_to_the_next(steps: list[tuple[int, Origin | None]], offset: int) -> None:
    starts = list(accumulate(step for step, _ in steps))
    origins = [origin for _, origin in steps]
    before = [origin for start, origin in zip(starts, origins, strict=True) if start <= offset]
    assert Origins(starts, origins).at(offset) == (before[-1] if before else None)


def test_the_origins_are_given_in_order_without_gaps() -> None:
    one, other, _ = NODES
    assert list(Origins([0, 3, 5, 9], [one, None, other, one])) == [one, other, one]


def test_the_line_of_an_origin_is_the_innermost_frame() -> None:
    frames = Frame("a.py", 1), Frame("b.py", 2)
    assert Origin("n", "y", frames=frames).line == frames[1]
    assert Origin("n", "y").line is None


def test_a_source_knows_the_origin_of_a_span_by_its_start() -> None:
    source = Source("m", "abcdef", Origins([2, 4], [NODES[0], None]))
    assert source.origin(Span(2, 6)) is NODES[0] and source.origin(Span(3, 3)) is NODES[0]
    assert source.origin(Span(0, 3)) is None and source.origin(Span(4, 5)) is None
    assert source.origin(NOWHERE) is None
    assert Source("m", "abc").origin(Span(1, 2)) is None
