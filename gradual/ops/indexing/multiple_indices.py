"""Indexing by one index for each of the first axes, or of those after the batch; unravelling and inverting indices.

An index counts from 0, a negative one from the back; an index out of bounds is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.dims.term.dim import Dim, constant, maximum
from gradual.ops.declaration.element_ranges import among_first
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.lookups import Lookup
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, OpenRank, operator
from gradual.ops.declaration.shapes import ONE, agreement, broadcast, contents_of, fields, judged, same_dtype, tensor
from gradual.ops.declaration.symbolic_elements import tracked
from gradual.ops.indexing.index_modes import integers, within
from gradual.ops.indexing.take import reducing
from gradual.tensors.fault import invalid_value, out_of_bounds
from gradual.tensors.index import broadcast_shape, numel, offsets, picked, spread, strides
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import Content, TensorType, TupleType

Offsets = list[int]


def _pointed(columns: Sequence[Sequence[int]], shape: Sequence[int], first: int, count: int) -> Offsets:
    """The offsets of `count` positions, each of which has an index for each axis from `first` on."""
    found, steps = [0] * count, strides(shape)
    for axis, column in enumerate(columns, first):
        extent, step = shape[axis], steps[axis]
        found = [base + within(index, extent) * step for base, index in zip(found, column, strict=True)]
    return found


def _slices(starts: Offsets, width: int) -> Offsets:
    """The offsets of `width` elements from each start on."""
    return starts if width == 1 else [start + move for start in starts for move in range(width)]


def _place(contents: Contents, extent: int) -> int | None:
    """The position that a single index selects, counted from the front, if it is known and within bounds."""
    index = contents[0] if contents is not None and len(contents) == 1 else None
    value = index.value if isinstance(index, Dim) else None
    return value % extent if value is not None and -extent <= value < extent else None


# ------------------------------------------------------------------------------------------------------- adv_index
def _adv_index(inputs: tuple[Tensor, ...]) -> Tensor:
    data, *named = inputs
    shape = broadcast_shape(*(part.shape for part in named))
    columns = [spread(part.elements, part.shape, shape) for part in named]
    starts = _pointed(columns, data.shape, 0, numel(shape))
    rest = data.shape[len(named) :]
    return tensor_of((*shape, *rest), data.dtype, picked(data.elements, _slices(starts, numel(rest))))


def _adv_index_contents(inputs: TupleType[Dim]) -> Contents:
    """The elements of a vector at known indices."""
    data, *named = fields(inputs, 0)
    if not named or data.contents is None:
        return data.contents
    places = contents_of(named[0])
    if places is None:
        return None
    found = [_place((place,), len(data.contents)) for place in places]
    return (
        None if None in found else tracked((data.contents[place] for place in found if place is not None), data.dtype)
    )


def _adv_index_lookups(inputs: TupleType[Dim]) -> tuple[Lookup, ...]:
    """A lookup of each index tensor in its own axis; the number of indices is that of their broadcast shape."""
    data, *named = fields(inputs, 0)
    count, _ = broadcast([part.shape for part in named])
    return tuple(Lookup((0, at + 1), data.shape[at], (0, 0, at), count) for at in range(len(named)))


@operator(
    "adv_index",
    meaning=_adv_index,
    lookups=_adv_index_lookups,
    family="indexing",
    contents=_adv_index_contents,
    faults=Faults.OTHERWISE,
)
def adv_index(inputs: TupleType[Dim]) -> Judgement:
    """The elements or slices of the first tensor at the indices in the others, one tensor for each of its first axes.

    (t[d1, .., dk, ..b], int[..a1], .., int[..ak]) -> t[..broadcast(a1, .., ak), ..b]

        out[..i, ..b] = inputs.0[inputs.1[..i], .., inputs.k[..i], ..b]

    The indices broadcast together [op.broadcast.agree].  A negative one counts from the end; one out of bounds is a
    fault [op.index.bounds].
    """
    data, *named = fields(inputs, 0)
    if len(named) > data.rank:
        raise IllFormed("op.rank", f"{len(named)} indices are too many for a tensor of rank {data.rank}", 0)
    for part in named:
        if not part.dtype.is_integer:
            raise IllFormed("op.dtype", f"an index has to be a tensor of integers, not {part.dtype}", 0)
    shape, needs = broadcast([part.shape for part in named], [(0, place) for place in range(1, len(named) + 1)])
    return judged((*shape, *data.shape[len(named) :]), data.dtype, needs)


# --------------------------------------------------------------------------------------- gather_nd and scatter_nd
def _gather_nd(data: Tensor, indices: Tensor, *, batch_dims: int, index_rank: int | None) -> Tensor:
    depth, *outer = indices.shape
    count = numel(outer)
    steps = strides(data.shape)
    batches = offsets(outer, [*steps[:batch_dims], *[0] * (len(outer) - batch_dims)])
    columns = [indices.elements[row * count : (row + 1) * count] for row in range(depth)]
    starts = list(map(int.__add__, batches, _pointed(columns, data.shape, batch_dims, count)))
    rest = data.shape[batch_dims + depth :]
    return tensor_of((*outer, *rest), data.dtype, picked(data.elements, _slices(starts, numel(rest))))


def _gather_nd_contents(
    data: TensorType[Dim], indices: TensorType[Dim], *, batch_dims: int, index_rank: int | None
) -> Contents:
    """The element of a vector at one known index."""
    if data.contents is None or indices.rank != 1:
        return None
    place = _place(indices.contents, len(data.contents))
    return None if place is None else (data.contents[place],)


def _gather_nd_lookups(
    data: TensorType[Dim], indices: TensorType[Dim], *, batch_dims: int, index_rank: int | None
) -> tuple[Lookup, ...]:
    """A lookup for each row of the indices, in the row's own axis."""
    return _by_row(data, indices, batch_dims, _depth(indices, index_rank))


