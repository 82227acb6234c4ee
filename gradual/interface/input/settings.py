"""The configuration: `gradual.toml`, or `[tool.gradual]` of a `pyproject.toml`, in the folder of a file or above it.

Only the nearest configuration is used, and `gradual.toml` if a folder has both.  The command line takes precedence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from gradual.interface.input.files import content
from gradual.interface.input.levels import COMMAND_LINE, DEFAULT, Choice, Level, Levels, NoLevel, chosen
from gradual.interface.terminal import Trouble
from gradual.limits import LIMITS, Options
from gradual.record import record

OWN, SHARED = "gradual.toml", "pyproject.toml"
TABLE = ("tool", "gradual")
"""The table of the settings in a `pyproject.toml`."""

RIGID = ("warning", "error")
"""Severities of a goal that fails for a named size in a gradual definition (E0402)."""

LINE_LENGTH = "line-length"
"""The key for the width of formatted lines."""

MALFORMED = "E0705"


@record
class Settings:
    """How files are checked, and how they are formatted.

    Attributes:
        file: the configuration; None if there is none.
        paths: what is checked if no path is given, relative to the working directory.
        baseline: the file with findings that are not reported, relative to the working directory.
        line_length: the width of the lines of `gradual fmt`.
        origins: setting -> where it was chosen.
    """

    file: Path | None = None
    paths: tuple[str, ...] = ()
    levels: Levels = field(default_factory=Levels)
    smt: bool = True
    rigid: str = RIGID[0]
    baseline: str | None = None
    line_length: int = LIMITS.line
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> Options:
        """The options of the checker."""
        return Options(smt=self.smt, rigid=self.rigid)

    @property
    def of_models(self) -> Options:
        """The options for a model: no author wrote its `?` to postpone checks, so `rigid` defaults to "error"."""
        return replace(self.options, rigid=RIGID[1] if self.origin("rigid") == DEFAULT else self.rigid)

    def origin(self, key: str) -> str:
        """Where a setting comes from."""
        return self.origins.get(key, DEFAULT)


@record
class Given:
    """Settings from the command line, which override those of files; None or empty if not given."""

    choices: tuple[Choice, ...] = ()
    smt: bool | None = None
    rigid: str | None = None
    baseline: str | None = None

    def over(self, settings: Settings) -> Settings:
        """The settings of a file, overridden by the command line."""
        chosen = (("smt", self.smt), ("rigid", self.rigid), ("baseline", self.baseline))
        said = {key: value for key, value in chosen if value is not None}
        return Settings(
            settings.file,
            settings.paths,
            Levels((*settings.levels.choices, *self.choices)),
            settings.smt if self.smt is None else self.smt,
            settings.rigid if self.rigid is None else self.rigid,
            settings.baseline if self.baseline is None else self.baseline,
            settings.line_length,
            {**settings.origins, **dict.fromkeys(said, COMMAND_LINE)},
        )


def on_command_line(
    levels: Mapping[Level, Sequence[str]], smt: bool | None, rigid: str | None, baseline: str | None = None
) -> Given:
    """The settings from command-line options.  Raises NoLevel for a name that has no level."""
    choices = (choice for level, names in levels.items() for choice in chosen(level, names, COMMAND_LINE, 1))
    return Given(tuple(choices), smt, rigid, baseline)


def settings_for(folder: str) -> Settings:
    """The settings for the files of a folder.  Raises Trouble if a configuration is malformed."""
    place = Path(os.path.abspath(folder))
    for parent in (place, *place.parents):
        for name in (OWN, SHARED):
            path = parent / name
            if (found := _stamp(path)) is not None and (settings := _read(path, found, os.getcwd())) is not None:
                return settings
    return Settings()


def _stamp(path: Path) -> tuple[int, int] | None:
    """A stamp that changes when the file does; None if there is no such file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if path.is_file() else None


@lru_cache(maxsize=64)
def _read(path: Path, version: tuple[int, int], here: str) -> Settings | None:
    """The settings of a file, with paths relative to `here`; None for a `pyproject.toml` without settings."""
    shown = os.path.relpath(path, here)
    shown = str(path) if shown.startswith(os.pardir) else shown
    text, table = _parsed(path, shown)
    inside = TABLE if path.name == SHARED else ()
    for key in inside:
        table = table.get(key) if isinstance(table, dict) else None
    if table is None:
        return None
    return _Reading(path, shown, here, text, inside).settings(table)


