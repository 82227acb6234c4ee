"""Lists, options and references."""

from __future__ import annotations

from typing import Any

from gradual.types.type import DataType, TensorType
from tests.generators.constructs.view import Construct, Made, View
from tests.generators.program_terms import Cast, Item, Let, Text


def _list(view: View) -> Made:
    """A list of tensors of one rank, sometimes under an annotation."""
    first = view.pick(view.floats(1))
    if first is None:
        return None
    rank = view.types[first].rank
    near = [name for name in view.floats(1) if view.types[name].rank == rank]
    elements = [first, *(view.pick(near) for _ in range(view.random.choice((0, 0, 1, 1, 2))))]
    text = "Nil"
    for element in elements:
        text = f"Cons({element}, {text})"
    return _annotated(view, text, "List", view.types[first])


def _longer(view: View) -> Made:
    held = view.pick(view.structures("List"))
    name = _element(view, held)
    return Text(f"Cons({name}, {held})") if name else None


def _element(view: View, held: str | None) -> str | None:
    """A tensor of the rank that the elements of a structure have."""
    inside = view.types[held].arguments[0] if held else None
    return view.pick(view.of(inside.dtype, inside.rank)) if isinstance(inside, TensorType) else None


def _option(view: View) -> Made:
    name = view.pick(view.floats(1))
    return _annotated(view, f"Some({name})", "Option", view.types[name]) if name else None


def _annotated(view: View, text: str, name: str, element: Any) -> Made:
    if view.grower.strict or view.chance(0.5):
        return Text(text)
    return [Let(view.grower.fresh(), view.annotation(DataType(name, (element,)), guessed=0.2), Text(text))]


def _recast(view: View) -> Made:
    """A structure or a reference at another type."""
    name = view.pick([*view.structures("List"), *view.structures("Option"), *view.references()])
    if name is None:
        return None
    annotation = view.annotation(view.types[name], guessed=0.3)
    return Cast(name, annotation) if view.chance(0.5) else [Let(view.grower.fresh(), annotation, Text(name))]


def _reference(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Text(f"ref({name})") if name else None


def _read(view: View) -> Made:
    name = view.pick(view.references())
    return Text(f"ref_read({name})") if name else None


def _write(view: View) -> Made:
    held = view.pick(view.references())
    if held is None:
        return None
    content = view.types[held].content
    name = view.pick(view.of(content.dtype, content.rank))
    written: list[Item] = [Let(view.grower.fresh(), None, Text(f"ref_write({held}, {name})"))]
    return written if name else None


CONSTRUCTS: list[Construct] = [
    (_list, 2, ()),
    (_longer, 1, ()),
    (_option, 1, ()),
    (_recast, 3, ()),
    (_reference, 1, ()),
]

USES: list[Construct] = [
    (_read, 2, ()),
    (_write, 2, ()),
    (_recast, 1, ()),
]
"""What is made of references that are there."""
