"""A size is known if it is a formula over the sizes of the inputs."""

from __future__ import annotations

import pytest

from gradual.compiler import compile_source
from gradual.interface.input.files import Text
from gradual.interface.input.program_text import decoded, read
from gradual.limits import Options
from gradual.report.known_sizes import known_sizes
from tests.material import GRAPHS, needs_graphs


def counted(text: Text) -> tuple[int, int]:
    """The sizes of a program's values, and how many of them are known."""
    found = compile_source(text.source, Options(rigid="error"))
    assert found.ok, str(found)
    sizes = known_sizes(found.source, found.core.functions, found.elaborations)
    return sizes.total, sizes.known


@pytest.mark.parametrize(
    ("params", "body", "sizes"),
    [
        ("%x: Tensor[(n, 3), float32]", "nn.relu(%x)", (2, 2)),
        ("%x: Tensor[(n, 3), float32]", "let %y = concatenate((%x, %x), axis=0); nn.relu(%y)", (4, 4)),
        ("%x: Tensor[(?, ?), float32]", "nn.relu(%x)", (2, 2)),
        ("%x: Tensor[(n,), float32], %i: int32", "let %y = arange(0, %i, 1, dtype=\"int32\"); nn.relu(%x)", (2, 1)),
        ("%x: Tensor[(n,), int64]", "let %y = argwhere(%x); %y", (4, 2)),
        ("%x: Tensor[*, float32]", "nn.relu(%x)", (1, 0)),
        ("%x: float32", "nn.relu(%x)", (0, 0)),
    ],
)  # fmt: skip
def test_sizes_of_values_are_counted_and_those_of_parameters_are_not(
    params: str, body: str, sizes: tuple[int, int]
) -> None:
    assert counted(decoded("p", f"def @main({params}) {{ {body} }}".encode())) == sizes


@needs_graphs
@pytest.mark.parametrize(("name", "sizes"), [("bert_ts", 1219), ("nn_lstm_bi_ts", 81)])
def test_all_sizes_of_a_model_are_counted_by_the_names_that_it_has_for_them(name: str, sizes: int) -> None:
    """`docs/performance.md` counts the values that ONNX Runtime records, which leaves out those it computes early."""
    text = read(str(GRAPHS / f"{name}.onnx"))
    found = compile_source(text.source)
    counts = known_sizes(found.source, found.core.functions, found.elaborations)
    assert (counts.total, counts.known) == (sizes, sizes)
