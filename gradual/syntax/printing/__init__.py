"""Canonical text: a tree printed so that it reads back to the same tree, and a text laid out with its comments
kept. Spec: `syntax.print`, `syntax.format`.
"""
