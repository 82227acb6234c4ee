"""The list of an implementation's known failures; its outdated lines are reported.

A line is `case-id  profile, profile  # reason`; `crash`, `timeout` and `protocol` mean that there was no answer.  A
listed case that passes, or fails in other profiles, is reported; a case that does not exist is an error in the list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from gradual.conformance.cases.case import Malformed, Problem
from gradual.conformance.runner.judge import EVERY, Profile, whole
from gradual.conformance.runner.run import LOST, Class, Result
from gradual.record import record

_LINE = re.compile(r"^(\S+)\s+([a-z]+(?:\s*,\s*[a-z]+)*)\s+#\s*(\S.*)$")


def _word(kind: Class) -> str:
    return kind.value.split()[0]


_LOST_WORDS = frozenset(map(_word, LOST))
_PROFILES = _LOST_WORDS | {profile.value for profile in Profile}


@record
class Known:
    """A known failure: the profiles in which the case fails, and the reason."""

    profiles: frozenset[str]
    reason: str


def read_known(text: str, file: str, cases: Collection[str]) -> dict[str, Known]:
    """Case id -> known failure; raises Malformed if a line cannot be parsed, or its case is unknown or repeated."""
    found: dict[str, Known] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.match(line.strip())
        profiles = frozenset(re.split(r"\s*,\s*", match[2])) if match is not None else frozenset()
        if match is None:
            problems.append(Problem(file, number, "expected `case-id  profile, …  # reason`"))
        elif match[1] not in cases:
            problems.append(Problem(file, number, f"there is no case {match[1]}"))
        elif match[1] in found:
            problems.append(Problem(file, number, f"the case {match[1]} stands twice"))
        elif not profiles <= _PROFILES:
            problems.append(Problem(file, number, f"there is no profile {min(profiles - _PROFILES)}"))
        else:
            found[match[1]] = Known(profiles, match[3])
    if problems:
        raise Malformed(problems)
    return found


def weighed(
    results: Iterable[Result], known: Mapping[str, Known], profiles: frozenset[Profile] = EVERY
) -> Iterator[Result]:
    """The results, with known failures classified as KNOWN, and listed cases that pass as UNEXPECTED.

    Profiles of the list that are not compared are ignored.
    """
    compared = {profile.value for profile in whole(profiles)} | _LOST_WORDS
    for result in results:
        listed = known[result.case.id].profiles & compared if result.case.id in known else None
        if not listed or result.kind in (Class.SKIPPED, Class.UNSUPPORTED):
            yield result
        elif result.kind is Class.PASS:
            yield replace(result, kind=Class.UNEXPECTED)
        else:
            yield replace(result, kind=Class.KNOWN) if broken(result) == listed else result


def broken(result: Result) -> frozenset[str]:
    """The profiles in which a result fails."""
    lost = {_word(result.kind)} if result.kind in LOST else set()
    return frozenset(lost or {failure.profile.value for failure in result.failures})
