"""The rules of the specification as links to their sections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from posixpath import relpath

from docs.generator.places import ROOT, page_of

_HEADING = re.compile(r"^#+ +`?([a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+)`?[ ]*$", re.MULTILINE)
_CITED = re.compile(r"\s*\[([a-z]+(?:\.[a-z0-9_-]+)+)\]")


@cache
def sections() -> Mapping[str, str]:
    """Rule -> the page and the anchor of its section."""
    return {
        rule: f"{page_of(path.relative_to(ROOT).as_posix())}#{rule.replace('.', '')}"
        for path in sorted((ROOT / "spec").glob("[0-9]*.md"))
        for rule in _HEADING.findall(path.read_text(encoding="utf-8"))
    }


def rule_link(rule: str, page: str) -> str:
    """A rule's name, with a link from a page to its section if it has one."""
    section = sections().get(rule)
    return f"[`{rule}`]({relpath(section, page.rpartition('/')[0])})" if section else f"`{rule}`"


def cited(text: str, page: str) -> str:
    """A docstring with each citation of a rule, `[op.rank]`, as a link."""
    return _CITED.sub(lambda match: f" ({rule_link(match[1], page)})", text)
