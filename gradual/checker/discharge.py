"""Obligations: each is proved, refuted, or left as a visible check with its blame.

What is postponed here becomes an error at the end of the definition if the definition is strict, since a rigid
name stands for every size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gradual.checker.elaboration import Elaboration, Postponed, fails, mentions_ghost
from gradual.checker.naming import terms, words_of
from gradual.core.terms import Blame, Check, Polarity, Promise, Site
from gradual.core.words import UNWRITTEN, reworded
from gradual.diagnostic import Diagnostic, Related, Severity
from gradual.dims.constraint import FALSE, TRUE, AtMost, Constraint, Equal, Or, Truth, all_of, negated
from gradual.dims.dim import Dim, Undefined, Variable, of_atom
from gradual.dims.facts import Facts
from gradual.dims.reduce import reduced
from gradual.dims.simplify import simplified_constraint
from gradual.dims.text import brief
from gradual.source import Span
from gradual.types.opening import base_of
from gradual.verdict import Proved, Refuted, Unknown, Verdict

UNSAID = "assertion failed"
"""What an assertion says that has no words of its own."""


@dataclass(frozen=True, slots=True)
class Owed:
    """A goal with everything a report about it needs.

    Attributes:
        says: how it fails, in the user's words.
        span: the operand or annotation that it is about.
        label: the words under that span.
        through: the position of the value that owes it.
        related: the other places that take part.
        sides: the two sizes that must agree, where there are two; a goal of constants is folded.
        values: the core variables whose sizes take part.
        blamed: for a demand that somebody wrote (a cast, an argument): that party; otherwise whoever left a `?`.
        polarity: whether the value, or the context of a function, breaks the promise.
    """

    goal: Constraint
    rule: str
    site: Site
    says: str
    span: Span
    label: str = ""
    through: str = ""
    related: tuple[Related, ...] = ()
    blamed: str = ""
    sides: tuple[Dim, Dim] | None = None
    values: tuple[str, ...] = ()
    polarity: Polarity = Polarity.POSITIVE


def discharge(state: Elaboration, goal: Constraint, described: Callable[[], Owed], implied: Constraint = TRUE) -> bool:
    """Prove, refute or postpone a goal, and learn it; False if it was refuted, or if what it implies is.

    Only what is not proved is described.  A proved goal is learnt too: it may have been proved by the path, and what is
    plausible later must not depend on who proved it.  [check.proved] [check.refuted] [check.residual]
    """
    if state.over:
        return True
    if goal is TRUE:
        state.proved += 1
        return True
    state.strictness.owes(goal)
    verdict, asked = _verdict(state, state.facts, goal, implied)
    astray = bool(state.before) and (isinstance(verdict, Refuted) or state.facts.astray)
    if astray:
        verdict, asked = _apart(state, goal, implied)
    failing = asserted = False
    match verdict:
        case Proved():
            state.proved += 1
        case Refuted() if state.tested:
            return _fail_under_test(state, replace(described(), goal=asked), goal)
        case Refuted():
            _refute(state, replace(described(), goal=asked), verdict)
            state.facts.refuted()
            return False
        case Unknown():
            owed = described()
            failing, asserted = fails(verdict) and not mentions_ghost(goal), owed.site is Site.ASSERT
            _postpone(state, owed, verdict)
    state.facts.learn(goal, verdict, state.before, astray, failing, asserted)
    return True


def _verdict(state: Elaboration, facts: Facts, goal: Constraint, implied: Constraint) -> tuple[Verdict, Constraint]:
    """The verdict on a goal, and what was refuted if it is refuted: itself, or together with what it implies."""
    decide, whole = state.program.decider.decide, all_of(goal, implied)
    verdict = decide(facts, goal)
    if whole is not goal and not isinstance(verdict, Refuted) and isinstance(further := decide(facts, whole), Refuted):
        return further, whole
    return verdict, goal


def _apart(state: Elaboration, goal: Constraint, implied: Constraint) -> tuple[Verdict, Constraint]:
    """The verdict where nobody may ever come: goals that were learnt on another way do not refute.  [check.apart]

    They exclude the goal, or what was accepted before it here, so that it fails if it is reached.
    """
    verdict, asked = _verdict(state, state.facts.apart(state.before or 0), goal, implied)
    return replace(verdict, fails_if_reached=True) if isinstance(verdict, Unknown) else verdict, asked


def _refute(state: Elaboration, owed: Owed, verdict: Refuted) -> None:
    """Report a refuted goal, unless it only follows from an error that is reported already.

    One that holds for no sizes only because a goal before fails for some is told as failing for the others, if the
    definition is strict: it is the next error there, and both are mended apart.   [check.strict]
    """
    where, witness = terms(state, owed.goal), dict(verdict.witness)
    never = _refuted(owed, verdict.because, witness, where)
    certain = state.facts.certain()
    if certain is not None and not isinstance(state.program.decider.decide(certain, owed.goal), Refuted):
        error, follows = _failing(state, owed, witness)
        state.postponed.append(Postponed(verdict, error, False, owed.goal, follows=follows, never=never))
        return
    if state.failed.isdisjoint(owed.values):
        (state.diagnostics if state.doubtful.isdisjoint(owed.values) else state.deferred).append(never)


def _fail_under_test(state: Elaboration, owed: Owed, goal: Constraint) -> bool:
    """A goal that holds for no size, in a branch of a test: a check that always fails, and ends the branch.

    A strict definition is for every size, so that it is an error there if the branch can be reached; if what is known
    excludes the branch, it is nothing there.  What stands for
    all fields of a structure or all calls of a function may be on no way at all, and ends nothing.   [type.if.fails]
    """
    check = _left(state, owed, "it fails whenever it is reached")
    told, path = _fails_always(state, owed, ""), all_of(*state.facts.path)
    sizes = {} if path is TRUE else dict(state.program.decider.counterexample(state.facts, negated(path)))
    where, unreached = terms(state, owed.goal), not sizes and path is not TRUE
    error = _refuted_strictly(owed, sizes, where) if sizes else _refuted(owed, "", sizes, where)
    follows, refuted = unreached or state.astray or not _is_first(state, owed), Refuted("", sizes)
    state.postponed.append(Postponed(refuted, error, False, owed.goal, check, follows, told))
    if state.before is None:
        state.end_branch()
    else:
        state.facts.learn(goal, Unknown(""), state.before, True)
    return True


def refuse(state: Elaboration, found: Diagnostic) -> None:
    """Report what no rank or axis makes right; in a branch of a test it is a check that always fails.

    [type.if.fails]
    """
    if state.over:
        return
    if not state.tested:
        state.diagnostics.append(found)
        return
    owed = Owed(FALSE, found.rule, Site.OPERATOR, found.message, found.span, found.label, related=found.related)
    _fail_under_test(state, owed, FALSE)


def _failing(state: Elaboration, owed: Owed, witness: Mapping[str, int]) -> tuple[Diagnostic, bool]:
    """The error about a goal that fails for some sizes, and whether it only follows from others.

    It does where it fails at no sizes that come there, past the goals before it.   [check.strict]
    """
    follows = state.astray or not _is_first(state, owed)
    if witness and state.facts.failing:
        with state.facts.behind():
            sizes = state.program.decider.counterexample(state.facts, owed.goal)
        witness, follows = sizes or witness, follows or not sizes
    return _refuted_strictly(owed, dict(witness), terms(state, owed.goal)), follows


def _is_first(state: Elaboration, owed: Owed) -> bool:
    """Whether nothing was reported about the values that take part."""
    return state.failed.isdisjoint(owed.values) and state.doubtful.isdisjoint(owed.values)


def owe(state: Elaboration, owed: Owed, implied: Constraint = TRUE) -> bool:
    """As `discharge`, where the description is at hand."""
    return discharge(state, owed.goal, lambda: owed, implied)


def _postpone(state: Elaboration, owed: Owed, verdict: Unknown) -> None:
    """Leave a goal to run time as a visible check; an answer that ran out of budget is said.  [check.gave-up]"""
    certain = _certain_failure(state, owed, verdict)
    because = f"fails for {_sample(owed.goal, verdict.witness)}" if verdict.witness else verdict.because
    because = because if certain is None else "it fails whenever it is reached"
    if state.strictness.has_forgotten(owed.goal):
        because = "it mentions a size whose formula is too large to be kept"
    check = _left(state, owed, because)
    rigid = not mentions_ghost(owed.goal)
    if owed.site is not Site.ASSERT and not state.strictness.has_forgotten(owed.goal):
        error, follows = _failing(state, owed, verdict.witness)
        state.postponed.append(Postponed(verdict, error, rigid, owed.goal, check, follows, everywhere=not state.inside))
    if certain is not None:
        state.diagnostics.append(_fails_always(state, owed, certain))
    _warn_of_few(state, owed)
    if verdict.gave_up:
        message = f"could not decide whether this fails: {owed.says}"
        why = (f"required by rule {owed.rule}: {check.shown}", f"checked at run time instead: {verdict.because}")
        state.report("E0501", "check.gave-up", message, owed.span, severity=Severity.WARNING, notes=why)


def _left(state: Elaboration, owed: Owed, because: str) -> Check:
    """The check that a goal is at run time."""
    goal = _plain(state, owed.goal)
    says = f"{owed.sides[0]} == {owed.sides[1]}" if goal is FALSE and owed.sides is not None else ""
    check = Check("", goal, _blame(state, owed, goal, because), owed.span, says)
    state.steps.append(check)
    state.checks.append(check)
    state.cones[check] = state.facts.cone(state.facts.rewrite(owed.goal))
    return check


def _plain(state: Elaboration, goal: Constraint) -> Constraint:
    """The goal as it is asked at run time: without sizes that are known by now, and what they exclude.

    [check.residual]
    """
    known = {
        name: image for name in goal.variables() if (image := state.facts.rewrite(of_atom(name))).value is not None
    }
    knowledge = state.facts.known.knowledge
    plain = reduced(simplified_constraint(goal.substitute(known), knowledge), knowledge.estimate)
    return goal if isinstance(plain, Truth) else plain


def _certain_failure(state: Elaboration, owed: Owed, verdict: Unknown) -> str | None:
    """Why a check can never pass here, in a note or none; None if it may.  [check.fails-if-reached]

    It contradicts its path, or the value behind a forgotten size.
    """
    if verdict.fails_if_reached:
        return ""
    remembered = state.remembered(owed.goal)
    if remembered is owed.goal or not isinstance(state.program.decider.decide(state.facts, remembered), Refuted):
        return None
    known = [f"{v.name} is {state.behind[v]}" for v in sorted(owed.goal.variables()) if v in state.behind]
    return f"the annotation forgot that {' and '.join(known)}"


def _fails_always(state: Elaboration, owed: Owed, why: str) -> Diagnostic:
    """The warning about a check that can never pass.  [check.fails-if-reached]"""
    notes = (f"required by rule {owed.rule}{_required(owed)}", *terms(state, owed.goal), *((why,) if why else ()))
    message = f"this fails whenever it is reached: {owed.says}"
    return Diagnostic(
        "E0403", "check.fails-if-reached", message, owed.span, Severity.WARNING, owed.label, owed.related, notes,
        data={"goal": str(owed.goal)},
    )  # fmt: skip


def _warn_of_few(state: Elaboration, owed: Owed) -> None:
    """A goal that speaks of one unknown on both sides and holds for a few of its values only.  [check.few]"""
    ghosts = [variable for variable in owed.goal.variables() if variable.is_ghost]
    parts = owed.goal.parts if isinstance(owed.goal, Or) else (owed.goal,)
    both = any(isinstance(part, Equal) and part.left.names & part.right.names for part in parts)
    if len(ghosts) != 1 or not both:
        return
    values = state.program.decider.values(state.facts, owed.goal, ghosts[0])
    if values is not None:
        message = f"holds only for {ghosts[0].name} in {{{', '.join(map(str, values))}}}: {owed.says}"
        notes = (f"required by rule {owed.rule}: {brief(owed.goal)}",)
        state.report("E0404", "check.few", message, owed.span, severity=Severity.WARNING, notes=notes)


def _blame(state: Elaboration, owed: Owed, goal: Constraint, because: str) -> Blame:
    left = tuple(promises(state, goal.variables()))
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
    """Who left sizes open: their unknowns first to last, or the rigid names if there is no unknown."""
    variables = sorted(open, key=lambda variable: variable.name)
    ghosts = [(v, state.ghosts[v]) for v in variables if v in state.ghosts]
    rigids = [
        (v, Promise(state.rigids[v], f"the caller's choice of `{v.name}`")) for v in variables if v in state.rigids
    ]
    left = ghosts or rigids
    names: dict[tuple[Span, str], tuple[str, ...]] = {}
    for variable, promise in left:
        place = promise.span, promise.says
        names[place] = (*names.get(place, ()), variable.name)
    yield from sorted((Promise(*place, named) for place, named in names.items()), key=lambda one: one.span.start)


def _sample(goal: Constraint, witness: Mapping[str, int]) -> str:
    """The sizes of a counterexample, without those that nobody wrote and the goal does not speak of."""
    asked = {variable.name for variable in goal.variables()}
    told = {name: value for name, value in witness.items() if name in asked or not UNWRITTEN.search(name)}
    return ", ".join(f"{name} = {value}" for name, value in (told or witness).items())


def _refuted(owed: Owed, because: str, witness: dict[str, int], where: tuple[str, ...]) -> Diagnostic:
    sample = _sample(owed.goal, witness)
    notes = (f"for instance at {sample}{_where(owed.goal, witness)}",) if witness else ()
    return Diagnostic(
        "E0301",
        owed.rule,
        _hopeless(owed),
        owed.span,
        label=owed.label,
        related=owed.related,
        notes=(
            *notes,
            f"required by rule {owed.rule}{_required(owed)}",
            *where,
            *((because,) if because and owed.goal is not FALSE else ()),
        ),
        data=_data(owed, witness),
    )


def _hopeless(owed: Owed) -> str:
    """In words, what fails at every size; an assertion's own words say what should hold."""
    if owed.site is not Site.ASSERT:
        return f"{owed.says}{_never(owed)}"
    return "the assertion never holds" + (f': "{owed.says}"' if owed.says != UNSAID else "")


