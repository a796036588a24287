"""Is what was said found as well once notes, rules, pages and vectors are there, too? `python bench/filled.py FOLDER
[--beam BEAM/chats/100K] [--talks 5] [--chats 20] [--like]`

Each conversation is lived twice, by a life that writes nothing down and by one that does: every fifth turn a NOTE,
of every third turn a line in the note of its day, rules, pages about people, cards of sources and a full MEMORY.md, all
in the conversation's own words, so that they compete with it. Then both are asked the questions, in turns, in one run:
by RECALL of what was said, by `memory search`, which lists what was written and said by turns (a line counts as the
turn it was made of), and, with --like, by RECALL with vectors filled. Homes are in memory.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

import common
import forget_lives as lives
from forget_lives import ROOM, Clock
from forget_model import compacted
from recall_ranks import DEPTH, Meaning, mean, measures
from recall_sets import AGENT, Question, Talk, beam, load
from tables import markdown, percentile
from world import World  # type: ignore[import-not-found]

from dotagent.search.feed import Feed
from dotagent.search.note_search import Written
from dotagent.store import log, notes
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

LIMIT = 8000  # tokens of context
NOTED, DAILY, RULED = 5, 3, 7  # every how many turns there is a NOTE, a line of the day, a rule
PLACES = (0, 2, 3)  # any@1, any@5, any@10 of recall.measures
MARK = re.compile(r" \(of ([\w:.-]+)\)")


@dataclass(frozen=True)
class Lived:
    """A life that lived a conversation, and of each blob the turn that it is."""

    world: World
    ids: dict[str, str]


@dataclass(frozen=True)
class Exchange:
    """What a person said, and what the agent answered: their words, and the ids of their turns."""

    said: str
    speaker: str
    at: str
    id: str
    answer: str = ""
    answers: tuple[str, ...] = ()


def exchanges(talk: Talk) -> list[Exchange]:
    """The conversation as a life lives it."""
    found = list[Exchange]()
    for turn in talk.turns:
        if turn.speaker == AGENT and found:
            last = found[-1]
            told = f"{last.answer}\n{turn.text}".strip()
            found[-1] = Exchange(last.said, last.speaker, last.at, last.id, told, (*last.answers, turn.id))
        else:
            found.append(Exchange(turn.text, turn.speaker, turn.at, turn.id))
    return found


def live(talk: Talk, path: Path, stack: ExitStack, *, filled: bool) -> Lived:
    """Live it, and write as much down."""
    reply = [""]

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        return reply[0] if call.kind == "live" else compacted(messages)

    one = stack.enter_context(lives.life(path, LIMIT, model, "private ana"))
    parts = exchanges(talk)
    for number, part in enumerate(parts):
        note = f"NOTE {_first(part.said)}\n" if filled and number % NOTED == 0 else ""
        answer = part.answer.replace("END", "end")
        reply[0] = note + (f"SAY {ROOM} <<END\n{answer}\nEND" if answer else "WAIT")
        one.say(part.said, part.speaker, ROOM, f"{part.at}Z" if part.at else "")
        Clock().run(one)
    ids = dict[str, str]()
    events = [line for line in log.lines(one.session.path / "LIFE.md") if line.event in ("HEAR", "REPLY")]
    at = -1
    for line in events:
        if line.event == "HEAR":
            at += 1
            ids[line.id] = parts[at].id
        elif parts[at].answers:
            ids[line.id] = parts[at].answers[0]
    if filled:
        write_down(one.session.path, parts)
    return Lived(one, ids)


def write_down(path: Path, parts: Sequence[Exchange]) -> None:
    """Days, rules, pages, cards and MEMORY.md, of the conversation's words; each line names its turn."""
    pages = dict[str, list[str]]()
    for number, part in enumerate(parts):
        line = f"- {_first(part.said)} (of {part.id})"
        if number % DAILY == 0:
            notes.append(path, (part.at or "2026-01-01")[:10], "Notes", line)
            pages.setdefault(part.speaker, []).append(line)
        if number % RULED == 0:
            for folder in ("rules/instructions", "patterns/requests", "sources"):
                file = path / "memory/semantic" / folder / f"{number:08x}.md"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"# {_first(part.said)} (of {part.id})\n")
    for name, lines in pages.items():
        file = path / "memory/people" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {name}\n\n" + "\n".join(lines) + "\n")
    (path / "MEMORY.md").write_text("\n".join(chain.from_iterable(pages.values()))[:4000])


