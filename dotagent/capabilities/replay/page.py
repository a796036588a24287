"""A page with the answers of a replay, then and now side by side: one file without scripts that asks no host. Pure."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape

from dotagent.capabilities.replay import comparison
from dotagent.capabilities.replay.comparison import Compared, Side
from dotagent.text import times
from dotagent.text.escape import printable
from dotagent.text.reference import short

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #16181c);
  color: light-dark(#1a1c20, #e6e8ec); }
body { max-width: 72rem; margin: 0 auto; padding: 1rem; }
summary { padding: .5rem 0; cursor: pointer; overflow-wrap: anywhere; }
details { border-top: 1px solid light-dark(#d5d8dd, #3a3f47); }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; }
.sides > div { min-width: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0; }
.other { font-weight: bold; color: light-dark(#a40e26, #ff9aa5); }
@media (max-width: 45rem) { .sides { grid-template-columns: 1fr; } }
"""


def page(title: str, turns: Sequence[Compared]) -> str:
    """Return the page. The turns whose calls differ are open; the others are one line each."""
    hashed = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f"<meta http-equiv=\"content-security-policy\" content=\"default-src 'none'; style-src 'sha256-{hashed}'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body><main><h1>{escape(title)}</h1>\n"
        f"<pre>{escape(comparison.summary(turns))}</pre>\n{''.join(map(_turn, turns))}</main></body></html>\n"
    )


def _turn(one: Compared) -> str:
    """Return a request with both answers."""
    other = one.differs and not one.now.why
    mark = ' <span class="other">other calls</span>' if other else " (no answer)" if one.now.why else ""
    about = escape(printable(one.past.about or one.past.kind))
    at = escape(times.format_stamp(one.past.at, 19).replace("T", " "))
    head = f"<code>{short(one.past.id)}</code> {at} {about}{mark}"
    sides = "".join(f"<div><h2>{name}</h2>{''.join(_side(side))}</div>" for name, side in _sides(one))
    shown = " open" if other or one.now.why else ""
    return f'<details{shown}><summary>{head}</summary><div class="sides">{sides}</div></details>\n'


def _sides(one: Compared) -> tuple[tuple[str, Side], tuple[str, Side]]:
    return ("Then", one.then), ("Now", one.now)


def _side(side: Side) -> Iterator[str]:
    if side.why:
        yield f'<p class="other">No answer: {escape(printable(side.why))}</p>'
        return
    dollars = "cost unknown" if side.cost is None else f"${side.cost / 1e6:.4f}"
    yield f"<p>{escape(side.model)}: {side.input:,} + {side.output:,} tokens, {side.seconds:.1f} s, {dollars}</p>"
    calls = "".join(f"<li><pre>{escape(printable(call))}</pre></li>" for call in side.calls)
    yield f"<p>Calls:</p><ul>{calls}</ul><p>Answer:</p><pre>{escape(printable(side.text))}</pre>"
