"""Programs that the project's parser accepts: those of the specification, of its suite, of the examples, and TVM's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
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


@cache
def own(step: int = 1) -> tuple[tuple[str, str], ...]:
    """The accepted programs of the specification, the suite and the examples, or each `step`th of them, by name."""
    texts = [(case.id, case.request.text) for case in load(ROOT / "spec").cases]
    texts += [(path.name, path.read_text("utf-8")) for path in sorted((ROOT / "examples").rglob("*.relay"))]
    different = {text: name for name, text in reversed(texts)}
    return tuple((name, text) for text, name in sorted(different.items())[::step] if is_accepted(text))


def printed_by_tvm() -> Iterator[tuple[str, str]]:
    """The models and the recorded programs that TVM printed; nothing where the corpus is absent."""
    yield from models()
    yield from programs()
