"""`gradual alloc`: the allocation plan of a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from gradual.compilation import Compilation
from gradual.dims.term.constraint import equal
from gradual.dims.term.dim import Dim, Variable, constant, of_atom
from gradual.interface.input.files import Importing
from gradual.interface.reports import json_lines
from gradual.interface.reports.accepted import accepted
from gradual.interface.reports.plan_svg import picture, unknown
from gradual.interface.terminal import FILE, Output, Trouble, shared
from gradual.limits import Options
from gradual.passes.framework import pins
from gradual.passes.framework.pass_ import Unusable
from gradual.passes.plan.prepare import entry_facts
from gradual.run.graph.plan import Buffer, Plan
from gradual.tools.commands.ops import columns
from gradual.tools.models.options import model_options
from gradual.types.unpacking import base_of, spelled


@click.command()
@click.argument("file", type=FILE)
@click.option("--entry", metavar="@NAME", help="The function (default @main, or the only one).")
@click.option("--bind", "bound", multiple=True, metavar="NAME=NUMBER", help="A number for a size, such as n=32.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--svg", metavar="FILE", help="Draw live ranges and offsets; all sizes must be numbers.")
@click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
@model_options
@shared
def alloc(
    out: Output,
    file: str,
    entry: str | None,
    bound: tuple[str, ...],
    format: str,
    svg: str | None,
    no_smt: bool,
    importing: Importing,
) -> int:
    """The memory plan of a function: bytes, live range and offset of each buffer, and the peak.

    Sizes are bytes in whole blocks of 64, over the dims and the sizes of arguments that are known on entry.
    """
    compilation = accepted(out, file, Options(smt=not no_smt), importing, as_json=format == "json")
    if compilation is None:
        return 1
    name = chosen_entry(compilation, file, entry)
    plan = bound_plan(compilation, name, compilation.plan(name), bound)
    for row in _objects(plan) if format == "json" else _rows(plan):
        out.line(row)
    if svg is not None:
        _draw(plan, svg)
    return 0


def chosen_entry(compilation: Compilation, file: str, entry: str | None) -> str:
    """The function that is asked for, else `@main`, else the only one; a usage error if there is none."""
    names = list(compilation.core.functions)
    name = entry or ("@main" if "@main" in names or len(names) != 1 else names[0])
    if name not in names:
        raise click.UsageError(f"`{file}` has no function `{name}`; it has {', '.join(names) or 'none'}")
    return name


# ---------------------------------------------------------------------------------------------------------- binding
def bound_plan(compilation: Compilation, name: str, plan: Plan, bound: Sequence[str]) -> Plan:
    """The plan with some sizes replaced by numbers, as well as the sizes that follow from these."""
    facts = entry_facts(compilation.core.functions[name])
    known = {_plain(variable.name): variable for variable in _unknowns(compilation, name, plan)}
    for text in bound:
        spelling, number = _binding(text)
        if _plain(spelling) not in known:
            raise click.UsageError(f"there is nothing called `{spelling}`; {_open(known)}")
        facts.assume(equal(of_atom(known[_plain(spelling)]), constant(number)))
        if facts.known.conflict:
            raise click.UsageError(f"`{text}` contradicts what `{name}` demands on entry, or was bound before")
    return plan.at(facts.rewrite) if bound else plan


def _binding(text: str) -> tuple[str, int]:
    spelling, equals, digits = text.rpartition("=")
    if not equals or not digits.strip().isdecimal():
        raise click.UsageError(f"`{text}` binds nothing; write NAME=NUMBER, such as n=32")
    try:
        return spelling.strip(), pins.number(digits.strip(), spelling.strip())
    except Unusable as refused:
        raise click.UsageError(refused.message) from None


def _plain(name: str) -> str:
    return name.replace(" ", "")


def _open(known: Mapping[str, Variable]) -> str:
    names = ", ".join(f"`{variable.name}`" for variable in known.values())
    return f"sizes that can be given: {names}" if names else "no size can be given"


def _unknowns(compilation: Compilation, name: str, plan: Plan) -> Iterator[Variable]:
    """The sizes that are unknown on entry: the function's binders, and variables in the formulas of the plan."""
    function = compilation.core.functions[name]
    yield from function.type.binders
    params = {param.name for param in function.params}
    formulas = [plan.peak, *(buffer.bound for buffer in plan.buffers.values() if buffer.bound is not None)]
    for variable in sorted({variable for dim in formulas for variable in dim.variables()}):
        if (base := base_of(variable)) is None or base in params:
            yield variable


