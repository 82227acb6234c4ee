"""The command `gradual-conformance`, of a distribution that has the suite and the runner but no checker."""

from __future__ import annotations

import click

from gradual.conformance.cases.suite_version import suite_version
from gradual.conformance.commands.covering import coverage_command
from gradual.conformance.commands.reading import copy, lint, list_command, show
from gradual.conformance.commands.running import run_command
from gradual.resources import folder


def _version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        click.echo(f"gradual-conformance {suite_version(None)}")
        context.exit()


class _Located(click.Group):
    """A group whose help ends with the folder of the suite."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the folder, which is long, on a line of its own."""
        formatter.write(
            f"\nThe specification, the suite and its README (conformance/README.md) are in\n  {folder('spec')}\n"
        )


@click.group(name="gradual-conformance", cls=_Located, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help="Print the version of the suite.")  # fmt: skip
def main() -> None:
    """The conformance suite of Gradual Relay, for any implementation of the language."""


for shared in (run_command(None), list_command, show, copy, lint, coverage_command(None)):
    main.add_command(shared)
