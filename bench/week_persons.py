"""The persons of bench/week.py: what each writes in a week, and when, and the files that the messages concern."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product

from forget_lives import PARTS

from dotagent.text import times

START = times.parse("2026-11-23T08:00:00.000000Z").timestamp()
BUCKETS = ((300, 1800), (1800, 3600), (3600, 14_400), (14_400, 80_000), (86_400, 100_000))
PERSONS = ((55, 39, 32, 13, 0), (48, 20, 14, 9, 1), (78, 21, 13, 8, 1))  # pauses longer than each bucket's beginning
MESSAGES, FACTS, JOBS = 262, 20, 49
LOOKS = (43, 46, 35)  # questions that look back


@dataclass(frozen=True)
class Said:
    """A message: when, what, the fact it tells or asks for (its word), the file it concerns."""

    at: float
    text: str
    kind: str
    word: str = ""
    files: tuple[str, ...] = ()


def made(person: int) -> tuple[list[Said], dict[str, str]]:
    """The person's week, and the files."""
    draw = random.Random(100 + person)
    over = (*PERSONS[person], 0)
    pauses = [draw.uniform(low, high) for at, (low, high) in enumerate(BUCKETS) for _ in range(over[at] - over[at + 1])]
    gaps = pauses + [draw.uniform(15, 240) for _ in range(MESSAGES - len(pauses))]
    draw.shuffle(gaps)
    kinds = ["fact"] * FACTS + ["job"] * JOBS + ["ask"] * LOOKS[person]
    kinds += ["chat"] * (MESSAGES - len(kinds))
    draw.shuffle(kinds)
    words = [f"{one} {other}" for one, other in product(LOOKS_LIKE, WHAT)]  # ordinary ones, but each only once
    draw.shuffle(words)
    files, told, said, at = dict[str, str](), list[Said](), list[Said](), START
    for number, (gap, kind) in enumerate(zip(gaps, kinds, strict=True)):
        at += gap
        if kind == "ask" and not told:
            kind = "chat"
        one = Said(at, f"{prose(draw.choice((12, 25, 60)), draw)} What do you think?", "chat")
        if kind == "fact":
            what, word = draw.choice(THINGS), words.pop()
            one = Said(at, f"{prose(20, draw)} My {what} of {number} is {word}. {prose(15, draw)}", "fact", word)
        elif kind == "job":
            names = tuple(f"part-{number}-{each}.txt" for each in range(draw.choice((1, 2, 2, 2))))
            for name in names:
                seal = words.pop()
                body = prose(draw.randrange(250, 2200), draw)
                files[name] = f"The seal of {name} is {seal}.\n{body}\n"
            seal = files[names[0]].split(" is ")[1].split(".\n")[0]
            one = Said(at, f"Please read {' and '.join(names)} and tell me what matters.", "job", seal, names)
        elif kind == "ask":
            about = draw.choice(told[-30:])
            what = (
                about.text.split(" My ")[-1].split(" is ")[0] if about.kind == "fact" else f"seal of {about.files[0]}"
            )
            one = Said(at, f"What was the {what} again?", "ask", about.word, about.files)
        said.append(one)
        told += [one] if one.kind in ("fact", "job") else []
    return said, files


def prose(size: int, draw: random.Random) -> str:
    """Sentences of about so many tokens."""
    told = [f"{' '.join(map(draw.choice, PARTS))}.".capitalize() for _ in range(max(1, round(size / SENTENCE)))]
    return " ".join(told)


SENTENCE = 13  # tokens of one, about
THINGS = "locker number,dentist,sister's street,bank advisor,tax number,landlord,allergy,train,doctor,hotel".split(",")
LOOKS_LIKE = "amber,bitter,copper,dusty,eager,faded,gentle,hollow,ivory,jagged,kindly,lunar,mossy,narrow".split(",")
WHAT = "anvil,bonnet,candle,dahlia,easel,flagon,goblet,hatbox,inkpot,jigsaw,ladle,mitten,napkin,oboe".split(",")
