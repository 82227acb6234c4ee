"""Applications of Fourier transforms."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generators.operators import FLOATS, Application, Row, dtypes, shapes, tensors


@st.composite
def _dft(draw: st.DrawFn) -> Application:
    shape, dtype = draw(shapes(1)), draw(dtypes(FLOATS))
    parts = tuple(draw(tensors(shape, dtype)) for _ in range(2))
    return Application(parts, draw(st.sampled_from(({}, {"inverse": True}))))


@st.composite
def _stft(draw: st.DrawFn) -> Application:
    frame, dtype = draw(st.integers(1, 8)), draw(dtypes(FLOATS))
    width = draw(st.integers(1, frame))
    batch = draw(st.sampled_from(((), (0,), (1,), (2,))))
    attributes: dict[str, Any] = {"n_fft": frame}
    if width != frame or draw(st.booleans()):
        attributes["win_length"] = width
    if frame < 4 or draw(st.booleans()):
        attributes["hop_length"] = draw(st.integers(1, 3))
    for name in ("normalized", "onesided"):
        attributes[name] = draw(st.booleans())
    length = frame + draw(st.integers(0, 7))
    return Application((draw(tensors((*batch, length), dtype)), draw(tensors((width,), dtype))), attributes)


ROWS: dict[str, Row] = {"dft": _dft(), "stft": _stft()}
