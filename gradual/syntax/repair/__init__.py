"""Edits that make a text parse: rewriting foreign notation (Python, C), and single changes near the error.

`suggestions` is the entry; an edit is proposed only after the text was parsed with it. Spec: `syntax.token`.
"""
