"""Does what must stand, stand? `python bench/standing.py BEAM [--limits 8000 16000] [--chats 1 2 …]`

BEAM is a clone of github.com/mohammadtavakoli78/BEAM. Each chat of its chats/100K is lived: the person's messages are
said, the agent answers what it answered there, and forgets. Its questions on instructions and preferences name the
messages that they rest upon: how many of these are in front of the model at the end, as a message that is live or as a
wish of that message in the block? Once by the extract alone, once with a careful scripted summariser, which lists those
wishes in the person's words, beside what it was shown to stand. Chats 1 to 10 were looked at for the patterns.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import common
import forget_lives as lives
from forget_lives import ROOM, Clock, Model
from forget_model import ASKED, compacted
from tables import markdown

from dotagent.compaction import standing_wishes
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import standing_instructions, tokens
from dotagent.text.extract import terms

LOOKED_AT = 10
KINDS = {"instruction_following": "instruction_being_tested", "preference_following": "preference_being_tested"}
SHOWS = re.compile(r"^    standing: (?!none$)(.*)$", re.MULTILINE)  # what a request shows to stand
PART = re.compile(r"^(?: {4})?(\d+-\d+) \d+ .*$(?:\n(?!(?: {4})?\d+-\d+ \d+ ).*$)*", re.MULTILINE)
MARK = re.compile(r"\s*->->.*\Z", re.DOTALL)


@dataclass(frozen=True)
class Chat:
    """A conversation: what the person said and was answered, and the wishes that questions rest upon, by message."""

    name: str
    turns: tuple[tuple[str, str], ...]
    gold: dict[int, str]
    """The number of the turn, and the wish as the person worded it."""


def load(folder: Path) -> Chat:
    """One chat of BEAM."""
    told = {
        one["id"]: one
        for batch in json.loads((folder / "chat.json").read_text("utf-8"))
        for turn in batch["turns"]
        for one in turn
    }
    turns, at = list[tuple[str, str]](), dict[int, int]()
    for id, one in sorted(told.items()):
        text = MARK.sub("", one["content"]).strip()
        if one["role"] == "user":
            at[id] = len(turns)
            turns.append((text, ""))
        elif turns:
            turns[-1] = (turns[-1][0], text)
    questions = json.loads((folder / "probing_questions" / "probing_questions.json").read_text("utf-8"))
    gold = dict[int, str]()
    for kind, name in KINDS.items():
        for one in questions[kind]:
            for id in _flat(one["source_chat_ids"]):
                if id in at and (words := _wish(turns[at[id]][0], one[name])):
                    gold[at[id]] = words
    return Chat(folder.name, tuple(turns), gold)


def _flat(ids: object) -> list[int]:
    if isinstance(ids, dict):
        ids = list(ids.values())
    return (
        [ids] if isinstance(ids, int) else [each for one in ids for each in _flat(one)] if isinstance(ids, list) else []
    )


def _wish(message: str, wish: str) -> str:
    """The clause of the message that says the wish; empty where none says half of it: the agent's answers are named as
    sources, too."""
    words = set(terms(wish))
    clauses = [
        part for one in standing_instructions.sentences(message) for part in re.split(r"(?<=,) | (?=so can you )", one)
    ]
    best = max(clauses, key=lambda one: len(words & set(terms(one))), default="")
    return best.strip(" ,") if len(words & set(terms(best))) * 2 >= len(words) else ""


def careful(chat: Chat, model: Model) -> Model:
    """The model, but its summaries list what stands: what it was shown, and the wishes that questions rest upon."""

    def summing(messages: list[ChatMessage], call: Call) -> str | None:
        answer = model(messages, call)
        asked = [*ASKED.finditer(messages[-1]["content"])][-1:]
        if call.kind == "live" or not answer or not asked:
            return answer
        text = "\n".join(one["content"] for one in messages[:-1])
        form = messages[-1]["content"][asked[0].start() :]

        def stands(span: Sequence[str], shown: str) -> str:
            begin, end = (re.search(rf"^#{number}\b", text, re.MULTILINE) for number in span[:2])
            inside = " ".join(text[begin.start() if begin else 0 : end.end() + 20_000 if end else len(text)].split())
            lines = [*SHOWS.findall(shown), *(one for one in chat.gold.values() if one in inside)]
            return "\n".join(f"standing: {one}" for one in lines or ["none"])

        if asked[0][1] == "SUMMARISE":
            return f"{answer}\n{stands(asked[0].groups()[1:], form)}"
        answers, forms = ({one[1]: one[0] for one in PART.finditer(told)} for told in (answer, form))
        return "\n".join(f"{told.rstrip()}\n{stands(span.split('-'), forms.get(span, ''))}\n"
                         for span, told in answers.items())  # fmt: skip

    return summing


def lived(chat: Chat, path: Path, limit: int, care: bool) -> tuple[int, float, int]:
    """How many of the wishes are in front of the model at the end, the block's share of the limit, the swaps."""
    said = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        return f"SAY {ROOM} <<BEAM\n{said[-1]}\nBEAM" if call.kind == "live" else compacted(messages)

    with lives.life(path, limit, careful(chat, model) if care else model) as one:
        for text, answer in chat.turns:
            said.append(answer.replace("BEAM", "beam") or "I see.")
            one.say(text, "ana", ROOM)
            Clock().run(one)
        session = one.session
        rows = {row.partition(".")[0]: row for row in standing_wishes.block(session).split("\n")}
        stands = [(wish.id, rows.get(str(wish.number), "")) for wish in standing_wishes.list_wishes(session.state)]
        heard = [line for line in lives.lines(one) if line.event == "HEAR"]
        live = {entry.line.id for entry in session.entries if entry.event == "HEAR"}
        good = 0
        for at, words in chat.gold.items():
            here = heard[at].id
            good += here in live or any(id == here and _says(row, words) for id, row in stands)
        return good, tokens.estimate(standing_wishes.block(session).encode()) / limit, lives.count(one, "SWAP")


