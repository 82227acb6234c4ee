"""Diagnostics for a function that is not static: each obstacle, and the inputs that would have to be pinned.

[graph.static] [graph.pins]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from shlex import quote

from gradual.core.check import Check
from gradual.core.terms import Function, Module
from gradual.diagnostic import Diagnostic, Help, Related
from gradual.dims.solver.decide import Decider, Sat
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint, all_of, at_least, equal
from gradual.dims.term.dim import ContentOf, Dim, SizeOf, Variable, constant, of_atom
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.pass_ import Context, Unusable
from gradual.passes.plan.obstacles import Obstacle, elements_of_parameters, obstacles, open_sizes
from gradual.passes.plan.prepare import entry_facts, entry_unknowns, graph, ready
from gradual.record import record
from gradual.run.graph.runtime import Graph
from gradual.run.value import NotStatic
from gradual.source import Span
from gradual.types.unpacking import spelled

CODE = "E0406"
LINKS = 8
"""How many links of a chain are shown; of a longer chain, the first ones and the last one."""

CHOICES = 12
"""If at most this many inputs may be determined by others, the smallest set to pin is searched; else all are pinned."""


@record(eq=False)
class Pinned:
    """The result of trying a smallest set of inputs to pin.

    Attributes:
        names: pinned input as a user writes it -> the number tried.
        left: the remaining obstacles.
    """

    names: Mapping[str, int]
    left: tuple[Obstacle, ...]


def required(
    module: Module, entry: str, decider: Decider, file: str, places: Mapping[str, Span]
) -> tuple[Diagnostic, ...]:
    """A diagnostic for every obstacle of a function; none if it is static.  [graph.static]

    `file` is the program's name in the help; `places` are the source positions of its unknown sizes.
    """
    function = ready(module, entry, decider)
    found = obstacles(function, places)
    return tuple(_diagnostics(module, function, found, decider, file, places)) if found else ()


def graph_of(module: Module, entry: str, decider: Decider, file: str, places: Mapping[str, Span]) -> Graph:
    """The graph of a function.  Raises NotStatic, and KeyError for an unknown function.  [graph.prepare]"""
    function = ready(module, entry, decider)
    found = obstacles(function, places)
    if found:
        raise NotStatic(entry, [*_diagnostics(module, function, found, decider, file, places)])
    return graph(module, entry, function)


def _diagnostics(
    module: Module,
    function: Function,
    found: Sequence[Obstacle],
    decider: Decider,
    file: str,
    places: Mapping[str, Span],
) -> Iterator[Diagnostic]:
    pinned = _tried(module, function, found, decider, places)
    for index, obstacle in enumerate(found):
        help = _help(module, function, pinned, file) if index == 0 and pinned is not None else ()
        stays = pinned is not None and any(_same(obstacle, other) for other in pinned.left)
        yield _diagnostic(function, obstacle, help, pinned, stays)


def _diagnostic(
    function: Function, obstacle: Obstacle, help: tuple[Help, ...], pinned: Pinned | None, stays: bool
) -> Diagnostic:
    chain = [link.says for link in obstacle.chain]
    notes: tuple[str, ...] = (f"it comes from {' → '.join(_shortened(chain))}",) if chain else ()
    if pinned is None or stays:
        notes += ("no choice of numbers for the inputs removes it",)
    shown = obstacle.chain if len(obstacle.chain) <= LINKS else (*obstacle.chain[: LINKS - 1], obstacle.chain[-1])
    related = tuple(Related(link.span, link.says) for link in shown if link.span != obstacle.span)
    data: dict[str, object] = {"function": function.name, "chain": chain, "stays": pinned is None or stays}
    if pinned is not None:
        data["pins"] = dict(pinned.names)
    return Diagnostic(
        CODE, obstacle.rule, obstacle.says, obstacle.span, label=obstacle.label, related=related, notes=notes,
        help=help, data=data,
    )  # fmt: skip


def _shortened(chain: Sequence[str]) -> Sequence[str]:
    return chain if len(chain) <= LINKS else [*chain[: LINKS - 1], "…", chain[-1]]


def _same(one: Obstacle, other: Obstacle) -> bool:
    return one.rule == other.rule and one.span == other.span


def _help(module: Module, function: Function, pinned: Pinned, file: str) -> tuple[Help, ...]:
    """The help that names the pass to run, with the numbers that were tried."""
    owner = f"{function.name}:" if len(module.functions) > 1 else ""
    given = "-" if file == "<stdin>" else quote(file)
    words = " ".join(f"'{owner}{name}={number}'" for name, number in pinned.names.items())
    says = f"pin {' and '.join(f'`{name}`' for name in pinned.names)}: gradual pass specialize {words} {given}"
    left = len(pinned.left)
    return (Help(says if not left else f"{says}; {left} obstacle{'s' * (left > 1)} would be left"),)


# ---------------------------------------------------------------------------------------------------------- pinning
def _tried(
    module: Module, function: Function, found: Sequence[Obstacle], decider: Decider, places: Mapping[str, Span]
) -> Pinned | None:
    """Find and try a smallest set of inputs to pin that removes obstacles; None if pinning removes none.

    [graph.pins]
    """
    facts = entry_facts(function)
    needed = {variable for obstacle in found for variable in obstacle.needs}
    held = elements_of_parameters(function, sorted(needed))
    scalars = [variable for variable in held if isinstance(variable.witness, ContentOf) and not variable.witness.index]
    candidates = [*dict.fromkeys((*entry_unknowns(function), *scalars))]
    targets = [of_atom(variable) for variable in candidates]
    targets += [size for size in open_sizes(function) if size.variables() <= {*candidates}]
    numbers = _sample(facts, candidates, _wishes(function, {*candidates}), decider)
    chosen = _smallest(facts, candidates, targets, numbers)
    if not chosen or "specialize" not in PASSES:
        return None
    names = {_spelled(variable): numbers[variable] for variable in chosen}
    given = {f"{function.name}:{name}": str(number) for name, number in names.items()}
    try:
        after = PASSES["specialize"].transform(module, Context(decider, given)).module
    except Unusable:
        return None
    left = obstacles(ready(after, function.name, decider), places)
    return Pinned(names, left) if len(left) < len(found) else None


def _wishes(function: Function, candidates: set[Variable]) -> Constraint:
    """The goals of the checks at the top of the function that mention only candidates."""
    goals = (step.goal for step in function.body.steps if isinstance(step, Check))
    return all_of(*(goal for goal in goals if goal.variables() <= candidates))


def _sample(
    facts: Facts, candidates: Sequence[Variable], wishes: Constraint, decider: Decider
) -> Mapping[Variable, int]:
    """Numbers that satisfy the entry facts; if possible also the checks, and at least 2."""
    for least, wish in ((2, wishes), (1, wishes), (0, wishes), (2, TRUE), (1, TRUE), (None, TRUE)):
        goal = wish
        if least is not None:
            goal = all_of(goal, *(at_least(of_atom(variable), constant(least)) for variable in candidates))
        match decider.satisfiable(facts, goal):
            case Sat(model=model):
                env = {variable: model.get(variable, least or 0) for variable in candidates}
                rest = {v: facts.rewrite(of_atom(v)) for v in candidates if v not in model}
                known = {v: image.evaluate(env) for v, image in rest.items() if image.variables() <= env.keys()}
                return env | known
    return dict.fromkeys(candidates, 2)


def _smallest(
    facts: Facts, candidates: Sequence[Variable], targets: Sequence[Dim], numbers: Mapping[Variable, int]
) -> tuple[Variable, ...]:
    """The first smallest set whose numbers determine every target by the equations on entry."""

    def determine(pinned: Sequence[Variable]) -> bool:
        mark = facts.mark()
        for variable in pinned:
            facts.assume(equal(of_atom(variable), constant(numbers[variable])))
        settled = all(facts.rewrite(target).value is not None for target in targets)
        facts.rollback(mark)
        return settled

    if not determine(candidates):
        return ()
    forced = [one for one in candidates if not determine([other for other in candidates if other is not one])]
    free = [variable for variable in candidates if variable not in forced]
    for count in range(len(free) + 1) if len(free) <= CHOICES else (len(free),):
        for more in combinations(free, count):
            chosen = {*forced, *more}
            pinned = [variable for variable in candidates if variable in chosen]
            if determine(pinned):
                return tuple(pinned)
    return ()


def _spelled(variable: Variable) -> str:
    match variable.witness:
        case SizeOf(value=path, axis=axis):
            return f"dim({spelled(path)},{axis})"
        case ContentOf(value=path):
            return spelled(path)
        case _:
            return variable.name
