"""How dims and constraints are written for a person."""

from __future__ import annotations

from hypothesis import given

from gradual.dims.term.constraint import any_of, at_least, broadcasts, equal
from gradual.dims.term.dim import variable
from gradual.dims.term.print import READABLE, brief, conjoined
from tests.generators.dims import Tree, built, predicates_sharing


@given(predicates_sharing())
def test_what_is_short_is_shown_whole(tree: Tree) -> None:
    constraint = built(tree)
    text = str(constraint)
    assert brief(constraint) == text if len(text) <= READABLE else len(brief(constraint)) <= READABLE


def test_inner_parts_of_a_long_condition_and_long_names_are_elided() -> None:
    small, long = variable("n"), variable("%encoder_layer_2_attention_self_Div_2_output_0[0]")
    deep = small
    for number in range(2, 30):
        deep = (deep * long + number) // number
    shown = brief(equal(deep // 2, small))
    assert shown.endswith("== n") and "…" in shown and len(shown) <= READABLE
    assert (
        brief(equal(long * long * long, small))
        == "%enc…f_Div_2_output_0[0] * %enc…f_Div_2_output_0[0] * %enc…f_Div_2_output_0[0] == n"
    )


def test_a_disjunction_among_several_constraints_is_in_parentheses() -> None:
    n, m = variable("n"), variable("m")
    either = any_of(equal(m, 3), equal(m, 1))
    assert conjoined([either]) == str(either) == "m == 3 or m == 1"
    assert conjoined([at_least(n, 2), either]) == "n >= 2 and (m == 3 or m == 1)"
    assert conjoined([at_least(n, 2), broadcasts(n, m)]) == "n >= 2 and broadcasts(n, m)"
