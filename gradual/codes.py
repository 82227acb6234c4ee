"""The kinds of diagnostics: code, title, severity, phase and groups.

`spec/errors/` has a page on each, with the rules that it reports; the headings of the pages agree with this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradual.diagnostic import Severity
from gradual.record import record

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


@record
class Kind:
    """A kind of diagnostic.

    Attributes:
        code: its name for users; stable, and never given to another kind.
        title: a few words.
        severity: the default severity, which settings may change.
        phase: the phase that finds it; the pages are grouped by phase.
        groups: names of groups that it belongs to, by which its level can be set.  A kind of the phase `lints` with a
            group is a lint.
    """

    code: str
    title: str
    severity: Severity
    phase: str
    groups: tuple[str, ...] = ()


_KINDS = (
    Kind("E0101", "unexpected token", ERROR, "syntax"),
    Kind("E0102", "no token", ERROR, "syntax"),
    Kind("E0103", "unsupported version", ERROR, "syntax"),
    Kind("E0104", "bad number", ERROR, "syntax"),
    Kind("E0105", "nesting too deep", ERROR, "syntax"),
    Kind("E0106", "metadata", ERROR, "syntax"),
    Kind("E0201", "unknown operator", ERROR, "names"),
    Kind("E0202", "unknown variable", ERROR, "names"),
    Kind("E0203", "unknown function", ERROR, "names"),
    Kind("E0204", "duplicate definition", ERROR, "names"),
    Kind("E0205", "unknown type", ERROR, "names"),
    Kind("E0206", "dimension not bound", ERROR, "names"),
    Kind("E0207", "attribute", ERROR, "names"),
    Kind("E0208", "refused operator", ERROR, "names"),
    Kind("E0301", "sizes never agree", ERROR, "shapes"),
    Kind("E0302", "refuted for some size", ERROR, "shapes"),
    Kind("E0303", "rank", ERROR, "shapes"),
    Kind("E0304", "number of arguments", ERROR, "shapes"),
    Kind("E0305", "axis out of range", ERROR, "shapes"),
    Kind("E0306", "element type", ERROR, "shapes"),
    Kind("E0307", "structure", ERROR, "shapes"),
    Kind("E0308", "branches never agree", ERROR, "shapes"),
    Kind("E0309", "projection out of range", ERROR, "shapes"),
    Kind("E0310", "a type must be written", ERROR, "shapes"),
    Kind("E0311", "impossible condition", ERROR, "shapes"),
    Kind("E0312", "attribute value", ERROR, "shapes"),
    Kind("E0313", "a match does not cover a pattern", ERROR, "shapes"),
    Kind("E0399", "not supported yet", ERROR, "shapes"),
    Kind("E0401", "residual check", NOTE, "gradual"),
    Kind("E0402", "a named size may fail", WARNING, "gradual"),
    Kind("E0403", "fails if reached", WARNING, "gradual"),
    Kind("E0404", "holds only for few sizes", WARNING, "gradual"),
    Kind("E0405", "an unreachable arm", WARNING, "gradual"),
    Kind("E0406", "not static", ERROR, "gradual"),
    Kind("E0407", "not complete", ERROR, "gradual"),
    Kind("E0408", "many checks from one unknown", NOTE, "gradual"),
    Kind("E0501", "the solver gave up", WARNING, "solver"),
    Kind("E0601", "a residual check failed", ERROR, "run"),
    Kind("E0602", "the entry was refused", ERROR, "run"),
    Kind("E0603", "index out of bounds", ERROR, "run"),
    Kind("E0604", "integer division by zero", ERROR, "run"),
    Kind("E0605", "overflow in shape arithmetic", ERROR, "run"),
    Kind("E0606", "an assertion failed", ERROR, "run"),
    Kind("E0607", "resources", ERROR, "run"),
    Kind("E0608", "invalid value", ERROR, "run"),
    Kind("E0609", "no arm fits", ERROR, "run"),
    Kind("E0610", "operator without a meaning", ERROR, "run"),
    Kind("E0701", "a file cannot be read", ERROR, "files"),
    Kind("E0702", "arguments cannot be read", ERROR, "files"),
    Kind("E0703", "a model is not imported", ERROR, "files"),
    Kind("E0704", "an input is too large", ERROR, "files"),
    Kind("E0705", "malformed configuration", ERROR, "files"),
    Kind("E0801", "both operands are stretched", WARNING, "lints", ("stretched",)),
    Kind("E0802", "a value is never used", WARNING, "lints", ("unused", "unused-value")),
    Kind("E0803", "a definition is never used", WARNING, "lints", ("unused", "unused-definition")),
    Kind("E0804", "a name shadows another", WARNING, "lints", ("hiding",)),
    Kind("E0805", "a branch is never taken", WARNING, "lints", ("never-taken",)),
    Kind("E0806", "a comment allows what is not a warning", WARNING, "lints"),
    Kind("E0900", "internal error", ERROR, "internal"),
)

KINDS: Mapping[str, Kind] = MappingProxyType({kind.code: kind for kind in _KINDS})
"""The table, by code, in the order of the codes."""

LINTS: tuple[str, ...] = tuple(kind.code for kind in _KINDS if kind.phase == "lints" and kind.groups)
"""The codes of all lints: warnings about accepted programs."""

SYNTAX: tuple[str, ...] = tuple(kind.code for kind in _KINDS if kind.phase == "syntax")
"""The codes of the errors that the parser finds."""

LOST = "E0408"
"""The code of the note on an unknown size on which many residual checks depend."""
