"""An agent's bootstrap files: none is missing or too long to be shown whole, and SOUL can be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dotagent import errors
from dotagent.doctor import Finding, ok, warning
from dotagent.errors import Trouble
from dotagent.life import alternate, facts, persona
from dotagent.life.context import MEMORY
from dotagent.life.state import State
from dotagent.store import bootstrap, hooks, reserved_names
from dotagent.store.blobs import Blobs
from dotagent.store.home import Home, Settings
from dotagent.text import encoding
from dotagent.text.encoding import NotText

IRREGULAR = "replace this by a regular file; until then, the agent uses the last content of the file"
NOT_TEXT = "save the file as UTF-8; until then, an agent reads � in place of the bytes that are not text"


def memory(folder: Path, place: str) -> Iterator[Finding]:
    """Check that MEMORY.md can be read, and is not longer than an agent may write it: then it can add nothing."""
    try:
        size = len(reserved_names.read(folder, MEMORY).decode("utf-8", "replace"))
    except FileNotFoundError:
        return
    except OSError as error:
        yield warning(errors.line(error), f"{place}/{MEMORY}", IRREGULAR)
        return
    if size > facts.FULL:
        why = f"the file has {size:,} characters; above {facts.FULL:,} the agent cannot add to it"
        yield warning(why, f"{place}/{MEMORY}", f"move the least important lines to {place}/memory/{facts.NAME}.md")


def files(folder: Path, place: str, store: Blobs, state: State, settings: Settings) -> Iterator[Finding]:
    """Check the files of the agent's prompt. An agent of an earlier version needs none of them."""
    there = [name for name in bootstrap.ALL if os.path.lexists(folder / name)]
    if not there:
        return
    for name in bootstrap.lacks(folder, state.audience):
        yield warning("is missing", f"{place}/{name}", "create the file again with `setup` or `doctor --fix`")
    try:
        found, wrong = persona.texts(store, folder.name, state, settings), False
    except Trouble:  # a lost SOUL is reported as damage
        found, wrong = {}, True
    for name in there:
        try:
            text = encoding.decode(reserved_names.read(folder, name))[0]
        except NotText as odd:
            yield warning(f"the file {odd}", f"{place}/{name}", NOT_TEXT)
            wrong = True
            continue
        except OSError as error:
            yield warning(errors.line(error), f"{place}/{name}", IRREGULAR)
            wrong = True
            continue
        if name == bootstrap.SOUL and not text.strip():
            yield warning(
                "is empty",
                f"{place}/{name}",
                "write in this file who the agent is; until then, the agent keeps its former character",
            )
        shown = name in bootstrap.PROMPT and name in bootstrap.visible_files(state.audience)
        if name in found or (shown and not bootstrap.is_untouched(name, text.encode())):
            found[name] = text
    for name, (why, setting) in persona.too_long(found, state, settings).items():
        yield warning(why, f"{place}/{name}", f"shorten the file, or raise in dotagent.toml {setting}")
    wanted = hooks.alternate(settings.hooks)
    if wanted and (why := alternate.read(Home(folder.parents[1]), folder, wanted.file)[1]):
        yield warning(
            why,
            f"{place}/{wanted.file}",
            "correct this file (the alternate character), or remove [hooks.soul-evil]; until then, SOUL.md is used",
        )
    if not wrong:
        yield ok(f"the {len(there)} files that describe the character can be read", place)
