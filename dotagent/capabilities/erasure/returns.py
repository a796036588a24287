"""Hold back text that a person removed, when it comes again: from a file, a command, another agent or a helper, and in
what the agent writes.

The record of deletions contains keyed hashes of the removed sentences, and no words. What contains one reaches neither
the context nor a file, and the owner is asked once whether the agent may know it again. Only a person's new message
with the sentence is a yes. Owns `run/returned` in the agent's directory: which hashes the owner was asked about, which
a person has said again, and which replies were cleaned, with the times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dotagent import extensions
from dotagent.capabilities.erasure import room as forgetting
from dotagent.life import approvals
from dotagent.life.background_events import Ended, Returned
from dotagent.life.event import Event
from dotagent.life.events import Hear, Result, Tell
from dotagent.life.session import Session
from dotagent.store import disk
from dotagent.store.blobs import Blob
from dotagent.store.call import Outcome
from dotagent.text import escape, reasoning, times
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import replace

if TYPE_CHECKING:  # few homes have a record
    from dotagent.erasure.ledger import Fingerprints

FILE = "run/returned"
SAID, ASKED, CLEANED = "said", "asked", "cleaned"
AGAIN = "(your message contains text that you deleted before. It stays, because you wrote it again; /forget deletes it)"
ASK = (
    "({} contains text that you deleted before, so I left this text out. If I may know it again, write it here in a "
    "message. Otherwise do nothing)"
)
LEFT_OUT = (
    "not done: the call contains a sentence that my owner deleted permanently; leave it out. Only a new message of a "
    "person can bring it back"
)


class Returns:
    """Recognises removed text in one agent's process."""

    def __init__(self, session: Session) -> None:
        self._session, self._warned, self._asks = session, "", ""
        self._prints: Fingerprints | None = None

    def hold(self, event: Event, body: bytes) -> bytes:
        """Return the text of an event without removed sentences, if no person wrote it."""
        if isinstance(event, Hear) and event.who.startswith("AGENT:"):
            what = "a message of another agent"
        elif isinstance(event, Result):
            what = f"a result of {event.tool}"
        elif isinstance(event, Ended | Returned):
            what = "a result of a command" if isinstance(event, Ended) else "a result of a helper"
        else:
            return body
        text = body.decode("utf-8", "surrogateescape")
        clean = self._clean(text, what)
        return body if clean == text else clean.encode("utf-8", "surrogateescape")

    def hold_reply(self, outcome: Outcome, reply: Blob) -> tuple[Outcome, str]:
        """Return the outcome of a call, with a reply without removed sentences, and the reply's gist. A new blob
        replaces one that has them, before LIFE names it. After a crash in between, the agent asks again."""
        store, text = self._session.store, reply.body.decode("utf-8", "replace")
        clean = self._clean(text, "my reply")
        if clean == text:
            return outcome, reply.gist
        gist = escape.one_line(reasoning.strip(clean))
        id = store.put(clean.encode(), at=reply.at, gist=gist, parent=reply.parent, agent=reply.agent)
        store.sync()
        self._note(CLEANED, {id: clean})
        disk.remove(store.path(reply.id))
        disk.sync_dir(store.path(reply.id).parent)
        return replace(outcome, reply=id), gist

    def instead(self, call: ToolCall) -> ToolCall:
        """Return the call; a message without removed sentences, and any other call that contains one, or did before
        its reply was cleaned, as a call that cannot run. The owner has seen an approved call."""
        parts, speaks = [call.args, call.body or ""], extensions.tools().speaks(call)
        if not call.problem and not speaks and self._was_cleaned(parts):
            return replace(call, problem=LEFT_OUT)
        if call.problem or not any(True for part in parts for _ in self._held(part)):
            return call
        if approvals.is_approved(self._session, call):
            return call
        clean = [self._clean(part, f"my call of {call.name}") for part in parts]
        if speaks:
            return replace(call, body=clean[1])
        return replace(call, problem=LEFT_OUT)

    def _was_cleaned(self, parts: Iterable[str]) -> bool:
        """Return True if these parts of a call have the mark of a removed sentence, and the reply was cleaned."""
        if self._session.state.turn.reply not in self._noted(CLEANED):
            return False
        from dotagent.text.passages import MARK

        return any(MARK in part for part in parts)

    def answer(self, room: str, who: str, said: str) -> str:
        """Return dotagent's own answer to a message, or "". A message for the agent brings back what it contains."""
        if told := forgetting.answer(self._session, room, who, said):
            return told
        held = dict(self._held(said))
        if held and self._session.is_owner_alone(who):
            self._warned = room
        self._note(SAID, held)
        return ""

    def warn(self, room: str) -> Tell | None:
        """Return the line for the room of an owner's message that repeats removed text, or None."""
        if not self._warned or room != self._warned:
            return None
        self._warned = ""
        return Tell(room, text=AGAIN)

    def look(self) -> bool:
        """Ask the owner about what was held back. Return True if there was something to ask."""
        asks, self._asks = self._asks, ""
        heard = self._session.state.heard
        room = self._session.state.turn.room
        room = room if room in heard.rooms else next(iter(heard.rooms), "")
        if not asks or not room or not self._session.is_owner_alone(self._session.owner):
            return False
        self._session.record(Tell(room, text=ASK.format(asks)))
        return True

    def _clean(self, text: str, what: str) -> str:
        """Return the text without the removed sentences, and note that the owner must be asked about new ones."""
        held = dict(self._held(text))
        if not held:
            return text
        asked = self._noted(ASKED)
        if new := {one: words for one, words in held.items() if asked.get(one, "") < self._at(one)}:
            self._note(ASKED, new)
            self._asks = what
        from dotagent.text.passages import Passages

        return Passages(held.values()).gone(text)

    def _held(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the fingerprint and the words of each removed sentence in a text that no person said again."""
        root = self._session.home.root
        if self._prints is None and disk.is_file(root / "forgotten" / "record.jsonl"):  # a deletion restarts the agent
            from dotagent.erasure import ledger

            self._prints = ledger.Fingerprints(ledger.read(root))
        if self._prints:
            said: dict[str, str] | None = None
            for words, found in self._prints.sentences(text):
                said = self._noted(SAID) if said is None else said
                if said.get(found, "") < self._at(found):
                    yield found, words

    def _at(self, found: str) -> str:
        """Return the time of the last deletion of a sentence."""
        return self._prints.times.get(found, "") if self._prints else ""

    def _noted(self, how: str) -> dict[str, str]:
        """Return when the owner was asked about each fingerprint, or when a person last said its sentence."""
        path = self._session.path / FILE
        rows = [line.split(" ") for line in disk.read(path).decode().split("\n")[:-1]] if disk.is_file(path) else []
        return {row[2]: row[1] for row in rows if len(row) == 3 and row[0] == how}

    def _note(self, how: str, held: dict[str, str]) -> None:
        if held:
            path, now = self._session.path / FILE, times.now()
            before = disk.read(path) if disk.is_file(path) else b""
            disk.replace(path, before + "".join(f"{how} {now} {one}\n" for one in held).encode())
