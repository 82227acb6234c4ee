"""The comparison of types can fail."""

from __future__ import annotations

import pytest

from gradual.source import Source
from gradual.syntax.parse import parse
from tests.corpus.relay_types import Group, Tensor, at_least_as_precise, printed_types, tally, type_of


@pytest.mark.parametrize(
    ("ours", "theirs", "precise"),
    [
        ("Tensor[(3,), float32]", "Tensor[(3), float32]", True),
        ("Tensor[(3, n + 1), float32]", "Tensor[(3, ?), float32]", True),
        ("Tensor[(3, 4), float32]", "Tensor[(3, ?), float32]", True),
        ("Tensor[(3, ?), float32]", "Tensor[(3, 4), float32]", False),
        ("Tensor[(3, n), float32]", "Tensor[(3, 4), float32]", False),
        ("Tensor[(3, 5), float32]", "Tensor[(3, 4), float32]", False),
        ("Tensor[(3,), float32]", "Tensor[(3), int32]", False),
        ("Tensor[(3,), float32]", "Tensor[(3, ?), float32]", False),
        ("Tensor[*, float32]", "Tensor[(?), float32]", False),
        ("float32", "float32", True),
        ("(float32,)", "float32", False),
        ("(int32, Tensor[(max(n, 2), 3), bool])", "(int32, Tensor[(?, 3i64), bool])", True),
        ("fn (int32) -> Tensor[(4,), int32] where n > 0", "fn (int32) -> Tensor[(?), int32]", True),
        ("fn (int32) -> Tensor[(?,), int32]", "fn (int32) -> Tensor[(4), int32]", False),
    ],
)
def test_a_type_is_as_precise_as_another(ours: str, theirs: str, precise: bool) -> None:
    assert at_least_as_precise(type_of(ours), type_of(theirs)) is precise


def test_sizes_are_tallied() -> None:
    assert tally(type_of("(Tensor[(3, ?, n), int8], fn (Tensor[*, int8]) -> bool)")) == {"number": 1, "?": 2, "term": 1}


def test_the_types_beside_a_program_are_found() -> None:
    text = (
        "def @main(%x: Tensor[(2), int8] /* ty=Tensor[(2), int8] */) -> bool {\n"
        "  %0 = add(%x, 1i8 /* ty=int8 */) /* ty=Tensor[(2), int8] span=a:0:0 */;\n"
        "  let %y: (bool) /* ty=(bool) */ = (any(%0) /* ty=int8 */,) /* ty=int8 */;\n"
        "  %y.0 /* ty=bool */\n}\n"
    )
    module, problems = parse(Source("x", text))
    pair = Tensor(("2",), "int8")
    expected = [
        ("%x", pair),
        ("%0", pair),
        ("%y", Group("tuple", (Tensor((), "bool"),))),
        ("result", Tensor((), "bool")),
    ]
    assert problems == [] and [found for _, found in sorted(printed_types(text, module).items())] == expected
