"""Processes that tests begin and interrupt."""

from __future__ import annotations

import signal


def heard() -> None:
    """Let a new process hear interrupts, though the tests may run where they are not heard; for `preexec_fn`."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
