"""A life in this process: its store, and the state and context that are derived from its LIFE and blobs.

`record` is the one way in which anything happens to a life: a blob, a line in LIFE, and what follows from them; `swap`
is the one way in which its context becomes another. Owns `context.md`, which shows the context to people and is made
again whenever it differs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from dotagent.life import context, persona, prompt, snapshot, turns
from dotagent.life.context import Entry
from dotagent.life.event import Event
from dotagent.life.events import Alternate, Clock, Document, Effect, Error, Faded, Result, Swap
from dotagent.life.fold import after
from dotagent.life.patience import Patience
from dotagent.life.replay import derive, share, size
from dotagent.life.state import State, change
from dotagent.store import disk, home, requests, spawned
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.bootstrap import SOUL
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line, Log
from dotagent.store.requests import Part
from dotagent.text import escape, reasoning, secrets, times, tokens
from dotagent.text.grammar import ToolCall
from dotagent.text.media import Senses

AHEAD = 60.0  # seconds that LIFE's times may be ahead of the clock without a word
OVERFULL = 1.4  # times the limit: here the oldest fade at once


class Leaving(Exception):
    """The process was asked to end in the middle of something: what LIFE announces, the next one settles."""


def birth(store: Blobs, soul: str, audience: str) -> str:
    """Make the birth blob; its id is the new self. Its SOUL is the first version, and the one that stays in the id."""
    body = f"audience: {audience}\n\n{soul}".encode("utf-8", "replace")
    self_id = store.put(body, at=times.now(), gist=f"SOUL of a life, {audience}")
    store.sync()
    return self_id


class Session:
    """A life that is lived by this process, which holds its LIFE open."""

    def __init__(self, home: Home, self_id: str, settings: Settings, opened: Log) -> None:
        self.home, self.id, self.store = home, self_id, home.store()
        self.terms = spawned.terms(self.store, self_id)  # those of a helper
        self.settings = replace(settings, workspace=self.terms.workspace) if self.terms else settings
        self.provider, self.options = "", tuple[str, ...]()  # what of the command line holds for its helpers, too
        self.order: tuple[str, ...] = ()  # whom it asks, one after the other
        self.chosen = False  # whether nobody named the provider: another may take its place
        self.patience = Patience()
        self.path = home.agent(self_id)
        self._limit = settings.context_limit
        self._log = opened
        view = derive(home, self_id, self._limit)
        self.state, self.unread = view.state, view.unread
        self._head = 0
        self._said = ("", "")  # the last reply's id and text: every look at what is to be done asks for it
        self.leaving = self.late = False  # late: since its time is over
        self.anew = False  # it leaves to begin anew, once something is forgotten
        self.listen: Callable[[Line], None] | None = None
        self.file = self.path / "context.md"
        self._context = -1
        self._sight = Senses()  # of the model that answers
        self._hold(list(view.entries))

    def record(self, event: Event, body: bytes | None = None, *, gist: str = "", id: str = "") -> Line:
        """Let one event happen: its body becomes a blob, LIFE gets a line, state and context follow.

        An event without a body may name a blob that is there already, by its full `id`.
        """
        if body is not None:
            gist = gist or _gist(body)
            id = self.store.put(body, at=times.now(), gist=gist, parent=self._before(event), agent=self.id)
        line = self._log.append(event.WORD, escape.one_line(event.detail(), 2000), id, escape.one_line(gist, 400))
        if self.listen:
            self.listen(line)
        self.state = after(self.state, line)
        if isinstance(event, Alternate) or (isinstance(event, Document) and event.name in persona.HEAD):
            self._parent, self._parts, self._asked = "", 0, 0  # the next request stands whole, under another head
        said = body  # what was just put need not be read again
        found = context.entry(line, self.state.number + 1, self._body if said is None else lambda _: said, self.share)
        if found:
            self.state = change(self.state, number=found.number)
            self.entries += (held := context.weighed([found], self._sight))
            self._size += size(held[0])
            disk.append(self._context, context.render(found), self.file)
        return line

    def _before(self, event: Event) -> str:
        """The blob that comes before this event's: a result's reply, a document's last version."""
        if isinstance(event, Result):
            return self.state.turn.reply
        if not isinstance(event, Document):
            return ""
        return self.state.heard.documents.get(event.name, self.id if event.name == SOUL else "")

    def announce(self, call: ToolCall, what: str) -> Effect:
        """Announce durably what a tool is about to do that others see; `what` is what it needs to recognise its effect
        in the world, should this process die over it."""
        effect = Effect(call.name, escape.one_line(what, 1900))
        self.record(effect)
        self.sync()
        return effect

    def head(self, usage: str, schemas: str = "", state: State | None = None) -> list[Part]:
        """What its prompts begin with, as it is now or in another state."""
        first = persona.head(self.home, self.id, state or self.state, usage, self.settings)
        return [*([Part(requests.TOOLS, schemas)] if schemas else []), *first]

    def params(self, options: Mapping[str, object]) -> dict[str, object]:
        """What a request tells beside its messages."""
        upstream = {"upstream": self.state.model.upstream} if self.state.model.upstream else {}
        return {"window": tokens.window(self.limit), **upstream, **({"options": options} if options else {})}

    @property
    def limit(self) -> int:
        """The context's limit in force, in tokens: the setting, or what the model was found to take."""
        return min(self._limit, self.state.model.most or self._limit)

    @property
    def share(self) -> int:
        """How many bytes one entry's content may have."""
        return share(self._limit, self.state)

    @property
    def tokens(self) -> int:
        """About how many tokens the context has: estimated, and corrected by what the provider told."""
        return int(self._size * self.state.model.ratio)

    @property
    def overfull(self) -> bool:
        """Whether the oldest must fade at once, so that the context never passes 1.5 times its limit."""
        return self.tokens > OVERFULL * self.limit

    def swap(self, entries: list[Entry], event: Swap, state: State) -> None:
        """Let the context become these entries and the state this one: by a blob that lists them, and one line.

        What is shown of large ones fits the share that holds now, as it will when they are derived.
        """
        entries = [self.fitted(entry) for entry in entries]
        data = snapshot.encode(state, entries)
        id = self.store.put(data, at=times.now(), gist="the context after a swap", agent=self.id)
        self.store.sync()
        line = self._log.append(Swap.WORD, event.detail(), id, "the context after a swap")
        self.sync()
        if self.listen:
            self.listen(line)
        self.state = state
        self._hold(entries, swapped=True)

    def _hold(self, entries: list[Entry], *, swapped: bool = False) -> None:
        """Let the context be these entries, of which no request was made yet."""
        self._weigh(entries)
        self._asked = 0  # entries that the last request holds; it is named by _parent and has _parts parts
        self._parent, self._parts, self._told = "", 0, ("", "")
        self._show(swapped)

    def see(self, sight: Senses) -> None:
        """Let the model that answers have this sight: what it is shown has another size then."""
        if sight != self._sight:
            self._sight = sight
            self._weigh(self.entries)

    def _weigh(self, entries: Sequence[Entry]) -> None:
        self.entries = context.weighed(entries, self._sight)
        self._size = sum(map(size, self.entries))

    def fitted(self, entry: Entry) -> Entry:
        """The entry, with what is shown of it cut to the share that holds now."""
        if entry.content is None or entry.event == Faded.WORD or (entry.whole and len(entry.content) <= self.share):
            return entry  # a summary is whole, and may be none yet that is kept
        return context.entry(entry.line, entry.number, self._body, self.share, stripped=entry.stripped) or entry

    def renew(self) -> None:
        """Derive the context anew, and let the next request stand whole: a blob that the last one needs is lost."""
        self._hold(list(derive(self.home, self.id, self._limit).entries))

    def keep(self, text: str, gist: str) -> str:
        """Keep a text of this life's own as a blob; nothing has happened by that yet."""
        return self.store.put(text.encode("utf-8", "replace"), at=times.now(), gist=gist, agent=self.id)

    def words(self, id: str) -> str:
        """A reply's text; empty, so that it is asked for once more, when its blob is lost."""
        if self._said[0] == id:
            return self._said[1]
        try:
            self._said = (id, self._body(id).decode("utf-8", "replace"))
            return self._said[1]
        except (BlobMissing, BlobCorrupt) as lost:
            self._said = (id, "")
            self.record(Error(str(lost)))
            return ""

    def sync(self) -> None:
        """Make everything that happened durable, blobs before the lines that name them: now others may see effects."""
        self.store.sync()
        self._log.sync()

    @property
    def owner(self) -> str:
        """The person whose home this is: untagged lines are theirs."""
        return home.owner(self.settings)

    def check_leaving(self) -> None:
        """Raise Leaving when this process was asked to end."""
        if self.leaving:
            raise Leaving

    def clock(self) -> None:
        """Tell the true time beside the events' own, when these are ahead of it: they never go back."""
        if times.ahead(self._log.next()) > AHEAD:
            now = times.to_second(times.now())
            self.record(Clock(now), f"The true time is {now}.".encode())

    def next(self) -> str:
        """The time that the next event will have."""
        return self._log.next()

    def request(
        self,
        model: str,
        told: tuple[str, str],
        instruction: str = "",
        options: Mapping[str, object] = MappingProxyType({}),
        most: int = 0,
        beside: int = 0,
    ) -> tuple[str, int]:
        """Make the next request's blob, and tell about how many tokens it has: the one before it and what is new.

        The first one after a start or a swap stands whole. One with an instruction is a fork: the next live request
        does not go on from it, and its answer may have `most` tokens. `told` is how the tools are called, and what a
        model is told that calls them by its service's own form; `options` how it shall be answered, `beside` how many
        turns it is shown.
        """
        usage, schemas = told[0], told[1] if options.get("calls") == "native" else ""
        if (usage, schemas) != self._told and not instruction:  # another provider, or other tools
            self._parent, self._parts, self._asked, self._told = "", 0, 0, (usage, schemas)
        asked_before, fresh = self.entries[: self._asked], self.entries[self._asked :]
        order = [*asked_before, *context.shown(fresh)]
        upto, near = turns.beside(order, self._asked, beside, usage)
        new, behind = prompt.parts(order[:upto], self._asked), prompt.parts(order, upto)
        if not self._parent:
            first = self.head(usage, schemas)
            self._head = sum(tokens.estimate(part.text) for part in first)
            new = [*first, *new]
        asked = [*new, *near, *behind, *([Part("user", instruction)] if instruction else [])]
        params = self.params(options) | ({"most": most} if most else {})
        data = requests.encode(self.id, model, params, self._parent, self._parts, asked)
        gist = f"request, {len(self.entries)} entries"
        id = self.store.put(data, at=times.now(), gist=gist, parent=self._parent, agent=self.id, durable=False)
        if not instruction:
            self._parent, self._asked, self._parts = id, upto, self._parts + len(new)
        return id, self._size + self._head + sum(map(tokens.estimate, (instruction, *(one.text for one in near))))

    def _body(self, id: str) -> bytes:
        return self.store.get(id).body

    def _show(self, swapped: bool) -> None:
        """Make context.md what the context is; a file that says something else is set aside, a torn one completed."""
        data = b"".join(context.render(entry) for entry in self.entries)
        there: bytes | None = b""
        try:
            there = disk.read(self.file)
        except OSError as error:
            there = b"" if isinstance(error, FileNotFoundError) else None
        if there != data or swapped:
            if there is None or not (swapped or data.startswith(there)):
                self.file.rename(self.path / f"context.aside-{times.now().replace(':', '')}.md")
            disk.replace(self.file, data, durable=False)
        if self._context >= 0:
            os.close(self._context)
        self._context = disk.open_append(self.file)


def _gist(body: bytes) -> str:
    text = secrets.masked(body[:4000].decode("utf-8", "replace"))
    return escape.one_line(reasoning.strip(text))
