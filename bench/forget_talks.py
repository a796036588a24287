"""Conversations that a life listened to and mostly forgot: is every word there, found again, reminded of?
The tables --reach, --recall and --faint of bench/forget.py."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import forget_lives as lives
import shown  # type: ignore[import-not-found]
from forget_lives import ROOM, Clock
from recall_ranks import DEPTH, Rank, measures, ours, plain
from recall_sets import KINDS, Question, Talk
from support import REFERENCE  # type: ignore[import-not-found]
from tables import markdown
from world import World  # type: ignore[import-not-found]

from dotagent.capabilities.faint_memory.capability import feed_of
from dotagent.compaction import check, tree
from dotagent.life.replay import View
from dotagent.search.feed import Feed
from dotagent.search.index import Index
from dotagent.store import log, rooms
from dotagent.store.blobs import Blobs
from dotagent.text import times

LIMIT, SMALL = 4000, 1000  # tokens of context; of the bench's own conversations, which are short
HEADS = ("any@1", "any@3", "any@5", "any@10", "all@5", "all@10", "MRR")


@dataclass(frozen=True)
class Fed:
    """A life that heard a conversation, at rest: `heard` is each turn's blob, `ids` each blob's turn."""

    talk: Talk
    lived: World
    limit: int
    heard: tuple[str, ...]
    ids: dict[str, str]


@contextmanager
def fed(talk: Talk, path: Path, limit: int) -> Iterator[Fed]:
    """A life that has heard the conversation."""
    with lives.life(path, limit, lives.quiet) as lived:
        lives.feed(lived, talk, Clock())
        lines = log.lines(lived.session.path / "LIFE.md")
        heard = tuple(line.id for line in lines if line.event == "HEAR")
        ids = {id: turn.id for id, turn in zip(heard, talk.turns, strict=True)}
        yield Fed(talk, lived, limit, heard, ids)


def reached(one: Fed) -> list[object]:
    """A row: whether each turn's bytes, as the room has them, are found by following references from context.md."""
    session = one.lived.session
    steps: dict[int, tuple[int, bytes]] = {}
    for entry in shown.parse(session.file.read_bytes()):
        if entry.event == "HEAR":
            steps[entry.number] = (1, session.store.get(session.store.find(entry.id)).body)
        elif entry.event == "FADED":
            steps.update(_below(session.store, session.store.find(entry.id), 1))
    found = rooms.read(session.home.room(ROOM), rooms.Position())
    assert found
    there = [message.raw for message in found[0] if message.raw.startswith(b"[USER:")]  # the agent's are no HEAR
    originals = [body for _, (_, body) in sorted(steps.items())]
    same = sum(1 for raw, body in zip(there, originals, strict=False) if raw == body)
    proved = check.reach(session.store, View(session.state, tuple(session.entries)))
    swaps, floors = lives.count(one.lived, "SWAP"), lives.count(one.lived, "SWAP", "floor")
    share = 100 * same / max(len(there), len(originals))
    longest = max(step for step, _ in steps.values())
    faded = sum(1 for entry in session.entries if entry.event == "FADED")
    live = sum(1 for entry in session.entries if entry.event == "HEAR")
    return [one.talk.name, len(there), swaps, floors, session.tokens, faded, live, f"{share:.2f}", longest,
            len(proved.problems)]  # fmt: skip


def _below(store: Blobs, id: str, steps: int) -> dict[int, tuple[int, bytes]]:
    """The messages below a tree: number -> steps from the context, and bytes."""
    found: dict[int, tuple[int, bytes]] = {}
    for member in tree.decode(store.get(id).body):
        if member.line.event == "FADED":
            found.update(_below(store, member.line.id, steps + 1))
        elif member.line.event == "HEAR":
            found[member.number] = (steps + 1, store.get(member.line.id).body)
    return found


def print_reached(rows: Sequence[Sequence[object]]) -> None:
    """The table of --reach."""
    heads = ("turns", "swaps", "of them at the floor", "tokens of context", "summaries", "turns live",
             "reached, %", "steps at most", "problems")  # fmt: skip
    markdown(("nothing is lost", *heads), [[str(cell) for cell in row] for row in rows])


Scores = list[tuple[str, int, list[float]]]


