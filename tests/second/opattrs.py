"""Chapter 7: operands and attributes of an application."""

from __future__ import annotations

from .calls import Calls
from .dims import Dim, Div, Var, variables
from .goals import Bad
from .text import Node, Place, Skip
from .types import DTYPES, Tensor, Tuple, Type, Value


class Attributes(Calls):
    """What an operator is applied to [op.structure] [op.rank] [op.axis] [name.attribute]."""

    args: list[Value]
    places: list[Place]
    attrs: dict[str, Node]
    site: Node
    hint: str
    bad: bool

    def tensor(self, i: int) -> Tensor:
        """[op.structure]"""
        t = self.args[i].type
        if not isinstance(t, Tensor):
            raise Bad("E0307", "op.structure", self.places[i])
        return t

    def ranked(self, i: int, *ranks: int) -> tuple[Dim, ...]:
        """[op.rank]"""
        t = self.tensor(i)
        if len(t.shape) not in ranks:
            raise Bad("E0303", "op.rank", self.places[i])
        return t.shape

    def bare(self, e: Node) -> Node:
        return self.bare(e.kids[0]) if e.kind == "group" else e

    def integer(self, name: str, default: int) -> int:
        if name not in self.attrs:
            return default
        d = self.to_dim(self.bare(self.attrs[name]))
        if d.number is None:
            raise Skip("computed attributes")
        return d.number

    def flag(self, name: str) -> bool:
        e = self.attrs.get(name)
        if e is None:
            return False
        if e.kind == "word" and e.text in ("True", "False"):
            return e.text == "True"
        raise Skip("computed attributes")

    def word(self, name: str, default: str) -> str:
        e = self.attrs.get(name)
        if e is None or (e.kind == "word" and e.text == "None"):
            return default
        if e.kind != "string":
            raise Bad("E0207", "name.attribute", e.span)
        return e.text[1:-1]

    def sizes(self, name: str) -> list[tuple[Dim, Node]] | None:
        e = self.attrs.get(name)
        if e is None or (e.kind == "word" and e.text == "None"):
            return None
        kids = e.kids if e.kind in ("list", "tuple") else [e]
        return [(self.to_dim(k), self.bare(k)) for k in kids]

    def axes(self, name: str, rank: int) -> list[int]:
        out: list[int] = []
        for d, _ in self.sizes(name) or []:
            i = d.number
            if i is None:
                raise Skip("computed attributes")
            out.append(self.axis(i, rank))
        if len(set(out)) != len(out):
            raise Bad("E0305", "op.axis", self.places[0] if self.places else self.site.span)
        return out

    def axis(self, i: int, rank: int, at: int = 0) -> int:
        """[op.axis]"""
        if not -rank <= i < rank:
            raise Bad("E0305", "op.axis", self.places[at])
        return i % rank

    def element_type(self, name: str, default: str) -> str:
        t = self.word(name, default)
        if t == "":
            return default
        if t not in DTYPES:
            raise Bad("E0312", "op.attribute", self.site.span)
        return t

    @property
    def held(self) -> set[Dim]:
        """The sizes that values in scope have."""
        return {d for v in (*self.env.values(), *self.args) for d in shape(v.type)}

    def simplified(self, t: Type, again: bool = False) -> Type:
        """[dim.decide.simplify]; a plain size that a value in scope has is not simplified `again`."""
        if isinstance(t, Tuple):
            return Tuple(tuple(self.simplified(p, again) for p in t.parts))
        facts = self.lasting
        held = self.held if not again else set()
        out = []
        for d in t.shape:
            if any(not v.rigid and not v.size for v in variables(d)):
                self.notice(d)
            out.append(d if d in held and plain(d) else self.solver.simple(facts, d))
        return Tensor(tuple(out), t.dtype)


def shape(t: Type) -> tuple[Dim, ...]:
    """The sizes of a type."""
    return t.shape if isinstance(t, Tensor) else tuple(d for p in t.parts for d in shape(p))


def plain(d: Dim) -> bool:
    """Whether a size has no max, min or if-then-else in it."""
    return all(
        plain(a.top) and plain(a.by) if isinstance(a, Div) else isinstance(a, Var) for m, _ in d.terms for a, _ in m
    )
