"""The settings that every bridge knows: who and where is let in, what wakes the agent, which room and life it is.

Read once, from the bridge's table in dotagent.toml; a mistake is one line that names its place. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from dotagent import extensions
from dotagent.bridges import Person, Place
from dotagent.bridges.pattern import meant
from dotagent.bridges.pattern.meant import EVERY, Kind, Meant
from dotagent.errors import Misuse
from dotagent.store.home import Settings
from dotagent.text import names
from dotagent.text.reference import PREFIX

ATTACHMENTS = 8_000_000  # bytes of one attachment
ANSWERS = ("mentioned", "always")
AGENTS = ("boot", "resume", "none")
LISTS: Mapping[str, Kind] = {"users": "person", "roles": "role", "channels": "channel", "owners": "person"}
EVERYBODY = ("users", "channels")  # lists that may be open
KNOWN = (*LISTS, "servers", "answer", "agents", "pairing", "attachments", "base", "route")
ROUTED = ("server", "channel", "person", "room", "agent", "answer")


@dataclass(frozen=True)
class Route:
    """What holds for a server, a channel or a person's direct messages; none: any, or as it is without the route."""

    server: str = ""  # its id
    channel: Meant | None = None
    person: Meant | None = None
    room: str = ""
    agent: str = ""
    answer: str = ""

    @property
    def weight(self) -> int:
        """How specific it is: a person before a channel before a server."""
        return 4 * bool(self.person) + 2 * bool(self.channel) + bool(self.server)

    def means(self, place: Place, person: Person | None) -> bool:
        """Whether it holds in this place: of direct messages for its person, of others for channel and server."""
        if self.person and (place.kind != "person" or person is None or not _is(person, (self.person,))):
            return False
        if self.channel and (place.kind == "person" or not _there(place, (self.channel,))):
            return False
        return self.server in ("", place.server)


@dataclass(frozen=True)
class Rules:
    """A bridge's settings."""

    users: Collection[Meant] = ()
    roles: Collection[Meant] = ()
    channels: Collection[Meant] = ()
    owners: Collection[Meant] = ()
    answer: str = ANSWERS[0]
    agents: str = AGENTS[0]
    pairing: bool = True
    attachments: int = ATTACHMENTS
    routes: tuple[Route, ...] = ()

    def lets_in(self, person: Person, paired: Collection[str]) -> bool:
        """Whether the person may be heard at all; a bot only when it is named itself."""
        everybody = any(one.name == EVERY for one in self.users)
        held = any(one.means((role.id,), (role.name,), role.server) for one in self.roles for role in person.roles)
        named = _is(person, [one for one in self.users if one.name != EVERY])
        return named or person.id in paired or self.owns(person) or ((everybody or held) and not person.bot)

    def takes(self, place: Place) -> bool:
        """Whether what is said in this place may be heard: direct messages always, others when they are named."""
        return place.kind == "person" or _there(place, self.channels)

    def owns(self, person: Person) -> bool:
        """Whether the person may give commands."""
        return _is(person, self.owners)

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
    try:
        servers = meant.named(table.get("servers", {}))
        lists = {name: _list(kind, table.get(name, []), name, servers) for name, kind in LISTS.items()}
    except ValueError as wrong:
        raise Misuse(f"{where}: {wrong}") from None
    return Rules(
        **lists,
        answer=_one_of(where, table, "answer", ANSWERS),
        agents=_one_of(where, table, "agents", AGENTS),
        pairing=pairing,
        attachments=attachments,
        routes=_routes(f"dotagent.toml, [[bridges.{name}.route]]", table.get("route", []), servers),
    )


def _routes(where: str, given: object, servers: Mapping[str, str]) -> tuple[Route, ...]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Misuse(f"{where}: routes are tables in double brackets")
    return tuple(_route(where, one, servers) for one in given)


def _route(where: str, given: Mapping[str, object], servers: Mapping[str, str]) -> Route:
    for name, value in given.items():
        if name not in ROUTED:
            raise Misuse(f"{where}: unknown setting {name!r}: settings are {', '.join(ROUTED)}")
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Misuse(f"{where}: {name} must be a text")
    said = {name: str(given.get(name, "")) for name in ROUTED}
    try:
        server = meant.server_of(said["server"], servers) if said["server"] else ""
        channel = meant.meant("channel", said["channel"], servers, server) if said["channel"] else None
        person = meant.meant("person", said["person"], servers) if said["person"] else None
    except ValueError as wrong:
        raise Misuse(f"{where}: {wrong}") from None
    route = Route(server, channel, person, said["room"], said["agent"], said["answer"])
    if route.answer not in ("", *ANSWERS):
        raise Misuse(f"{where}: answer must be one of {', '.join(ANSWERS)}")
    if route.room and not names.ROOM.fullmatch(route.room):
        raise Misuse(f"{where}: {route.room!r} cannot be a room: a name is a-z, 0-9, _ and -, at most 64")
    if route.agent and not PREFIX.fullmatch(route.agent):
        raise Misuse(f"{where}: {route.agent!r} is no agent's hash: 8 to 32 hex digits")
    if not route.weight:
        raise Misuse(f"{where}: for which server, channel or person is this route?")
    return route


def _list(kind: Kind, value: object, name: str, servers: Mapping[str, str]) -> tuple[Meant, ...]:
    if not isinstance(value, list) or any(isinstance(one, bool) or not isinstance(one, str | int) for one in value):
        raise ValueError(f'{name} must be a list of names or ids, e.g. {name} = ["@ana", "id:8123"]')
    try:
        return tuple(
            Meant(name=EVERY) if one == EVERY and name in EVERYBODY else meant.meant(kind, str(one), servers)
            for one in value
        )
    except ValueError as wrong:
        raise ValueError(f"{name}: {wrong}") from None


def _one_of(where: str, table: Mapping[str, object], name: str, words: tuple[str, ...]) -> str:
    value = table.get(name, words[0])
    if value not in words:
        raise Misuse(f"{where}: {name} must be one of {', '.join(words)}")
    return str(value)


def _is(person: Person, those: Collection[Meant]) -> bool:
    return any(one.means((person.id,), person.known) for one in those)  # never by a name that anybody may take


def _there(place: Place, those: Collection[Meant]) -> bool:
    return any(one.means((place.id, *place.ids), place.known, place.server) for one in those)


def check(settings: Settings) -> None:
    """Raise Misuse for a bridge's table in which something is wrong."""
    for name, table in settings.bridges.items():
        more = extensions.constants("bridges", name).get("SETTINGS", ())
        parse(name, table, more if isinstance(more, tuple) else ())
