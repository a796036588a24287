"""The compaction that is under way: a model is asked, in the background, for chunks and for their summaries; the
context is swapped between two turns; and where a model fails, or the context grows too fast, it fades without one.

Everything about it that must outlive the process is in LIFE (SEGMENT, CHUNKS, SUMMARISE, SUMMARY, FADE, SWAP, STAYED)
and so in the state. Owns `fade` in the agent's directory, a person's wish that it forget now.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from dotagent.compaction import plan, summary, swap
from dotagent.compaction.background import Background
from dotagent.compaction.plan import Chunk, Unreadable
from dotagent.compaction.summary import Summary
from dotagent.life.context import Entry
from dotagent.life.fading import Fading
from dotagent.life.replay import size
from dotagent.life.session import FLOOR, Session
from dotagent.store import launch
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.text import times, tokens

TRIES = 2
PATIENT = 1.2  # times the limit: up to there a swap waits for what is asked for and not needed, and for a cache to end
GROWTH = 1.05  # times what the last swap left: before it has grown so far, what could not get smaller is left alone

Place = Callable[[str, str, str], None]
"""place(event, detail, instruction): announce a background request in LIFE and place it."""


class Compactor:
    """Lets a life's context fade."""

    def __init__(self, session: Session, provider: str, place: Place, documents: Callable[[], None]) -> None:
        self._session, self._provider, self._place, self._papers = session, provider, place, documents
        self.calls = Background(session, provider)
        self._stuck = 0  # tokens of a context that could not be made smaller
        self.wish = session.path / "fade"
        session.full = self.floor
        if session.tokens > FLOOR * session.limit:  # the limit is another than when this life last ran
            self.floor()

    def step(self) -> bool:
        """Do the next thing about forgetting that can be done beside a conversation; False when there is none."""
        fading = self._session.state.fading
        try:
            if fading is None:
                return self._due() and self._begin()
            self.wish.unlink(missing_ok=True)  # it is being granted
            return self._segmented(fading) if fading.call else self._summed(fading)
        except (BlobMissing, BlobCorrupt) as lost:
            return self._give_up(str(lost))

    def waits(self) -> bool:
        """Whether a request of ours is out."""
        fading = self._session.state.fading
        return fading is not None and bool(fading.call or fading.out)

    def swap(self) -> bool:
        """Between two turns: swap when all is ready, and say again what a swap left out of sight; False if neither."""
        session, fading = self._session, self._session.state.fading
        if session.state.restate:
            swap.restate(session)
            return True
        if fading is None:
            return self._due() and not self.wish.exists() and swap.strip(session)
        try:
            return not fading.call and self._swap_when_ready(fading)
        except (BlobMissing, BlobCorrupt) as lost:
            return self._give_up(str(lost))

    def floor(self, target: int | None = None) -> None:
        """At once and without a model: let the oldest fade until the context is within its limit, or `target`."""
        session, fading = self._session, self._session.state.fading
        if target is None and session.tokens <= GROWTH * self._stuck:
            return
        session.full = None
        if swap.floor(session, session.limit if target is None else target):
            self.calls.abandon([fading.call, *fading.out] if fading else [])
            swap.restate(session)
        self._stuck = session.tokens if session.tokens > FLOOR * session.limit else 0
        session.full = self.floor

    def _due(self) -> bool:
        session = self._session
        return session.tokens > max(session.limit, int(GROWTH * session.state.settled)) or self.wish.exists()

    def _begin(self) -> bool:
        session = self._session
        if not self.wish.exists() and swap.bare(session):
            return False  # at the end of this turn that is done, without a model
        self._papers()
        entries = plan.eligible(session.entries, session.state.kept)
        if len(entries) < 2 or sum(map(size, entries)) < plan.SMALL:
            self.wish.unlink(missing_ok=True)
            return False
        self._segment(f"{entries[0].number} {entries[-1].number} 1 {'asked' if self.wish.exists() else 'limit'}")
        self.wish.unlink(missing_ok=True)
        return True

    def _segment(self, detail: str) -> None:
        first, last = detail.split(" ")[:2]
        self._place("SEGMENT", detail, f"{self._paper('SEGMENT.md')}\n\nSEGMENT the entries #{first} to #{last}.")

    def _segmented(self, fading: Fading) -> bool:
        """Read the chunks when they have come; ask once more when they cannot be read, then do without a model."""
        session = self._session
        answer, why = self.calls.answer(fading.call)
        if answer is None and not why:
            return False
        entries = self._eligible(fading)
        if not entries:
            return self._stay()
        try:
            if answer is None:
                raise Unreadable(why)
            chunks, how = plan.read(answer, entries), "model"
        except Unreadable as wrong:
            if fading.tries < TRIES:
                self._segment(f"{fading.first} {fading.last} {fading.tries + 1} {fading.why}")
                return True
            chunks, how = plan.propose(entries), "extractive"
            self._warn("SEGMENT.md", str(wrong), answer is not None)
        body = json.dumps([[one.first, one.last, one.relevance, one.gist] for one in chunks], ensure_ascii=False)
        session.record("CHUNKS", f"{len(chunks)} {how}", body.encode("utf-8", "replace"), gist=f"{len(chunks)} chunks")
        return True

    def _summed(self, fading: Fading) -> bool:
        """Ask for the summaries that are needed, and take those that have come; False when there is nothing to do."""
        entries = self._eligible(fading)
        for id, span in fading.out.items():
            answer, why = self.calls.answer(id)
            if answer is not None or why:
                self._take(fading, span, entries, answer, why)
                return True
        for one in self._needed(fading, entries):
            if one.span not in fading.made and one.span not in fading.out.values():
                members = plan.members(one, entries)
                known = self._session.state.spare.get(swap.key(members))
                if known:
                    self._note(one.span, members, " ".join(known.split(" ")[:2]))
                elif fading.plain:
                    self._extract(one, members)
                else:
                    self._summarise(one, members, 1)
                return True
        return False

    def _take(self, fading: Fading, span: str, entries: list[Entry], answer: str | None, why: str) -> None:
        """An answer becomes the chunk's summary. One that is none is asked for once more, as long as every chunk had
        one so far; then it is made without a model."""
        one = next(chunk for chunk in self._chunks(fading) if chunk.span == span)
        members = plan.members(one, entries)
        try:
            if answer is None:
                raise Unreadable(why)
            lines = swap.instructions(self._session, members)
            source = "\n".join(f"{who} {words}" for entry in members for who, words in plan.spoken(entry))
            made = summary.read(answer, sum(map(size, members)), lines, source, plan.keeps(members))
        except Unreadable as wrong:
            if fading.plain or not members:
                self._extract(one, members)
            elif fading.tried.get(span, 1) < TRIES:
                self._summarise(one, members, TRIES)
            else:
                self._extract(one, members)
                self._warn("SUMMARISE.md", str(wrong), answer is not None)
        else:
            self._note(span, members, f"{self._session.keep(made.text, made.gist)} {made.relevance}")

    def _summarise(self, one: Chunk, members: list[Entry], tries: int) -> None:
        words = int(summary.budget(sum(map(size, members)), plan.keeps(members)) * 0.7)
        what = f"SUMMARISE the entries #{one.first} to #{one.last} ({one.gist}), in at most {words} words."
        self._place("SUMMARISE", f"{one.span} {tries}", f"{self._paper('SUMMARISE.md')}\n\n{what}")

    def _extract(self, one: Chunk, members: list[Entry]) -> None:
        made = swap.extract(self._session, members, one, plan.keeps(members))
        self._note(one.span, members, f"{self._session.keep(made.text, made.gist)} {made.relevance}", " extractive")

    def _note(self, span: str, members: list[Entry], told: str, how: str = "") -> None:
        id, relevance = told.split(" ")
        gist = self._session.store.get(id).gist
        self._session.record("SUMMARY", f"{span} {swap.key(members)} {relevance}{how}", id=id, gist=gist)

    def _swap_when_ready(self, fading: Fading) -> bool:
        entries = self._eligible(fading)
        needed = self._needed(fading, entries)
        if any(one.span not in fading.made for one in needed):
            return False
        if (fading.out or self._cached(fading)) and self._session.tokens < PATIENT * self._session.limit:
            return False  # what was asked for and is not needed after all will serve next time
        chosen = [(one, self._made(fading, one)) for one in needed]
        if not swap.fade(self._session, chosen, entries, fading.why, True):
            return self._stay()
        self.calls.abandon(fading.out)
        return True

    def _cached(self, fading: Fading) -> bool:
        """Whether a cache that forgets soon still holds the last prompt: once it does not, a swap costs nothing."""
        told = launch.published(self._session.home).get(self._provider, {}).get("cache")
        seconds = told if isinstance(told, int) and fading.why == "limit" else 0
        asked = next((e.line.at for e in reversed(self._session.entries) if e.line and e.event == "REPLY"), None)
        return bool(asked and seconds) and time.time() - times.parse(str(asked)).timestamp() < seconds

    def _stay(self) -> bool:
        """This compaction makes nothing smaller: it ends, and the next begins when the context has grown."""
        session = self._session
        self.calls.abandon(session.state.fading.out if session.state.fading else ())
        session.record("STAYED", str(session.tokens))
        return True

    def _give_up(self, why: str) -> bool:
        """What this compaction stands on is lost."""
        self._session.record("ERROR", why)
        return self._stay()

    def _eligible(self, fading: Fading) -> list[Entry]:
        kept = self._session.state.kept
        return [e for e in self._session.entries if fading.first <= e.number <= fading.last and e.number not in kept]

    def _chunks(self, fading: Fading) -> list[Chunk]:
        return [Chunk(*one) for one in json.loads(self._session.store.get(fading.plan).body)]

    def _needed(self, fading: Fading, entries: list[Entry]) -> list[Chunk]:
        chunks = self._chunks(fading)
        costs = {one.span: tokens.estimate(self._made(fading, one).text) + swap.HEAD
                 for one in chunks if one.span in fading.made}  # fmt: skip
        return plan.needed(chunks, entries, costs)

    def _made(self, fading: Fading, one: Chunk) -> Summary:
        id, relevance = fading.made[one.span].split(" ")
        blob = self._session.store.get(id)
        return Summary(int(relevance), blob.gist, blob.body.decode("utf-8", "replace"))

    def _paper(self, name: str) -> str:
        return self._session.store.get(self._session.state.documents[name]).body.decode("utf-8", "replace").strip()

    def _warn(self, paper: str, why: str, answered: bool) -> None:
        if answered:  # not when the provider failed: that is nobody's edit
            told = f"I let a part of this fade without a model: twice the answer to {paper} could not be read ({why})."
            self._session.record("WARN", body=f"{told} If that is your edit, mend it.".encode())
