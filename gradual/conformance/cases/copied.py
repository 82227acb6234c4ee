"""A case as one line of JSON, for other test runners."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from gradual.conformance.cases.case import Case, Place
from gradual.conformance.cases.features import features_of
from gradual.conformance.cases.levels import Level, level_of
from gradual.interface.input.values import Built, Drawn, Fields, Literal, written

_OLD = ("checks", "core", "static", "plan", "after", "left")
"""The blocks of version 1, which are null where a case does not have them; later ones are left out, so that the hashes
of cases without them stay."""

_INNER = ("print", "typed")
"""What the runner decides on for each request."""


def copied(case: Case, levels: Mapping[str, Level], suite: str) -> str:
    """The case as JSON, with its level, features, place and a SHA-256 hash; values are in the syntax of suites."""
    expectation = {name: form for name, form in _plain(case.expectation).items() if form is not None or name in _OLD}
    form = {
        "id": case.id,
        "rules": list(case.rules),
        "request": {name: form for name, form in _plain(case.request).items() if name not in _INNER},
        "expectation": {"accepted": case.expectation.accepted} | expectation,
    }
    digest = hashlib.sha256(json.dumps(form, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    features = features_of(case.request)
    place = {
        "suite": suite,
        "limits": list(case.limits),
        "level": level_of(case.request, levels).name,
        "features": sorted(features.constructs),
        "operators": sorted(features.operators),
        "file": case.file,
        "line": case.line,
    }
    return json.dumps(form | place | {"sha256": digest})


def _plain(part: Any) -> Any:
    """A part of a case as JSON; an expected outcome includes its kind."""
    match part:
        case Place():
            return str(part)
        case Drawn() | Literal() | Fields() | Built():
            return written(part)
        case tuple() | list():
            return [_plain(each) for each in part]
        case dict():
            return {name: _plain(each) for name, each in part.items()}
    if is_dataclass(part):
        kind = type(part).__name__.removeprefix("Expected").lower()
        named = {"outcome": kind} if kind in ("value", "blame", "fault") else {}
        return named | {each.name: _plain(getattr(part, each.name)) for each in fields(part) if each.name != "line"}
    return part
