"""An agent's display name and avatar. The name comes from settings, IDENTITY.md, or the name of its settings table; the
defaults are "Assistant" and "A".

The hash still identifies the agent. It is always shown next to the name, so that no agent can pretend to be another.
Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.store import disk, home, named_agents
from dotagent.store.home import Home, Settings
from dotagent.text import encoding, escape, lazy
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short

NAME, AVATAR = "Assistant", "A"
LONGEST, ADDRESS = 50, 200  # characters of a name, and of where a picture is
MOST = 1 << 20  # bytes of an IDENTITY.md that is searched for fields
FIELDS = ("name", "creature", "vibe", "emoji", "avatar")
NAMED = "名字 名称 名稱 名前 이름 имя ім'я nombre nom nome imię naam namn isim".split()  # the first of FIELDS elsewhere

_URL = lazy.compile(r"https?://\S+|data:image/\S+", re.IGNORECASE)
_PICTURE = lazy.compile(r"\.(?:png|jpe?g|gif|webp|svg|ico)\Z", re.IGNORECASE)

_REMARK = lazy.compile(r"\s+(?:_[^_]+_|\*[^*]+\*)\Z")  # in italics behind the value
_QUOTED = lazy.compile(r"\A([\"'`])(.+)\1\Z")
_UNSET = lazy.compile(r"[(（].*|[\[<{【].*[\]>}】]|tbd|todo|none(?: yet)?|n/a|\?+|-+|\.+|…", re.IGNORECASE)


@dataclass(frozen=True)
class Face:
    """How an agent is displayed: `avatar` is an address, a picture in its directory, or a few characters."""

    name: str
    avatar: str

    @property
    def given(self) -> str:
        """Return the agent's given name, or "" if it has none."""
        return "" if self.name == NAME else self.name


def find_face(where: Home, settings: Settings, self_id: str) -> Face:
    """Return how to display the agent: the first name found, and the first usable avatar, otherwise the first emoji."""
    own = settings.of_agent(self_id).get("identity")
    given, folder = (settings.ui.get("assistant", {}), own if isinstance(own, dict) else {}), where.agent(self_id)
    layers: list[Mapping[str, object]] = [*given, fields(_text(folder / "IDENTITY.md"))]
    names = (_clean(layer.get("name"), LONGEST) for layer in layers)
    avatars = [_clean(layer.get(key), ADDRESS) for key in ("avatar", "emoji") for layer in layers]
    name = next(filter(None, names), "") or (self_id in settings.agents and named_agents.name_of(where.root, self_id))
    return Face(name or NAME, next((one for one in avatars if _shows(one, folder)), AVATAR))


def make_label(where: Home, settings: Settings, self_id: str) -> str:
    """Return the agent's name and short id, e.g. `Aria 9f8e7d6c5b4a`, or only the id if it has no name."""
    return f"{find_face(where, settings, self_id).given} {short(self_id)}".strip()


def find_named(where: Home, name: str) -> list[str]:
    """Return the agents with this name. An empty name matches none."""
    settings, wanted = home.settings(where), name.casefold()
    return [one for one in home.lives(where) if wanted and find_face(where, settings, one).given.casefold() == wanted]


def find_label(where: Home, short_id: str) -> str:
    """Return how to display the agent whose id begins with `short_id`. If it is unknown, or settings are unreadable,
    return `short_id`."""
    found = [one for one in home.lives(where) if one.startswith(short_id)] if len(short_id) == 12 else []
    try:
        return make_label(where, home.settings(where), found[0]) if len(found) == 1 else short_id
    except Misuse:
        return short_id


def fields(text: str) -> dict[str, str]:
    """Parse the fields of an IDENTITY.md, written as `- **Name:** Aria` or more simply. The last of several lines wins.
    A note such as `_(pick one)_` is not a value."""
    return dict(_fields(text))


def _fields(text: str) -> Iterator[tuple[str, str]]:
    lines = [line.rstrip() for line in text.split("\n")]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        label, *values = re.split("[:：]", re.sub(r"^[-*+] ", "", line.strip()), maxsplit=1)
        label, value = re.sub(r"[*_]", "", label).strip().lower(), "".join(values).strip().lstrip("*_ \t")
        label = FIELDS[0] if label in NAMED else label
        if not values or label not in FIELDS:
            continue
        if not value and below[:1] in (" ", "\t") and not below.lstrip().startswith("- "):
            value = below.strip()  # the value on the line below its label, as OpenClaw writes it
        value = _REMARK.sub("", value).strip("*_ ")
        value = _QUOTED.sub(r"\2", value.removesuffix(" —").removesuffix(" –"))
        if value and not _UNSET.fullmatch(value):
            yield label, value


def _text(path: Path) -> str:
    try:
        return encoding.utf8(disk.read(path, MOST)).decode("utf-8", "replace")
    except OSError:
        return ""  # doctor reports the reason


def _clean(value: object, most: int) -> str:
    """Return a value as one line without control characters."""
    return escape.one_line(value.strip(), most) if isinstance(value, str) else ""


def _shows(avatar: str, folder: Path) -> bool:
    """Return True if the avatar can be displayed: an address, a picture in the agent's directory, or a few
    characters."""
    if not avatar or _URL.fullmatch(avatar):
        return bool(avatar)
    if "/" in avatar or "\\" in avatar or _PICTURE.search(avatar):
        there = (folder / avatar).resolve()
        return bool(_PICTURE.search(avatar)) and there.is_relative_to(folder.resolve()) and disk.is_file(there)
    return len(avatar) <= 4 and not re.search(r"\s", avatar)
