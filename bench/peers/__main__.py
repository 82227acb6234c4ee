"""`python -m bench.peers [MODEL]...`: a row for each model of the corpora, a column for each tool."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.page import filled
from bench.passing import MODELS
from bench.peers.tools import TOOLS

CORPORA = ("onnx", "onnx-zoo")
TABLE = "sizes of models"
"""The name of the table in a page."""
Answer = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and put it into a page if one is named."""
    asked = _asked(arguments)
    told = []
    for line in report(_models(asked.models), asked.timeout):
        print(line, flush=True)
        told.append(line)
    if asked.page is not None:
        asked.page.write_text(filled(asked.page.read_text(), TABLE, told))


def report(models: Sequence[Path], timeout: float) -> Iterator[str]:
    """The head, a line for each model, the sums, and what went wrong."""
    yield f"{'':24}{'':>7}" + "".join(f"{name:>25}" for name in TOOLS)
    yield f"{'model':24}{'sizes':>7}" + f"{'known':>10}{'wrong':>6}{'s':>9}" * len(TOOLS)
    rows = []
    for path in models:
        answers = {tool: answered(tool, path, timeout) for tool in TOOLS}
        rows.append(answers)
        yield f"{path.stem:24}{_sizes(answers):>7}" + "".join(map(_cell, answers.values()))
    yield ""
    yield from _sums("models", rows)
    yield from _sums("finished by all", [row for row in rows if not any("failed" in one for one in row.values())])
    yield ""
    yield from _details(models, rows)


def answered(tool: str, path: Path, timeout: float) -> Answer:
    """What a tool says of a model; one that fails or takes too long says that."""
    command = [sys.executable, "-m", "bench.peers.child", tool, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"failed": f"> {timeout:.0f} s", "says": ""}
    if done.returncode:
        return {"failed": f"exit {done.returncode}", "says": done.stderr[-200:]}
    answer: Answer = json.loads(done.stdout)
    return answer


def _sizes(answers: Mapping[str, Answer]) -> int:
    return next((int(one["sizes"]) for one in answers.values() if "failed" not in one), 0)


def _cell(answer: Answer) -> str:
    if "failed" in answer:
        return f"{answer['failed'][:23]:>25}"
    share = 100 * answer["known"] / max(answer["sizes"], 1)
    return f"{share:8.1f} %{len(answer['wrong']):6}{answer['seconds']:9.2f}"


def _sums(name: str, rows: Sequence[Mapping[str, Answer]]) -> Iterator[str]:
    """The sums over some models; of a model that a tool fails on, it knows nothing."""
    sizes = sum(map(_sizes, rows))
    cells = []
    for tool in TOOLS:
        done = [row[tool] for row in rows if "failed" not in row[tool]]
        known, wrong = (sum(one["known"] for one in done), [text for one in done for text in one["wrong"]])
        seconds = sum(one["seconds"] for one in done)
        cells.append(_cell({"sizes": sizes, "known": known, "wrong": wrong, "seconds": seconds}))
    yield f"{f'{len(rows)} {name}':24}" + f"{sizes:>7}" + "".join(cells)


def _details(models: Sequence[Path], rows: Sequence[Mapping[str, Answer]]) -> Iterator[str]:
    """The first contradiction that each tool has in each model, and why a tool failed."""
    for path, row in zip(models, rows, strict=True):
        for tool, answer in row.items():
            if "failed" in answer:
                says = " ".join(answer["says"].split())[:100]
                yield f"{path.stem}, {tool}: {answer['failed']}{says and f': {says}'}"
            elif answer["wrong"]:
                yield f"{path.stem}, {tool}: {answer['wrong'][0][:110]}"


def _models(names: Sequence[str]) -> list[Path]:
    """The models of the corpora that are named, or all."""
    found = [path for corpus in CORPORA for path in sorted((MODELS.parent / corpus).glob("*.onnx"))]
    return [path for path in found if not names or path.stem in names]


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="names of models (default: all)")
    parser.add_argument("--timeout", type=float, default=150, metavar="SECONDS", help="for one model (default 150)")
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the table into a Markdown file where it stands")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
