"""Is it found again? Feeds conversations whose questions name the turns that answer them into the index of RECALL, and
prints how often these turns come first, beside plain FTS5, then what faint memory names and how often it speaks for no
reason. `python bench/recall.py [FOLDER] [--beam FOLDER] [--plus FOLDER] [--like] [--scale]`: FOLDER holds locomo5.json;
without one, bench/data/talk.json. BEAM's is its chats/100K, Locomo-Plus's its data: judges to which nothing shall be
tuned but, of BEAM, chats 1 to 10, so their halves are told apart. --like adds a row with the local embedding model."""

import argparse
import bisect
import itertools
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from recall_sets import KINDS, Cue, Talk, beam, exchanges, load, plus  # noqa: E402

from dotagent import embedding  # noqa: E402
from dotagent.embedding import __main__ as embedding_process  # noqa: E402
from dotagent.embedding import local  # noqa: E402
from dotagent.search import index as search_index  # noqa: E402
from dotagent.search.index import Index, Like  # noqa: E402
from dotagent.search.table import Table  # noqa: E402
from dotagent.search.turn import Passage  # noqa: E402
from dotagent.store.home import Home, Settings  # noqa: E402
from dotagent.text.words import STOP  # noqa: E402

DEPTH = 120  # turns of a ranking that count for MRR
WORDS = 40_000  # of the made-up language of --scale
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


Rank = Callable[[str, int], list[str]]


