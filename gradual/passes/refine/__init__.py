"""Refine recorded types after facts were added: a forward dataflow sweep over a function.

`Sweep` walks the blocks, `SweepState` is its state, a typing context (`core/context.py`), `operators` and `types` type
a step again with the new facts, `any_rank` decides again whether it accepts operands of unknown rank, `static_forms`
finds the static form of a dynamic operator. Spec: `pass.sharpen`.
"""