def _refuted_strictly(owed: Owed, witness: dict[str, int], where: tuple[str, ...]) -> Diagnostic:
    sample = _sample(owed.goal, witness)
    return Diagnostic(
        "E0302",
        owed.rule,
        f"{owed.says} for some sizes: fails for {sample}",
        owed.span,
        label=owed.label or f"fails when {sample}",
        related=owed.related,
        notes=(
            f"counterexample: {sample}{_where(owed.goal, witness)}",
            f"required by rule {owed.rule}{_required(owed)}",
            *where,
        ),
        data=_data(owed, witness),
    )


def _never(owed: Owed) -> str:
    """In words, that a goal holds at no size."""
    if owed.sides is not None:
        return f": {brief(owed.sides[0])} is not {brief(owed.sides[1])}"
    if isinstance(owed.goal, Equal):
        return f": {brief(owed.goal.left)} is never {brief(owed.goal.right)}"
    return "" if owed.goal is FALSE else f": `{brief(owed.goal)}` never holds"


def _required(owed: Owed) -> str:
    if owed.goal is not FALSE:
        return f": {brief(owed.goal)}"
    return f": {brief(owed.sides[0])} == {brief(owed.sides[1])}" if owed.sides is not None else ""


def _sides(goal: Constraint, witness: dict[str, int]) -> str:
    """What the sides of an equality (or the goal) are under a valuation; empty where that already names them."""
    values = {variable: witness[variable.name] for variable in goal.variables() if variable.name in witness}
    if not isinstance(goal, Equal) or not _covers(values, goal):
        return f"`{brief(goal)}` is false"
    left, right = sorted((goal.left, goal.right), key=_is_plain)
    if not _is_plain(right):
        return f"{brief(left)} is {_value(left, values)} and {brief(right)} is {_value(right, values)}"
    named = left.value is None and right.value is None and _is_plain(left)
    return "" if named else f"{brief(left)} is {_value(left, values)}, not {_value(right, values)}"


