"""Applications of losses."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from tests.generators.operators import FLOATS, Application, Row, dtypes, shapes, sizes, tensors
from tests.generators.ops.coordinates import COUNTING


@st.composite
def _entropy(draw: st.DrawFn) -> Application:
    shape, dtype = draw(shapes(2, 2)), draw(dtypes(FLOATS))
    chances = Tensor([abs(part) for part in draw(tensors(shape, dtype)).flat()], dtype, shape)
    return Application((chances, draw(tensors(shape, dtype))))


@st.composite
def _nll_loss(draw: st.DrawFn) -> Application:
    classes, dtype = draw(sizes), draw(dtypes(FLOATS))
    outer: tuple[int, ...] = draw(shapes(0, 3, 20))
    shape = (*outer[:1], classes, *outer[1:])
    given = draw(tensors(shape, dtype))
    ignored = draw(st.sampled_from((-100, 1)))
    count = 1
    for extent in outer:
        count *= extent
    among = st.one_of(st.just(ignored), st.integers(0, max(classes - 1, 0)) if classes else st.just(ignored))
    targets = draw(st.lists(among, min_size=count, max_size=count))
    reduction = draw(st.sampled_from(("mean", "sum", "none")))
    named = Tensor(targets, draw(dtypes(COUNTING)), outer)
    attributes = {"reduction": reduction, "ignore_index": ignored}
    return Application((given, named, draw(tensors((classes,), dtype))), attributes)


ROWS: dict[str, Row] = {
    "nn.cross_entropy": _entropy(),
    "nn.cross_entropy_with_logits": _entropy(),
    "nn.nll_loss": _nll_loss(),
}
