"""The order in which definitions are checked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gradual.checker.definition_order import callees_first, in_circles

NAMES = "abcdefg"
graphs = st.fixed_dictionaries({name: st.lists(st.sampled_from(NAMES), max_size=3) for name in NAMES})


def leads_to(calls: dict[str, list[str]], name: str) -> set[str]:
    """What a name leads to by way of any others."""
    found: set[str] = set()
    waiting = list(calls[name])
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += calls[one]
    return found


@given(graphs)
def test_a_circle_is_what_leads_back_by_way_of_others(calls: dict[str, list[str]]) -> None:
    wanted = {name for name in NAMES for other in leads_to(calls, name) - {name} if name in leads_to(calls, other)}
    assert in_circles(calls) == wanted


@given(graphs)
def test_callees_stand_first_where_nothing_is_on_a_circle(calls: dict[str, list[str]]) -> None:
    order, circular = callees_first(calls)
    assert sorted(order) == sorted(NAMES)
    if not circular:
        assert all(order.index(callee) < order.index(name) for name in NAMES for callee in calls[name])
