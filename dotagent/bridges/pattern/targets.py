"""Which person, channel or role a setting means: an id or a name of one kind, for a channel or a role within one
server.

All bridges' settings are read here. Digits are always an id, never a name. Names that anyone may take (a display name,
a group's title, a server's name) match no one. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Literal

from dotagent.text.lazy import dataclass

EVERY = "*"
Kind = Literal["person", "channel", "role"]


@dataclass(frozen=True)
class Meant:
    """The meaning of a setting: an id, or a name. `server` is the id of the server in which it applies."""

    id: str = ""
    name: str = ""
    server: str = ""

    def means(self, ids: Collection[str], names: Collection[str], server: str = "") -> bool:
        """Return True if it matches these ids, or these names, which are unique in that server."""
        if self.id or self.name == EVERY:
            return (self.name == EVERY or self.id in ids) and self.server in ("", server)
        return self.server == server and self.name in (name.casefold() for name in names)


def parse_target(kind: Kind, given: str, servers: Mapping[str, str], server: str = "") -> Meant:
    """Parse the text of a setting of this kind. `servers` are ids by their names in settings; `server` is the default.
    Raises ValueError that says what to write instead."""
    words = given.strip()
    head, slash, rest = words.partition("/")
    if slash and kind != "person":
        server, words = server_of(head, servers), rest.strip()
    if id := _id(words):
        return Meant(id, server=server)
    name = (words[1:] if words[:1] in ("@", "#") else words).strip().casefold()
    if not name or name == "id:" or (name == EVERY and not (kind == "channel" and server)):
        raise ValueError(f'{given!r} is not a name or an id; write a name such as "@ana", or an id such as "id:8123"')
    if kind == "person" or server or (kind == "channel" and words[:1] == "@"):
        return Meant(name=name, server=server)
    public = ', by the name of a public group, "@name",' if kind == "channel" else ""
    raise ValueError(f'the name {given!r} is not unique, because another {kind} can have the same name. Write the id, '
                     f'"id:8123"{public} or the name within a server, "8123/{name}", where 8123 is the id of '
                     f'the server')  # fmt: skip


def server_of(given: str, servers: Mapping[str, str]) -> str:
    """Return the id of the server. Raises ValueError that says what to write instead."""
    words = given.strip()
    if id := _id(words) or servers.get(words, ""):
        return id
    raise ValueError(
        f"the name {words!r} is not unique, because another server can have the same name. Write the "
        f'id of the server, or give this name to one server: servers = {{"{words}" = 8123}}'
    )


def server_ids(given: object) -> dict[str, str]:
    """Return the ids of the servers that settings name. Raises ValueError."""
    found = {name: _id(str(id)) for name, id in given.items()} if isinstance(given, dict) else {"": ""}
    if not all(found.values()) or any(_id(name) or "/" in name for name in found):
        raise ValueError('servers must be a table with an id for each server\'s name, e.g. servers = {home = "8123"}')
    return found


def _id(words: str) -> str:
    """Return the id in `id:…` or in digits alone, or ""."""
    return words[3:].strip() if words.startswith("id:") else words if re.fullmatch("-?[0-9]+", words) else ""
