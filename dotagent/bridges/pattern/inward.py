"""Incoming messages: check who may write, and append USER lines to rooms, at most once and in order.

Before a write, the journal records its lines and the room's size, so that the next process can complete it after a
crash. Messages wait for others of the same place, never for another place. Owns nothing on disk except rooms' lines.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from functools import partial

from dotagent import errors
from dotagent.bridges import Attachment, Failed, Gone, Incoming, Person, Refused, Role
from dotagent.bridges.pattern import ledger, marks, wording
from dotagent.bridges.pattern.first_contact import Meeting
from dotagent.bridges.pattern.ground import Ground, Spawn
from dotagent.bridges.pattern.ledger import Record, Standing
from dotagent.store import attachments, disk, room_completion, rooms
from dotagent.text import times
from dotagent.text.lazy import asdict, replace
from dotagent.text.reference import short
from dotagent.text.sizes import amount

GAP = 100  # messages of a gap read at once
ONE = 60.0  # seconds for one attachment
HELD = 1.0  # seconds between two checks of a room that another program has locked
TRIES = 3  # to write into a room that another program locked after such a check; each waits rooms.WRITING seconds
MOMENT = 1.0  # seconds after a message; an agent that was about to exit has usually exited by then


class Inward:
    """The incoming side of a bridge."""

    def __init__(self, ground: Ground, meeting: Meeting, spawn: Spawn) -> None:
        self._ground, self._meeting, self._spawn = ground, meeting, spawn
        self._order: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by place: the order of reports
        self._work: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by place: the lock for writing
        self._behind: dict[str, asyncio.Event] = {}  # places whose gap is being read
        self._looking: set[str] = set()  # rooms whose agent is checked again
        self._gaps: list[asyncio.Task[None]] = []
        self._since = ""  # when the connection was made
        self._marked: set[str] = set()  # places with a notice about it

    def recover(self) -> None:
        """Find out whether the last announced message is in its room, and write the missing part."""
        if doubt := self._ground.ledger.doubt:
            self._write(self._ground.ledger.places[doubt["place"]], doubt)

    async def hear(self, message: Incoming) -> bool:
        """Take a message, or keep it in the journal until it can be taken; see bridges.Listener."""
        ground, place = self._ground, message.place.id
        async with self._order[place]:
            while not ground.online.is_set() or place in self._behind:
                await ground.online.wait()
                if place in self._behind:
                    await self._behind[place].wait()
            if not ground.limits.history and (
                ground.ledger.paused or ground.ledger.waiting(place) or self._is_slow(message) or self._is_held(place)
            ):
                return self._hold(message)
            if ground.ledger.paused:
                return False  # history will contain it
            async with self._work[place]:
                return await self._take(message, message.id)

    def connected(self) -> None:
        """Read the missed messages of every place, before any new message there."""
        self.lost()
        self._since = times.now()
        self._marked.clear()
        for place in list(self._ground.ledger.places) if self._ground.limits.history else []:
            self._behind[place] = asyncio.Event()
            self._gaps.append(self._spawn(self._gap(place)))
        for place in {held["place"]["id"] for held in self._ground.ledger.held.values()}:
            self._spawn(self._release(place))
        self._ground.online.set()

    def lost(self) -> None:
        """Let new messages wait for the next connection."""
        self._ground.online.clear()
        for gap in self._gaps:
            gap.cancel()
        self._gaps.clear()
        for event in self._behind.values():
            event.set()
        self._behind.clear()

    async def _gap(self, place: str) -> None:
        """Take the messages in history after the last one taken."""
        ground, done = self._ground, self._behind[place]
        while not ground.ledger.paused:
            standing = ground.ledger.places[place]
            try:
                missed = await ground.insist(partial(ground.transport.history, standing.place, standing.heard, GAP))
            except (Refused, Gone) as never:
                ground.tell(
                    f"room {standing.room}: cannot read the messages that were sent while the bridge was not "
                    f"connected: {never}"
                )
                break
            if ground.ledger.paused:
                break
            async with self._work[place]:
                for message in missed:
                    await self._take(message, message.id)
            if len(missed) < GAP:
                break
            standing = ground.ledger.places[place]
            standing.heard = max(standing.heard, *(message.order for message in missed))  # for others, too
        done.set()
        self._behind.pop(place, None)

    def _is_slow(self, message: Incoming) -> bool:
        """Return True if taking the message needs seconds: for a file, or for creating an agent."""
        ground, standing = self._ground, self._ground.ledger.places.get(message.place.id)
        unborn = ground.rules.agents == "boot" and not (standing and ground.lives.of(standing.room))
        return bool(message.attachments) or unborn

    def _is_held(self, place: str) -> bool:
        """Return True if another program has locked the place's room."""
        standing = self._ground.ledger.places.get(place)
        return standing is not None and disk.is_locked(self._ground.home.room(standing.room))

    async def _free(self, standing: Standing) -> None:
        """Wait until no other program has locked the place's room."""
        told = False
        while self._is_held(standing.place.id):
            if not told:
                self._ground.tell(
                    f"room {standing.room}: another program has locked the file, perhaps an editor; new messages wait"
                )
            told = True
            await asyncio.sleep(HELD)

    def _hold(self, message: Incoming) -> bool:
        """Keep the message in the journal, because the server may drop it."""
        if self._is_known(message) or not self._admits(message):
            return False
        held = ledger.version_name(message.id, message.kind, message.revision)
        if ledger.key(message.place.id, held) not in self._ground.ledger.held:
            self._ground.journal.note("HELD", message={**asdict(message), "held": held})
            self._spawn(self._release(message.place.id))
        return True

    async def _release(self, place: str) -> None:
        """Take the place's messages in the journal, in order."""
        ground = self._ground
        async with self._work[place]:
            while not ground.ledger.paused and (waiting := ground.ledger.waiting(place)):
                held = waiting[0]
                if not await self._take(_message(held), held["held"]):
                    ground.journal.note("DROPPED", place=place, held=held["held"])

    def _is_known(self, message: Incoming) -> bool:
        """Return True if the message was taken before, or changes a message that was never taken."""
        standing = self._ground.ledger.places.get(message.place.id)
        if message.kind == "new":
            return standing is not None and message.order <= standing.heard
        name = ledger.version_name(message.id, message.kind, message.revision)
        return standing is None or message.id not in standing.words or name in standing.revisions

    def _admits(self, message: Incoming) -> bool:
        """Return True if the rules accept the message. A deletion without an author concerns an accepted message."""
        if message.person is None:
            return message.kind == "deleted"
        rules = self._ground.rules
        return rules.takes(message.place) and rules.lets_in(message.person, self._ground.pairs.paired)

    async def _take(self, message: Incoming, held: str) -> bool:
        """Take a message if it is new and accepted. Nothing is written before this decision."""
        ground = self._ground
        if self._is_known(message):
            return False
        if not self._admits(message):
            if message.person and message.kind == "new":
                if ground.rules.takes(message.place):
                    await self._meeting.stranger(message.person, message.place)
                elif message.addressed and ground.rules.lets_in(message.person, ground.pairs.paired):
                    self._meeting.elsewhere(message.place)
            return False
        standing = self._meeting.standing(message)
        if standing is None:
            return False
        before = standing.words.get(message.id, ledger.NOBODY)
        mark = wording.mark(message)
        if message.kind == "edited" and before.mark == mark:
            return False
        name = self._meeting.called(message.person) if message.person else before.name
        record: Record = {"place": message.place.id, "id": message.id, "order": message.order, "name": name}
        record |= {"kind": message.kind, "revision": message.revision, "held": held, "mark": mark}
        has_words = message.quoted or message.text.strip()
        record["first"] = wording.first(message.text) or ("a message" if has_words else "a file")
        if ground.rules.wakes(message.place, message.addressed) or before.woke:
            return await self._wake(standing, message, record)
        waiting = any(one.id == message.id for one in standing.passed)
        plain = replace(message, kind="new") if waiting and message.kind == "edited" else message
        files = [wording.file(one, wording.no_file("not taken")) for one in message.attachments]
        text = wording.words(plain, before.first, files, self._single(standing))
        if text:
            ground.journal.note("PASS", durable=not ground.limits.history, **record, time=message.at, text=text)
        return bool(text)

    async def _wake(self, standing: Standing, message: Incoming, record: Record) -> bool:
        """Write a message that starts a turn, after the earlier messages that started no turn."""
        ground = self._ground
        path = ground.home.room(standing.room)
        rooms.create(path, standing.heading)
        await ground.ensure_life(standing, message.person)
        files = [await self._file(standing, one) for one in message.attachments]
        await self._free(standing)
        before = standing.words.get(message.id, ledger.NOBODY).first
        text = wording.words(message, before, files, self._single(standing))
        if not text:
            return False
        if not ground.sound(standing):
            ground.tell(
                f"the audience (who can read it) of room {standing.room} has changed, so the bridge does not pass on "
                f"messages from {standing.place.name} to this room"
            )
            return False
        passed = [wording.line(one.name, one.at, marks.text_after("(background)", one.text)) for one in standing.passed]
        lines = b"".join([*self._late(message), *passed, wording.line(record["name"], message.at, text)])
        done = ground.journal.note("IN", **record, size=path.stat().st_size, lines=lines.decode())
        self._write(standing, done)
        if standing.room not in self._looking:
            self._looking.add(standing.room)
            self._spawn(self._look_again(standing, message.person))
        return True

    def _single(self, standing: Standing) -> bool:
        """Return True if only the room's present agent has sent messages there."""
        return standing.said.keys() <= {short(self._ground.lives.of(standing.room))}

    def _late(self, message: Incoming) -> list[bytes]:
        """Return a line, once for each place and connection, that says that the following messages were written before
        the connection."""
        if message.place.id in self._marked or not wording.is_late(message.at, self._since):
            return []
        self._marked.add(message.place.id)
        return [wording.late(self._ground.name, self._since)]

    async def _look_again(self, standing: Standing, person: Person | None) -> None:
        """Resume an agent that was about to exit when the message was written, however long its exit takes."""
        for seconds in (MOMENT, 4 * MOMENT, 16 * MOMENT):
            await asyncio.sleep(seconds)
            self._looking.discard(standing.room)
            if self._ground.waits(standing):
                await self._ground.ensure_life(standing, person)

    def _write(self, standing: Standing, record: Record) -> None:
        """Append the lines of an IN record, or the missing part of them. Nothing else happens meanwhile, because the
        journal contains only one unfinished record. Raises Held if another program has locked the room for long."""
        path = self._ground.home.room(standing.room)
        rooms.create(path, standing.heading)
        for left in reversed(range(TRIES)):
            try:
                room_completion.complete(path, record["lines"].encode(), record["size"])
                break
            except disk.Held as held:
                if not left:
                    raise
                self._ground.tell(f"room {standing.room}: {errors.line(held)}; the bridge tries again")
        self._ground.journal.note("HEARD", durable=False, place=standing.place.id)

    async def _file(self, standing: Standing, file: Attachment) -> str:
        """Store an attachment as a blob of the room. Return the lines that name it."""
        ground, most = self._ground, self._ground.rules.attachments
        if file.size > most:
            return wording.file(
                file, wording.no_file(f"its size of {amount(file.size)} is over the limit of {amount(most)}")
            )
        try:
            data = await asyncio.wait_for(ground.transport.fetch(file, most), ONE)
        except (Failed, TimeoutError) as failed:
            return wording.file(file, wording.no_file(str(failed) or "the download took too long"))
        id = attachments.put(ground.home.store(), standing.room, file.name or file.kind, data)
        return wording.file(file, lambda name: attachments.line(name, len(data), id))


def _message(held: Record) -> Incoming:
    given = {name: value for name, value in held.items() if name != "held"}
    given["place"] = ledger.place(given["place"])
    given["attachments"] = tuple(Attachment(**one) for one in given["attachments"])
    person = given["person"]
    if person:
        roles = tuple(Role(**one) for one in person["roles"] if isinstance(one, dict))  # earlier: names only
        given["person"] = Person(**{**person, "known": tuple(person["known"]), "roles": roles})
    return Incoming(**given)
