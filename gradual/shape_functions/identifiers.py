"""Unique names that are identifiers in C, Python and Relay."""

from __future__ import annotations

import keyword
import re
from dataclasses import field

from gradual.record import record

_C = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    asm bool class complex false imaginary linux new template this true typename typeof unix
    EOF I NULL assert errno stderr stdin stdout main
"""
"""Keywords of C and C++, and macros of their standard headers."""

_USED = """
    dim fits fn holds in let max meta min need out shapes tuple where
    Need NeedFails NEEDS Shapes
"""
"""Names that the printed functions or the languages use already."""

RESERVED = frozenset((*_C.split(), *_USED.split(), *keyword.kwlist, *keyword.softkwlist))


@record(frozen=False)
class Identifiers:
    """The identifiers of one shape function."""

    taken: set[str] = field(default_factory=set)

    def fresh(self, wanted: str) -> str:
        """An unused identifier that is similar to a name."""
        base = identifier(wanted)
        found, count = base, 1
        while found in self.taken:
            count += 1
            found = f"{base}_{count}"
        self.taken.add(found)
        return found


def identifier(wanted: str) -> str:
    """The letters and digits of a name, as an identifier that is not reserved in any of the languages."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", wanted).strip("_") or "v"
    safe = f"v{plain}" if plain[0].isdigit() else plain
    return f"{safe}_" if safe in RESERVED or safe.startswith(("gradual_", "GRADUAL_")) else safe
