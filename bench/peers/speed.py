"""`python -m bench.peers.speed`: what it costs to infer the shapes of a network, for this tool and for others.

Each measurement is a process of its own, after a network of one operator, so that loading libraries is not counted; the
tools take turns, and the table has medians.  A tool that is not installed has no column.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from onnx import save

from bench import texts
from bench.fit import exponent
from bench.page import filled
from bench.peers import graphs
from bench.peers.frameworks import PROGRAMS
from bench.peers.tools import TOOLS, one_node
from gradual.compiler import compile_source
from gradual.source import Source

TABLE = "speed"
"""The name of the table in a page."""

Made = Callable[[int], Any]
NETWORKS: Mapping[str, tuple[Made, Made, tuple[int, ...]]] = {
    "cnn": (texts.cnn, graphs.cnn, (1_000, 5_000, 20_000)),
    "transformer": (texts.transformer, graphs.transformer, (12, 48, 96)),
    "shape chain": (texts.shape_chain, graphs.shape_chain, (100, 400, 1_600)),
}
"""Network -> its text, its model, and its sizes: operators, layers or blocks."""


def _text(path: str) -> object:
    return compile_source(Source("network.relay", Path(path).read_text()))


def _simplified(path: str) -> object:
    from onnx import load

    return import_module("onnxsim").simplify(load(path))


def _slimmed(path: str) -> object:
    return import_module("onnxslim").slim(path)


READERS: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "text": ("gradual", _text),
    "model": ("gradual", TOOLS["gradual"]),
    "onnx": ("onnx", TOOLS["onnx"]),
    "ort": ("onnxruntime", TOOLS["ort"]),
    "onnxsim": ("onnxsim", _simplified),
    "onnxslim": ("onnxslim", _slimmed),
}
"""Column -> the package that it needs, and what it does with a file."""

FRAMEWORKS = ("torch", "jax")
"""Columns of frameworks, which read no file."""


def measured(tool: str, network: str, size: int) -> float:
    """Seconds of processor time, from the file, or the program of a framework, to the shapes."""
    if tool in FRAMEWORKS:
        infer = PROGRAMS[tool, network]
        infer(1)
        began = time.process_time()
        infer(size)
        return time.process_time() - began
    text, model, _ = NETWORKS[network]
    read = READERS[tool][1]
    with TemporaryDirectory() as folder, redirect_stdout(sys.stderr), chdir(folder):
        if tool == "text":
            Path("one").write_text(texts.cnn(1))
            Path("network").write_text(text(size))
        else:
            Path(one_node(folder)).rename("one")
            save(model(size), "network", save_as_external_data=False)
        read("one")
        began = time.process_time()
        read("network")
        return time.process_time() - began


def report(sizes: int, runs: int, timeout: float) -> Iterator[str]:
    """The head, a line for each network and size, and how each tool's time grows."""
    packages = {name: package for name, (package, _) in READERS.items()} | {name: name for name in FRAMEWORKS}
    tools = [name for name, package in packages.items() if find_spec(package)]
    yield f"{'network':14}{'size':>7}" + "".join(f"{name:>18}" for name in tools)
    yield f"{'':21}" + f"{'s':>9}{'to text':>9}" * len(tools)
    for network, (_, _, all_sizes) in NETWORKS.items():
        rows = {size: _row(tools, network, size, runs, timeout) for size in all_sizes[:sizes]}
        for size, row in rows.items():
            yield f"{network:14}{size:7}" + "".join(_cell(row[tool], row["text"]) for tool in tools)
        yield f"{'':14}{'power':>7}" + "".join(
            _growth([(size, row[tool]) for size, row in rows.items()]) for tool in tools
        )


def _row(tools: Sequence[str], network: str, size: int, runs: int, timeout: float) -> dict[str, float | None]:
    """The median of each tool; None if it fails, or takes too long once."""
    found: dict[str, list[float]] = {tool: [] for tool in tools}
    failed = {tool for tool in tools if tool in FRAMEWORKS and (tool, network) not in PROGRAMS}
    for _ in range(runs):
        for tool in [tool for tool in tools if tool not in failed]:
            seconds = _child(tool, network, size, timeout)
            if seconds is None:
                failed.add(tool)
            else:
                found[tool].append(seconds)
    return {tool: None if tool in failed else statistics.median(found[tool]) for tool in tools}


def _child(tool: str, network: str, size: int, timeout: float) -> float | None:
    command = [sys.executable, "-m", "bench.peers.speed", "--child", tool, network, str(size)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else float(json.loads(done.stdout))


def _cell(seconds: float | None, text: float | None) -> str:
    if seconds is None:
        return f"{'-':>9}{'-':>9}"
    return f"{seconds:9.3f}" + (f"{'-':>9}" if text is None else f"{seconds / text:9.2f}")


def _growth(points: Sequence[tuple[int, float | None]]) -> str:
    known = [(size, seconds) for size, seconds in points if seconds is not None]
    if len(known) < 2:
        return f"{'-':>9}{'':9}"
    return f"{exponent(*zip(*known, strict=True)):9.2f}{'':9}"


def main() -> None:
    """Print the table, and put it into a page if one is named; or measure once, as a child."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the two smaller sizes, once")
    parser.add_argument("--runs", type=int, default=3, help="measurements for each median (default 3)")
    parser.add_argument("--timeout", type=float, default=90, metavar="SECONDS", help="for one measurement (default 90)")
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the table into a Markdown file where it stands")
    parser.add_argument("--child", nargs=3, metavar=("TOOL", "NETWORK", "SIZE"), help="measure once, in this process")
    asked = parser.parse_args()
    if asked.child:
        tool, network, size = asked.child
        print(json.dumps(measured(tool, network, int(size))))
        return
    told = []
    for line in report(2 if asked.quick else 3, 1 if asked.quick else asked.runs, asked.timeout):
        print(line, flush=True)
        told.append(line)
    if asked.page is not None:
        asked.page.write_text(filled(asked.page.read_text(), TABLE, told))


if __name__ == "__main__":
    main()
