"""The results of a run in the XML of JUnit, which services of continuous integration read."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as XML

from gradual.conformance.reports.summary import Summary
from gradual.conformance.runner.run import LOST, Class, Result
from gradual.source import visible

_IGNORED = (Class.SKIPPED, Class.UNSUPPORTED, Class.KNOWN)


def junit_report(summary: Summary) -> str:
    """The report: a `testsuite` for each file, a `testcase` for each case; known failures count as skipped."""
    root = XML.Element("testsuites", name=visible(f"{summary.implementation}, suite {summary.suite}"))
    for file, results in groupby(summary.results, key=lambda result: result.case.file):
        root.append(_suite(file, list(results)))
    XML.indent(root, " ")
    return XML.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(file: str, results: list[Result]) -> XML.Element:
    kinds = [result.kind for result in results]
    counts = {
        "tests": len(kinds),
        "failures": sum(kind in (Class.FAIL, Class.UNEXPECTED) for kind in kinds),
        "errors": sum(kind in LOST for kind in kinds),
        "skipped": sum(kind in _IGNORED for kind in kinds),
    }
    suite = XML.Element("testsuite", {name: str(count) for name, count in counts.items()}, name=file)
    suite.extend(map(_case, results))
    return suite


def _case(result: Result) -> XML.Element:
    case = result.case
    element = XML.Element("testcase", classname=case.file, name=case.id, file=case.file, line=str(case.line))
    if result.kind is not Class.PASS:
        tag = "skipped" if result.kind in _IGNORED else "error" if result.kind in LOST else "failure"
        told = [f"{case.file}:{one.line}: [{one.profile.value}] {one.message}" for one in result.failures]
        lines = [visible(line) for line in (*told, *result.trace.splitlines())]
        XML.SubElement(element, tag, message=result.kind.value).text = "\n".join(lines)
    return element
