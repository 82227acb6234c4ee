"""Hooks of MkDocs: pages from outside of `docs/` or generated, links between them, the playground's files."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from docs.generator import playground, reference
from docs.generator.dialect import adapted
from docs.generator.navigation import navigation
from docs.generator.places import ROOT, linked, page_of, targets

LOG = logging.getLogger("mkdocs.hooks.generator")
BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md")
"""Pages of the repository that the site has besides `docs/` and `spec/`."""

_LANGUAGES = {".py": "python", ".json": "json", ".toml": "toml", ".relay": "relay", ".c": "c"}
_paths: dict[str, str] = {}
"""Page -> the file of the repository that it shows, for its links."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the specification, the generated reference, and every file of the repository that a page links to."""
    _paths.clear()
    for file in files.documentation_pages():
        _paths[file.src_uri] = f"docs/{file.src_uri}"
    for path in (*BESIDE, *_specification()):
        _add(files, config, path)
    for page, text in reference.pages():
        files.append(File.generated(config, page, content=text))
    while found := _linked(files):
        for path in found:
            _add_linked(files, config, path)
    for place, source in playground.files():
        files.append(File.generated(config, place, **source))
    config.nav = navigation(file.src_uri for file in files.documentation_pages())
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page with its links to files as links to pages, in the dialect of Python-Markdown."""
    path = _paths.get(page.file.src_uri)
    return adapted(linked(markdown, path, page.file.src_uri) if path else markdown)


def _specification() -> list[str]:
    """The chapters, the format of the suites, and the protocol; of the suites only those that a page links to."""
    suites = ROOT / "spec" / "conformance"
    places = (
        *sorted((ROOT / "spec").glob("[0-9]*.md")),
        suites / "README.md",
        *sorted((suites / "protocol").iterdir()),
    )
    return [path.relative_to(ROOT).as_posix() for path in places]


def _add(files: Files, config: MkDocsConfig, path: str) -> None:
    """Add a file of the repository as it lies."""
    page = page_of(path)
    files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))
    _paths[page] = path


def _add_linked(files: Files, config: MkDocsConfig, path: str) -> None:
    """Add a file or folder that a page links to, with a place in the navigation only if a section names it."""
    page, source = page_of(path), {"abs_src_path": str(ROOT / path)} if _is_page(path) else {"content": _shown(path)}
    files.append(File.generated(config, page, inclusion=InclusionLevel.NOT_IN_NAV, **source))
    if _is_page(path):
        _paths[page] = path


def _linked(files: Files) -> list[str]:
    """The files and folders that pages link to, and the files in these folders, without a page yet."""
    found: dict[str, None] = {}
    for page, path in _paths.items():
        if page.endswith(".md"):
            found |= dict.fromkeys(targets((ROOT / path).read_text(encoding="utf-8"), path))
    for path in [path for path in found if (ROOT / path).is_dir()]:
        found |= dict.fromkeys(inside.relative_to(ROOT).as_posix() for inside in _inside(path))
    return [path for path in found if (ROOT / path).exists() and files.get_file_from_path(page_of(path)) is None]


def _inside(path: str) -> Iterable[Path]:
    return (one for one in sorted((ROOT / path).iterdir()) if one.is_file())


def _is_page(path: str) -> bool:
    """Whether a file is a page as it lies, or a file to be downloaded; others are shown on a page."""
    return (ROOT / path).is_file() and path.endswith((".md", ".json", ".ipynb"))


def _shown(path: str) -> str:
    """A page that shows a file that is no page itself, or that lists the files of a folder."""
    place = ROOT / path
    if place.is_dir():
        rows = [
            f"- [`{one.name}`]({page_of(one.relative_to(ROOT).as_posix()).rpartition('/')[2]})" for one in _inside(path)
        ]
        return "\n".join([f"# `{path}`", "", *rows, ""])
    language = _LANGUAGES.get(place.suffix, "text")
    return f"# `{path}`\n\n````{language}\n{place.read_text(encoding='utf-8').rstrip()}\n````\n"
