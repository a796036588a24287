"""The compaction in progress: it asks a model in the background for chunks and their summaries, and swaps the context
between two turns. If the model fails, or the context grows too fast, entries fade without a model.

All state that must survive the process is in LIFE (SEGMENT, CHUNKS, SUMMARISE, SUMMARY, FADE, SWAP, STAYED). Owns
`run/fade` and `run/unfade` in the agent's directory: a person's request to fade now, and to undo a swap.
"""

from __future__ import annotations

import json

from dotagent import extensions
from dotagent.compaction import fade_plan, flush, plan, prefetch, standing_wishes, summary, swap, undo
from dotagent.compaction.background_calls import BackgroundCalls
from dotagent.compaction.forks import Forks
from dotagent.compaction.plan import Chunk, Unreadable
from dotagent.compaction.summary import Summary
from dotagent.life import candidates
from dotagent.life.background_events import find_held
from dotagent.life.compaction_events import Chunks, Segment, Stayed, Summed
from dotagent.life.context import Entry, tokens_of
from dotagent.life.documents import Documents
from dotagent.life.events import Error, Warn
from dotagent.life.model_calls import ModelCalls
from dotagent.life.session import Session
from dotagent.life.state import Compaction
from dotagent.store import disk
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.text import tokens
from dotagent.text.lazy import replace

EXTRACT = "extract"
TRIES = 2
GROWTH = 1.05  # times the size after the last swap: until then, a context that could not shrink is left alone


