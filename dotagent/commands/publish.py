"""Post an existing message in another room as your own.

You can publish a message, an answer or another text of any agent. The commands `context` and `recall` show the id of
each text. The other room gets the text as your message. The command first shows you the text, and posts nothing until
you agree. An agent cannot publish: if an agent runs this command, the command refuses.
"""

from __future__ import annotations

import argparse
import os

from dotagent import commands, extensions
from dotagent.answers import agreed
from dotagent.errors import Misuse
from dotagent.processes.background import MARK
from dotagent.store import blob_search, disk, home, rooms
from dotagent.text import escape, reasoning, speakers, tag, times

GROUP = "daily"

MOST = 4000  # characters that are published at once


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the message and the room."""
    parser.add_argument("id", help="8 or more digits of the message's id")
    parser.add_argument("room", help="the room for the new message")
    parser.add_argument("--yes", action="store_true", help="post the message without asking")


def run(asked: argparse.Namespace) -> int:
    """Show the text, ask, and post it."""
    if os.environ.get(MARK):
        raise Misuse("refused: only the owner can publish a message, not a command that the agent runs")
    where = commands.home_of(asked)
    settings, room = home.settings(where), where.room(asked.room)
    if not disk.is_file(room):
        raise Misuse(f"there is no room {asked.room}; `status` lists the rooms")
    owner, store = home.owner(settings), where.store()
    text = tag.words(store.get(blob_search.find(store, asked.id)).body.decode("utf-8", "replace"))
    spoken = "\n".join(
        words for _, words in speakers.words("reply", "", text, extensions.tools())
    )  # in a reply's calls
    text = escape.printable(spoken or reasoning.strip(text)).strip()
    if not text or len(text) > MOST:
        raise Misuse(
            f"the message has {len(text):,} characters; only 1 to {MOST:,} can be published, so post it yourself"
        )
    print(
        f"{asked.room} ({rooms.audience(room, owner)}) will get this message from {owner}:\n{escape.indent(text)}",
        flush=True,
    )
    alone = "nothing was posted, because there is no terminal on which to ask you; add --yes to post without asking"
    if not asked.yes and not agreed("Post it there?", alone):
        print("nothing was posted")
        return 0
    rooms.append(room, rooms.line_of("USER", owner, times.now(), text))
    return 0
