"""Whom, where and which role settings mean: an id or a name, of one kind; a channel's or a role's name in one server.

Settings of every bridge are read here. Digits are an id and never a name, a name is never an id; and what anybody may
take (a display name, a group's title, a server's name) means nobody. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

EVERY = "*"
Kind = Literal["person", "channel", "role"]


@dataclass(frozen=True)
class Meant:
    """What a setting means: by its id, else by its name. `server` is the id of the one in which it counts."""

    id: str = ""
    name: str = ""
    server: str = ""

    def means(self, ids: Collection[str], names: Collection[str], server: str = "") -> bool:
        """Whether it is the one with these ids, and names, which are nobody else's in that server."""
        if self.id or self.name == EVERY:
            return (self.name == EVERY or self.id in ids) and self.server in ("", server)
        return self.server == server and self.name in (name.casefold() for name in names)


def meant(kind: Kind, given: str, servers: Mapping[str, str], server: str = "") -> Meant:
    """What the words mean, in a setting of this kind. `servers` are ids by the names that settings give them; `server`
    is the one that the setting is about anyhow. Raises ValueError, which says what to write instead."""
    words = given.strip()
    head, slash, rest = words.partition("/")
    if slash and kind != "person":
        server, words = server_of(head, servers), rest.strip()
    if id := _id(words):
        return Meant(id, server=server)
    name = (words[1:] if words[:1] in ("@", "#") else words).strip().casefold()
    if not name or name == "id:" or (name == EVERY and not (kind == "channel" and server)):
        raise ValueError(f"{given!r} means nobody")
    if kind == "person" or server or (kind == "channel" and words[:1] == "@"):
        return Meant(name=name, server=server)
    public = ', by the name of a public group, "@name",' if kind == "channel" else ""
    raise ValueError(f'{given!r} may be a {kind} of anybody\'s: say which by its id, "id:8123"{public} or within a '
                     f'server, "8123/{name}", where 8123 is the id of the server')  # fmt: skip


def server_of(given: str, servers: Mapping[str, str]) -> str:
    """The id of the server that is meant. Raises ValueError, which says what to write instead."""
    words = given.strip()
    if id := _id(words) or servers.get(words, ""):
        return id
    raise ValueError(
        f'anybody may call a server {words!r}: write its id, or name it once: servers = {{"{words}" = 8123}}'
    )


def named(given: object) -> dict[str, str]:
    """The servers that settings name, and their ids. Raises ValueError."""
    found = {name: _id(str(id)) for name, id in given.items()} if isinstance(given, dict) else {"": ""}
    if not all(found.values()) or any(_id(name) or "/" in name for name in found):
        raise ValueError('servers must be ids by name, e.g. servers = {home = "8123"}')
    return found


def _id(words: str) -> str:
    """The id that is told, as `id:…` or as digits alone; "" for none."""
    return words[3:].strip() if words.startswith("id:") else words if re.fullmatch("-?[0-9]+", words) else ""
