"""Dims and constraints: substitution of variables, and pickling.

Walks go bottom up over shared nodes, each once, without recursion: a dim may be as deep as a program is long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradual.dims.term.atom import Compound, FloorDiv, Ite, Max, Min, Product, Variable, bottom_up, compound
from gradual.dims.term.constraint import (
    FALSE,
    TRUE,
    And,
    AtMost,
    Constraint,
    Equal,
    Not,
    Or,
    Truth,
    all_of,
    any_of,
    at_most,
    equal,
    negated,
)
from gradual.dims.term.dim import Dim, ite, maximum, minimum, of_atom, polynomial, product, sum_of

# ------------------------------------------------------------------------------------------------- substitution


def substituted_dim(dim: Dim, mapping: Mapping[Variable, Dim]) -> Dim:
    """The dim with variables replaced."""
    if not dim.children:
        return _sum_image(dim, {}, mapping)
    image = _substituted(dim, mapping)
    assert isinstance(image, Dim)
    return image


def substituted_constraint(constraint: Constraint, mapping: Mapping[Variable, Dim]) -> Constraint:
    """The constraint with variables replaced."""
    if mapping.keys().isdisjoint(constraint.names):
        return constraint
    match constraint:  # the common ones need no walk
        case Equal(left=left, right=right):
            return equal(left.substitute(mapping), right.substitute(mapping))
        case AtMost(left=left, right=right):
            return at_most(left.substitute(mapping), right.substitute(mapping))
    image: Constraint = _substituted(constraint, mapping)
    return image


def _substituted(root: Any, mapping: Mapping[Variable, Dim]) -> Any:
    images = _Images()
    for node in bottom_up(root, _Without(mapping)):
        images[node] = rebuilt(node, images, mapping)
    return images[root]


class _Images(dict[Any, Any]):
    """Node -> image; a node without an entry is its own image."""

    def __missing__(self, node: Any) -> Any:
        return of_atom(node) if isinstance(node, Compound) else node


class _Without:
    """The nodes that contain no variable of a mapping."""

    def __init__(self, mapping: Mapping[Variable, Dim]) -> None:
        self._variables = mapping.keys()

    def __contains__(self, node: Any) -> bool:
        return self._variables.isdisjoint(node.names)


def rebuilt(node: Any, images: Mapping[Any, Any], mapping: Mapping[Variable, Dim]) -> Any:
    """The node with its children replaced by their images, simplified again; an atom becomes a dim."""
    if isinstance(node, Dim):
        return _sum_image(node, images, mapping)
    parts = [images[child] for child in node.children]
    match node:
        case FloorDiv():
            return parts[0] // parts[1]
        case Max():
            return maximum(*parts)
        case Min():
            return minimum(*parts)
        case Ite():
            return ite(parts[0], parts[1], parts[2])
        case Product():
            return product(parts)
        case Equal():
            return equal(parts[0], parts[1])
        case AtMost():
            return at_most(parts[0], parts[1])
        case Not():
            return negated(parts[0])
        case And():
            return all_of(*parts)
        case Or():
            return any_of(*parts)
    return node


def _sum_image(dim: Dim, images: Mapping[Any, Any], mapping: Mapping[Variable, Dim]) -> Dim:
    summands: list[Dim] = []
    unchanged: dict[Any, int] = {}
    for monomial, coefficient in dim.terms:
        factors = [_atom_image(atom, images, mapping) for atom in monomial]
        if all(factor is None for factor in factors):
            unchanged[monomial] = coefficient
        else:
            pairs = zip(monomial, factors, strict=True)
            summands.append(product(factor or of_atom(atom) for atom, factor in pairs) * coefficient)
    if unchanged:
        summands.append(polynomial(unchanged))
    return summands[0] if len(summands) == 1 else sum_of(summands)


def _atom_image(atom: Any, images: Mapping[Any, Any], mapping: Mapping[Variable, Dim]) -> Dim | None:
    image: Dim | None = mapping.get(atom) if isinstance(atom, Variable) else images[atom]
    return image


# ------------------------------------------------------------------------------------------------- pickling

Flat = tuple[tuple[Any, ...], ...]
"""Nodes bottom up; children are positions in the list, so that depth costs no stack."""


def flattened(root: Dim | Constraint) -> Flat:
    """The nodes in `root` as a list with indices in place of references, the root last."""
    places: dict[Any, int] = {}
    made: list[tuple[Any, ...]] = []
    for node in bottom_up(root):
        places[node] = len(made)
        made.append(_flat(node, places))
    return tuple(made)


def pickled(root: Dim | Constraint) -> tuple[Any, ...]:
    """The pickle form of a dim or constraint: the function that restores it, and its arguments."""
    return restored, (flattened(root),)


def _flat(node: Any, places: dict[Any, int]) -> tuple[Any, ...]:
    if isinstance(node, Dim):
        terms = [
            (tuple(a if isinstance(a, Variable) else places[a] for a in monomial), c) for monomial, c in node.terms
        ]
        return ("Dim", *terms)
    if isinstance(node, Truth):
        return ("Truth", node.holds)
    return (type(node).__name__, *(places[child] for child in node.children))


def restored(flat: Flat) -> Any:
    """The dim or constraint that `flattened` listed: the same object where it still exists."""
    nodes: list[Any] = []
    for form, *parts in flat:
        nodes.append(_restored(form, parts, nodes))
    return nodes[-1]


_FORMS: dict[str, Any] = {"FloorDiv": FloorDiv, "Max": Max, "Min": Min, "Ite": Ite, "Product": Product}
_TUPLED = {"Max", "Min", "Product"}
_MAKERS: dict[str, Any] = {"Equal": equal, "AtMost": at_most, "Not": negated, "And": all_of, "Or": any_of}


def _restored(form: str, parts: list[Any], nodes: list[Any]) -> Any:
    if form == "Dim":
        return polynomial({tuple(a if isinstance(a, Variable) else nodes[a] for a in m): c for m, c in parts})
    if form == "Truth":
        return TRUE if parts[0] else FALSE
    children = [nodes[place] for place in parts]
    if form not in _FORMS:
        return _MAKERS[form](*children)
    return compound(_FORMS[form], tuple(children)) if form in _TUPLED else compound(_FORMS[form], *children)
