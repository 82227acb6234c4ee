"""Every planted bug with the property that has to find it, and within how many examples."""

from __future__ import annotations

from dataclasses import dataclass

from tests.generators.program_terms import Program
from tests.generators.programs import generated, likely_refused
from tests.generators.testing import generated_tests
from tests.properties.campaign import broken
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.properties.laws import LAWS
from tests.properties.seeded import directed as programs
from tests.properties.seeded import elaborating, rules, testing, values, verdicts
from tests.properties.seeded.directed import (
    Trial,
    accepts,
    accepts_with_little,
    blames,
    blames_there,
    less_precise,
    obeys,
    owe_alike,
    owes,
    refuses,
    runs_alike_with_little,
)
from tests.properties.seeded.planting import Bug


@dataclass(frozen=True)
class Generated:
    """A bug that a law finds among the first `within` generated programs.

    Attributes:
        strict: whether programs without any unknown are taken, or only gradual ones; None for both.
        refused: whether most of them end in something that is rejected.
        tests: whether they are programs of tests on sizes.
    """

    bug: Bug
    law: str
    within: int
    strict: bool | None = None
    refused: bool = False
    tests: bool = False


@dataclass(frozen=True)
class Directed:
    """A bug that a program finds which was written for it; `of` is the property that speaks."""

    bug: Bug
    of: str
    trial: Trial


def needed(row: Generated) -> int | None:
    """How many programs it takes until the law speaks; None if those that are allowed do not suffice."""
    with row.bug():
        return next((seed + 1 for seed in range(row.within) if _is_found(row, seed)), None)


def _is_found(row: Generated, seed: int) -> bool:
    try:
        program = _program(row, seed)
    except (AssertionError, KeyError):  # the planted bug makes the checker itself fail
        return True
    return broken(LAWS[row.law], Case(program, seed)) is not None


def _program(row: Generated, seed: int) -> Program:
    if row.tests:
        return generated_tests(seed, compiled, row.strict)
    return likely_refused(seed, compiled, row.strict) if row.refused else generated(seed, compiled, row.strict)


