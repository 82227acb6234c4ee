"""The navigation: the sections of the site, each with the pages that are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from typing import Any

SECTIONS: Mapping[str, tuple[Any, ...]] = {
    "Start": ("index.md", "install.md", "language.md", "playground.md"),
    "Tutorial": (
        "tutorial/your-first-shape-error.md",
        "tutorial/from-unknown-to-proved.md",
        "tutorial/a-pytorch-model.md",
        "tutorial/*.md",
    ),
    "How-to": (
        "how-to/fix-programs.md",
        "how-to/annotate-programs.md",
        "how-to/check-a-pytorch-model.md",
        "how-to/check-a-tensorflow-model.md",
        "how-to/import-onnx.md",
        "how-to/*.md",
    ),
    "Reference": (
        "reference/index.md",
        "reference/command-line.md",
        "reference/python.md",
        {"Operators": ("reference/operators/index.md", "reference/operators/*.md")},
        {"Codes": ("reference/codes/index.md", "reference/codes/*.md")},
        "reference/protocol.md",
        "glossary.md",
    ),
    "Explanation": (
        "explanation/three-outcomes.md",
        "explanation/unknown-sizes.md",
        "explanation/blame.md",
        "explanation/questions.md",
        "explanation/*.md",
        "performance.md",
        "field.md",
        "bibliography.md",
    ),
    "Specification": (
        "spec/[0-9]*.md",
        {"Conformance suite": ("spec/conformance/README.md", "spec/conformance/*.md")},
    ),
    "Contributors": (
        "CONTRIBUTING.md",
        "architecture.md",
        "recipes.md",
        "campaigns.md",
        "CHANGELOG.md",
        "examples/README.md",
        {"Decisions": ("decisions/README.md", "decisions/*.md")},
    ),
}
"""Section -> its pages in order; a pattern stands for the pages that are not named before it, by name."""


def navigation(pages: Iterable[str]) -> list[dict[str, Any]]:
    """The navigation as MkDocs configures it; sections without pages are left out."""
    left = sorted(pages)
    return [{title: found} for title, parts in SECTIONS.items() if (found := _section(parts, left))]


def _section(parts: Iterable[Any], left: list[str]) -> list[Any]:
    """The pages of a section, which are removed from the list of those that are left."""
    found: list[Any] = []
    for part in parts:
        if isinstance(part, Mapping):
            found += [{title: inside} for title, of in part.items() if (inside := _section(of, left))]
            continue
        for page in [page for page in left if fnmatch(page, part)]:
            left.remove(page)
            found.append(page)
    return found
