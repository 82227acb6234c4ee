"""Formulas: flattened they are total and mean the same, and each language computes what the formula means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from gradual.compiler import compile_source
from gradual.dims.solver.decide import Decider
from gradual.dims.term.dim import Dim, SizeOf, Variable, constant, ite, variable
from gradual.limits import Options
from gradual.shape_functions import relay
from gradual.shape_functions.flattening import Flattening
from gradual.shape_functions.form import ABSENT, Definition, Input, Result, ShapeFunction, Size
from gradual.shape_functions.identifiers import RESERVED, Identifiers, identifier
from gradual.source import Source
from gradual.types.unpacking import size_of
from tests.generators.dims import NAMES, built, dim_trees, evaluated, grid, predicate_trees, variable_of
from tests.shape_functions.forms import COMPILER, OVERFLOW, Answer, InC, Shaped
from tests.thorough import examples

GIVEN = tuple(variable(f"x_{axis}") for axis in range(len(NAMES)))
LARGE = (-(1 << 63), -(1 << 62) - 1, -7, -1, 0, 1, 2, 3, 64, (1 << 31) + 1, (1 << 62) + 3, (1 << 63) - 1)


def flattening() -> Flattening:
    """The names `a`, `b`, `c` are the sizes of one argument."""
    identifiers = Identifiers({str(name) for name in GIVEN})
    inputs = {SizeOf("%x", axis): name for axis, name in enumerate(GIVEN)}
    solutions = {variable_of(name): size_of("%x", axis) for axis, name in enumerate(NAMES)}
    return Flattening(identifiers, inputs, solutions)


def only(dim: Dim) -> Variable:
    (found,) = dim.variables()
    return found


def computed(flat: Flattening, numbers: Sequence[int]) -> Mapping[Variable, int]:
    """All names with their numbers: every step has one, whatever is given."""
    env = {only(name): number for name, number in zip(GIVEN, numbers, strict=True)}
    for step in flat.steps:
        assert isinstance(step, Definition)
        env[step.name] = step.dim.evaluate(env)
    return env


@examples(300)
@given(tree=dim_trees(), numbers=st.tuples(*(st.integers(-3, 7) for _ in NAMES)))
def test_a_dim_has_its_value_where_it_has_one(tree: object, numbers: tuple[int, ...]) -> None:
    flat = flattening()
    found = flat.number(built(tree))  # type: ignore[arg-type]
    env = computed(flat, numbers)
    meant = evaluated(built(tree), dict(zip(NAMES, numbers, strict=True)))  # type: ignore[arg-type]
    value = found.value.evaluate(env)
    assert (value if found.defined.evaluate(env) else None) == meant


@examples(300)
@given(tree=predicate_trees(2), numbers=st.tuples(*(st.integers(-3, 7) for _ in NAMES)))
def test_a_constraint_holds_and_fails_where_it_does(tree: object, numbers: tuple[int, ...]) -> None:
    flat = flattening()
    found = flat.verdict(built(tree))  # type: ignore[arg-type]
    env = computed(flat, numbers)
    meant = evaluated(built(tree), dict(zip(NAMES, numbers, strict=True)))  # type: ignore[arg-type]
    assert found.holds.evaluate(env) is (meant is True)
    assert found.fails.evaluate(env) is (meant is False)
    assert found.defined.evaluate(env) is (meant is not None)


def made_of(dims: Sequence[Dim], name: str) -> ShapeFunction:
    """A shape function with these sizes."""
    flat = flattening()
    sizes = []
    for dim in dims:
        found = flat.number(dim)
        sizes.append(Size(ite(found.defined, found.value, ABSENT), True))
    steps = tuple(flat.steps)
    given = Input("%x", "x_shape", tuple(map(only, GIVEN)), "x_elements", ())
    return ShapeFunction(name, "a test", (given,), steps, (), (Result("", tuple(sizes), "int8"),), (), constant(0))


def wanted(dims: Sequence[Dim], numbers: Sequence[int]) -> Answer:
    env = dict(zip(NAMES, numbers, strict=True))
    found = [evaluated(dim, env) for dim in dims]
    return Answer("shapes", numbers=(*(ABSENT if one is None else one for one in found), 0))


@examples(4)
@given(trees=st.lists(dim_trees(), min_size=20, max_size=40))
def test_each_language_computes_what_a_formula_means(trees: list[object]) -> None:
    """At small numbers all agree; at large ones C may say that a number does not fit, and never another number."""
    dims = [built(tree) for tree in trees]  # type: ignore[arg-type]
    each = [Formulas(made_of([dim], f"f{k}")) for k, dim in enumerate(dims)]
    small = [*map(tuple, (env.values() for env in grid((-3, 0, 1, 5))))]
    large = [(LARGE[k % 12], LARGE[(5 * k) % 12], LARGE[(7 * k + 3) % 12]) for k in range(24)]
    calls = [(k, [numbers]) for k in range(len(each)) for numbers in (*small, *large)]
    with TemporaryDirectory() as folder:
        in_c = InC(each, Path(folder)).answers(calls) if COMPILER else [None] * len(calls)  # type: ignore[arg-type]
    for (k, (numbers,)), third in zip(calls, in_c, strict=True):
        meant = wanted([dims[k]], numbers)
        assert each[k].in_python([numbers]) == meant, (str(dims[k]), numbers)
        if numbers in small:
            assert third in (None, meant), (str(dims[k]), numbers)
        else:
            assert third in (None, OVERFLOW, meant), (str(dims[k]), numbers)
    for k in range(0, len(each), 5):
        for numbers in small[::9]:
            assert each[k].in_relay([numbers]) == wanted([dims[k]], numbers), (str(dims[k]), numbers)


class Formulas(Shaped):
    """A shape function without a program."""

    def __init__(self, made: ShapeFunction) -> None:
        object.__setattr__(self, "made", made)
        text = relay.printed(made, Decider())
        found = compile_source(Source("formulas", text), Options(smt=False, advise=False))
        assert found.ok, found.render()
        self.__dict__["relay"] = found


def test_names_are_identifiers_of_every_language() -> None:
    identifiers = Identifiers()
    wanted = [
        "for",
        "for",
        "x.y",
        "x_y",
        "3x",
        "",
        "conv2/3x3",
        "int",
        "lambda",
        "gradual_int",
        "_",
        "__x",
        "MAX",
        "x_y_2",
    ]
    found = [identifiers.fresh(one) for one in wanted]
    assert len(set(found)) == len(found)
    assert all(one.isidentifier() and one.isascii() and one not in RESERVED for one in found)
    assert identifier("n") == "n"
    assert found[:6] == ["for_", "for__2", "x_y", "x_y_2", "v3x", "v"]
