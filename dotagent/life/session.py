"""An agent in this process: its store, and the state and context that are derived from its LIFE and blobs.

Only `record` adds an event: it writes a blob and a line in LIFE, and updates the state and the context. Only `swap`
changes earlier entries of the context. Owns `context.md`, which shows the context to people and is rewritten whenever
it differs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from dotagent.errors import Trouble
from dotagent.life import context, persona, prompt, replay, stops
from dotagent.life.context import Entry
from dotagent.life.event import Event
from dotagent.life.events import Alternate, Away, Clock, Document, Effect, Error, Faded, Result, Swap
from dotagent.life.fold import apply
from dotagent.life.origins import MADE
from dotagent.life.state import State, change
from dotagent.store import disk, home, requests
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.bootstrap import SOUL
from dotagent.store.call import Call, Outcome
from dotagent.store.home import Home, Settings
from dotagent.store.log import GIST, Line, Log
from dotagent.store.requests import Part
from dotagent.text import escape, reasoning, secrets, times, tokens
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import dataclass, replace

if TYPE_CHECKING:  # few agents are helpers, and many see no media
    from dotagent.store.helpers import Terms
    from dotagent.text.senses import Senses

AHEAD = 60.0  # seconds; if LIFE's times are further ahead of the clock, a CLOCK is recorded


class Leaving(Exception):
    """Raised when the process was asked to exit during an action. The next process completes an announced effect."""


def birth(store: Blobs, soul: str, audience: str) -> str:
    """Write the birth blob and return its id, the agent's id. It contains the first version of SOUL."""
    body = f"audience: {audience}\n\n{soul}".encode("utf-8", "replace")
    self_id = store.put(body, at=times.now(), gist=f"SOUL of a life, {audience}")
    store.sync()
    return self_id


class Stopped(Trouble):
    """A person stopped the turn during an action."""


@dataclass(frozen=True)
class Patience:
    """The waiting times of an agent, in seconds. They are set at the start, so that a test need not wait."""

    look: float = 1.0
    """Between two checks of pending calls."""
    untaken: float = 60.0
    """Until a live call that no provider takes counts as failed."""
    longest: float = 1800.0
    """Until a live call in progress, or a waiting background call, counts as failed."""
    stalled: float = 180.0
    """Until a background call in progress counts as failed."""
    unsigned: float = 2.0
    """For a user's program, between taking a call and signing it."""
    retry: float = 30.0
    """Until a retryable failure is tried again; the time doubles with each attempt."""
    retry_most: float = 900.0
    """The longest time until such an attempt."""
    still: float = 0.3
    """Until a room that changed elsewhere than at its end counts as completely saved."""
    unfinished: float = 2.0
    """The same for a room that is missing or shorter than before, and for a last line without its end."""
    held: float = 2.0
    """Between two tries to read a room that another program has locked."""
    run: float = 60.0
    """For a command."""
    pack: float = 40.0
    """For a tool pack to start, in addition to the time of a call in its manifest."""


