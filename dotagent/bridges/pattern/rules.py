"""The settings that every bridge knows: who and where is let in, what wakes the agent, which room and life it is.

Read once, from the bridge's table in dotagent.toml; a mistake is one line that names its place. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from dotagent.bridges import Person, Place
from dotagent.errors import Misuse
from dotagent.text import names
from dotagent.text.reference import PREFIX

EVERYONE = "*"
ATTACHMENTS = 8_000_000  # bytes of one attachment
ANSWERS = ("mentioned", "always")
AGENTS = ("boot", "resume", "none")
LISTS = ("users", "roles", "channels", "owners")
KNOWN = (*LISTS, "answer", "agents", "pairing", "attachments", "base", "route")
ROUTED = ("server", "channel", "person", "room", "agent", "answer")


@dataclass(frozen=True)
class Route:
    """What holds for a server, a channel or a person's direct messages; empty: any, or as it is without the route."""

    server: str = ""
    channel: str = ""
    person: str = ""
    room: str = ""
    agent: str = ""
    answer: str = ""

    @property
    def weight(self) -> int:
        """How specific it is: a person before a channel before a server."""
        return 4 * bool(self.person) + 2 * bool(self.channel) + bool(self.server)

    def means(self, place: Place, person: Person | None) -> bool:
        """Whether it holds in this place: of direct messages for its person, of others for channel and server."""
        if self.person and (place.kind != "person" or person is None or _plain(self.person) not in _names(person)):
            return False
        if self.channel and (place.kind == "person" or _plain(self.channel) not in _channels(place)):
            return False
        return not self.server or _plain(self.server) in map(_plain, place.server)


@dataclass(frozen=True)
class Rules:
    """A bridge's settings."""

    users: Collection[str] = ()
    roles: Collection[str] = ()
    channels: Collection[str] = ()
    owners: Collection[str] = ()
    answer: str = ANSWERS[0]
    agents: str = AGENTS[0]
    pairing: bool = True
    attachments: int = ATTACHMENTS
    routes: tuple[Route, ...] = ()

    def lets_in(self, person: Person, paired: Collection[str]) -> bool:
        """Whether the person may be heard at all; a bot only when it is named itself."""
        named = bool(_names(person) & set(self.users)) or person.id in paired or self.owns(person)
        others = EVERYONE in self.users or any(_plain(role) in self.roles for role in person.roles)
        return named or (others and not person.bot)

    def takes(self, place: Place) -> bool:
        """Whether what is said in this place may be heard: direct messages always, others when they are named."""
        return place.kind == "person" or EVERYONE in self.channels or bool(_channels(place) & set(self.channels))

    def owns(self, person: Person) -> bool:
        """Whether the person may give commands."""
        return bool(_names(person) & set(self.owners))

    def route(self, place: Place, person: Person | None) -> Route:
        """The most specific route that holds here, of equal ones the first; one without anything when none does."""
        found = [route for route in self.routes if route.means(place, person)]
        return max(found, key=lambda route: route.weight) if found else Route()

    def wakes(self, place: Place, addressed: bool) -> bool:
        """Whether a message there wakes the agent."""
        return place.kind == "person" or addressed or (self.route(place, None).answer or self.answer) == "always"


def parse(name: str, table: Mapping[str, object], more: Collection[str] = ()) -> Rules:
    """The rules of a bridge's table, in which `more` are settings of the transport's own. Raises Misuse."""
    where = f"dotagent.toml, [bridges.{name}]"
    for given in table:
        if given not in KNOWN and given not in more:
            raise Misuse(f"{where}: unknown setting {given!r}: settings are {', '.join((*KNOWN, *more))}")
    attachments = table.get("attachments", ATTACHMENTS)
    if type(attachments) is not int or attachments < 0:
        raise Misuse(f"{where}: attachments must be a number of bytes, 0 for none")
    pairing = table.get("pairing", True)
    if not isinstance(pairing, bool):
        raise Misuse(f"{where}: pairing must be true or false")
    users, roles, channels, owners = (_list(where, table, name) for name in LISTS)
    return Rules(
        users,
        roles,
        channels,
        owners,
        answer=_one_of(where, table, "answer", ANSWERS),
        agents=_one_of(where, table, "agents", AGENTS),
        pairing=pairing,
        attachments=attachments,
        routes=_routes(f"dotagent.toml, [[bridges.{name}.route]]", table.get("route", [])),
    )


def _routes(where: str, given: object) -> tuple[Route, ...]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Misuse(f"{where}: routes are tables in double brackets")
    return tuple(_route(where, one) for one in given)


def _route(where: str, given: Mapping[str, object]) -> Route:
    for name, value in given.items():
        if name not in ROUTED:
            raise Misuse(f"{where}: unknown setting {name!r}: settings are {', '.join(ROUTED)}")
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Misuse(f"{where}: {name} must be a text")
    route = Route(**{name: str(value) for name, value in given.items()})
    if route.answer not in ("", *ANSWERS):
        raise Misuse(f"{where}: answer must be one of {', '.join(ANSWERS)}")
    if route.room and not names.ROOM.fullmatch(route.room):
        raise Misuse(f"{where}: {route.room!r} cannot be a room: a name is a-z, 0-9, _ and -, at most 64")
    if route.agent and not PREFIX.fullmatch(route.agent):
        raise Misuse(f"{where}: {route.agent!r} is no agent's hash: 8 to 32 hex digits")
    if not route.weight:
        raise Misuse(f"{where}: for which server, channel or person is this route?")
    return route


def _list(where: str, table: Mapping[str, object], name: str) -> frozenset[str]:
    value = table.get(name, [])
    if not isinstance(value, list) or any(isinstance(one, bool) or not isinstance(one, str | int) for one in value):
        raise Misuse(f'{where}: {name} must be a list of names or ids, e.g. {name} = ["ana"]')
    return frozenset(_plain(str(one)) for one in value)


def _one_of(where: str, table: Mapping[str, object], name: str, words: tuple[str, ...]) -> str:
    value = table.get(name, words[0])
    if value not in words:
        raise Misuse(f"{where}: {name} must be one of {', '.join(words)}")
    return str(value)


def _plain(name: str) -> str:
    """A name as it is compared: `#General` is `general`, `@Ana` is `ana`."""
    return name.strip().lstrip("@#").casefold()


def _names(person: Person) -> set[str]:
    return {_plain(name) for name in (person.id, *person.known) if name}  # never by a name that anybody may take


def _channels(place: Place) -> set[str]:
    return {_plain(name) for name in (place.id, place.name, *place.known) if name}
