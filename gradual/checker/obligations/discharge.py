"""Obligations: each is proved, refuted, or left as a visible check with its blame.

An undecided goal is postponed: if it has a counterexample and the definition turns out strict, it becomes an error at
the end of the definition, since a rigid name ranges over all sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from gradual.checker.obligations.obligation import Obligation, failing_for_all, failing_for_some, fails_always, sampled
from gradual.checker.obligations.value_names import terms, words_of
from gradual.checker.state.context import Elaboration
from gradual.checker.state.obligations import Postponed, fails
from gradual.checker.state.unknowns import mentions_existential
from gradual.core.check import Blame, Check, Promise, Site
from gradual.core.value_words import reworded
from gradual.diagnostic import Diagnostic, Severity
from gradual.dims.rewrite.readable import reduced
from gradual.dims.rewrite.simplify import simplified_constraint
from gradual.dims.store.facts import Facts
from gradual.dims.term.atom import Ite, Max, Min, bottom_up
from gradual.dims.term.constraint import (
    FALSE,
    TRUE,
    AtMost,
    Constraint,
    Equal,
    Or,
    Truth,
    all_of,
    any_of,
    equal,
    negated,
)
from gradual.dims.term.dim import Variable, of_atom
from gradual.dims.term.print import brief
from gradual.source import Span
from gradual.types.unpacking import base_of
from gradual.verdict import Proved, Refuted, Unknown, Verdict


def discharge(
    state: Elaboration, goal: Constraint, described: Callable[[], Obligation], implied: Constraint = TRUE
) -> bool:
    """Prove a goal, refute it, or leave it as a check.

    False if the goal, or the goal and `implied` together, are refuted; in a branch of a test, a refuted goal is left as
    a check that always fails, and the result is True. Any other goal becomes a fact. A proved goal does too: the path
    may have proved it, and later verdicts must not depend on what proved it. `described` is called only if the goal is
    not proved.  [check.proved] [check.refuted] [check.residual]
    """
    if state.reach.unreachable:
        return True
    if goal is TRUE:
        state.obligations.proved += 1
        return True
    state.strictness.owes(goal)
    verdict, asked = _verdict(state, state.facts, goal, implied)
    astray = bool(state.reach.hypothetical) and (isinstance(verdict, Refuted) or state.facts.astray)
    if astray:
        verdict, asked = _apart(state, goal, implied)
    failing = asserted = False
    match verdict:
        case Proved():
            state.obligations.proved += 1
        case Refuted():
            owed = replace(described(), goal=asked)
            if state.reach.tests and not _is_in_error(state, owed):
                return _fail_under_test(state, owed, goal)
            _refute(state, owed, verdict)
            state.facts.refuted()
            return False
        case Unknown():
            owed = described()
            failing, asserted = fails(verdict) and not mentions_existential(goal), owed.site is Site.ASSERT
            _postpone(state, owed, verdict)
    state.facts.learn(goal, verdict, state.reach.hypothetical, astray, failing, asserted)
    return True


def _verdict(state: Elaboration, facts: Facts, goal: Constraint, implied: Constraint) -> tuple[Verdict, Constraint]:
    """The verdict on a goal, and the refuted constraint: the goal, or the goal and `implied` together."""
    decide, whole = state.program.decider.decide, all_of(goal, implied)
    verdict = decide(facts, goal)
    if whole is not goal and not isinstance(verdict, Refuted) and isinstance(further := decide(facts, whole), Refuted):
        return further, whole
    return verdict, goal


def _apart(state: Elaboration, goal: Constraint, implied: Constraint) -> tuple[Verdict, Constraint]:
    """The verdict in code that may never run: goals accepted outside of it do not refute.  [check.apart]

    Called only if the facts contradict this goal or an earlier goal in this code. So if the goal is undecided, its
    check fails in every run that reaches it.
    """
    verdict, asked = _verdict(state, state.facts.apart(state.reach.hypothetical or 0), goal, implied)
    return replace(verdict, fails_if_reached=True) if isinstance(verdict, Unknown) else verdict, asked


def _refute(state: Elaboration, owed: Obligation, verdict: Refuted) -> None:
    """Report a refuted goal, unless it only follows from an error that is reported already.

    A goal may be refuted only because an earlier goal fails for some sizes. In a strict definition it is then reported
    as failing for the other sizes: it is a second error, which needs another fix. A goal about a value in error is not
    reported.   [check.strict]
    """
    if _is_in_error(state, owed):
        return
    where, witness = terms(state, owed.goal), dict(verdict.witness)
    never = failing_for_all(owed, verdict.because, witness, where)
    certain = state.facts.certain()
    if certain is not None and not isinstance(state.program.decider.decide(certain, owed.goal), Refuted):
        error, follows = _failing(state, owed, witness)
        state.obligations.postponed.append(Postponed(verdict, error, False, owed.goal, follows=follows, never=never))
        return
    doubtful = not state.values.doubtful.isdisjoint(owed.values)
    (state.obligations.deferred if doubtful else state.output.diagnostics).append(never)


def _fail_under_test(state: Elaboration, owed: Obligation, goal: Constraint) -> bool:
    """Leave a goal refuted in a branch of a test as a check that always fails; code after it is unreachable.

    In a strict definition this is an error if the branch can be reached, since strict definitions must be right for all
    sizes; if the facts exclude the branch, nothing is reported. Code for all fields of a structure or all calls of a
    function may never run, so code after it stays reachable.   [type.if.fails]
    """
    check = _left(state, owed, "it fails whenever it is reached")
    told, path = fails_always(state, owed, ""), all_of(*state.facts.path)
    everywhere = path is TRUE or state.program.decider.proves(Facts(), path)
    sizes = {} if everywhere else dict(state.program.decider.counterexample(state.facts, negated(path)))
    where, unreached = terms(state, owed.goal), not sizes and not everywhere
    error = failing_for_some(owed, sizes, where) if sizes else failing_for_all(owed, "", sizes, where)
    follows, refuted = unreached or state.reach.after_error or not _is_first(state, owed), Refuted("", sizes)
    state.obligations.postponed.append(Postponed(refuted, error, False, owed.goal, check, follows, told))
    if state.reach.hypothetical is None:
        state.end_branch()
    else:
        state.facts.learn(goal, Unknown(""), state.reach.hypothetical, True)
    return True


def refuse(state: Elaboration, found: Diagnostic) -> None:
    """Report an error that holds at every size; in a branch of a test it is a check that always fails.

    [type.if.fails]
    """
    if state.reach.unreachable:
        return
    if not state.reach.tests:
        state.output.diagnostics.append(found)
        return
    owed = Obligation(FALSE, found.rule, Site.OPERATOR, found.message, found.span, found.label, related=found.related)
    _fail_under_test(state, owed, FALSE)


def _failing(state: Elaboration, owed: Obligation, witness: Mapping[str, int]) -> tuple[Diagnostic, bool]:
    """The error about a goal that fails for some sizes, and whether the error only follows from earlier ones.

    It only follows if an error about the same values was found before, or in an enclosing condition, or if the goal
    holds at all sizes that satisfy the goals before it.   [check.strict]
    """
    follows = state.reach.after_error or not _is_first(state, owed)
    if witness and state.facts.failing:
        with state.facts.behind():
            sizes = state.program.decider.counterexample(state.facts, owed.goal)
        witness, follows = sizes or witness, follows or not sizes
    shown = _readable(state, owed.goal)
    return failing_for_some(owed, dict(witness), terms(state, shown), shown), follows


def _readable(state: Elaboration, goal: Constraint) -> Constraint:
    """The goal, or one comparison with fewer choices that is the same at all sizes that are possible here.

    `broadcasts(n, min(n, 16))` is written `n <= 16`; an equation without choices is written with the user's numbers.
    """
    choices = _choices(goal)
    if not choices:
        return goal
    knowledge = state.facts.told(goal)
    plain = reduced(simplified_constraint(goal, knowledge), knowledge.estimate)
    return plain if isinstance(plain, Equal | AtMost) and _choices(plain) < choices else goal


def _choices(goal: Constraint) -> int:
    return sum(isinstance(node, Ite | Max | Min | Or) for node in bottom_up(goal))


def _is_first(state: Elaboration, owed: Obligation) -> bool:
    """Whether no error was found about the values of an obligation."""
    return not _is_in_error(state, owed) and state.values.doubtful.isdisjoint(owed.values)


def _is_in_error(state: Elaboration, owed: Obligation) -> bool:
    """Whether a goal is about a value in error, so that it is never reported.  [check.strict]"""
    return not state.values.failed.isdisjoint(owed.values)


def require(state: Elaboration, owed: Obligation, implied: Constraint = TRUE) -> bool:
    """As `discharge`, for an obligation that is described already."""
    return discharge(state, owed.goal, lambda: owed, implied)


def _postpone(state: Elaboration, owed: Obligation, verdict: Unknown) -> None:
    """Leave a goal to run time as a visible check; warn if the decider ran out of budget.  [check.gave-up]"""
    certain = _certain_failure(state, owed, verdict)
    because = f"fails for {sampled(owed.goal, verdict.witness)}" if verdict.witness else verdict.because
    because = because if certain is None else "it fails whenever it is reached"
    if state.strictness.has_forgotten(owed.goal):
        because = "it mentions a size whose formula is too large to be kept"
    check = _left(state, owed, because)
    told = not _is_in_error(state, owed)
    rigid = told and not mentions_existential(owed.goal)
    if owed.site is not Site.ASSERT and not state.strictness.has_forgotten(owed.goal):
        error, follows = _failing(state, owed, verdict.witness)
        state.obligations.postponed.append(
            Postponed(verdict, error, rigid, owed.goal, check, follows, everywhere=not state.reach.depth)
        )
    if certain is not None and told:
        state.output.diagnostics.append(fails_always(state, owed, certain))
    if told:
        _warn_of_few(state, owed)
    if verdict.gave_up:
        message = f"could not decide whether this fails: {owed.says}"
        why = (f"required by rule {owed.rule}: {check.shown}", f"checked at run time instead: {verdict.because}")
        state.output.report("E0501", "check.gave-up", message, owed.span, severity=Severity.WARNING, notes=why)


def _left(state: Elaboration, owed: Obligation, because: str) -> Check:
    """Add the run-time check of a goal."""
    goal = _plain(state, owed.goal)
    says = f"{owed.sides[0]} == {owed.sides[1]}" if goal is FALSE and owed.sides is not None else ""
    check = Check("", goal, _blame(state, owed, goal, because), owed.span, says)
    state.output.steps.append(check)
    state.obligations.checks.append(check)
    state.obligations.cones[check] = state.facts.cone(state.facts.rewrite(owed.goal))
    return check


def _plain(state: Elaboration, goal: Constraint) -> Constraint:
    """The goal simplified for run time by the sizes that are known here.

    [check.residual]
    """
    known = {
        name: image for name in goal.variables() if (image := state.facts.rewrite(of_atom(name))).value is not None
    }
    asked = goal.substitute(known)
    knowledge = state.facts.told(asked)
    plain = reduced(simplified_constraint(asked, knowledge), knowledge.estimate)
    return goal if isinstance(plain, Truth) else plain


def _certain_failure(state: Elaboration, owed: Obligation, verdict: Unknown) -> str | None:
    """A note on why a check can never pass here, maybe empty; None if it may pass.  [check.fails-if-reached]

    The check contradicts its path, or a size that an annotation's `?` has forgotten.
    """
    if verdict.fails_if_reached:
        return ""
    remembered = state.unknowns.remembered(owed.goal)
    if remembered is owed.goal or not _is_excluded(state.decide(remembered)):
        return None
    known = [
        f"{v.name} is {state.unknowns.forgotten[v]}"
        for v in sorted(owed.goal.variables())
        if v in state.unknowns.forgotten
    ]
    return f"the annotation forgot that {' and '.join(known)}"


def _is_excluded(verdict: Verdict) -> bool:
    """Whether a goal is refuted by the facts, or by the facts and the path."""
    return isinstance(verdict, Refuted) or (isinstance(verdict, Unknown) and verdict.fails_if_reached)


def _warn_of_few(state: Elaboration, owed: Obligation) -> None:
    """Warn of a goal that mentions one unknown on both sides and holds only for a few of its values.  [check.few]"""
    existentials = [variable for variable in owed.goal.variables() if variable.is_existential]
    parts = owed.goal.parts if isinstance(owed.goal, Or) else (owed.goal,)
    sides = [part.left.names & part.right.names for part in parts if isinstance(part, Equal)]
    if len(existentials) != 1 or not any(existentials[0] in names for names in sides):
        return
    values = state.program.decider.values(state.facts, owed.goal, existentials[0])
    if values is None:
        return
    listed = any_of(*(equal(of_atom(existentials[0]), value) for value in values))
    if not isinstance(state.decide(listed), Proved):  # else the facts leave no others anyway
        message = f"holds only for {existentials[0].name} in {{{', '.join(map(str, values))}}}: {owed.says}"
        notes = (f"required by rule {owed.rule}: {brief(owed.goal)}",)
        state.output.report("E0404", "check.few", message, owed.span, severity=Severity.WARNING, notes=notes)


def _blame(state: Elaboration, owed: Obligation, goal: Constraint, because: str) -> Blame:
    never = owed.sides if goal is FALSE and owed.sides is not None else ()  # `m == m + 1` is about m
    left = tuple(promises(state, goal.variables().union(*(side.variables() for side in never))))
    if owed.blamed:
        blamed = owed.blamed
        spans: tuple[Span, ...] = (owed.span,)
    else:
        blamed = "; ".join(dict.fromkeys(promise.says for promise in left)) or f"`{state.function}`"
        spans = tuple(dict.fromkeys(promise.span for promise in left)) or (owed.span,)
    names = [base for variable in goal.variables() | owed.goal.variables() if (base := base_of(variable)) is not None]
    words = words_of(state, names)
    left = tuple(replace(promise, says=reworded(promise.says, words)) for promise in left)
    return Blame(
        owed.rule, owed.site, owed.span, reworded(owed.says, words), reworded(owed.through, words), left,
        reworded(blamed, words), spans, reworded(because, words), owed.goal, owed.polarity,
        terms(state, goal, owed.goal), words,
    )  # fmt: skip


def promises(state: Elaboration, open: Iterable[Variable]) -> Iterator[Promise]:
    """The promises about a goal's unknowns, in source order; if it has none, those about its rigid names."""
    variables = sorted(open, key=lambda variable: variable.name)
    existentials = [(v, state.unknowns.existentials[v]) for v in variables if v in state.unknowns.existentials]
    rigids = [
        (v, Promise(state.unknowns.rigids[v], f"the caller's choice of `{v.name}`"))
        for v in variables
        if v in state.unknowns.rigids
    ]
    left = existentials or rigids
    names: dict[tuple[Span, str], tuple[str, ...]] = {}
    for variable, promise in left:
        place = promise.span, promise.says
        names[place] = (*names.get(place, ()), variable.name)
    yield from sorted((Promise(*place, named) for place, named in names.items()), key=lambda one: one.span.start)
