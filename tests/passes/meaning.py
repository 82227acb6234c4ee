"""What every pass of the catalogue keeps, as one law of programs.  [T14]"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from gradual.core.check import Check
from gradual.core.def_use import defined, every
from gradual.core.print import printed
from gradual.core.terms import Function, Module
from gradual.core.verify.function import violations
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.pass_ import Context, Pass, Transformed, Unusable
from gradual.types.type import OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import placed_sizes
from tests.passes.given import GIVEN, NARROWING, Given
from tests.properties.case import Case
from tests.properties.compiling import SHARED, outcome, same

TAKEN = 3
"""How many of the passes the law `passes` puts one program through, the last of which is a row of passes."""

LONG = 4
"""How many passes such a row has."""


def passes(case: Case) -> str | None:
    """Some passes, drawn from the program's number, keep what a pass keeps.  [T14]"""
    random = Random(f"passes {case.seed}")
    return kept(case, [*random.sample(list(PASSES.values()), TAKEN - 1), row(random.sample(PLAIN, LONG))])


def kept(case: Case, some: Iterable[Pass] | None = None) -> str | None:
    """Every pass keeps the outcome of every run, and the verifier accepts what it writes.  [T14] [pass.outcome]"""
    if not case.found.ok:
        return None
    for one in (*PASSES.values(), ALL) if some is None else some:
        for given in GIVEN[one.name](case.found.core) if one.takes else ({},):
            says = keeps(case, one, given)
            if says is not None:
                return f"{one.name} {dict(given) or ''}: {says}"
    return None


PLAIN = [one.name for one in PASSES.values() if not one.takes]
"""The passes that are given nothing."""

ORDER = ("inline", "fold-constants", "dynamic-to-static", "simplify-shapes", "hoist-checks", "drop-dead")


def row(names: Sequence[str]) -> Pass:
    """Passes one after another, as one."""

    def transform(module: Module, context: Context) -> Transformed:
        for name in names:
            module = PASSES[name].transform(module, context).module
        return Transformed(module)

    return Pass(", ".join(names), "Passes one after another.", transform)


ALL = row(ORDER)


def restored(case: Case) -> str | None:
    """What is static becomes dynamic and static again, and is what it was.  [pass.dynamic]"""
    if not case.found.ok:
        return None
    static, dynamic = PASSES["dynamic-to-static"], PASSES["static-to-dynamic"]
    context = Context(SHARED())
    before = static.transform(case.found.core, context).module
    loose = dynamic.transform(before, context).module
    found, wanted = printed(static.transform(loose, context).module), printed(before)
    return None if found == wanted else f"restored as\n{found}\ninstead of\n{wanted}\nfrom\n{printed(loose)}"


def keeps(case: Case, one: Pass, given: Given) -> str | None:
    """What one pass does not keep of a program; None if it keeps all."""
    before, context = case.found.core, Context(SHARED(), dict(given))
    try:
        after = one.transform(before, context).module
    except Unusable:
        return None
    if after is before:  # and what was found of it is found again
        return None
    wrong = violations(after, SHARED())
    if wrong and not case.violations:
        return f"not verified: {wrong[0].message}\n{printed(after)}"
    shared = next(twice(after), None)
    if shared is not None:
        return f"{shared} stands in two places\n{printed(after)}"
    for values, ended in zip(case.inputs, case.outcomes, strict=True):
        other = outcome(after, values)
        if not same(ended, other) and not (one.name in NARROWING and other.at_entry):
            return f"on {values}: {ended}, after it {other}\n{printed(after)}"
    vague = next(_vaguer(before, after), None) if one.name in PASSES and not one.takes else None
    if vague is not None:
        return vague
    if one.idempotent and printed(one.transform(after, context).module) != printed(after):
        return f"a second time it changes\n{printed(after)}\nto\n{printed(one.transform(after, context).module)}"
    return None


def twice(module: Module) -> Iterator[object]:
    """The steps that stand in two places: what is known of one there is not known of the other."""
    seen: set[int] = set()
    for function in module.functions.values():
        for step in every(function.body):
            if id(step) in seen:
                yield step
            seen.add(id(step))


def _vaguer(before: Module, after: Module) -> Iterator[str]:
    """Interfaces that are not the declared ones, and variables whose types say less than before.  [pass.interface]"""
    for name, function in before.functions.items():
        now = after.functions.get(name)
        if now is None or now.type != function.type:
            yield f"the interface of {name} is another"
            continue
        held, was = _types(now), _types(function)
        yield from (
            f"{v} was {was[v]}, and is {held[v]}" for v in was.keys() & held.keys() if not _keeps(was[v], held[v])
        )


def _types(function: Function) -> dict[str, OpenedType]:
    return {
        name: step.type  # type: ignore[union-attr]
        for step in every(function.body)
        if not isinstance(step, Check) and (name := defined(step)) is not None
    }


def _keeps(was: OpenedType, now: OpenedType) -> bool:
    """Whether a type says at least what it said: ranks, and sizes that no unknown takes part in."""
    match was, now:
        case TensorType(), TensorType():
            sizes = dict(placed_sizes(now))
            named = {place for place, size in placed_sizes(was) if not _is_unknown(size)}
            return was.rank == now.rank and not any(_is_unknown(sizes[place]) for place in named)
        case TensorType(), UnrankedType():
            return False
        case TupleType(fields), TupleType(others):
            return len(fields) == len(others) and all(map(_keeps, fields, others))
        case _:
            return True


def _is_unknown(size: object) -> bool:
    return any(variable.is_existential for variable in size.variables())  # type: ignore[attr-defined]  # sizes are dims
