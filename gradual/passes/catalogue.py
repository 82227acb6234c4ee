"""All passes by name, gathered from their chapters; help, documentation and properties derive from this table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradual.passes import (
    bucketing,
    dropping,
    dynamic,
    folding,
    hoisting,
    inlining,
    loosening,
    merging,
    policies,
    simplifying,
    specializing,
)
from gradual.passes.passing import Pass

_CHAPTERS: tuple[tuple[Pass, ...], ...] = (
    dynamic.PASSES,
    loosening.PASSES,
    folding.PASSES,
    simplifying.PASSES,
    dropping.PASSES,
    inlining.PASSES,
    specializing.PASSES,
    hoisting.PASSES,
    bucketing.PASSES,
    policies.PASSES,
    merging.PASSES,
)

PASSES: Mapping[str, Pass] = MappingProxyType({one.name: one for chapter in _CHAPTERS for one in chapter})
"""Every pass by its name, in the order of the specification."""
