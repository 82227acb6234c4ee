"""One measurement in a process of its own: `python -m bench.child FAMILY SIZE` prints it as JSON."""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from bench.texts import families
from gradual import compiler
from gradual.compilation import Compilation
from gradual.source import Source

WARM = "def @main(%x: Tensor[(n,), float32]) { nn.relu(%x) }"


def measured(family: str, size: int) -> dict[str, Any]:
    """What it costs to check a program: seconds of processor time, bytes, queries, and what was found."""
    make = {each.name: each.make for each in families()}[family]
    source = Source("bench.relay", make(size))
    compiler.compile_source(Source("warm.relay", WARM))  # the grammar's tables and the catalogue are not measured
    parsing = _timed_parse()
    gc.collect()
    before, began = _resident(), time.process_time()
    compilation = compiler.compile_source(source)
    total = time.process_time() - began
    gc.collect()
    return {
        "operators": _applications(compilation),
        "characters": len(source.text),
        "parse": parsing[-1],
        "check": total - parsing[-1],
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "held": _resident() - before,
        "queries": compilation.smt_queries,
        "residual": compilation.residual,
        "proved": compilation.proved,
        "errors": [f"{found.code} {found.message}" for found in compilation.diagnostics if found.severity == "error"][
            :3
        ],
    }


def _timed_parse() -> list[float]:
    """The seconds of each parse from here on: the compiler's own call is timed where it stands."""
    seconds: list[float] = []
    parse = vars(compiler)["parse"]

    def timed(source: Source, mend: bool = True) -> Any:
        began = time.process_time()
        try:
            return parse(source, mend)
        finally:
            seconds.append(time.process_time() - began)

    vars(compiler)["parse"] = timed
    return seconds


def _applications(compilation: Compilation) -> int:
    from gradual.core.terms import Apply

    functions = compilation.core.functions.values()
    return sum(isinstance(step, Apply) for function in functions for step in function.body.steps)


def _resident() -> int:
    """Bytes in memory now; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]))))
