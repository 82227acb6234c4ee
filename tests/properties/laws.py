"""The theorems of the calculus as laws of generated programs; a law answers with what is wrong, or None."""

from __future__ import annotations

from tests.passes.meaning import passes, restored
from tests.passes.reading import text
from tests.properties.case import Law
from tests.properties.guarantees import dynamic_guarantee, static_guarantee
from tests.properties.running import blame_safety, elimination, soundness
from tests.properties.spelling import inlining, printing, renaming, reordering, shadowing
from tests.properties.strictness import conservative, counterexamples, refutations, static_system
from tests.properties.verifying import budget, determinism, tampering, verified

LAWS: dict[str, Law] = {
    "soundness": soundness,
    "elimination": elimination,
    "static guarantee": static_guarantee,
    "dynamic guarantee": dynamic_guarantee,
    "conservative": conservative,
    "counterexamples": counterexamples,
    "refutations": refutations,
    "static system": static_system,
    "blame safety": blame_safety,
    "printing": printing,
    "determinism": determinism,
    "renaming": renaming,
    "shadowing": shadowing,
    "reordering": reordering,
    "inlining": inlining,
    "budget": budget,
    "verified": verified,
    "tampering": tampering,
    "passes": passes,
    "round trip": restored,
    "text": text,
}
