"""Edits that make an unreadable text readable: foreign notation (Python, C) rewritten, and single changes near the
error.

`suggestions` is the entry; an edit is proposed only after the text was parsed with it. Spec: `syntax.token`.
"""
