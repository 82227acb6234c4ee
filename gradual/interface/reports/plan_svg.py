"""A plan as a picture: steps from left to right, bytes from bottom to top, a box for each buffer."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import count

from gradual.run.graph.plan import Buffer, Plan
from gradual.types.unpacking import spelled

WIDTH, HEIGHT, TEXT = 960, 480, 11
LEFT, TOP, RIGHT, BOTTOM = 84, 40, 24, 56
"""The margins around the boxes, for the numbers of the axes, their units, and the title."""
TICKS = 8
"""About how many numbers an axis has."""
BINARY = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes"))

_STYLE = """
svg { background: #fff; color: #222; font: 11px sans-serif }
text { fill: currentColor } .axis { fill: none; stroke: currentColor }
.grid { fill: none; stroke: currentColor; stroke-opacity: .25 }
.buffer { fill: #9ecae1; stroke: #3b6f95 }
@media (prefers-color-scheme: dark) {
  svg { background: #1b1b1b; color: #ddd } .buffer { fill: #2d5f82; stroke: #9ecae1 }
}"""


def picture(plan: Plan) -> str:
    """An SVG of a plan whose slots have constant sizes; buffers without a slot are not shown."""
    size = f'viewBox="0 0 {LEFT + WIDTH + RIGHT} {TOP + HEIGHT + BOTTOM}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">', f"<title>{_title(plan)}</title>"]
    lines += [f"<style>{_STYLE}</style>", *_elements(plan), "</svg>"]
    return "\n".join(lines) + "\n"


def within_page(plan: Plan) -> str:
    """The same picture as an element of a page of HTML, which has the style."""
    size = f'viewBox="0 0 {LEFT + WIDTH + RIGHT} {TOP + HEIGHT + BOTTOM}"'
    return "\n".join([f'<svg class="plan" {size} role="img"><title>{_title(plan)}</title>', *_elements(plan), "</svg>"])


def unknown(plan: Plan) -> list[str]:
    """The names of the sizes that have to be numbers before the plan can be drawn."""
    return sorted({variable.name for slot in plan.slots for variable in slot.size.variables()})


def _elements(plan: Plan) -> Iterator[str]:
    yield from _bytes_axis(plan)
    yield from _steps_axis(plan)
    yield from _boxes(plan)


def _title(plan: Plan) -> str:
    return escape(f"{plan.function}: {len(plan.buffers)} buffers, {plan.arena.value} bytes")


# ------------------------------------------------------------------------------------------------------------- axes
def _scale(plan: Plan) -> tuple[float, float]:
    """The width of a step and the height of a byte; the result has a column after the last step."""
    return WIDTH / (plan.steps + 1), HEIGHT / max(plan.arena.value or 0, 1)


def _bytes_axis(plan: Plan) -> Iterator[str]:
    """The axis at the left, with lines across at round numbers of the largest fitting unit."""
    most, up, floor = plan.arena.value or 0, _scale(plan)[1], TOP + HEIGHT
    unit, name = next((size, name) for size, name in BINARY if most >= 4 * size or size == 1)
    step = unit * rounded_step(most // unit)
    for at in range(0, most + 1, step):
        y = floor - at * up
        yield f'<path class="grid" d="M{LEFT - 4} {y:.2f}H{LEFT + WIDTH}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.2f}" text-anchor="end">{at // unit}</text>'
    yield f'<path class="axis" d="M{LEFT} {TOP}V{floor}H{LEFT + WIDTH}"/>'
    yield f'<text x="{LEFT}" y="{TOP - 12}">{escape(plan.function)}: {most} bytes</text>'
    yield f'<text x="{LEFT - 8}" y="{TOP - 12}" text-anchor="end">{name}</text>'


def _steps_axis(plan: Plan) -> Iterator[str]:
    """The axis at the bottom, with the number of a step below its middle."""
    across, floor, distance = _scale(plan)[0], TOP + HEIGHT, rounded_step(plan.steps)
    shown = [step for step in range(1, plan.steps + 1) if step == 1 or step % distance == 0]
    for step, said in [*((step, str(step)) for step in shown), (plan.steps + 1, "result")]:
        x = LEFT + (step - 0.5) * across
        yield f'<path class="axis" d="M{x:.2f} {floor}v4"/>'
        yield f'<text x="{x:.2f}" y="{floor + (18 if said.isdecimal() else 30)}" text-anchor="middle">{said}</text>'
    yield f'<text x="{LEFT + WIDTH / 2:.2f}" y="{floor + 40}" text-anchor="middle">step</text>'


def rounded_step(most: int) -> int:
    """The distance, 1, 2 or 5 times a power of ten, at which at most `TICKS` numbers lie between 0 and `most`."""
    steps: Iterator[int] = (digit * 10**power for power in count() for digit in (1, 2, 5))
    return next(step for step in steps if most <= TICKS * step)


# ------------------------------------------------------------------------------------------------------------ boxes
def _boxes(plan: Plan) -> Iterator[str]:
    """Each buffer from the step that fills it to the last that reads it, at its offset."""
    across, up = _scale(plan)
    for buffer in plan.buffers.values():
        if buffer.slot is None or buffer.bound is None or buffer.bound.value is None:
            continue
        offset = plan.slots[buffer.slot].offset.value or 0
        left, width = LEFT + (buffer.first - 1) * across, (buffer.last - buffer.first + 1) * across
        height = buffer.bound.value * up
        top = TOP + HEIGHT - offset * up - height
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
