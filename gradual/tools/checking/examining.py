"""One program or model compiled by the settings of its folder, for the commands that show more than its findings."""

from __future__ import annotations

from dataclasses import replace

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.interface.input.files import Importing, Text
from gradual.interface.input.program_text import PLAINLY, read
from gradual.interface.input.settings import Given
from gradual.limits import Options
from gradual.record import record
from gradual.tools.checking.checking import reported
from gradual.tools.checking.results import Checked, Outcome, Wanted, by_settings


@record(eq=False)
class Examined:
    """A program or a model, compiled; `wanted` are the options by which its findings are reported."""

    text: Text
    compilation: Compilation
    wanted: Wanted

    def checked(self) -> Checked:
        """The findings as `gradual check --checks` reports them."""
        if self.text.flaw is not None:
            return Checked(self.text.source, (self.text.flaw,), outcome=Outcome.ERRORS)
        return reported(self.text, self.compilation, self.wanted)


def examined(path: str, importing: Importing = PLAINLY, smt: bool = True) -> Examined:
    """Compile a program or a model.  Raises Trouble if it cannot be read."""
    wanted = Wanted("full", False, True, None, Options(), importing=importing)
    text = read(path, importing)
    wanted = by_settings(wanted, Given(smt=None if smt else False), text if path == "-" else path)
    return Examined(text, replace(compile_source(text.source, wanted.options), weights=text.weights), wanted)
