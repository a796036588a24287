"""What a compaction asks a model for, in words: the parts with their summaries, or one summary by itself, and how many
tokens the answer may have.

A small model copies what it sees, so each request shows the form of its answer, made of the entries' own words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dotagent.compaction import plan, summary
from dotagent.compaction.plan import Chunk
from dotagent.life.context import Entry
from dotagent.life.replay import size
from dotagent.text import escape, said

WORDS = 0.7  # of a summary's tokens: how many words it is asked for
FORM = 160  # tokens of an answer that are not its summary: relevance, gist and what stands

Stands = Callable[[list[Entry]], Sequence[str]]
"""What was found to stand in entries without a model."""


def parts(first: int, last: int, entries: Sequence[Entry], stands: Stands) -> tuple[str, int]:
    """The request for the chunks of these entries and their summaries."""
    chunks = plan.propose(entries)
    rooms = [_room(plan.members(one, entries)) for one in chunks]
    what = (
        f"SEGMENT the entries #{first} to #{last}, and sum each part up below its line, all together in at most "
        f"{int(sum(rooms) * WORDS)} words. A guess that was made without reading them, in the form that is wanted; "
        "write it better, with words for each `…`:\n\n"
    )
    most = answer(last - first + 1) + sum(summary.OVER * room + FORM for room in rooms)
    return what + guess(entries, chunks, stands), most


def one(chunk: Chunk, entries: Sequence[Entry], stands: Sequence[str]) -> tuple[str, int]:
    """The request for the summary of one chunk, of these entries."""
    room = _room(entries)
    what = (
        f"SUMMARISE the entries #{chunk.first} to #{chunk.last} ({chunk.gist}), in at most {int(room * WORDS)} words. "
    )
    return what + _form(chunk, entries, stands), summary.OVER * room + FORM


def _room(entries: Sequence[Entry]) -> int:
    return summary.budget(sum(map(size, entries)), plan.keeps(entries))


def answer(count: int) -> int:
    """How many tokens an answer may have that divides so many entries."""
    return min(1500, 200 + 8 * count)


def guess(entries: Sequence[Entry], chunks: Sequence[Chunk], stands: Stands) -> str:
    """The chunks that are proposed without a model, as lines in the form in which a model shall answer, the form of a
    summary below each: a small one follows a form that it sees, and copies the words in it, so they are the entries'
    own."""
    rows = list[str]()
    for one in chunks:
        own = plan.members(one, entries)
        rows.append(f"    {one.span} {one.relevance} {escape.one_line(one.gist, 80)}")
        rows += [*_rows([pair for entry in own for pair in plan.spoken(entry)], stands(own)), ""]
    return "\n".join(rows[:-1])


def _rows(pairs: Sequence[tuple[str, str]], stands: Sequence[str]) -> list[str]:
    """The form of a summary: who speaks and no words at all, but for what was found to stand there without a model."""
    named = dict.fromkeys(escape.one_line(who, 30) for who, _ in pairs if " " not in who)
    rows = [f"    {who}: …" for who in [*named, *("…" for _ in range(2 - len(named)))][:4]]
    return rows + ([f"    standing: {one.partition(': ')[2]}" for one in stands] or ["    standing: none"])


def _form(chunk: Chunk, entries: Sequence[Entry], stands: Sequence[str] = ()) -> str:
    """Where the chunk begins and ends, and the form of its summary: a small model copies what it sees."""
    pairs = [pair for entry in plan.members(chunk, entries) for pair in plan.spoken(entry)] or [(said.ME, "…")]
    ends = [escape.one_line(f"{who}: {words}".replace("`", "'"), 80) for who, words in (pairs[0], pairs[-1])]
    rows = _rows(pairs, stands)
    return (
        f"They begin with `{ends[0]}` and end with `{ends[1]}`. Answer with `relevance: ` and a number, `gist: ` and "
        "at most twelve words, then a line for each thing, then `standing: ` and what stands, as\n\n"
        f"    relevance: {chunk.relevance}\n    gist: …\n\n"
    ) + "\n".join(rows)
