"""Canonical text: printing a tree so that it parses to the same tree, and formatting a text with its comments.

Both lay out a sequence of `Piece`s; `line_breaks` breaks the lines that are too long, as Wadler's printer ("A prettier
printer", 2003) breaks groups.

Spec: `syntax.print`, `syntax.format`.
"""