def _by_row(data: TensorType[Dim], indices: TensorType[Dim], first: int, depth: int) -> tuple[Lookup, ...]:
    count = indices.shape[1:]
    return tuple(
        Lookup((1,), data.shape[first + row], (0, first + row), count, row if not count else None, depth == 1)
        for row in range(depth)
    )


@operator(
    "gather_nd",
    meaning=_gather_nd,
    lookups=_gather_nd_lookups,
    ranges=among_first,
    family="indexing",
    contents=_gather_nd_contents,
    faults=Faults.OTHERWISE,
    onnx="GatherND",
)
def gather_nd(
    data: TensorType[Dim], indices: TensorType[Dim], *, batch_dims: int = 0, index_rank: int | None = None
) -> Judgement:
    """The elements or slices at the indices in the columns of a tensor.

    t[..a, d1, .., dm, ..b], int[m, ..a, ..c] -> t[..a, ..c, ..b]

        out[..a, ..c, ..b] = data[..a, indices[0, ..a, ..c], .., indices[m - 1, ..a, ..c], ..b]

    The `batch_dims` first axes of the data and those of the indices after the first have the same sizes
    [op.gather_nd.batch]; `index_rank` is m [op.gather_nd.depth] and is written where m is not known.  A negative index
    counts from the end; one out of bounds is a fault [op.index.bounds].
    """
    given, named = tensor(data, 0), integers(indices, 1)
    if named.rank == 0:
        raise IllFormed("op.rank", "argument 2 has to have rank 1 or more, not 0", 1)
    if not 0 <= batch_dims <= min(given.rank, named.rank - 1):
        raise IllFormed("op.axis", f"there are no {batch_dims} batch axes in ranks {given.rank} and {named.rank - 1}")
    depth = _depth(named, index_rank)
    if batch_dims + depth > given.rank:
        says = f"{batch_dims} batch axes and indices of {depth} axes are too many for rank {given.rank}"
        raise IllFormed("op.rank", says, 1)
    says = "data and indices differ in a batch axis"
    needs = [
        agreement(given.shape[i], named.shape[i + 1], "op.gather_nd.batch", says, (0, i), (1, i + 1))
        for i in range(batch_dims)
    ]
    if index_rank is not None:
        says = "index_rank is not the number of indices"
        needs.append(agreement(named.shape[0], constant(depth), "op.gather_nd.depth", says, (1, 0)))
    shared = [_known(named.shape[i + 1], given.shape[i]) for i in range(batch_dims)]
    return judged((*shared, *named.shape[batch_dims + 1 :], *given.shape[batch_dims + depth :]), given.dtype, needs)


