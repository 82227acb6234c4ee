"""A badge: a small SVG with one profile's tally."""

from __future__ import annotations

from xml.sax.saxutils import escape

from gradual.conformance.reports.summary import Summary
from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.run import Tally

_WIDTH = 7
"""The width of a character, in pixels, with some room to spare."""


def badge(summary: Summary, profile: Profile) -> str:
    """The badge of a profile; the words say everything that the colour says."""
    tally = summary.tallies.get(profile, Tally(0, 0, 0))
    level = f" · {summary.level}" if summary.level is not None else ""
    left = f"Gradual Relay {summary.suite} · {profile.value}{level}"
    right = f"{tally.passed} of {tally.answered}" if tally.answered else "not answered"
    colour = "#2e7d32" if tally.answered and tally.passed == tally.answered else "#8d4a00"
    start, end = ((len(text) + 2) * _WIDTH for text in (left, right))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{start + end}" height="20" role="img">
<title>{escape(f"{left}: {right}")}</title>
<rect width="{start + end}" height="20" rx="3" fill="#444"/>
<rect x="{start}" width="{end}" height="20" rx="3" fill="{colour}"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">
<text x="{start / 2:g}" y="14">{escape(left)}</text>
<text x="{start + end / 2:g}" y="14">{escape(right)}</text>
</g>
</svg>
"""
