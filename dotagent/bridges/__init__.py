"""Bridges carry messages between rooms and chat networks such as Discord.

Each module here is one transport, named after its file. A transport knows its network, but nothing about rooms, agents
or the disk: it passes incoming messages to a Listener, and sends what it is asked to send. docs/bridges.md explains how
to write one. The package `pattern` contains everything that bridges share. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from dotagent import extensions, packages
from dotagent.errors import Misuse, Trouble
from dotagent.text.lazy import dataclass, field, fields

LONGEST, MANY, MOST = 1 << 16, 256, 2**63 - 1  # characters of an outside text, items of a list, the largest number
TYPES: Mapping[str, type] = {"str": str, "int": int, "bool": bool}
PATIENCE = 900.0  # the most seconds that a network can ask to wait


class Odd(ValueError):
    """Raised for incoming data in a form that its network does not define."""


@dataclass(frozen=True)
class Outside:
    """A type made of outside values. Values of a wrong type or an excessive size raise Odd."""

    def __post_init__(self) -> None:
        for one in fields(self):
            kind, value = str(one.type), getattr(self, one.name)
            items = value if kind.startswith("tuple[") and isinstance(value, tuple) else (value,)
            want = TYPES.get(kind.removeprefix("tuple[").removesuffix(", ...]"), object)
            if len(items) > MANY or not all(_fits(item, want) for item in items):
                raise Odd(f"the chat network sent a {type(self).__name__.lower()} with an invalid {one.name}")


def _fits(value: object, want: type) -> bool:
    small = len(value) <= LONGEST if isinstance(value, str) else not isinstance(value, int) or abs(value) <= MOST
    return small and want in (object, type(value))


@dataclass(frozen=True)
class Place(Outside):
    """The place of messages: a direct message, a channel or a thread. Its `id` permanently determines its room.

    Sending needs only the `id`, even after a restart (a Discord channel's id, `<chat>:<topic>` on Telegram). `name` is
    for people. Settings refer to a place by its id, by `ids` (for a thread, its channel's), or by `known`: names that
    only managers of `server`, the Discord server's id, can assign.
    """

    id: str
    kind: Literal["person", "group"]
    name: str
    known: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    server: str = ""


@dataclass(frozen=True)
class Role(Outside):
    """A person's role in the server with this id."""

    id: str
    name: str
    server: str


@dataclass(frozen=True)
class Person(Outside):
    """The author. `id` never changes. `name` is what people there call the author, and the base of the name in rooms.

    Settings refer to a person by `id` or `known`: unique usernames. `roles` are the person's roles in the place.
    """

    id: str
    name: str
    known: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    bot: bool = False


@dataclass(frozen=True)
class Attachment(Outside):
    """A file of a message. `Transport.fetch` needs its `handle`. A `size` of -1 is unknown.

    `name` is the file's name or empty; `kind` is the network's word for such a file.
    """

    name: str
    handle: str
    size: int = -1
    kind: str = ""


@dataclass(frozen=True)
class Incoming(Outside):
    """An incoming message, or the edit or deletion of an earlier one.

    - `order` grows from message to message of a place, and stays the same if the message is reported again (a Discord
      snowflake, Telegram's message_id), so that new messages are recognised. `id` identifies the message there.
    - `at` is when it was written or edited, ISO in UTC. In `text`, mentions are names; a deletion has no text.
    - `addressed`: it mentions the bot or replies to it, or it is a direct message.
    - `text` is only what this person wrote. `quoted` contains the rest in marked lines (pattern/marks.py).
    - `answers` is the text of the message that it replies to, or the part that the person marked. `answered` is the
      author of that message; `answered_by` says whether that is the bot or this person.
    - `revision` is the time of an edit.
    - `person` may be None for a deletion, because some networks do not report the author.
    """

    place: Place
    person: Person | None
    id: str
    order: int
    at: str
    text: str = ""
    kind: Literal["new", "edited", "deleted"] = "new"
    addressed: bool = False
    answers: str = ""
    attachments: tuple[Attachment, ...] = ()
    revision: str = ""
    quoted: str = ""
    answered: str = ""
    answered_by: Literal["other", "bot", "person"] = "other"


@dataclass(frozen=True)
class Piece:
    """A message to send: an answer or a part of one, at most Limits.size long.

    `key` is 24 hex digits, the same for each attempt at this piece and unique to it. `answers` is the id of the message
    that it replies to, or empty.
    """

    text: str
    key: str
    answers: str = ""


@dataclass(frozen=True)
class Sent:
    """One of the bot's messages: its id, and its text in the transport's form (as `Piece.text` was)."""

    id: str
    text: str


@dataclass(frozen=True)
class Limits:
    """The abilities of a transport, in its own units."""

    size: int
    """The longest message, in `units`."""
    units: Callable[[str], int] = len
    """Returns the length of a text in the transport's units."""
    edits: float = 0.0
    """Seconds between two edits in one place that its rate limits always allow. 0: it cannot edit, so there are no
    drafts."""
    typing: float = 0.0
    """Seconds after which the typing indicator must be repeated. 0: there is none."""
    history: bool = True
    """Whether `history` can read missed messages. If not, the server must repeat unacknowledged messages."""
    recent: bool = True
    """Whether `recent` can read the bot's own messages. If not, a message whose sending was interrupted is sent
    again."""


class Failed(Exception):
    """The failure of a transport's action: one of the four below. Its text is for the owner, and never contains a
    credential. `after` is how many seconds the network asks to wait, at most PATIENCE, or None."""

    def __init__(self, why: str = "", after: float | None = None) -> None:
        super().__init__(why)
        self.after = min(after, PATIENCE) if after is not None and 0 <= after < float("inf") else None


class Undone(Failed):
    """It did not happen, but may later: a rate limit, or no connection."""


class Unsure(Failed):
    """It may have happened: the connection broke after the request was sent. `recent` is searched before a message is
    sent again."""


class Refused(Failed):
    """It will never happen: a permission is missing, or the person blocks the bot."""


class Gone(Failed):
    """The message to be edited or deleted, or the attachment to be fetched, no longer exists."""


class Listener(Protocol):
    """The receiver of a transport's events. All methods are called on the event loop's thread."""

    async def hear(self, message: Incoming) -> bool:
        """Accept a message that is not the bot's own. Return True once it is durable, or False if it was known already
        or is not allowed. Only then may the transport acknowledge it to its server.

        Messages of a place are ordered by the calls (for tasks: by their start). Messages reported while the gap after
        `connected` is being read wait, and are added once.
        """

    async def connected(self) -> None:
        """Report a new connection. Each place's gap is read by `history`, if available. Messages reported between
        `lost` and this call wait."""

    def lost(self, why: str) -> None:
        """Report that the connection is lost and that the transport tries to restore it."""

    async def command(self, word: str, person: Person, place: Place | None) -> str:
        """Run a slash command (a key of COMMANDS) if the person is an owner. Return the text to show to that person
        only."""

    def log(self, text: str) -> None:
        """Write a line for the owner to the bridge's log, never with a credential."""

    def moved(self, old: str, new: str) -> None:
        """Report that the network gave a place another id. To the listener the place keeps the old one."""

    def newest(self, place: str = "") -> int:
        """Return the highest order taken in the place with this id, or in any place; 0 if there is none."""

    @property
    def people(self) -> Mapping[str, str]:
        """Return the names in rooms of all accepted people (`discord/ana`) by their ids. They survive a restart."""


COMMANDS: Mapping[str, str] = {
    "status": "show the state of the bridge and the agent",
    "pause": "stop passing messages on, until /resume",
    "resume": "pass messages on again, also those sent during the pause",
    "stop": "stop what the agent is doing for this room",
}
"""The owner's slash commands, with their effects."""


class Transport(Protocol):
    """A connection to one network. Actions in one place are sequential; different places are independent. Each method
    except `run` and `outgoing` may raise Undone, Unsure, Refused and Gone."""

    async def run(self, listener: Listener) -> None:
        """Connect, pass events to the listener, and reconnect without limit. It ends only when cancelled, or with
        Trouble if a person must act first: the token is refused, or an intent is missing."""

    async def send(self, place: Place, piece: Piece) -> str:
        """Send a message and return its id there. It never pings everyone or a role."""

    async def edit(self, place: Place, id: str, text: str) -> None:
        """Replace the text of one of the bot's messages. Repeating this has no effect."""

    async def delete(self, place: Place, id: str) -> None:
        """Remove one of the bot's messages."""

    async def typing(self, place: Place) -> None:
        """Show the typing indicator once. It ends by itself, shortly after Limits.typing."""

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        """Return the oldest `most` messages of others with an order above `after`, oldest first. Fewer than `most`
        means that there are no more. Not called if Limits.history is False."""

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        """Return the last `most` messages of the bot there, oldest first. Not called if Limits.recent is False."""

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Return the attachment's bytes. Raises Refused if it has more than `most` bytes."""

    def outgoing(self, place: Place, text: str) -> str:
        """Convert an agent's text to the network's form: `@ana` becomes a mention, and so on. Called before
        splitting."""


@dataclass(frozen=True)
class Access:
    """How to reach one network."""

    token: str = field(repr=False)
    """The value of the first of the module's TOKENS that is set, or ""."""
    base: str
    """The address of its API, without a final slash: <NAME>_API_BASE, otherwise the setting `base`, otherwise BASE."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """The bridge's whole table in dotagent.toml."""
    moved: dict[str, str] = field(default_factory=dict)
    """The new id of each place that moved, by its old id, as `Listener.moved` reported it before a restart."""


@runtime_checkable
class Bridge(Protocol):
    """The contents of a transport's module. Its docstring's first line is the help of `python -m dotagent <name>`."""

    TOKENS: tuple[str, ...]
    """Environment variables that may contain the credential. Their names begin with the bridge's; hints name the
    first."""
    BASE: str
    """The default address of its API, or "" if its library knows it."""
    LIMITS: Limits
    """Its abilities."""
    SETTINGS: tuple[str, ...]
    """Settings in its table of dotagent.toml in addition to those of every bridge (pattern/rules.py)."""

    def open(self, config: Access) -> Transport:
        """Create the transport, which connects in `run`. Raises Misuse for an invalid setting or token."""


def load(name: str) -> Bridge:
    """Return the transport's module. Raises Misuse if it or a package is missing, Trouble if it is incomplete."""
    if name not in extensions.names("bridges"):
        raise Misuse(f"there is no bridge {name!r}; the bridges are {', '.join(extensions.names('bridges')) or 'none'}")
    try:
        module = extensions.load("bridges", name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("dotagent"):
            raise
        if extensions.is_added("bridges", name):
            raise Misuse(
                f"the bridge {name} needs the Python module {missing.name}; install this module, then start "
                "the bridge again"
            ) from None
        raise Misuse(packages.lacks(missing, name)) from None
    if not isinstance(module, Bridge):
        raise Trouble(
            f"{module.__file__} must define TOKENS, BASE, LIMITS, SETTINGS and open, but one of these is missing"
        )
    return module