def plain(turns: Sequence[Passage]) -> Rank:
    """FTS5 as it comes: porter stems, the question's words but the too common ones, OR, ORDER BY bm25."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE turn USING fts5 (text, tokenize='porter unicode61')")
    db.executemany("INSERT INTO turn (rowid, text) VALUES (?,?)", [(turn.number, turn.text) for turn in turns])
    ids = {turn.number: turn.id for turn in turns}

    def rank(query: str, k: int) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query.lower()) if word not in STOP)
        found = db.execute("SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY bm25(turn) LIMIT ?", (match, k))
        return [ids[number] for (number,) in found]

    return rank


def ours(index: Index, like: Like | None = None) -> Rank:
    return lambda query, k: [hit.turn.id for hit in index.search(query, k, like)]


class Meaning:
    """How like a query the passages of an index are, as the process tells it that searches beside RECALL, but asked
    here: the model is loaded once."""

    def __init__(self) -> None:
        where = Home(ROOT)
        self._model = local.load(embedding.folders(where, Settings()))

    def of(self, index: Index) -> Like:
        """Turns get their vectors; what comes is asked for each query."""
        table = Table(index.path)
        while embedding_process.file(table, self._model):
            pass
        return lambda query, keys: dict(embedding_process.like(table, self._model, query, list(keys)))


def measures(ranking: Sequence[str], gold: frozenset[str]) -> list[float]:
    """Recall_any@1, 3, 5, 10 (any turn of the evidence among the first k), Recall_all@5, 10 (every one), MRR."""
    places = [ranking.index(one) + 1 if one in ranking else DEPTH + 1 for one in gold]
    first, last = min(places), max(places)
    found = [float(first <= k) for k in (1, 3, 5, 10)] + [float(last <= k) for k in (5, 10)]
    return [*found, 1 / first if first <= DEPTH else 0.0]


def mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]


def table(head: Sequence[str], rows: Sequence[Sequence[str | float]]) -> None:
    print("| " + " | ".join(head) + " |\n|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(cell if isinstance(cell, str) else f"{cell:.1f}" for cell in row) + " |")
    print()


def percentile(values: Sequence[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def timed(ask: Callable[..., object], *values: object, **options: object) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    ask(*values, **options)
    return 1000 * (time.perf_counter() - start)


def found_again(talks: Sequence[Talk], indexes: Sequence[Index], meaning: Meaning | None = None) -> None:
    names = ("any@1", "any@3", "any@5", "any@10", "all@5", "all@10", "MRR")
    scores: dict[str, list[tuple[int, list[float]]]] = {}
    times: list[float] = []
    for one, index in zip(talks, indexes, strict=True):
        ranks: dict[str, Rank] = {"plain FTS5 bm25": plain(one.turns), "RECALL": ours(index)}
        if meaning:
            ranks[LIKE] = ours(index, meaning.of(index))
        for question in one.questions:
            for name, rank in ranks.items():
                scores.setdefault(name, []).append((question.kind, measures(rank(question.text, DEPTH), question.gold)))
            times.append(timed(index.search, question.text))
    rows: list[list[str | float]] = []
    for name, scored in scores.items():
        for kind, title in [*KINDS.items(), (0, "total")]:
            part = [values for own, values in scored if own == kind or not kind]
            if part:
                rows.append([f"{name}, {title} ({len(part)})", *mean(part)])
    table(("RECALL finds the evidence, %", *names), rows)
    print(f"one query of 10: {sum(times) / len(times):.2f} ms, 95 of 100 within {percentile(times, 0.95):.2f} ms\n")


def reminded(talks: Sequence[Talk], indexes: Sequence[Index]) -> None:
    """What faint memory names for the questions, and how often it speaks for what has nothing to do with a life; then
    the same where it is due at a part of what a turn must score now, or at more."""
    rows: list[tuple[float, float, float]] = []
    times: list[float] = []
    for one, index in zip(talks, indexes, strict=True):
        for question in one.questions:
            times.append(timed(index.remind, question.text))
            named = [hit.turn.id for hit in index.remind(question.text, seconds=1)]
            rows.append(
                (float(bool(question.gold & set(named[:1]))), float(bool(question.gold & set(named))), bool(named))
            )
    table(("faint memory, %", "named at 1", "named at 5", "speaks"), [["questions", *mean(rows)]])
    heard: dict[str, list[int]] = {}
    draw = random.Random(1)
    for one, index in zip(talks, indexes, strict=True):
        for what, text, live in unasked(talks, one, draw):
            heard.setdefault(what, []).append(len(index.remind(text, exclude=live, seconds=1)))
        for what, text in others(talks, one):
            heard.setdefault(what, []).append(len(index.remind(text, seconds=1)))
    spoke: list[list[str | float]] = [
        [f"{what} ({len(named)})", 100 * sum(map(bool, named)) / len(named), sum(named) / len(named)]
        for what, named in sorted(heard.items())
    ]
    table(("faint memory, unasked", "speaks, %", "turns named"), spoke)
    print(f"one reminder: {sum(times) / len(times):.2f} ms, 95 of 100 within {percentile(times, 0.95):.2f} ms\n")
    curve(talks, indexes)


def curve(talks: Sequence[Talk], indexes: Sequence[Index]) -> None:
    """Named at 5, and how often it speaks unasked, by what a turn must score for a reminder."""
    rows: list[list[str | float]] = []
    kinds: dict[str, None] = {}
    for part in PARTS:
        named, spoke = list[float](), dict[str, list[float]]()
        draw, due = random.Random(1), search_index._due
        with patch.object(search_index, "_due", lambda query, text, part=part, due=due: part * due(query, text)):
            for one, index in zip(talks, indexes, strict=True):
                for question in one.questions:
                    ids = {hit.turn.id for hit in index.remind(question.text, seconds=1)}
                    named.append(100 * bool(question.gold & ids))
                strange = [(what, text) for what, text, live in unasked(talks, one, draw) if not live]
                for what, text in [*strange, *others(talks, one)]:
                    spoke.setdefault(what, []).append(100 * bool(index.remind(text, seconds=1)))
        kinds |= dict.fromkeys(sorted(spoke))
        rows.append([f"{part:g} x", *(sum(some) / len(some) for some in (named, *(spoke[kind] for kind in kinds)))])
    table(("due at, %", "named at 5", *kinds), rows)


LIKE = "RECALL and meaning"
TUNED = 10  # BEAM's chats to which the ranking was tuned


def talked(talks: Sequence[Talk], folder: Path, meaning: Meaning | None) -> None:
    """BEAM: by message and by exchange, the half that was tuned to and the other; RECALL, plain FTS5, and the same
    among the person's messages alone."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for n, one in enumerate(talks):
        index = Index(folder / f"beam-{n}.db")
        index.add(one.turns)
        person = [turn for turn in one.turns if turn.speaker != "me"]
        ranks = {"plain FTS5 bm25": plain(one.turns), "the same, the person's": plain(person), "RECALL": ours(index)}
        if meaning:
            ranks[LIKE] = ours(index, meaning.of(index))
        pair = exchanges(one)
        for question in one.questions:
            gold = frozenset(pair[id] for id in question.gold)
            for name, rank in ranks.items():
                ids = rank(question.text, DEPTH)
                row = [value for at, value in enumerate(measures(ids, question.gold)) if at in (0, 2, 3)]
                row += [value for at, value in enumerate(measures(list(dict.fromkeys(pair[id] for id in ids)), gold))
                        if at in (0, 2, 3)]  # fmt: skip
                for part in ("all", f"1-{TUNED}, tuned to" if int(one.name) <= TUNED else f"{TUNED + 1} on, held out"):
                    found.setdefault((part, name), []).append(row)
        index.close()
    rows: list[list[str | float]] = [
        [f"chats {of[0]}: {of[1]} ({len(found[of])})", *mean(found[of])] for of in sorted(found)
    ]
    heads = ("message any@1", "@5", "@10", "exchange any@1", "@5", "@10")
    table(("BEAM, %", *heads), rows)