def _data(owed: Owed, witness: dict[str, int]) -> dict[str, object]:
    """What other programs read of an error: the least sizes, the goal, and the two sizes that differ."""
    sides = {} if owed.sides is None else {"sides": [str(side) for side in owed.sides]}
    return {"counterexample": witness, "goal": str(owed.goal), **sides}


def _where(goal: Constraint, witness: dict[str, int]) -> str:
    """The sides at a counterexample, as the end of a sentence."""
    sides = "" if goal is FALSE else _sides(goal, witness)
    return f", where {sides}" if sides else ""


def _is_plain(dim: Dim) -> bool:
    """Whether a dim is a number or a name."""
    return dim.value is not None or any(dim == of_atom(variable) for variable in dim.variables())


def _value(dim: Dim, values: dict[Variable, int]) -> str:
    """The number that a dim is, or words where it divides by nothing."""
    try:
        return str(dim.evaluate(values))
    except Undefined:
        return "undefined"


def _covers(values: dict[Variable, int], goal: Constraint) -> bool:
    return all(variable in values for variable in goal.variables())


def settle(state: Elaboration) -> None:
    """At the end of a definition: strict ones answer for every size, gradual ones are warned.

    What only follows from another error is not repeated.  In a strict definition what fails for some sizes is an error
    or follows from one: it is no residual check any more.  [type.strict] [check.strict] [check.rigid-warning]
    """
    refuted: set[Check] = set()
    stronger = {} if state.strictness.gradual else _stronger(state)
    for place, postponed in enumerate(state.postponed):
        if not postponed.fails:
            continue
        if not state.strictness.gradual:
            refuted.update((postponed.check,) if postponed.check is not None else ())
            if not postponed.follows and postponed not in stronger:
                weaker = [one for one, other in stronger.items() if other is postponed]
                whole = _with_weaker(postponed, weaker)
                state.postponed[place] = whole
                state.diagnostics.append(whole.error)
        elif postponed.never is not None:
            state.diagnostics.append(postponed.never)
        elif postponed.rigid:
            state.diagnostics.append(_rigid_warning(postponed.error))
    if state.strictness.gradual:
        state.diagnostics += state.deferred
    state.checks = [check for check in state.checks if check not in refuted]