def _parsed(path: Path, shown: str) -> tuple[str, Any]:
    import tomllib  # most runs have no configuration

    try:
        text = content(str(path), "source").decode("utf-8-sig")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise Trouble(MALFORMED, f"`{shown}` is not UTF-8: unexpected byte at offset {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        says, place = str(error), ""
        if (match := re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", says)) is not None:
            says, place = says[: match.start()], f":{match[1]}:{match[2]}" if match[1] else _end(text)
        raise Trouble(MALFORMED, f"{shown}{place}: {says[0].lower()}{says[1:]}") from error


def _end(text: str) -> str:
    """The end of a text without trailing line breaks, as `:line:column`."""
    lines = text.rstrip("\n").split("\n")
    return f":{len(lines)}:{len(lines[-1]) + 1}"


@record
class _Reading:
    """A configuration while it is read.

    Attributes:
        inside: the keys of the table that contains the settings.
        reasons: its errors, as (line, column, message).
    """

    path: Path
    shown: str
    here: str
    text: str
    inside: tuple[str, ...]
    reasons: list[tuple[int, int, str]] = field(default_factory=list)

    def settings(self, table: Any) -> Settings:
        """The settings of a table.  Raises Trouble that lists all errors."""
        if not isinstance(table, dict):
            self._wrong(self.inside[-1:], f"`{'.'.join(self.inside)}` has to be a table, not {_kind(table)}")
            table = {}
        for key in table.keys() - _KEYS.keys():
            near = get_close_matches(key, _KEYS, n=1)
            self._wrong((*self.inside, key), f"unknown key `{key}`" + (f"; near: `{near[0]}`" if near else ""))
        values = {key: table[key] for key in _KEYS if key in table and self._has_kind(key, table[key])}
        choices = [one for level in Level for one in self._choices(level, values.get(level, []))]
        if self.reasons:
            told = [f"{self.shown}:{line}:{column}: {says}" for line, column, says in sorted(self.reasons)]
            raise Trouble(MALFORMED, "; ".join(told), told)
        return Settings(
            self.path,
            tuple(map(self._relative, values.get("paths", []))),
            Levels(tuple(choices)),
            values.get("smt", True),
            values.get("rigid", RIGID[0]),
            self._relative(values["baseline"]) if "baseline" in values else None,
            values.get(LINE_LENGTH, LIMITS.line),
            {key: self._origin(key) for key in values},
        )

    def _relative(self, path: str) -> str:
        return os.path.relpath(self.path.parent / path, self.here)

    def _has_kind(self, key: str, value: object) -> bool:
        fits, wanted = _KEYS[key]
        if not fits(value):
            self._wrong((*self.inside, key), f"`{key}` has to be {wanted}, not {_kind(value)}")
        return fits(value)

    def _choices(self, level: Level, names: Sequence[str]) -> Iterator[Choice]:
        for name in names:
            try:
                yield from chosen(level, [name], self._origin(level))
            except NoLevel as reason:
                self._wrong((*self.inside, level), str(reason), name)

    def _origin(self, key: str) -> str:
        return f"{self.shown}:{self._place((*self.inside, key))[0]}"

    def _wrong(self, keys: tuple[str, ...], says: str, value: str | None = None) -> None:
        self.reasons.append((*self._place(keys, value), says))

    def _place(self, keys: tuple[str, ...], value: str | None = None) -> tuple[int, int]:
        """The line and the column of a key, or of a text in its value, counted from 1."""
        lines = self.text.split("\n")
        spelled = re.compile(rf"(?<![\w-]){re.escape(keys[-1])}(?![\w-])")
        found = [(number, match.start() + 1) for number, line in enumerate(lines) if (match := spelled.search(line))]
        for number, column in found:
            if len(found) == 1 or _begins(lines, number, keys):
                return (number + 1, column) if value is None else _of_value(lines, number, value)
        return 1, 1


def _begins(lines: Sequence[str], number: int, keys: tuple[str, ...]) -> bool:
    """Whether the entry of a key begins on a line.

    It does if the configuration up to this line lacks the key, and has it as soon as it can be parsed with this line
    and lines after it.
    """
    if _says("\n".join(lines[:number]), keys) is not False:
        return False
    ends = (_says("\n".join(lines[: end + 1]), keys) for end in range(number, len(lines)))
    return next((said for said in ends if said is not None), False)


def _says(text: str, keys: tuple[str, ...]) -> bool | None:
    """Whether a text has a key; None if it cannot be parsed as a configuration."""
    import tomllib

    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True


def _of_value(lines: Sequence[str], number: int, value: str) -> tuple[int, int]:
    """The position of a text in a value that begins on a line."""
    for after, line in enumerate(lines[number:], number + 1):
        if (column := line.find(value)) >= 0:
            return after, column + 1
    return number + 1, 1


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


_LIST = (_is_list, "a list of strings")

_KEYS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "paths": _LIST,
    "allow": _LIST,
    "warn": _LIST,
    "deny": _LIST,
    "smt": (lambda value: isinstance(value, bool), "true or false"),
    "rigid": (lambda value: value in RIGID, " or ".join(f'"{one}"' for one in RIGID)),
    "baseline": (lambda value: isinstance(value, str), "the path of a file"),
    LINE_LENGTH: (lambda value: type(value) is int and value > 0, "a number of columns"),
}
"""Setting -> test of its value, and a description of the values that pass."""


def _kind(value: object) -> str:
    """A description of a value."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case int() | float():
            return str(value)
        case list():
            return "a list of other values" if value else "an empty list"
        case dict():
            return "a table"
        case _:
            return "a date or a time"
