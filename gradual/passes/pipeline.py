"""Run passes in sequence, and verify after each.   [pass.verified]"""

from __future__ import annotations

from collections.abc import Container, Sequence
from difflib import get_close_matches

from gradual.core.terms import Module
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed, Unusable
from gradual.passes.framework.pins import add, whole
from gradual.record import record


@record(eq=False)
class Use:
    """A pass and its arguments."""

    what: Pass
    given: dict[str, str]


def read_uses(words: Sequence[str]) -> list[Use]:
    """Parse words such as `specialize n=3 drop-dead` into passes, in order.  Raises Unusable."""
    uses: list[Use] = []
    for word in whole(words):
        key, equals, value = word.partition("=")
        if not equals:
            uses.append(Use(_named(word), {}))
        elif not uses:
            raise Unusable(f"`{word}` belongs to no pass; the name of a pass comes before its arguments")
        elif not uses[-1].what.takes:
            raise Unusable(f"`{uses[-1].what.name}` takes no arguments, so `{word}` is not allowed")
        else:
            add(uses[-1].given, key, value)
    return uses


def _named(name: str) -> Pass:
    if name in PASSES:
        return PASSES[name]
    near = get_close_matches(name, PASSES, n=3)
    hint = f"near: {', '.join(near)}" if near else f"the passes are {', '.join(PASSES)}"
    raise Unusable(f"there is no pass `{name}`; {hint}")


def transformed(module: Module, uses: Sequence[Use], decider: Decider, verify: bool = True) -> Transformed:
    """Run all passes on a module; return the module and all notes.  Raises Unusable.

    Assert that the verifier accepts the result of each pass.
    """
    notes: list[Note] = []
    verified: Module | None = None
    for use in uses:
        after = use.what.transform(module, Context(decider, use.given))
        if verify and after.module is not module:
            wrong = violations(after.module, decider, _changed(verified, after.module))
            assert not wrong, (use.what.name, wrong[:5])
            verified = after.module
        module = after.module
        notes += after.notes
    return Transformed(module, tuple(notes))


def _changed(before: Module | None, after: Module) -> Container[str] | None:
    """The functions that are not as in a verified module; None for all, if what functions see of others differs."""
    if before is None:
        return None
    types = {name: function.type for name, function in after.functions.items()}
    if after.data != before.data or any(types.get(name) != one.type for name, one in before.functions.items()):
        return None
    return {name for name, function in after.functions.items() if before.functions.get(name) is not function}
