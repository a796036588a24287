"""Valid names of rooms, people and audiences, in rooms and on disk. Owns nothing on disk.

A person from a bridge has a name with the bridge, such as `discord/ana`, so local names cannot contain `/`.
"""

from __future__ import annotations

import re
import unicodedata

from dotagent.text import lazy

FILE = "[a-z0-9][a-z0-9_-]{0,63}"
"""The pattern of ROOM, for use in larger patterns."""
ROOM = lazy.compile(FILE)
"""A room's name. Providers and bridges follow the same rule, because all of these are file names."""
CONFLICT = r"_conflict-\d{8}-\d+"
"""How the name of a copy ends that ownCloud leaves if both sides have changed a file: no room has such a name."""
_PERSON = r"[^\s\[\]:]{1,100}"
PERSON = lazy.compile(_PERSON)
"""The name of a person or agent, as a tag can contain it."""
AUDIENCE = lazy.compile(f"private(?: {_PERSON})?|group")
"""The audience of a room or an agent: one person (the owner if not named), or a group."""
_WINDOW = "nobody tells the window |the context window of "  # the first form is of earlier versions
NOTICE = lazy.compile(rf"\({FILE} answers(?: again\)|: )|\((?:room: |budget: |summarised: |forgotten: |{_WINDOW})")
"""The beginning of an agent's own notices, which answer no one: a change of provider, a budget that is used up,
a change of the room's file, and summaries that replace entries (`forgotten` in earlier versions)."""

_LOOKS = {"Zs": " ", "Pd": "-", "Cf": ""}  # by Unicode category: blanks, dashes, and characters without width
_SIGNS = {
    **dict.fromkeys("‘’‚‛‹›ʼ′`´", "'"),
    **dict.fromkeys("“”„‟«»″", '"'),
    "−": "-",
    "〜": "~",
    "\ufe0e": "",
    "\ufe0f": "",
}


def slug(text: str, most: int) -> str:
    """Convert the text into a part of a file name: a-z, digits, dots and hyphens, never two underscores."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:most].strip("-.")


def folder(person: str) -> str:
    """Return a person's name as the name of a folder."""
    return slug(person, 40) or "owner"


def bridged(bridge: str, name: str) -> str:
    """Return the name of a person from a bridge: `discord/ana`."""
    return f"{bridge}/{name}"


def is_bridged(name: str) -> bool:
    """Return True for the name of a person from a bridge."""
    return "/" in name


def normalise(name: str) -> str:
    """Normalise a file's name: kinds and numbers of blanks, quotes and dashes, wide letters and ligatures, and the
    encoding of accents. Two names look alike if the results are equal."""
    text = unicodedata.normalize("NFKC", "".join(_SIGNS.get(one, one) for one in name))
    return " ".join("".join(_LOOKS.get(unicodedata.category(one), one) for one in text).split())


def without_bridge(name: str) -> str:
    """Return a bridged name without its bridge: `ana`."""
    return name.partition("/")[2]
