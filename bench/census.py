"""`python -m bench.census [--page FILE]`: what a census costs beside the checks, on one machine and on a cluster.

The files are copies of the small examples, with distinct names.  Each engine runs in a process of its own, which
measures itself; the scheduler and the workers of the cluster are processes too.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.page import filled
from gradual.interface.input.files import streamed
from gradual.tools.census.cluster import cluster
from gradual.tools.census.journal import journal_at
from gradual.tools.census.row import Answer, Task
from gradual.tools.census.running import here, rows
from gradual.tools.census.totals import Census
from gradual.tools.checking.children import Bounds

EXAMPLES = Path(__file__).parents[1] / "examples"
TABLE, ENDINGS, BOUNDS = "census", (".relay", ".onnx"), Bounds(600, 4000)
PARTS = ("client", "scheduler", "workers", "checks")
HEAD = f"{'':20}{'files':>9}{'s':>7}{'files/s':>9}{'':3}{''.join(f'{part:>11}' for part in PARTS)}{'MB':>6}"
TIMES = 100
"""How many times as many files the client alone has."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and put it into a page if one is named."""
    parser = argparse.ArgumentParser(prog="python -m bench.census", description=__doc__)
    parser.add_argument("--files", type=int, default=1000, metavar="N")
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the table into a Markdown file where it stands")
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.engine is not None:
        word, _, count = asked.engine.partition(" ")
        print(json.dumps(alone(int(count)) if word == "none" else measured(word)))
        return
    lines = list(report(asked.files))
    print("\n".join(lines))
    if asked.page is not None:
        asked.page.write_text(filled(asked.page.read_text(), TABLE, lines))


def report(count: int) -> Iterator[str]:
    """A line for each engine and number of files: milliseconds of processor time a file, and the client's memory."""
    yield HEAD
    with TemporaryDirectory() as folder, ExitStack() as running:
        address = running.enter_context(_dask(folder))
        for name, engine in (("--jobs 2", "2"), ("--cluster", address)):
            for files in (count // 10, count):
                _copied(Path(folder, "in"), files)
                yield _line(name, _in_process(engine, folder))
        Path(folder, "journal").unlink()
        for name in ("client alone", "client alone, again"):
            yield _line(name, _in_process(f"none {count * TIMES}", folder))


def _line(name: str, found: Mapping[str, float]) -> str:
    files, seconds = found["files"], found["seconds"]
    costs = (f"{1000 * found[part] / files:11.2f}" for part in PARTS)
    return f"{name:20}{files:9}{seconds:7.0f}{files / seconds:9.0f}{'':3}{''.join(costs)}{found['megabytes']:6.0f}"


def _copied(folder: Path, count: int) -> None:
    """Fill a folder with copies of the small examples."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    small = [path for path in sorted(EXAMPLES.iterdir()) if path.suffix in ENDINGS]
    for k in range(count):
        path = small[k % len(small)]
        shutil.copy(path, folder / f"{k:07}{path.suffix}")


def _in_process(engine: str, folder: str) -> Mapping[str, float]:
    command = [sys.executable, "-m", "bench.census", "--engine", engine]
    environment = os.environ | {"PYTHONPATH": str(EXAMPLES.parent)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    found: Mapping[str, float] = json.loads(done.stdout)
    return found


def measured(engine: str) -> dict[str, float]:
    """A census of the folder `in`; what the parts of an engine cost: this client, a scheduler, workers, the checks."""
    Path("journal").unlink(missing_ok=True)
    asked, found, began = engine.isdecimal(), Census(), time.perf_counter()
    before = {} if asked else _of_cluster(engine)
    own = time.process_time()
    with journal_at("journal") as journal:
        run = here(int(engine), BOUNDS) if asked else cluster(engine, 1, BOUNDS)
        for row in rows(streamed(["in"], ENDINGS), run, journal, BOUNDS):
            found.add(row)
    own = time.process_time() - own
    seconds, after = time.perf_counter() - began, {} if asked else _of_cluster(engine)
    other = {part: after.get(part, 0.0) - before.get(part, 0.0) for part in ("scheduler", "workers")}
    sums = {"files": found.all.files, "seconds": seconds, "client": own, "checks": found.all.cpu}
    return {**sums, **other, "megabytes": _resident()}


def alone(count: int) -> dict[str, float]:
    """The cost of the client alone: a census of so many files, with rows that are made up instead of checked."""
    (sample,) = rows([str(next(EXAMPLES.glob("*.relay")))], here(1, BOUNDS), None, BOUNDS)
    found, began, own = Census(), time.perf_counter(), time.process_time()

    def engine(tasks: Iterable[Task]) -> Iterator[Answer]:
        return (Answer(task.file, None if task.key else sample | {"file": task.file}) for task in tasks)

    with journal_at("journal") as journal:
        for row in rows((f"in/{k:07}.relay" for k in range(count)), engine, journal, BOUNDS):
            found.add(row)
    times = {"seconds": time.perf_counter() - began, "client": time.process_time() - own}
    return {"files": count, "scheduler": 0, "workers": 0, "checks": 0, "megabytes": _resident()} | times


def _of_cluster(address: str) -> dict[str, float]:
    """The processor time that the scheduler and the workers have used, without the children of the workers."""
    from distributed import Client

    with Client(address) as client:
        spent = client.run(time.process_time)
        return {"scheduler": client.run_on_scheduler(time.process_time), "workers": sum(spent.values())}


def _resident() -> float:
    """The most memory that this process has used, in megabytes."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


@contextmanager
def _dask(folder: str) -> Iterator[str]:
    """A scheduler and two workers of one thread; the address."""
    file, environment = str(Path(folder, "scheduler")), os.environ | {"PYTHONPATH": str(EXAMPLES.parent)}
    options: dict[str, Any] = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    base, common = [sys.executable, "-m"], ["--scheduler-file", file, "--no-dashboard"]
    with ExitStack() as stack:
        for arguments in (["dask_scheduler", "--port", "0"], *[["dask_worker", "--nthreads", "1", "--no-nanny"]] * 2):
            command = [*base, f"distributed.cli.{arguments[0]}", *arguments[1:], *common]
            process = stack.enter_context(subprocess.Popen(command, **options))
            stack.callback(process.kill)
        from distributed import Client

        with chdir(folder), Client(scheduler_file=file) as client:
            client.wait_for_workers(2)
            address = str(client.scheduler.address)
        yield address


if __name__ == "__main__":
    main()
