"""Write core as a program that can be read again: `%0 = reshape(%x, newshape=[n, 4]);`, one step a line.

Checks are not written if elaboration inserts them again.  A check that no step demands any more, since a pass removed
or moved the step, becomes an ascription that demands it; a check of an `assert` becomes an `assert`.  Conversions of
functions and data are inserted again where the values flow into written types.  What no program can express is
reported.   [pass.surface]
"""

from __future__ import annotations

from dataclasses import replace

from gradual.core.print import printed as core_text
from gradual.core.terms import Module
from gradual.delaborate.headers import data_declared
from gradual.delaborate.literals import Literals
from gradual.delaborate.numbering import numbered
from gradual.delaborate.types import Inexpressible
from gradual.delaborate.writer import Writer
from gradual.source import Span
from gradual.syntax.printing.metadata_text import encoded
from gradual.syntax.printing.print import printed
from gradual.syntax.tree import ast

Settings = tuple[tuple[str, str, Span], ...]


def program_text(module: Module, version: str | None = None, settings: Settings = ()) -> str:
    """The module as a program; a function that no program can express is a comment with its core.  [pass.surface]"""
    surface, told = program(module, version, settings)
    notes = "".join(f"// {line}\n" for line in told)
    return notes + printed(surface)


def program(module: Module, version: str | None = None, settings: Settings = ()) -> tuple[ast.Module, tuple[str, ...]]:
    """The module as syntax, and lines of text about what no program can express."""
    constructors = frozenset(name for data in module.data.values() for name in data.constructors)
    literals = Literals(functions=module.functions, taken=constructors)
    definitions: list[ast.Definition] = [data_declared(data) for data in module.data.values()]
    told: list[str] = []
    for function in module.functions.values():
        held = len(literals.stored)
        try:
            writer = Writer(module, literals)
            written = writer.definition(function)
            if writer.doubtful:
                del literals.stored[held:]
                written = Writer(module, literals, opens=True).definition(function)
            definitions.append(numbered(written))
        except Inexpressible as what:
            del literals.stored[held:]
            told.append(f"`{function.name}` cannot be written, for {what}; its core:")
            told += core_text(replace(module, functions={function.name: function})).splitlines()
    definitions += literals.never.values()
    metadata = encoded(literals.stored) if literals.stored else None
    return ast.Module(version, settings, tuple(definitions), metadata_text=metadata), tuple(told)
