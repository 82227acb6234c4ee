"""Applications of equations."""

from __future__ import annotations

from itertools import chain

from hypothesis import strategies as st

from tests.generators.operators import NUMBERS, Application, Row, compatible, dtypes, tensors

LABELS = "ijkA"
_few = st.sampled_from((2, 1, 3, 0))


@st.composite
def _einsum(draw: st.DrawFn) -> Application:
    count = draw(st.integers(1, 3))
    dtype = draw(dtypes(NUMBERS))
    sizes = {label: draw(_few) for label in LABELS}
    terms = [draw(st.lists(st.sampled_from(LABELS), max_size=3 - (count > 2))) for _ in range(count)]
    outer = draw(compatible(count, 2)) if draw(st.booleans()) else None
    written, given = [], []
    for place, term in enumerate(terms):
        own = {label: 1 if draw(st.integers(0, 5)) == 0 else sizes[label] for label in term}
        cut = draw(st.integers(0, len(term)))
        lead = outer[place] if outer is not None else ()
        shape = (*(own[label] for label in term[:cut]), *lead, *(own[label] for label in term[cut:]))
        mark = "..." if lead or (outer is not None and draw(st.booleans())) else ""
        written.append("".join(term[:cut]) + mark + "".join(term[cut:]))
        given.append(draw(tensors(shape, dtype)))
    equation = draw(st.sampled_from((",", ", "))).join(written)
    if draw(st.booleans()):
        labels = draw(st.permutations(sorted(set(chain(*terms)))))
        kept = labels[: draw(st.integers(0, len(labels)))]
        cut = draw(st.integers(0, len(kept)))
        mark = "..." if "..." in equation else ""
        equation += "->" + "".join(kept[:cut]) + mark + "".join(kept[cut:])
    return Application((tuple(given),), {"equation": equation})


ROWS: dict[str, Row] = {"einsum": _einsum()}