def _first(text: str) -> str:
    return " ".join(text.split())[:160]


def ask(name: str, one: Lived, talk: Talk, meaning: Meaning | None) -> Iterator[tuple[str, list[float], float]]:
    """Each question, by each way: its name, the measures, the milliseconds."""
    session = one.world.session
    feed = Feed(session.path, session.store, session.owner)
    written = Written(session.path, "private ana")
    feed.catch_up()
    written.catch_up()
    first = {turn: part.answers[0] for part in exchanges(talk) for turn in part.answers}
    if meaning:
        like = meaning.of(feed.index)
    for question in talk.questions:
        gold = frozenset(first.get(id, id) for id in question.gold)
        yield f"{name}: RECALL", *_said(one, feed, question, gold)
        if meaning:
            feed.like = like
            yield f"{name}: RECALL and meaning", *_said(one, feed, question, gold)
            feed.like = None
        began = time.perf_counter()
        noted, said = written.search(question.text, 10), feed.search(question.text, 10)
        took = 1000 * (time.perf_counter() - began)
        turns = [one.ids.get(hit.turn.id, "-") for hit in said], [_of(hit.turn.text) for hit in noted]
        both = [id for id in chain.from_iterable(zip_longest(*turns)) if id is not None]
        yield f"{name}: memory search", [measures(both, gold)[at] for at in PLACES], took
    feed.close()
    written.close()


def _said(one: Lived, feed: Feed, question: Question, gold: frozenset[str]) -> tuple[list[float], float]:
    began = time.perf_counter()
    hits = feed.search(question.text, DEPTH)
    took = 1000 * (time.perf_counter() - began)
    ids = list(dict.fromkeys(one.ids.get(hit.turn.id, f"-{hit.turn.id}") for hit in hits))
    return [measures(ids, gold)[at] for at in PLACES], took


def _of(text: str) -> str:
    found = MARK.search(text)
    return found[1] if found else "-"


def main() -> None:
    """Live, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="holds locomo5.json")
    parser.add_argument("--beam", type=Path, help="BEAM's chats/100K")
    parser.add_argument("--talks", type=int, default=5)
    parser.add_argument("--chats", type=int, default=20)
    parser.add_argument("--like", action="store_true", help="also with the local embedding model ([embedding])")
    asked = parser.parse_args()
    sets = {"LoCoMo": load(asked.folder / "locomo5.json")[: asked.talks]}
    sets |= {"BEAM": beam(asked.beam)[: asked.chats]} if asked.beam else {}
    meaning = Meaning() if asked.like else None
    rows = list[list[str | float]]()
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        for of, talks in sets.items():
            found = dict[str, list[tuple[list[float], float]]]()
            for number, talk in enumerate(talks):
                for filled in (False, True):
                    with ExitStack() as stack:
                        one = live(talk, scratch / f"{of}-{number}-{filled}", stack, filled=filled)
                        for name, values, took in ask("filled" if filled else "empty", one, talk, meaning):
                            found.setdefault(name, []).append((values, took))
            for name, scored in found.items():
                times = [one for _, one in scored]
                rows.append([f"{of}, {name} ({len(scored)})", *mean([values for values, _ in scored]),
                             percentile(times, 0.5), percentile(times, 0.99)])  # fmt: skip
    markdown(("evidence found, %", "any@1", "@5", "@10", "ms", "99 %"), rows)


if __name__ == "__main__":
    main()
