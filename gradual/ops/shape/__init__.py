"""Operators that create, observe and change shapes: reshape and its codes, concatenate and split, repeat, pad,
layouts.

Spec: `op.reshape.code`, `op.concatenate.agree` and similar rules.
"""
