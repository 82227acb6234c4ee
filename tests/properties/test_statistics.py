"""The goals put to Z3 for comparison: it never knows better, and where a verdict is wrong it says so."""

from __future__ import annotations

import pytest

from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import at_least
from gradual.dims.term.dim import constant, variable
from gradual.verdict import Proved, Verdict
from tests.properties.statistics import Ledger, _Clocked

SIZES = """def @main(%x: Tensor[(n, m), float32], %y: Tensor[(?,), float32]) where m <= n {
  let %a = strided_slice(%x, begin=[0, 0], end=[n - m, m]);
  (reshape(%x, newshape=[m, n]), max(%y), %a, zeros(shape=[n], dtype="float32"))
}"""


def test_z3_knows_no_better() -> None:
    ledger = Ledger()
    assert ledger.checked(SIZES).ok
    assert ledger.put
    assert not ledger.contradictions


def test_z3_knows_better_than_a_wrong_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def credulous(self: Decider, facts: Facts, goal: object) -> Verdict:
        self.counts["models"] += 1
        return Proved("models")

    monkeypatch.setattr(Decider, "decide", credulous)
    ledger = Ledger()
    _Clocked(ledger, compare=True).decide(Facts(), at_least(variable("n"), constant(3)))
    assert ledger.contradictions == ["n >= 3 is proved, and may fail"]
