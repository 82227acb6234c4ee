"""Operators that choose elements by index or by mask: slices, take and gather, scatter, masks, sorting.

Indices out of bounds are a fault of the program, no obligation. Spec: `op.index.bounds`, `op.strided_slice.clamp`.
"""
