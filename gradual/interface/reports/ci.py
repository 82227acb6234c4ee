"""Diagnostics in the formats of continuous integration services: GitHub annotations, SARIF 2.1.0, JUnit.

Sources: "Workflow commands for GitHub Actions"; OASIS, "Static Analysis Results Interchange Format (SARIF) Version
2.1.0", 2020; the form of JUnit's reports as Jenkins and GitLab read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote
from xml.etree import ElementTree

from gradual import __version__
from gradual.diagnostic import Diagnostic, Help, Severity
from gradual.interface.pages import code_facts
from gradual.interface.reports.json_lines import Object, plain, written
from gradual.report import render
from gradual.report.located import within
from gradual.source import NOWHERE, Source, Span, visible

_LAYOUT = "\n\t"
"""The invisible characters that are not escaped."""

Told = tuple[Source, Sequence[Diagnostic]]
"""A text with its diagnostics."""


# --------------------------------------------------------------------------------------------------------- GitHub
def annotation(source: Source, found: Diagnostic) -> str:
    """A diagnostic as a workflow command, which annotates a source line: `::error file=…,line=…::message`."""
    text, span = within(source)(found.span)
    start, end = text.position(span.start), text.position(span.end)
    place = {"line": start.line, "col": start.column, "endLine": end.line, "endColumn": end.column}
    is_line = found.span != NOWHERE and text.is_numbered
    where = {"file": text.name if is_line else source.name} | (place if is_line else {}) | {"title": _title(found)}
    properties = ",".join(f"{name}={_escaped(visible(str(value)), ':,')}" for name, value in where.items())
    command = "notice" if found.severity is Severity.NOTE else found.severity
    return f"::{command} {properties}::{_escaped(visible(_said(found), _LAYOUT))}"


def _title(found: Diagnostic) -> str:
    return f"{found.code} {found.rule}".rstrip()


def _escaped(text: str, marks: str = "") -> str:
    return "".join(f"%{ord(mark):02X}" if mark in "%\r\n" + marks else mark for mark in text)


def _said(found: Diagnostic) -> str:
    """The message with its notes and helps, a line each."""
    helps = [f"help: {help_.text}" for help_ in found.help]
    return "\n".join([found.message, *(f"note: {note}" for note in found.notes), *helps])


# ---------------------------------------------------------------------------------------------------------- SARIF
def sarif(texts: Iterable[Told]) -> str:
    """One run of the tool: its codes are the rules, a specification's rule is a property of a result."""
    told = [(source, found) for source, diagnostics in texts for found in diagnostics]
    codes = sorted({found.code for _, found in told})
    driver = {"name": "gradual", "version": __version__, "rules": [_rule(code) for code in codes]}
    results = [_result(source, found, codes.index(found.code)) for source, found in told]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return written({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str) -> Object:
    facts = code_facts(code)
    return {
        "id": code,
        "shortDescription": {"text": facts["title"]},
        "fullDescription": {"text": facts["summary"]},
        "help": {"text": f"gradual explain {code}"},
    }


def _result(source: Source, found: Diagnostic, index: int) -> Object:
    fixes = [_fix(source, help_) for help_ in found.help if help_.edits and source.origins is None]
    related = [
        {"id": number, "message": {"text": one.label}, **_location(source, one.span)}
        for number, one in enumerate(found.related, 1)
    ]
    return {
        "ruleId": found.code,
        "ruleIndex": index,
        "level": str(found.severity),
        "message": {"text": _said(found)},
        "locations": [_location(source, found.span)],
        **({"relatedLocations": related} if related else {}),
        **({"fixes": fixes} if fixes else {}),
        "properties": {"rule": found.rule, **plain(found.data)},
    }


def _location(source: Source, span: Span) -> Object:
    """The location of a span; in an imported model the line of the user's code that made its node, and the node."""
    text, where = within(source)(span)
    is_line = span != NOWHERE and text.is_numbered
    region = {"region": _region(text, where)} if is_line else {}
    found: Object = {"physicalLocation": {"artifactLocation": _artifact(text if is_line else source), **region}}
    origin = source.origin(span)
    if origin is not None:
        name = ".".join(part for part in (origin.module, origin.value) if part)
        found["logicalLocations"] = [{"name": origin.node, "fullyQualifiedName": name or origin.node}]
    return found


def _artifact(source: Source) -> Object:
    """The location of a text: its path, relative or absolute; `-` for standard input."""
    uri = quote(source.name, errors="surrogateescape")
    return {"uri": f"file://{uri}" if uri.startswith("/") else uri}


def _region(source: Source, span: Span) -> Object:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def _fix(source: Source, help_: Help) -> Object:
    replacements = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.text}} for edit in help_.edits
    ]
    return {
        "description": {"text": help_.text},
        "artifactChanges": [{"artifactLocation": _artifact(source), "replacements": replacements}],
        "properties": {"safe": help_.safe},
    }


# ---------------------------------------------------------------------------------------------------------- JUnit
def junit(texts: Iterable[Told]) -> str:
    """One test for each text, which fails if the text has errors; other diagnostics are in its output."""
    suite = ElementTree.Element("testsuite", name="gradual check")
    tests = failures = 0
    for source, diagnostics in texts:
        tests += 1
        case = ElementTree.SubElement(suite, "testcase", classname="gradual", name=_xml(source.name))
        errors = [found for found in diagnostics if found.severity is Severity.ERROR]
        others = [found for found in diagnostics if found.severity is not Severity.ERROR]
        if errors:
            failures += 1
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            failure = ElementTree.SubElement(
                case, "failure", type=errors[0].code, message=_xml(errors[0].message + more)
            )
            failure.text = _xml(_shown(source, errors))
        if others:
            ElementTree.SubElement(case, "system-out").text = _xml(_shown(source, others))
    suite.attrib |= {"tests": str(tests), "failures": str(failures)}
    suites = ElementTree.Element("testsuites", suite.attrib)
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode")


def _shown(source: Source, found: Iterable[Diagnostic]) -> str:
    locate = render.within(source)
    return "\n\n".join(render.full(each, locate) for each in found)


def _xml(text: str) -> str:
    """A text without characters that XML forbids, and without terminal control characters."""
    return visible(text, _LAYOUT)
