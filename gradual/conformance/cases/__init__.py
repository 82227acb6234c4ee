"""Conformance cases: Markdown suites read into a request (program and calls) and an expectation, kept apart.

`Case` is the result; `block`, `expect`, `annotation` and `condition` read its parts; `code_table` generates the
list of codes; `copied` writes a case as JSON for other runners.
"""
