"""Retyping after something became known: a forward dataflow sweep over a function that refines every type on the
way.

`Sweep` walks the blocks, `SweepState` is its state, `operators` and `types` judge a step again on what is now known,
`static_forms` finds the static form of a dynamic operator. Spec: `pass.sharpen`.
"""
