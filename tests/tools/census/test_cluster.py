"""A census on a cluster of Dask: the rows are those of one machine, and a lost worker or scheduler loses none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from gradual.interface.input.files import streamed
from gradual.interface.terminal import Trouble
from gradual.tools.census.cluster import _result, cluster
from gradual.tools.census.journal import journal_at
from gradual.tools.census.row import Row, Task, is_valid, timeless
from gradual.tools.census.running import Engine, here, rows
from gradual.tools.checking.children import UNBOUNDED, Bounds
from tests.tools.census.conftest import FILES, copies, endless, hungry, rows_of

dask = pytest.importorskip("dask", reason="the package distributed is not installed")
distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")

pytestmark = pytest.mark.filterwarnings("default")  # of the cluster, which is no part of this package

ENDINGS = (".relay", ".onnx")
QUICKLY = {"distributed.comm.timeouts.connect": "3s"}
"""How long a client looks for a scheduler that it has lost; by default, 30 seconds."""


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """A cluster of two workers."""
    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0}
    with distributed.LocalCluster(n_workers=2, **options) as found:
        yield found


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with 18 files, which is the current folder."""
    copies(tmp_path / "in", 18)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def by_file(found: list[Row]) -> list[Row]:
    return sorted(map(timeless, found), key=lambda row: str(row["file"]))


def all_rows(engine: Engine, bounds: Bounds = UNBOUNDED) -> list[Row]:
    return list(rows(streamed(["in"], ENDINGS), engine, None, bounds))


def test_a_killed_worker_costs_no_file_its_row(workers: Any, many: Path) -> None:
    with distributed.Client(workers) as client:
        process = next(iter(client.run(os.getpid).values()))
    found = []
    for row in rows(streamed(["in"], ENDINGS), cluster(workers.scheduler_address, 1, UNBOUNDED), None, UNBOUNDED):
        found.append(row)
        if len(found) == 3:
            os.kill(process, signal.SIGKILL)
    assert by_file(found) == by_file(all_rows(here(2, UNBOUNDED)))
    assert len(found) == 18


def test_what_exceeds_a_limit_costs_its_own_row(workers: Any, many: Path) -> None:
    hungry(many / "hungry.relay")
    endless(many / "endless.relay")
    found: dict[str, str] = {}
    few = list(islice(streamed(["in"], ENDINGS), len(FILES)))
    for bounds, units in ((Bounds(megabytes=150), ["hungry.relay", *few]), (Bounds(1), ["endless.relay"])):
        answers = rows(units, cluster(workers.scheduler_address, 1, bounds), None, bounds)
        found |= {row["file"]: row["outcome"] for row in answers}
    assert (found.pop("hungry.relay"), found.pop("endless.relay")) == ("memory", "timeout")
    assert [found[name] for name in few] == [outcome for _, outcome in FILES.values()]


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Dask in the background, ended with the context."""
    command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_lost_scheduler_ends_the_run_which_the_next_resumes(workers: Any, many: Path) -> None:
    def seen(address: str) -> Iterator[Row]:
        with journal_at("journal") as journal:
            yield from rows(streamed(["in"], ENDINGS), cluster(address, 1, UNBOUNDED), journal, UNBOUNDED)

    options = ("--scheduler-file", str(many / "scheduler"), "--no-dashboard", "--host", "127.0.0.1")
    with started("dask_scheduler", *options, "--port", "0") as process, started("dask_worker", *options, "--no-nanny"):
        with distributed.Client(scheduler_file=str(many / "scheduler")) as client:
            address = str(client.scheduler.address)
        with dask.config.set(QUICKLY), pytest.raises(Trouble, match="connection to the scheduler"):
            for count, _ in enumerate(seen(address), 1):
                if count == 3:
                    process.kill()
    before = rows_of(many / "journal")
    assert 3 <= len(before) < 18
    found = list(seen(workers.scheduler_address))
    after = rows_of(many / "journal")
    assert len(found) == len(after) == len({row["file"] for row in after}) == 18 and after[: len(before)] == before


def test_a_file_that_is_lost_with_all_its_workers_has_a_row_for_this_run() -> None:
    class Lost:
        status = "error"

        def exception(self) -> Exception:
            return distributed.KilledWorker("key", None, 3)  # type: ignore[no-any-return]

    row = _result(Lost(), Task("a.relay")).row
    assert row is not None and (row["file"], row["outcome"], row["key"]) == ("a.relay", "memory", "")
    assert not is_valid(row, UNBOUNDED)


def test_a_worker_that_cannot_check_ends_the_run(workers: Any, many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = cluster(workers.scheduler_address, 1, UNBOUNDED)
    with monkeypatch.context() as patched, pytest.raises(Trouble, match=r"a worker has no folder `.*elsewhere`"):
        patched.setattr("gradual.tools.census.cluster.os.getcwd", lambda: str(many / "elsewhere"))
        all_rows(engine)
    with monkeypatch.context() as patched, pytest.raises(Trouble, match=r"a worker has version .* and not 0.0.0"):
        patched.setattr("gradual.tools.census.cluster.__version__", "0.0.0")
        all_rows(engine)


def test_a_cluster_that_is_not_there_is_told() -> None:
    with pytest.raises(Trouble, match="no scheduler at `nonsense://x`"):
        all_rows(cluster("nonsense://x", 1, UNBOUNDED))
