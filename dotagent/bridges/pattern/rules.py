"""The common settings of bridges: who may write and where, what starts a turn, and which room and agent are used.

They are read once from the bridge's table in dotagent.toml. An error is one line with its place. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dotagent import extensions
from dotagent.bridges import Person, Place
from dotagent.bridges.pattern import targets
from dotagent.bridges.pattern.targets import EVERY, Kind, Meant
from dotagent.errors import Misuse
from dotagent.store.home import Settings
from dotagent.text import names
from dotagent.text.lazy import dataclass
from dotagent.text.reference import PREFIX

ATTACHMENTS = 8_000_000  # bytes of one attachment
ANSWERS = ("mentioned", "always")
AGENTS = ("boot", "resume", "none")
LISTS: Mapping[str, Kind] = {"users": "person", "roles": "role", "channels": "channel", "owners": "person"}
EVERYBODY = ("users", "channels")  # lists that may be open to all
KNOWN = (*LISTS, "servers", "answer", "agents", "pairing", "attachments", "base", "route")
ROUTED = ("server", "channel", "person", "room", "agent", "answer")


@dataclass(frozen=True)
class Route:
    """Settings for a server, a channel or a person's direct messages. Empty conditions match everything; other empty
    fields change nothing."""

    server: str = ""  # its id
    channel: Meant | None = None
    person: Meant | None = None
    room: str = ""
    agent: str = ""
    answer: str = ""

    @property
    def weight(self) -> int:
        """Return how specific it is: a person before a channel before a server."""
        return 4 * bool(self.person) + 2 * bool(self.channel) + bool(self.server)

    def means(self, place: Place, person: Person | None) -> bool:
        """Return True if it applies in this place: to direct messages by person, to others by channel and server."""
        if self.person and (place.kind != "person" or person is None or not _is(person, (self.person,))):
            return False
        if self.channel and (place.kind == "person" or not _is_meant(place, (self.channel,))):
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
        """Return True if the person may write. A bot must be named itself."""
        everybody = any(one.name == EVERY for one in self.users)
        held = any(one.means((role.id,), (role.name,), role.server) for one in self.roles for role in person.roles)
        named = _is(person, [one for one in self.users if one.name != EVERY])
        return named or person.id in paired or self.owns(person) or ((everybody or held) and not person.bot)

    def takes(self, place: Place) -> bool:
        """Return True if messages of this place are accepted: direct messages always, others if named."""
        return place.kind == "person" or _is_meant(place, self.channels)

    def owns(self, person: Person) -> bool:
        """Return True if the person may give commands."""
        return _is(person, self.owners)

    def route(self, place: Place, person: Person | None) -> Route:
        """Return the most specific route for the place (the first of equals), or an empty one."""
        found = [route for route in self.routes if route.means(place, person)]
        return max(found, key=lambda route: route.weight) if found else Route()

    def wakes(self, place: Place, addressed: bool) -> bool:
        """Return True if a message there starts a turn."""
        return place.kind == "person" or addressed or (self.route(place, None).answer or self.answer) == "always"


def parse(name: str, table: Mapping[str, object], more: Collection[str] = ()) -> Rules:
    """Parse a bridge's table, in which `more` are the transport's own settings. Raises Misuse."""
    where = f"dotagent.toml, [bridges.{name}]"
    for given in table:
        if given not in KNOWN and given not in more:
            raise Misuse(f"{where}: unknown setting {given!r}; the settings are {', '.join((*KNOWN, *more))}")
    attachments = table.get("attachments", ATTACHMENTS)
    if type(attachments) is not int or attachments < 0:
        raise Misuse(f"{where}: attachments must be a number of bytes, or 0 to refuse attachments")
    pairing = table.get("pairing", True)
    if not isinstance(pairing, bool):
        raise Misuse(f"{where}: pairing must be true or false")
    try:
        servers = targets.server_ids(table.get("servers", {}))
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
        raise Misuse(f"{where}: each route must be a table of its own, with this heading in double brackets")
    return tuple(_route(where, one, servers) for one in given)


def _route(where: str, given: Mapping[str, object], servers: Mapping[str, str]) -> Route:
    for name, value in given.items():
        if name not in ROUTED:
            raise Misuse(f"{where}: unknown setting {name!r}; the settings are {', '.join(ROUTED)}")
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Misuse(f"{where}: {name} must be a text in quotation marks")
    said = {name: str(given.get(name, "")) for name in ROUTED}
    try:
        server = targets.server_of(said["server"], servers) if said["server"] else ""
        channel = targets.parse_target("channel", said["channel"], servers, server) if said["channel"] else None
        person = targets.parse_target("person", said["person"], servers) if said["person"] else None
    except ValueError as wrong:
        raise Misuse(f"{where}: {wrong}") from None
    route = Route(server, channel, person, said["room"], said["agent"], said["answer"])
    if route.answer not in ("", *ANSWERS):
        raise Misuse(f"{where}: answer must be one of {', '.join(ANSWERS)}")
    if route.room and not names.ROOM.fullmatch(route.room):
        raise Misuse(
            f"{where}: {route.room!r} cannot be the name of a room; use at most 64 characters of a-z, 0-9, _ and -"
        )
    if route.agent and not PREFIX.fullmatch(route.agent):
        raise Misuse(f"{where}: {route.agent!r} is not an agent's id, which has 8 to 32 hex digits")
    if not route.weight:
        raise Misuse(f"{where}: this route has no `server`, `channel` or `person`; add at least one of them")
    return route


def _list(kind: Kind, value: object, name: str, servers: Mapping[str, str]) -> tuple[Meant, ...]:
    if not isinstance(value, list) or any(isinstance(one, bool) or not isinstance(one, str | int) for one in value):
        raise ValueError(f'{name} must be a list of names or ids, e.g. {name} = ["@ana", "id:8123"]')
    try:
        return tuple(
            Meant(name=EVERY) if one == EVERY and name in EVERYBODY else targets.parse_target(kind, str(one), servers)
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
    return any(one.means((person.id,), person.known) for one in those)  # never by a name that anyone may take


def _is_meant(place: Place, those: Collection[Meant]) -> bool:
    return any(one.means((place.id, *place.ids), place.known, place.server) for one in those)


def check(settings: Settings) -> None:
    """Raise Misuse for an invalid table of a bridge."""
    for name, table in settings.bridges.items():
        more = extensions.constants("bridges", name).get("SETTINGS", ())
        parse(name, table, more if isinstance(more, tuple) else ())
