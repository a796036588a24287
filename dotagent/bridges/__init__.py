"""Bridges carry messages between rooms and the world. Each module here is one transport, found by its file's name.

A transport knows its world, and nothing of rooms, lives or the disk: it tells a Listener what came, and sends what it
is told to; docs/bridges.md tells how to write one. What is the same for all is the package `pattern`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal, Protocol, runtime_checkable

from dotagent import extensions
from dotagent.errors import Misuse, Trouble

LONGEST, MANY, MOST = 1 << 16, 256, 2**63 - 1  # characters of a text from outside, items of a list, the largest number
TYPES: Mapping[str, type] = {"str": str, "int": int, "bool": bool}
PATIENCE = 900.0  # seconds that a world may tell to wait, at most


class Odd(ValueError):
    """What came is of no form that its world has."""


@dataclass(frozen=True)
class Outside:
    """What is made of words from outside: values of another type, or without measure, raise Odd instead."""

    def __post_init__(self) -> None:
        for one in fields(self):
            kind, value = str(one.type), getattr(self, one.name)
            items = value if kind.startswith("tuple[") and isinstance(value, tuple) else (value,)
            want = TYPES.get(kind.removeprefix("tuple[").removesuffix(", ...]"), object)
            if len(items) > MANY or not all(_fits(item, want) for item in items):
                raise Odd(f"what came is no {one.name} of a {type(self).__name__.lower()}")


def _fits(value: object, want: type) -> bool:
    small = len(value) <= LONGEST if isinstance(value, str) else not isinstance(value, int) or abs(value) <= MOST
    return small and want in (object, type(value))


@dataclass(frozen=True)
class Place(Outside):
    """Where messages go: a direct message, a channel, a thread. Its `id` gives it one room, for ever.

    Sending needs only the `id`, also after a restart (a Discord channel's id, `<chat>:<topic>` on Telegram). `name` is
    for people to read. Settings mean the place by its id, by `ids` (of a thread its channel's) and by what is in
    `known`: names that nobody can take who does not manage `server`, the id of the Discord server that it is part of.
    """

    id: str
    kind: Literal["person", "group"]
    name: str
    known: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    server: str = ""


@dataclass(frozen=True)
class Role(Outside):
    """What somebody is in the server with this id."""

    id: str
    name: str
    server: str


@dataclass(frozen=True)
class Person(Outside):
    """Who wrote. `id` never changes; `name` is what people there call them, of which their name in rooms is made.

    Settings mean them by `id` and `known`: usernames, which nobody else can take. `roles` are theirs in the place.
    """

    id: str
    name: str
    known: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    bot: bool = False


@dataclass(frozen=True)
class Attachment(Outside):
    """A file that came with a message. `Transport.fetch` needs its `handle`; a `size` of -1 is not known yet."""

    name: str
    handle: str
    size: int = -1


@dataclass(frozen=True)
class Incoming(Outside):
    """What came from the world: a message, or the edit or deletion of one that came before.

    - `order` grows from message to message of a place, and is the same whenever the message is told of again (a
      Discord snowflake, Telegram's message_id): so it is known what is new. `id` names the message there.
    - `at` is when it was written or edited, ISO in UTC. In `text` mentions are names; a deletion has no text.
    - `addressed`: it mentions the bot or replies to it, or it is a direct message.
    - `answers` are the words of the message that it replies to. `revision` is the time of an edit.
    - `person` may be None for a deletion: some worlds do not tell whose message it was.
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


@dataclass(frozen=True)
class Piece:
    """A message to be sent: an answer, or a part of a long one. It is at most Limits.size long.

    `key` is 24 hex digits, the same at every try of this piece, and no other piece has it. `answers` is the id of the
    message that it replies to, or empty.
    """

    text: str
    key: str
    answers: str = ""


@dataclass(frozen=True)
class Sent:
    """An own message as it is there: its id, its text as the transport gives it back (as `Piece.text` was)."""

    id: str
    text: str


@dataclass(frozen=True)
class Limits:
    """What a transport can do; each in its own counting."""

    size: int
    """How long one message may be, in `units`."""
    units: Callable[[str], int] = len
    """How long a text is, as the transport counts."""
    edits: float = 0.0
    """Seconds between two edits in one place that its rate limits allow for ever; 0: it cannot edit, so no drafts."""
    typing: float = 0.0
    """Seconds after which its sign of typing must be given again; 0: it has none."""
    history: bool = True
    """Whether `history` can read what was missed. If not, the server must tell again what was not acknowledged."""
    recent: bool = True
    """Whether `recent` can read own messages back. If not, a message whose sending was interrupted is sent again."""


class Failed(Exception):
    """What a transport could not do: one of the four below. Its words are for the owner, and never hold a credential.
    `after` is how many seconds the world says to wait, PATIENCE at most; None: it does not say."""

    def __init__(self, why: str = "", after: float | None = None) -> None:
        super().__init__(why)
        self.after = min(after, PATIENCE) if after is not None and 0 <= after < float("inf") else None


class Undone(Failed):
    """It did not happen, and may later: a rate limit, or no connection."""


class Unsure(Failed):
    """It may have happened: the connection broke after the request went out. A message is looked for by `recent`
    before it is sent again."""


class Refused(Failed):
    """It will never happen, however often it is tried: a permission is missing, the person blocks the bot."""


class Gone(Failed):
    """The message that should be edited or deleted, or the attachment to be fetched, is not there any more."""


class Listener(Protocol):
    """Whom a running transport tells what happens. All of it is called on the event loop's thread."""

    async def hear(self, message: Incoming) -> bool:
        """Tell of a message; of the bot's own the transport tells nothing. Returns True once the message is durable,
        False when it was known already or is not let in. Only then may the transport acknowledge it to its server.

        Messages of a place come in by the order of the calls (of tasks: of their start). What is told while the gap
        is read, after `connected`, waits, and comes in once.
        """

    async def connected(self) -> None:
        """There is a connection (again): each place's gap is read by `history`, where there is one. What is told
        between `lost` and this waits."""

    def lost(self, why: str) -> None:
        """The connection is lost; the transport is trying to have it back."""

    async def command(self, word: str, person: Person, place: Place | None) -> str:
        """Do what a slash command (a key of COMMANDS) asks, if the person is an owner. Returns the words to show to
        that person only."""

    def log(self, text: str) -> None:
        """A line for the owner in the bridge's log; never with a credential."""

    def newest(self, place: str = "") -> int:
        """The highest order that was taken in the place with this id, or anywhere; 0 when nothing ever was."""

    @property
    def people(self) -> Mapping[str, str]:
        """The names in rooms of all who were let in so far (`discord/ana`), by their ids; the same after a restart."""


COMMANDS: Mapping[str, str] = {
    "status": "what the bridge and the agent here are doing",
    "pause": "hear nothing until /resume",
    "resume": "go on, with what was said meanwhile",
    "stop": "cancel the answer that is being written here",
}
"""The owner's slash commands, and what each does."""


class Transport(Protocol):
    """One connection to one world. Sends, edits and deletions in one place come one after the other; different places
    are served at once. Each method but `run` and `outgoing` may raise Undone, Unsure, Refused and Gone."""

    async def run(self, listener: Listener) -> None:
        """Connect, tell the listener what comes, reconnect for ever. It ends only when it is cancelled, or by Trouble
        when a person must do something first: the token is refused, an intent is missing."""

    async def send(self, place: Place, piece: Piece) -> str:
        """Send a message and return its id there. Nothing in it pings everyone or a role."""

    async def edit(self, place: Place, id: str, text: str) -> None:
        """Let an own message have this text; doing it again changes nothing."""

    async def delete(self, place: Place, id: str) -> None:
        """Remove an own message."""

    async def typing(self, place: Place) -> None:
        """Show once that an answer is being written; the sign ends by itself, a little after Limits.typing."""

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        """The oldest `most` messages of others with an order above `after`, oldest first. Fewer than `most` means
        that there are no more. Not asked where Limits.history is false."""

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        """The last `most` own messages there, oldest first. Not asked where Limits.recent is false."""

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """The attachment's bytes. Raises Refused when it proves to be larger than `most` bytes."""

    def outgoing(self, place: Place, text: str) -> str:
        """What an agent said as it shall be sent there: `@ana` made a mention, and so on. Called before splitting."""


@dataclass(frozen=True)
class Access:
    """How to reach one world."""

    token: str = field(repr=False)
    """The value of the first of the module's TOKENS that is set; empty when none is."""
    base: str
    """The address of its API, without a slash at its end: <NAME>_API_BASE, else the setting `base`, else BASE."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """The bridge's table in dotagent.toml, whole."""


@runtime_checkable
class Bridge(Protocol):
    """What a transport's module holds. Its docstring's first line is the help of `python -m dotagent <name>`."""

    TOKENS: tuple[str, ...]
    """Environment variables that may hold the credential, under names that begin with the bridge's; the first is the
    one to name to a person."""
    BASE: str
    """The default address of its API; empty where its library knows it."""
    LIMITS: Limits
    """What it can do."""
    SETTINGS: tuple[str, ...]
    """Names in its table of dotagent.toml beside those that every bridge knows (pattern/rules.py)."""

    def open(self, config: Access) -> Transport:
        """Make the transport; it connects in `run`. Raises Misuse for a setting or a token that cannot be right."""


def load(name: str) -> Bridge:
    """The transport's module. Raises Misuse for a name that has none, Trouble for one that lacks something."""
    if name not in extensions.names("bridges"):
        raise Misuse(f"there is no bridge {name!r}; there are {', '.join(extensions.names('bridges')) or 'none'}")
    try:
        module = extensions.load("bridges", name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("dotagent"):
            raise
        raise Trouble(f"{name} needs {missing.name}: pip install -r requirements.txt") from None
    if not isinstance(module, Bridge):
        raise Trouble(f"{module.__file__} lacks one of TOKENS, BASE, LIMITS, SETTINGS and open")
    return module
