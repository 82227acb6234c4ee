"""How cost grows with size, for programs that grow in one way each: `python -m bench.growing NAME SIZE` times one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from bench.fit import exponent
from bench.kinds import Kind, Work, kinds

WARM = "def @main(%x: Tensor[(n,), float32]) { nn.relu(%x) }"
TIMES = 3


def report(quick: bool, timeout: float) -> Iterator[str]:
    """A line for each kind: processor time, the least of a few runs in a process of their own for each size."""
    yield f"{'program':32}{'sizes':>24}   {'seconds':32}{'power':>7}{'bar':>5}"
    for kind in kinds():
        yield _line(kind, kind.sizes[:-1] if quick else kind.sizes, timeout)


def _line(kind: Kind, sizes: Sequence[int], timeout: float) -> str:
    costs: list[float] = []
    for size in sizes:
        command = [sys.executable, "-m", "bench.growing", kind.name, str(size)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return f"{kind.name:32}{size:24}   more than {timeout:.0f} s"
        if done.returncode:
            return f"{kind.name:32}{size:24}   {(done.stderr.strip().splitlines() or ['died'])[-1]}"
        costs.append(float(done.stdout))
    found = exponent(sizes, costs)
    told = "".join(f"{cost:8.3f}" for cost in costs)
    verdict = "within" if round(found, 2) <= kind.bar else "over"
    return f"{kind.name:32}{' '.join(map(str, sizes)):>24}   {told:32}{found:7.2f}{kind.bar:5.1f}  {verdict}"


def timed(kind: Kind, size: int) -> float:
    """The seconds that a program of a size takes, once caches are filled."""
    kind.work(WARM)()
    return min(_seconds(kind.work(kind.make(size))) for _ in range(TIMES))


def _seconds(work: Work) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    print(timed(next(kind for kind in kinds() if kind.name == sys.argv[1]), int(sys.argv[2])))
