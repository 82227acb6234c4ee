"""One file of a census: the task to check it, and the row that results."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

from gradual.diagnostic import Severity
from gradual.interface.input.files import Absent, model_format
from gradual.interface.input.settings import Given
from gradual.interface.terminal import Trouble
from gradual.limits import Options
from gradual.record import record
from gradual.tools.census.key import key_of
from gradual.tools.checking.checking_many import checked_anyhow, ended
from gradual.tools.checking.child import Ended
from gradual.tools.checking.children import Bounds, Children
from gradual.tools.checking.results import Checked, Outcome, Wanted, by_settings, file_row, unchecked

Row = dict[str, Any]
"""The result for a file, as JSON: see `docs/how-to/check-many-models.md`."""

PLAIN = Wanted("census", False, False, None, Options())
LIMITED = (Outcome.TIMEOUT, Outcome.MEMORY)
"""The outcomes that depend on the limits."""
SAYS = 400
"""The longest message in a row, in characters."""


@record
class Task:
    """A file to check.

    Attributes:
        key: the key of its row in the journal; if the file still has this key, it is not checked again.
        others: the other files that the row depends on.
    """

    unit: str | Absent
    key: str = ""
    others: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The path as given."""
        return self.unit if isinstance(self.unit, str) else self.unit.path


@record
class Identity:
    """The key of a file, and its format; both are empty if it cannot be read."""

    key: str = ""
    format: str = ""


NOBODY = Identity()


@record
class Answer:
    """The row of a file; None if its earlier row is still valid."""

    file: str
    row: Row | None


def answered(children: Children, task: Task) -> Answer:
    """The answer for a task, computed in the child of this thread; a file that ends its child has a row too."""
    began = time.perf_counter()
    found = children.ask(_answer, task)
    if not isinstance(found, Ended):
        return Answer(task.file, found)
    seconds = time.perf_counter() - began
    told = children.ask(_identity, task.unit)
    identity = NOBODY if isinstance(told, Ended) else told
    checked = ended(task.unit, found, children.bounds)
    return Answer(task.file, _row(checked, identity, seconds, seconds) | limits(children.bounds))


def dead(task: Task) -> Answer:
    """The answer for a task whose workers died; its row is not valid for a later run."""
    return Answer(task.file, _row(ended(task.unit, Ended.KILLED), NOBODY, 0, 0))


def limits(bounds: Bounds) -> Row:
    """The part of a row that says for which limits it holds."""
    return {"limits": {"seconds": bounds.seconds, "megabytes": bounds.megabytes}}


def is_valid(row: Row, bounds: Bounds) -> bool:
    """Whether a row of an unchanged file also holds for these limits."""
    if row["outcome"] == Outcome.UNREADABLE:
        return False  # the reason may be another file, missing then and present now, which the key does not cover
    return row["outcome"] not in LIMITED or row.get("limits") == limits(bounds)["limits"]


def timeless(row: Row) -> Row:
    """A row without its times: equal for each check of the same file."""
    return {key: value for key, value in row.items() if key not in ("seconds", "cpu")}


# --------------------------------------------------------------------------------------------------- in the child
def _answer(task: Task) -> Row | None:
    """The row of a file; None if the file has the key of the task."""
    began, busy = time.perf_counter(), time.process_time()
    identity = _identity(task.unit, task.others)
    if identity.key and identity.key == task.key:
        return None
    checked = _checked(task.unit)
    if checked.files != task.others:
        identity = _identity(task.unit, checked.files)
    return _row(checked, identity, time.perf_counter() - began, time.process_time() - busy)


def _identity(unit: str | Absent, others: tuple[str, ...] = ()) -> Identity:
    """The key and the format of a file; `NOBODY` if it cannot be read."""
    if isinstance(unit, Absent) or not os.path.exists(unit):
        return NOBODY
    try:
        return Identity(key_of(unit, by_settings(PLAIN, Given(), unit), others), model_format(unit) or "relay")
    except Trouble:
        return NOBODY


def _checked(unit: str | Absent) -> Checked:
    try:
        return checked_anyhow(unit, by_settings(PLAIN, Given(), unit))
    except Trouble as trouble:  # the configuration of its folder is malformed
        return unchecked(unit, Outcome.UNREADABLE, trouble.code, trouble.message)


def _row(checked: Checked, identity: Identity, seconds: float, cpu: float) -> Row:
    errors = [one for one in checked.diagnostics if one.severity is Severity.ERROR]
    first = errors[0] if errors else None
    row = file_row(checked) | {
        "format": identity.format,
        "key": identity.key,
        "others": list(checked.files),
        "sizes": checked.sizes,
        "known": checked.known,
        "rules": dict(sorted(checked.rules.items())),
        "codes": dict(sorted(Counter(one.code for one in errors).items())),
        "operators": list(checked.operators),
        "says": "" if first is None else first.message[:SAYS],
        "seconds": round(seconds, 4),
        "cpu": round(cpu, 4),
    }
    return row | {"trace": first.notes[0]} if checked.outcome is Outcome.CRASHED and first is not None else row
