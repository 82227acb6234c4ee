"""Random programs over the operators that are built: plain ones, and such as are about one thing.

All is decided by one seed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tests.generators.constructs import branches, declared, functions, numbers, structures
from tests.generators.constructs.table import repeated
from tests.generators.constructs.view import Maker
from tests.generators.growing import KEPT_REJECTS, Compile, Grower, Kind
from tests.generators.program_terms import (
    UNKNOWN,
    Body,
    Cases,
    Choice,
    Function,
    Let,
    Named,
    Program,
    Size,
    Tensor,
    Text,
)

FIRST_ORDER = 0.75
"""How many strict programs have tensors and tuples only."""


def loop() -> Function:
    """A function that calls itself, as often as its first argument says."""
    unknown = Tensor((Size(UNKNOWN), Size("2")))
    longer = Text('concatenate((%b, ones(shape=[1, 2], dtype="float32")), axis=0)')
    again = Body((Let("%c", None, longer), Let("%d", None, Text("@loop(%a - 1i64, %c)"))), "%d")
    whole = Let("%e", None, Choice("%a <= 0", Body((), "%b"), again))
    return Function("@loop", (("%a", Tensor((), "int64")), ("%b", unknown)), unknown, (), Body((whole,), "%e"))


def folded() -> Function:
    """A function that joins the rows of all tensors of a list to a first one."""
    unknown = Tensor((Size(UNKNOWN), Size("2")))
    longer = Text("concatenate((%b, %c), axis=0)")
    again = Body((Let("%e", None, longer), Let("%f", None, Text("@folded(%d, %e)"))), "%f")
    whole = Let("%g", None, Cases("%a", (("Cons(%c, %d)", again), ("Nil", Body((), "%b")))))
    return Function("@folded", (("%a", Named("List", unknown)), ("%b", unknown)), unknown, (), Body((whole,), "%g"))


def generated(
    seed: int, compile: Compile, strict: bool | None = None, steps: int = 7, rejects: float = KEPT_REJECTS
) -> Program:
    """The program of a seed; `strict` ones have no unknown (about one in three, unless said).

    `rejects` is how often a construct that is rejected is kept, as the last one.
    """
    random = Random(f"program {seed}")
    grower = Grower(random, compile, random.random() < 0.33 if strict is None else strict, rejects)
    grower.first_order = grower.strict and random.random() < FIRST_ORDER
    for number in range(random.choice((0, 0, 1, 1, 2))):
        helper = grower.function(f"@f{number}", random.randrange(1, 4))
        if grower.spoiled:
            return Program((*grower.callees, replace(helper, name="@main")))
        grower.callees.append(helper)
    if not grower.strict and random.random() < 0.1:
        grower.callees.append(loop())
    if not grower.strict and random.random() < 0.1:
        grower.callees.append(folded())
    main = grower.function("@main", random.randrange(2, steps + 1))
    return Program((*grower.callees, main))


def generated_about(name: str, seed: int, compile: Compile) -> Program:
    """The program of a seed about one of `KINDS`."""
    kind = KINDS[name]
    random = Random(f"about {name} {seed}")
    grower = Grower(random, compile, random.random() < 0.2, kind=kind)
    for number in range(random.choice((1, 2, 2, 3)) if kind.helper is not None else random.choice((0, 0, 1))):
        helper = _helper(grower, kind, f"@f{number}")
        if grower.types(Program((*grower.callees, helper)))[0]:
            grower.callees.append(helper)
    main = grower.function("@main", random.randrange(4, 9))
    return Program((*grower.callees, main))


def _helper(grower: Grower, kind: Kind, name: str) -> Function:
    if kind.helper is None:
        return grower.function(name, grower.random.randrange(2, 5))
    return kind.helper(grower, name, [helper.name for helper in grower.callees])


def _operands(maker: Maker, dims: Sequence[str]) -> numbers.Parameters:
    """A vector, a number and a flag."""
    length = maker.random.choice(("3", *dims, *(() if maker.strict else (UNKNOWN,))))
    types = (Tensor((Size(length),)), Tensor((), "int64"), Tensor((), "bool"))
    return tuple((maker.fresh(), type) for type in types)


KINDS = {
    "numbers": Kind(repeated(numbers.CONSTRUCTS), numbers.function, _operands),
    "declared": Kind(repeated(declared.CONSTRUCTS), declared.function, _operands),
    "branches": Kind(repeated(branches.CONSTRUCTS), None, branches.parameters, branching=0.8),
    "data": Kind(
        repeated((*structures.CONSTRUCTS, *structures.USES)), None, branches.parameters, branching=0.4, matching=0.7
    ),
    "functions": Kind(repeated(functions.USES), numbers.function, branches.parameters, branching=0.4, closing=0.5),
}
"""What a program may be about: functions that speak of what their own parameters hold or have; operators and functions
of any type; what is known in one branch and not in the other; lists, options and references; functions as values."""


def likely_refused(seed: int, compile: Compile, strict: bool | None) -> Program:
    """The program of a seed, short, and mostly ended by a construct that is rejected."""
    return generated(seed, compile, strict, steps=4, rejects=0.7)


def uses(text: str) -> set[str]:
    """The variables and functions that a text mentions."""
    return set(re.findall(r"[%@]\w+", text))
