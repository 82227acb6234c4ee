"""Operators that choose elements by index or by mask: slices, take and gather, scatter, masks, sorting.

An index out of bounds is a fault; of one that is known it is owed that it is none. Spec: `op.index.bounds`,
`op.strided_slice.clamp`.
"""
