"""`%load_ext gradual` in a notebook: programs in cells, models from files, plans and tensors as tables and pictures.

`%%relay NAME` checks the program in a cell and `%check PATH` a file; both show the report and give a `Compilation`.
"""

from __future__ import annotations

from argparse import ArgumentParser
from html import escape
from shlex import split
from typing import Any, NoReturn

from click import ClickException
from IPython.core.error import UsageError

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.interface.input.files import Importing
from gradual.interface.reports.accepted import compiled
from gradual.interface.reports.plan_svg import picture
from gradual.limits import Options
from gradual.record import record
from gradual.run.graph.plan import Plan
from gradual.source import Source
from gradual.tensors.tensor import Tensor
from gradual.tools.models.options import sizes_called

ROWS, COLUMNS = 20, 12
"""How much of a matrix a notebook shows as a table."""


class Arguments(ArgumentParser):
    """Reads the arguments of a magic; a mistake ends the cell, not the kernel."""

    def error(self, message: str) -> NoReturn:
        """Report a mistake as IPython does, without a traceback."""
        raise UsageError(f"{message}\n{self.format_usage()}")


def _arguments(name: str, *, of_files: bool) -> Arguments:
    found = Arguments(prog=name, add_help=False, allow_abbrev=False)
    if of_files:
        found.add_argument("path")
    found.add_argument("variable", nargs="?")
    for option in ("--where", "--name", "--empty") if of_files else ():
        found.add_argument(option, action="append", default=[])
    found.add_argument("--no-smt", action="store_true")
    return found


@record(eq=False)
class Checks:
    """The magics; a result is bound to a variable of the notebook if one is named."""

    variables: dict[str, Any]

    def relay(self, line: str, cell: str) -> Compilation:
        """Check the program in the cell: `%%relay [VARIABLE] [--no-smt]`."""
        asked = _arguments("%%relay", of_files=False).parse_args(_words(line))
        source = Source(asked.variable or "<cell>", cell)
        return self._bound(asked.variable, compile_source(source, Options(smt=not asked.no_smt)))

    def check(self, line: str) -> Compilation:
        """Check a program or model: `%check PATH [VARIABLE] [--where CONDITION] [--name SIZE=NAME] [--empty NAME]`."""
        asked = _arguments("%check", of_files=True).parse_args(_words(line))
        try:
            importing = Importing(tuple(asked.where), False, tuple(asked.empty), sizes_called(asked.name))
            found, _ = compiled(asked.path, Options(smt=not asked.no_smt), importing)
        except ClickException as trouble:
            raise UsageError("; ".join(getattr(trouble, "reasons", ())) or trouble.message) from trouble
        return self._bound(asked.variable, found)

    def _bound(self, name: str | None, found: Compilation) -> Compilation:
        if name is not None:
            if not name.isidentifier():
                raise UsageError(f"`{name}` is no name of a variable")
            self.variables[name] = found
        return found


def _words(line: str) -> list[str]:
    try:
        return split(line)
    except ValueError as error:
        raise UsageError(f"{error}: `{line}`") from error


def load_ipython_extension(shell: Any) -> None:
    """Add the magics, and show plans and tensors as pictures and tables."""
    checks = Checks(shell.user_ns)
    shell.register_magic_function(checks.relay, "cell", "relay")
    shell.register_magic_function(checks.check, "line", "check")
    shown = shell.display_formatter.formatters["text/html"]
    shown.for_type(Plan, plan_html)
    shown.for_type(Tensor, tensor_html)


def plan_html(plan: Plan) -> str | None:
    """The picture of a plan; None if its sizes are not all numbers, then it is shown as text."""
    return None if plan.arena.value is None else picture(plan)


def tensor_html(tensor: Tensor) -> str | None:
    """A vector or matrix as a table with its type; None for other ranks, which are shown as text."""
    if len(tensor.shape) not in (1, 2) or 0 in tensor.shape:
        return None
    rows = tensor.tolist() if len(tensor.shape) == 2 else [tensor.tolist()]
    width, height = tensor.shape[-1], len(rows)
    lines = [_row(row[:COLUMNS], width > COLUMNS) for row in rows[:ROWS]]
    if height > ROWS:
        lines.append(_row(["⋮"] * min(width, COLUMNS), width > COLUMNS))
    type = f"Tensor[({', '.join(map(str, tensor.shape))}), {tensor.dtype}]"
    return f"<table><caption>{escape(type)}</caption>{''.join(lines)}</table>"


def _row(cells: list[object], is_longer: bool) -> str:
    texts = [*map(str, cells), *(["…"] if is_longer else [])]
    return "<tr>" + "".join(f'<td style="text-align: right">{escape(text)}</td>' for text in texts) + "</tr>"
