"""All passes by name, gathered from `transform`; help, documentation and property tests derive from this table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradual.passes.framework.pass_ import Pass
from gradual.passes.transform import (
    bucket,
    codegen,
    drop_dead,
    dynamic_to_static,
    fold_constants,
    hoist_checks,
    inline,
    merge_ops,
    simplify_shapes,
    specialize,
    static_to_dynamic,
)

_CHAPTERS: tuple[tuple[Pass, ...], ...] = (
    dynamic_to_static.PASSES,
    static_to_dynamic.PASSES,
    fold_constants.PASSES,
    simplify_shapes.PASSES,
    drop_dead.PASSES,
    inline.PASSES,
    specialize.PASSES,
    hoist_checks.PASSES,
    bucket.PASSES,
    codegen.PASSES,
    merge_ops.PASSES,
)

PASSES: Mapping[str, Pass] = MappingProxyType({one.name: one for chapter in _CHAPTERS for one in chapter})
"""Every pass by its name, in the order of the specification."""
