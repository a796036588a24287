"""A person's own tools, providers, bridges and commands: each can be used, and is the version that they decided on."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.doctor import Finding, damage, ok, warning
from dotagent.errors import Trouble
from dotagent.store import plugins as kept
from dotagent.store.home import Home
from dotagent.store.plugins import CHANGED, FILE, GONE, NEW, TRUSTED, WRONG
from dotagent.text.sizes import plural


def plugins(where: Home) -> Iterator[Finding]:
    """What does not run, and why."""
    try:
        found = kept.every(where.root)
    except Trouble as wrong:
        yield damage(str(wrong), FILE, "until then none of them runs")
        return
    for one in found:
        if one.state == WRONG:
            yield warning(f"does not run: {one.why}", one.called, "mend it, or give it another name")
        elif one.state in (NEW, CHANGED):
            yield warning(f"is {one.state}, so it does not run", one.called, f"`plugins trust {one.called}`, or refuse")
        elif one.state == GONE:
            yield warning("was trusted, and is not there", one.called, f"`plugins forget {one.called}`")
    if found:
        yield ok(f"{plural(len(found), 'plug-in')}, {sum(one.state == TRUSTED for one in found)} trusted", "plugins")
