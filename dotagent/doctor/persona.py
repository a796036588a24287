"""The bootstrap files of a life: none lacks, none is too long to be shown whole, and SOUL can be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dotagent import errors
from dotagent.doctor import Finding, ok, warning
from dotagent.errors import Trouble
from dotagent.life import alternate, persona
from dotagent.life.state import State
from dotagent.store import bootstrap, disk, hooks
from dotagent.store.blobs import Blobs
from dotagent.store.home import Home, Settings


def files(folder: Path, place: str, store: Blobs, state: State, settings: Settings) -> Iterator[Finding]:
    """What its prompt is made of. An agent of an earlier version has none of the files, and lacks nothing."""
    there = [name for name in bootstrap.ALL if os.path.lexists(folder / name)]
    if not there:
        return
    for name in bootstrap.lacks(folder, state.audience):
        yield warning("is missing", f"{place}/{name}", "`setup` puts it back, or `doctor --fix`")
    try:
        found, wrong = persona.texts(store, folder.name, state, settings), False
    except Trouble:  # that its SOUL is lost is told as damage
        found, wrong = {}, True
    for name in there:
        try:
            text = disk.read(folder / name).decode("utf-8", "replace")
        except OSError as error:
            yield warning(errors.line(error), f"{place}/{name}", "what it said before holds: make it a plain file")
            wrong = True
            continue
        if name == bootstrap.SOUL and not text.strip():
            yield warning("is empty", f"{place}/{name}", "the SOUL before it holds: write there who the agent is")
        shown = name in bootstrap.PROMPT and name in bootstrap.seen(state.audience)
        if name in found or (shown and not bootstrap.is_untouched(name, text.encode())):
            found[name] = text
    for name, why in persona.too_long(found, state, settings).items():
        yield warning(why, f"{place}/{name}", "shorten it, or raise bootstrap_max_chars")
    wanted = hooks.alternate(settings.hooks)
    if wanted and (why := alternate.read(Home(folder.parents[1]), folder, wanted.file)[1]):
        yield warning(why, f"{place}/{wanted.file}", "write it, or leave [hooks.soul-evil] out: SOUL.md holds")
    if not wrong:
        yield ok(f"{len(there)} bootstrap files", place)
