"""What does a small model's forgetting keep? `python bench/forget_small.py BASE_URL [FOLDER] [--talks 3 --swaps 2]`

Conversations are said in a room of a life at a small limit, and the server at BASE_URL is asked what a compaction asks,
nothing else. Of each summary is told whether the model's was taken, how many of the names, numbers and dates of its
entries it keeps, for how many tokens, and the same of the extract that is made without a model; then, whether what was
said once for all is there word for word, and whether a word of the prompts' examples came back.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import forget_lives as lives
from recall_sets import Talk, load
from tables import markdown
from world import Cut, World  # type: ignore[import-not-found]

from dotagent import providers
from dotagent.compaction import plan, swap
from dotagent.compaction.grounded import facts
from dotagent.compaction.plan import Chunk
from dotagent.life import events
from dotagent.life.events import Summed
from dotagent.providers import Config, Prompt, ProviderError, local
from dotagent.store import log, rooms
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import said, tokens

LIMIT, LATEST = 2000, 400  # tokens of context; turns of a conversation that are said at most
RULES = ("You must never call me before 9.", "From now on, call me Captain.", "She is seven and allergic to peanuts.")
EXAMPLE = re.compile(r"\b(?:otmar|kiln|glaz\w+|firing|1,?240)\b", re.IGNORECASE)


@dataclass
class Made:
    """One summary: whether it is the model's; the facts and tokens of what stands, of the model's own words and of the
    extract; how many facts its entries have."""

    taken: bool
    stands: tuple[int, int]
    model: tuple[int, int]
    extract: tuple[int, int]
    entries: int
    leaks: int


@dataclass
class Bench:
    """A life that hears a conversation, and the server that sums it up."""

    base: str
    found: list[Made] = field(default_factory=list)
    answers: list[dict[str, object]] = field(default_factory=list)
    seconds: float = 0.0
    _last: dict[str, str] = field(default_factory=dict)
    _seen: int = 0

    def model(self, messages: list[ChatMessage], call: Call) -> str:
        """Silent in the room; what a compaction asks is asked of the server."""
        if call.kind == "live":
            return "WAIT"
        text, most, began = list[str](), self._most(call), time.monotonic()
        asked = Prompt("", tuple(messages), {"temperature": 0}, most=most)
        full = False

        def emit(channel: str, piece: str) -> None:
            text.append(piece)

        try:
            full = local.answer(asked, Config(None, self.base), emit, lambda: _size(text) > most).finish == "length"
        except ProviderError as error:
            if error.kind != "cancelled":
                raise
            full = True
        took, answer = time.monotonic() - began, "".join(text)
        self.seconds += took
        instruction = (re.findall(r"^(?:SEGMENT|SUMMARISE) the entries.*$", messages[-1]["content"], re.M) or ["?"])[-1]
        print(f"  {took:5.1f} s  {instruction}\n{answer}\n", file=sys.stderr, flush=True)
        self.answers.append({"asked": instruction, "answer": answer, "seconds": took, "cut": full})
        if span := re.search(r"SUMMARISE the entries #(\d+) to #(\d+)", instruction):
            self._last[f"{span[1]}-{span[2]}"] = answer
        return Cut(answer) if full else answer

    def _most(self, call: Call) -> int:
        params = json.loads(self.lived.where.store().get(call.id).body)["params"]
        return int(params.get("most", 2000))

    def hear(self, talk: Talk, path: Path, swaps: int) -> int:
        """Let a life hear the conversation until it has forgotten so often; how many of RULES it still has."""
        with lives.life(path, LIMIT, self.model) as self.lived:
            self._seen, session = 0, self.lived.session
            self.lived.on_step = self._look
            said_at = "2026-01-01T00:00:00Z"
            for rule in RULES:
                rooms.append(self.lived.where.room(lives.ROOM), rooms.line_of("USER", "ana", said_at, rule))
            for turn in talk.turns[:LATEST]:
                line = rooms.line_of("USER", turn.speaker.lower(), said_at, turn.text)
                rooms.append(self.lived.where.room(lives.ROOM), line)
                self.lived.run()
                if len([one for one in log.lines(session.path / "LIFE.md") if one.event == "SWAP"]) >= swaps:
                    break
            return sum(rule in session.file.read_text() for rule in RULES)

    def _look(self, lived: World) -> None:
        """A summary that was just made, while its entries are still there."""
        lines = list(log.lines(lived.session.path / "LIFE.md"))
        for line in lines[self._seen :]:
            event = events.parse(line)
            if isinstance(event, Summed):
                first, last = map(int, event.span.split("-"))
                one = Chunk(first, last, event.relevance, line.gist)
                members = plan.members(one, lived.session.entries)
                known = plan.source(members).facts
                text = said.part(lived.session.store.get(line.id).body.decode())[0]
                raw = self._last.get(event.span, "")
                raw = re.sub(r"(?i)^\W*(?:relevance|gist)\b.*$", "", raw, flags=re.M)
                without = said.part(swap.extract(lived.session, members, one).text)[0]
                ways = [(len(_told(each) & known), tokens.estimate(each)) for each in (text, raw, without)]
                leaks = len(EXAMPLE.findall(f"{line.gist}\n{text}"))
                self.found.append(Made(event.how != "extractive", ways[0], ways[1], ways[2], len(known), leaks))
        self._seen = len(lines)


def _size(text: Iterable[str]) -> int:
    return tokens.estimate("".join(text))


def _told(text: str) -> set[str]:
    return {fact for line in text.split("\n") for fact in facts(line)}


def main() -> None:
    """Ask the server, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base")
    parser.add_argument("folder", nargs="?", type=Path, help="holds locomo5.json")
    parser.add_argument("--talks", type=int, default=3)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--swaps", type=int, default=2)
    parser.add_argument("--answers", type=Path, help="write what the model answered to this file")
    asked = parser.parse_args()
    path = asked.folder / "locomo5.json" if asked.folder else lives.ROOT / "bench/data/talk.json"
    bench, kept, count = Bench(asked.base), 0, 0
    assert providers.load("local")
    with tempfile.TemporaryDirectory(dir=lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        for one in load(path)[asked.first : asked.first + asked.talks]:
            kept += bench.hear(one, Path(scratch) / one.name, asked.swaps)
            count += len(RULES)
    if asked.answers:
        asked.answers.write_text(json.dumps([bench.answers, [vars(one) for one in bench.found]], indent=1))
    show(bench, kept, count)


def show(bench: Bench, kept: int, count: int) -> None:
    """The table."""
    found, rows = bench.found, list[list[str]]()
    for name, way in (
        ("what stands", "stands"),
        ("the model's words alone", "model"),
        ("the extract alone", "extract"),
    ):
        told = [sum(getattr(one, way)[at] for one in found) for at in (0, 1)]
        whole = sum(one.entries for one in found)
        rows.append(
            [name, f"{100 * told[0] / max(1, whole):.0f} %", f"{100 * told[0] / max(1, told[1]):.1f}", str(told[1])]
        )
    taken = sum(one.taken for one in found)
    markdown(
        (f"{len(found)} summaries, {taken} of the model's taken", "facts kept", "facts in 100 tokens", "tokens"), rows
    )
    worse = sum(one.stands[0] < one.extract[0] for one in found)
    print(f"worse than the extract: {worse}; words of an example: {sum(one.leaks for one in found)}")
    print(f"standing instructions there: {kept} of {count}; {bench.seconds:.0f} s of the model")


if __name__ == "__main__":
    main()
