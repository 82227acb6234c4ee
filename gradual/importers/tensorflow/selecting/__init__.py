"""Operators that choose, order, count, scatter and lay out elements."""
