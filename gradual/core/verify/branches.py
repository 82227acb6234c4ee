"""The verifier for branches: type each under its path condition, and compare its result with the recorded join."""

from __future__ import annotations

from gradual.core.check import Check
from gradual.core.pattern import CorePattern
from gradual.core.terms import Block, If, Match
from gradual.core.verify import ranks
from gradual.core.verify.data import Structures
from gradual.dims.term.constraint import FALSE, TRUE, Constraint, all_of, any_of, defined, equal
from gradual.dims.term.dim import Dim, Variable
from gradual.ops.declaration.symbolic_elements import iff
from gradual.record import record
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.type import NeverType, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import base_of, paired_sizes, placed_sizes, shapes_unknown, sizes


def conditional(verifier: Structures, step: If) -> None:
    """Verify both branches of an `if`, each under its path condition.  [core.verify]"""
    boolean(verifier, step.condition)
    truth = verifier.implied(step.condition)
    then = _branch(verifier, step.then, truth.holds, step)
    orelse = _branch(verifier, step.orelse, truth.fails, step)
    _joined(verifier, step, [then, orelse])
    for branch, elsewhere in ((then, truth.fails), (orelse, truth.holds)):
        if branch.never:  # after the `if`, the other branch was taken
            verifier.facts.suppose(elsewhere)


def boolean(verifier: Structures, condition: str) -> None:
    """Require that a condition is a boolean of rank 0.  [core.verify]"""
    type = verifier.type_of(condition)
    if not isinstance(type, TensorType) or type.shape or type.dtype is not DType.BOOL:
        verifier.wrong(f"{condition} decides, and may be something else than a boolean of rank 0")


def matched(verifier: Structures, step: Match) -> None:
    """Verify the arms of a `match`, each with what its pattern binds.  [core.verify]"""
    _joined(verifier, step, [_branch(verifier, arm.block, TRUE, step, arm.pattern) for arm in step.arms])


Read = dict[tuple[str, int], tuple[Dim, ...]]
"""(path, axis) -> a size of the result of a branch, simplified in two ways: by the condition, and by all facts."""


@record
class Branch:
    """The sizes of a branch's result, whether its result has the bottom type, and the goals that it checks."""

    sizes: Read
    never: bool
    checked: tuple[Constraint, ...]


def _joined(verifier: Structures, step: If | Match, branches: list[Branch]) -> None:
    """Define the join: each unknown is a size of one of the branches; if none returns, code after it is unreachable."""
    verifier.define(step.name, step.type)
    verifier.have_values(step.type)  # each branch proves it
    for part in (*sizes(step.type), *((isinstance(step.type, TensorType) and step.type.contents) or ())):
        if not verifier.known(part):
            verifier.found.append(f"{step.name} speaks of what has no value here: {part}")
    for origin in shapes_unknown(step.type):
        if origin.split("#", 1)[0] not in verifier.types:
            verifier.found.append(f"{step.name} is recorded to have the shape of what has no value here: {origin}")
    giving = [branch for branch in branches if not branch.never]
    if not giving:
        verifier.facts.suppose(FALSE)
    if len(giving) == 1 < len(branches):  # after the join this branch was taken, so its checks have passed
        for goal in giving[0].checked:
            if verifier.known(goal):
                verifier.learn(goal)
                ranks.learnt(verifier, goal)
    for place, joined in placed_sizes(step.type):
        variable = bare(joined)
        if variable is None or base_of(variable) != step.name or not all(place in branch.sizes for branch in giving):
            continue
        readings = [_read(verifier, branch, place, joined) for branch in giving]
        if all(readings):
            verifier.facts.assume(any_of(*(all_of(*each) for each in readings)))


