"""The atoms of dims: variables, and operations that cannot be simplified to polynomials.

Atoms are interned, so identity is equality.  Each has a `key`, a short text that orders atoms the same way in every
run: it depends on the atom's structure, never on when or where it was made.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from gradual.record import record

if TYPE_CHECKING:
    from gradual.dims.term.constraint import Constraint
    from gradual.dims.term.polynomial import Dim


@record
class SizeOf:
    """The size of axis `axis` of the value named `value`."""

    value: str
    axis: int


@record
class ContentOf:
    """The element at `index` of the integer tensor named `value`."""

    value: str
    index: tuple[int, ...]


@record
class RankOf:
    """The number of axes of the value named `value`."""

    value: str


@record
class NumelOf:
    """The number of elements of the value named `value`."""

    value: str


Witness = SizeOf | ContentOf | RankOf | NumelOf
"""The part of a run-time value from which an unknown is read."""


class Kind(StrEnum):
    """Which numbers a variable represents: all sizes (RIGID), or one that only a run determines (EXISTENTIAL)."""

    RIGID = "rigid"
    EXISTENTIAL = "ghost"


@record(eq=False, repr=False, weakref_slot=True)
class Variable:
    """An unknown integer; `name` is what users see: `n`, `%i`, `dim(%x, 1)`, `%s[0]`."""

    key: str
    name: str
    kind: Kind
    witness: Witness | None

    @property
    def is_existential(self) -> bool:
        """Whether the value is determined by a run."""
        return self.kind is Kind.EXISTENTIAL

    @property
    def names(self) -> frozenset[Variable]:
        """The variable itself."""
        return frozenset((self,))

    def __lt__(self, other: Variable) -> bool:
        return self.key < other.key

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return named, (self.name, self.kind, self.witness)


@record(eq=False, repr=False, weakref_slot=True)
class FloorDiv:
    """`dividend // divisor`, rounded down; defined where the divisor is at least 1.  [dim.floor]"""

    key: str
    names: frozenset[Variable]
    dividend: Dim
    divisor: Dim

    @property
    def children(self) -> tuple[Dim, ...]:
        """The operands."""
        return (self.dividend, self.divisor)


@record(eq=False, repr=False, weakref_slot=True)
class Max:
    """The greatest of two or more dims."""

    key: str
    names: frozenset[Variable]
    operands: tuple[Dim, ...]

    @property
    def children(self) -> tuple[Dim, ...]:
        """The operands."""
        return self.operands


@record(eq=False, repr=False, weakref_slot=True)
class Min:
    """The least of two or more dims."""

    key: str
    names: frozenset[Variable]
    operands: tuple[Dim, ...]

    @property
    def children(self) -> tuple[Dim, ...]:
        """The operands."""
        return self.operands


@record(eq=False, repr=False, weakref_slot=True)
class Ite:
    """`then` where the condition holds, `orelse` where it does not; the branch not taken may be undefined."""

    key: str
    names: frozenset[Variable]
    condition: Constraint
    then: Dim
    orelse: Dim

    @property
    def children(self) -> tuple[Dim | Constraint, ...]:
        """The condition and both branches."""
        return (self.condition, self.then, self.orelse)


@record(eq=False, repr=False, weakref_slot=True)
class Product:
    """A product that is too large to be multiplied out."""

    key: str
    names: frozenset[Variable]
    operands: tuple[Dim, ...]

    @property
    def children(self) -> tuple[Dim, ...]:
        """The factors."""
        return self.operands


Compound = FloorDiv | Max | Min | Ite | Product
Atom = Variable | Compound

C = TypeVar("C", FloorDiv, Max, Min, Ite, Product)
_VARIABLES: WeakValueDictionary[tuple[str, Kind, Witness | None], Variable] = WeakValueDictionary()
_COMPOUNDS: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
_KEY = 120


def shortened(key: str) -> str:
    """A key of bounded length that still distinguishes different keys."""
    if len(key) <= _KEY:
        return key
    return f"{key[: _KEY - 40]}#{blake2b(key.encode(), digest_size=16).hexdigest()}"


def names_of(nodes: Iterable[Any]) -> frozenset[Variable]:
    """All variables of some nodes."""
    return frozenset().union(*(node.names for node in nodes))


def named(name: str, kind: Kind, witness: Witness | None) -> Variable:
    """The interned variable of a name, kind and witness."""
    found = _VARIABLES.get((name, kind, witness))
    if found is None:
        key = f" {name}\0{kind}\0{witness or ''}"
        found = _VARIABLES[name, kind, witness] = Variable(key, name, kind, witness)
    return found


def compound(form: type[C], *parts: Any) -> C:
    """The interned atom of class `form` with the given operands."""
    found: C | None = _COMPOUNDS.get((form, *parts))
    if found is None:
        nodes = parts[0] if isinstance(parts[0], tuple) else parts
        key = shortened(f"|{form.__name__}({', '.join(node.key for node in nodes)})")
        found = _COMPOUNDS[form, *parts] = form(key, names_of(nodes), *parts)
    return found


def bottom_up(root: Any, known: Container[Any] = ()) -> list[Any]:
    """Every dim, compound atom and constraint in `root` but those in `known`, children first; without recursion."""
    if not root.children:
        return [root]
    seen: set[Any] = set()
    order: list[Any] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node is None:  # all children of the next node are in `order`
            order.append(stack.pop())
        elif node not in seen:
            seen.add(node)
            pending = [child for child in reversed(node.children) if child not in seen and child not in known]
            if pending:
                stack += (node, None, *pending)
            else:
                order.append(node)
    return order