def recalled(one: Fed, path: Path) -> Scores:
    """How each question is answered: by plain FTS5, an index of the conversation alone, the life's own RECALL."""
    session = one.lived.session
    feed = Feed(session.path, session.store, session.owner)
    alone = Index(path)
    alone.add(one.talk.turns)
    ranks: dict[str, Rank] = {
        "plain FTS5 bm25": plain(one.talk.turns),
        "RECALL, conversation alone": ours(alone),
        "RECALL of the life": lambda text, k: [one.ids.get(hit.turn.id, "-") for hit in feed.search(text, k)],
    }
    found = [(name, asked.kind, measures(rank(asked.text, DEPTH), asked.gold))
             for name, rank in ranks.items() for asked in one.talk.questions]  # fmt: skip
    alone.close()
    feed.index.close()
    return found


def print_recalled(scores: Scores) -> None:
    """The table of --recall."""
    rows: list[list[str | float]] = []
    for name in dict.fromkeys(name for name, _, _ in scores):
        for kind, title in [*KINDS.items(), (0, "total")]:
            part = [values for own, of, values in scores if own == name and of in (kind, kind or of)]
            if part:
                columns = zip(*part, strict=True)
                rows.append([f"{name}, {title} ({len(part)})", *(100 * sum(column) / len(part) for column in columns)])
    markdown(("found again, %", *HEADS), rows)


@dataclass(frozen=True)
class Reminded:
    """What happened when a question was said: was evidence named first, or at all, was some in view before (live, or
    named already: it is not named again), and how many turns were named."""

    kind: int
    first: bool
    any: bool
    before: bool
    named: int


def reminded(one: Fed, path: Path) -> list[Reminded]:
    """Say each question in the room of a fork of the life, and read the FAINT entry that follows, if one does."""
    there = {one.ids[entry.line.id] for entry in one.lived.session.entries if entry.event == "HEAR"}
    faint = (entry.content or b"" for entry in one.lived.session.entries if entry.event == "FAINT")
    there |= {one.ids.get(id, "-") for id in _references(faint, one.heard)}
    found = []
    for number, asked in enumerate(one.talk.questions):
        home = lives.fork(one.lived, path / f"fork-{number}")
        ids = [one.ids.get(id, "-") for id in _named(home, asked, one)]
        gold = asked.gold
        first, named = bool(gold & set(ids[:1])), bool(gold & set(ids))
        found.append(Reminded(asked.kind, first, named, bool(gold & there), len(ids)))
        shutil.rmtree(home)
    return found


def _named(home: Path, asked: Question, one: Fed) -> list[str]:
    """The blobs that the reminder names after this was said, in order."""
    with lives.life(home, one.limit, lives.quiet) as lived:
        feed_of(lived.session).index.remind(asked.text)  # as in a life that is awake: the index is open
        before = times.now()
        lived.say(asked.text, "eve", ROOM)
        Clock().run(lived)  # a swap may follow at once, so what the context holds then is no guide
        new = [line.id for line in lives.lines(lived) if line.event == "FAINT" and line.at > before]
        return _references((lived.session.store.get(id).body for id in new), one.heard)


def _references(bodies: Iterable[bytes], heard: Sequence[str]) -> list[str]:
    """The messages' blobs that these texts name, in order."""
    text = b"\n".join(bodies).decode()
    by_short = {id[:12]: id for id in heard}
    return [by_short.get(found[1], found[1]) for found in REFERENCE.finditer(text)]


def print_reminded(found: Sequence[Reminded]) -> None:
    """The table of --faint."""
    rows: list[list[str | float]] = []
    for kind, title in [*KINDS.items(), (0, "total")]:
        part = [one for one in found if one.kind == kind or not kind]
        if part:
            gone = [one for one in part if not one.before]
            of_all = zip(*((one.first, one.any, one.any or one.before, one.named > 0) for one in part), strict=True)
            of_gone = zip(*((one.first, one.any) for one in gone), strict=True)
            shares = [100 * sum(column) / len(part) for column in of_all]
            shares += [100 * sum(column) / len(gone) for column in of_gone]
            named = sum(one.named for one in part) / len(part)
            rows.append([f"{title} ({len(part)}, {len(gone)} forgotten)", *shares, named])
    heads = ("named at 1", "named at 5", "then in view", "speaks", "of the forgotten: at 1", "at 5", "turns named")
    markdown(("faint memory, %", *heads), rows)