def _read(verifier: Structures, branch: Branch, place: tuple[str, int], joined: Dim) -> list[Constraint]:
    """Facts about a size of the join if this branch was taken, with the branch's checks that mention its variables."""
    known = [size for size in branch.sizes[place] if verifier.known(size)]
    if not known:
        return []
    names = frozenset[Variable]().union(*(size.variables() for size in known))
    about = [goal for goal in branch.checked if names & goal.variables() and verifier.known(goal)]
    return [*(equal(joined, size) for size in known), *about]


def _branch(
    verifier: Structures, block: Block, truth: Constraint, step: If | Match, pattern: CorePattern | None = None
) -> Branch:
    """Verify a branch under its path condition; return its sizes and checks."""
    with verifier.scope():
        if truth.value is not True:
            verifier.decider.suppose(verifier.facts, truth)
        if isinstance(step, Match) and pattern is not None:
            verifier.bind(pattern, verifier.type_of(step.scrutinee), False, step.name)
        verifier.block(block)
        type = _given(verifier, block.result, step)
        learnt = {place: verifier.decider.simplified(verifier.facts, size) for place, size in placed_sizes(type)}
    under = verifier.decider.simplified_given
    read: Read = {place: (under(verifier.facts, size, truth), learnt[place]) for place, size in placed_sizes(type)}
    checked = tuple(check.goal for check in block.steps if isinstance(check, Check))
    return Branch(read, isinstance(type, NeverType), checked)


def _given(verifier: Structures, result: str, step: If | Match) -> OpenedType:
    """The type of a branch's result; require that it agrees with the recorded join."""
    if isinstance(step.type, TensorType) and step.type.contents is not None:
        verifier.open_contents(result)
    if not isinstance(step.type, UnrankedType):
        ranks.settle(verifier, (result,))
    type = verifier.type_of(result)
    verifier.alike(type, step.type, step.name)
    _shaped(verifier, type, step.type, step.name)
    ranks.called(verifier, step.type, step.name)
    for size, joined in paired_sizes(type, step.type):
        variable = bare(joined)
        if size is not joined and (variable is None or base_of(variable) != step.name):
            verifier.prove(equal(size, joined), f"{step.name}: a branch gives {size}, recorded as {joined}")
            for condition in defined(verifier.decider.simplified(verifier.facts, joined)):
                verifier.prove(condition, f"{step.name}: {joined} has no value unless {condition}")
    _joined_contents(verifier, type, step)
    return type


def _shaped(verifier: Structures, type: OpenedType, recorded: OpenedType, path: str) -> None:
    """Require that a part recorded with the shape of another value has that shape in the branch.  [type.unranked]"""
    match type, recorded:
        case TupleType(fields), TupleType(others):
            for index, pair in enumerate(zip(fields, others, strict=False)):
                _shaped(verifier, *pair, f"{path}#{index}")
        case TensorType(), UnrankedType(origin=str(origin)) if origin != path:
            ranks.recorded(verifier, type, origin, path)
        case UnrankedType(), UnrankedType(origin=origin) if origin not in (path, type.origin):
            verifier.wrong(f"{path} is recorded to have the shape of {origin}, not of {type.origin}")


def _joined_contents(verifier: Structures, type: OpenedType, step: If | Match) -> None:
    if isinstance(type, NeverType):  # a branch that never returns constrains nothing
        return
    recorded = step.type.contents if isinstance(step.type, TensorType) else None
    found = type.contents if isinstance(type, TensorType) else None
    if recorded is not None and (found is None or len(found) != len(recorded)):
        verifier.wrong(f"{step.name}: contents that a branch does not give")
        return
    for content, joined in zip(found or (), recorded or (), strict=False):
        if isinstance(content, Dim) and isinstance(joined, Dim):
            verifier.prove(equal(content, joined), f"{step.name}: a branch gives {content}, recorded as {joined}")
        elif isinstance(content, Constraint) and isinstance(joined, Constraint):
            verifier.prove(iff(content, joined), f"{step.name}: a branch gives {content}, recorded as {joined}")
        else:
            verifier.wrong(f"{step.name}: contents that a branch does not give")
