"""Drawn nodes of spectra, of columns of windows, and of matrices."""

from __future__ import annotations

import numpy as np

from tests.importers.drawn import Draw, Made, Setting, draws


@draws("DFT")
def fourier(draw: Draw) -> Made:
    rank = draw.whole(2, 4)
    given = (*(draw.size() for _ in range(rank - 1)), draw.one(1, 1, 2))
    axis = draw.whole(0, rank - 2)
    settings = draw.given(inverse=draw.whole(0, 1))
    if given[-1] == 1 and not settings.get("inverse"):
        settings |= draw.given(onesided=draw.whole(0, 1))
    length = Setting(draw.number(draw.whole(1, 6))) if draw.rarely(0.4) else None
    x = draw.array(given, draw.one("float32", "float32", "float64"), 0.0)
    if draw.opset < 20:
        return Made("DFT", [x, length], settings | {"axis": axis})
    return Made(
        "DFT", [x, length, Setting(np.array(axis if draw.rarely(0.5) else axis - rank, np.int64), 1.0)], settings
    )


@draws("STFT")
def frames(draw: Draw) -> Made:
    batch, length, size = draw.whole(0, 2), draw.whole(1, 9), draw.whole(1, 6)
    parts = draw.one(1, 1, 2)
    settings = {"onesided": 0} if parts == 2 else draw.given(onesided=draw.whole(0, 1))
    window = draw.array((size,), "float32", 0.0) if draw.rarely(0.6) else None
    frame = Setting(np.array(size, np.int64)) if window is None or draw.rarely(0.4) else None
    step = Setting(np.array(draw.whole(1, 3), np.int64))
    return Made("STFT", [draw.array((batch, length, parts), "float32", 0.0), step, window, frame], settings)


@draws("MelWeightMatrix")
def mel_weights(draw: Draw) -> Made:
    high = draw.one(4000.0, 3800.0, 2000.0)
    numbers = [Setting(np.array(one, np.int64)) for one in (draw.whole(1, 6), draw.one(8, 16, 33), 8000)]
    edges = [Setting(np.array(one, np.float32)) for one in (draw.one(0.0, 20.0, 300.0), high)]
    return Made("MelWeightMatrix", [*numbers, *edges])


@draws("Det")
def determinant(draw: Draw) -> Made:
    size = draw.whole(0, 4)
    return Made("Det", [draw.array((*draw.shape(0, 2), size, size), draw.one("float32", "float64"), 0.0)])


@draws("Col2Im")
def image_of_columns(draw: Draw) -> Made:
    count = draw.one(1, 2, 2, 3)
    kernel, sizes = [draw.whole(1, 3) for _ in range(count)], [draw.whole(3, 6) for _ in range(count)]
    strides, dilations = [draw.whole(1, 3) for _ in kernel], [draw.one(1, 1, 2) for _ in kernel]
    pads = [draw.whole(0, 2) for _ in range(2 * count)]
    spans = [
        (size + before + after - (span - 1) * by - 1) // step + 1
        for size, before, after, span, by, step in zip(
            sizes, pads[:count], pads[count:], kernel, dilations, strides, strict=True
        )
    ]
    columns = int(np.prod([max(span, 0) for span in spans]))
    x = draw.array((draw.size(), draw.whole(1, 2) * int(np.prod(kernel)), columns), "float32", 0.0)
    shapes = [Setting(np.array(one, np.int64)) for one in (sizes, kernel)]
    return Made("Col2Im", [x, *shapes], draw.given(strides=strides, dilations=dilations, pads=pads))


@draws("DeformConv")
def deformed(draw: Draw) -> Made:
    kernel = [draw.whole(1, 3), draw.whole(1, 3)]
    groups, moved, each = draw.one(1, 1, 2), draw.one(1, 1, 2), draw.whole(1, 2)
    channels, out = groups * moved * each, groups * draw.whole(1, 2)
    given = (draw.whole(1, 2), channels, draw.whole(3, 5), draw.whole(3, 5))
    strides, pads = [draw.whole(1, 2) for _ in kernel], [draw.whole(0, 1) for _ in range(4)]
    spans = [
        (size + before + after - span) // step + 1
        for size, before, after, span, step in zip(given[2:], pads[:2], pads[2:], kernel, strides, strict=True)
    ]
    cells = int(np.prod(kernel))
    offset = draw.array((given[0], moved * cells * 2, *spans), "float32", 0.0) / 4
    inputs = [draw.array(given, "float32", 0.0), draw.array((out, channels // groups, *kernel), "float32", 0.0), offset]
    inputs.append(draw.array((out,), "float32", 0.0) if draw.rarely(0.4) else None)
    inputs.append(draw.array((given[0], moved * cells, *spans), "float32", 0.0) if draw.rarely(0.4) else None)
    settings = {"strides": strides, "pads": pads, "group": groups, "offset_group": moved}
    settings |= draw.given(kernel_shape=kernel)
    return Made("DeformConv", inputs, settings)
