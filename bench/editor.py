"""What the language server costs: `python -m bench.editor NAME LINES` opens a file in a server and changes it."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.growing import TIMES, WARM
from gradual.compiler import compile_source
from gradual.source import Source

URI = "file:///bench.relay"
KEYSTROKES = 9
VISIBLE = 50
"""The number of lines that an editor shows at once."""

HEAD = f"{'file':26}{'lines':>7}{'check s':>9}{'open s':>9}{'bar':>6}{'keystroke s':>13}{'bar':>6}"

_LINES = (
    "let %a{0} = nn.dense(%x{0}, %w, units=64);",
    "let %b{0} = nn.bias_add(%a{0}, %v, axis=-1);",
    "let %c{0} = nn.relu(%b{0});",
    "let %d{0} = nn.softmax(%c{0}, axis=-1);",
    "let %e{0} = reshape(%d{0}, newshape=[-1, 8, 8]);",
    "let %f{0} = transpose(%e{0}, axes=[0, 2, 1]);",
    "let %g{0} = reshape(%f{0}, newshape=[-1, 64]);",
    "let %x{1} = add(%g{0}, %x{0});",
)
_MATRIX, _VECTOR, _ROWS = "Tensor[(64, 64), float32]", "Tensor[(64,), float32]", "Tensor[(?, 64), float32]"
_PARAMS = f"(%x0: {_ROWS}, %w: {_MATRIX}, %v: {_VECTOR})"


def many_functions(lines: int) -> str:
    """Functions of eleven lines, each of which calls the one before."""
    count = lines // (len(_LINES) + 3)
    body = "".join(f"  {line}\n" for line in _LINES).format(0, 1)
    calls = ("%x1", *(f"@layer{i}(%x1, %w, %v)" for i in range(count - 1)))
    return "".join(f"def @layer{i}{_PARAMS} -> {_ROWS} {{\n{body}  {call}\n}}\n" for i, call in enumerate(calls))


def one_function(lines: int) -> str:
    """One function of the same lines."""
    blocks = (lines - 3) // len(_LINES)
    body = "".join(f"  {line.format(i, i + 1)}\n" for i in range(blocks) for line in _LINES)
    return f"def @main{_PARAMS} -> {_ROWS} {{\n{body}  %x{blocks}\n}}\n"


@dataclass(frozen=True, slots=True)
class Kind:
    """Files of one kind.

    Attributes:
        lines: the numbers of lines that are measured.
        open_bar: the seconds in which the greatest file opens; None if it opens as fast as it is checked.
        bar: the seconds of a keystroke in the greatest file.
    """

    name: str
    make: Callable[[int], str]
    bar: float
    open_bar: float | None
    lines: tuple[int, ...] = (2_000, 20_000)


KINDS = (
    Kind("functions of eleven lines", many_functions, 0.15, 1.5),
    Kind("one function", one_function, 1.0, None),
)


def report(quick: bool, timeout: float) -> Iterator[str]:
    """A line for each file: processor time to check it, to open it, and from a keystroke to diagnostics and hints."""
    yield HEAD
    for kind in KINDS:
        for lines in kind.lines[:1] if quick else kind.lines:
            yield _line(kind, lines, timeout)


def _line(kind: Kind, lines: int, timeout: float) -> str:
    command = [sys.executable, "-m", "bench.editor", kind.name, str(lines)]
    told = f"{kind.name:26}{lines:7}"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return f"{told}  more than {timeout:.0f} s"
    if done.returncode:
        return f"{told}  {(done.stderr.strip().splitlines() or ['died'])[-1]}"
    checked, opened, keystroke = json.loads(done.stdout)
    told += f"{checked:9.3f}{opened:9.3f}"
    if lines != kind.lines[-1]:
        return f"{told}{'':6}{keystroke:13.3f}"
    open_bar = checked * 1.1 if kind.open_bar is None else kind.open_bar
    verdict = "within" if opened <= open_bar and keystroke <= kind.bar else "over"
    return f"{told}{open_bar:6.2f}{keystroke:13.3f}{kind.bar:6.2f}  {verdict}"


# ------------------------------------------------------------------------------------------------- a session
@dataclass(slots=True)
class Session:
    """A language server in this process, and the messages that it has sent."""

    sent: list[dict[str, Any]] = field(default_factory=list)
    server: Any = None

    def start(self) -> None:
        """Start the server."""
        from gradual.tools.lsp.server import serving

        self.server = serving()
        self.server.protocol.set_writer(self, include_headers=False)
        self.tell("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=0)

    def write(self, body: bytes) -> None:
        """Take a message of the server."""
        self.sent.append(json.loads(body))

    def tell(self, method: str, params: Any, **more: Any) -> None:
        """Send a message, as text."""
        protocol = self.server.protocol
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
        protocol.handle_message(json.loads(body, object_hook=protocol.structure_message))

    def open(self, uri: str, text: str) -> None:
        """Open a file; what the server kept of it before is gone."""
        document = {"uri": uri, "languageId": "relay", "version": 1, "text": text}
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.tell("textDocument/didOpen", {"textDocument": document})

    async def change(self, version: int, line: int, columns: tuple[int, int], text: str) -> None:
        """Replace a part of a line; wait for the diagnostics, then ask for the hints around the line."""
        start, end = ({"line": line, "character": column} for column in columns)
        changes = [{"range": {"start": start, "end": end}, "text": text}]
        where = {"uri": URI, "version": version}
        self.tell("textDocument/didChange", {"textDocument": where, "contentChanges": changes})
        while not any(one.get("params", {}).get("version") == version for one in self.sent):
            await asyncio.sleep(0.02)
        shown = [{"line": line + by, "character": 0} for by in (-VISIBLE // 2, VISIBLE // 2)]
        asked = {"textDocument": {"uri": URI}, "range": dict(zip(("start", "end"), shown, strict=True))}
        self.tell("textDocument/inlayHint", asked, id=version)
        answer = next(one for one in self.sent if one.get("id") == version)
        assert len(answer["result"]) > VISIBLE // 2, answer


async def measured(kind: Kind, lines: int) -> tuple[float, float, float]:
    """The seconds to check a file, to open it, and for a keystroke that writes the axis of a softmax in another way."""
    text, session = kind.make(lines), Session()
    session.start()
    session.open("file:///warm.relay", WARM)
    compile_source(Source("warm.relay", WARM))
    checked = min(_seconds(lambda: compile_source(Source("bench.relay", text))) for _ in range(TIMES))
    opened = min(_seconds(lambda: session.open(URI, text)) for _ in range(TIMES))
    rows = text.split("\n")
    line = next(at for at in range(len(rows) // 2, len(rows)) if "nn.softmax" in rows[at])
    column, keystrokes, was = rows[line].index("axis=") + len("axis="), [], "-1"
    for version in range(2, KEYSTROKES + 2):
        new = "1" if was == "-1" else "-1"
        began = time.process_time()
        await session.change(version, line, (column, column + len(was)), new)
        keystrokes.append(time.process_time() - began)
        was = new
    return checked, opened, statistics.median(keystrokes)


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    found = next(kind for kind in KINDS if kind.name == sys.argv[1])
    print(json.dumps(asyncio.run(measured(found, int(sys.argv[2])))))
