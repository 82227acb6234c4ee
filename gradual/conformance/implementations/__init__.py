"""Implementations under test: this one in process, or another one over the line protocol.

`Reference` answers in process; `Adapter` starts a process and queries it by `protocol` (one JSON object per line);
`serve` is this implementation as such a process; `making` turns an accepted program into a case.
"""
