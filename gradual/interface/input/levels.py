"""Severity levels of warnings, from the command line and the configuration: allow, warn or deny.

Only warnings and residual checks have a level.  An error cannot be allowed: without it, an accepted program could
violate its guarantees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from enum import StrEnum
from functools import cache

from gradual.codes import KINDS, LINTS
from gradual.diagnostic import Diagnostic, Severity
from gradual.record import record


class Level(StrEnum):
    """The severity level of a warning."""

    ALLOW = "allow"
    WARN = "warn"
    DENY = "deny"


RESIDUAL = "E0401"
"""The code of residual checks; not reported unless a level is chosen for them."""


def _groups() -> Mapping[str, tuple[str, ...]]:
    named = dict.fromkeys(group for code in LINTS for group in KINDS[code].groups)
    found = {group: tuple(code for code in LINTS if group in KINDS[code].groups) for group in named}
    return found | {"lints": LINTS, "residual": (RESIDUAL,)}


GROUPS = _groups()
"""Group name -> codes."""

ALL = ("all", "warnings")
"""Names for every warning."""

COMMAND_LINE = "command line"
DEFAULT = "default"


class NoLevel(ValueError):
    """The error for a name that has no level; its argument gives the reason."""


@record
class Choice:
    """A level for a code or group, and where it was chosen; the choice of higher rank takes precedence."""

    level: Level
    name: str
    origin: str
    rank: int = 0


@record
class Levels:
    """All choices of levels, from the command line and the configuration."""

    choices: tuple[Choice, ...] = ()

    def of(self, code: str) -> Choice:
        """The choice for a code: the command line before a file, a code before a group, a small group before a large.

        Among equals, the most severe one.
        """
        found = [(choice.rank, -breadth, _GRAVITY[choice.level], choice) for choice, breadth in self._fitting(code)]
        level = Level.ALLOW if code == RESIDUAL else Level.WARN
        return max(found, key=lambda one: one[:3])[3] if found else Choice(level, "", DEFAULT)

    def _fitting(self, code: str) -> Iterator[tuple[Choice, int]]:
        breadths = ((choice, _breadth(choice.name, code)) for choice in self.choices)
        return ((choice, breadth) for choice, breadth in breadths if breadth)

    def graded(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Findings at their levels, without allowed warnings; errors are not changed."""
        for one in found:
            level = self.of(one.code).level if one.severity is not Severity.ERROR else None
            if level is Level.DENY:
                yield replace(one, severity=Severity.ERROR)
            elif level is Level.WARN and one.code == RESIDUAL:
                yield replace(one, severity=Severity.WARNING)
            elif level is not Level.ALLOW or one.severity is Severity.NOTE:
                yield one

    def tells(self, codes: Iterable[str]) -> bool:
        """Whether some of these codes are reported."""
        return any(self.of(code).level is not Level.ALLOW for code in codes)


_GRAVITY = {Level.ALLOW: 0, Level.WARN: 1, Level.DENY: 2}


def stands_for(name: str, code: str) -> bool:
    """Whether a name denotes a code, alone or in a group."""
    return _breadth(name, code) > 0


def _breadth(name: str, code: str) -> int:
    """How many codes a name denotes if the given code is one of them, else 0."""
    if name in ALL:
        return 0 if code == RESIDUAL else len(switchable())
    group = GROUPS.get(name, (name,))
    return len(group) if code in group else 0


def named(text: str) -> str:
    """The code or group that a text denotes, ignoring case.  Raises NoLevel if it denotes none that has a level."""
    if text.lower() in GROUPS or text.lower() in ALL:
        return text.lower()
    code = text.upper()
    if code in switchable():
        return code
    if code in KINDS:
        raise NoLevel(
            f"`{code}` is an error, and errors have no level: a program that breaks what it promises is never accepted"
        )
    near = get_close_matches(text, [*GROUPS, *ALL, *switchable()], n=3)
    told = (
        f"near: {', '.join(f'`{one}`' for one in near)}" if near else f"it is a code, or {', '.join([*GROUPS, *ALL])}"
    )
    raise NoLevel(f"`{text}` is not a warning; {told}")


@cache
def switchable() -> tuple[str, ...]:
    """The codes that have a level, in order."""
    return tuple(code for code, kind in KINDS.items() if code == RESIDUAL or kind.severity is Severity.WARNING)


def chosen(level: Level, names: Iterable[str], origin: str, rank: int = 0) -> Iterator[Choice]:
    """The choices for a list of names; an element may hold several, separated by commas.  Raises NoLevel."""
    for written in names:
        for name in written.split(","):
            yield Choice(level, named(name.strip()), origin, rank)
