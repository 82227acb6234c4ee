"""Elementwise operators, which broadcast.

`elementwise.py` is a table with a `Row` per operator, which `row` makes an operator; `conversion` has those that need
more: casts, `where`, `clip`.  Spec: `op.broadcast.agree`, `op.dtype`.
"""
