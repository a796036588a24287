"""Faint memory by itself: what it names for questions, and how often it speaks of what is no matter of a life."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from recall_ranks import mean, timed
from recall_sets import Talk
from tables import markdown, percentile

from dotagent.search.index import Index

PARTS = (0.5, 0.75, 1, 1.25, 1.5)  # of what a turn must score for a reminder, in the last table
LIVE = 40  # turns that are still in the context when the next is heard
SMALL_TALK = """hi there!|hello|good morning|how are you?|how's it going?|what's up?|ok|okay, thanks!|thank you so much
lol|haha that's funny|see you tomorrow|bye for now, take care|good night|sounds good to me|yes please
no, not really|sorry|I agree with you|that makes sense|great, let's do that|sure, why not|can you help me?
I have a question|cool, thanks|what do you think?|really? wow|I'm a bit tired today|it's raining again
have a nice weekend!|nice to hear from you|one moment please|never mind|sorry, I was away|are you there?
what time is it?|tell me a joke|I'm back|just kidding|let me think about it|please continue|go on
that is good news|I don't know yet|maybe later|perfect|hmm, not sure|how was your day?|did you sleep well?
good luck!|congratulations!|long time no see|what's new?|same here"""


def reminded(talks: Sequence[Talk], indexes: Sequence[Index]) -> None:
    """What faint memory names for the questions, and how often it speaks for what has nothing to do with a life; then
    the same where it is due at a part of what a turn must score now, or at more."""
    rows: list[tuple[float, float, float]] = []
    times: list[float] = []
    for one, index in zip(talks, indexes, strict=True):
        for question in one.questions:
            times.append(timed(index.remind, question.text))
            named = [hit.turn.id for hit in index.remind(question.text)]
            rows.append(
                (float(bool(question.gold & set(named[:1]))), float(bool(question.gold & set(named))), bool(named))
            )
    markdown(("faint memory, %", "named at 1", "named at 5", "speaks"), [["questions", *mean(rows)]])
    heard: dict[str, list[int]] = {}
    draw = random.Random(1)
    for one, index in zip(talks, indexes, strict=True):
        for what, text, live in unasked(talks, one, draw):
            heard.setdefault(what, []).append(len(index.remind(text, exclude=live)))
        for what, text in others(talks, one):
            heard.setdefault(what, []).append(len(index.remind(text)))
    spoke: list[list[str | float]] = [
        [f"{what} ({len(named)})", 100 * sum(map(bool, named)) / len(named), sum(named) / len(named)]
        for what, named in sorted(heard.items())
    ]
    markdown(("faint memory, unasked", "speaks, %", "turns named"), spoke)
    print(f"one reminder: {sum(times) / len(times):.2f} ms, 95 of 100 within {percentile(times, 0.95):.2f} ms\n")
    curve(talks, indexes)


def curve(talks: Sequence[Talk], indexes: Sequence[Index]) -> None:
    """Named at 5, and how often it speaks unasked, by what a turn must score for a reminder."""
    rows: list[list[str | float]] = []
    kinds: dict[str, None] = {}
    for part in PARTS:
        named, spoke = list[float](), dict[str, list[float]]()
        draw = random.Random(1)
        for one, index in zip(talks, indexes, strict=True):
            for question in one.questions:
                ids = {hit.turn.id for hit in index.remind(question.text, sure=part)}
                named.append(100 * bool(question.gold & ids))
            strange = [(what, text) for what, text, live in unasked(talks, one, draw) if not live]
            for what, text in [*strange, *others(talks, one)]:
                spoke.setdefault(what, []).append(100 * bool(index.remind(text, sure=part)))
        kinds |= dict.fromkeys(sorted(spoke))
        rows.append([f"{part:g} x", *(sum(some) / len(some) for some in (named, *(spoke[kind] for kind in kinds)))])
    markdown(("due at, %", "named at 5", *kinds), rows)


def unasked(talks: Sequence[Talk], own: Talk, draw: random.Random) -> Iterator[tuple[str, str, range]]:
    """Kind, text and live turns of messages after which silence is golden, and of the conversation's own going on."""
    for text in re.split(r"[|\n]", SMALL_TALK):
        yield "small talk", text, range(0)
    strangers = [turn.text for one in talks if one is not own for turn in one.turns]
    for text in draw.sample(strangers, min(300, len(strangers))):
        yield f"another conversation's turn, {'asking' if '?' in text else 'telling'}", text, range(0)
    later = own.turns[len(own.turns) // 2 :]
    for turn in draw.sample(later, min(100, len(later))):
        yield "its own later turn", turn.text, range(turn.number - LIVE, len(own.turns) + 1)


def others(talks: Sequence[Talk], own: Talk) -> Iterator[tuple[str, str]]:
    """Kind and text of questions about another conversation: as they are, and as if they were about who speaks here."""
    draw = random.Random(2)
    for one in talks:
        here, there = (sorted({turn.speaker for turn in of.turns}) for of in (own, one))
        for question in draw.sample(one.questions, min(40, len(one.questions))) if one is not own else ():
            yield "another conversation's question", question.text
            text = question.text
            for name, other in zip(there, here, strict=False):
                text = re.sub(rf"\b{re.escape(name)}\b", other.capitalize(), text, flags=re.I)
            yield "another conversation's question, of who speaks here", text
