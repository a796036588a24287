"""The text of a compaction's requests: for parts with summaries, or for one summary, and the tokens that the answer may
have.

Small models copy their prompt, so each request shows the form of its answer, filled with the entries' own words. Pure;
owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dotagent.compaction import plan, summary
from dotagent.compaction.plan import Chunk
from dotagent.life.context import Entry, tokens_of
from dotagent.text import escape, speakers

WORDS = 0.7  # words requested for each token of a summary
FORM = 160  # tokens of an answer for relevance, gist and instructions

Stands = Callable[[list[Entry]], Sequence[str]]
"""Returns the instructions that were found in entries without a model."""


def parts(
    first: int, last: int, entries: Sequence[Entry], stands: Stands, why: str, listed: bool = False
) -> tuple[str, int]:
    """Return the request for the chunks of these entries with their summaries. If the prompt has a list of standing
    instructions (`listed`), they need not be written again."""
    chunks = plan.propose(entries)
    own = [plan.members(one, entries) for one in chunks]
    rooms = [_room(one, plan.kept_share(one, entries, why)) for one in own]
    words = int(sum(rooms) * WORDS * (plan.ASKED if why == plan.REST else 1))
    what = (
        f"SEGMENT the entries #{first} to #{last}, and sum each part up below its line, all together in at most "
        f"{words} words{', without what STANDING lists already' if listed else ''}. Here is a guess in the right form, "
        "made without reading them. Write it better, with words for each `…`:\n\n"
    )
    most = answer(last - first + 1) + sum(summary.OVER * room + FORM for room in rooms)
    return what + guess(entries, chunks, stands), most


def ask_for_chunk(chunk: Chunk, entries: Sequence[Entry], stands: Sequence[str]) -> tuple[str, int]:
    """Return the request for the summary of one chunk of these entries."""
    room = _room(entries, plan.summary_share(entries))
    what = (
        f"SUMMARISE the entries #{chunk.first} to #{chunk.last} ({chunk.gist}), in at most {int(room * WORDS)} words. "
    )
    return what + _form(chunk, entries, stands), summary.OVER * room + FORM


def _room(entries: Sequence[Entry], share: float) -> int:
    return summary.budget(tokens_of(entries), share)


def answer(count: int) -> int:
    """Return how many tokens an answer may have that divides `count` entries."""
    return min(1500, 200 + 8 * count)


def guess(entries: Sequence[Entry], chunks: Sequence[Chunk], stands: Stands) -> str:
    """Return chunks proposed without a model, in the form of the answer, each with the form of a summary. A small model
    follows a form that it sees and copies its words, so these are the entries' own."""
    rows = list[str]()
    for one in chunks:
        own = plan.members(one, entries)
        rows.append(f"    {one.span} {one.relevance} {escape.one_line(one.gist, 80)}")
        rows += [*_rows([pair for entry in own for pair in plan.spoken(entry)], stands(own)), ""]
    return "\n".join(rows[:-1])


def _rows(pairs: Sequence[tuple[str, str]], stands: Sequence[str]) -> list[str]:
    """Return the form of a summary: speakers without text, and the instructions found without a model."""
    named = dict.fromkeys(escape.one_line(who, 30) for who, _ in pairs if " " not in who)
    rows = [f"    {who}: …" for who in [*named, *("…" for _ in range(2 - len(named)))][:4]]
    return rows + ([f"    standing: {one.partition(': ')[2]}" for one in stands] or ["    standing: none"])


def _form(chunk: Chunk, entries: Sequence[Entry], stands: Sequence[str] = ()) -> str:
    """Return the chunk's beginning and end, and the form of its summary, because a small model copies its prompt."""
    pairs = [pair for entry in plan.members(chunk, entries) for pair in plan.spoken(entry)] or [(speakers.ME, "…")]
    ends = [escape.one_line(f"{who}: {words}".replace("`", "'"), 80) for who, words in (pairs[0], pairs[-1])]
    rows = _rows(pairs, stands)
    return (
        f"They begin with `{ends[0]}` and end with `{ends[1]}`. Answer with `relevance: ` and a number, `gist: ` and "
        "at most twelve words, then a line for each thing, then `standing: ` and what stands, as\n\n"
        f"    relevance: {chunk.relevance}\n    gist: …\n\n"
    ) + "\n".join(rows)
