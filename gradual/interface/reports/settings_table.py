"""The settings in the format of a configuration, each with its origin."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gradual.codes import KINDS
from gradual.interface.input.files import model_format
from gradual.interface.input.levels import Choice, Level, switchable
from gradual.interface.input.settings import LINE_LENGTH, Given, Settings, settings_for
from gradual.interface.reports.json_lines import Object, line
from gradual.interface.terminal import Output

RIGID_CODE = "E0402"
"""The code that `rigid` makes an error, whatever its level."""


def shown_settings(out: Output, paths: Sequence[str], given: Given, format: str) -> int:
    """Write the settings of the paths, or of the working directory, grouped by the configuration that they use."""
    held: dict[tuple[Path | None, bool], tuple[Settings, list[str]]] = {}
    for path in paths or (os.curdir,):
        folder = path if os.path.isdir(path) else os.curdir if path == "-" else os.path.dirname(path)
        settings, is_model = given.over(settings_for(folder)), model_format(path) is not None
        if is_model and settings.of_models.rigid != settings.rigid:
            origins = {**settings.origins, "rigid": "default for models"}
            settings = replace(settings, rigid=settings.of_models.rigid, origins=origins)
        held.setdefault((settings.file, is_model), (settings, []))[1].append(path)
    for settings, of in held.values():
        out.line(line(_object(settings, of)) if format == "json" else "\n".join(_text(settings, of)))
    return 0


def _text(settings: Settings, of: Sequence[str]) -> Iterator[str]:
    """The settings as a `gradual.toml`, each with its origin in a comment."""
    yield f"# settings of {', '.join(of)}"
    for key, value in _values(settings).items():
        yield f"{key} = {json.dumps(value, ensure_ascii=False)}  # {settings.origin(key)}"
    for level, choices in _by_level(settings).items():
        rows = [f'  "{code}",  # {KINDS[code].title} ({_origin(choice)})' for code, choice in choices]
        yield from (f"{level} = [", *rows, "]") if rows else (f"{level} = []",)


def _object(settings: Settings, of: Sequence[str]) -> Object:
    values = _values(settings).items()
    levels = [(code, level, choice) for level, all in _by_level(settings).items() for code, choice in all]
    return {
        "kind": "settings",
        "paths": list(of),
        "file": None if settings.file is None else settings.file.as_posix(),
        "settings": {key: {"value": value, "origin": settings.origin(key)} for key, value in values},
        "levels": {code: {"level": str(level), "origin": _origin(choice)} for code, level, choice in sorted(levels)},
    }


def _values(settings: Settings) -> dict[str, object]:
    baseline = {} if settings.baseline is None else {"baseline": settings.baseline}
    values = {"paths": list(settings.paths), "smt": settings.smt, "rigid": settings.rigid}
    return values | baseline | {LINE_LENGTH: settings.line_length}


def _by_level(settings: Settings) -> dict[Level, list[tuple[str, Choice]]]:
    """Each code that has a level, with the choice that gives it."""
    found: dict[Level, list[tuple[str, Choice]]] = {level: [] for level in Level}
    for code in switchable():
        choice = settings.levels.of(code)
        if code == RIGID_CODE and settings.rigid == "error":
            choice = Choice(Level.DENY, "rigid", settings.origin("rigid"))
        found[choice.level].append((code, choice))
    return found


def _origin(choice: Choice) -> str:
    return f"`{choice.name}`, {choice.origin}" if choice.name else choice.origin
