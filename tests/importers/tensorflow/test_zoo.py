"""Graphs that were not made for these tests, at the recorded inputs.

Six of them have variables whose values the files do not have, so that TensorFlow's outputs cannot be computed from
them: they are imported and checked, and three are run with variables of the right shapes, which give the recorded ones.
"""

from __future__ import annotations

import numpy
import pytest

import gradual
from gradual.run.value import Blame
from gradual.tensors.tensor import Tensor
from tests.importers.tensorflow.comparing import arrays, difference, differences, imported, ran
from tests.material import TF_GRAPHS, needs_tf_graphs

pytestmark = needs_tf_graphs

COMPLETE = (
    *("boolean_mask", "cond_gray_assert", "cond_gray_plain", "ensure_shape", "image_resize", "nms", "shape_arith"),
    *("slice_in_loop", "unique", "unknown_rank"),
)
OF_DATA = "boolean_mask", "nms", "slice_in_loop", "unique"
"""Graphs whose results have sizes that depend on elements."""
VARIABLES = {
    "while_rnn": [(5, 6), (6, 6)],
    "while_tensorarray": [(5, 6), (6, 6)],
    "unet_resize": [(3, 3, 3, 8), (8,), (3, 3, 8, 12), (12,), (1, 1, 20, 2), (2,)],
}
"""Graphs without the values of their variables -> shapes that these may have."""
WITHOUT_RANKS = {"keras_gru": 0, "keras_transformer": 9, "mobilenet_v3_small": 18}
"""Graphs without the values of their variables -> of how many the rank cannot be inferred."""


@pytest.mark.parametrize("name", COMPLETE)
def test_a_graph_runs_to_tensorflows_outputs(name: str) -> None:
    one = imported(TF_GRAPHS / f"{name}.graphdef")
    assert one.compilation.ok
    for run in (0, 1):
        given, wanted = (arrays(TF_GRAPHS / f"{name}.{run}.{kind}.npz") for kind in ("in", "out"))
        assert differences(one, given, wanted) == [], run


@pytest.mark.parametrize("name", [name for name in COMPLETE if name != "unknown_rank"])
def test_a_graph_at_given_sizes_is_static_but_for_what_depends_on_data(name: str) -> None:
    one = imported(TF_GRAPHS / f"{name}.graphdef")
    for run in (0, 1):
        given, wanted = (arrays(TF_GRAPHS / f"{name}.{run}.{kind}.npz") for kind in ("in", "out"))
        shapes = zip(one.model.inputs, given, strict=True)
        pins = " ".join(f"%{own}=({','.join(map(str, array.shape))},)" for own, array in shapes)
        static = gradual.apply(one.compilation, f"specialize {pins}", "dynamic-to-static", verify=False)
        assert static.text.count("dyn.") == (name == "nms")
        if name not in OF_DATA:
            found = static.run("@main", *map(Tensor, given), *one.imported.weights.values(), runtime="graph")
            assert difference(0, found, wanted[0]) == ""


@pytest.mark.parametrize("name", VARIABLES)
def test_a_graph_without_the_values_of_its_variables_gives_the_recorded_shapes(name: str) -> None:
    one = imported(TF_GRAPHS / f"{name}.graphdef")
    assert one.compilation.ok and "the file has no value" in one.imported.notes[0]
    variables = [numpy.zeros(shape, "float32") for shape in VARIABLES[name]]
    for run in (0, 1):
        given, wanted = (arrays(TF_GRAPHS / f"{name}.{run}.{kind}.npz") for kind in ("in", "out"))
        found = ran(one, [*given, *variables])
        assert [array.shape for array in found] == [array.shape for array in wanted]


@pytest.mark.parametrize(
    "name", ["keras_gru", "keras_transformer", pytest.param("mobilenet_v3_small", marks=pytest.mark.slow)]
)
def test_ranks_of_variables_are_inferred_from_their_uses(name: str) -> None:
    one = imported(TF_GRAPHS / f"{name}.graphdef")
    assert one.compilation.ok
    assert one.compilation.types["@main"].count("Tensor[*, float32]") == WITHOUT_RANKS[name]
    vectors = [note for note in one.imported.notes if "of a batch normalization" in note]
    assert len(vectors) == (name == "mobilenet_v3_small")


def test_the_program_of_the_discussion_is_proved_and_its_assertion_blames_the_caller() -> None:
    one = imported(TF_GRAPHS / "cond_gray_assert.graphdef", opens=True).compilation
    assert one.types["@main"] == (
        "fn (Tensor[(?, ?, ?, ?), float32]) -> Tensor[(?, ?, ?, 3), float32]"
        " where dim(%inputs, 3) == 3 or dim(%inputs, 3) == 1"
    )
    assert one.residual == 0
    with pytest.raises(Blame, match=r"dim\(%inputs, 3\) == 3 or dim\(%inputs, 3\) == 1") as blamed:
        one.run("@main", Tensor(numpy.zeros((1, 2, 2, 2), "float32")))
    assert blamed.value.blamed == "the caller from outside"
