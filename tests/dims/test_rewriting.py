"""What a store remembers about rewriting is forgotten with the equations that it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.bounds.interval import Estimate
from gradual.dims.rewrite.simplify import Knowledge
from gradual.dims.solver.conjunction import System
from gradual.dims.store.facts import Facts
from gradual.dims.store.store import Store
from gradual.dims.term.constraint import Constraint
from tests.dims.test_mutants import examples_until
from tests.generators.dims import CLAUSES, Tree, built
from tests.generators.divided import divided_questions
from tests.thorough import examples

Walk = tuple[Sequence[Tree], Sequence[tuple[str, int]]]


@st.composite
def walks(draw: st.DrawFn) -> Walk:
    """Constraints, some of which say that sizes divide others, and moves, each about one of the constraints."""
    facts, path, goal = draw(divided_questions())
    trees = [*facts, *path, goal, *draw(st.lists(CLAUSES, max_size=2))]
    move = st.tuples(st.sampled_from(["assume", "assume", "undo", "narrow", "narrow"]), st.integers(0, len(trees) - 1))
    return trees, draw(st.lists(move, min_size=2, max_size=8))


def check_rewriting(walk: Walk) -> None:
    """After each move, each constraint is rewritten as by a store that remembers nothing."""
    trees, moves = walk
    constraints = [built(tree) for tree in trees]
    facts, system, marks = Facts(), System(()), list[Any]()
    for move, place in moves:
        match move:
            case "assume":
                marks.append(facts.mark())
                facts.assume(constraints[place])
            case "undo" if marks:
                facts.rollback(marks.pop())
            case "narrow":
                system = system.narrowed(constraints[place])
        for store in (facts.known, system):
            for constraint in constraints:
                assert store.rewritten(constraint) is _rewritten_anew(store, constraint)


def _rewritten_anew(store: Store, constraint: Constraint) -> Constraint:
    kept = store._rewriting, store._bare
    store._rewriting, store._bare = None, Estimate({})
    found = store.rewritten(constraint)
    store._rewriting, store._bare = kept
    return found


@given(walks())
@examples(150)
def test_rewriting_remembers_nothing_that_has_changed(walk: Walk) -> None:
    check_rewriting(walk)


def test_a_store_that_never_forgets_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never_forgets(store: Store) -> Knowledge:
        if store._rewriting is None or not store._rewriting[1].replacements:
            store._rewriting = 0, Knowledge(store._bare, dict(store.replacements), multiples=store.multiples)
        return store._rewriting[1]

    monkeypatch.setattr(Store, "_equations", never_forgets)
    needed = examples_until(check_rewriting, walks(), 300)
    assert needed is not None
