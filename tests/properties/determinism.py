"""The same bytes from every run: `python -m tests.properties.determinism --programs 40 --python OTHER/bin/python`.

`gradual check --format json --annotate` is run on generated programs, refused ones among them, and on the models of
`relay-models`, under several hash seeds and by other interpreters, whose version of Z3 or of Python may differ.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.generators.programs import generated, likely_refused
from tests.material import models
from tests.properties.compiling import compiled

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ("0", "1", "2", "31337")
_VERSIONS = """
import sys, importlib.metadata
print("Python " + sys.version.split()[0] + ", Z3 " + importlib.metadata.version("z3-solver"))
"""


_ASKED = """def @cubes(%x: Tensor[(a, b, c, ?), float32], %y: Tensor[(a * a * a + b * b * b,), float32]) {
  %y as Tensor[(c * c * c + 1,), float32]
}
def @large(%x: Tensor[(a, b, ?), float32], %y: Tensor[(a * b,), float32]) where a >= 100, b > a {
  %y as Tensor[(10403,), float32]
}
def @never(%x: Tensor[(a, b, ?), float32], %y: Tensor[(a * a * a,), float32]) where a >= 100 {
  %y as Tensor[(b * b * b + 1,), float32]
}
"""
"""Sizes about which Z3 is asked: where it finds one, shows that there is none, and gives up."""


def sample(programs: int, folder: Path) -> list[Path]:
    """Programs in a folder: as many generated that are mostly accepted as mostly refused, and what needs Z3."""
    texts = [str(generated(seed, compiled)) for seed in range(programs)]
    texts += [str(likely_refused(seed, compiled, None)) for seed in range(programs)]
    texts.append(_ASKED)
    paths = [folder / f"p{number}.relay" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, "utf-8")
    return paths


def checked(python: str, seed: str, paths: Sequence[Path]) -> bytes:
    """What `gradual check` writes about some files, and how it exits."""
    command = [
        python,
        "-m",
        "gradual",
        "check",
        "--format",
        "json",
        "--annotate",
        "--max-errors",
        "0",
        *map(str, paths),
    ]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout + f"exit {done.returncode}\n".encode()


def differing(paths: Sequence[Path], pythons: Iterable[str], seeds: Iterable[str]) -> list[str]:
    """The interpreters and hash seeds under which another line is written than under the first."""
    every = [(python, seed) for python in pythons for seed in seeds]
    first = checked(*every[0], paths)
    assert first.count(b'"kind"') > len(paths), "hardly anything was written"
    found = []
    for python, seed in every[1:]:
        other = checked(python, seed, paths)
        if other != first:
            pairs = zip(first.splitlines(), other.splitlines(), strict=False)
            at = next((f"{one.decode()}\n{two.decode()}" for one, two in pairs if one != two), "one is longer")
            found.append(f"{python}, hash seed {seed}:\n{at}")
    return found


def main() -> int:
    """Compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--python", action="append", default=[], help="another interpreter")
    given = parser.parse_args()
    pythons = [sys.executable, *given.python]
    for python in pythons:
        print(subprocess.run([python, "-c", _VERSIONS], check=True, capture_output=True, text=True).stdout.strip())
    with tempfile.TemporaryDirectory() as place:
        paths = [*sample(given.programs, Path(place)), *models().values()]
        found = differing(paths, pythons, SEEDS)
    print("\n".join(found) or f"{len(paths)} files, {len(pythons) * len(SEEDS)} runs: the same bytes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
