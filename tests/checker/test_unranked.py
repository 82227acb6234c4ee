"""Operators on operands of unknown rank: the two guarantees, for every operator of the catalogue.

An application whose operands have known shapes is compared with the same one where some are `*`.   [T9] [T10]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.limits import Options
from gradual.ops.catalogue import CATALOGUE
from gradual.run.value import Blame, Fault
from gradual.source import Source
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Value
from tests.generators.operators import Application, rows

OPERATORS = sorted({one.name for one in CATALOGUE.values()})
every_operator = pytest.mark.parametrize("name", OPERATORS)
few = settings(max_examples=5, deadline=None, derandomize=True, phases=(Phase.generate, Phase.shrink))


@dataclass(frozen=True)
class Ended:
    """How a run ended: with a value, in blame, or with a fault, which `what` says."""

    kind: str
    what: Any = None


OVERFLOW = Ended("fault", "E0605")
"""Of elements that are tracked no overflow is tolerated; of those of unknown rank none are."""


def tensors(value: Value) -> Iterator[Tensor]:
    """The tensors of an argument, left to right."""
    if isinstance(value, Tensor):
        yield value
    for part in value if isinstance(value, tuple) else ():
        yield from tensors(part)


def spelled(value: Any) -> str:
    """An attribute as a program writes it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(spelled, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def type_of(value: Value, shapes: Iterator[str]) -> str:
    """A parameter's type, its shapes as given."""
    if isinstance(value, Tensor):
        return f"Tensor[{next(shapes)}, {value.dtype}]"
    assert isinstance(value, tuple), value
    return f"({', '.join(type_of(part, shapes) for part in value)}{',' if len(value) == 1 else ''})"


def shape_of(tensor: Tensor, unknown: Sequence[bool]) -> str:
    return f"({', '.join('?' if u else str(size) for size, u in zip(tensor.shape, unknown, strict=False))},)"


def program(name: str, one: Application, shapes: Sequence[str]) -> Compilation:
    """`name` applied to parameters of these shapes."""
    each = iter(shapes)
    params = ", ".join(f"%a{i}: {type_of(value, each)}" for i, value in enumerate(one.arguments))
    given = [f"%a{i}" for i in range(len(one.arguments))]
    given += [f"{key}={spelled(value)}" for key, value in one.attributes.items()]
    text = f"def @f({params.replace('(,)', '()')}) {{ {name}({', '.join(given)}) }}"
    note(text)
    return compile_source(Source("case.relay", text), Options(advise=False))


def ended(compilation: Compilation, values: Sequence[Value]) -> Ended:
    """How a call of an accepted program ends."""
    try:
        return Ended("value", shown(compilation.run("@f", *values)))
    except Blame:
        return Ended("blame")
    except Fault as fault:
        return Ended("fault", fault.code)


def shown(value: Value) -> Any:
    """A value such that equal ones are equal, NaN included."""
    return [(str(part.dtype), part.shape, repr(part.flat())) for part in tensors(value)]


def blurred(data: st.DataObject, exact: Sequence[str]) -> list[str]:
    """The shapes with at least one of them `*`."""
    stars = data.draw(st.lists(st.booleans(), min_size=len(exact), max_size=len(exact)).filter(any))
    return ["*" if star else shape for star, shape in zip(stars, exact, strict=True)]


def leaves(one: Application) -> list[Tensor]:
    return [tensor for value in one.arguments for tensor in tensors(value)]


def misshapen(data: st.DataObject, one: Application, stars: Sequence[str]) -> Application:
    """The application with another shape for one of the tensors whose shape is not written."""
    victim = data.draw(st.sampled_from([place for place, star in enumerate(stars) if star == "*"]))
    shape = list(leaves(one)[victim].shape)
    match data.draw(st.sampled_from(("longer", "shorter", "larger"))):
        case "longer":
            shape.insert(data.draw(st.integers(0, len(shape))), data.draw(st.sampled_from((1, 2))))
        case "shorter" if shape:
            shape.pop(data.draw(st.integers(0, len(shape) - 1)))
        case "larger" if shape:
            shape[data.draw(st.integers(0, len(shape) - 1))] += 1
    each = count()
    changed = tuple(_at(value, each, victim, tuple(shape)) for value in one.arguments)
    return Application(changed, one.attributes)


def _at(value: Value, each: Iterator[int], victim: int, shape: tuple[int, ...]) -> Value:
    if isinstance(value, Tensor):
        return random_tensor(shape, value.dtype, 1) if next(each) == victim else value
    assert isinstance(value, tuple), value
    return tuple(_at(part, each, victim, shape) for part in value)


def alike(one: Application, other: Application) -> bool:
    """Whether the arguments have the same structure and element types."""
    return [structure(value) for value in one.arguments] == [structure(value) for value in other.arguments]


def structure(value: Value) -> Any:
    return [structure(part) for part in value] if isinstance(value, tuple) else [str(t.dtype) for t in tensors(value)]


def verified(compilation: Compilation) -> list[str]:
    return [violation.message for violation in violations(compilation.core, Decider())]


@every_operator
@few
@given(data=st.data())
def test_what_is_accepted_at_a_rank_is_accepted_at_any_and_ends_alike(name: str, data: st.DataObject) -> None:
    row = rows()[name]
    one = data.draw(row)
    if not leaves(one):
        return
    unknown = [data.draw(st.lists(st.booleans(), min_size=t.rank, max_size=t.rank)) for t in leaves(one)]
    ranked = [shape_of(t, u) for t, u in zip(leaves(one), unknown, strict=True)]
    stars = blurred(data, ranked)
    exact = program(name, one, ranked)
    less = program(name, one, stars)
    if exact.ok:
        assert less.ok, [str(d) for d in less.diagnostics]
    if not less.ok:
        return
    assert verified(less) == []
    for other in (one, data.draw(row), misshapen(data, one, stars), misshapen(data, one, stars)):
        if not alike(one, other) or any(
            tensor.rank != found.rank
            for tensor, found, star in zip(leaves(one), leaves(other), stars, strict=True)
            if star != "*"
        ):
            continue
        there = Application(other.arguments, one.attributes)
        whole = [shape_of(t, [False] * t.rank) for t in leaves(other)]
        same = program(name, there, [w if s == "*" else r for w, s, r in zip(whole, stars, ranked, strict=True)])
        found = ended(less, other.arguments)
        if same.ok:
            exact_end = ended(same, other.arguments)
            assert found == exact_end or exact_end == OVERFLOW
        else:
            assert found.kind == "blame", found
