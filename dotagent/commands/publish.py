"""Say in a room, as your own word, what stands elsewhere: the one way from one audience to another.

What is published is a message, a reply or another text of any life, by the id that `context`, `recall` and references
show. The room hears it as your message. No agent can do it: a command that one runs is
refused, and here nothing is said before you have seen it and agreed.
"""

from __future__ import annotations

import argparse
import os

from dotagent import commands, extensions
from dotagent.arguments import agreed
from dotagent.errors import Misuse
from dotagent.store import disk, home, rooms
from dotagent.store.supervised import MARK
from dotagent.text import escape, reasoning, said, tag, times

MOST = 4000  # characters that are published at once


def arguments(parser: argparse.ArgumentParser) -> None:
    """What, and where."""
    parser.add_argument("id", help="8 or more digits of the id of what is to be published")
    parser.add_argument("room", help="the room that shall hear it")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(asked: argparse.Namespace) -> int:
    """Show it, ask, say it."""
    if os.environ.get(MARK):
        raise Misuse("an agent publishes nothing: its person does")
    where = commands.home_of(asked)
    settings, room = home.settings(where), where.room(asked.room)
    if not disk.is_file(room):
        raise Misuse(f"there is no room {asked.room}")
    owner, store = home.owner(settings), where.store()
    text = tag.words(store.get(store.find(asked.id)).body.decode("utf-8", "replace"))
    spoken = "\n".join(words for _, words in said.words("reply", "", text, extensions.tools()))  # of a reply's calls
    text = escape.printable(spoken or reasoning.strip(text)).strip()
    if not text or len(text) > MOST:
        raise Misuse(
            f"it has {len(text):,} characters: between 1 and {MOST:,} can be published, the rest by your own hand"
        )
    print(f"{asked.room} ({rooms.audience(room, owner)}) will hear from {owner}:\n{escape.indent(text)}", flush=True)
    alone = "nothing was said: there is nobody to ask here; --yes says it without asking"
    if not asked.yes and not agreed("Say it there?", alone):
        print("nothing was said")
        return 0
    rooms.append(room, rooms.line_of("USER", owner, times.now(), text))
    return 0
