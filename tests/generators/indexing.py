"""Programs that index: positions are made from sizes and numbers, changed, and looked up in tables.

They are drawn without asking the checker what fits, so that many have an index out of bounds at some sizes.
"""

from __future__ import annotations

from random import Random

from tests.generators.program_terms import (
    Annotation,
    Body,
    Function,
    Item,
    Let,
    Program,
    Size,
    Tensor,
    Text,
)

_SMALL = ("0", "1", "1", "2", "3", "4", "6")


def generated_indexing(seed: int) -> Program:
    """The program of a seed; about one in two has no unknown."""
    return _Writer(Random(f"indexing {seed}")).program()


class _Writer:
    """One program under way."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.gradual = random.random() < 0.5
        self.items: list[Item] = []

    def program(self) -> Program:
        """Tables and other tensors whose sizes are counted, then a few lookups."""
        table = (self._rows(), Size(self.random.choice(("2", "d")), fixed=True))
        parameters: tuple[tuple[str, Annotation], ...] = (
            ("%table", Tensor(table)),
            ("%x", Tensor((Size("b", fixed=True), self._rows()))),
            ("%y", Tensor((self._rows(),))),
            ("%i", Tensor((), "int64")),
        )
        last = "%y"
        for _ in range(self.random.choice((1, 1, 2))):
            last = self._looked_up(self._indices())
        named = {size.text for _, one in parameters if isinstance(one, Tensor) for size in one.sizes}
        clauses = ("t >= 0",) if "t" in named and self.random.random() < 0.4 else ()
        return Program((Function("@main", parameters, None, clauses, Body(tuple(self.items), last)),))

    def _let(self, text: str) -> str:
        name = f"%v{len(self.items)}"
        self.items.append(Let(name, None, Text(text)))
        return name

    def _rows(self) -> Size:
        if self.gradual and self.random.random() < 0.4:
            return Size("?")
        return Size(self.random.choice(("1", "3", "4", "t", "t", "n")), fixed=True)

    def _number(self) -> str:
        """An int64 that is tracked, or is data."""
        which = self.random.random()
        if which < 0.35:
            return f"{self.random.choice(_SMALL)}i64"
        if which < 0.4:
            return "%i"
        value, axis = self.random.choice((("%x", 1), ("%x", 1), ("%x", 0), ("%y", 0), ("%table", 0)))
        size = f'take(shape_of({value}, dtype="int64"), {axis}, axis=0)'
        return f"{size} {self.random.choice(('+ 1i64', '- 1i64', '* 2i64', '- 2i64'))}" if which > 0.85 else size

    def _indices(self) -> str:
        """A tensor of indices, made and then changed a few times."""
        made = self.random.choice(
            (self._arange, self._arange, self._arange, self._constant, self._filled, self._places)
        )
        name = made()
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))):
            name = self._changed(name)
        return name

    def _arange(self) -> str:
        begin = self.random.choice(("0i64", "0i64", "1i64", "-2i64", self._number()))
        step = self.random.choice(("1i64", "1i64", "1i64", "2i64", "-1i64", "3i64"))
        ends = (begin, self._number()) if not step.startswith("-") else (self._number(), begin)
        return self._let(f"reshape(arange({ends[0]}, {ends[1]}, {step}), newshape=[-1])")

    def _constant(self) -> str:
        numbers = ", ".join(self.random.choice(("0", "1", "2", "3", "-1", "-4")) for _ in range(3))
        return self._let(f'cast([{numbers}], dtype="int64")')

    def _filled(self) -> str:
        return self._let(f"full({self._number()}, shape=[2, 1])")

    def _places(self) -> str:
        form = self.random.choice(("argmax(%x, axis=[1])", "argsort(%y)", "argmin(%y, axis=[0], keepdims=True)"))
        return self._let(f'cast({form}, dtype="int64")')

    def _changed(self, name: str) -> str:
        number = self.random.choice(_SMALL)
        forms = (
            f"expand_dims({name}, axis=0)",
            f"reshape({name}, newshape=[-1])",
            f"{name} + {number}i64",
            f"{name} - {number}i64",
            f"{name} + {self._number()}",
            f"{name} * {number}i64",
            f"negative({name})",
            f"floor_divide({name}, 2i64)",
            f"floor_mod({name}, {number if number != '0' else 5}i64)",
            f"minimum({name}, 2i64)",
            f"maximum({name}, {self._number()})",
            f"clip({name}, a_min=0, a_max={number})",
            f"tile({name}, reps=[{self.random.choice(('1', '2', '0'))}])",
            f"repeat({name}, repeats=2, axis=0)",
            f"reverse({name}, axis=0)",
            f"strided_slice({name}, begin=[1], end=[3])",
            f"concatenate(({name}, {name}), axis=0)",
            f"stack(({name}, {name}), axis=0)",
            f"where({name} > 1i64, {name}, 0i64)",
            f'cast(cast({name}, dtype="int32"), dtype="int64")',
            f"take({name}, [0], axis=0)",
            f"({name}, %y).0",
            f"sort({name}, axis=0)",
            f"max({name}, axis=[0], keepdims=True)",
        )
        return self._let(self.random.choice(forms))

    def _looked_up(self, indices: str) -> str:
        forms = (
            f'take(%table, {indices}, axis=0, mode="fast")',
            f'take(%table, {indices}, axis=0, mode="fast")',
            f'take(%y, {indices}, mode="fast")',
            f'take(%x, {indices}, axis=1, mode="fast")',
            f"take(%table, {indices}, axis=0)",
            f"gather(%y, reshape({indices}, newshape=[-1]), axis=0)",
            f"gather_nd(%y, expand_dims({indices}, axis=0))",
            f"adv_index((%table, {indices}))",
            f"scatter_elements(%y, reshape({indices}, newshape=[-1]), "
            f'cast(reshape({indices}, newshape=[-1]), dtype="float32"), axis=0)',
        )
        return self._let(self.random.choice(forms))
