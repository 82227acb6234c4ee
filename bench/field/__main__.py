"""`python -m bench.field [SYSTEM]...`: ask the systems about the suite, and write `docs/field.md`.

The answers of each system are kept in `build/field`, where those of systems that are not asked again are taken from.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.field.answers import asked, cases, kept, read, residual
from bench.field.page import page, tally
from bench.field.systems import SYSTEMS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "field.md"
KEPT = ROOT / "build" / "field"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.field", description=__doc__)
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help=f"which are asked: {', '.join(SYSTEMS)} (all)")
    parser.add_argument("--kept", action="store_true", help="ask none, and write the page from the answers kept")
    parser.add_argument("--timeout", type=float, default=180, metavar="SECONDS", help="for one reply (default 180)")
    chosen = parser.parse_args(arguments)
    questions = cases()
    for system in () if chosen.kept else chosen.systems or SYSTEMS:
        version, answers = asked(system, questions, chosen.timeout)
        kept(KEPT / f"{system}.json", version, answers)
        print(f"{SYSTEMS[system].title} {version}: {sum(one.accepted is not None for one in answers.values())} answers")
    told = {system: read(KEPT / f"{system}.json") for system in SYSTEMS}
    leaves = residual(questions)
    tallies = {system: tally(system, questions, answers, leaves) for system, (_, answers) in told.items()}
    PAGE.write_text(page(tallies, {system: version for system, (version, _) in told.items()}, len(questions)))


if __name__ == "__main__":
    main()
