"""Elementwise operators, which broadcast.

`elementwise.py` is a table, a row per operator; `conversion` has those that need more: casts, `where`, `clip`.
Spec: `op.broadcast.agree`, `op.dtype`.
"""
