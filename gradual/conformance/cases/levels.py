"""Levels: sets of language features, so that an implementation of a part of the language is asked about that part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradual.conformance.cases.case import Request
from gradual.conformance.cases.features import Features, features_of
from gradual.record import record
from gradual.resources import folder

FILE = "conformance/levels.json"


@record
class Level:
    """What the programs of a level use, with those of the levels that it contains.

    Attributes:
        operators: the operators of its programs; None for all.
        literal: operator -> the position of the first operand that has to be written out, as have its attributes.
    """

    name: str
    constructs: frozenset[str]
    operators: frozenset[str] | None
    literal: Mapping[str, int]

    def has(self, features: Features) -> bool:
        """Whether the level's language has these features.  [conformance.level]"""
        if not features.constructs <= self.constructs:
            return False
        return self.operators is None or (
            features.operators <= self.operators and not any(self._excludes(*one) for one in features.computed)
        )

    def _excludes(self, operator: str, position: int | str) -> bool:
        if isinstance(position, str):
            return True
        return position >= self.literal.get(operator, position + 1)


def read_levels(spec: Path) -> dict[str, Level]:
    """Name -> level, the smaller first; of the specification of this installation if `spec` has no levels."""
    path = spec / FILE if (spec / FILE).is_file() else folder("spec") / FILE
    levels: dict[str, Level] = {}
    for name, form in json.loads(path.read_text(encoding="utf-8")).items():
        levels[name] = _level(name, form, [levels[inner] for inner in form["contains"]])
    return levels


def _level(name: str, form: Mapping[str, Any], inner: list[Level]) -> Level:
    own = form.get("operators", [])
    has_all = own == "all" or any(level.operators is None for level in inner)
    return Level(
        name,
        frozenset(form["constructs"]).union(*(level.constructs for level in inner)),
        None if has_all else frozenset(own).union(*(level.operators or () for level in inner)),
        dict(form.get("literal", {})) | {name: at for level in inner for name, at in level.literal.items()},
    )


def level_of(request: Request, levels: Mapping[str, Level]) -> Level:
    """The first level that has the features of a request.  [conformance.level]"""
    features = features_of(request)
    found = next((level for level in levels.values() if level.has(features)), None)
    if found is None:
        unknown = features.constructs.difference(*(level.constructs for level in levels.values()))
        raise AssertionError(f"{request.name}: no level has {', '.join(sorted(unknown))}")
    return found
