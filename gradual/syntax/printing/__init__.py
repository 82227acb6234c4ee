"""Canonical text: printing a tree so that it parses to the same tree, and formatting a text with its comments.

Spec: `syntax.print`, `syntax.format`.
"""
