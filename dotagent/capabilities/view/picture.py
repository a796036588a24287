"""Draw an agent's context over time as SVG: what it consists of at each moment, against its limit. Pure, except that
the moments are read from the scenes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

from dotagent.capabilities.view import film
from dotagent.capabilities.view.frames import KINDS, REMARK, Scenes
from dotagent.text import times
from dotagent.text.lazy import dataclass

COLOURS = {
    "soul": "#a9adb5",
    "documents": "#ffb9c7",
    "heard": "#8ab6e4",
    "said": "#f2e5a0",
    "tool": "#5cc7a8",
    "reminder": "#c6d452",
    REMARK: "#d9d2ea",
    "summary": "#f2977a",
}
"""The colour of each kind, from the bottom of the picture to its top. Dark words on it can be read."""
MEANINGS = {
    "soul": "soul",
    "documents": "documents",
    "heard": "messages",
    "said": "answers",
    "tool": "results of tools",
    "summary": "summaries",
    "reminder": "reminders",
    REMARK: "remarks of dotagent",
}
assert set(MEANINGS) == set(COLOURS) == {*KINDS, REMARK}


def kinds() -> list[tuple[str, str, str]]:
    """Return the name, the meaning and the colour of each kind of block."""
    return [(kind, MEANINGS[kind], colour) for kind, colour in COLOURS.items()]


COLUMNS = 240  # moments in a picture
WIDTH, HEIGHT, LEFT, TOP, LOW, LABEL, ROW = 860, 350, 70, 44, 82, 195, 20  # pixels; the last two are of the legend


@dataclass(frozen=True)
class Column:
    """The context at one moment: its time, the tokens of each kind, and the limit."""

    at: str
    tokens: Counter[str]
    limit: int


def columns(scenes: Scenes, self_id: str, many: int = COLUMNS) -> list[Column]:
    """Return the context of an agent at moments that are spread evenly over its LIFE."""
    end, found, told = scenes.swaps(self_id)[2], list[Column](), dict[str, Any]()
    for number in range(many):
        offset = end * (number + 1) // many
        if not told or offset > told["end"]:
            told = json.loads(film.scene(scenes, self_id, offset))
        (_, at, _, _, ratio, limit, *_), blocks = film.frame(told, offset)
        tokens = Counter[str]()
        for one in blocks:
            tokens[one[film.KIND]] += int(one[film.SIZE] * ratio)
        found.append(Column(at, tokens, limit))
    return found


def draw(title: str, told: Sequence[Column]) -> str:
    """Return the picture of these moments, oldest first."""
    most = max(max(sum(one.tokens.values()) for one in told), max(one.limit for one in told)) * 1.05
    kinds = [kind for kind in COLOURS if any(one.tokens[kind] for one in told)]
    first, last = told[0], told[-1]
    now = sum(last.tokens.values())
    days = f"from {times.format_stamp(first.at, 10)} to {times.format_stamp(last.at, 10)}"
    words = f"{title} {days}: now {now:,} of {last.limit:,} tokens"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="13" role="img" aria-labelledby="t"><title id="t">{escape(words)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(LEFT, 24, title, "start", "bold"),
        *_areas(told, kinds, most),
        *_axes(told, most),
        *_legend(kinds),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _x(number: int, many: int) -> float:
    return LEFT + (WIDTH - LEFT - 20) * number / many


def _y(tokens: float, most: float) -> float:
    return HEIGHT - LOW - (HEIGHT - LOW - TOP) * tokens / most


def _areas(told: Sequence[Column], kinds: Sequence[str], most: float) -> list[str]:
    """Return one shape for each kind, with steps from moment to moment, each upon the shape before."""
    below, found = [0.0] * len(told), list[str]()
    for kind in kinds:
        above = [low + one.tokens[kind] for low, one in zip(below, told, strict=True)]
        path = [_step(above, number, most) for number in range(len(told))]
        path += [_step(below, number, most, back=True) for number in range(len(told) - 1, -1, -1)]
        name = f"<title>{escape(MEANINGS[kind])}</title>"
        found.append(f'<path d="M{" ".join(path)}z" fill="{COLOURS[kind]}">{name}</path>')
        below = above
    return found


def _step(tokens: Sequence[float], number: int, most: float, *, back: bool = False) -> str:
    """Return the two corners of a moment, from left to right, or back."""
    corners = [f"{_x(number + side, len(tokens)):.0f},{_y(tokens[number], most):.0f}" for side in (0, 1)]
    return " ".join(reversed(corners) if back else corners)


def _axes(told: Sequence[Column], most: float) -> list[str]:
    limit, right = told[-1].limit, WIDTH - 20
    high, low = _y(limit, most), HEIGHT - LOW
    line = f'<path d="M{LEFT},{high:.0f}H{right}" stroke="#a02020" stroke-dasharray="6 4" fill="none"/>'
    return [
        line,
        _text(LEFT - 8, int(high) + 4, f"{limit:,}", "end"),
        _text(LEFT - 8, low, "0", "end"),
        _text(LEFT, TOP - 6, "tokens; the dashed line is the limit"),
        _text(LEFT, low + 18, times.format_stamp(told[0].at, 10)),
        _text(right, low + 18, times.format_stamp(told[-1].at, 10), "end"),
    ]


def _legend(kinds: Sequence[str]) -> list[str]:
    found = list[str]()
    for number, kind in enumerate(kinds):
        x, y = LEFT + number % 4 * LABEL, HEIGHT - 15 - (1 - number // 4) * ROW
        found += [f'<rect x="{x}" y="{y - 11}" width="12" height="12" fill="{COLOURS[kind]}"/>',
                  _text(x + 17, y, MEANINGS[kind])]  # fmt: skip
    return found


def _text(x: int, y: int, words: str, anchor: str = "start", weight: str = "normal") -> str:
    bold = ' font-weight="bold"' if weight == "bold" else ""
    return f'<text x="{x}" y="{y}" fill="#1f2933" text-anchor="{anchor}"{bold}>{escape(words)}</text>'
