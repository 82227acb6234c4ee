"""The generated reference: operators, codes, the command line, the Python interface."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

import gradual
from docs.generator.dialect import cell
from docs.generator.operators import operator_pages
from docs.generator.places import ROOT
from docs.generator.rules import rule_link
from gradual.codes import KINDS
from gradual.conformance.cases.code_table import code_table
from gradual.interface.pages import code_facts, code_page
from gradual.tools.cli import root

_INDEX = """# Reference

- [Command line](command-line.md): every command with its options.
- [Python interface](python.md): what `import gradual` gives.
- [Operators](operators/index.md): signatures, shapes, attributes, examples, counterparts elsewhere.
- [Codes](codes/index.md): every diagnostic, with a program that causes it and one that is accepted.
- [Conformance protocol](protocol.md): how the suite is run with another implementation.
- [Glossary](../glossary.md): the terms.

These pages are generated from the code that they describe.
"""

_PYTHON = """# Python interface

`import gradual` loads nothing else; each name is loaded when it is first used.

```python
import gradual

program = gradual.check("def @f(%x: Tensor[(n, ?), float32]) { nn.relu(%x) }")
assert program.ok and program.types["@f"] == "fn (Tensor[(n, ?), float32]) -> Tensor[(n, ?), float32]"
```
"""


def pages() -> Iterator[tuple[str, str]]:
    """Every generated page with its text in Markdown."""
    yield "reference/index.md", _INDEX
    yield "reference/command-line.md", command_line()
    yield "reference/python.md", python_interface()
    yield from operator_pages()
    yield "reference/codes/index.md", code_table(ROOT / "spec").replace("README.md", "index.md")
    for code in KINDS:
        yield f"reference/codes/{code}.md", _code(code)


# --------------------------------------------------------------------------------------------------------------- codes
def _code(code: str) -> str:
    """The page that `gradual explain` prints, with links to the rules."""
    page, shown = f"reference/codes/{code}.md", code_page(code)
    assert shown is not None, code
    rules = code_facts(code)["rules"]
    names = ", ".join(rule_link(rule, page) for rule in re.split(r"[,\s]+", rules) if rule)
    return shown.text.replace(f" Rules: {rules}.", f" Rules: {names}.") if rules else shown.text


# -------------------------------------------------------------------------------------------------------- command line
def command_line() -> str:
    """The page of the command line, from the declarations of the commands."""
    return "\n\n".join(["# Command line", *_command(root, "gradual", None, 1)]) + "\n"


def _command(command: click.Command, name: str, parent: click.Context | None, level: int) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    if parent is not None:
        yield f"{'#' * level} `{context.command_path}`"
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"
    yield _prose(command.help)
    if options := _options(command, context):
        yield options
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None, inner
            yield from _command(found, inner, context, level + 1)
    if command.epilog:
        yield _prose(command.epilog)


def _options(command: click.Command, context: click.Context) -> str:
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    records = [record for one in options if (record := one.get_help_record(context))]
    rows = [f"| `{option}` | {cell(_words(text))} |" for option, text in records]
    return "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""


def _prose(text: str | None) -> str:
    """A help text: a paragraph after a line `\\b` keeps its lines."""
    parts = []
    for part in (text or "").strip().split("\n\n"):
        lines = part.split("\n")
        if lines[0].strip() == "\b":
            parts.append("```text\n" + "\n".join(line.rstrip() for line in lines[1:]) + "\n```")
        else:
            parts.append(_words(part))
    return "\n\n".join(parts)


def _words(text: str) -> str:
    """A text in which characters of Markdown outside of backticks stand for themselves."""
    return re.sub(r"(`[^`]*`)|([*_<[])", lambda match: match[1] or f"\\{match[2]}", " ".join(text.split()))


# ---------------------------------------------------------------------------------------------------- Python interface
def python_interface() -> str:
    """The page of the Python interface: every public name, from its docstring."""
    names = [name for name in gradual.__all__ if not name.startswith("_")]
    functions = [name for name in names if name[0].islower()]
    classes = [name for name in names if name[0].isupper()]
    parts = [f"## Functions\n\n{_documented(functions)}", f"## Classes\n\n{_documented(classes)}"]
    return "\n\n".join([_PYTHON.rstrip(), *parts]) + "\n"


def _documented(names: list[str]) -> str:
    return "\n\n".join(
        f"::: {getattr(gradual, name).__module__}.{name}\n    options:\n      heading_level: 3" for name in names
    )