def _stronger(state: Elaboration) -> dict[Postponed, Postponed]:
    """Which errors of a strict definition another one implies: a later need on every way, `t >= 5` for `t >= 3`.

    Only bounds are looked at, so that no search is needed; what is implied is told with the one that implies it.
    [check.strict]
    """
    told = [one for one in state.postponed if one.fails and not one.follows and isinstance(one.goal, AtMost)]
    facts, found = state.facts, dict[Postponed, Postponed]()
    for place, one in enumerate(told):
        for other in told[place + 1 :]:
            if (
                other.everywhere
                and one.goal is not None
                and other.goal is not None
                and _implies(facts, other.goal, one.goal)
            ):
                found[one] = other
    return {one: _last_of(found, one) for one in found}


def _last_of(found: Mapping[Postponed, Postponed], one: Postponed) -> Postponed:
    while one in found:
        one = found[one]
    return one


def _implies(facts: Facts, goal: Constraint, weaker: Constraint) -> bool:
    """Whether a bound follows from another one, by their sides alone."""
    if goal.variables() != weaker.variables():
        return False
    mark = facts.mark()
    facts.assume(goal)
    rewritten = facts.rewrite(weaker)
    holds = rewritten is TRUE or facts.known.estimate.holds(rewritten) is True
    facts.rollback(mark)
    return holds


def _with_weaker(stronger: Postponed, weaker: Sequence[Postponed]) -> Postponed:
    """The error with the places that need less of the same."""
    if not weaker:
        return stronger
    related = tuple(Related(one.error.span, f"`{brief(one.goal)}` is needed here") for one in weaker)
    return replace(stronger, error=replace(stronger.error, related=(*stronger.error.related, *related)))


def _rigid_warning(error: Diagnostic) -> Diagnostic:
    """A rigid goal of a gradual definition that may fail: checked at run time, and said."""
    return Diagnostic(
        "E0402",
        "check.rigid-warning",
        error.message,
        error.span,
        Severity.WARNING,
        error.label,
        error.related,
        (*error.notes, "the definition has unknown sizes, so this is checked at run time"),
        data=error.data,
    )
