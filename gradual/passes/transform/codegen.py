"""Policies: an attribute of each function selects how code for its unknown sizes is generated; report the cost.

    def @f(%x: Tensor[(n, 784), float32], codegen="bucket:n=1,8,64 pad=0") { … }

"generic" is one copy, the default; "specialize:…" and "bucket:…" are the passes of these names on this function, as are
"hoist-checks" and "drop-proved-checks"; several are applied in order, separated by `;`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from gradual.core.check import Check
from gradual.core.def_use import blocks, checks_in, every
from gradual.core.terms import Apply, Block, Closure, Function, Module
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed, Unusable
from gradual.passes.framework.pins import add, whole
from gradual.passes.transform.bucket import bucket
from gradual.passes.transform.hoist_checks import hoisted, without_proved
from gradual.passes.transform.specialize import settled, specialize

Transform = Callable[[Module, Context], Transformed]

ATTRIBUTE = "codegen"
"""The attribute's key."""


def _generic(module: Module, context: Context) -> Transformed:
    return Transformed(module)


_SIZED: Mapping[str, Transform] = {"specialize": specialize, "bucket": bucket}
_WHOLE: Mapping[str, Transform] = {
    "generic": _generic,
    "hoist-checks": hoisted,
    "drop-proved-checks": without_proved,
}


def codegen(module: Module, context: Context) -> Transformed:
    """Apply the policy of every function.  Raises Unusable.   [pass.codegen] [pass.codegen.attribute]"""
    notes: list[Note] = []
    for name, function in module.functions.items():
        text = function.attributes.get(ATTRIBUTE)
        if text is None:
            continue
        before = module
        for policy in str(text).split(";"):
            after = _applied(policy.strip(), module, name, context)
            module, notes = after.module, notes + list(after.notes)
        module = replace(module, functions={**module.functions, name: settled(module.functions[name])})
        notes += [Note(name, function.span, says) for says in _account(name, before, module)]
    return Transformed(module, tuple(notes))


def _applied(policy: str, module: Module, name: str, context: Context) -> Transformed:
    """Apply one policy to one function.  Raises Unusable."""
    kind, _, text = policy.partition(":")
    function = module.functions[name]
    if kind in _SIZED:
        try:
            given: dict[str, str] = {}
            for key, value in _given(text, function):
                add(given, key, value)
            return _SIZED[kind](module, Context(context.decider, given))
        except Unusable as trouble:
            raise Unusable(f"`{policy}` of `{name}`: {trouble.message}", trouble.span or function.span) from trouble
    if kind not in _WHOLE or text:
        known = ", ".join((*_SIZED, *_WHOLE))
        raise Unusable(f"`{policy}` of `{name}` is no policy; the policies are {known}", function.span)
    after = _WHOLE[kind](module, context)
    functions = {**module.functions, name: after.module.functions[name]}
    mine = tuple(note for note in after.notes if note.function == name)
    return Transformed(replace(module, functions=functions), mine)


def _given(text: str, function: Function) -> Iterator[tuple[str, str]]:
    """The arguments of a policy, with sizes qualified by the function.  Raises Unusable."""
    for word in whole(text.split()):
        key, equals, value = word.partition("=")
        if not equals:
            raise Unusable(f"`{word}` is given no value")
        yield (key if key in ("pad", "calls") else f"{function.name}:{key}"), value


# --------------------------------------------------------------------------------------------------------- cost report
def _account(name: str, before: Module, after: Module) -> Iterator[str]:
    """What a policy costs and saves: copies of code, and checks in each call.   [pass.codegen.account]"""
    copies = [one for key, one in after.functions.items() if key not in before.functions]
    old, new = before.functions[name], after.functions[name]
    elsewhere = _elsewhere(before, after, name)
    if elsewhere:
        yield f"checks in the callers: {elsewhere} more"
    if not copies:
        yield f"code: {_counted(_steps(old), 'step')} became {_counted(_steps(new), 'step')}, no copy"
        yield f"checks in a call: {_checks(old.body)} before, {_checks(new.body)} now"
        return
    total = sum(map(_steps, copies))
    own = "stay" if new.body is old.body else "choose"
    yield (
        f"code: {_counted(_steps(old), 'step')} became {_counted(len(copies), 'copy', 'copies')} of "
        f"{_counted(total, 'step')} in all, and {_counted(_steps(new), 'step')} that {own}"
    )
    each = ", ".join(f"{_checks(one.body)} in `{one.name}`" for one in copies)
    yield f"checks in a call: {_checks(old.body)} before; {each}"


def _elsewhere(before: Module, after: Module, name: str) -> int:
    """How many checks were added to the functions that existed before, other than this one."""
    others = [key for key in before.functions if key != name]
    now, then = (sum(map(_all_checks, map(module.functions.__getitem__, others))) for module in (after, before))
    return now - then


def _all_checks(function: Function) -> int:
    return sum(1 for _ in checks_in(function.body))


def _counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _steps(function: Function) -> int:
    return sum(1 for _ in every(function.body))


def _checks(block: Block) -> int:
    """The most checks that one run of a block makes, not counting its callees."""
    count = 0
    for step in block.steps:
        if isinstance(step, Check) or (isinstance(step, Apply) and step.accepts is not None):
            count += 1
        elif not isinstance(step, Closure):
            count += max(map(_checks, blocks(step)), default=0)
    return count


PASSES: tuple[Pass, ...] = (
    Pass(
        "codegen",
        'Apply to each function its own policy, such as `codegen="bucket:n=1,8"`, and report costs.   [pass.codegen]',
        codegen,
        idempotent=True,
    ),
)
"""The pass `codegen`."""
