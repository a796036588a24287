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

_BULLET = lazy.compile(r"\A(?:>[ \t]*)*(?:[-*+]|\d{1,3}[.)])[ \t]+|\A(?:>[ \t]*)+")
_COLON = lazy.compile(r"([:：]|(?<=\*\*)\s+[—–-](?=\s))")  # between a label and its value
_BLOCK = lazy.compile(r"[-*+>|#`~]|\d{1,3}[.)] |<!--|={3}")  # begins another block, which is not a value
_REMARK = lazy.compile(r"\s+(?:_[^_]+_|\*[^*]+\*)\Z")  # in italics behind the value
_QUOTED = lazy.compile(r"\A([\"'`])(.+)\1\Z")
WORDS = 4  # the most words of a name that is not on the line of its label
_SENTENCE = lazy.compile(r"(?:\S+\s+){2}.*\w{3}[.!?…]+|.*[。！？]", re.DOTALL)  # “Dr. Evil Jr.” is not one
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
    lines = text.split("\n")
    for number, line in enumerate(lines):
        label, value = _field(line)
        if label is None:
            continue
        value, beside = value or _value_below(line, lines[number + 1 : number + 3]), bool(value)
        value = _REMARK.sub("", value).strip("*_ ")
        value = _QUOTED.sub(r"\2", value.removesuffix(" —").removesuffix(" –"))
        name = label != FIELDS[0] or _is_name(value, beside)
        if value and name and not _UNSET.fullmatch(value):
            yield label, value


def _is_name(value: str, beside: bool) -> bool:
    """Return False for a sentence about the name, such as “I have not picked one yet.”, and below the label also for
    more than a few words."""
    return not _SENTENCE.fullmatch(value) and (beside or len(value.split()) <= WORDS)


def _field(line: str) -> tuple[str | None, str]:
    """Return the field of a line, a list item, a heading or a row of a table, and its value, or (None, "")."""
    plain = _BULLET.sub("", line.strip())
    if plain.startswith("|"):
        label, value, *_ = (*(cell.strip() for cell in plain.strip("|").split("|")), "")
    elif plain.startswith("#"):
        label, value = plain.strip("# "), ""
    else:
        label, mark, value = (*_COLON.split(plain, maxsplit=1), "", "")[:3]
        label = label if mark else ""
    if not (label := _find_field(label)) or _find_field(value):  # the labels of a table's columns
        return None, ""
    return label, value.strip().lstrip("*_ \t")


def _find_field(label: str) -> str:
    """Return the field that a label names, or ""."""
    plain = re.sub(r"[*_:：]", "", label).strip().lower()
    plain = FIELDS[0] if plain in NAMED else plain
    return plain if plain in FIELDS else ""


def _value_below(line: str, below: list[str]) -> str:
    """Return the value that is below its label: on the next line, or below a heading after an empty line."""
    heading = line.lstrip().startswith("#")
    found = next((one for one in below[: 1 + heading] if one.strip()), "")
    plain, deeper = found.strip(), len(found) - len(found.lstrip()) > len(line) - len(line.lstrip())
    if _BLOCK.match(plain) or _field(found)[0]:
        return ""
    short = len(plain) <= LONGEST and not re.match(r"[^:：]{1,30}[:：]", plain)
    return plain if deeper or (short and not line.lstrip().startswith(("-", "+", "* "))) else ""


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
