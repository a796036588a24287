"""The name and the face of an agent, for people: what settings say, else its IDENTITY.md, else the name by which
settings list it, else "Assistant"; and "A".

The hash stays what means it: a name is shown beside it, so that none can pass for somebody else's. Owns nothing on
disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.store import allowance, disk, home, listed
from dotagent.store.home import Home, Settings
from dotagent.text import escape
from dotagent.text.reference import short

NAME, AVATAR = "Assistant", "A"
LONGEST, ADDRESS = 50, 200  # characters of a name, and of where a picture is
MOST = 1 << 20  # bytes of an IDENTITY.md in which fields are looked for
FIELDS = ("name", "creature", "vibe", "emoji", "avatar")

_URL = re.compile(r"https?://\S+|data:image/\S+", re.IGNORECASE)
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|webp|svg|ico)\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Face:
    """How an agent is shown: `avatar` is an address, a picture in its directory, or a few characters."""

    name: str
    avatar: str

    @property
    def given(self) -> str:
        """The name that somebody gave it; "" while nobody has."""
        return "" if self.name == NAME else self.name


def of(where: Home, settings: Settings, self_id: str) -> Face:
    """The face of this agent: the nearest name, and of what shows it the first that can be shown, avatars before
    emoji."""
    own = allowance.of(settings.agents, self_id).get("identity")
    given, folder = (settings.ui.get("assistant", {}), own if isinstance(own, dict) else {}), where.agent(self_id)
    layers: list[Mapping[str, object]] = [*given, fields(_text(folder / "IDENTITY.md"))]
    names = (_clean(layer.get("name"), LONGEST) for layer in layers)
    avatars = [_clean(layer.get(key), ADDRESS) for key in ("avatar", "emoji") for layer in layers]
    name = next(filter(None, names), "") or (self_id in settings.agents and listed.name_of(where.root, self_id))
    return Face(name or NAME, next((one for one in avatars if _shows(one, folder)), AVATAR))


def shown(where: Home, settings: Settings, self_id: str) -> str:
    """The agent as people are told of it: `Aria 9f8e7d6c5b4a`, or its hash while it has no name."""
    return f"{of(where, settings, self_id).given} {short(self_id)}".strip()


def called(where: Home, name: str) -> list[str]:
    """The agents that have this name; none has an empty one."""
    settings, wanted = home.settings(where), name.casefold()
    return [one for one in home.lives(where) if wanted and of(where, settings, one).given.casefold() == wanted]


def known(where: Home, short_id: str) -> str:
    """How the agent is shown whose id begins so; the beginning where nobody knows more, or settings cannot be read."""
    found = [one for one in home.lives(where) if one.startswith(short_id)] if len(short_id) == 12 else []
    try:
        return shown(where, home.settings(where), found[0]) if len(found) == 1 else short_id
    except Misuse:
        return short_id


def fields(text: str) -> dict[str, str]:
    """What an IDENTITY.md says: `- **Name:** Aria`, or less marked; of two lines the later one."""
    return dict(_fields(text))


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        label, colon, value = line.strip().removeprefix("- ").partition(":")
        label, value = re.sub(r"[*_]", "", label).strip().lower(), value.strip().strip("*_").strip()
        if colon and label in FIELDS and value:
            yield label, value


def _text(path: Path) -> str:
    try:
        return disk.read(path, MOST).decode("utf-8", "replace")
    except OSError:
        return ""  # doctor tells why it cannot be read


def _clean(value: object, most: int) -> str:
    """A value as one line without anything that a terminal obeys."""
    return escape.one_line(value.strip(), most) if isinstance(value, str) else ""


def _shows(avatar: str, folder: Path) -> bool:
    """Whether it can be shown: an address, a picture within the agent's directory, or a few characters."""
    if not avatar or _URL.fullmatch(avatar):
        return bool(avatar)
    if "/" in avatar or "\\" in avatar or _PICTURE.search(avatar):
        there = (folder / avatar).resolve()
        return bool(_PICTURE.search(avatar)) and there.is_relative_to(folder.resolve()) and disk.is_file(there)
    return len(avatar) <= 4 and not re.search(r"\s", avatar)
