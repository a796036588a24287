"""Bridges: processes that carry messages between rooms and the world; one module here is one transport, found by its
file's name.

A transport knows its world and nothing of rooms, lives or the disk: it tells the inbox what came, and sends what it is
told to. Whatever is the same for all (order, once, allow-lists, lives, drafts) is in the package `pattern`, which is
shared and no transport. docs/bridges.md tells how to write one. It owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeGuard

from dotagent import extensions
from dotagent.errors import Misuse, Trouble


@dataclass(frozen=True)
class Place:
    """Where messages go: a direct message, a channel, a thread. It becomes one room, for ever by its `id`.

    `id` is all that sending needs after a restart (a Discord channel's id, `<chat>` or `<chat>:<topic>` on Telegram).
    `known` are the other ids and names by which settings may mean it: the channel's name, of a thread also its
    channel's id and name. `server` are the ids and names of what it is part of (a Discord server); none: nothing.
    """

    id: str
    kind: Literal["person", "group"]
    name: str
    known: tuple[str, ...] = ()
    server: tuple[str, ...] = ()


@dataclass(frozen=True)
class Person:
    """Who wrote: `id` never changes; `name` is what people there call them (the pattern makes it a name for rooms, and
    keeps it to this id). `known` are names by which settings may mean them: only such as nobody else can take (a
    username), never a display name. `roles` are ids and names of roles that they have in the place."""

    id: str
    name: str
    known: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    bot: bool = False


@dataclass(frozen=True)
class Attachment:
    """A file that came with a message: `handle` is what `Transport.fetch` needs (an address, a file's id); `size` in
    bytes, -1 when it is not known before."""

    name: str
    handle: str
    size: int = -1


@dataclass(frozen=True)
class Incoming:
    """What came from the world: a message, or the edit or deletion of one that came before.

    `order` grows from message to message of a place, and is the same whenever the message is told of again (a Discord
    snowflake, Telegram's message_id): the pattern knows by it what it has. `id` names the message there. `at` is when
    it was written (of an edit: edited), ISO in UTC, to the second or finer. `text` is readable: mentions are names.

    `addressed`: it mentions the bot or replies to it; a direct message always does. `answers`: the words of the message
    it replies to, if any. `revision` tells two edits of one message apart (the time of the edit); of a deletion `text`
    is empty, and `person` may be None when nobody knows who wrote it.
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
class Part:
    """A message to be sent, at most Limits.size in Limits.units.

    `key` is its idempotency key: 24 hex digits, the same at every try, different for every part ever sent. `answers`
    is the id of the message it replies to, empty for none (all parts but the first).
    """

    text: str
    key: str
    answers: str = ""


@dataclass(frozen=True)
class Sent:
    """An own message as it is there: its id, its text as the transport gives it back (as `Part.text` was)."""

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


class Undone(Exception):
    """A sending that certainly did not happen and may later: refused by a rate limit, or not connected. `after` is how
    many seconds to wait, None where the transport does not say."""

    def __init__(self, hint: str, after: float | None = None) -> None:
        super().__init__(hint)
        self.hint = hint
        self.after = after


class Unsure(Exception):
    """A sending that may have happened or not (the connection broke after the request went out): it is looked for by
    `recent` before it is tried again."""


class Refused(Exception):
    """What will not happen, however often it is tried: a permission is missing, the person blocks the bot. Its words
    are told to the owner, and never hold a credential."""


class Gone(Exception):
    """The message that should be edited or deleted, or the attachment to be fetched, is not there any more."""


class Inbox(Protocol):
    """What the pattern gives to a running transport. All of it is called on the event loop's thread."""

    async def hear(self, message: Incoming) -> bool:
        """Tell of a message. Returns once it is durable in its room (True), or was known, not for us or not allowed
        (False); only then may the transport acknowledge it to its server.

        Order is the order of calls (of tasks: of their start) within a place. The transport leaves out the bot's own
        messages. While `connected` reads the gap, what is told waits, and comes in after it, once.
        """

    async def connected(self) -> None:
        """The transport is connected (again), and not everything that was missed is told by itself: read each place's
        gap by `history`. Between `lost` and this what is told waits. A transport without history calls it, too."""

    def lost(self, why: str) -> None:
        """The connection is lost; the transport is trying to have it back."""

    async def command(self, word: str, person: Person, place: Place | None) -> str:
        """Do what a slash command asks (a key of COMMANDS) and return the words to show to that person only. It checks
        that the person is an owner."""

    def log(self, text: str) -> None:
        """A line for the owner in the bridge's log, e.g. about something odd; never with a credential."""

    def newest(self, place: str = "") -> int:
        """The highest order that was taken in the place with this id, or anywhere; 0: nothing ever was. Where orders
        are one clock a transport can tell by it what was missed in places that nobody was heard in yet."""

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
    """One connection to one world. Its methods run on one event loop, several at once for different places; for one
    place sends, edits and deletions come one after the other. Each may raise Undone, Unsure, Refused and Gone."""

    async def run(self, inbox: Inbox) -> None:
        """Connect, tell the inbox what comes, reconnect for ever. Ends only by cancellation (then it closes what it
        holds), or by Trouble when a person must do something first: a token that is refused, a missing intent."""

    async def send(self, place: Place, part: Part) -> str:
        """Send a message and return its id there. Nothing in it pings everyone or a role."""

    async def edit(self, place: Place, id: str, text: str) -> None:
        """Let an own message have this text; doing it again changes nothing."""

    async def delete(self, place: Place, id: str) -> None:
        """Remove an own message."""

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written, once; it ends by itself after a little more than Limits.typing."""

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        """The oldest `most` messages of others whose order is above `after`, oldest first; `after` 0: the beginning.
        Fewer than `most` means that there are no more. Not asked where Limits.history is false."""

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        """The last `most` own messages there, oldest first. Not asked where Limits.recent is false."""

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """The attachment's bytes. Raises Refused when it proves to be larger than `most` bytes."""

    def outgoing(self, place: Place, text: str) -> str:
        """What an agent said as it shall be sent there: `@ana` made a mention, and so on. Called before splitting."""


@dataclass(frozen=True)
class Config:
    """How to reach one world."""

    token: str = field(repr=False)
    """The value of the first of the module's TOKENS that is set; empty when none is."""
    base: str
    """The address of its API, without a slash at its end: <NAME>_API_BASE, else the setting `base`, else BASE."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """The bridge's table in dotagent.toml, whole."""


class Bridge(Protocol):
    """What a transport's module holds. Its docstring's first line is the help of `python -m dotagent <name>`."""

    @property
    def TOKENS(self) -> tuple[str, ...]:
        """Environment variables that may hold the credential; the first is the one to name to a person."""

    @property
    def BASE(self) -> str:
        """The default address of its API; empty where its library knows it."""

    @property
    def LIMITS(self) -> Limits:
        """What it can do."""

    @property
    def SETTINGS(self) -> tuple[str, ...]:
        """Names in its table of dotagent.toml beside those that every bridge knows (pattern/rules.py)."""

    def open(self, config: Config) -> Transport:
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
    if not _complete(module):
        raise Trouble(f"the bridge {name} lacks one of {', '.join(_PARTS)} in {module.__file__}")
    return module


_PARTS = ("TOKENS", "BASE", "LIMITS", "SETTINGS", "open")


def _complete(module: object) -> TypeGuard[Bridge]:
    return all(hasattr(module, part) for part in _PARTS)