def cued(cues: Sequence[Cue], folder: Path, meaning: Meaning | None) -> None:
    """Locomo-Plus: how often faint memory names the cue of a trigger, and RECALL of the trigger finds it."""
    rows: list[list[float]] = []
    for n, cue in enumerate(cues):
        index = Index(folder / f"cue-{n}.db")
        index.add(cue.talk.turns)
        named = [hit.turn.id for hit in index.remind(cue.trigger, seconds=1)]
        found = measures(ours(index)(cue.trigger, DEPTH), cue.said)
        rows.append([float(bool(cue.said & set(named[:1]))), float(bool(cue.said & set(named))), float(bool(named)),
                     found[2], found[3]])  # fmt: skip
        if meaning:
            like = measures(ours(index, meaning.of(index))(cue.trigger, DEPTH), cue.said)
            rows[-1] += [like[2], like[3]]
        index.make_anew()
    heads = ["named at 1", "named at 5", "speaks", "RECALL any@5", "any@10"]
    heads += [f"{LIKE} any@5", "any@10"] if meaning else []
    table((f"Locomo-Plus, {len(cues)} cues, %", *heads), [["triggers", *mean(rows)]])


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


def made_up(size: int, talks: Sequence[Talk], draw: random.Random) -> Iterator[Passage]:
    """A life of `size` turns: turns of the conversations, again and again, among as many of words drawn by Zipf's law,
    in ten rooms by turns of twenty."""
    weights = list(itertools.accumulate(1 / (n + 2.7) for n in range(WORDS)))
    told = itertools.cycle([turn for one in talks for turn in one.turns])
    for number in range(1, size + 1):
        room = f"room{number // 20 % 10}"
        if number // 20 % 2:
            turn = next(told)
            yield Passage(number, f"{number:032x}", room, turn.speaker, turn.at, turn.text)
        else:
            words = " ".join(zipf(weights, draw) for _ in range(draw.randint(4, 40)))
            at = datetime.fromtimestamp(1.6e9 + 120 * number).isoformat()
            yield Passage(number, f"{number:032x}", room, f"user{number % 7}", at, words)


def zipf(weights: Sequence[float], draw: random.Random) -> str:
    return f"w{bisect.bisect(weights, draw.random() * weights[-1])}"


