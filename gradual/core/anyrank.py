"""The verifier's part for operands of unknown rank: an operator's rule must hold at every rank that there can be.

[op.dynamic] [core.verify]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradual.core.terms import Apply
from gradual.core.verifying import Verifying
from gradual.dims.constraint import FALSE, And, Constraint, Or, all_of, any_of, at_least, equal, negated
from gradual.dims.dim import ContentOf, Dim, Ite, RankOf, SizeOf, Variable, constant
from gradual.limits import LIMITS
from gradual.ops.cases import Case, Together, Types, Unknown, at_size, unranked
from gradual.ops.operator import Contents, IllFormed, Judgement
from gradual.ops.ranks import Asking
from gradual.types.opening import at_rank, counted, numel_of, rank_of, shapes_unknown, size_of, sizes
from gradual.types.type import Hole, OpenedType, TensorType, TupleType, UnrankedType
from gradual.verdict import Proved


def rank_known(verifier: Verifying, origin: str, rank: int) -> None:
    """From here on the shapes of an origin have a rank."""
    facts = verifier.facts
    facts.assume(equal(rank_of(origin), constant(rank)))
    facts.assume(counted(origin, rank))
    for axis in range(rank):
        facts.assume(at_least(size_of(origin, axis), constant(0)))
    for name, type in verifier.types.items():
        if origin in shapes_unknown(type):
            verifier.types[name] = at_rank(type, origin, rank)


def learnt(verifier: Verifying, goal: Constraint) -> None:
    """Take in the rank that a goal says, if it says one."""
    solution = goal.solution
    witness = solution[0].witness if solution is not None else None
    if solution is not None and isinstance(witness, RankOf) and solution[1].value is not None:
        rank_known(verifier, witness.value, solution[1].value)


def settle(verifier: Verifying, operands: tuple[str, ...]) -> None:
    """Take in the ranks of operands that the facts know."""
    for operand in operands:
        for origin in tuple(shapes_unknown(verifier.types[operand])) if operand in verifier.types else ():
            _settle(verifier, origin)


def _settle(verifier: Verifying, origin: str) -> None:
    rank = verifier.facts.rewrite(rank_of(origin)).value
    if rank is not None and 0 <= rank <= LIMITS.rank:
        rank_known(verifier, origin, rank)


def define(verifier: Verifying, type: OpenedType, path: str) -> None:
    """A value of unknown rank has a rank and a number of elements, neither of them negative."""
    match type:
        case UnrankedType(origin=None):
            verifier.found.append(f"{path}: an unknown rank that is nobody's")
        case UnrankedType(origin=origin) if origin == path:
            for ghost in (rank_of(path), numel_of(path)):
                verifier.facts.assume(at_least(ghost, constant(0)))
        case TupleType(fields):
            for index, field in enumerate(fields):
                define(verifier, field, f"{path}#{index}")


def read_always(node: Any) -> Iterator[Variable]:
    """The variables that are read whichever branches of sizes are taken, and whichever part decides a predicate."""
    match node:
        case And(parts=parts) | Or(parts=parts):
            first, *others = (dict.fromkeys(read_always(part)) for part in parts)
            yield from (variable for variable in first if all(variable in other for other in others))
        case Variable():
            yield node
        case Ite(condition=condition):
            yield from read_always(condition)
        case Dim():
            for atom in node.atoms():
                yield from read_always(atom)
        case _:
            for child in node.children:
                yield from read_always(child)


def readable(verifier: Verifying, variable: Variable, what: str) -> None:
    """A size or an element is read of a value only where its rank has been seen to have one."""
    match variable.witness:
        case SizeOf(value=path, axis=axis) if (part := _part(verifier.types, path)) is not None:
            verifier._prove(at_least(rank_of(part), constant(axis + 1)), f"{what} reads dimension {axis} of {path}")
            verifier.facts.assume(at_least(size_of(path, axis), constant(0)))
            _settle(verifier, part)
        case ContentOf(value=path, index=index) if (part := _part(verifier.types, path)) is not None:
            least = constant((*index, 0)[0] + 1)
            ranked = equal(rank_of(part), constant(len(index)))
            there = all_of(ranked, *(at_least(size_of(part, axis), least) for axis in range(len(index))))
            goal = any_of(at_least(numel_of(part), least), there)
            verifier._prove(goal, f"{what} reads an element of {path}")
        case ContentOf(value=path, index=(index,)) if (length := _length(verifier.types, path)) is not None:
            verifier._prove(at_least(length, constant(index + 1)), f"{what} reads an element of {path}")
        case _:
            pass


def seen(verifier: Verifying, type: OpenedType) -> None:
    """A value that is there has its type, so the values whose sizes and elements the type reads have them."""
    for size in sizes(type):
        for variable, unless in _reads(size, FALSE):
            match variable.witness:
                case SizeOf(value=path, axis=axis) if (part := _part(verifier.types, path)) is not None:
                    verifier.facts.assume(any_of(unless, at_least(rank_of(part), constant(axis + 1))))
                    verifier.facts.assume(any_of(unless, at_least(size_of(path, axis), constant(0))))
                case ContentOf(value=path, index=index) if (part := _part(verifier.types, path)) is not None:
                    verifier.facts.assume(any_of(unless, at_least(numel_of(part), constant((*index, 0)[0] + 1))))
                case ContentOf(value=path, index=(index,)) if (length := _length(verifier.types, path)) is not None:
                    verifier.facts.assume(any_of(unless, at_least(length, constant(index + 1))))
                case _:
                    pass


def _reads(node: Any, unless: Constraint) -> Iterator[tuple[Variable, Constraint]]:
    """The variables that a size reads, each with what holds where another branch of the size is taken."""
    match node:
        case Variable():
            yield node, unless
        case Dim():
            for atom in node.atoms():
                yield from _reads(atom, unless)
        case Ite(condition=condition, then=then, orelse=orelse):
            yield from ((variable, unless) for variable in read_always(condition))
            yield from _reads(then, any_of(unless, negated(condition)))
            yield from _reads(orelse, any_of(unless, condition))
        case _:
            for child in node.children:
                yield from _reads(child, unless)


def read_by(value: Any) -> Iterator[Variable]:
    """The sizes that an attribute reads whichever branches of sizes are taken."""
    if isinstance(value, Dim):
        yield from read_always(value)
    for part in value if isinstance(value, tuple) else ():
        yield from read_by(part)


def _part(types: Mapping[str, OpenedType], path: str) -> str | None:
    """The origin of the part at a path, if its rank is unknown."""
    part = _at(types, path)
    return part.origin if isinstance(part, UnrankedType) else None


def _length(types: Mapping[str, OpenedType], path: str) -> Dim | None:
    """The size of the vector at a path."""
    match _at(types, path):
        case TensorType((length,)):
            return length
        case _:
            return None


def _at(types: Mapping[str, OpenedType], path: str) -> OpenedType | None:
    base, *fields = path.split("#")
    part = types.get(base)
    for field in fields:
        part = part.fields[int(field)] if isinstance(part, TupleType) else None
    return part


def recorded(verifier: Verifying, judged: TensorType[Dim | Hole], origin: str, path: str) -> None:
    """A value that is recorded to have an origin's shape has its rank and its sizes; its own says what they are."""
    sizes = [(axis, extent) for axis, extent in enumerate(judged.shape) if isinstance(extent, Dim)]
    goals = [equal(rank_of(origin), constant(judged.rank))]
    goals += [equal(size_of(origin, axis), size) for axis, size in sizes]
    if origin == path:
        for goal in goals:
            verifier.facts.assume(goal)
        return
    if len(sizes) < judged.rank:
        verifier.found.append(f"{path} is recorded to have the shape of {origin}")
    for goal in goals:
        verifier._prove(goal, f"{path} is recorded to have the shape of {origin}: {goal}")


