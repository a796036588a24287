"""The compaction that is under way: a model is asked, in the background, for chunks and for their summaries; the
context is swapped between two turns; and where a model fails, or the context grows too fast, it fades without one.

Everything about it that must outlive the process is in LIFE (SEGMENT, CHUNKS, SUMMARISE, SUMMARY, FADE, SWAP) and so in
the state; here is only since when this process waits.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

from dotagent import calls, context, serving
from dotagent.blobs import BlobCorrupt, BlobMissing, content_id
from dotagent.calls import Call
from dotagent.context import Entry
from dotagent.forgetting import chunk as trees
from dotagent.forgetting import plan, summary
from dotagent.forgetting.plan import Chunk, Unreadable
from dotagent.forgetting.summary import Summary
from dotagent.life import Line
from dotagent.mind import SHARE, Mind, size
from dotagent.state import Fading

TRIES = 2
STALLED = 180.0  # seconds after which a background call has failed
ENOUGH = 0.85  # of the limit: what stripping old reasoning and reminders must reach for a swap of its own

Place = Callable[[str, str, str], None]
"""place(event, detail, instruction): announce a background request in LIFE and place it."""


class Fader:
    """Lets a life's context fade."""

    def __init__(self, mind: Mind, provider: str, place: Place, papers: Callable[[], None]) -> None:
        self._mind, self._provider, self._place, self._papers = mind, provider, place, papers
        self._since: dict[str, float] = {}
        self.wish = mind.path / "fade"
        mind.full = self.floor

    def step(self) -> bool:
        """Do the next thing about forgetting that can be done beside a conversation; False when there is none."""
        fading = self._mind.state.fading
        if fading is None:
            return self._due() and self._begin()
        if fading.call:
            return self._segmented(fading)
        return fading.plan != "" and self._summed(fading)

    def waits(self) -> bool:
        """Whether a request of ours is out."""
        fading = self._mind.state.fading
        return fading is not None and bool(fading.call or fading.out)

    def swap(self) -> bool:
        """Between two turns: swap when all is ready, and say again what a swap left out of sight; False if neither."""
        if self._mind.state.restate:
            return self._restate()
        fading = self._mind.state.fading
        if fading is None:
            return self._due() and self._strip()
        if not fading.plan:
            return False
        entries = self._eligible(fading)
        needed = self._needed(fading, entries)
        if not needed or any(one.span not in fading.made for one in needed):
            return False
        self._swap([(one, self._made(fading, one)) for one in needed], entries, "limit")
        return True

    def floor(self, target: int | None = None) -> None:
        """At once and without a model: let the oldest fade until the context is within its limit, or `target`."""
        mind = self._mind
        mind.full = None
        self._abandon()
        goal = mind.limit if target is None else target
        while mind.tokens > goal:
            entries = plan.eligible(mind.entries, mind.state.kept)
            fresh = [entry for entry in entries if entry.event != "FADED"]
            if not entries or (not fresh and len(entries) < 2):
                break
            chosen, over = [], mind.tokens - goal
            for one in plan.propose(entries):
                if over <= 0:
                    break
                members = plan.members(one, entries)
                made = summary.extract_from(members, one.relevance, one.gist, mind.limit)
                over -= int(sum(map(size, members)) * mind.state.ratio)
                chosen.append((one, made))
            before = mind.tokens
            self._swap(chosen, entries, "floor")
            if mind.tokens >= before:
                break
        mind.full = self.floor

    def _due(self) -> bool:
        mind = self._mind
        return mind.tokens > max(mind.limit, int(1.05 * mind.state.settled)) or self.wish.exists()

    def _begin(self) -> bool:
        mind = self._mind
        self._papers()
        entries = plan.eligible(mind.entries, mind.state.kept)
        self.wish.unlink(missing_ok=True)
        if len(entries) < 2:
            return False
        self._segment(entries[0].number, entries[-1].number, 1)
        return True

    def _segment(self, first: int, last: int, tries: int) -> None:
        instruction = f"{self._paper('SEGMENT.md')}\n\nSEGMENT the entries #{first} to #{last}."
        self._place("SEGMENT", f"{first} {last} {tries}", instruction)

    def _segmented(self, fading: Fading) -> bool:
        """Read the chunks when they have come; ask once more when they cannot be read, then do without a model."""
        mind = self._mind
        answer, why = self._answer(fading.call)
        if answer is None and not why:
            return False
        entries = self._eligible(fading)
        try:
            if answer is None:
                raise Unreadable(why)
            chunks, how = plan.read(answer, entries), "model"
        except Unreadable as wrong:
            if fading.tries < TRIES:
                self._segment(fading.first, fading.last, fading.tries + 1)
                return True
            chunks, how = plan.propose(entries), "extractive"
            self._warn("SEGMENT.md", str(wrong), answer is not None)
        body = json.dumps([[one.first, one.last, one.relevance, one.gist] for one in chunks], ensure_ascii=False)
        mind.record("CHUNKS", f"{len(chunks)} {how}", body.encode(), gist=f"{len(chunks)} chunks")
        return True

    def _summed(self, fading: Fading) -> bool:
        """Ask for the summaries that are needed, and take those that have come; False when there is nothing to do."""
        entries = self._eligible(fading)
        for id, span in fading.out.items():
            answer, why = self._answer(id)
            if answer is not None or why:
                self._take(fading, span, entries, answer, why)
                return True
        for one in self._needed(fading, entries):
            if one.span not in fading.made and one.span not in fading.out.values():
                known = self._mind.state.spare.get(_key(plan.members(one, entries)))
                if known:
                    self._note(one.span, entries, known)
                else:
                    self._summarise(fading, one, 1)
                return True
        return False

    def _take(self, fading: Fading, span: str, entries: list[Entry], answer: str | None, why: str) -> None:
        one = next(chunk for chunk in self._chunks(fading) if chunk.span == span)
        members = plan.members(one, entries)
        try:
            if answer is None:
                raise Unreadable(why)
            made = summary.read(answer, members, self._mind.limit)
        except Unreadable as wrong:
            if fading.tried.get(span, 1) < TRIES:
                self._summarise(fading, one, TRIES)
                return
            made = summary.extract_from(members, one.relevance, one.gist, self._mind.limit)
            self._warn("SUMMARISE.md", str(wrong), answer is not None)
        self._note(span, entries, f"{self._keep(made)} {made.relevance}")

    def _summarise(self, fading: Fading, one: Chunk, tries: int) -> None:
        words = int(summary.budget(plan.members(one, self._eligible(fading))) * 0.7)
        what = f"SUMMARISE the entries #{one.first} to #{one.last}, in at most {words} words."
        self._place("SUMMARISE", f"{one.span} {tries}", f"{self._paper('SUMMARISE.md')}\n\n{what}")

    def _note(self, span: str, entries: list[Entry], told: str) -> None:
        id, relevance = told.split(" ")
        first, last = (int(word) for word in span.split("-"))
        members = plan.members(Chunk(first, last, 1, ""), entries)
        gist = self._mind.store.get(id).gist
        self._mind.record("SUMMARY", f"{span} {_key(members)} {relevance}", id=id, gist=gist)

    def _swap(self, chosen: list[tuple[Chunk, Summary]], eligible: list[Entry], why: str) -> None:
        """Let chunks fade: from the least to the most relevant, until what may fade is at half its tokens."""
        mind, before = self._mind, self._mind.tokens
        half = sum(map(size, eligible)) / 2 if why == "limit" else 0.0
        left = float(sum(map(size, eligible)))
        faded: dict[int, Entry] = {}
        gone: set[int] = set()
        used = set()
        for one, made in sorted(chosen, key=lambda pair: (pair[1].relevance, pair[0].first)):
            if left <= half:
                break
            members = plan.members(one, eligible)
            new = self._faded(one, made, members, why)
            left -= sum(map(size, members)) - size(new)
            faded[members[0].number] = new
            gone |= {entry.number for entry in members}
            used.add(_key(members))
        may = {entry.number for entry in eligible}
        entries = [faded.get(entry.number) or (self._bared(entry) if entry.number in may else entry)
                   for entry in mind.entries if entry.number in faded or entry.number not in gone]  # fmt: skip
        spare = {key: told for key, told in mind.state.spare.items() if key not in used}
        self._exchange(entries, before, why, spare)

    def _faded(self, one: Chunk, made: Summary, members: list[Entry], why: str) -> Entry:
        mind = self._mind
        kept = self._keep(made)
        tree = trees.keep(mind.store, mind.id, members, made.gist)
        first = members[0].line
        assert first
        detail = f"{one.first}-{one.last} relevance={made.relevance} summary={kept}"
        line = Line(first.at, "FADED", detail, tree, made.gist)
        new = context.entry(line, members[0].number, lambda id: mind.store.get(id).body, mind.limit // SHARE)
        assert new
        tokens = f"tokens={sum(map(size, members))}->{size(new)}"
        mind.record("FADE", f"{one.span} {why} relevance={made.relevance} {tokens}", id=tree, gist=made.gist)
        return new

    def _exchange(self, entries: list[Entry], before: int, why: str, spare: dict[str, str]) -> None:
        mind = self._mind
        there = {entry.number for entry in entries}
        shown = {name: mind.state.papers.get(name, id) for name, id in mind.state.shown.items()}
        kept = tuple(number for number in mind.state.kept if number in there)
        state = replace(mind.state, fading=None, restate=True, spare=spare, shown=shown, kept=kept)
        after = int(sum(map(size, entries)) * mind.state.ratio)
        state = replace(state, settled=after)
        mind.swap(entries, f"{why} tokens={before}->{after}", state)

    def _strip(self) -> bool:
        """Drop old reasoning, reminders and what was brought back, if that alone is enough; False if it is not."""
        mind = self._mind
        may = {entry.number for entry in plan.eligible(mind.entries, mind.state.kept)}
        entries = [self._bared(entry) if entry.number in may else entry for entry in mind.entries]
        if sum(map(size, entries)) * mind.state.ratio > ENOUGH * mind.limit or self.wish.exists():
            return False
        self._exchange(entries, mind.tokens, "strip", dict(mind.state.spare))
        return True

    def _bared(self, entry: Entry) -> Entry:
        if not context.can_be_bare(entry) or entry.line is None:
            return entry
        body, share = self._mind.store.get, self._mind.limit // SHARE
        return context.entry(entry.line, entry.number, lambda id: body(id).body, share, bare=True) or entry

    def _restate(self) -> bool:
        """After a swap: MEMORY as it is now, and what of LIFE's end the context does not show."""
        mind = self._mind
        memory = mind.state.papers.get("MEMORY.md")
        if memory:
            mind.record("PAPER", "MEMORY.md", id=memory, gist="MEMORY.md")
        mind.record("LIFE", body=mind.recent(), gist="LIFE's last lines")
        return True

    def _answer(self, id: str) -> tuple[str | None, str]:
        """A background call's answer, or why there is none; neither while it is out."""
        mind = self._mind
        outcome = calls.done(mind.home, mind.id, id)
        if outcome is None:
            return None, self._look_after(id)
        self._since.pop(id, None)
        if not outcome.reply:
            return None, outcome.hint
        try:
            return mind.store.get(outcome.reply).body.decode("utf-8", "replace"), ""
        except (BlobMissing, BlobCorrupt) as lost:
            return None, str(lost)

    def _look_after(self, id: str) -> str:
        """See to it that a background call can still be answered; why it cannot, or an empty text."""
        mind = self._mind
        if time.monotonic() - self._since.setdefault(id, time.monotonic()) > STALLED:
            calls.cancel(mind.home, Call(id, mind.id, self._provider), kind="timeout", hint="no answer in time")
            return "no answer in time"
        calls.put_back(mind.home)
        if not calls.placed(mind.home, self._provider, id) and calls.done(mind.home, mind.id, id) is None:
            if not mind.store.path(id).exists():
                return "a power cut took the request"
            calls.place(mind.home, Call(id, mind.id, self._provider, "background"))
        serving.ensure(mind.home, self._provider)
        return ""

    def _abandon(self) -> None:
        mind, fading = self._mind, self._mind.state.fading
        for id in [fading.call, *fading.out] if fading else []:
            if id:
                calls.cancel(mind.home, Call(id, mind.id, self._provider))

    def _eligible(self, fading: Fading) -> list[Entry]:
        kept = self._mind.state.kept
        return [e for e in self._mind.entries if fading.first <= e.number <= fading.last and e.number not in kept]

    def _chunks(self, fading: Fading) -> list[Chunk]:
        return [Chunk(*one) for one in json.loads(self._mind.store.get(fading.plan).body)]

    def _needed(self, fading: Fading, entries: list[Entry]) -> list[Chunk]:
        return plan.needed(self._chunks(fading), entries, summary.BUDGET)

    def _made(self, fading: Fading, one: Chunk) -> Summary:
        id, relevance = fading.made[one.span].split(" ")
        blob = self._mind.store.get(id)
        return Summary(int(relevance), blob.gist, blob.body.decode("utf-8", "replace"))

    def _keep(self, made: Summary) -> str:
        return self._mind.keep(made.text, made.gist)

    def _paper(self, name: str) -> str:
        return self._mind.store.get(self._mind.state.papers[name]).body.decode("utf-8", "replace").strip()

    def _warn(self, paper: str, why: str, answered: bool) -> None:
        if answered:  # not when the provider failed: that is nobody's edit
            told = f"I let a part of this fade without a model: twice the answer to {paper} could not be read ({why})."
            self._mind.record("WARN", body=f"{told} If that is your edit, mend it.".encode())


def _key(members: list[Entry]) -> str:
    return content_id(" ".join(entry.line.id or entry.line.at for entry in members if entry.line).encode())