# ------------------------------------------------------------------------------------------------------------- text
def _rows(plan: Plan) -> Iterator[str]:
    """A line for each buffer, a line for each slot, then the totals."""
    if plan.buffers:
        heads = ["buffer", "made by", "bytes", "steps", "where"]
        yield from columns([heads, *(_columns(buffer) for buffer in plan.buffers.values())])
        yield ""
    if plan.slots:
        heads = ["slot", "offset", "bytes", "holds"]
        slots = enumerate(plan.slots)
        yield from columns([heads, *([str(k), str(s.offset), str(s.size), _held(s.holds)] for k, s in slots)])
        yield ""
    yield from totals_shown(plan)


def _columns(buffer: Buffer) -> list[str]:
    return [spelled(buffer.path), buffer.maker, str(buffer.size), f"{buffer.first}-{buffer.last}", _where(buffer)]


def _where(buffer: Buffer) -> str:
    if buffer.slot is None:
        return "handed over by the call" if buffer.handed else "allocated when its size is known"
    within = f", takes at most {buffer.bound}" if buffer.bound is not buffer.size else ""
    return f"slot {buffer.slot}{within}"


def _held(paths: Sequence[str]) -> str:
    shown = [spelled(path) for path in paths[:6]]
    return ", ".join(shown) + (f" and {len(paths) - 6} more" if len(paths) > 6 else "")


def totals_shown(plan: Plan) -> Iterator[str]:
    """The lines of the totals: the counts, the peak, all buffers together, and what is live at once."""
    yield str(plan)
    yield f"peak   {_told(plan.peak)}{_share(plan)}"
    yield f"in all {_told(plan.total)}"
    if plan.live is not None:
        yield f"live   {plan.live} at once, at most"
    if plan.calls:
        yield f"without what these take: {', '.join(plan.calls)}"


def _told(dim: Dim) -> str:
    """A formula; if it is too long to be printed, with the advice to bind sizes."""
    text = str(dim)
    return f"{text} (a formula of {len(dim.variables())} sizes; --bind some of them)" if "…" in text else text


def _share(plan: Plan) -> str:
    peak, total = plan.peak.value, plan.total.value
    return f"   ({100 * peak // total} % of all buffers)" if peak is not None and total else ""


# ------------------------------------------------------------------------------------------------------------- JSON
def _objects(plan: Plan) -> Iterator[str]:
    """One object per line: the plan, its slots, its buffers."""
    yield json_lines.line(
        {
            "kind": "plan",
            "function": plan.function,
            "steps": plan.steps,
            "peak": _formula(plan.peak),
            "total": _formula(plan.total),
            "live": plan.live,
            "calls": list(plan.calls),
        }
    )
    for number, slot in enumerate(plan.slots):
        holds = [spelled(path) for path in slot.holds]
        form = {"kind": "slot", "slot": number, "offset": _formula(slot.offset), "bytes": _formula(slot.size)}
        yield json_lines.line(form | {"holds": holds})
    for buffer in plan.buffers.values():
        yield json_lines.line(_object(buffer))


def _object(buffer: Buffer) -> dict[str, Any]:
    return {
        "kind": "buffer",
        "name": spelled(buffer.path),
        "made_by": buffer.maker,
        "bytes": _formula(buffer.size),
        "at_most": _formula(buffer.bound) if buffer.bound is not None else None,
        "first": buffer.first,
        "last": buffer.last,
        "slot": buffer.slot,
        "handed": buffer.handed,
    }


def _formula(dim: Dim) -> int | str:
    return dim.value if dim.value is not None else str(dim)


# ---------------------------------------------------------------------------------------------------------- picture
def _draw(plan: Plan, path: str) -> None:
    if names := unknown(plan):
        raise click.UsageError(f"a picture needs numbers; bind {', '.join(f'`{name}`' for name in names)}")
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(picture(plan))
    except OSError as error:
        raise Trouble("E0701", f"cannot write `{path}`: {error.strerror}") from error
