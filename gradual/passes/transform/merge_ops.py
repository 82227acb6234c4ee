"""`merge-ops` and `split-ops`: one operator for both forms, and back.  [pass.merge] [pass.split]"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gradual.core.terms import Apply, Module, Step
from gradual.ops.two_forms import Merged, forms, merged
from gradual.passes.framework.map_steps import changed
from gradual.passes.framework.pass_ import Context, Pass, Transformed


def _merge(module: Module, _: Context) -> Transformed:
    return Transformed(changed(module, _merged_step))


def _merged_step(step: Step) -> Iterable[Step]:
    """Replace the static or dynamic operator by the merged one.  [pass.merge]"""
    if isinstance(step, Apply) and not isinstance(step.operator, Merged) and step.operator.name in forms():
        return (replace(step, operator=merged(step.operator.name)),)
    return (step,)


def _split(module: Module, _: Context) -> Transformed:
    return Transformed(changed(module, _split_step))


def _split_step(step: Step) -> Iterable[Step]:
    """Replace a merged operator by the static or dynamic one, by the number of arguments.  [pass.split]"""
    if isinstance(step, Apply) and isinstance(step.operator, Merged):
        return (replace(step, operator=step.operator.form(step.operands)),)
    return (step,)


_MERGED = "Use one operator for the static and the dynamic form (design A0 of RFC 6909).  [pass.merge]"
_SPLIT = "Use separate operators for the static and the dynamic form (design A1 of RFC 6909).  [pass.split]"

PASSES = (Pass("merge-ops", _MERGED, _merge, "", True), Pass("split-ops", _SPLIT, _split, "", True))
