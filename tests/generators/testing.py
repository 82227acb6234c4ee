"""Programs of tests on sizes, whose branches hold at any depth what no size makes right.

They are drawn without asking the checker what fits: some anew, some from the pairs of `type.if.test`, changed a few
times.  In a branch nearly anything is written; outside of tests mostly what is right at any size.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from tests.generators.bodies import Ranks, bodies, bound, with_body
from tests.generators.growing import Compile
from tests.generators.pairs import BOOL, PAIRS
from tests.generators.program_terms import (
    UNKNOWN,
    Annotation,
    Assertion,
    Body,
    Cases,
    Cast,
    Choice,
    Expression,
    Function,
    Item,
    Let,
    Literal,
    Named,
    Program,
    Size,
    Tensor,
    Text,
    Unranked,
)

SEEDED = 0.5
"""How many programs begin as a pair of the specification."""

REFUSED = 0.2
"""How many programs are kept that are refused."""

_NUMBERS = ("0", "1", "2", "3", "3", "4", "5")
_DEPTH = 3
_ATTEMPTS = 8


def generated_tests(seed: int, compile: Compile, strict: bool | None = None) -> Program:
    """The program of a seed; `strict` ones have no unknown (about one in three, unless said)."""
    random = Random(f"tests {seed}")
    wanted = random.random() < 0.33 if strict is None else strict
    for _ in range(_ATTEMPTS):
        writer = Writer(random, wanted)
        program = writer.seeded() if random.random() < SEEDED else writer.program()
        if random.random() < REFUSED or compile(str(program)).ok:
            break
    return program


@dataclass
class Writer:
    """One program under way.

    Attributes:
        dims: the names of sizes that are bound.
        flags, numbers, vectors, lists: the parameters that hold a boolean, an integer, integers, tensors.
    """

    random: Random
    strict: bool
    counter: int = 0
    dims: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)

    def fresh(self) -> str:
        """A variable that the program does not have yet."""
        self.counter += 1
        return f"%v{self.counter}"

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.random.random() < probability

    # ------------------------------------------------------------------------------------------------- declarations
    def program(self) -> Program:
        """A program that is drawn anew."""
        parameters, held = self._parameters()
        items = self._items(held, 0, tested=False, least=1, most=3)
        main = Function("@main", parameters, None, self._clauses(), Body(tuple(items), self._newest(held)))
        return Program((main,))

    def seeded(self) -> Program:
        """A program of the specification, changed a few times."""
        main = self.random.choice(PAIRS)
        self.counter = 20
        held: Ranks = {}
        for name, annotation in main.parameters:
            if annotation == BOOL:
                self.flags.append(name)
            elif isinstance(annotation, Tensor):
                held[name] = len(annotation.sizes)
                self.dims += [size.text for size in annotation.sizes if size.fixed]
            elif isinstance(annotation, Unranked):
                held[name] = None
        for _ in range(self.random.choice((1, 1, 2, 3))):
            main = replace(main, body=self._changed(main.body, held))
        if self.dims and not main.clauses:
            main = replace(main, clauses=self._clauses())
        return Program((main,))

    def _parameters(self) -> tuple[tuple[tuple[str, Annotation], ...], Ranks]:
        held: Ranks = {}
        found: list[tuple[str, Annotation]] = []
        for _ in range(self.random.choice((2, 2, 3))):
            name, annotation = self.fresh(), self._tensor()
            held[name] = len(annotation.sizes) if isinstance(annotation, Tensor) else None
            found.append((name, annotation))
        others: tuple[tuple[list[str], Annotation, float], ...] = (
            (self.flags, BOOL, 0.8),
            (self.numbers, Tensor((), "int64"), 0.4),
            (self.vectors, Tensor((Size("2", fixed=True),), "int64"), 0.3),
            (self.vectors, Unranked("int64"), 0.0 if self.strict else 0.15),
            (self.lists, Named("List", Tensor((Size("3"),))), 0.25),
        )
        for names, annotation, probability in others:
            if self.chance(probability):
                names.append(self.fresh())
                found.append((names[-1], annotation))
        return tuple(found), held

    def _tensor(self) -> Annotation:
        if not self.strict and self.chance(0.12):
            return Unranked()
        return Tensor(tuple(self._size() for _ in range(self.random.choice((1, 1, 2)))))

    def _size(self) -> Size:
        which = self.random.random()
        if which < 0.25 and not self.strict:
            return Size(UNKNOWN)
        if which < 0.6:
            name = self.random.choice(("n", "m"))
            fixed = name not in self.dims
            self.dims += [name] if fixed else []
            return Size(name, fixed)
        return Size(self.random.choice(_NUMBERS[1:]))

    def _clauses(self) -> tuple[str, ...]:
        """Opt-outs for most of the names, other preconditions rarely."""
        found = [f"{name} >= 0" for name in self.dims if self.chance(0.65)]
        if self.dims and self.chance(0.15):
            name = self.random.choice(self.dims)
            found.append(self.random.choice((f"{name} <= 4", f"{name} != 3", f"{name} % 2 == 0")))
        return tuple(found)

    # --------------------------------------------------------------------------------------------------- conditions
    def _condition(self, held: Ranks, opaque: bool) -> tuple[list[Item], str]:
        """A condition, with what computes it; an `opaque` one compares no integers."""
        text = self._opaque(held) if opaque else self._test(held)
        if not opaque and self.chance(0.25):
            other = self._opaque(held) if self.chance(0.6) else self._test(held)
            operands = [text, other]
            self.random.shuffle(operands)
            text = f"{self.random.choice(('logical_and', 'logical_or'))}({operands[0]}, {operands[1]})"
        if self.chance(0.12):
            text = f"logical_not({text})"
        if self.chance(0.25):
            name = self.fresh()
            return [Let(name, None, Text(text))], name
        return [], text

    def _opaque(self, held: Ranks) -> str:
        return self.random.choice(self.flags) if self.flags else f"sum({self._any(held)}) > 0f"

    def _test(self, held: Ranks) -> str:
        name, number, sign = self._any(held), self.random.choice(_NUMBERS), self.random.choice(("==", "==", "==", ">"))
        forms = [
            f"take(shape_of({name}), 0, axis=0) {sign} {number}",
            f"take(shape_of({name}), 0, axis=0) {sign} {number}",
            f"take(shape_of({name}), -1, axis=0) {sign} {number}",
            f"dim({name}, 0) {sign} {number}",
            f"take(shape_of(shape_of({name})), 0, axis=0) == {self.random.choice('123')}",
            f"dim({name}, 0) {sign} dim({self._any(held)}, 0)",
            *(f"{dim} {sign} {number}" for dim in self.dims),
            *(f"{scalar} {sign} {number}i64" for scalar in self.numbers),
            *(f"take({vector}, 0, axis=0) {sign} {number}i64" for vector in self.vectors),
        ]
        return self.random.choice(forms)

    # -------------------------------------------------------------------------------------------------------- items
    def _any(self, held: Ranks) -> str:
        names = list(held)
        return names[-1 - int(len(names) * self.random.random() ** 1.5)]

    def _newest(self, held: Ranks) -> str:
        return list(held)[-1] if self.chance(0.7) else self._any(held)

    def _items(self, held: Ranks, depth: int, *, tested: bool, least: int = 0, most: int = 2) -> list[Item]:
        found: list[Item] = []
        for _ in range(self.random.randint(least, most)):
            found += self._item(held, depth, tested=tested)
        return found

    def _item(self, held: Ranks, depth: int, *, tested: bool) -> list[Item]:
        """A few items that bind one more tensor, or assert something."""
        which = self.random.random() if depth < _DEPTH else 1.0
        if which < (0.3 if tested else 0.6):
            return self._choice(held, depth, tested=tested, opaque=False)
        if which < (0.45 if tested else 0.68):
            return self._choice(held, depth, tested=tested, opaque=True)
        if which < (0.53 if tested else 0.74):
            return self._literal(held, depth, tested=tested)
        if which < (0.6 if tested else 0.78) and self.lists:
            return self._cases(held, depth, tested=tested)
        if tested and self.chance(0.08):
            return [Assertion(f"dim({self._any(held)}, 0) == {self.random.choice(_NUMBERS)}")]
        value, rank = self._value(held) if tested or self.chance(0.3) else self._right(held)
        return [self._bound(held, value, rank)]

    def _bound(self, held: Ranks, value: Expression, rank: int | None) -> Let:
        name = self.fresh()
        held[name] = rank
        return Let(name, None, value)

    def _right(self, held: Ranks) -> tuple[Expression, int | None]:
        """What is right for any value."""
        name = self._any(held)
        return Text(f"{self.random.choice(('nn.relu', 'exp'))}({name})"), held[name]

    def _value(self, held: Ranks) -> tuple[Expression, int | None]:
        """What may be right for no value."""
        name, other, number = self._any(held), self._any(held), self.random.choice(_NUMBERS)
        forms: list[tuple[Expression, int | None]] = [
            *[self._cast(name)] * 6,
            (Text(f"nn.matmul({name}, {other})"), 2),
            (Text(f"nn.dense({name}, {other})"), held[name]),
            (Text(f"add({name}, {other})"), held[name]),
            (Text(f"concatenate(({name}, {other}), axis=0)"), held[name]),
            (Text(f"reshape({name}, newshape=[{number}, -1])"), 2),
            (Text(f"reshape({name}, newshape=[{self.random.choice(_NUMBERS[1:])}])"), 1),
            (Text(f"expand_dims({name}, axis=0)"), _plus(held[name], 1)),
            (Text(f"squeeze({name}, axis=[0])"), _plus(held[name], -1)),
            (Text(f"strided_slice({name}, begin=[0], end=[{number}], strides=[1])"), held[name]),
            (Text(f'zeros(shape=[dim({name}, 0) - {number}], dtype="float32")'), 1),
            (Text(f'cast({name}, dtype="int32")'), held[name]),
            self._right(held),
        ]
        return self.random.choice(forms)

    def _cast(self, name: str) -> tuple[Expression, int | None]:
        sizes = (
            Size(UNKNOWN if not self.strict and self.chance(0.2) else self.random.choice((*_NUMBERS, *self.dims)))
            for _ in range(self.random.choice((1, 1, 2)))
        )
        annotation = Tensor(tuple(sizes))
        return Cast(name, annotation), len(annotation.sizes)

    def _choice(self, held: Ranks, depth: int, *, tested: bool, opaque: bool) -> list[Item]:
        before, condition = self._condition(held, opaque)
        inside = tested or not opaque
        sides = (dict(held), dict(held))
        filled = [tuple(self._items(side, depth + 1, tested=inside)) for side in sides]
        left, right = self._pair(*sides, inside)
        value = Choice(condition, Body(filled[0], left), Body(filled[1], right))
        rank = sides[0][left] if sides[0][left] == sides[1][right] else None
        return [*before, self._bound(held, value, rank)]

    def _pair(self, left: Ranks, right: Ranks, inside: bool) -> tuple[str, str]:
        """The values of two branches; of one rank, unless ranks may differ."""
        first = self._newest(left)
        if inside and self.chance(0.3):
            return first, self._newest(right)
        fitting = [name for name, rank in right.items() if rank == left[first]]
        return (first, fitting[-1]) if fitting else (next(iter(left)),) * 2

    def _cases(self, held: Ranks, depth: int, *, tested: bool) -> list[Item]:
        head, tail = self.fresh(), self.fresh()
        sides = (held | {head: 1}, dict(held))
        filled = [tuple(self._items(side, depth + 1, tested=tested)) for side in sides]
        left, right = self._pair(*sides, tested)
        arms = ((f"Cons({head}, {tail})", Body(filled[0], left)), ("Nil", Body(filled[1], right)))
        return [self._bound(held, Cases(self.random.choice(self.lists), arms), sides[0][left])]

    def _literal(self, held: Ranks, depth: int, *, tested: bool) -> list[Item]:
        """A function literal, called or not."""
        name, parameter = self.fresh(), self.fresh()
        size = UNKNOWN if not self.strict and self.chance(0.3) else self.random.choice(_NUMBERS[1:])
        inner = held | {parameter: 1}
        body = tuple(self._items(inner, depth + 1, tested=tested, least=1))
        result = self._newest(inner)
        value = Literal(((parameter, Tensor((Size(size),))),), None, Body(body, result))
        operands = [operand for operand, rank in held.items() if rank == 1]
        if not operands or self.chance(0.2):
            return [Let(name, None, value)]
        call = Text(f"{name}({self.random.choice(operands)})")
        return [Let(name, None, value), self._bound(held, call, inner[result])]

    # ------------------------------------------------------------------------------------------------------ changes
    def _changed(self, body: Body, held: Ranks) -> Body:
        """The body with a change in it or in one of its branches."""
        places = list(bodies(body, held))
        at = self.random.randrange(len(places))
        return with_body(body, at, lambda one: self._rewritten(one, *places[at]))

    def _rewritten(self, body: Body, held: Ranks, tested: bool) -> Body:
        items, which = list(body.items), self.random.random()
        names = dict(held)
        if which < 0.4:
            place = self.random.randint(0, len(items))
            for item in items[:place]:
                names |= bound(item)
            return replace(body, items=(*items[:place], *self._item(names, 1, tested=tested), *items[place:]))
        if which < 0.75:
            return self._wrapped(body, names, tested=tested)
        if which < 0.9:
            for item in items:
                names |= bound(item)
            more = self._item(names, 1, tested=tested)
            return Body((*items, *more), self._newest(names))
        return replace(body, items=tuple(_turned(item) for item in items))

    def _wrapped(self, body: Body, held: Ranks, *, tested: bool) -> Body:
        """The body as the branch of an `if` around it, or as the body of a literal that is called."""
        name = self.fresh()
        vectors = [one for one, rank in held.items() if rank == 1]
        if vectors and self.chance(0.25):
            literal = Literal(((self.fresh(), Tensor((Size(self.random.choice(_NUMBERS[1:])),))),), None, body)
            called = Let(self.fresh(), None, Text(f"{name}({self.random.choice(vectors)})"))
            return Body((Let(name, None, literal), called), called.name)
        before, condition = self._condition(held, opaque=self.chance(0.5))
        other = Body((), body.result if body.result in held else self._any(held))
        sides = (body, other) if self.chance(0.5) else (other, body)
        return Body((*before, Let(name, None, Choice(condition, *sides))), name)


def _plus(rank: int | None, more: int) -> int | None:
    return None if rank is None else max(rank + more, 0)


def _turned(item: Item) -> Item:
    """An `if` with its branches exchanged."""
    if isinstance(item, Let) and isinstance(item.value, Choice):
        return replace(item, value=Choice(item.value.condition, item.value.orelse, item.value.then))
    return item
