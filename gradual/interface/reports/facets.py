"""Which parts of an operator's definition exist: in its declaration, the specification, the conformance cases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import Operator
from gradual.resources import folder

_CALL = re.compile(r"[A-Za-z_][\w.]*(?=\()")
_HEADING = re.compile(r"^(?:## |### Operator `)([^`\n]+)", re.MULTILINE)


@cache
def examples() -> Mapping[str, str]:
    """Name called in a program of the specification -> the first case or rule that calls it."""
    found: dict[str, str] = {}
    place = folder("spec")
    for path in sorted((*place.glob("conformance/*.md"), *place.glob("0*.md"))):
        parts = _HEADING.split(path.read_text("utf-8"))
        for heading, text in zip(parts[1::2], parts[2::2], strict=True):
            for program in re.findall(r"^```relay[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
                for called in _CALL.findall(program):
                    found.setdefault(called, heading.strip())
    return found


@cache
def entries() -> frozenset[str]:
    """The operators that have an entry in the specification."""
    return frozenset(_HEADING.findall((folder("spec") / "07-operators-entries.md").read_text("utf-8")))


def facets(operator: Operator) -> dict[str, str]:
    """Part of an operator's definition -> a short description; `missing` if it is required but does not exist.

    The shape function is the judgement on constant sizes, and a dynamic form is derived from the static one, so neither
    can be missing.
    """
    called = (operator.name, *operator.aliases)
    example = next((examples()[name] for name in called if name in examples()), "missing")
    twin = f"dyn.{operator.name}"
    return {
        "judgement": operator.judge.__module__.removeprefix("gradual.ops."),
        "meaning": operator.meaning.__module__.removeprefix("gradual.ops."),
        "shape function": "from contents" if operator.reads else "from shapes",
        "size depends on data": "yes" if operator.data_dependent else "no",
        "dynamic form": twin if twin in CATALOGUE else "is one" if operator.name.startswith("dyn.") else "none",
        "contents": "yes" if operator.contents is not None else "none",
        "entry": "yes" if operator.name in entries() else "missing",
        "example": example,
        "ONNX": operator.onnx or "none",
    }
