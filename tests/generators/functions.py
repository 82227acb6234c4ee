"""Programs of functions: literals that are called, passed, stored, returned and recursive, their types written or not.

A program is drawn from its seed alone; which of its types are written is drawn apart, so that one program can be had
with all of them, some or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random


@dataclass(frozen=True)
class Kind:
    """A type: `int32`, `Tensor[(?,), float32]`, or a tuple or function of other kinds."""

    name: str
    parts: tuple[Kind, ...] = ()

    def __str__(self) -> str:
        match self:
            case Kind("tuple", (left, right)):
                return f"({left}, {right})"
            case Kind("fn", (param, result)):
                return f"fn ({param}) -> {result}"
            case _:
                return self.name


NUMBER, VECTOR = Kind("int32"), Kind("Tensor[(?,), float32]")
Names = Mapping[str, Kind]


def program(seed: int, omitted: float) -> str:
    """A program of which this share of the types of parameters is not written."""
    grower = Grower(Random(seed), Random(seed + 1), omitted)
    kind = grower.random.choice([NUMBER, VECTOR, Kind("tuple", (NUMBER, VECTOR))])
    body = grower.expr(kind, {"%x": NUMBER, "%y": VECTOR}, 5)
    return f"def @main(%x: int32, %y: Tensor[(n,), float32]) {{ {body} }}"


@dataclass
class Grower:
    """One program being grown, top down, each part of the kind that is wanted."""

    random: Random
    writing: Random
    omitted: float
    count: int = field(default=0)

    def name(self, base: str = "v") -> str:
        """A new name, or one that shadows another."""
        self.count += 1
        return f"%{base}{self.count}" if self.random.random() < 0.8 else self.random.choice(["%x", "%y", "%f"])

    def kind(self, depth: int = 2) -> Kind:
        """A kind."""
        drawn = self.random.random()
        if depth == 0 or drawn < 0.4:
            return NUMBER
        if drawn < 0.65:
            return VECTOR
        if drawn < 0.75:
            return Kind("tuple", (self.kind(depth - 1), self.kind(depth - 1)))
        return Kind("fn", (self.kind(depth - 1), self.kind(self.random.choice([0, depth - 1]))))

    def literal(self, params: Mapping[str, Kind], result: Kind, body: str) -> str:
        """A function literal, with or without its types."""
        written = [name if self.writing.random() < self.omitted else f"{name}: {kind}" for name, kind in params.items()]
        end = "" if self.writing.random() < max(self.omitted, 0.5) else f" -> {result}"
        return f"fn ({', '.join(written)}){end} {{ {body} }}"

    def expr(self, kind: Kind, names: Names, depth: int) -> str:
        """An expression of a kind over the names in scope."""
        forms = ["made", *["name"] * (3 if kind in names.values() else 0)]
        if depth > 0:
            callable = [name for name, held in names.items() if held.name == "fn" and held.parts[1] == kind]
            forms += ["let", "let", "if", "field", "applied", *["call"] * (4 if callable else 0)]
        match self.random.choice(forms):
            case "name":
                return self.random.choice([name for name, held in names.items() if held == kind])
            case "call":
                callee = self.random.choice(callable)
                return f"{callee}({self.expr(names[callee].parts[0], names, depth - 1)})"
            case "let":
                return self._let(kind, names, depth - 1)
            case "if":
                condition = f"{self.expr(NUMBER, names, 0)} < {self.random.randint(0, 3)}"
                then, orelse = self.expr(kind, names, depth - 1), self.expr(kind, names, depth - 1)
                return f"if ({condition}) {{ {then} }} else {{ {orelse} }}"
            case "field":
                return f"({self.expr(kind, names, depth - 1)}, {self.expr(self.kind(1), names, depth - 1)}).0"
            case "applied":
                param, name = self.kind(), self.name()
                function = self.literal({name: param}, kind, self.expr(kind, {**names, name: param}, depth - 1))
                return f"({function})({self.expr(param, names, depth - 1)})"
            case _:
                return self._made(kind, names, max(depth - 1, 0))

    def _let(self, kind: Kind, names: Names, depth: int) -> str:
        bound, name = self.kind(), self.name()
        if bound.name == "fn" and self.random.random() < 0.3:
            value = self._loop(bound, names, depth)
        else:
            value = self.expr(bound, names, depth)
        return f"{{ let {name} = {value}; {self.expr(kind, {**names, name: bound}, depth)} }}"

    def _loop(self, kind: Kind, names: Names, depth: int) -> str:
        """A function that calls one that calls itself, twice."""
        param, result = kind.parts
        counter, value, loop, outer = (self.name(base) for base in "iawb")
        body = self.expr(result, {**names, counter: NUMBER, value: param}, depth)
        again = f"if ({counter} < 2) {{ {loop}({counter} + 1, {value}) }} else {{ {body} }}"
        itself = self.literal({counter: NUMBER, value: param}, result, again)
        return self.literal({outer: param}, result, f"let {loop} = {itself}; {loop}(0, {outer})")

    def _made(self, kind: Kind, names: Names, depth: int) -> str:
        deeper = depth > 0 and self.random.random() < 0.6
        match kind:
            case Kind("tuple", (left, right)):
                return f"({self.expr(left, names, depth)}, {self.expr(right, names, depth)})"
            case Kind("fn", (param, result)):
                name = self.name("p")
                return self.literal({name: param}, result, self.expr(result, {**names, name: param}, depth))
            case Kind("int32"):
                sign = self.random.choice("+*-")
                if deeper:
                    return f"({self.expr(NUMBER, names, depth)} {sign} {self.expr(NUMBER, names, depth)})"
                return f"{self.random.randint(0, 5)}i32"
            case _:
                if deeper:
                    first, second = self.expr(VECTOR, names, depth), self.expr(VECTOR, names, depth)
                    return f"concatenate(({first}, nn.relu({second})), axis=0)"
                return f'ones(shape=[{self.random.randint(2, 3)}], dtype="float32")'