GENERATED: list[Generated] = [
    Generated(verdicts.what_fails_at_large_sizes_is_proved, "elimination", 60),
    Generated(verdicts.strict_definitions_may_fail, "conservative", 20),
    Generated(verdicts.strict_definitions_may_fail, "static system", 20, strict=True, refused=True),
    Generated(verdicts.counterexamples_are_off_by_one, "counterexamples", 200, strict=True, refused=True),
    Generated(verdicts.answers_are_remembered_by_goal_only, "renaming", 60),
    Generated(verdicts.the_other_branch_has_the_same_condition, "static system", 40, strict=True, refused=True),
    Generated(verdicts.the_path_is_unconditional, "static system", 200, strict=True, refused=True),
    Generated(elaborating.facts_outlive_their_branch, "soundness", 60),
    Generated(elaborating.facts_outlive_their_literal, "verified", 60),
    Generated(elaborating.names_are_not_made_unique, "shadowing", 60),
    Generated(elaborating.witnesses_are_read_off_the_first_axis, "soundness", 60),
    Generated(elaborating.an_ascription_shares_its_unknown, "soundness", 60),
    Generated(elaborating.an_ascription_keeps_what_is_known, "verified", 60),
    Generated(elaborating.a_branch_s_own_unknown_escapes, "dynamic guarantee", 60, tests=True),
    Generated(elaborating.joins_take_the_first_branch, "soundness", 60),
    Generated(elaborating.joins_exchange_the_branches, "soundness", 60),
    Generated(elaborating.checks_come_after_what_they_guard, "soundness", 60),
    Generated(elaborating.labels_are_those_of_the_check_before, "elimination", 60),
    Generated(elaborating.a_result_is_not_checked, "verified", 60),
    Generated(rules.broadcasting_without_a_choice, "soundness", 200),
    Generated(rules.whoever_enters_is_trusted, "soundness", 20),
    Generated(testing.what_is_not_tracked_is_no_test, "static guarantee", 60, strict=False, tests=True),
    Generated(testing.an_opaque_branch_leaves_the_test_around_it, "static guarantee", 60, strict=False, tests=True),
]
DIRECTED: list[Directed] = [
    Directed(
        verdicts.rigid_goals_are_errors_one_by_one,
        "T9",
        less_precise(programs.RIGID, ("%y: Tensor[(n,)", "%y: Tensor[(?,)")),
    ),
    Directed(verdicts.what_fails_if_reached_is_proved, "T7", obeys("elimination", programs.DEAD_UNKNOWN)),
    Directed(verdicts.giving_up_is_an_error, "T3", accepts_with_little(programs.HARD)),
    Directed(verdicts.giving_up_is_a_proof, "T3", runs_alike_with_little(programs.HARD)),
    Directed(verdicts.sizes_may_be_negative, "T17", owes(programs.NOT_NEGATIVE)),
    Directed(verdicts.checks_teach_nothing, "T17", refuses(programs.NEVER, "E0301")),
    Directed(verdicts.refutations_are_left_to_run_time, "T17", refuses(programs.NEVER, "E0301")),
    Directed(elaborating.every_use_opens_anew, "T17", owes(programs.TWICE)),
    Directed(elaborating.a_call_forgets_a_precondition, "T7", obeys("elimination", programs.FORGETFUL)),
    Directed(elaborating.a_branch_s_own_unknown_escapes, "T5", obeys("soundness", programs.ESCAPE)),
    Directed(elaborating.facts_outlive_their_branch, "T5", obeys("soundness", programs.LEAK)),
    Directed(elaborating.facts_outlive_their_literal, "T5", obeys("soundness", programs.LITERAL)),
    Directed(elaborating.an_ascription_keeps_what_is_known, "T17", owes(programs.FORGETS, "dim(%y, 0) == 5")),
    Directed(elaborating.an_unused_value_owes_nothing, "T17", owes(programs.UNUSED, "dim(%x, 0) == 4")),
    Directed(elaborating.sizes_that_depend_on_data_are_shared, "T6", obeys("soundness", programs.MASKS)),
    Directed(elaborating.the_results_of_a_call_are_shared, "T6", obeys("soundness", programs.CALLS)),
    Directed(elaborating.names_are_not_made_unique, "T6", obeys("soundness", programs.SHADOWED)),
    Directed(elaborating.a_call_measures_its_last_argument, "T12", blames(programs.MEASURED, "argument 2 of `@f`")),
    Directed(elaborating.a_result_is_not_checked, "T17", owes(programs.RETURNED, "dim(%x, 0) == 4")),
    Directed(elaborating.a_joined_size_is_the_first_of_two, "T17", owes(programs.JOINED, "dim(%z, 0) == 10")),
    Directed(rules.broadcasting_without_a_choice, "T5", obeys("soundness", programs.ONE)),
    Directed(rules.reshape_divides_the_known_part, "T9", less_precise(programs.DIVIDES, ("(2, 5)", "(?, 5)"))),
    Directed(rules.a_static_operator_refuses_unknown_sizes, "T9", less_precise(programs.DIVIDES, ("(2, 5)", "(?, 5)"))),
    Directed(
        verdicts.slicing_looks_at_names, "T16", owe_alike(programs.chain("k", "m", "n"), programs.chain("x", "y", "z"))
    ),
    Directed(verdicts.what_was_passed_elsewhere_refutes, "T16", owe_alike(programs.apart("cl"), programs.apart("lc"))),
    Directed(elaborating.a_call_forgets_its_second_argument, "T5", obeys("soundness", programs.SECOND)),
    Directed(rules.unique_finds_fewer_than_there_may_be, "T8", obeys("soundness", programs.UNIQUE)),
    Directed(rules.unique_always_finds_something, "T8", obeys("soundness", programs.UNIQUE)),
    Directed(rules.only_the_right_side_broadcasts, "T17", owes(programs.FOUR, "dim(%x, 0) == 4 or dim(%x, 0) == 1")),
    Directed(rules.a_size_may_be_as_small_as_minus_one, "T5", obeys("soundness", programs.MINUS)),
    Directed(rules.contents_survive_wrapping, "T6", obeys("soundness", programs.WRAPPED)),
    Directed(rules.whoever_enters_is_trusted, "T5", obeys("soundness", programs.TRUSTED)),
    Directed(values.polarity_is_never_flipped, "T12", blames_there(programs.SQUARE, (3,), "`%g`", "negative")),
    Directed(values.functions_are_never_wrapped, "T5", obeys("soundness", programs.SQUARE)),
    Directed(values.numbers_of_parameters_are_known_by_name, "T5", obeys("soundness", programs.PLACES)),
    Directed(values.parameters_are_kept_apart_from_newcomers_only, "T5", obeys("soundness", programs.CURRIED)),
    Directed(values.references_are_never_wrapped, "T5", obeys("soundness", programs.WRITTEN)),
    Directed(values.data_are_never_converted, "T5", obeys("soundness", programs.LIST)),
    Directed(values.a_tail_call_forgets_its_result, "T5", obeys("soundness", programs.LAYERS)),
    Directed(values.a_composition_keeps_its_last_layer, "T13", obeys("soundness", programs.LAYERS)),
    Directed(
        values.layers_are_composed_the_wrong_way_round, "T13", blames_there(programs.LAYERS, (3,), "`%g`", "positive")
    ),
    Directed(values.whoever_asks_a_rule_is_believed, "T5", obeys("soundness", programs.UNRANKED)),
    Directed(values.a_rank_is_not_demanded, "T6", obeys("soundness", programs.RANK)),
    Directed(testing.what_is_not_tracked_is_no_test, "T9", less_precise(testing.TESTED, ("(2,)", "*"))),
    Directed(testing.an_opaque_branch_leaves_the_test_around_it, "T9", less_precise(testing.NESTED, ("(3,)", "(?,)"))),
    Directed(testing.a_branch_that_fails_forgets_the_rank_of_the_other, "T9", refuses(testing.OTHER, "E0301")),
    Directed(testing.a_path_decides_a_test, "T17", accepts(testing.PATH)),
    Directed(testing.what_is_never_taken_has_no_structure, "T9", refuses(testing.DEAD, "E0306")),
    Directed(testing.what_follows_a_failure_has_no_structure, "T9", refuses(testing.BEHIND, "E0306")),
    Directed(testing.an_opt_out_is_not_printed, "T15", obeys("text", testing.EMPTY)),
    Directed(testing.a_call_may_pass_what_is_empty, "T5", obeys("soundness", testing.SHORTER)),
    Directed(rules.brackets_are_forgotten, "T15", obeys("printing", programs.BRACKETS)),
    Directed(rules.conditions_of_dims_are_printed_loosely, "T15", obeys("printing", programs.LOOSE)),
]
