"""The conformance suite: programs with the answers expected of any implementation, read from `spec/` and run.

`cases` reads a suite, `implementations` queries this checker or another process, `runner` compares answers with
expectations, `commands` and `cli` are the command; `entries` generates the chapter of operators' entries.
`docs/how-to/test-your-own-compiler.md` describes the protocol.
"""
