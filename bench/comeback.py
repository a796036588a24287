"""What coming back costs: an agent that asks for what it needs and cannot see, beside one that never forgot.

`python bench/comeback.py [FOLDER] [--limit 4000] [--talks 1] [--each 40]`: conversations (FOLDER holds locomo5.json;
without one, bench/data/talk.json) are heard by two lives, one with a context of so many tokens, one of a million. Each
question about a conversation is a task, said in the room: it is done when a message that answers it stands in the
prompt, word for word. While none does the scripted agent asks RECALL by the question and for its second page, as RECALL
says, RECALL by the rarest words, and UNCOMPACT for the chunk whose gist has most of these; then it gives up. Printed
are the model's calls and the tokens a task: one costs 1, read from a cache 0.1, written 4.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import common
import forget_lives as lives
from forget_cost import CACHED, FRESH, WRITTEN, shared
from forget_lives import ROOM, Clock
from forget_model import compacted
from recall_sets import Question, Talk, load
from tables import markdown
from world import World  # type: ignore[import-not-found]

from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import exact
from dotagent.text.extract import terms

UNLIMITED = 1_000_000
MOST = 4  # requests for what is out of sight
FADED = re.compile(r"FADED \d+-\d+ \(UNCOMPACT (\d+) brings it back\): ([^\n]*)")


@dataclass
class Someone:
    """The scripted agent: what it needs now, and what it did for it."""

    needed: Sequence[str] = ()
    question: str = ""
    asked: int = 0
    calls: list[tuple[str, int, bytes, int]] = field(default_factory=list)
    """Of each live call: what it did, the prompt's tokens, its text, tokens written."""
    before: list[bytes] = field(default_factory=list)

    def __call__(self, messages: list[ChatMessage], call: Call) -> str:
        if call.kind != "live":
            return compacted(messages) or ""
        text = "\n".join(message["content"] for message in messages)
        words = "WAIT"
        if self.needed:
            words = "The answer is in sight." if self._sees(text) else self._asks(text)
            self.calls.append((words.split(" ")[0], exact.count(text), text.encode(), exact.count(words)))
        return words

    def _sees(self, text: str) -> bool:
        flat = " ".join(text.split())
        return any(one in flat for one in self.needed)

    def _asks(self, text: str) -> str:
        self.asked += 1
        rare = sorted(set(terms(self.question)), key=lambda word: (-len(word), word))
        if self.asked == 1:
            return f"RECALL {self.question}"
        if self.asked == 2:
            return f"RECALL {self.question} page 2"
        if self.asked == 3:
            return f"RECALL {' '.join(rare[:4])}"
        chunks = [(len(set(terms(gist)) & set(rare)), -int(number)) for number, gist in FADED.findall(text)]
        best = sorted(set(chunks), reverse=True)[:1]
        if self.asked > MOST or not best:
            return "I cannot find it."
        return f"UNCOMPACT {-best[0][1]} full"


@dataclass(frozen=True)
class Task:
    """What one task took: whether it was done, and how, calls, and the price of its tokens."""

    done: bool
    ways: tuple[str, ...]
    calls: int
    tokens: int
    cost: float


def needed(talk: Talk, question: Question) -> list[str]:
    """The words of the messages that answer it."""
    return [" ".join(turn.text.split()) for turn in talk.turns if turn.id in question.gold]


def ask(lived: World, someone: Someone, talk: Talk, question: Question) -> Task:
    """Say the question in the room and see what the agent does for it."""
    someone.needed, someone.question, someone.asked, someone.calls = needed(talk, question), question.text, 0, []
    lived.say(f"@agent {question.text}", "ana", ROOM)
    Clock().run(lived)
    cost, size = 0.0, 0
    for _, prompt, text, written in someone.calls:
        most = max((shared(text, one) for one in someone.before), default=0)
        kept = min(prompt, int(prompt * most / max(1, len(text))))
        cost += FRESH * (prompt - kept) + CACHED * kept + WRITTEN * written
        size += prompt + written
        someone.before = [*someone.before[-8:], text]
    ways = tuple(way for way, *_ in someone.calls)
    someone.needed = ()
    return Task(bool(ways) and ways[-1] == "The", ways, len(ways), size, cost)


def tried(talk: Talk, path: Path, limit: int, each: int) -> list[Task]:
    """A life that heard the conversation, and its tasks, one after the other."""
    someone = Someone()
    with lives.life(path, limit, someone) as lived:
        lives.feed(lived, talk, Clock())
        step = max(1, len(talk.questions) // each)
        return [ask(lived, someone, talk, one) for one in talk.questions[::step][:each]]


def row(name: str, tasks: Sequence[Task], beside: Sequence[Task]) -> list[str]:
    """A life's figures, a task; `beside` are those of the life that never forgot."""
    count = len(tasks)
    calls, tokens, cost = (sum(getattr(one, what) for one in tasks) / count for what in ("calls", "tokens", "cost"))
    at_once = sum(one.done and one.calls == 1 for one in tasks)
    done = sum(one.done for one in tasks)
    base = sum(one.calls for one in beside) / count, sum(one.cost for one in beside) / count
    return [name, str(count), f"{100 * at_once / count:.0f}", f"{100 * done / count:.0f}", f"{calls:.2f}",
            f"{calls / base[0]:.2f}", f"{tokens:,.0f}", f"{cost:,.0f}", f"{cost / base[1]:.2f}"]  # fmt: skip


def main() -> None:
    """Feed, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="holds locomo5.json")
    parser.add_argument("--limit", type=int, default=4000, help="tokens of the context that fades")
    parser.add_argument("--talks", type=int, default=1, help="how many of the conversations")
    parser.add_argument("--each", type=int, default=40, help="how many questions about each")
    asked = parser.parse_args()
    path = asked.folder / "locomo5.json" if asked.folder else lives.ROOT / "bench/data/talk.json"
    faded, whole = list[Task](), list[Task]()
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        for talk in load(path)[: asked.talks]:
            faded += tried(talk, scratch / f"{talk.name}-faded", asked.limit, asked.each)
            whole += tried(talk, scratch / f"{talk.name}-whole", UNLIMITED, asked.each)
    heads = ("context", "tasks", "at once, %", "done, %", "calls a task", "x", "tokens", "cost", "x")
    rows = [row("never faded", whole, whole), row(f"faded at {asked.limit:,} tokens", faded, whole)]
    both = [(one, other) for one, other in zip(faded, whole, strict=True) if one.done]
    rows.append(row("the same, of tasks that were done", [one for one, _ in both], [other for _, other in both]))
    markdown(heads, rows)


if __name__ == "__main__":
    main()
