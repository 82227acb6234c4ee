"""Baselines: the findings that a project already has, so that `gradual check` reports only new ones.

A finding is recognised by its file, its code, its message and the line that it is shown at, not by the line's number:
changes elsewhere in the file leave it known, and a change of the line itself reports it again.  Files are named from
the folder of the baseline, so that it does not matter where the command runs.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gradual import __version__
from gradual.diagnostic import Diagnostic, Severity, counted
from gradual.interface.input.files import STDIN, content
from gradual.interface.terminal import Output, Trouble, note, save_text
from gradual.report.located import within
from gradual.source import Source, visible
from gradual.tools.checking.results import Checked, Outcome

KEYS = ("file", "code", "message", "line")
"""What a finding is recognised by."""

Key = tuple[str, ...]


class Baseline:
    """The known findings; each is used up by one occurrence, so that a further occurrence of the same kind is new."""

    def __init__(self, known: Iterable[Key], folder: str) -> None:
        self._folder = folder
        self._left = Counter(known)
        self._files = set[str]()

    def without_known(self, checked: Checked) -> tuple[Checked, int]:
        """A result without the known findings, and how many these were; a file that was not checked keeps all."""
        if not checked.checked:
            return checked, 0
        self._files.add(_named(checked.source, self._folder))
        new = []
        for found in checked.diagnostics:
            if self._left[key := key_of(checked.source, found, self._folder)] and _counts(found):
                self._left[key] -= 1
            else:
                new.append(found)
        rest = replace(checked, diagnostics=tuple(new))
        return replace(rest, outcome=Outcome.ERRORS if rest.errors else Outcome.OK), len(checked.diagnostics) - len(new)

    def gone(self) -> int:
        """How many known findings of the files that were checked did not occur."""
        return sum(count for key, count in self._left.items() if key[0] in self._files)


def read(path: str) -> Baseline:
    """The baseline in a file.  Raises Trouble if it cannot be read."""
    try:
        rows = json.loads(content(path, "source"))["findings"]
        known = [key for row in rows for key in [_key(row)] * _count(row)]
        return Baseline(known, os.path.dirname(path))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError, KeyError, TypeError, ValueError) as error:
        how = "`gradual check --write-baseline FILE` writes one"
        raise Trouble("E0705", f"`{path}` is not a baseline: {how}") from error


def _key(row: Any) -> Key:
    key = tuple(row[name] for name in KEYS)
    if not all(isinstance(part, str) for part in key):
        raise TypeError(key)
    return key


def _count(row: Any) -> int:
    count = row.get("count", 1)
    if not isinstance(count, int) or not 1 <= count <= 1_000_000:
        raise ValueError(count)
    return count


def write_findings(out: Output, path: str, results: Iterable[Checked]) -> int:
    """Write the findings of all files as a baseline; the exit code is that of the files that were not checked."""
    keys, worst = list[Key](), 0
    for checked in results:
        keys += keys_of(checked, os.path.dirname(path))
        if not checked.checked:
            worst = max(worst, checked.outcome.exit_code)
            note("\n".join(f"error[{one.code}]: {visible(one.message)}" for one in checked.diagnostics))
    save_text(path, text_of(keys))
    if not out.quiet:
        out.line(f"wrote {visible(path)}: {counted(len(keys), 'finding')}")
    return worst


def text_of(keys: Iterable[Key]) -> str:
    """A baseline as text: sorted, a finding on each line, so that its changes can be reviewed."""
    rows = [
        dict(zip(KEYS, key, strict=True)) | ({"count": count} if count > 1 else {})
        for key, count in sorted(Counter(keys).items())
    ]
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    listed = f"[\n{lines}\n]" if rows else "[]"
    return f'{{"tool": "gradual {__version__}", "findings": {listed}}}\n'


def keys_of(checked: Checked, folder: str) -> Iterator[Key]:
    """What the findings of a file are recognised by; a file that was not checked has none."""
    lasting = [found for found in checked.diagnostics if checked.checked and _counts(found)]
    yield from (key_of(checked.source, found, folder) for found in lasting)


def _counts(found: Diagnostic) -> bool:
    """Whether a finding is written to baselines and looked up in them: notes are not, as they are shown on request."""
    return found.severity is not Severity.NOTE


def key_of(source: Source, found: Diagnostic, folder: str) -> Key:
    """What a finding is recognised by."""
    shown, span = within(source)(found.span)
    line = shown.line(shown.position(span.start).line).strip()
    return _named(source, folder), found.code, found.message, line


def _named(source: Source, folder: str) -> str:
    """The path of a file from the folder of the baseline; on another drive than this folder, the path as given."""
    if source.name == STDIN:
        return STDIN
    try:
        return Path(os.path.relpath(source.name, folder or os.curdir)).as_posix()
    except ValueError:
        return Path(source.name).as_posix()
