"""A plan as a picture: steps from left to right, bytes from bottom to top, a box for each buffer."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gradual.run.plan import Buffer, Plan
from gradual.types.opening import spelled

WIDTH, HEIGHT, MARGIN, TEXT = 960, 480, 48, 11
_STYLE = """
svg { background: #fff; color: #222; font: 11px sans-serif }
.buffer { fill: #9ecae1; stroke: #3b6f95 } text, .axis { fill: currentColor } .axis { stroke: currentColor }
@media (prefers-color-scheme: dark) {
  svg { background: #1b1b1b; color: #ddd } .buffer { fill: #2d5f82; stroke: #9ecae1 }
}"""


def picture(plan: Plan) -> str:
    """An SVG of a plan whose slots are numbers; what is allocated late is not in it."""
    size = f'viewBox="0 0 {WIDTH + 2 * MARGIN} {HEIGHT + 2 * MARGIN}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">', f"<title>{_title(plan)}</title>"]
    lines += [f"<style>{_STYLE}</style>", *_axes(plan), *_boxes(plan), "</svg>"]
    return "\n".join(lines) + "\n"


def _title(plan: Plan) -> str:
    return escape(f"{plan.function}: {len(plan.buffers)} buffers, {plan.arena.value} bytes")


def _axes(plan: Plan) -> Iterator[str]:
    floor = MARGIN + HEIGHT
    yield f'<path class="axis" fill="none" d="M{MARGIN} {MARGIN}V{floor}H{MARGIN + WIDTH}"/>'
    yield f'<text x="{MARGIN}" y="{MARGIN - 8}">{escape(plan.function)}: {plan.arena.value} bytes</text>'
    yield f'<text x="{MARGIN + WIDTH}" y="{floor + 20}" text-anchor="end">{plan.steps} steps</text>'


def _boxes(plan: Plan) -> Iterator[str]:
    """Each buffer from the step that fills it to the last that reads it, at its offset."""
    across, up = WIDTH / (plan.steps + 1), HEIGHT / max(plan.arena.value or 0, 1)
    for buffer in plan.buffers.values():
        if buffer.slot is None or buffer.bound is None or buffer.bound.value is None:
            continue
        offset = plan.slots[buffer.slot].offset.value or 0
        left, width = MARGIN + (buffer.first - 1) * across, (buffer.last - buffer.first + 1) * across
        height = buffer.bound.value * up
        top = MARGIN + HEIGHT - offset * up - height
        yield f'<g><title>{escape(_tip(buffer))}</title><rect class="buffer" x="{left:.2f}" y="{top:.2f}"'
        yield f'width="{width:.2f}" height="{height:.2f}"/>{_label(buffer, left, top, width, height)}</g>'


def _tip(buffer: Buffer) -> str:
    name, steps = spelled(buffer.path), f"steps {buffer.first} to {buffer.last}"
    return f"{name} by {buffer.maker}: {buffer.size} bytes, {steps}, slot {buffer.slot}"


def _label(buffer: Buffer, left: float, top: float, width: float, height: float) -> str:
    name = spelled(buffer.path)
    if height < TEXT + 2 or width < 7 * len(name) + 4:
        return ""
    return f'<text x="{left + 3:.2f}" y="{top + TEXT:.2f}">{escape(name)}</text>'
