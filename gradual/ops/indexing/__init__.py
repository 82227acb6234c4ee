"""Operators that choose elements by index or by mask: slices, take and gather, scatter, masks, sorting.

An index out of bounds is a fault at run time; if indices are known, an obligation says that they are within bounds.
Spec: `op.index.bounds`, `op.strided_slice.clamp`.
"""