# ------------------------------------------------------------------------------------------------------- operators
def asked(verifier: Verifying, operands: tuple[str, ...], asking: Asking) -> tuple[Types, Judgement | Unknown]:
    """What the rule says of the operands, ranks and sizes that decide one taken in where they are known.

    Raises IllFormed.
    """
    while True:
        types = asking.flattened(tuple(verifier._type(operand) for operand in operands))
        found = asking.step(types)
        known = _known(verifier, asking, types, found) if isinstance(found, Unknown) else None
        if known is None:
            return types, found
        unknown, value = known
        if unknown.origin is not None:
            rank_known(verifier, unknown.origin, value)
        for place in unknown.operands if unknown.origin is None else ():
            verifier.types[operands[place]] = at_size(types[place], unknown.number, value)
            verifier._open_contents(operands[place], True)


def settle_length(verifier: Verifying, name: str) -> None:
    """Take in the length of a vector of integers, if it is known."""
    type = verifier.types.get(name)
    if isinstance(type, TensorType) and type.rank == 1 and type.dtype.is_integer and type.shape[0].value is None:
        value = verifier.decider.simplified(verifier.facts, type.shape[0]).value
        if value is not None and 0 <= value <= LIMITS.contents:
            verifier.types[name] = at_size(type, type.shape[0], value)


