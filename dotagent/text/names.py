"""The names that stand in rooms and on disk: how a room, a person, and an audience may be called. Owns nothing on disk.

People who come through a bridge are called by it too (`discord/ana`), so nobody at the terminal is called with a `/`.
"""

from __future__ import annotations

import re

FILE = "[a-z0-9][a-z0-9_-]{0,63}"
"""The source of ROOM, for larger patterns."""
ROOM = re.compile(FILE)
"""A room's name. Providers and bridges are named so, too: all of them are names of files."""
_PERSON = r"[^\s\[\]:]{1,100}"
PERSON = re.compile(_PERSON)
"""A person's name, or an agent's: what a tag can hold."""
AUDIENCE = re.compile(f"private(?: {_PERSON})?|group")
"""Who may hear a room or a life: one person (the owner, when unnamed), or everybody."""
NOTICE = re.compile(rf"\({FILE} answers(?: again\)|: )|\(budget: |\(forgotten: |\(nobody tells the window ")
"""How a message begins that an agent says of itself and that answers nobody: who answers, what is used up."""


def slug(text: str, most: int) -> str:
    """The text as a part of a file's name: a-z, digits, dots and hyphens, never two underscores."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:most].strip("-.")


def folder(person: str) -> str:
    """A person's name as the name of a folder of theirs."""
    return slug(person, 40) or "owner"


def bridged(bridge: str, name: str) -> str:
    """The name of a person who comes through a bridge: `discord/ana`."""
    return f"{bridge}/{name}"


def is_bridged(name: str) -> bool:
    """Whether this is the name of somebody who comes through a bridge."""
    return "/" in name


def there(name: str) -> str:
    """A bridged name without its bridge: `ana`."""
    return name.partition("/")[2]