def _depth(indices: TensorType[Dim], index_rank: int | None) -> int:
    """For how many axes each column has indices; raises OpenRank if that is not known."""
    if index_rank is not None:
        if index_rank < 0:
            raise IllFormed("op.attribute", f"index_rank has to be at least 0, not {index_rank}")
        return index_rank
    depth = indices.shape[0].value
    if depth is None:
        raise OpenRank(1, 0)
    return depth


def _known(left: Dim, right: Dim) -> Dim:
    """One of two sizes that agree: the known one if there is one."""
    return left if left.value is not None else right


_MODES = ("update", "add", "mul", "min", "max")


def _scatter_nd(data: Tensor, indices: Tensor, updates: Tensor, *, mode: str) -> Tensor:
    """Apply the updates one after another, rounding or wrapping each result to the element type."""
    depth, *outer = indices.shape
    count = numel(outer)
    columns = [indices.elements[row * count : (row + 1) * count] for row in range(depth)]
    starts = _pointed(columns, data.shape, 0, count)
    found, meet = data.elements[:], reducing(mode, data.dtype)
    for target, update in zip(_slices(starts, numel(data.shape[depth:])), updates.elements, strict=True):
        found[target] = kept(data.dtype, (meet(found[target], update),))[0]
    return tensor_of(data.shape, data.dtype, found)


def _scatter_nd_contents(
    data: TensorType[Dim], indices: TensorType[Dim], updates: TensorType[Dim], *, mode: str
) -> Contents:
    """The known elements of a vector with the element at a known index replaced."""
    if data.contents is None or updates.contents is None or mode != "update" or data.rank != 1 or indices.rank != 1:
        return None
    place = _place(indices.contents, len(data.contents))
    return None if place is None else (*data.contents[:place], *updates.contents, *data.contents[place + 1 :])


def _scatter_nd_lookups(
    data: TensorType[Dim], indices: TensorType[Dim], updates: TensorType[Dim], *, mode: str
) -> tuple[Lookup, ...]:
    """A lookup for each row of the indices, in the row's own axis."""
    return _by_row(data, indices, 0, indices.rank - 1 + data.rank - updates.rank)


@operator(
    "scatter_nd",
    meaning=_scatter_nd,
    lookups=_scatter_nd_lookups,
    family="indexing",
    contents=_scatter_nd_contents,
    alike=(0, 2),
    faults=Faults.OTHERWISE,
    onnx="ScatterND",
)
def scatter_nd(
    data: TensorType[Dim], indices: TensorType[Dim], updates: TensorType[Dim], *, mode: str = "update"
) -> Judgement:
    """The data with each update written at the indices in a column of a tensor.

    t[d1, .., dm, ..b], int[m, ..c], t[..c, ..b] -> t[d1, .., dm, ..b]

        out = data; then for each ..c, ..b in row-major order, with k_i = indices[i, ..c] and u = updates[..c, ..b]:
        out[k_0, .., ..b] = u, or e + u, e * u, min(e, u), max(e, u)  with e = out[k_0, .., ..b]

    as `mode` says: "update", or of numbers "add", "mul", "min", "max", which booleans do not have; each result is
    rounded or wrapped.  The ranks of the arguments give m, which is the size of the first axis of the indices
    [op.scatter_nd.depth]; the updates have the other axes of the indices, then those of the data after the first m
    [op.scatter_nd.agree].  A negative index counts from the end; one out of bounds is a fault [op.index.bounds].
    """
    given, named, new = tensor(data, 0), integers(indices, 1), tensor(updates, 2)
    dtype = same_dtype(given, given, new)
    if named.rank == 0:
        raise IllFormed("op.rank", "argument 2 has to have rank 1 or more, not 0", 1)
    if mode not in _MODES:
        raise IllFormed("op.attribute", f'mode has to be one of {", ".join(_MODES)}, not "{mode}"')
    if dtype is DType.BOOL and mode != "update":
        raise IllFormed("op.dtype", f'mode "{mode}" is not defined for booleans', 0)
    outer = named.rank - 1
    depth = outer + given.rank - new.rank
    if not 0 <= depth <= given.rank:
        says = f"updates of rank {new.rank} do not fit data of rank {given.rank} and {outer} axes of indices"
        raise IllFormed("op.rank", says, 2)
    needs = [_per_column(named, depth)]
    says = "the updates do not have the sizes that the indices and the data have"
    for i in range(outer):
        needs.append(agreement(named.shape[i + 1], new.shape[i], "op.scatter_nd.agree", says, (1, i + 1), (2, i)))
    for i in range(depth, given.rank):
        place = outer + i - depth
        needs.append(agreement(given.shape[i], new.shape[place], "op.scatter_nd.agree", says, (0, i), (2, place)))
    return judged(given.shape, dtype, needs)