def scale(talks: Sequence[Talk], folder: Path) -> None:
    """The time of a query in large lives: of the conversations' questions, of rare and of the commonest words."""
    rows: list[list[str | float]] = []
    weights = list(itertools.accumulate(1 / (n + 2.7) for n in range(WORDS)))
    for size in (10_000, 1_000_000):
        draw = random.Random(1)
        path = folder / f"{size}.db"
        index = Index(path)
        start = time.perf_counter()
        for turns in batched(made_up(size, talks, draw), 10_000):
            index.add(turns)
        print(f"{size:,} turns: built in {time.perf_counter() - start:.1f} s, {path.stat().st_size / 1e6:.0f} MB")
        asked = [question.text for one in talks for question in one.questions]
        queries = {
            "the questions": draw.sample(asked, min(300, len(asked))),
            "words by Zipf": [" ".join(zipf(weights, draw) for _ in range(draw.randint(2, 6))) for _ in range(300)],
            "the commonest": [" ".join(f"w{draw.randrange(12)}" for _ in range(4)) for _ in range(100)],
        }
        for name, texts in queries.items():
            rows.append([f"{size:,}: search, {name}", *spread([timed(index.search, text) for text in texts])])
            times = [timed(index.remind, text, exclude=range(size - LIVE, size + 1)) for text in texts]
            rows.append([f"{size:,}: remind, {name}", *spread(times)])
        index.close()
    print()
    table(("ms", "mean", "median", "95 %", "most"), rows)


def spread(times: Sequence[float]) -> list[str]:
    values = sum(times) / len(times), percentile(times, 0.5), percentile(times, 0.95), max(times)
    return [f"{value:.2f}" for value in values]


def batched(turns: Iterator[Passage], size: int) -> Iterator[list[Passage]]:
    while batch := list(itertools.islice(turns, size)):
        yield batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="holds locomo5.json")
    parser.add_argument("--beam", type=Path, help="BEAM's chats/100K")
    parser.add_argument("--plus", type=Path, help="Locomo-Plus's data: its cues, and faint memory on its conversations")
    parser.add_argument("--like", action="store_true", help="also with the local embedding model ([embedding])")
    parser.add_argument("--scale", action="store_true", help="also time lives of 10,000 and 1,000,000 turns")
    asked = parser.parse_args()
    path = asked.folder / "locomo5.json" if asked.folder else ROOT / "bench/data/talk.json"
    if not path.exists():
        parser.error(f"{path} is not there; leave the folder out to run on the bench's own conversations")
    talks = load(path)
    print(f"{path.name}: {len(talks)} conversations, {sum(len(one.turns) for one in talks)} turns, ", end="")
    print(f"{sum(len(one.questions) for one in talks)} questions{'' if asked.folder else ' (a small set of our own)'}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        indexes = [Index(folder / f"{n}.db") for n in range(len(talks))]
        built = [timed(at.add, one.turns) for at, one in zip(indexes, talks, strict=True)]
        print(f"built in {sum(built) / len(built):.0f} ms a conversation\n")
        meaning = Meaning() if asked.like else None
        found_again(talks, indexes, meaning)
        reminded(talks, indexes)
        if asked.beam:
            talked(beam(asked.beam), folder, meaning)
        if asked.plus:
            known = {one.name for one in talks}
            others = [one for one in load(asked.plus / "locomo10.json") if one.name not in known]
            print(f"the conversations of Locomo-Plus that are not in {path.name}: {len(others)}\n")
            kept = [Index(folder / f"other-{n}.db") for n in range(len(others))]
            for at, one in zip(kept, others, strict=True):
                at.add(one.turns)
            found_again(others, kept, meaning)
            reminded(others, kept)
            cued(plus(asked.plus), folder, meaning)
        if asked.scale:
            scale(talks, folder)


if __name__ == "__main__":
    main()
