"""Contractions: matrix products and `einsum`; the contracted sizes must agree. Spec: `op.nn.dense.contract` and
similar rules.
"""
