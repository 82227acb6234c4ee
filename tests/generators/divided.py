"""Questions about sizes that divide others, as trees: what group norm, windows and the heads of attention ask."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.generators.dims import NAMES, Tree

_NAMED = st.sampled_from([("var", name) for name in NAMES])
_NUMBERS = st.sampled_from([("const", k) for k in (2, 3, 4, 6)])
_FACTORS = st.one_of(_NAMED, _NAMED, _NUMBERS)
ZERO, ONE = ("const", 0), ("const", 1)
_TO_3, _SIGNS = st.integers(0, 3), st.sampled_from("+-")
_COMPARED_BY = st.sampled_from(("==", "==", "==", "<=", "!="))
_POSITIVE = st.lists(_NAMED, max_size=3)


@st.composite
def products(draw: st.DrawFn, least: int = 1, most: int = 3) -> Tree:
    """A product of names and numbers."""
    first, *others = draw(st.lists(_FACTORS, min_size=least, max_size=most))
    tree: Tree = first
    for other in others:
        tree = ("*", tree, other)
    return tree


@st.composite
def _dividends(draw: st.DrawFn, plain: int) -> Tree:
    tree = draw(_PRODUCTS)
    return (draw(_SIGNS), tree, draw(_FACTORS)) if draw(st.integers(0, plain)) == 0 else tree


_PRODUCTS, _DIVISORS = products(), products(most=2)


@st.composite
def _sides(draw: st.DrawFn, pairs: list[tuple[Tree, Tree]]) -> Tree:
    """A side of a goal, made of what divides and is divided in the facts."""
    dividend, divisor = draw(st.sampled_from(pairs))
    factor = draw(_FACTORS)
    return draw(
        st.sampled_from(
            [
                ("//", ("*", dividend, factor), divisor),
                ("*", ("//", dividend, divisor), factor),
                ("//", ("*", dividend, factor), ("*", divisor, factor)),
                ("*", ("*", ("//", dividend, divisor), divisor), factor),
                ("//", ("+", dividend, factor), divisor),
                ("%", ("*", dividend, factor), divisor),
                ("%", ("+", dividend, factor), divisor),
                ("%", factor, divisor),
                ("//", factor, ("//", dividend, divisor)),
                ("*", dividend, factor),
                ("//", ("//", dividend, divisor), factor),
                dividend,
                ZERO,
                ZERO,
            ]
        )
    )


@st.composite
def divided_questions(draw: st.DrawFn, plain: int = 3) -> tuple[tuple[Tree, ...], tuple[Tree, ...], Tree]:
    """`(known, path, goal)`: facts that sizes divide others, and a goal about their quotients and products.

    What is divided is a product; to one in so many beside the `plain` ones something is added.
    """
    pairs = draw(st.lists(st.tuples(_dividends(plain), _DIVISORS), min_size=1, max_size=3))
    facts: list[Tree] = [("==", ("%", dividend, divisor), ZERO) for dividend, divisor in pairs]
    positive = draw(_POSITIVE)
    facts += [("<=", ONE, name) for name in positive]
    path = [facts.pop(0)] if draw(_TO_3) == 0 else []
    goal = (draw(_COMPARED_BY), draw(_sides(pairs)), draw(_sides(pairs)))
    return tuple(draw(st.permutations(facts))), tuple(path), goal