def _says(words: str, wish: str) -> bool:
    told = set(terms(wish))
    return len(told & set(terms(words))) * 2 >= len(told)


def main() -> None:
    """Live the chats, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("beam", type=Path, help="a clone of BEAM")
    parser.add_argument("--limits", type=int, nargs="+", default=[8000, 16_000])
    parser.add_argument("--chats", type=int, nargs="+", default=list(range(1, 21)))
    asked = parser.parse_args()
    rows = list[Sequence[str]]()
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        chats = [load(asked.beam / "chats/100K" / str(number)) for number in asked.chats]
        for limit in asked.limits:
            for care in (False, True):
                found = [(one, lived(one, scratch / f"{one.name}-{limit}-{care}", limit, care)) for one in chats]
                rows += _rows(found, limit, "a careful summariser" if care else "the extract")
    markdown(("limit, summaries", "wishes", "in front, %", "block, % of the limit, most", "swaps"), rows)


def _rows(found: Sequence[tuple[Chat, tuple[int, float, int]]], limit: int, how: str) -> list[Sequence[str]]:
    rows = list[Sequence[str]]()
    for name, half in (("1–10", True), ("11–20", False)):
        these = [(chat, told) for chat, told in found if (int(chat.name) <= LOOKED_AT) == half]
        if these:
            many = sum(len(chat.gold) for chat, _ in these)
            good, swaps = sum(told[0] for _, told in these), sum(told[2] for _, told in these)
            most = max(told[1] for _, told in these)
            rows.append([f"{limit:,}, {how}, chats {name}", str(many), f"{100 * good / max(1, many):.0f}",
                         f"{100 * most:.1f}", str(swaps)])  # fmt: skip
    return rows


if __name__ == "__main__":
    main()
