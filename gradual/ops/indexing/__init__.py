"""Operators that choose elements by index or by mask: slices, take and gather, scatter, masks, sorting.

An index out of bounds is a fault at run time, and no obligation. Spec: `op.index.bounds`, `op.strided_slice.clamp`.
"""
