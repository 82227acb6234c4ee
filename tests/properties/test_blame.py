"""Who is blamed: a cast to a less precise type never blames the value, one to a more precise type never the context.

[T12]  Types are random functions of sizes 2 and 3, of first and second order; the less precise one has `?` for some.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

import gradual
from gradual.core.check import Polarity
from gradual.run.value import Blame
from gradual.tensors.tensor import Tensor


@dataclass(frozen=True)
class Arrow:
    """`fn (parameters) -> result`, each part a size or a function."""

    parameters: tuple[Part, ...]
    result: Part

    def __str__(self) -> str:
        return f"fn ({', '.join(map(written, self.parameters))}) -> {written(self.result)}"


Part = str | Arrow


def written(part: Part) -> str:
    """The part as a type."""
    return f"Tensor[({part},), float32]" if isinstance(part, str) else str(part)


PRECISE = st.sampled_from(("2", "3"))


@st.composite
def arrows(draw: st.DrawFn, order: int) -> Arrow:
    """A precise function type of an order."""
    inside: st.SearchStrategy[Part] = st.one_of(PRECISE, PRECISE, arrows(order - 1)) if order else PRECISE
    return Arrow(tuple(draw(st.lists(inside, min_size=1, max_size=2))), draw(PRECISE))


@st.composite
def blurred(draw: st.DrawFn, part: Part) -> Part:
    """A less precise part, covariant everywhere."""
    if isinstance(part, str):
        return draw(st.sampled_from((part, "?", "?")))
    return Arrow(tuple(draw(blurred(inner)) for inner in part.parameters), draw(blurred(part.result)))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Arrow, Arrow]:
    """A function type and one that is less precise."""
    precise = draw(arrows(1))
    less = draw(blurred(precise))
    assert isinstance(less, Arrow)
    return precise, less


def function(name: str, type: Arrow) -> str:
    """A function of a type; it applies what it is given to what it may be given, and answers with what came."""
    params = ", ".join(f"%p{i}: {written(part)}" for i, part in enumerate(type.parameters))
    lines, last = [], "%p0" if isinstance(type.parameters[0], str) else ""
    for i, part in enumerate(type.parameters):
        if isinstance(part, Arrow):
            passed = ", ".join(zeros(inner) for inner in part.parameters)
            lines.append(f"  let %r{i} = %p{i}({passed});")
            last = f"%r{i}"
    value = last if type.result == "?" else zeros(type.result)
    return f"def {name}({params}) -> {written(type.result)} {{\n" + "\n".join([*lines, f"  {value}", "}"]) + "\n"


def zeros(part: Part) -> str:
    assert isinstance(part, str)
    return f'zeros(shape=[{"2" if part == "?" else part}], dtype="float32")'


def program(held: Arrow, wanted: Arrow) -> tuple[str, int]:
    """A function of one type used at another, by a context that passes whatever the wanted type allows."""
    entry = ", ".join(f"%x{i}: {written('?')}" for i in range(len(wanted.parameters)))
    passed = ", ".join(context(i, part) for i, part in enumerate(wanted.parameters))
    head = function("@f", held) + f"def @main({entry}) {{\n  let %g: {wanted} = "
    return f"{head}@f;\n  %g({passed})\n}}\n", len(head)


def context(place: int, part: Part) -> str:
    """What the context passes: an argument from outside, or a function that answers with one."""
    if isinstance(part, str):
        return f"%x{place} as {written(part)}"
    params = ", ".join(f"%q{place}{i}: {written(inner)}" for i, inner in enumerate(part.parameters))
    return f"fn ({params}) -> {written(part.result)} {{ %x{place} as {written(part.result)} }}"


def polarities(text: str, place: int, count: int) -> Counter[Polarity]:
    """How often the cast at a place blames whom, for all small arguments."""
    found = gradual.check(text)
    seen: Counter[Polarity] = Counter()
    for sizes in product((1, 2, 3), repeat=count) if found.ok else ():
        try:
            found.run("@main", *(Tensor([0.0] * size) for size in sizes))
        except Blame as blame:
            assert blame.check is not None
            if blame.check.blame.span.start == place:
                seen[blame.check.blame.polarity] += 1
    return seen


SEEN: Counter[Polarity] = Counter()


@given(pairs())
@settings(max_examples=80, deadline=None, derandomize=True)
def test_a_cast_to_a_less_precise_type_never_blames_the_value(types: tuple[Arrow, Arrow]) -> None:
    precise, less = types
    text, place = program(precise, less)
    seen = polarities(text, place, len(less.parameters))
    SEEN.update(seen)
    assert seen[Polarity.POSITIVE] == 0, text


@given(pairs())
@settings(max_examples=80, deadline=None, derandomize=True)
def test_a_cast_to_a_more_precise_type_never_blames_the_context(types: tuple[Arrow, Arrow]) -> None:
    precise, less = types
    text, place = program(less, precise)
    seen = polarities(text, place, len(less.parameters))
    SEEN.update(seen)
    assert seen[Polarity.NEGATIVE] == 0, text


def test_both_sides_were_blamed() -> None:
    assert SEEN[Polarity.POSITIVE] > 20 and SEEN[Polarity.NEGATIVE] > 20, SEEN