class Session:
    """An agent that this process runs, with its LIFE open."""

    def __init__(self, home: Home, self_id: str, settings: Settings, opened: Log) -> None:
        self.home, self.id, self.store = home, self_id, home.store()
        self.terms = self._read_terms()
        self.settings = replace(settings, workspace=self.terms.workspace) if self.terms else settings
        self.provider, self.options = "", tuple[str, ...]()  # options of the command line that helpers inherit
        self.order: tuple[str, ...] = ()  # the providers to try in order
        self.chosen = False  # True if no one chose the provider: another may replace it
        self.route = ProviderRoute(self)
        self.patience = Patience()
        self.path = home.agent(self_id)
        self._limit = settings.context_limit
        self._log = opened
        view = replay.derive(home, self_id, self._limit)
        self.state, self.unread = view.state, view.unread
        self._head = (0.0, 0.0)  # the estimated tokens before its entries, of ASCII and of the rest
        self._said = ("", "")  # the last reply's id and text, a cache because each step needs them
        self.leaving = self.late = False  # late: its time limit is over
        self.anew = False  # whether to restart after exiting, because something must be forgotten
        self.listen: Callable[[Line], None] | None = None
        self.held_back: Callable[[Event, bytes], bytes] = lambda _, body: body  # an event's body, without removed text
        self.held_reply: Callable[[Outcome, Blob], tuple[Outcome, str]] = lambda outcome, reply: (outcome, reply.gist)
        self.ending: Callable[[], str] = str  # the text at the end of each live request; the next one omits it
        self.rewrote: list[tuple[str, str]] = []  # files that the agent changed without an effect: hashes before, after
        self.file = self.path / "context.md"
        self._context = -1
        self._size, self._rest = 0, 0.0  # estimated tokens of the entries: all, and outside ASCII
        self._sight: Senses | None = None  # the senses of the present model; None if nothing needs them
        self.shows = False  # whether an entry shows more than its text
        self.faded = 0  # the number of entries up to the last summary
        self._hold(list(view.entries))

    def _read_terms(self) -> Terms | None:
        """Return a helper's terms, otherwise None."""
        if not replay.born_for(self.store, self.id).startswith(MADE):
            return None
        from dotagent.store import helpers  # loaded only by an agent that another one created

        return helpers.terms(self.store, self.id)

    def record(self, event: Event, body: bytes | None = None, *, gist: str = "", id: str = "") -> Line:
        """Record an event: its body becomes a blob, LIFE gets a line, and the state and the context are updated.

        An event without a body may name an existing blob by its full `id`.
        """
        if body is not None:
            given, body = body, self.held_back(event, body)
            if not gist or body != given:
                gist = escape.one_line(reasoning.strip(secrets.masked(body[:4000].decode("utf-8", "replace"))))
            id = self.store.put(body, at=times.now(), gist=gist, parent=self._before(event), agent=self.id)
        line = self._log.append(event.WORD, event.detail(), id, escape.one_line(gist, GIST))
        if self.listen:
            self.listen(line)
        other = self.state.model.other
        self.state = apply(self.state, line)
        if self.state.model.other != other:
            self._weigh(self.entries)
        if isinstance(event, Alternate) or (isinstance(event, Document) and event.name in persona.HEAD):
            self._parent, self._parts, self._asked = "", 0, 0  # the next request starts with the new head
        read = self.store.body if body is None else lambda _: body  # it is in memory, so its blob need not be read
        found = context.entry(line, self.state.number + 1, read, self.share)
        if found:
            self.state = change(self.state, number=found.number)
            self.entries.append(held := found.weighed(self._sight, self.state.model.other))
            self._size, self._rest = self._size + held.tokens, self._rest + held.rest
            self.shows = self.shows or bool(found.media)
            disk.append(self._context, context.render(found), self.file)
        return line

    def _before(self, event: Event) -> str:
        """Return the parent of this event's blob: a result's reply, or a document's last version."""
        if isinstance(event, Result):
            return self.state.turn.reply
        if not isinstance(event, Document):
            return ""
        return self.state.heard.documents.get(event.name, self.id if event.name == SOUL else "")

    def announce(self, call: ToolCall, what: str) -> Effect:
        """Durably announce an effect that others can see. After a crash, `what` shows the tool whether it happened."""
        effect = Effect(call.name, escape.one_line(what, 1900))
        self.record(effect)
        self.sync()
        return effect

    def head(self, usage: str, schemas: str = "", state: State | None = None) -> list[Part]:
        """Return the head of the agent's prompts, for the present or another state."""
        first = persona.head(self.home, self.id, state or self.state, usage, self.settings)
        return [*([Part(requests.TOOLS, schemas)] if schemas else []), *first]

    def params(self, options: Mapping[str, object]) -> dict[str, object]:
        """Return the parameters of a request besides its messages."""
        upstream = {"upstream": self.state.model.upstream} if self.state.model.upstream else {}
        most = min(self._limit, self.state.model.most or self._limit)  # a server may reload a model with another size
        return {"window": tokens.window(most), **upstream, **({"options": options} if options else {})}

    @property
    def limit(self) -> int:
        """Return the size in tokens at which the context's entries begin to fade: what the setting or the model's
        smaller window leaves for them."""
        return replay.limit(self._limit, self.state)

    @property
    def share(self) -> int:
        """Return the most tokens of one entry's content, by the estimate without learned factors."""
        return replay.share(self._limit, self.state)

    @property
    def tokens(self) -> int:
        """Return the estimated tokens of the context, corrected by the provider's counts."""
        return int(self._size * self.state.model.ratio)

    @property
    def overfull(self) -> bool:
        """Return True if the oldest entries must fade at once, so that a prompt does not exceed the setting."""
        return self.tokens > tokens.OVERFULL * self.limit

    def swap(self, entries: list[Entry], event: Swap, state: State) -> None:
        """Replace the context and the state: write a blob that lists the entries, and one line in LIFE.

        Large entries are cut to the present share, as they will be when they are derived again.
        """
        from dotagent.life import snapshot  # loaded only for an agent that forgets

        entries = [self.fitted(entry) for entry in entries]
        data = snapshot.encode(state, entries)
        id = self.store.put(data, at=times.now(), gist="the new context", agent=self.id)
        self.store.sync()
        line = self._log.append(Swap.WORD, event.detail(), id, "the new context")
        self.sync()
        if self.listen:
            self.listen(line)
        self.state = state
        self._hold(entries, swapped=True)

    def _hold(self, entries: list[Entry], *, swapped: bool = False) -> None:
        """Use these entries as the context. No request contains them yet."""
        self._weigh(entries)
        self._asked = 0  # entries in the last request; _parent is its id, and _parts its number of parts
        self._parent, self._parts, self._told = "", 0, ("", "", "")
        self._show(swapped)

    def see(self, sight: Senses) -> None:
        """Set the senses of the present model, which change the size of media."""
        if sight != self._sight:
            self._sight = sight
            self._weigh(self.entries)

    def _weigh(self, entries: Sequence[Entry]) -> None:
        self.entries = [one.weighed(self._sight, self.state.model.other) for one in entries]
        self._size = context.tokens_of(self.entries)
        self._rest = sum(entry.rest for entry in self.entries)
        self.shows = any(one.media for one in self.entries)
        faded = (at for at in range(len(self.entries), 0, -1) if self.entries[at - 1].event == Faded.WORD)
        self.faded = next(faded, 0)  # only a swap adds summaries

    def fitted(self, entry: Entry) -> Entry:
        """Return the entry with its content cut to the present share."""
        if entry.content is None or entry.event == Faded.WORD:
            return entry  # a summary is complete, and its blob may not exist yet
        if entry.whole and tokens.fits(entry.content, self.share):
            return entry
        made = context.entry(entry.line, entry.number, self.store.body, self.share, stripped=entry.stripped)
        return replace(made, other=entry.other, weight=entry.weight) if made else entry

    def renew(self) -> None:
        """Derive the context again and start the next request without a parent, because a needed blob is lost."""
        self._hold(list(replay.derive(self.home, self.id, self._limit).entries))

    def keep(self, text: str, gist: str) -> str:
        """Write a text as a blob and return its id. This records no event."""
        return self.store.put(text.encode("utf-8", "replace"), at=times.now(), gist=gist, agent=self.id)

    def words(self, id: str) -> str:
        """Return a reply's text, or "" if its blob is lost, so that the model is asked again."""
        if self._said[0] != id:
            try:
                self._said = (id, self.store.body(id).decode("utf-8", "replace"))
            except (BlobMissing, BlobCorrupt) as lost:
                self._said = (id, "")
                self.record(Error(str(lost)))
        return self._said[1]

    def sync(self) -> None:
        """Make all events durable, first the blobs, then the lines that name them. Only then may others see effects."""
        self.store.sync()
        self._log.sync()

    def close(self) -> None:
        """Close context.md."""
        os.close(self._context)
        self._context = -1

    @property
    def owner(self) -> str:
        """Return the owner of the home, who is the author of untagged lines."""
        return home.owner(self.settings)

    def is_owner_alone(self, who: str) -> bool:
        """Return True if the owner wrote a message, and only the owner reads the answer. A similar name, or a name with
        a bridge, is another person."""
        return who == self.owner and self.state.audience == f"private {self.owner}"

    def check_leaving(self) -> None:
        """Raise Leaving if this process was asked to exit, and Stopped if a person stopped the present turn."""
        if self.leaving:
            raise Leaving
        turn = self.state.turn
        if (wish := stops.read(self.path)) and wish.room == turn.room and not turn.untold:
            raise Stopped(f"{wish.who} stopped this action before its end; a part of it may be done")

    def clock(self) -> None:
        """Record the true time if LIFE's times are ahead of it, because they never go back."""
        if times.ahead(self._log.next()) > AHEAD:
            now = times.now()
            self.record(Clock(times.to_second(now)), f"The true time is {times.format_stamp(now, 19)}.".encode())

    def next(self) -> str:
        """Return the time that the next event will have."""
        return self._log.next()

    def request(
        self,
        model: str,
        told: tuple[str, Callable[[], str]],
        instruction: str = "",
        options: Mapping[str, object] = MappingProxyType({}),
        most: int = 0,
    ) -> tuple[str, int, int, int]:
        """Write the blob of the next request. Return its id, its estimated tokens, and how many of them are before its
        entries, and how many outside ASCII. The blob contains only new parts, and names the request before it as its
        parent.

        The first request after a start or a swap has no parent. A request with an `instruction` is a fork: later
        requests do not continue it, and its answer may have `most` tokens. `told` is the usage text of the tools and
        a function that returns their native schemas; `options` are the model's options.
        """
        usage, schemas = told[0], told[1]() if options.get("calls") == "native" else ""
        headed = (usage, schemas, times.zone())
        if headed != self._told and not instruction:  # another provider, other tools, or another time zone
            self._parent, self._parts, self._asked, self._told = "", 0, 0, headed
        new = prompt.new_parts(self.entries, self._asked)
        if not self._parent:
            first = self.head(usage, schemas)
            sizes = [tokens.parts(part.text) for part in first]
            self._head = (sum(plain + 1 for plain, _ in sizes), sum(rest for _, rest in sizes))
            new = [*first, *new]
        end = "" if instruction else self.ending()
        last = instruction or end
        asked = [*new, *([Part("user", last)] if last else [])]
        params = self.params(options) | ({"most": most} if most else {}) | ({"ending": len(end)} if end else {})
        data = requests.encode(self.id, model, params, self._parent, self._parts, asked)
        gist = f"request, {len(self.entries)} entries"
        id = self.store.put(data, at=times.now(), gist=gist, parent=self._parent, agent=self.id, durable=False)
        if not instruction:
            self._parent, self._asked, self._parts = id, len(self.entries), self._parts + len(new)
        rest = self.state.model.other * self._head[1]
        fixed = int(self._head[0] + rest)
        size = self._size + fixed + tokens.estimate(last, self.state.model.other)
        return id, size, fixed, int(self._rest + rest)

    def _show(self, swapped: bool) -> None:
        """Write context.md from the context. A file with other content is set aside; an incomplete one is completed."""
        data = b"".join(context.render(entry) for entry in self.entries)
        there: bytes | None = None
        with suppress(OSError):
            there = disk.read(self.file, missing=b"")
        if there != data or swapped:
            if there is None or not (swapped or data.startswith(there)):
                self.file.rename(self.path / f"context.aside-{times.now().replace(':', '')}.md")
            disk.replace(self.file, data, durable=False)
        if self._context >= 0:
            os.close(self._context)
        self._context = disk.open_append(self.file)


class ProviderRoute:
    """The provider that answers an agent's requests: the one that was chosen at the start. A capability can let other
    providers answer in its place (`Capability.route`)."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def choose(self, *, live: bool) -> None:
        """Set the provider of the next request: `live` for one of the conversation."""

    def has_others(self, provider: str) -> bool:
        """Return True if another provider would get a call that this one does not answer."""
        return False

    def away(self, call: Call, outcome: Outcome) -> Away | None:
        """Return the event that passes a failed live call to the next provider, or None to let it fail."""

    def away_beside(self, call: Call, outcome: Outcome) -> Away | None:
        """Return the event that marks the provider of a failed background call as unavailable, or None."""

    def hints(self, last: str) -> str:
        """Return why none of the agent's providers answered."""
        return last

    def word(self, room: str, provider: str) -> str:
        """Return the message to the room that the provider is not the same as last time, or ""."""
        return ""

    def unavailable(self, before: str) -> str:
        """Return the message that the earlier provider is unavailable, or "" if it is in use."""
        return ""
