"""Apply helps to programs, in rounds, until none applies any more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path

from gradual.checker.fixes.suggested import edited
from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic, Edit, Help
from gradual.interface.input.files import Absent, model_format
from gradual.interface.input.program_text import read
from gradual.interface.terminal import Trouble
from gradual.limits import Options
from gradual.record import record
from gradual.source import Source
from gradual.tools.checking.results import Unit

BOM = b"\xef\xbb\xbf"

ROUNDS = 32
"""Limit on the rounds; a fix may reveal errors that were hidden before."""


@record
class Fixed:
    """A program after fixing.

    Attributes:
        text: the fixed text.
        applied: the texts of the helps that were applied.
        hidden: how many helps are left that only `--unsafe-fixes` applies.
    """

    source: Source
    text: str
    applied: tuple[str, ...]
    hidden: int

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        return difference(self.source, self.text)


def difference(source: Source, text: str) -> str:
    """The unified diff from a source to a new text."""
    before, after = (one.splitlines(keepends=True) for one in (source.text, text))
    lines = unified_diff(before, after, source.name, source.name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def fixed(source: Source, options: Options, *, unsafe: bool) -> Fixed:
    """Apply all safe helps, or with `unsafe` all helps that have edits, as long as findings disappear."""
    text, applied, seen = source.text, list[str](), {source.text}
    found = compile_source(source, options).diagnostics
    for _ in range(ROUNDS):
        for helps in _choices(found, unsafe):
            changed = edited(text, [edit for help in helps for edit in help.edits])
            after = compile_source(Source(source.name, changed), options).diagnostics
            if changed not in seen and _is_better(after, found):
                break
        else:
            break
        seen.add(changed)
        applied += [help.text for help in helps]
        text, found = changed, after
    return Fixed(source, text, tuple(applied), 0 if unsafe else sum(not help.safe for help in _applicable(found, True)))


def _choices(found: Iterable[Diagnostic], unsafe: bool) -> Iterator[list[Help]]:
    """The candidates for a round: all helps with disjoint edits, or only the first."""
    helps = list(_apart(_applicable(found, unsafe)))
    yield from [helps] if helps else []
    yield from [helps[:1]] if len(helps) > 1 else []


def _is_better(after: Sequence[Diagnostic], before: Sequence[Diagnostic]) -> bool:
    """Whether a finding disappeared; new findings are ignored, since each help was tried when it was proposed."""
    return bool(_counted(before) - _counted(after))


def _counted(found: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter((one.code, one.message) for one in found)


def _applicable(found: Iterable[Diagnostic], unsafe: bool) -> Iterator[Help]:
    """The first help of each finding that has edits and may be applied."""
    for one in found:
        help = next((help for help in one.help if help.edits), None)
        if help is not None and (help.safe or unsafe):
            yield help


def _apart(helps: Iterable[Help]) -> Iterator[Help]:
    """The helps whose edits do not overlap those of an earlier help, without duplicates."""
    taken: list[Edit] = []
    for help in helps:
        if not any(_touch(edit, other) for edit in help.edits for other in taken):
            taken += help.edits
            yield help


def _touch(one: Edit, other: Edit) -> bool:
    return one.span.start <= other.span.end and other.span.start <= one.span.end


# ------------------------------------------------------------------------------------------------------- files
def fixed_all(units: Iterable[Unit], options: Options, *, unsafe: bool) -> Iterator[Fixed]:
    """Fix each readable program; models and unreadable files are left for the check to report."""
    for unit in units:
        if isinstance(unit, Absent) or (isinstance(unit, str) and model_format(unit) is not None):
            continue
        with suppress(Trouble):
            text = read(unit) if isinstance(unit, str) else unit
            if text.flaw is None:
                yield fixed(text.source, options, unsafe=unsafe)


def save(result: Fixed) -> None:
    """Write the fixed program to its file, keeping a byte order mark; unchanged files are not written."""
    if not result.applied:
        return
    path = Path(result.source.name)
    try:
        mark = BOM if path.read_bytes().startswith(BOM) else b""
        path.write_bytes(mark + result.text.encode())
    except OSError as error:
        raise Trouble("E0701", f"cannot write `{result.source.name}`: {error.strerror}") from error
