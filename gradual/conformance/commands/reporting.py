"""The options of `run` that write its results to files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import click

from gradual.conformance.reports.badge import badge
from gradual.conformance.reports.html_report import html_report
from gradual.conformance.reports.json_report import json_report
from gradual.conformance.reports.junit_report import junit_report
from gradual.conformance.reports.summary import Summary
from gradual.conformance.runner.judge import Profile
from gradual.record import record

Command = TypeVar("Command", bound=Callable[..., Any])
_FILE = click.Path(dir_okay=False, writable=True, path_type=Path)


@record
class Files:
    """Where results are written; None where a report is not asked for."""

    report_json: Path | None
    report_junit: Path | None
    badge: Path | None
    report_html: Path | None

    def write(self, summary: Summary, only: tuple[str, ...], spec: Path) -> None:
        """Write every report that is asked for; the badge is that of the first profile that was named.

        The page leads to the specification in the folder `spec`.
        """
        profile = Profile(only[0]) if only else Profile.VERDICT
        if self.report_json is not None:
            self.report_json.write_text(json_report(summary), encoding="utf-8")
        if self.report_junit is not None:
            self.report_junit.write_text(junit_report(summary), encoding="utf-8")
        if self.report_html is not None:
            address = quote(Path(os.path.relpath(spec, self.report_html.parent)).as_posix())
            self.report_html.write_text(html_report(summary, address), encoding="utf-8")
        if self.badge is not None:
            self.badge.write_text(badge(summary, profile), encoding="utf-8")


def reports(command: Command) -> Command:
    """The options of a command that writes reports."""
    for name, what in (
        ("--badge", "Write a badge (SVG) of the first --profile, by default of verdicts."),
        ("--report-junit", "Write the results as JUnit's XML."),
        ("--report-html", "Write the results as a page of HTML."),
        ("--report-json", "Write the results as JSON."),
    ):
        command = click.option(name, type=_FILE, metavar="FILE", help=what)(command)
    return command
