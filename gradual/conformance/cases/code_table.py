"""The list of all codes, generated from `gradual/codes.py` and from the front matter of the codes' pages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from gradual.codes import KINDS, Kind
from gradual.interface.input.levels import GROUPS
from gradual.interface.pages import front_matter

FILE = "errors/README.md"
_HEAD = """# Codes

Generated from `gradual/codes.py` and the pages by `gradual conformance entries`; not edited by hand. A *group* stands
for its codes wherever a warning is allowed, reported or denied; `all` and `warnings` stand for every warning.
"""


def code_table(spec: Path) -> str:
    """The list's text: a table for each phase, a row for each code."""
    parts = [_HEAD]
    for phase, kinds in groupby(KINDS.values(), key=lambda kind: kind.phase):
        rows = "\n".join(_row(kind, spec) for kind in kinds)
        parts.append(f"## {phase}\n\n| code | title | severity | groups | |\n|---|---|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _row(kind: Kind, spec: Path) -> str:
    summary = front_matter((spec / "errors" / f"{kind.code}.md").read_text(encoding="utf-8"))["summary"]
    told = summary.replace("|", "\\|")
    return (
        f"| [{kind.code}]({kind.code}.md) | {kind.title} | {kind.severity} | {', '.join(_groups(kind.code))} | {told} |"
    )


def _groups(code: str) -> Iterator[str]:
    return (f"`{name}`" for name, codes in GROUPS.items() if code in codes)
