"""Applications of operators that lay out."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.generators.operators import Application, Row, dtypes, shapes, sizes, tensors


@st.composite
def _layout_transform(draw: st.DrawFn) -> Application:
    letters = draw(st.lists(st.sampled_from("NCHWDO"), min_size=1, max_size=4, unique=True))
    factors = [{letter: draw(st.integers(1, 3)) for letter in letters if draw(st.booleans())} for _ in range(2)]
    extents = {letter: draw(st.integers(0, 2) if letter in factors[0] else sizes) for letter in letters}
    texts = []
    for parts in factors:
        inner = [f"{factor}{letter.lower()}" for letter, factor in parts.items()]
        texts.append("".join(draw(st.permutations([*letters, *inner]))))
    axes = [axis for axis in texts[0] if axis.isalpha()]
    shape = tuple(extents[axis] if axis.isupper() else factors[0][axis.upper()] for axis in axes)
    data = draw(tensors(shape, draw(dtypes())))
    return Application((data,), {"src_layout": texts[0], "dst_layout": texts[1]})


@st.composite
def _meshgrid(draw: st.DrawFn) -> Application:
    dtype = draw(dtypes())
    parts = tuple(draw(tensors(draw(shapes(0, 1)), dtype)) for _ in range(draw(st.integers(1, 3))))
    return Application((parts,), draw(st.sampled_from(({}, {"indexing": "ij"}, {"indexing": "xy"}))))


ROWS: dict[str, Row] = {"layout_transform": _layout_transform(), "meshgrid": _meshgrid()}
