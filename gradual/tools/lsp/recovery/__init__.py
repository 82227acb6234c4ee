"""What an editor is told about definitions with syntax errors.

`chunks` divides a stretch with syntax errors into definitions, `drafts` makes a function of what can be parsed of one,
and `standins` chooses what other definitions are checked against while a definition is broken.
"""
