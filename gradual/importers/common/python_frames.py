"""The user's own frames of a Python stack trace, as PyTorch records it with each node."""

from __future__ import annotations

import re

from gradual.origin import Frame

_FRAME = re.compile(r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>[0-9]{1,6})(?:, in (?P<function>[^\n]*))?$')
_UNDERLINE = re.compile(r"[\s~^]*")
_INSTALLED = re.compile(
    r"(^|[/\\])(site-packages|dist-packages|lib[/\\]python3[^/\\]*)[/\\]|^torch[/\\]|^<(?!ipython-input)"
)
"""Files that are not the user's own: installed packages, Python itself, generated code other than IPython cells."""
_LAST = 100_000
"""The greatest line number that is shown, since reports build a text with a line break for each earlier line."""


def is_own(file: str, line: int) -> bool:
    """Whether a frame is in one of the user's own files."""
    return not _INSTALLED.search(file) and 0 < line <= _LAST


def user_frames(trace: str) -> tuple[Frame, ...]:
    """The frames of a trace that are in the user's own files, the outermost first; malformed lines are skipped."""
    found: list[Frame] = []
    is_users = False
    for line in trace.split("\n"):
        if match := _FRAME.match(line):
            is_users = is_own(match["file"], int(match["line"]))
            if is_users:
                found.append(Frame(match["file"], int(match["line"]), match["function"] or ""))
        elif is_users and not found[-1].text and not _UNDERLINE.fullmatch(line):
            last = found[-1]
            found[-1] = Frame(last.file, last.line, last.function, line.rstrip())
    return tuple(found)
