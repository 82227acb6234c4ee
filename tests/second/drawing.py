"""Random first-order programs over the operators that the second checker has.

They are made by the generators of `tests/generators`: some grow construct by construct, each accepted by the reference;
some are of tests on sizes, drawn without asking what fits.  Each is followed by relatives with other sizes and numbers,
which are kept whether or not they are accepted, so that about half of all programs are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from tests.generators.constructs import arithmetic, calls, casts, integers, numbers, shapes
from tests.generators.constructs.table import repeated
from tests.generators.constructs.view import Construct, Made, Make, Scope, View
from tests.generators.families import relative
from tests.generators.growing import Context as Around
from tests.generators.growing import Grower, Types
from tests.generators.program_terms import Body, Function, Item, Program, Text
from tests.generators.testing import Writer
from tests.properties.compiling import compiled

RELATIVES = 7
"""How many programs follow each that was drawn anew."""

BRANCHING = 0.2
"""How often what is drawn is a branch."""

TESTS = 4
"""Of so many programs drawn anew, one is of tests on sizes."""

_OUTSIDE = ("Tensor[*", "fn (", "List[", "match ", "where(", "broadcast_to(", "tile(", "repeat(", "abs(")
"""What the second checker has not."""


def family(seed: int, number: int) -> Iterator[Program]:
    """A program that is drawn anew, and its relatives, each text once."""
    random = Random(f"second {seed} {number}")
    first = _drawn(random, tests=number % TESTS == TESTS - 1)
    seen: set[str] = set()
    for program in (first, *(relative(first, random) for _ in range(RELATIVES))):
        text = str(program)
        if text not in seen and not any(word in text for word in _OUTSIDE):
            seen.add(text)
            yield program


def _drawn(random: Random, tests: bool) -> Program:
    while True:
        strict = random.random() < 0.4
        program = _of_tests(random, strict) if tests else _grown(random, strict)
        if not any(word in str(program) for word in _OUTSIDE):
            return program


def _of_tests(random: Random, strict: bool) -> Program:
    writer = Writer(random, strict)
    return writer.seeded() if random.random() < 0.3 else writer.program()


def _grown(random: Random, strict: bool) -> Program:
    grower = FirstOrder(random, compiled, strict, first_order=True)
    for number in range(random.choice((0, 1, 1, 2))):
        helper = grower.function(f"@f{number}", random.randrange(1, 4))
        if grower.spoiled:
            return Program((*grower.callees, replace(helper, name="@main")))
        grower.callees.append(helper)
    return Program((*grower.callees, grower.function("@main", random.randrange(2, 7))))


# -------------------------------------------------------------------------------------------------------- constructs
def _unary(view: View) -> Made:
    name = view.pick(view.floats())
    return Text(f"{view.random.choice(('exp', 'tanh', 'sigmoid', 'sqrt', 'copy'))}({name})") if name else None


def _product(view: View) -> Made:
    threefold = [name for name in view.floats(3) if view.types[name].rank == 3]
    twofold = [name for name in view.floats(2) if view.types[name].rank == 2]
    flags = view.random.choice(("", ", transpose_a=True", ", transpose_b=True"))
    if threefold and view.chance(0.5):
        return Text(f"nn.batch_matmul({view.pick(threefold)}, {view.pick(threefold)}{flags})")
    data, weight = view.pick(view.floats(2)), view.pick(twofold)
    return Text(f"nn.matmul({data}, {weight}{flags})") if data and weight else None


CONSTRUCTS: list[Construct] = [
    (_unary, 1, ("exp",)),
    (_product, 2, ("nn.matmul", "nn.batch_matmul")),
    *arithmetic.CONSTRUCTS,
    *shapes.CONSTRUCTS,
    *casts.CONSTRUCTS,
    *calls.CONSTRUCTS,
    *(row for row in integers.CONSTRUCTS if row[0].__name__ in ("_shape_of", "_element", "_arithmetic")),
]

_MAKES: list[Make] = repeated(CONSTRUCTS)


@dataclass
class FirstOrder(Grower):
    """A program of tensors and tuples of known rank."""

    def draw(self, context: Around, scope: Scope, items: list[Item], types: Types, depth: int) -> list[Item] | None:
        """One construct, None where it has no operands or is outside of what the second checker has."""
        view = self.view(scope, types)
        if depth < 2 and self.chance(BRANCHING):
            drawn = self.choice(view, context, scope, items, depth)
        else:
            drawn = self.made(view, _MAKES)
        return None if drawn is None or _is_outside(drawn) else drawn

    def parameters(self, name: str) -> tuple[numbers.Parameters, list[str]]:
        """Parameters of known rank."""
        while True:
            parameters, dims = super().parameters(name)
            if not any("Tensor[*" in str(annotation) for _, annotation in parameters):
                return parameters, dims


def _is_outside(drawn: list[Item]) -> bool:
    whole = Function("@f", (), None, (), Body(tuple(drawn), "%x"))
    return any(word in str(Program((whole,))) for word in _OUTSIDE)
