"""Checking files for a command: one, many side by side, again when they change, with fixes applied.

`Wanted` says what is asked, `Checked` is what one file gave, in a form that another process can send.
"""
