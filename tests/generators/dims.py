"""Dims and constraints as written: trees that nobody simplified, with their meaning read off directly.

About 30 % of the terms share a sub-term, or have one operator on both sides of a comparison: this is where a wrong
cancellation hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from hypothesis import strategies as st

from gradual.dims.term import constraint as constraints
from gradual.dims.term import dim as dims
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable

Tree = tuple[Any, ...]
"""`("var", name)`, `("const", k)`, or an operator with its operands."""

NAMES = ("a", "b", "c")
BINARY = ("+", "-", "*", "//", "%", "max", "min")
CONSTANTS = (0, 1, 1, 2, 2, 3, 4, 6, -1, -2)


def variable_of(name: str) -> Variable:
    """The rigid variable of that name."""
    (found,) = dims.variable(name).variables()
    return found


def built(tree: Tree) -> Any:
    """The dim or constraint that the constructors make of a tree."""
    match tree:
        case ("var", name):
            return dims.variable(name)
        case ("const", k):
            return dims.constant(k)
        case (operator, *operands):
            return _BUILDERS[operator](*map(built, operands))
    raise AssertionError(tree)


_BUILDERS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "max": lambda a, b: dims.maximum(a, b),
    "min": lambda a, b: dims.minimum(a, b),
    "if": lambda p, a, b: dims.ite(p, a, b),
    "==": lambda a, b: constraints.equal(a, b),
    "!=": lambda a, b: constraints.differs(a, b),
    "<=": lambda a, b: constraints.at_most(a, b),
    "<": lambda a, b: constraints.less(a, b),
    "not": lambda p: constraints.negated(p),
    "and": lambda *ps: constraints.all_of(*ps),
    "or": lambda *ps: constraints.any_of(*ps),
}


def meant(tree: Tree, env: Mapping[str, int]) -> Any:
    """What a tree means: an int or bool, None where it is undefined (a divisor below 1 that something hangs on)."""
    operator, *operands = tree
    if operator == "var":
        return env[operands[0]]
    if operator == "const":
        return operands[0]
    if operator == "if":
        condition = meant(operands[0], env)
        return None if condition is None else meant(operands[1 if condition else 2], env)
    values = [meant(operand, env) for operand in operands]
    if operator == "and":
        return False if False in values else None if None in values else True
    if operator == "or":
        return True if True in values else None if None in values else False
    return None if None in values else _computed(operator, values)


def _computed(operator: str, values: list[int]) -> Any:
    if operator in ("//", "%"):
        return None if values[1] < 1 else values[0] // values[1] if operator == "//" else values[0] % values[1]
    return _MEANINGS[operator](*values)


_MEANINGS: dict[str, Any] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "max": max,
    "min": min,
    "==": int.__eq__,
    "!=": int.__ne__,
    "<=": int.__le__,
    "<": int.__lt__,
    "not": lambda p: not p,
}


def grid(values: tuple[int, ...], names: tuple[str, ...] = NAMES) -> Iterator[dict[str, int]]:
    """All valuations of the names over the values."""
    for numbers in product(values, repeat=len(names)):
        yield dict(zip(names, numbers, strict=True))


def by_variable(env: Mapping[str, int]) -> dict[Variable, int]:
    """The valuation as dims read it."""
    return {variable_of(name): k for name, k in env.items()}


def evaluated(node: Dim | Constraint, env: Mapping[str, int]) -> Any:
    """What a dim or constraint evaluates to, None where it is undefined."""
    try:
        return node.evaluate(by_variable(env))
    except dims.Undefined:
        return None


# ------------------------------------------------------------------------------------------------- strategies

# Strategies that take no argument are made once: to make them again for every draw takes longer than to draw.
_TO_2, _TO_3, _TO_9 = st.integers(0, 2), st.integers(0, 3), st.integers(0, 9)
_LEAVES = st.sampled_from([*(("var", name) for name in NAMES * 3), *(("const", k) for k in CONSTANTS)])
_VARIABLES = st.sampled_from([("var", name) for name in NAMES])
_APPLIED = st.sampled_from(BINARY)
_APPLIED_ALIKE = st.sampled_from(("//", "//", "*", "*", *BINARY))
_SMALL_DIVISORS = st.sampled_from((1, 2, 2, 3, 4, 6))
_SCALES, _OFFSETS, _EVEN = st.sampled_from((1, 2, 3, 4, -2)), st.integers(-4, 7), st.sampled_from((2, 4, 6))
_DIVIDING = st.sampled_from(("//", "//", "%"))
_CONNECTED = st.sampled_from(["and", "or", "not"])
_COMPARED_BY = st.sampled_from(["==", "==", "!=", "<=", "<"])


@st.composite
def dim_trees(draw: st.DrawFn, depth: int = 3, shared: tuple[Tree, ...] = ()) -> Tree:
    """A dim; `shared` are sub-terms to use again."""
    choice = draw(_TO_9)
    if shared and choice < 3:
        return draw(st.sampled_from(shared))
    if depth == 0 or choice < 5:
        return draw(_LEAVES)
    if choice == 8:
        return draw(_divided_sums(draw(dim_trees(depth - 1, shared))))
    if choice == 9:
        condition = draw(predicate_trees(depth=0, shared=shared))
        return ("if", condition, draw(dim_trees(depth - 1, shared)), draw(dim_trees(depth - 1, shared)))
    return draw(_applied(draw(_APPLIED), draw(dim_trees(depth - 1, shared)), depth, shared))


@st.composite
def _applied(draw: st.DrawFn, operator: str, left: Tree, depth: int, shared: tuple[Tree, ...]) -> Tree:
    """An operator with a second operand; divisors are mostly numbers from 1 on."""
    if operator in ("//", "%") and draw(_TO_3):
        return operator, left, ("const", draw(_SMALL_DIVISORS))
    return operator, left, draw(dim_trees(depth - 1, shared))


@st.composite
def _divided_sums(draw: st.DrawFn, term: Tree) -> Tree:
    """`(g * x + c) // k` or `%`, where `g` and `k` often have a common factor: where divisions are reduced."""
    scale, offset, by = draw(_SCALES), draw(_OFFSETS), draw(_EVEN)
    scaled = ("+", ("*", ("const", scale), term), ("const", offset))
    return draw(_DIVIDING), scaled, ("const", by)


@st.composite
def predicate_trees(draw: st.DrawFn, depth: int = 1, shared: tuple[Tree, ...] = ()) -> Tree:
    """A predicate; sides share sub-terms, or are one operator over the same operand."""
    if depth and draw(_TO_2) == 0:
        operator = draw(_CONNECTED)
        parts = [draw(predicate_trees(depth - 1, shared)) for _ in range(1 if operator == "not" else 2)]
        return (operator, *parts)
    comparison = draw(_COMPARED_BY)
    return (comparison, *draw(_sides(shared)))


@st.composite
def _sides(draw: st.DrawFn, shared: tuple[Tree, ...]) -> tuple[Tree, Tree]:
    if draw(_TO_9) < 3:
        return draw(_alike(shared))
    return draw(dim_trees(2, shared)), draw(dim_trees(2, shared))


@st.composite
def _alike(draw: st.DrawFn, shared: tuple[Tree, ...]) -> tuple[Tree, Tree]:
    """One operator on both sides, over one operand in common."""
    operand = st.one_of(_VARIABLES, _VARIABLES, dim_trees(1, shared))
    left, right, operator = draw(operand), draw(operand), draw(_APPLIED_ALIKE)
    if draw(_TO_2):
        applied = draw(_applied(operator, left, 1, shared))
        return applied, (operator, right, applied[2])
    common = draw(operand)
    return (operator, common, left), (operator, common, right)


@st.composite
def dims_sharing(draw: st.DrawFn) -> Tree:
    """A dim over a pool of shared sub-terms."""
    pool = tuple(draw(st.lists(dim_trees(2), max_size=2)))
    return draw(dim_trees(3, pool))


@st.composite
def predicates_sharing(draw: st.DrawFn, depth: int = 1) -> Tree:
    """A predicate over a pool of shared sub-terms."""
    pool = tuple(draw(st.lists(dim_trees(2), max_size=2)))
    return draw(predicate_trees(depth, pool))


@st.composite
def questions(draw: st.DrawFn) -> tuple[tuple[Tree, ...], tuple[Tree, ...], Tree]:
    """Unconditional facts, path facts and a goal that share sub-terms."""
    pool = tuple(draw(st.lists(dim_trees(1), max_size=2)))
    facts = tuple(draw(st.lists(predicate_trees(1, pool), max_size=2)))
    path = tuple(draw(st.lists(predicate_trees(0, pool), max_size=1)))
    return facts, path, draw(predicate_trees(1, pool))


@st.composite
def alike_questions(draw: st.DrawFn) -> tuple[tuple[Tree, ...], tuple[Tree, ...], Tree]:
    """A goal that compares one operator with itself, over one operand in common."""
    return (), (), ("==", *draw(_alike(())))


@st.composite
def case_questions(draw: st.DrawFn) -> tuple[tuple[Tree, ...], tuple[Tree, ...], Tree]:
    """A disjunction of bounds as fact, and a bound as goal."""
    bound = st.tuples(
        st.sampled_from(["==", "!=", "<=", "<"]),
        st.just(("var", "a")),
        st.tuples(st.just("const"), st.integers(0, 5)),
    )
    return (("or", draw(bound), draw(bound)),), (), draw(bound)


@st.composite
def multiple_questions(draw: st.DrawFn) -> tuple[tuple[Tree, ...], tuple[Tree, ...], Tree]:
    """A multiple of one variable that is another one plus a number, and a goal about both."""
    left = ("*", ("const", draw(st.integers(2, 4))), ("var", "a"))
    right = ("+", ("var", "b"), ("const", draw(st.integers(-2, 2))))
    return (("==", left, right),), (), draw(predicate_trees(0))


# ------------------------------------------------------------------------------------ as programs have them
_NUMBERS = st.tuples(st.just("const"), st.integers(0, 4))
_MULTIPLES = st.tuples(st.just("*"), st.tuples(st.just("const"), st.integers(2, 4)), _VARIABLES)
_LINEAR = st.one_of(
    _VARIABLES,
    _MULTIPLES,
    _MULTIPLES,
    st.tuples(st.sampled_from("+-"), _VARIABLES, _NUMBERS),
    st.tuples(st.just("+"), _VARIABLES, _VARIABLES),
)


def _compared(terms: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.tuples(st.sampled_from(["==", "==", "!=", "<=", "<"]), terms, st.one_of(_NUMBERS, terms))


@st.composite
def _broadcast(draw: st.DrawFn, terms: st.SearchStrategy[Tree]) -> Tree:
    left, right, one = draw(terms), draw(terms), ("const", 1)
    return ("or", ("==", left, right), ("or", ("==", left, one), ("==", right, one)))


_CHOSEN = st.one_of(_LINEAR, st.tuples(st.just("if"), _compared(_LINEAR), _LINEAR, _LINEAR))
_PLAIN = _compared(_CHOSEN)
CLAUSES = st.one_of(_PLAIN, _broadcast(_CHOSEN), st.tuples(st.just("or"), _PLAIN, _PLAIN))
"""Multiples, sums and choices of sizes, that they agree or are 1, and comparisons with small numbers."""


@st.composite
def size_questions(draw: st.DrawFn) -> tuple[tuple[Tree, ...], tuple[Tree, ...], Tree]:
    """Facts, at most one of them of the path, and a goal."""
    facts = draw(st.lists(CLAUSES, min_size=1, max_size=3))
    path = draw(st.integers(0, 1))
    return tuple(facts[path:]), tuple(facts[:path]), draw(CLAUSES)


def walks() -> st.SearchStrategy[list[tuple[str, Tree]]]:
    """What happens along a program: conditions are entered and left, goals are decided and learnt."""
    return st.lists(st.tuples(st.sampled_from(["enter", "leave", "assume", "owe", "owe"]), CLAUSES), max_size=8)


# ------------------------------------------------------------------------------------------- linear, with quotients
_FACTORS = st.sampled_from((1, 1, 1, -1, 2, 3, -2, 5, -3, 4, 7))
_DIVISORS = st.sampled_from((2, 3, 4, 5))
_ADDED, _SOME_NAMES = st.integers(-5, 5), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
_EXTREMES, _ANY_AND, _TWICE = st.sampled_from(("max", "min")), st.sampled_from(("and", "or")), st.booleans()


@st.composite
def _sums(draw: st.DrawFn) -> Tree:
    """A sum of multiples of some names, and a number."""
    made: Tree = ("const", draw(_ADDED))
    for name in draw(_SOME_NAMES):
        made = ("+", made, ("*", ("const", draw(_FACTORS)), ("var", name)))
    return made


_SUMS = _sums()


@st.composite
def _linear_terms(draw: st.DrawFn) -> Tree:
    """A sum, or one with a quotient, a remainder, an extreme or a choice of sums in it."""
    first = draw(_SUMS)
    match draw(_TO_9):
        case 0 | 1:
            return "+", ("//", first, ("const", draw(_DIVISORS))), draw(_SUMS)
        case 2:
            return "%", first, ("const", draw(_DIVISORS))
        case 3:
            return draw(_EXTREMES), first, draw(_SUMS)
        case 4:
            test: Tree = draw(_COMPARISONS), draw(_SUMS), draw(_SUMS)
            if draw(_TWICE):
                test = draw(_ANY_AND), test, (draw(_COMPARISONS), draw(_SUMS), draw(_SUMS))
            return "if", test, first, draw(_SUMS)
    return first


_COMPARISONS = st.sampled_from(("==", "==", "!=", "<=", "<"))
_LINEAR_CLAUSES = st.tuples(_COMPARISONS, _linear_terms(), st.one_of(_SUMS, _NUMBERS))
LINEAR_CLAUSES = st.one_of(_LINEAR_CLAUSES, _LINEAR_CLAUSES, st.tuples(st.just("or"), _LINEAR_CLAUSES, _LINEAR_CLAUSES))
"""The decidable part: linear, with `//` and `%` by numbers, extremes, choices and disjunctions."""


@st.composite
def linear_questions(draw: st.DrawFn) -> tuple[tuple[Tree, ...], tuple[Tree, ...], Tree]:
    """Facts, the last of them on the path at times, and a goal."""
    facts = tuple(draw(st.lists(LINEAR_CLAUSES, max_size=4)))
    known = len(facts) - draw(st.integers(0, 1))
    return facts[:known], facts[known:], draw(LINEAR_CLAUSES)
