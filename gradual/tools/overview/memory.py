"""The section of memory: the allocation plan of a function, drawn over time where its sizes are numbers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape

from gradual.compilation import Compilation
from gradual.core.def_use import bindings, every, variables_of
from gradual.core.terms import Function
from gradual.interface.document import Cell, name_cell, table
from gradual.interface.reports.plan_svg import unknown, within_page
from gradual.run.graph.plan import Buffer, Plan
from gradual.source import visible
from gradual.tools.commands.alloc import bound_plan, totals_shown
from gradual.types.unpacking import spelled


def memory(compilation: Compilation, name: str, bound: Sequence[str]) -> str:
    """The plan of a function of an accepted program, if its sizes are numbers or are given: totals, picture, buffers.

    A plan with open sizes may take longer than the check, so it is made only if sizes are given.
    """
    function = compilation.core.functions[name]
    if not bound and (names := _open(function)):
        words = " ".join(f"--bind {shlex.quote(f'{one}=32')}" for one in names)
        command = f"gradual report {shlex.quote(compilation.source.name)} {words}"
        return f"<p>Sizes are open. To see the plan, give numbers: <code>{escape(visible(command))}</code></p>\n"
    plan = bound_plan(compilation, name, compilation.plan(name), bound)
    lines = "".join(f"<li>{escape(visible(line))}</li>" for line in totals_shown(plan))
    return f"<ul>{lines}</ul>\n{_picture(plan)}{_buffers(plan)}"


def _open(function: Function) -> list[str]:
    """The sizes that are not numbers: those of the parameters, or else those that the function computes."""
    params = dict.fromkeys(one.name for param in function.params for one in variables_of(param.type))
    steps = (variables_of(type) for step in every(function.body) for _, type in bindings(step))
    return list(params) or sorted({one.name for found in steps for one in found})


def _picture(plan: Plan) -> str:
    """The buffers over time, or the sizes that are still needed to draw them."""
    if not plan.slots:
        return ""
    if names := unknown(plan):
        return (
            f"<p>To draw it, give these sizes too: {', '.join(f'<code>{escape(name)}</code>' for name in names)}</p>\n"
        )
    label = f"Memory of {escape(plan.function)} over its steps"
    return f'<div class="wide" role="region" aria-label="{label}" tabindex="0">{within_page(plan)}</div>\n'


def _buffers(plan: Plan) -> str:
    rows = [_row(buffer) for buffer in plan.buffers.values()]
    shown = table(f"Buffers of {escape(plan.function)}", ["buffer", "made by", "bytes", "steps", "slot"], rows)
    return f"<details><summary>Buffers</summary>{shown}</details>\n"


def _row(buffer: Buffer) -> list[Cell]:
    slot = str(buffer.slot) if buffer.slot is not None else "–"
    steps = Cell(f"{buffer.first} to {buffer.last}", "number")
    return [
        name_cell(spelled(buffer.path)),
        name_cell(buffer.maker),
        name_cell(str(buffer.size)),
        steps,
        Cell(slot, "number"),
    ]
