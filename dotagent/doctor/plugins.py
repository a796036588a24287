"""A person's own tools, providers, bridges and commands: each works, and is the version that the person decided on."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.doctor import Finding, damage, ok, warning
from dotagent.errors import Trouble
from dotagent.store import plugins as kept
from dotagent.store.home import Home
from dotagent.store.plugins import CHANGED, FILE, GONE, NEW, TRUSTED, WRONG
from dotagent.text.sizes import plural


def plugins(where: Home) -> Iterator[Finding]:
    """Warn about each plug-in that does not run, with the reason."""
    try:
        found = kept.every(where.root)
    except Trouble as wrong:
        yield damage(str(wrong), FILE, "fix this; until then, no plug-in runs")
        return
    for one in found:
        if one.state == WRONG:
            yield warning(
                f"the plug-in does not run: {one.why}", one.called, "fix the file, or move it out of this directory"
            )
        elif one.state in (NEW, CHANGED):
            yield warning(
                f"the plug-in is {one.state}, so it does not run",
                one.called,
                f"decide with `plugins trust {one.called}` or `plugins refuse {one.called}`",
            )
        elif one.state == GONE:
            yield warning(
                "the plug-in is trusted, but its file is missing", one.called, f"`plugins forget {one.called}`"
            )
    if found:
        yield ok(f"{plural(len(found), 'plug-in')}, {sum(one.state == TRUSTED for one in found)} trusted", "plugins")
