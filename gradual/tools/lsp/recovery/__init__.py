"""Definitions with syntax errors in an editor: what is left of them, and what stands for them in checks.

`chunks` divides a stretch with syntax errors into definitions, `drafts` makes a function of what can be parsed of one,
and `standins` chooses what other definitions are checked against while a definition is broken.
"""
