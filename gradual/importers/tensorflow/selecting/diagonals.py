"""Diagonals of matrices: taken, laid out, and replaced."""

from __future__ import annotations

from functools import reduce

from gradual.importers.common.composed.arithmetic import Term, extent, greater, lesser, numbered
from gradual.importers.common.composed.windows import Width
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.record import record

ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
"""How shorter diagonals are aligned in their rows: those above the main diagonal, then the others."""


@record
class Band:
    """Consecutive diagonals of a matrix.

    Attributes:
        low: the number of the lowest diagonal; a positive number is right of the main diagonal.
        is_vector: whether there is only one diagonal, which is stored without an axis that counts diagonals.
    """

    low: int
    high: int
    is_vector: bool
    right_above: bool
    right_below: bool


def _band(use: Use, index: int) -> Band:
    """The band that an input gives, with the alignment of shorter diagonals."""
    given = use[index].numbers("the number of a diagonal")
    if len(given) not in (1, 2) or given[0] > given[-1]:
        raise Unsupported(f"the diagonals {given}")
    usual = "LEFT_LEFT" if use.node.operator.endswith("V2") else "RIGHT_LEFT"
    above, below = str(use.only("align", usual, *ALIGNMENTS)).split("_")
    return Band(given[0], given[-1], given[0] == given[-1], above == "RIGHT", below == "RIGHT")


# --------------------------------------------------------------------------------------------------------- replacing
@imports("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3", "BatchMatrixSetDiag")
def set_diagonals(use: Use) -> Value:
    """The matrices with diagonals replaced."""
    band = _band(use, 2) if len(use.inputs) > 2 else Band(0, 0, True, False, False)
    return _replaced(use, use[0], use[1], band)


def _replaced(use: Use, x: Value, diagonals: Value, band: Band) -> Value:
    settings = {"k1": band.low, "k2": band.high}
    if not band.is_vector:
        settings |= {"super_diag_right_align": band.right_above, "sub_diag_right_align": band.right_below}
    return use.call("matrix_set_diag", x, diagonals, **settings)


# -------------------------------------------------------------------------------------------------------- laying out
@imports("MatrixDiag", "BatchMatrixDiag")
def matrices(use: Use) -> Value:
    """Square matrices with a diagonal, and zeros elsewhere."""
    return _laid(use, use[0], Band(0, 0, True, False, False), (-1, -1), use.like(0, use[0]))


@imports("MatrixDiagV2", "MatrixDiagV3")
def padded_matrices(use: Use) -> Value:
    """Matrices with some diagonals, and a number elsewhere."""
    rows, columns = (use.integer(index, "a number of rows or columns") for index in (2, 3))
    return _laid(use, use[0], _band(use, 1), (rows, columns), use[4])


def _laid(use: Use, diagonals: Value, band: Band, sizes: tuple[int, int], filling: Value) -> Value:
    outer = diagonals.rank - (1 if band.is_vector else 2)
    length = extent(use, diagonals, diagonals.rank - 1)
    more = [max(-band.high, 0), max(band.low, 0)]
    more = [max(more)] * 2 if sizes == (-1, -1) else more  # square if no size is given
    least = [use.written_size((length + one).value) for one in more]
    rows, columns = (size if size != -1 else one for size, one in zip(sizes, least, strict=True))
    shape = [use.written_size(use.extent(diagonals, axis)) for axis in range(outer)]
    return _replaced(use, use.call("full", filling, shape=[*shape, rows, columns]), diagonals, band)


@imports("Diag")
def diagonal_tensor(use: Use) -> Value:
    """A tensor of twice the rank with the elements where both halves of the indices are equal, and zeros elsewhere."""
    x = use[0]
    flat = reduce(
        lambda one, _: use.call("reshape", one, newshape=[-3, -2] if one.rank > 2 else [-3]), range(x.rank - 1), x
    )
    square = _laid(use, flat, Band(0, 0, True, False, False), (-1, -1), use.like(0, x))
    sizes = [use.written_size(use.extent(x, axis)) for axis in range(x.rank)]
    return square if x.rank == 1 else use.call("reshape", square, newshape=[*sizes, *sizes], allowzero=True)


# ------------------------------------------------------------------------------------------------------------ taking
@imports("MatrixDiagPart", "BatchMatrixDiagPart")
def diagonals_of(use: Use) -> Value:
    """The main diagonal of each matrix."""
    return _line(use, use[0], 0)


@imports("MatrixDiagPartV2", "MatrixDiagPartV3")
def band_of(use: Use) -> Value:
    """Some diagonals of each matrix, as rows from the highest down; shorter ones are filled up with a number."""
    x, band = use[0], _band(use, 1)
    if band.is_vector:
        return _line(use, x, band.low)
    longest = _length(use, x, max(band.low, 0), min(band.high, 0))
    rows = []
    for number in range(band.high, band.low - 1, -1):
        line, right = _line(use, x, number), band.right_above if number > 0 else band.right_below
        more = use.written_size((longest - _length(use, x, number, number)).value)
        last: list[Width] = [more, 0] if right else [0, more]
        widths = [*[[0, 0]] * (line.rank - 1), last]
        rows.append(line if more == 0 else use.call("nn.pad", line, use[2], pad_width=widths))
    return use.call("stack", use.builder.tuple(rows), axis=rows[0].rank - 1)


def _length(use: Use, x: Value, right: int, down: int) -> Term:
    """The length of a diagonal that begins `right` columns to the right, or -`down` rows down if `down` is negative."""
    rows, columns = (extent(use, x, axis) for axis in (x.rank - 2, x.rank - 1))
    return greater(lesser(rows + min(down, 0), columns - max(right, 0)), 0)


def _line(use: Use, x: Value, number: int) -> Value:
    """A diagonal of each matrix."""
    order = [x.rank - 2, x.rank - 1, *range(x.rank - 2)]
    front = x if x.rank == 2 else use.call("transpose", x, axes=order)
    steps = numbered(use, use.written_size(_length(use, x, number, number).value))
    pair = [(steps + max(-number, 0)).value, (steps + max(number, 0)).value]
    found = use.call("gather_nd", front, use.call("stack", use.builder.tuple(pair), axis=0))
    return found if x.rank == 2 else use.call("transpose", found, axes=[*range(1, x.rank - 1), 0])


@imports("DiagPart")
def diagonal_part(use: Use) -> Value:
    """The elements where both halves of the indices are equal."""
    x = use[0]
    half = x.rank // 2
    letters = "".join(chr(ord("a") + at) for at in range(half))
    return use.call("einsum", use.builder.tuple([x]), equation=f"{letters}{letters}->{letters}")
