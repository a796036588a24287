"""The picture of bench/week.py: what a week has cost up to each moment, a line for each way to live it. As SVG."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import pairwise

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 360, 70, 180, 50, 40
DAY = 86_400.0
COLOURS = {"off": "#b4690e", "priced": "#1d6fb8", "nanobot": "#6b7280"}
NAMES = {"off": "dotagent, no rests", "priced": "dotagent", "nanobot": "nanobot"}
Course = Sequence[tuple[float, float]]  # Unix time, and cost until then


def draw(courses: Mapping[str, Course], start: float, title: str) -> str:
    """Draw the courses, which begin at `start`."""
    days = max(at for course in courses.values() for at, _ in course) - start
    most = max(cost for course in courses.values() for _, cost in course)
    step = next(one for one in (100_000, 250_000, 500_000, 1_000_000, 2_500_000) if most / one <= 6 or one == 2_500_000)
    wide, high = (WIDTH - LEFT - RIGHT) / days, (HEIGHT - TOP - BOTTOM) / most
    parts = [
        _text(LEFT, 24, f"What a week has cost: {title}, in thousands of fresh tokens", "start", ' font-weight="bold"')
    ]
    for number in range(int(most // step) + 1):
        y = HEIGHT - BOTTOM - number * step * high
        parts.append(f'<path d="M{LEFT},{y:.0f} H{WIDTH - RIGHT}" stroke="#d9dee4"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{number * step // 1000:,}", "end"))
    for number in range(int(days // DAY) + 1):
        x = LEFT + number * DAY * wide
        parts.append(_text(x, HEIGHT - BOTTOM + 20, f"day {number + 1}", "start"))
    ends = {way: HEIGHT - BOTTOM - course[-1][1] * high for way, course in courses.items()}
    for way, y in _apart(ends).items():
        colour = COLOURS.get(way, "#1f2933")
        course = courses[way]
        line = " ".join(f"{LEFT + (at - start) * wide:.0f},{HEIGHT - BOTTOM - cost * high:.0f}" for at, cost in course)
        parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        told = f"{NAMES.get(way, way)}: {course[-1][1] / 1000:,.0f}"
        parts.append(_text(WIDTH - RIGHT + 8, y + 4, told, "start", f' style="fill:{colour}"'))
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13"'
    body = "\n".join([f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', *parts])
    label = f'role="img" aria-label="{html.escape(title)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {label}>\n{body}\n</svg>\n'


def _text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    place = f'x="{x:.0f}" y="{y:.0f}"'
    return f'<text {place} fill="#1f2933" text-anchor="{anchor}"{more}>{html.escape(words)}</text>'


def _apart(ends: Mapping[str, float]) -> dict[str, float]:
    """Move heights apart that are too near for two lines of text."""
    found = dict(sorted(ends.items(), key=lambda one: one[1]))
    for above, below in pairwise(list(found)):
        found[below] = max(found[below], found[above] + 18)
    return found
