"""Files of the repository and the pages of the site: which file becomes which page, and links between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath, relpath

ROOT = Path(__file__).resolve().parents[2]

ALIASES = {
    "README.md": "index.md",
    "docs/README.md": "index.md",
    "spec/errors/README.md": "reference/codes/index.md",
    "spec/conformance/protocol/README.md": "reference/protocol.md",
}
"""Files whose content is another page of the site."""

MOVED = (("docs/", ""), ("spec/errors/", "reference/codes/"), ("spec/conformance/protocol/", "reference/"))
"""Folders of the repository, and where their files are in the site; other files keep their path."""

_FENCE = r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^ *(?P=fence)`*[ ]*$"
_LINK = re.compile(
    rf"{_FENCE}|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\]\((?P<link>[^)\s]+)\)", re.DOTALL | re.MULTILINE
)
_ELSEWHERE = re.compile(r"[a-z]+:|#|//")


def page_of(path: str) -> str:
    """The page of the site, as a path of its source, for a file or folder of the repository."""
    if path in ALIASES:
        return ALIASES[path]
    if (ROOT / path).is_dir():
        return f"{path}/index.md"
    moved = next((new + path.removeprefix(old) for old, new in MOVED if path.startswith(old)), path)
    return moved if moved.endswith((".md", ".json", ".ipynb")) or path.startswith("docs/") else f"{moved}.md"


def targets(text: str, path: str) -> Iterator[str]:
    """The files and folders of the repository that a file links to, as paths from the root of the repository."""
    for match in _LINK.finditer(text):
        if (link := match["link"]) and not _ELSEWHERE.match(link):
            yield _resolved(link.partition("#")[0], path)


def linked(text: str, path: str, page: str) -> str:
    """The text of a file with its links to other files replaced by links to their pages.

    Args:
        text: the text, in Markdown.
        path: the file, from the root of the repository.
        page: the page that the text is on.
    """

    def replaced(match: re.Match[str]) -> str:
        link = match["link"]
        if not link or _ELSEWHERE.match(link):
            return match[0]
        file, mark, anchor = link.partition("#")
        target = page_of(_resolved(file, path))
        return f"]({relpath(target, page.rpartition('/')[0] or '.')}{mark}{anchor})"

    return _LINK.sub(replaced, text)


def _resolved(link: str, path: str) -> str:
    return normpath(f"{path.rpartition('/')[0] or '.'}/{link}")
