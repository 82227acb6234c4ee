"""The conformance suite: programs with what any implementation has to say of them, read from `spec/`, run,
compared.

`cases` reads a suite, `implementations` asks this checker or another process, `runner` compares answers with
expectations, `cli` is the command. `docs/how-to/test-your-own-compiler.md` describes the protocol.
"""
