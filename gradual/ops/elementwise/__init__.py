"""Elementwise operators, which broadcast.

`binary` and `unary` are tables with a `Row` per operator, which `row` makes an operator; `conversion` has those that
need more: casts, `where`, `clip`.  Spec: `op.broadcast.agree`, `op.dtype`.
"""
