"""What becomes of what a person told? `python bench/told.py [--limits 3500,6000] [--url http://127.0.0.1:8080/v1]`

A person tells twenty facts (data/told.toml) in the course of 60 turns; in the others the two talk, the agent reads and
writes files, some of them in vain, and notes things. Then the bench looks where each fact is: in sight, that is in a
line of the context; one step away, that is in the result of one RECALL or of one UNCOMPACT of the summary above it; or
lost. It also looks at each line of each summary: a false line says what none of its originals say, and a wrong speaker
is named in a line that only somebody else said. The agent follows a script; summaries are made without a model, by a
script that copies sentences, by a script that invents and confuses, or by the real model at --url. A limit is the
setting `context_limit`, and the largest prompt is counted with the tokenizer of the benches.

With `--facts kinds`, the facts are of other kinds (data/told_kinds.toml): a correction, a negation, a fact inside a
long message, one in German, one in Chinese. The agent's answers are then longer at a larger limit, so that entries fade
at each. An outdated fact is in sight while its correction is not.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tomllib
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import common
import forget_lives as lives
from common import markdown
from forget_lives import ROOM, Clock, Model
from forget_model import compacted
from world import Failure, World  # type: ignore[import-not-found]

from dotagent import extensions, tools
from dotagent.compaction import tree
from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.life.tool_results import Worded
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import exact, extract, speakers
from dotagent.text.grammar import ToolCall

TURNS, ANSWER, SEED = 60, 90, 3  # turns; tokens of an answer of the agent
LIMITS = {"told": "3500,6000,16000", "told_kinds": "3500,24000"}
PARAGRAPH = 2000  # tokens of the limit for each paragraph of an answer, with `--facts kinds`
MOST = 1000  # tokens of an answer of the real model
LABEL = re.compile(r"(?:- )?(TOOL [A-Z_]+ \w+|[^\s:]{1,60}): (.+)")
MARK = re.compile(r"\[from [A-Z_]+\] ")  # dotagent's mark of words that neither the person nor the agent wrote
ERROR = "root: not done: the package index was out of reach"
ASKED = ("How does one dry herbs?", "Tell me something about lighthouses.", "What do you think of the rain?",
         "Which tea goes with a cake?", "Shall we go on tomorrow?")  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """What the person tells, the words that show it, and the words by which one searches for it."""

    text: str
    keys: Sequence[str]
    query: str
    kind: str = ""
    corrects: Sequence[str] = ()
    long: bool = False
    tool: bool = False

    def is_in(self, text: str) -> bool:
        """Whether one line of the text has all of the fact."""
        return any(all(key.lower() in line.lower() for key in self.keys) for line in text.split("\n"))


@dataclass
class Found:
    """What became of the facts in one life, and what its summaries say."""

    swaps: int = 0
    largest: int = 0
    asked: int = 0
    sight: int = 0
    step: int = 0
    lost: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    searched: int = 0
    false: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def facts(name: str = "told") -> list[Fact]:
    """The facts of data/<name>.toml."""
    rows = tomllib.loads((common.ROOT / f"bench/data/{name}.toml").read_text("utf-8"))["fact"]
    return [Fact(**one) for one in rows]


def turns(told: Sequence[Fact], paragraphs: int = 1) -> Iterator[tuple[str, list[str]]]:
    """Each message of the person, and what the agent replies to it and to the results of its tools."""
    draw = random.Random(SEED)

    def prose(size: int, draw: random.Random) -> str:
        return "\n\n".join(lives.prose(size, draw) for _ in range(paragraphs))

    for number in range(TURNS):
        kind = number % 6
        if number % 3 == 1:
            fact = told[number // 3]
            text = f"{prose(ANSWER, draw)} {fact.text} {prose(ANSWER, draw)}" if fact.long else fact.text
            yield text, [*(["READ_FILE diary.md"] if fact.tool else []), prose(ANSWER // 3, draw)]
        elif kind == 2:
            lines = prose(30, draw)
            yield f"Write a list into list{number}.md.", [f"WRITE_FILE list{number}.md <<END\n{lines}\nEND", "Done."]
        elif kind == 3:
            yield f"Note that room {number} needs {draw.choice(('paint', 'paper', 'a lamp'))}.", [
                f"REMEMBER room {number} is not finished", "I wrote it down."]  # fmt: skip
        elif kind == 5:
            name = ("diary.md", "missing.md")[number % 4 == 1]
            yield f"What is in {name}?", [f"READ_FILE {name}", prose(ANSWER // 2, draw)]
        else:
            yield draw.choice(ASKED), [prose(ANSWER, draw)]


def extracted(messages: list[ChatMessage], call: Call) -> str | None:
    """No model: each request fails, so dotagent extracts."""
    raise Failure("refused")


def copied(messages: list[ChatMessage], call: Call) -> str | None:
    """A model that copies sentences with their speakers."""
    return compacted(messages)


def confused(messages: list[ChatMessage], call: Call) -> str | None:
    """A model that gives others' words to the person, changes numbers, and invents."""
    answer, mine = compacted(messages) or "", list[str]()
    for line in answer.split("\n"):
        label = LABEL.fullmatch(line)
        if label and label[1] != "ana":
            mine.append(f"ana: {label[2]}")
        elif label:
            mine += [re.sub(r"\d+", lambda found: str(int(found[0]) + 7), line), "ana: My brother Odd lives in Tromsø."]
        else:
            mine.append(line)
    return "\n".join([*mine, f"ana: {ERROR}"])


