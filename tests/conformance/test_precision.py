"""The gradual guarantee over the suite: each annotated size of an accepted program is replaced by `?`, one at a time.

The program stays accepted, and every call that ended in a value ends in the same one.  The occurrence that binds a
name is left alone: precision is not defined across it.  And a declaration measures nothing of unknown rank, which a
vector of unknown length may give (E0305).  A pass may refuse the program that says less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from gradual.conformance.cases.answer import GotValue
from gradual.conformance.cases.case import Case
from gradual.conformance.cases.read import load
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.judge import agree
from gradual.conformance.runner.known import read_known
from gradual.resources import folder
from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast
from tests.conformance.test_suite import KNOWN


def accepted() -> list[object]:
    collection = load(folder("spec"))
    known = read_known(KNOWN.read_text(encoding="utf-8"), KNOWN.name, {case.id for case in collection.cases})
    cases = [case for case in collection.cases if case.expectation.accepted and case.id not in known]
    return [pytest.param(case, id=case.id) for case in cases]


def annotations(node: object) -> Iterator[tuple[ast.TensorType, bool]]:
    """The tensor types that are written in a tree, and whether they stand at a parameter."""
    waiting: list[tuple[object, bool]] = [(node, False)]
    while waiting:
        part, inside = waiting.pop()
        if isinstance(part, tuple | list):
            waiting.extend((each, inside) for each in part)
        elif isinstance(part, ast.TensorType):
            yield part, inside
        elif hasattr(part, "__dataclass_fields__") and not isinstance(part, Span):
            at_param = inside or isinstance(part, ast.Param)
            binds = {"params"} if isinstance(part, ast.FnType) else set()
            waiting.extend((getattr(part, name), at_param or name in binds) for name in part.__dataclass_fields__)


def blurred(text: str) -> Iterator[str]:
    """The program with one annotated size replaced by `?`, for each size that binds no name."""
    module, _ = parse(Source("case.relay", text))
    for type, at_param in annotations(module):
        for size in type.shape or ():
            written = text[size.span.start : size.span.end]
            names = set(_NAME.findall(written))
            binds = any(not re.search(rf"(?<![%\w.]){name}\b", text[: size.span.start]) for name in names)
            if written == "?" or written.startswith("?{") or binds or (at_param and names):
                continue
            yield text[: size.span.start] + "?" + text[size.span.end :]


_NAME = re.compile(r"(?<![%\w.])(?!(?:if|then|else)\b(?=.))[A-Za-z_]\w*+(?! *\()")
"""A name in a size: not a variable, no function such as `min`, and no word of an if-then-else."""

EXCEPTED = {"function/result/written-as-one"}
"""Cases of what `p ⊑ p'` excepts in `spec/12-properties.md`."""


@pytest.mark.parametrize("case", [case for case in accepted() if case.id not in EXCEPTED])
def test_a_size_less_known_changes_no_value(case: Case) -> None:
    reference = Reference()
    values = [(call, reference.run(case.request, call)) for call in case.request.calls]
    for text in blurred(case.request.text):
        request = replace(case.request, text=text)
        report = reference.check(request)
        if {(one.code, one.rule) for one in report.diagnostics if one.severity == "error"} == {("E0305", "op.axis")}:
            continue
        assert report.accepted, (text, [str(d) for d in report.diagnostics])
        if request.passes and not report.passed:
            continue
        for call, value in values:
            if isinstance(value, GotValue):
                found = reference.run(request, call)
                assert isinstance(found, GotValue) and agree(value.value, found.value), (text, call, found)
