"""Branches whose sizes or ranks never agree, which checking would refuse.  [pass.surface.never]"""

from __future__ import annotations

from collections.abc import Sequence, Set

from gradual.core.surface_demands import Demands
from gradual.core.surface_types import NOWHERE
from gradual.core.terms import Block, Rename
from gradual.dims.constraint import equal
from gradual.dims.dim import Dim
from gradual.types.opening import base_of, size_of
from gradual.types.type import Hole, TensorType, UnrankedType


def agreeing(blocks: Sequence[Block], outside: Set[str], demands: Demands) -> list[Block]:
    """Branches whose sizes never agree forget them: the value is what the branch that is taken made it.

    Only sizes that are seen outside are compared.

    [pass.surface.never]
    """
    for block in blocks:
        for step in block.steps:
            demands.define(step)
    types = [demands.type_of(block.result) for block in blocks]
    tensors = [type for type in types if isinstance(type, TensorType)]
    if len(tensors) < len(types):
        return list(blocks)
    if len({type.rank for type in tensors}) != 1:
        return [_forgetting_rank(block, type) for block, type in zip(blocks, tensors, strict=True)]
    columns = list(zip(*(type.shape for type in tensors), strict=True))
    never = [_never_agree([size for size in column if _is_seen(size, outside)], demands) for column in columns]
    if not any(never):
        return list(blocks)
    return [_forgetting(block, type, never) for block, type in zip(blocks, tensors, strict=True)]


def _is_seen(size: Dim, outside: Set[str]) -> bool:
    return all(base is None or base in outside for base in map(base_of, size.variables()))


def _never_agree(sizes: Sequence[Dim], demands: Demands) -> bool:
    return any(size is not sizes[0] and demands.never(equal(size, sizes[0])) for size in sizes)


def _forgetting_rank(block: Block, type: TensorType[Dim]) -> Block:
    """The block with a value that forgets its rank."""
    name = f"{block.result}_forgets"
    step = Rename(name, block.result, UnrankedType(type.dtype, name), NOWHERE, UnrankedType(type.dtype))
    return Block((*block.steps, step), name)


def _forgetting(block: Block, type: TensorType[Dim], never: Sequence[bool]) -> Block:
    """The block with a value that forgets some of its sizes."""
    name = f"{block.result}_forgets"
    shape = tuple(Hole() if gone else size for size, gone in zip(type.shape, never, strict=True))
    sizes = tuple(
        size_of(name, axis) if gone else size for axis, (size, gone) in enumerate(zip(type.shape, never, strict=True))
    )
    opened = TensorType(sizes, type.dtype)
    step = Rename(name, block.result, opened, NOWHERE, TensorType(shape, type.dtype))
    return Block((*block.steps, step), name)