def asking(base: str) -> Model:
    """The real model of a server."""

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        body = json.dumps({"messages": messages, "max_tokens": MOST, "temperature": 0, "cache_prompt": True})
        post = urllib.request.Request(f"{base.rstrip('/')}/chat/completions", body.encode(),
                                      {"Content-Type": "application/json"})  # fmt: skip
        with urllib.request.urlopen(post, timeout=1800) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"] or "")

    return model


def looked(path: Path, limit: int, summing: Model, name: str = "told") -> Found:
    """Live a life at this limit, and look what became of the facts."""
    told, replies, found = facts(name), list[str](), Found()
    paragraphs = max(1, limit // PARAGRAPH) if name == "told_kinds" else 1

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        size = sum(exact.count(one["content"]) for one in messages)
        if call.kind == "live":
            found.largest = max(found.largest, size)
            return replies.pop(0) if replies else "Noted."
        found.asked = max(found.asked, size)
        return summing(messages, call)

    with lives.life(path, 0, model, "private", most=limit) as lived:
        lived.tokens = lambda messages: sum(exact.count(one["content"]) for one in messages)
        diary = lived.session.path / "files" / "diary.md"
        diary.parent.mkdir(exist_ok=True)
        diary.write_text(f"Carl: I moved to Bergen with my cat.\n{ERROR}\n")
        for text, script in turns(told, paragraphs):
            replies[:] = script
            lived.say(text, "ana", ROOM)
            Clock().run(lived)
        found.swaps = lives.count(lived, "SWAP")
        _place(lived, told, found)
        _judge(lived, found)
    return found


def _place(lived: World, told: Sequence[Fact], found: Found) -> None:
    """Count where the facts are."""
    shown = "\n".join((one.content or b"").decode("utf-8", "replace") for one in lived.session.entries)
    for fact in told:
        by_search = fact.is_in(_called(lived, f"RECALL {fact.query}"))
        found.searched += by_search
        if fact.is_in(shown):
            found.sight += 1
            found.places[fact.text] = "in sight"
        elif by_search or any(fact.is_in(_called(lived, f"UNCOMPACT {number}")) for number in _above(lived, fact)):
            found.step += 1
            found.places[fact.text] = "one step"
        else:
            found.lost.append(fact.text)
            found.places[fact.text] = "lost"
        if fact.corrects and not fact.is_in(shown) and replace(fact, keys=fact.corrects).is_in(shown):
            found.outdated.append(fact.text)


def _called(lived: World, words: str) -> str:
    """What a tool shows."""
    name, _, args = words.partition(" ")
    shown = tools.act(lived.session, ToolCall(name, args, None))
    told = shown.words if isinstance(shown, Worded) else shown if isinstance(shown, bytes) else b""
    return told.decode("utf-8", "replace")


def _above(lived: World, fact: Fact) -> Iterator[int]:
    """The numbers of the summaries in the context that cover the fact's message."""
    for entry, originals in _faded(lived):
        if any(fact.text in (one.content or b"").decode("utf-8", "replace") for one in originals):
            yield entry.number


def _faded(lived: World) -> Iterator[tuple[Entry, list[Entry]]]:
    """Each summary in the context with the entries that it covers."""
    store = lived.session.store
    for entry in lived.session.entries:
        if entry.event == "FADED":
            members = tree.originals(store, entry.line.id)
            made = (context.entry(one.line, one.number, lambda id: store.get(id).body, 1 << 30) for one in members)
            yield entry, [one for one in made if one]


def _judge(lived: World, found: Found) -> None:
    """Look at each line of each summary."""
    for entry, originals in _faded(lived):
        said = [pair for one in originals for pair in _words(one)]
        for line in speakers.part((entry.content or b"").decode("utf-8", "replace"))[0].split("\n"):
            line = MARK.sub("", line)
            label = LABEL.fullmatch(line.strip())
            who, text = (label[1], label[2]) if label else ("", line.strip())
            verdict = judged(who, text, said)
            (found.false if verdict == "false" else found.wrong if verdict == "wrong" else []).append(line)


def _words(entry: Entry) -> list[tuple[str, str]]:
    text = (entry.content or b"").decode("utf-8", "replace")
    if entry.event == "TOOL":
        return [(f"TOOL {entry.detail}", text)]
    return speakers.words(entry.event, entry.detail, text, extensions.tools())


def judged(who: str, text: str, said: Sequence[tuple[str, str]]) -> str:
    """`false` if nobody said this, `wrong` if only others than the named speaker did, otherwise "".

    A line of copied words must be in one message; of other words, the names and numbers must be in the originals, and
    half of the telling words in those of the speaker.
    """
    if text == speakers.NOTHING:
        return "false" if any(not name.startswith("TOOL ") for name, _ in said) else ""
    of = {name: _plain("\n".join(words for other, words in said if other == name)) for name, _ in said}
    parts = [plain for one in re.split(r"…|; ", text) if (plain := _plain(one))]
    holds = [name for name, words in of.items() if all(part in words for part in parts)]
    if not parts or not who:
        return "" if holds or not parts or _fits(text, "\n".join(of.values())) else "false"
    if holds:
        return "" if who in holds else "wrong"
    if not _fits(text, "\n".join(of.values())):
        return "false"
    return "" if _fits(text, of.get(who, "")) or not any(_fits(text, words) for words in of.values()) else "wrong"


def _fits(text: str, words: str) -> bool:
    """Whether these words have all names and numbers of the text, and half of its telling words."""
    there, plain = set(_plain(words).split()), set(extract.terms(text))
    stems = set(extract.terms(words))
    names = {part for fact in extract.facts(text) for part in _plain(fact).split()}
    return names <= there | stems and 2 * len(plain & stems) >= len(plain)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def main() -> None:
    """Live the lives, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limits", default="", help="settings of context_limit, in tokens")
    parser.add_argument("--facts", choices=("told", "kinds"), default="told", help="which facts the person tells")
    parser.add_argument("--url", default="", help="also let the model of this server write the summaries")
    parser.add_argument("--show", action="store_true", help="print lost facts, false lines and lines of wrong speakers")
    asked = parser.parse_args()
    name = "told_kinds" if asked.facts == "kinds" else "told"
    ways: list[tuple[str, Model]] = [("without a model", extracted)]
    ways += [("a script that copies", copied), ("a script that confuses", confused)]
    ways += [("a real model", asking(asked.url))] if asked.url else []
    limits = [int(one) for one in (asked.limits or LIMITS[name]).split(",")]
    rows, found = list[Sequence[str]](), list[Found]()
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        for limit, (way, summing) in product(limits, ways):
            one = looked(scratch / f"{limit}-{way}", limit, summing, name)
            found.append(one)
            counts = (one.swaps, one.largest, one.asked, one.sight, one.step, len(one.lost), one.searched,
                      len(one.false), len(one.wrong), len(one.outdated))  # fmt: skip
            rows.append([f"{limit:,}", way, *(f"{count:,}" for count in counts)])
            for what, lines in (("lost", one.lost), ("false", one.false), ("wrong speaker", one.wrong),
                                ("outdated", one.outdated)):  # fmt: skip
                for line in lines if asked.show else ():
                    print(f"{limit} {way}: {what}: {line}", flush=True)
    markdown(("context_limit", "summaries", "swaps", "largest prompt", "for summaries", "facts in sight",
              "one step away", "lost", "RECALL finds", "false lines", "wrong speakers", "outdated"), rows)  # fmt: skip
    if name == "told_kinds":
        heads = [f"{limit:,}, {way}" for limit, (way, _) in product(limits, ways)]
        markdown(("kind", "fact", *heads), [[fact.kind, fact.text, *(one.places[fact.text] for one in found)]
                                            for fact in facts(name)])  # fmt: skip


if __name__ == "__main__":
    main()
