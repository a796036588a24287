"""The rooms of one audience and the memory of the agents that hear it, for another agent. Its requests cannot reach
rooms, agents or originals of other audiences.

The owner names the audience at the start. The other agent's messages are posted as an agent's, so no agent takes them
for its person's words, unless the owner wants that. Writes messages of rooms through store/rooms.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from dotagent import errors
from dotagent.compaction import tree
from dotagent.errors import Misuse, Trouble
from dotagent.life import replay
from dotagent.search import results
from dotagent.search.feed import Feed
from dotagent.store import blob_search, disk, home, lives, rooms
from dotagent.store.blob_search import Ambiguous
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import SETTINGS, Home
from dotagent.terminal import slash, talk
from dotagent.terminal.talk import Talk
from dotagent.text import entry_names, escape, names, times
from dotagent.text.reference import PREFIX, short
from dotagent.tools import uncompact

MOST = 50  # messages of a room, or search results, at once
PAGE = 30_000  # characters of an original that are shown at once
LATER = "read the room later (an agent reacts to only three messages of other agents until a person writes there)"
LONGEST = 50.0  # seconds to wait for an answer, at most: other programs give up a call after 60


@dataclass(frozen=True)
class Outlook:
    """The home, the audience (`private ana`, `group`) and the other agent's name there. `person` if it speaks as the
    audience's person."""

    where: Home
    audience: str
    name: str
    person: bool = False

    def names(self) -> list[str]:
        """Return the names of the rooms."""
        return [path.stem for path in self.where.rooms() if self._is_open(path.stem)]

    def rooms(self) -> str:
        """List the rooms, one per line: the time of the last message and the agents in the room."""
        lines = []
        for path in self.where.rooms():
            if self._is_open(path.stem):
                at = times.make_stamp(datetime.fromtimestamp(int(path.stat().st_mtime), UTC))
                there = [short(one) for one in lives.find_agents(self.where, path.stem)]
                awake = [short(one) for one in lives.awake(self.where, path.stem)]
                who = ", ".join(f"{one}{' (running)' if one in awake else ''}" for one in there) or "no one"
                lines.append(f"{path.stem}: last change {at}; in it: {who}")
        return "\n".join(lines) or "there is no room that you can see yet"

    def read(self, room: str, last: int = 20) -> str:
        """Return the last messages of a room, oldest first. Raise Trouble."""
        there = self._talk(room)
        said = there.begin(max(1, min(last, MOST)))
        return "\n".join(talk.format_message(f"{one.at} {there.who(one)}".strip(), talk.words(one)) for one in said)

    def say(self, room: str, text: str, wait: float = LONGEST) -> str:
        """Post a message, and return an agent's answer if it comes within `wait` seconds. Raise Trouble."""
        if not text.strip():
            raise Misuse("the text is empty; give the message to post")
        there = self._talk(room)
        if self.person and slash.parse(text) == ("/stop", ""):
            return slash.do(there, "/stop", "")
        there.begin(0)
        kind = "USER" if self.person else "AGENT"
        message = rooms.line_of(kind, self.name, times.now(), text)
        if not lives.find_agents(self.where, room):
            rooms.want(there.path)
        rooms.append(there.path, message)
        awake, seconds = bool(lives.awake(self.where, room)), max(0.0, min(wait, LONGEST))
        answer = there.answer(message, seconds, awake) if awake or lives.is_supervised(self.where) else None
        if answer is None and (nobody := there.nobody()):
            return f"the message is posted, but gets no answer yet: {nobody}"
        return f"the message is posted; no agent answered within {seconds:g} s: {LATER}" if answer is None else answer

    def recall(self, query: str, most: int = 8) -> str:
        """Search everything that the agents of this audience ever heard, best match first. Each result has the id for
        UNCOMPACT. Raise Trouble."""
        asked = results.parse_query(query)
        if not asked.words.strip():
            raise Misuse("the query is empty; give some words, a name or a date, or `near` and an id")
        told = list[str]()
        for self_id in self.mine():
            feed = Feed(self.where.agent(self_id), self.where.store(), self._owner)
            try:
                if asked.near and asked.near.id:
                    turns = feed.near(asked.near.id, results.REACH)
                    found = results.format_around(turns, asked.near.id, short) if turns else ""
                else:
                    count = max(1, min(most, MOST))
                    hits = feed.search(asked.words, count * asked.page)[count * (asked.page - 1) :]
                    found = "\n".join(results.line(hit, short) for hit in results.ranked(hits, asked.words))
            finally:
                feed.close()
            told += [f"{short(self_id)}:\n{found}"] if found else []
        return "\n\n".join(told) or "nothing was found; try other words, a name or a date"

    def original(self, id: str, page: int = 1) -> str:
        """Return the exact text behind an id from RECALL or a reference. Raise Trouble."""
        found = entry_names.find_name(id)
        if not found or not found.id:
            raise Misuse("give the id of a message: 8 to 32 hex digits, as the tool recall lists them")
        store, mine = self.where.store(), self.mine()
        refused = Misuse(f"{found.id} is not the id of a message that you can see")
        try:
            blob = store.get(blob_search.find(store, found.id))
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
        """Return the audience as written in the heading of a room."""
        return "private" if self.audience == f"private {self._owner}" else self.audience

    def mine(self) -> list[str]:
        """Return the agents that were created for this audience, which their ids prove."""
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
        """Return the room. Raise Misuse if it does not exist or has another audience; the message does not say
        which."""
        try:
            if names.ROOM.fullmatch(room) and self._is_open(room):
                return Talk(self.where, room, self.name)
        except OSError as error:
            raise Trouble(errors.line(error)) from None
        raise Misuse(
            f"there is no room {escape.one_line(room, 64)!r} that you can see; the tool `rooms` lists the rooms"
        )


def make_outlook(where: Home, audience: str, name: str, person: bool) -> Outlook:
    """Return the outlook for this audience. Raise Misuse for an invalid audience or name."""
    if not names.AUDIENCE.fullmatch(audience):
        raise Misuse(f'--audience must be private, "private NAME" or group, not {audience[:60]!r}')
    owner = home.owner(home.settings(where))
    audience = f"private {owner}" if audience == "private" else audience
    if person:
        name = audience.partition(" ")[2] or owner
    elif not names.PERSON.fullmatch(name) or PREFIX.fullmatch(name) or names.is_bridged(name):
        raise Misuse(f"--name cannot be {name[:60]!r}: use no spaces, colons, brackets or slashes, and no agent's id")
    return Outlook(where, audience, name, person)
