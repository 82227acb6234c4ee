"""Count the mutants of the reference that the conformance suite kills: `python -m tests.conformance.mutants`.

`changing` changes one place of the code, `excluded` says where no profile of the suite can ask, `executing` collects
which case executes which function, `planting` replaces the code of the functions of a running process, `hunting` asks
the cases, and `equivalence` reads the list of mutants that no case can tell.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path

import click

from gradual.conformance.cases.read import load
from gradual.resources import folder
from tests.conformance.mutants.changing import BOUNDARY, every_mutant, sampled
from tests.conformance.mutants.equivalence import LIST, equivalents, stale
from tests.conformance.mutants.executing import KEPT, indexed
from tests.conformance.mutants.hunting import Fate, Hunt, all_hunted, score
from tests.conformance.mutants.planting import imported


@click.command()
@click.option("--count", default=150, show_default=True, help="How many mutants are drawn.")
@click.option("--seed", default=0, show_default=True, help="Draws others.")
@click.option("--only", default="*", help="Draws from these files of the package only, a pattern such as `dims/*`.")
@click.option("--seconds", default=20.0, show_default=True, help="Processor time for each mutant.")
@click.option("--part", default=0, help="Ask about a sample of so many cases only.")
@click.option("--jobs", type=int, default=os.cpu_count, help="So many processes at once; by default one for each core.")
@click.option("--kept", type=click.Path(path_type=Path), default=KEPT, help="The file of which case executes what.")
def main(count: int, seed: int, only: str, seconds: float, part: int, jobs: int, kept: Path) -> None:
    """Draw mutants, hunt each, and list the survivors."""
    imported()
    gc.collect()
    gc.freeze()
    every, known = every_mutant(), equivalents(LIST.read_text(encoding="utf-8"))
    cases = {case.id: case for case in load(folder("spec")).cases}
    index = indexed(list(cases.values()), lambda done: _note(f"{done} of {len(cases)} cases indexed"), kept, part, jobs)
    drawn = sampled([one for one in every if fnmatch(one.where.file, only)], count, seed)
    hunts = []
    for hunt in all_hunted(drawn, index, cases, seconds, jobs):
        hunts.append(hunt)
        _note(f"{len(hunts)} of {len(drawn)}  {hunt.fate}  {hunt.mutant.key}")
    for line in (*shown(hunts, known), *(f"stale: {key}" for key in stale(known, (one.key for one in every)))):
        click.echo(line)


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def shown(hunts: Sequence[Hunt], known: Mapping[str, str]) -> list[str]:
    """The survivors, and the counts by folder and by kind."""
    survivors = [hunt for hunt in hunts if not hunt.is_killed and hunt.mutant.key not in known]
    return [
        *(line for hunt in survivors for line in _survivor(hunt)),
        *_table(hunts, known, lambda hunt: hunt.mutant.folder),
        *_table(hunts, known, lambda hunt: hunt.mutant.kind),
        *_table(hunts, known, lambda hunt: BOUNDARY if hunt.mutant.kind == BOUNDARY else "others"),
        *_table(hunts, known, lambda hunt: "all"),
        *(f"{fate}: {sum(hunt.fate is fate for hunt in hunts)}" for fate in Fate),
    ]


def _survivor(hunt: Hunt) -> list[str]:
    mutant = hunt.mutant
    return [
        f"gradual/{mutant.where.file}:{mutant.line}  {mutant.where.name}  {mutant.kind}: {hunt.fate}, "
        f"{hunt.asked} of {hunt.executing} cases asked",
        f"  - {mutant.before}",
        f"  + {mutant.after}",
    ]


def _table(hunts: Sequence[Hunt], known: Mapping[str, str], group: Callable[[Hunt], str]) -> list[str]:
    lines = [""]
    for name in sorted({group(hunt) for hunt in hunts}):
        killed, asked = score([hunt for hunt in hunts if group(hunt) == name], known)
        lines.append(f"{name:12} {killed:4} of {asked:4} killed")
    return lines


if __name__ == "__main__":
    main()
