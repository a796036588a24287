"""What another agent may see and do in a home: the rooms of one audience, and the memory of the lives that hear it.

Who starts it names the audience; nothing that is asked for reaches another one's rooms, lives or originals. What it
says stands in rooms as an agent's, so that no life takes it for its person's words, unless its person wants that.
Writes messages of rooms through store/rooms.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from dotagent import errors
from dotagent.chatting import talk
from dotagent.chatting.talk import Talk
from dotagent.compaction import tree
from dotagent.errors import Misuse, Trouble
from dotagent.life import replay
from dotagent.search import shown
from dotagent.search.feed import Feed
from dotagent.store import disk, home, lives, rooms
from dotagent.store.blobs import Ambiguous, BlobCorrupt, BlobMissing
from dotagent.store.home import SETTINGS, Home
from dotagent.text import escape, named, names, times
from dotagent.text.reference import PREFIX, short
from dotagent.tools import uncompact

MOST = 50  # messages of a room, or turns that were found, at once
PAGE = 30_000  # characters of an original that are shown at once
LATER = "read the room later (of other agents' words only three wake an agent until a person speaks there)"
LONGEST = 600.0  # seconds for which an answer is waited at most


@dataclass(frozen=True)
class Outlook:
    """What is offered: of which home, for which audience (`private ana`, `group`), and what the other agent is called
    there; `person` when it speaks as its person."""

    where: Home
    audience: str
    name: str
    person: bool = False

    def names(self) -> list[str]:
        """The rooms, by name."""
        return [path.stem for path in sorted(self.where.chats.glob("*.md")) if self._is_open(path.stem)]

    def rooms(self) -> str:
        """The rooms, a line each: when something was said there last, and who is in them."""
        lines = []
        for path in sorted(self.where.chats.glob("*.md")):
            if self._is_open(path.stem):
                at = times.of(datetime.fromtimestamp(int(path.stat().st_mtime), UTC))
                there = [short(one) for one in lives.of(self.where, path.stem)]
                awake = [short(one) for one in lives.awake(self.where, path.stem)]
                who = ", ".join(f"{one}{' (awake)' if one in awake else ''}" for one in there) or "nobody"
                lines.append(f"{path.stem}: last change {at}; in it: {who}")
        return "\n".join(lines) or f"there is no room for {self.audience} yet"

    def read(self, room: str, last: int = 20) -> str:
        """The last messages of a room, oldest first. Raises Trouble."""
        there = self._talk(room)
        said = there.begin(max(1, min(last, MOST)))
        return "\n".join(talk.shown(f"{one.at} {there.who(one)}".strip(), talk.words(one)) for one in said)

    def say(self, room: str, text: str, wait: float = 60.0) -> str:
        """Say something in a room, and tell what an agent answers within these seconds. Raises Trouble."""
        if not text.strip():
            raise Misuse("say what? the text is empty")
        there = self._talk(room)
        there.begin(0)
        kind = "USER" if self.person else "AGENT"
        message = rooms.line_of(kind, self.name, times.now(), text)
        if not lives.of(self.where, room):
            rooms.want(there.path)
        rooms.append(there.path, message)
        if not (lives.awake(self.where, room) or lives.kept(self.where)):
            return f"it is said, and waits: {there.nobody()}"
        seconds = max(0.0, min(wait, LONGEST))
        answer = there.answer(message, seconds)
        return f"it is said; nobody answered within {seconds:g} s: {LATER}" if answer is None else answer

    def recall(self, query: str, most: int = 8) -> str:
        """What was ever said to the lives that hear this audience, the best first, each with the id by which UNCOMPACT
        brings it. Raises Trouble."""
        asked = shown.asked(query)
        if not asked.words.strip():
            raise Misuse("recall what? some words, best with who said it or when; or `near` and an id")
        told = list[str]()
        for self_id in self.mine():
            feed = Feed(self.where.agent(self_id), self.where.store(), self._owner)
            try:
                if asked.near and asked.near.id:
                    turns = feed.near(asked.near.id, shown.REACH)
                    found = shown.around(turns, asked.near.id, short) if turns else ""
                else:
                    count = max(1, min(most, MOST))
                    hits = feed.search(asked.words, count * asked.page)[count * (asked.page - 1) :]
                    found = shown.listed(shown.ranked(hits, asked.words), short)
            finally:
                feed.close()
            told += [f"{short(self_id)}:\n{found}"] if found else []
        return "\n\n".join(told) or "nothing was found; other words, a name or a date may find it"

    def original(self, id: str, page: int = 1) -> str:
        """Word for word what an id names, as RECALL and references tell it. Raises Trouble."""
        found = named.named(id)
        if not found or not found.id:
            raise Misuse("which one? an id of 8 to 32 hex digits, as recall tells it")
        store, mine = self.where.store(), self.mine()
        refused = Misuse(f"{found.id} is nothing of what {self.audience} hears")
        try:
            blob = store.get(store.find(found.id))
        except (Ambiguous, BlobCorrupt, BlobMissing):
            raise refused from None
        if not {blob.agent, blob.id} & set(mine) or blob.gist == SETTINGS:
            raise refused
        members = tree.tree(blob)
        text = (uncompact.expand(store, members) if members else blob.body).decode("utf-8", "replace")
        pages = max(1, -(-len(text) // PAGE))
        if not 1 <= page <= pages:
            raise Misuse(f"{found.id} has {pages} pages")
        more = f"page {page} of {pages}\n" if pages > 1 else ""
        return more + text[(page - 1) * PAGE : page * PAGE]

    @property
    def _owner(self) -> str:
        return home.owner(home.settings(self.where))

    @property
    def heading(self) -> str:
        """The audience, as a room's heading has it."""
        return "private" if self.audience == f"private {self._owner}" else self.audience

    def mine(self) -> list[str]:
        """The lives that were born for this audience: their ids vouch for it."""
        found = []
        for self_id in home.lives(self.where):
            try:
                born = replay.soul(self.where.store(), self_id)[0]
            except (BlobCorrupt, BlobMissing):
                continue
            if (f"private {self._owner}" if born == "private" else born) == self.audience:
                found.append(self_id)
        return found

    def _is_open(self, room: str) -> bool:
        path = self.where.room(room)
        return disk.is_file(path) and rooms.audience(path, self._owner) == self.audience

    def _talk(self, room: str) -> Talk:
        """The room. Raises Misuse for one that is not there, or another audience's: which of both is not told."""
        try:
            if names.ROOM.fullmatch(room) and self._is_open(room):
                return Talk(self.where, room, self.name)
        except OSError as error:
            raise Trouble(errors.line(error)) from None
        raise Misuse(f"there is no room {escape.one_line(room, 64)!r} for {self.audience}: `rooms` lists them")


def of(where: Home, audience: str, name: str, person: bool) -> Outlook:
    """What is offered to this audience. Raises Misuse for what is none, or cannot be such a name."""
    if not names.AUDIENCE.fullmatch(audience):
        raise Misuse(f'--audience is private, "private NAME" or group, and not {audience[:60]!r}')
    owner = home.owner(home.settings(where))
    audience = f"private {owner}" if audience == "private" else audience
    if person:
        name = audience.partition(" ")[2] or owner
    elif not names.PERSON.fullmatch(name) or PREFIX.fullmatch(name) or names.is_bridged(name):
        raise Misuse(f"--name cannot be {name[:60]!r}: no blanks, colons, brackets or slashes, and no agent's hash")
    return Outlook(where, audience, name, person)
