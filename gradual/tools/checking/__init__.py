"""Checking files for a command: one, many in parallel, again when they change, with fixes applied.

`Wanted` is the request, `Checked` the result for one file; both can be sent between processes.
"""
