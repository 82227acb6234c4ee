"""Programs that the project's parser accepts: those of the specification, of its suite, of the examples, and TVM's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gradual.conformance.cases.read import load
from gradual.source import Source
from gradual.syntax.parse import parse
from tests.syntax.corpus import models, programs

ROOT = Path(__file__).parents[2]


def is_accepted(text: str) -> bool:
    """Whether the parser reports no error of syntax; unknown metadata is none."""
    _, diagnostics = parse(Source("program.relay", text))
    return all(one.rule == "syntax.metadata" for one in diagnostics)


def own() -> Iterator[tuple[str, str]]:
    """The accepted programs of the specification, the suite and the examples, by name, each text once."""
    texts = [(case.id, case.request.text) for case in load(ROOT / "spec").cases]
    texts += [(path.name, path.read_text("utf-8")) for path in sorted((ROOT / "examples").rglob("*.relay"))]
    seen: set[str] = set()
    for name, text in texts:
        if text not in seen and is_accepted(text):
            seen.add(text)
            yield name, text


def printed_by_tvm() -> Iterator[tuple[str, str]]:
    """The models and the recorded programs that TVM printed, where the corpus is at hand."""
    yield from models()
    yield from programs()
