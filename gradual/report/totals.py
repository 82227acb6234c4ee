"""The counts at the end of a report."""

from __future__ import annotations


def totals(proved: int, residual: int, refuted: int, errors: int, not_empty: int = 0) -> str:
    """The counts, `proved 14 · residual 3 (+ 4 that something is not empty) · refuted 0`, and the errors, if any.

    `errors` includes the refuted obligations, and `residual` the checks that something is not empty.
    """
    apart = f" (+ {not_empty} that something is not empty)" if not_empty else ""
    counts = [f"proved {proved}", f"residual {residual - not_empty}{apart}", f"refuted {refuted}"]
    return " · ".join([*counts, *([f"errors {errors}"] if errors else [])])
