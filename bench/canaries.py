"""Do canaries outlive ten compactions? `python bench/canaries.py [--limit 8000] [--seeds 8]`

The judge is PyPI's compaction-conformance-kit (`pip install compaction-conformance-kit`; nothing else here needs it):
its random sessions plant twenty canaries each (rules, constraints, facts, the state of a task, preferences), and its
probes look whether all words of each are still there. A round is two compactions: the life goes on talking of other
things until it has forgotten twice. Looked at is the context alone, as the model is shown it, about a fifth of what was
said by people. Once with summaries made by extraction, once with a careful scripted summariser, which keeps the lines
of the talk that are of the kit's kinds, and lists rules and preferences as what stands, states of a task as open.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import common
import forget_lives as lives
from compaction_kit import Canary, CompactedContext, build_random_session, run_conformance
from forget_cost import prose
from forget_lives import ROOM, Clock, Model
from forget_model import ASKED, SHOWN, compacted
from tables import markdown
from world import World  # type: ignore[import-not-found]

from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import tokens

ROUNDS, SWAPS = 5, 2  # rounds, and compactions in each
STANDS = re.compile(r"(?:SAFETY RULE|HARD CONSTRAINT|USER PREFERENCE|(?P<open>GOAL STATE)): .*?(?=\s+#\d+ |\n|$)")
TELLS = re.compile(r"FACT: .*?(?=\s+#\d+ |\n|$)")


def careful(messages: list[ChatMessage], call: Call) -> str | None:
    """The answer of a summariser that keeps what the kit planted."""
    asked = [*ASKED.finditer(messages[-1]["content"])][-1:]
    if not asked:
        return None
    text = "\n".join(one["content"] for one in messages)[: -len(messages[-1]["content"]) + asked[0].start()]

    def told(first: str, last: str) -> str:
        begin, end = re.search(rf"^#{first}\b", text, re.MULTILINE), re.search(rf"^#{last}\b", text, re.MULTILINE)
        after = re.search(r"^#\d+ ", text[end.end() :], re.MULTILINE) if end else None
        inside = text[begin.start() if begin else 0 : end.end() + after.start() if end and after else len(text)]
        lines = [f"ana: {one}" for one in dict.fromkeys(TELLS.findall(inside))]
        lines = lines or re.findall(r"\b(ana: [^\n]{40,200}\.)", inside)[:1]
        stands = {one[0]: " open" if one["open"] else "" for one in STANDS.finditer(inside)}
        return "\n".join([*lines, *(f"standing{mark}: {one}" for one, mark in stands.items()), ""])

    if asked[0][1] == "SUMMARISE":
        return f"relevance: 5\ngist: what was said\n\n{told(asked[0][2], asked[0][3])}"
    shown = SHOWN.findall(messages[-1]["content"][asked[0].start() :])
    return "\n".join(f"{first}-{last} {rank} {what}\n{told(first, last)}" for first, last, rank, what in shown)


class Life:
    """A life as the kit's compactor: it is told the session in the first round, and talks on in each."""

    name = "dotagent"

    def __init__(self, lived: World, seed: int) -> None:
        self.lived, self.draw, self.said = lived, random.Random(seed), 0

    def say(self, text: str) -> None:
        """Something is said and answered."""
        self.said += tokens.estimate(text)
        self.lived.say(text, "ana", ROOM)
        Clock().run(self.lived)

    def compact(self, turns: Sequence[Any], round_num: int = 1) -> CompactedContext:
        """What is in front of the model after two more compactions."""
        for turn in turns if round_num == 1 else ():
            if turn.role == "user":
                self.say(turn.text)
        while lives.count(self.lived, "SWAP") < SWAPS * round_num:
            self.say(prose(120, self.draw))
        shown = b"\n".join(entry.content or b"" for entry in self.lived.session.entries)
        return CompactedContext(shown.decode("utf-8", "replace"), self.name, round_num)


def looked(path: Path, limit: int, seed: int, summing: Model) -> tuple[list[list[bool]], list[Canary], float]:
    """By round which canaries are there; and the context's share of what was said in all."""

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        return "Noted, and on to the next." if call.kind == "live" else summing(messages, call)

    session, canaries = build_random_session(seed)
    with lives.life(path, limit, model) as one:
        life = Life(one, seed)
        run = run_conformance(session, life, rounds=ROUNDS, canaries=canaries)
        share = one.session.tokens / life.said
    return [[each.survived[canary.id] for canary in canaries] for each in run.rounds], canaries, share


def main() -> None:
    """Live the sessions, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=8000)
    parser.add_argument("--seeds", type=int, default=8)
    asked = parser.parse_args()
    rows = list[Sequence[str]]()
    ways: tuple[tuple[str, Model], ...] = (
        ("the extract", lambda messages, call: compacted(messages)),
        ("a careful summariser", careful),
    )
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        for name, summing in ways:
            found = [
                looked(scratch / f"{name}-{seed}", asked.limit, seed, summing) for seed in range(1, asked.seeds + 1)
            ]
            rounds = [[there for one, _, _ in found for there in one[at]] for at in range(ROUNDS)]
            kinds = [canary.type.value for _, canaries, _ in found for canary in canaries]
            last = [_share([there for there, of in zip(rounds[-1], kinds, strict=True) if of == kind])
                    for kind in dict.fromkeys(sorted(kinds))]  # fmt: skip
            most = max(share for _, _, share in found)
            rows.append([name, *map(_share, rounds), *last, f"{100 * most:.0f}"])
    kinds = sorted({kind.replace("_", " ") for kind in kinds})
    markdown((f"in context, %, limit {asked.limit:,}", *(f"round {at}" for at in range(1, ROUNDS + 1)), *kinds,
           "context, % of what was said, most"), rows)  # fmt: skip


def _share(there: Sequence[bool]) -> str:
    return f"{100 * sum(there) / max(1, len(there)):.0f}"


if __name__ == "__main__":
    main()
