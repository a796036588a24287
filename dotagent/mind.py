"""A life in memory: its store, and the state and context that are derived from its LIFE and blobs.

`record` is the one way in which anything happens to a life: a blob, a line in LIFE, and what follows from them.
Owns `context.md`, which shows the context to people and is made again whenever it differs.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from dataclasses import dataclass

from dotagent import context, disk, life, prompt
from dotagent.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.context import Entry
from dotagent.home import Home, Settings
from dotagent.life import Life, Line
from dotagent.prompt import Part
from dotagent.state import State, after
from dotagent.text import escape, times
from dotagent.text.reference import short

RUN_SECONDS = 60.0
SHARE = 4  # a quarter of the limit in tokens, as bytes: one entry's share of the context is about a sixteenth


class Leaving(Exception):
    """The process was asked to end in the middle of something: what LIFE announces, the next one settles."""


@dataclass(frozen=True)
class View:
    """What is derived from a life: where it stands, what it holds in mind, and the full ids of the blobs in it."""

    state: State
    entries: tuple[Entry, ...]
    ids: dict[str, str]


def derive(home: Home, self_id: str, limit: int) -> View:
    """The state and the context of a life, from its LIFE and blobs alone. `limit` is the context's, in tokens."""
    store = home.store()
    state, entries, ids = State(), list[Entry](), dict[str, str]()
    for line in life.lines(home.agent(self_id) / "LIFE.md"):
        state = after(state, line)
        found = context.entry(line, len(entries) + 1, lambda id: store.get(id).body, limit // SHARE)
        if found:
            entries.append(found)
            ids[found.id] = line.id
    return View(state, tuple(entries), ids)


def owner(settings: Settings) -> str:
    """The name of the person whose home this is: by the settings, else who runs this."""
    return settings.owner or os.environ.get("USER") or pwd.getpwuid(os.getuid()).pw_name


def birth(store: Blobs, soul: str, audience: str) -> str:
    """Make the birth blob; its id is the new self. The prompt's SOUL is this one for ever."""
    body = f"audience: {audience}\n\n{soul}".encode("utf-8", "replace")
    self_id = store.put(body, at=times.now(), gist=f"SOUL of a life, {audience}")
    store.sync()
    return self_id


def soul(store: Blobs, self_id: str) -> tuple[str, str]:
    """The audience and the SOUL a life was born with. Raises BlobMissing or BlobCorrupt."""
    first, _, text = store.get(self_id).body.decode("utf-8", "replace").partition("\n\n")
    return first.removeprefix("audience: "), text


def head(home: Home, self_id: str, state: State, usage: str) -> list[Part]:
    """The head of the life's prompts; `usage` tells how its tools are called."""
    audience, text = soul(home.store(), self_id)
    facts = {"self": short(self_id), "audience": audience, "tools": usage}
    return prompt.system(text, state.shown, facts)


def body(view: View, start: int = 0) -> list[Part]:
    """The parts of the context's entries from the index `start` on."""
    return [part for entry in view.entries[start:] for part in prompt.parts(entry, view.ids.__getitem__)]


def inline(store: Blobs, parts: list[Part]) -> list[Part]:
    """The parts with every blob's body in place of its id."""
    return [Part(p.role, store.get(p.blob).body.decode("utf-8", "replace")) if p.blob else p for p in parts]


class Mind:
    """A life that is lived by this process, which holds its LIFE open."""

    def __init__(self, home: Home, self_id: str, settings: Settings, log: Life) -> None:
        self.home = home
        self.id = self_id
        self.settings = settings
        self.path = home.agent(self_id)
        self.store = home.store()
        self._life = log
        view = derive(home, self_id, settings.context_limit)
        self.state = view.state
        self.entries = list(view.entries)
        self._ids = dict(view.ids)
        self._asked = 0  # entries that the last request holds; it is named by _parent and has _parts parts
        self._parent = ""
        self._parts = 0
        self.leaving = False
        self.listen: Callable[[Line], None] | None = None
        self.run_seconds = RUN_SECONDS
        self.file = self.path / "context.md"
        self._show()

    def record(self, event: str, detail: str = "", body: bytes | None = None, *, gist: str = "", id: str = "") -> Line:
        """Let one event happen: its body becomes a blob, LIFE gets a line, state and context follow.

        An event without a body may name a blob that is there already, by its full `id`.
        """
        if body is not None:
            gist = gist or _gist(body)
            parent = self.state.reply if event == "TOOL" else self.state.papers.get(detail, "")
            id = self.store.put(body, at=times.now(), gist=gist, parent=parent, agent=self.id)
        line = self._life.append(event, escape.one_line(detail, 2000), id, escape.one_line(gist, 400))
        if self.listen:
            self.listen(line)
        self.state = after(self.state, line)
        found = context.entry(line, len(self.entries) + 1, self._body, self.settings.context_limit // SHARE)
        if found:
            self.entries.append(found)
            self._ids[found.id] = line.id
            disk.append(self._context, context.render(found), self.file)
        return line

    def words(self, id: str) -> str:
        """A reply's text; empty, so that it is asked for once more, when its blob is lost."""
        try:
            return self.store.get(id).body.decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt) as lost:
            self.record("ERROR", str(lost))
            return ""

    def barrier(self) -> None:
        """Make everything that happened durable, blobs before the lines that name them: now others may see effects."""
        self.store.sync()
        self._life.sync()

    @property
    def owner(self) -> str:
        """The person whose home this is: untagged lines are theirs."""
        return owner(self.settings)

    def may_run(self) -> bool:
        """Whether this life runs commands: it hears its person alone, or settings name it."""
        allowed = any(self.id.startswith(name) for name in self.settings.run if name)
        return allowed or (self.state.audience.startswith("private") and not self.state.bridged)

    def check_leaving(self) -> None:
        """Raise Leaving when this process was asked to end."""
        if self.leaving:
            raise Leaving

    @property
    def last(self) -> Line | None:
        """The newest event."""
        return self._life.last

    def request(self, model: str, usage: str) -> str:
        """Make the next request's blob: the one before it and what is new; the first one stands whole."""
        new = [part for entry in self.entries[self._asked :] for part in prompt.parts(entry, self._ids.__getitem__)]
        if not self._parent:
            new = [*head(self.home, self.id, self.state, usage), *new]
        data = prompt.encode(self.id, model, {}, self._parent, self._parts, new)
        keep = self._parts + len(new)
        self._parent = self.store.put(
            data, at=times.now(), gist=f"request {len(self.entries)}", parent=self._parent, agent=self.id, durable=False
        )
        self._asked, self._parts = len(self.entries), keep
        return self._parent

    def _body(self, id: str) -> bytes:
        return self.store.get(id).body

    def _show(self) -> None:
        """Make context.md what the context is; a file that says something else is set aside, a torn one completed."""
        data = b"".join(context.render(entry) for entry in self.entries)
        there = self.file.read_bytes() if self.file.exists() else b""
        if there != data:
            if not data.startswith(there):
                self.file.rename(self.path / f"context.aside-{times.now().replace(':', '')}.md")
            disk.replace(self.file, data, durable=False)
        self._context = disk.open_append(self.file)


def _gist(body: bytes) -> str:
    text = body[:4000].decode("utf-8", "replace")
    return escape.one_line(text.rpartition("</reasoning>")[2])