def _per_column(indices: TensorType[Dim], depth: int) -> Need:
    says = "the number of indices in a column is not that of the axes which the updates leave"
    return agreement(indices.shape[0], constant(depth), "op.scatter_nd.depth", says, (1, 0))


# -------------------------------------------------------------------------- unravel_index and invert_permutation
def _unravel_index(data: Tensor, shape: Tensor) -> Tensor:
    extents = list(shape.elements)
    for extent in extents:
        if extent < 0:
            raise invalid_value(f"the size {extent} is negative")
    count = numel(extents)
    for index in data.elements:
        if not 0 <= index < count:
            raise out_of_bounds(index, count)
    found: list[int] = []
    for extent, step in zip(extents, strides(extents), strict=True):
        found += [index // step % extent for index in data.elements]
    return tensor_of((len(extents), *data.shape), data.dtype, kept(data.dtype, found))


def _unravel_index_contents(data: TensorType[Dim], shape: TensorType[Dim]) -> Contents:
    """The coordinates of a single position.  A size below 1 is taken as 1, since the run faults in any case."""
    extents = contents_of(shape)
    if data.rank or data.contents is None or extents is None:
        return None
    (index,) = data.contents
    found: list[Content] = []
    for extent in reversed(extents[1:]):
        assert isinstance(index, Dim) and isinstance(extent, Dim), "coordinates of booleans"
        size = maximum(extent, ONE)
        found.append(index - index // size * size)
        index = index // size
    return tracked(reversed([*found, index]) if extents else (), data.dtype)


@operator(
    "unravel_index",
    meaning=_unravel_index,
    family="indexing",
    contents=_unravel_index_contents,
    faults=Faults.OTHERWISE,
)
def unravel_index(data: TensorType[Dim], shape: TensorType[Dim]) -> Judgement:
    """The coordinates of positions that are counted in row-major order of a shape.   int[..a], int[k] -> int[k, ..a]

        out[j, ..a] = data[..a] // (shape[j + 1] * .. * shape[k - 1]) % shape[j]

    A position that is negative, or not below the product of the shape, is a fault, and so is a negative size.
    """
    given, extents = integers(data, 0), integers(tensor(shape, 1, rank=1), 1)
    if given.rank > 1:
        raise IllFormed("op.rank", f"argument 1 has to have rank 0 or 1, not {given.rank}", 0)
    return judged((extents.shape[0], *given.shape), given.dtype)


def _invert_permutation(data: Tensor) -> Tensor:
    found: list[int | None] = [None] * data.size
    for place, index in enumerate(data.elements):
        if not 0 <= index < data.size:
            raise out_of_bounds(index, data.size)
        if found[index] is not None:
            raise invalid_value(f"index {index} is repeated")
        found[index] = place
    return tensor_of(data.shape, data.dtype, kept(data.dtype, found))


def _invert_permutation_contents(data: TensorType[Dim]) -> Contents:
    """The inverse of a known permutation."""
    places = [part.value for part in data.contents or () if isinstance(part, Dim)]
    if data.contents is None or sorted(-1 if place is None else place for place in places) != list(range(len(places))):
        return None
    return tracked((constant(places.index(place)) for place in range(len(places))), data.dtype)


def _invert_permutation_lookups(data: TensorType[Dim]) -> tuple[Lookup, ...]:
    """A lookup of each number in the vector, of which it is an index."""
    return (Lookup((0,), data.shape[0], (0, 0), data.shape, negative=False),)


@operator(
    "invert_permutation",
    meaning=_invert_permutation,
    lookups=_invert_permutation_lookups,
    family="indexing",
    contents=_invert_permutation_contents,
    faults=Faults.OTHERWISE,
)
def invert_permutation(data: TensorType[Dim]) -> Judgement:
    """The inverse of a permutation: the index at which each number occurs.   int[n] -> int[n]

        out[data[i]] = i

    A number that is out of bounds is a fault [op.index.bounds], and so is one that occurs twice.
    """
    given = integers(tensor(data, 0, rank=1), 0)
    return judged(given.shape, given.dtype)