def _known(verifier: Verifying, asking: Asking, types: Types, found: Unknown) -> tuple[Unknown, int] | None:
    """A number that the facts know, or the one that the rule fixes and that is proved to be it."""
    value = verifier.decider.simplified(verifier.facts, found.number).value if found.origin is None else None
    if value is not None:
        return found, value
    cases = asking.cases(types)
    fixed = cases.fixed if cases is not None and cases.complete and cases.fitting else None
    if fixed is None:
        return None
    verdict = verifier.decider.decide(verifier.facts, equal(fixed[0].number, constant(fixed[1])))
    return fixed if isinstance(verdict, Proved) else None


def applied(verifier: Verifying, step: Apply, asking: Asking, types: Types) -> None:
    """An application at ranks that are not known: its result is as recorded at each that can be.

    Where it has no check that asks the rule at run time, the rule must hold at each too.
    """
    cases = asking.cases(types)
    if cases is None or not cases.complete:
        _unasked(verifier, step, asking, types)
        return
    possible = [case for case in cases.every if _possible(verifier, step, asking, case)]
    fitting = cases.fitting
    together = Together(fitting)
    for fact in (*together.bounds(), *together.relations(step.name)) if fitting else ():
        verifier.facts.assume(fact)
    if len(possible) == 1 and not possible[0].is_sample:
        _settled(verifier, step, possible[0])
    if fitting:
        verifier._matches(together.result(), step.type, step.name, step.operands)


def _settled(verifier: Verifying, step: Apply, case: Case) -> None:
    """The one case that a run can be in, past the step; a check that asks the rule has met what it needs."""
    for equation in case.equations:
        verifier.facts.assume(equation)
        if step.accepts is None:
            learnt(verifier, equation)
    for need in case.judgement.needs if step.accepts is not None and case.judgement is not None else ():
        verifier.facts.assume(need.goal)


def _unasked(verifier: Verifying, step: Apply, asking: Asking, types: Types) -> None:
    """Too many ranks are unknown: only structure and element types are what they are at any rank."""
    if step.accepts is None:
        verifier.found.append(f"{step.name}: nothing asks whether {step.operator.name} accepts its operands")
    try:
        judgement = asking.sample(types).judgement
    except IllFormed as refusal:
        verifier.found.append(f"{step.name}: {refusal.message}")
        return
    assert judgement is not None
    verifier._matches(unranked(judgement.result), step.type, step.name, step.operands)


def _possible(verifier: Verifying, step: Apply, asking: Asking, case: Case) -> bool:
    """Verify one case under its ranks; whether it can be met, as far as the check that asks the rule does not say."""
    asks, judgement = step.accepts is not None, case.judgement
    if judgement is None and asks:
        return False
    if asks and isinstance(step.type, UnrankedType) and step.type.origin == step.name:
        return True  # a shape of its own is what any case says
    facts, mark, shared = verifier.facts, verifier.facts.mark(), dict(verifier.shared)
    for equation in case.equations:
        facts.suppose(equation)
    reached = asks or not verifier._unreachable()
    if judgement is None and reached:
        verifier.found.append(f"{step.name}: nothing excludes a refusal: {case.refusal}")
    elif case.is_sample and reached and not asks:
        verifier.found.append(f"{step.name}: nothing asks whether {step.operator.name} accepts so long a shape")
    elif judgement is not None and reached and not case.is_sample:
        for need in judgement.needs:
            if asks:  # whoever comes past the check has met it
                facts.suppose(need.goal)
            else:
                verifier._prove(need.goal, f"{step.name} needs {need.goal} [{need.rule}]")
        verifier._matches(judgement.result, step.type, step.name, step.operands)
        _contents(verifier, step, asking.contents(case.types, judgement.result))
    facts.rollback(mark)
    verifier.shared = shared
    return reached


def _contents(verifier: Verifying, step: Apply, given: Contents) -> None:
    recorded = step.type.contents if isinstance(step.type, TensorType) else None
    if recorded is None:
        return
    if given is None or len(given) != len(recorded):
        verifier.found.append(f"{step.name}: contents that no rule gives")
        return
    for content, claimed in zip(given, recorded, strict=True):
        if isinstance(content, Dim) and isinstance(claimed, Dim):
            verifier._prove(equal(content, claimed), f"{step.name}: {content} recorded as {claimed}")
        elif content is not claimed:
            verifier.found.append(f"{step.name}: contents that no rule gives")