class Compactor:
    """Fades an agent's context."""

    def __init__(self, session: Session, calls: ModelCalls, documents: Documents) -> None:
        self._session, self._calls, self._documents = session, BackgroundCalls(session, calls), documents
        self._forks = Forks(session, self._calls, documents)
        self._stuck = 0  # tokens of a context that could not be made smaller
        self._held = 0.0  # seconds that a swap waits for a cache to end, by the last check
        self.wish = session.path / "run" / "fade"  # no sandboxed command can write here
        self.regret = session.path / "run" / "unfade"  # contains the full id of the swap's blob

    @property
    def _asks(self) -> bool:
        """Return True if the background provider has a model for summaries."""
        kind = self._session.settings.kind(self._calls.provider)
        return not kind or extensions.constants("providers", kind).get("COMPACTS", True) is not False

    def begin(self) -> None:
        """Complete a swap that a crashed process did not finish, and apply a changed limit."""
        if self._session.state.forgetting.restate:
            swap.restate(self._session)
        if self._session.overfull:
            self.force()

    def step(self) -> bool:
        """Do the next step of compaction that can run during a conversation. Return False if there is none."""
        now = self._session.state.forgetting.compaction
        try:
            if not self._asks or self._wished()[0] == EXTRACT:  # only a request is handled here; `swap` does the others
                return disk.is_file(self.wish) and not self._session.state.turn.call and self._extracted(now)
            if now is None:
                self._calls.is_reading()
                return flush.invite(self._session) or (
                    self._due() and not flush.is_waiting(self._session) and self._begin()
                )
            disk.remove(self.wish)  # the request is being handled
            return self._segmented(now) if now.call else self._summed(now)
        except (BlobMissing, BlobCorrupt) as lost:
            return self._give_up(str(lost))

    def swap(self) -> bool:
        """Between two turns, swap if everything is ready, or repeat documents that a swap removed from view. Return
        False if neither applies."""
        session, now, self._held = self._session, self._session.state.forgetting.compaction, 0.0
        if session.state.forgetting.restate:
            swap.restate(session)
            prefetch.place(session, self._calls)
            return True
        if swap.tell(session) or standing_wishes.grant(session, session.path / "run" / "standing", session.owner):
            return True
        if candidates.grant(session):
            return True
        if disk.is_file(self.regret):
            if undo.grant(session, self.regret):
                self._calls.cancel([now.call, *now.out] if now else [])
                self._stuck = 0
            return True
        try:
            if not self._asks:
                return (now is not None or self._due()) and not disk.is_file(self.wish) and self._extracted(now)
            if now is None:
                return self._due() and not disk.is_file(self.wish) and self._strip()
            return not now.call and self._swap_when_ready(now)
        except (BlobMissing, BlobCorrupt) as lost:
            return self._give_up(str(lost))

    def sleep(self, seconds: float | None) -> float | None:
        """Return how long the loop may sleep at most, given another limit in seconds."""
        return min(one for one in (self._held, seconds) if one is not None) if self._held else seconds

    def _extracted(self, now: Compaction | None) -> bool:
        """Do a whole compaction at once without a model, even if a provider with a model began it."""
        session, why = self._session, now.why if now else self._wished()[0] or "limit"
        why = plan.REST if why == EXTRACT else why
        self._calls.cancel([now.call, *now.out] if now else [])
        disk.remove(self.wish)
        if why == "limit" and swap.strip(session, swap.stripped(session)):
            return True
        entries = self._worth_it(why)
        if not entries:
            return now is not None and self._stay()
        chunks = plan.parted(plan.propose(entries), entries, find_held(session.state))
        chosen = [(one, self._extract_from(one, entries, why)) for one in chunks]
        return swap.fade(session, chosen, entries, why, why != plan.REST) or self._stay()

    def force(self, target: int | None = None) -> None:
        """Fade the finished chunks at once, and the oldest entries without a model, until the context is within its
        limit or `target`."""
        session, under_way = self._session, self._session.state.forgetting.compaction
        if target is None and session.tokens <= GROWTH * self._stuck:
            return
        try:
            if target is None and under_way and not under_way.call and self._asks:
                self._swap_when_ready(self._complete(under_way))  # ranked and written by a model, which is better
        except (BlobMissing, BlobCorrupt) as lost:
            self._give_up(str(lost))
        first = swap.heavy(session.state) and swap.headed(session)  # the head's size alone does not make entries fade
        if target is not None:
            target = max(target, session.limit) if first else target
        if swap.force(session, session.limit if target is None else target) or first or swap.headed(session):
            self._calls.cancel([under_way.call, *under_way.out] if under_way else [])
        if session.state.forgetting.restate:
            swap.restate(session)
            if not session.state.turn.waits:
                prefetch.place(session, self._calls)
        self._stuck = session.tokens if session.overfull else 0

    def _complete(self, now: Compaction) -> Compaction:
        """Make the missing summaries without a model, and return the compaction with them."""
        self._calls.cancel([*now.out])
        entries = self._eligible(now)
        while missing := [one for one in self._needed(now, entries) if one.span not in now.made]:
            self._extract(missing[0], entries, now.why)
            now = self._session.state.forgetting.compaction or now
        return now

    def _due(self) -> bool:
        least = max(self._session.limit, int(GROWTH * self._session.state.forgetting.settled))
        return self._session.tokens > least or disk.is_file(self.wish)

    def _wished(self) -> tuple[str, int]:
        """Return why a compaction is requested, and for how many seconds its swap waits after the last reply: `asked`
        by a person, `rest` or `extract` (at rest, without a model). It is "" without a request."""
        try:
            why, lasts = (*disk.read(self.wish, 40).decode("ascii", "replace").split(), "", "")[:2]
        except OSError:
            return "", 0
        return (why, int(lasts) if lasts.isdecimal() else 0) if why in (plan.REST, EXTRACT) else ("asked", 0)

    def _begin(self) -> bool:
        why, lasts = self._wished()
        if not why and swap.stripped(self._session):
            return False  # done without a model at the end of this turn
        entries = self._worth_it(why)
        if entries:
            self._forks.segment(Segment(entries[0].number, entries[-1].number, 1, why or "limit", lasts))
        disk.remove(self.wish)
        return bool(entries)

    def _worth_it(self, why: str) -> list[Entry]:
        """Return the entries that may fade, or nothing if they are too few. The prompts are read again first. At rest
        they are not, because the request must begin with the same bytes as the last one."""
        if why != plan.REST:
            self._documents.read()
        entries = plan.dense(plan.eligible(self._session.entries, fade_plan.held(self._session), why=why), why)
        return entries if len(entries) > 1 and tokens_of(entries) >= plan.SMALL else []

    def _segmented(self, now: Compaction) -> bool:
        """Read the chunks when they have come. Ask once more if they are unreadable, then do without a model."""
        session = self._session
        answer, why = self._calls.answer(now.call)
        if answer is None and not why:
            again = Segment(now.first, now.last, now.tries, now.why, now.lasts)
            return prefetch.outdated(session, self._calls, now.call) and self._forks.segment(again, now.call)
        entries = self._eligible(now)
        if not entries:
            return self._stay()
        try:
            if answer is None:
                raise Unreadable(why)
            chunks, how = plan.read(answer, entries, self._forks.others(), self._goal(now)), "model"
        except Unreadable as wrong:
            if now.tries < TRIES:
                return self._forks.segment(Segment(now.first, now.last, now.tries + 1, now.why, now.lasts))
            chunks, how = plan.propose(entries), "extractive"
            self._warn("SEGMENT.md", str(wrong), answer is not None)
        chunks = plan.parted(chunks, entries, now.frame)
        rows = [[one.first, one.last, one.relevance, one.gist, *filter(None, [one.told])] for one in chunks]
        body = json.dumps(rows, ensure_ascii=False)
        session.record(Chunks(len(chunks), how), body.encode("utf-8", "replace"), gist=f"{len(chunks)} chunks")
        return True

    def _summed(self, now: Compaction) -> bool:
        """Ask for the needed summaries, and take the answers. Return False if there is nothing to do."""
        entries = self._eligible(now)
        for id, span in now.out.items():
            answer, why = self._calls.answer(id)
            if answer is not None or why:
                self._take(now, span, entries, answer, why)
                return True
            if prefetch.outdated(self._session, self._calls, id):
                one = next(chunk for chunk in self._chunks(now) if chunk.span == span)
                return self._forks.summarise(one, plan.members(one, entries), now.tried[span], id)
        for one in self._needed(now, entries):
            if one.span not in now.made and one.span not in now.out.values():
                members = plan.members(one, entries)
                known = self._session.state.forgetting.spare.get(fade_plan.key(members))
                if known:
                    self._note(one.span, members, *known.split(" ")[:2])
                elif now.plain:
                    self._extract(one, entries, now.why)
                elif one.told and one.span not in now.tried:
                    told = f"relevance: {one.relevance}\ngist: {one.gist}\n\n{one.told}"
                    self._take(now, one.span, entries, told, "")
                else:
                    self._forks.summarise(one, members, 1)
                return True
        return False

    def _take(self, now: Compaction, span: str, entries: list[Entry], answer: str | None, why: str) -> None:
        """Store an answer as the chunk's summary. If it is invalid, ask once more while every other chunk had a valid
        one; then make the summary without a model."""
        one = next(chunk for chunk in self._chunks(now) if chunk.span == span)
        members = plan.members(one, entries)
        try:
            if answer is None:
                raise Unreadable(why)
            extract = self._extract_from(one, entries, now.why)
            source = plan.source(members, self._forks.others(), standing_wishes.lines(self._session))
            told, spoken = plan.kept_share(members, entries, now.why), swap.spoken(self._session, members)
            made = summary.read(answer, tokens_of(members), extract, source, told, spoken)
            made = swap.marked(self._session, members, made)
        except Unreadable as wrong:
            if now.plain or not members:
                self._extract(one, entries, now.why)
            elif now.tried.get(span, 1) < TRIES:
                self._forks.summarise(one, members, TRIES)
            else:
                self._extract(one, entries, now.why)
                self._warn("SUMMARISE.md", str(wrong), answer is not None)
        else:
            self._note(span, members, self._session.keep(made.text, made.gist), made.relevance)

    def _extract_from(self, one: Chunk, entries: list[Entry], why: str) -> Summary:
        members = plan.members(one, entries)
        return swap.extract(self._session, members, one, plan.kept_share(members, entries, why))

    def _extract(self, one: Chunk, entries: list[Entry], why: str) -> None:
        made, members = self._extract_from(one, entries, why), plan.members(one, entries)
        self._note(one.span, members, self._session.keep(made.text, made.gist), made.relevance, "extractive")

    def _note(self, span: str, members: list[Entry], id: str, relevance: int | str, how: str = "") -> None:
        gist = self._session.store.get(id).gist
        self._session.record(Summed(span, fade_plan.key(members), int(relevance), how), id=id, gist=gist)

    def _strip(self) -> bool:
        session, entries = self._session, swap.stripped(self._session)
        if entries:
            self._held = prefetch.pause(session, self._calls, entries, fade_plan.state_after(session, entries, set()))
        return not self._held and swap.strip(session, entries)

    def _swap_when_ready(self, now: Compaction) -> bool:
        session, entries = self._session, self._eligible(now)
        needed = self._needed(now, entries)
        if any(one.span not in now.made for one in needed) or (now.out and prefetch.patient(session)):
            return False  # a requested summary that is no longer needed will be used next time
        chosen = [(one, self._made(now, one)) for one in needed]
        found = fade_plan.foreseen(session, chosen, entries) if now.why == "limit" else None
        rests = now.why == plan.REST
        if rests and session.tokens <= session.limit:
            self._held = prefetch.left(session, now.lasts)
        if found:  # the prefetched prompt is the next one
            self._held, chosen = prefetch.pause(session, self._calls, found[0].entries, found[1]), found[0].chosen
        if self._held:
            return False
        if not swap.fade(session, chosen, entries, now.why, not (found or rests)):
            return self._stay()
        self._calls.cancel(now.out)
        return True

    def _stay(self) -> bool:
        """End this compaction, which makes nothing smaller. The next begins when the context has grown."""
        session = self._session
        now = session.state.forgetting.compaction
        self._calls.cancel(now.out if now else ())
        session.record(Stayed(session.tokens))
        return True

    def _give_up(self, why: str) -> bool:
        """End this compaction, because its data is lost."""
        self._session.record(Error(why))
        return self._stay()

    def _eligible(self, now: Compaction) -> list[Entry]:
        kept = {*self._session.state.forgetting.kept, *now.frame}
        return [e for e in self._session.entries if now.first <= e.number <= now.last and e.number not in kept]

    def _chunks(self, now: Compaction) -> list[Chunk]:
        return [Chunk(*one) for one in json.loads(self._session.store.get(now.plan).body)]

    def _needed(self, now: Compaction, entries: list[Entry]) -> list[Chunk]:
        made = {one.span: self._made(now, one) for one in self._chunks(now) if one.span in now.made}
        chunks = [replace(one, relevance=made[one.span].relevance) if one.span in made else one
                  for one in self._chunks(now)]  # fmt: skip
        other = self._session.state.model.other
        costs = {span: tokens.estimate(one.text, other) + swap.HEAD for span, one in made.items()}
        over = fade_plan.excess_tokens(self._session)
        return plan.needed(chunks, entries, costs, self._session.state.forgetting.back, self._goal(now), over)

    def _goal(self, now: Compaction) -> float:
        """Return the share of the entries that stays, word for word or summarised; at rest every chunk fades."""
        return 0.0 if now.why == plan.REST else self._session.settings.fade_to

    def _made(self, now: Compaction, one: Chunk) -> Summary:
        id, relevance = now.made[one.span].split(" ")
        blob = self._session.store.get(id)
        return Summary(int(relevance), blob.gist, blob.body.decode("utf-8", "replace"))

    def _warn(self, name: str, why: str, answered: bool) -> None:
        if answered:  # not if the provider failed, which is not caused by an edit
            told = (
                f"A part of the context was summarised without a model, because two answers to {name} could not be "
                f"read ({why})."
            )
            edit = f" If you edited {name}, correct it." if self._documents.edited(name) else ""
            self._session.record(Warn(), f"{told}{edit}".encode())
