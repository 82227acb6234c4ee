"""The texts that TVM 0.12 printed, read in place; tests skip visibly where they are absent."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("GRADUAL_SHARED") or Path(__file__).parents[3] / "shared")
MODELS = SHARED / "corpus" / "relay-models"
PROGRAMS = SHARED / "corpus" / "relay-tests"

needs_models = pytest.mark.skipif(not MODELS.is_dir(), reason=f"no corpus in {MODELS}")
needs_programs = pytest.mark.skipif(not PROGRAMS.is_dir(), reason=f"no corpus in {PROGRAMS}")


def models() -> Iterator[tuple[str, str]]:
    """The models by name."""
    for path in sorted(MODELS.glob("*.relay")):
        yield path.name, path.read_text()


def programs() -> Iterator[tuple[str, str]]:
    """The different programs of the recorded tests, each with where it stands."""
    seen: set[str] = set()
    for path in sorted(PROGRAMS.glob("*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            record = json.loads(line)
            for kind in ("program", "static"):
                text = record.get(kind)
                if text and text not in seen:
                    seen.add(text)
                    yield f"{path.name}:{number}:{kind}", text
