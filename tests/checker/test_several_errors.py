"""Several faults in one definition: each counterexample, run with every obligation as a check, ends at its own goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradual.compilation import Compilation
from gradual.compiler import check
from gradual.diagnostic import Diagnostic, Severity
from tests.properties.compiling import all_checks, compiled, outcome
from tests.properties.inputs import arguments

HEAD = "def @main(%x: Tensor[(n, m), float32], %y: Tensor[(k, m), float32], %z: Tensor[(n,), float32])"
SIZES = st.sampled_from(("n", "m", "k", "2", "3", "n + 1", "2 * k", "m - 1", "n // 2"))


@st.composite
def faults(draw: st.DrawFn) -> str:
    """An expression that some sizes do not fit."""
    matrix, size, other = draw(st.sampled_from(("%x", "%y"))), draw(SIZES), draw(SIZES)
    return draw(
        st.sampled_from(
            (
                f"{matrix} as Tensor[({size}, {other}), float32]",
                f"%z as Tensor[({size},), float32]",
                "add(%x, %y)",
                "add(%x, %z)",
                "concatenate((%x, %y), axis=1)",
                f"reshape({matrix}, newshape=[{size}, {other}])",
                "nn.dense(%x, %y, units=None)",
                f"strided_slice(%z, begin=[0], end=[{size}]) as Tensor[({other},), float32]",
                f"if (n >= 2) {{ let %i = %z as Tensor[({size},), float32]; 1 }} else {{ 2 }}",
            )
        )
    )


@given(st.lists(faults(), min_size=2, max_size=4))
@settings(max_examples=150, deadline=None)
def test_each_counterexample_ends_at_its_own_goal(expressions: list[str]) -> None:
    steps = "".join(f"  let %v{i} = {expression};\n" for i, expression in enumerate(expressions))
    text = f"{HEAD} {{\n{steps}  1\n}}\n"
    errors = [d for d in compiled(text).diagnostics if d.severity is Severity.ERROR]
    for error in errors:
        if error.code != "E0302":
            break  # behind what fails for all sizes nothing is reached
        assert ends_there(text, error), f"{error.message}\n{text}"


def ends_there(text: str, error: Diagnostic) -> bool:
    """Whether a run at the counterexample ends at the error, or at a goal before it that no sizes at all pass."""
    witness = error.data["counterexample"]
    assert isinstance(witness, dict)
    doubtful = all_checks(text)
    place = ended_at(doubtful, witness)
    return place in (None, error.span.start) or (place < error.span.start and not any(passed(doubtful, place)))


def ended_at(doubtful: Compilation, sizes: Mapping[str, int]) -> int | None:
    """Where a check failed at some sizes; None where there are no such arguments, or none did."""
    values = arguments(doubtful.core.functions["@main"], Random(1), {"n": 1, "m": 1, "k": 1, **sizes})
    label = None if values is None else outcome(doubtful.core, values).label
    return None if label is None else label[2]


def passed(doubtful: Compilation, place: int) -> Iterator[bool]:
    """For each of some sizes, whether a run comes beyond a place."""
    for sizes in product(range(1, 8), repeat=3):
        ended = ended_at(doubtful, dict(zip("nmk", sizes, strict=True)))
        yield ended is None or ended > place


@pytest.mark.parametrize("first", ["3", "n + 1"])
def test_a_second_fault_is_reported_whether_or_not_the_first_one_is_mended(first: str) -> None:
    body = "%z as Tensor[({},), float32]; let %b = %y as Tensor[(2, m), float32]; %b"
    found = compiled(f"{HEAD} {{ let %a = {body.format(first)} }}").diagnostics
    mended = compiled(f"{HEAD} {{ let %a = {body.format('n')} }}").diagnostics
    assert [d.data["goal"] for d in mended] == ["k == 2"]
    assert [d.data["goal"] for d in found][1:] == ["k == 2"]


AXES = "def @f(%x: Tensor[(b, h, t), float32], %y: Tensor[(n, m), float32]) { %x / %y }"
APART = "def @f(%x: Tensor[(t,), float32], %y: Tensor[(m,), float32], %z: Tensor[(k,), float32]) { (%x / %y, %y * %z) }"


@pytest.mark.parametrize(
    ("text", "code", "refuted"),
    [
        (AXES, "E0302", 2),
        (AXES.replace(") {", ", %z: Tensor[(?,), int8]) {"), "E0402", 0),
    ],
)
def test_the_axes_of_one_step_are_one_fault(text: str, code: str, refuted: int) -> None:
    compilation = check(text)
    (found,) = compilation.diagnostics
    assert (found.code, len(found.goals), compilation.refuted) == (code, 2, refuted)


def test_the_faults_of_different_steps_stay_apart() -> None:
    assert [one.goals for one in check(APART).diagnostics] == [("broadcasts(t, m)",), ("broadcasts(m, k)",)]
