"""Summaries: a model's answer, parsed and cut to its budget, or made without a model. Standing instructions are kept
word for word in either, however often they fade.

A summary is text: references, tags and calls in it have no effect, because it is only shown indented and escaped. Pure;
owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from dotagent.compaction import faithfulness, standing_wishes
from dotagent.compaction.faithfulness import Source
from dotagent.compaction.plan import KEEPS, Unreadable, persons, rank, spoken
from dotagent.life.context import Entry, tokens_of
from dotagent.life.events import Faded
from dotagent.text import escape, extract, lazy, reasoning, secrets, speakers, standing_instructions, tokens
from dotagent.text.extract import Unit
from dotagent.text.lazy import dataclass
from dotagent.text.words import raw

LEAST, MOST = 40, 700  # tokens of a summary
OVER = 3  # times its budget: a longer summary is rejected
TELLING = 4  # informative words that make the text on the gist's line a summary
NOTHING = Source()
BYTES_A_TOKEN = 3.6  # for prose and code mixed
STANDING_MOST = 0.12  # share of the context's limit; beyond it, the oldest instructions are only in the originals

_ITEM = r"^[^\w\n]*(?:\d{1,9}(?:-#?\d{1,9})?[.)]?[^\w\n]+)?"  # how a model may begin a line: marks, a number, a span
_RELEVANCE = lazy.compile(_ITEM + r"relevance\W*(\d{1,3})\b", re.IGNORECASE | re.MULTILINE)
_GIST = lazy.compile(rf"(?:{_ITEM}|(?<=\d)[^\w\n]+)gist\W*?[:=][^\w\n]*(.*)$", re.IGNORECASE | re.MULTILINE)
_ECHO = lazy.compile(r"^[^\w\n]*(?:relevance\W*\d|(?:SUMMARISE|SEGMENT) the entries\b)", re.IGNORECASE | re.MULTILINE)
_LISTED = lazy.compile(rf"^[^\w\n]*{speakers.STANDING}[^\w\n]*$\n?(?:[ \t]*[-*•].*$\n?)*", re.IGNORECASE | re.MULTILINE)
_FENCE = lazy.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$\n?", re.MULTILINE)
_LABEL = lazy.compile(
    r"\A\W*(?:the\s+)?summary\W*[:=]\s*|^[^\w\n]*(?:the\s+)?summary[^\w\n]*$\n?", re.IGNORECASE | re.MULTILINE
)
_NUMBER = r"^[^\w\n#]*#\d{1,9}(?:-#?\d{1,9})?"
_TIME = r"[ \t]+(?:\d{4}-\d\d-\d\d[T ]?)?(?:\d\d:\d\d(?::[\d.]+)?Z?)?"
_HEAD = lazy.compile(  # the copied head of an entry: alone on a line, or before a speaker
    rf"{_NUMBER}(?:{_TIME})?(?:[ \t]+[A-Z]{{3,}}\b(?:[ \t]+[^\s:]{{1,64}}){{0,5}})?[ \t]*$\n?"
    rf"|{_NUMBER}(?:{_TIME})?(?:[ \t]+[^\s:]{{1,64}})?(?=[ \t]+[^\s:]{{1,64}}:)|{_NUMBER}(?:{_TIME})?:?(?=[ \t]|$)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Summary:
    """The remains of a chunk: its relevance (1 to 10), a gist of one line, and the text."""

    relevance: int
    gist: str
    text: str


def budget(whole: int, keeps: float = KEEPS) -> int:
    """Return how many tokens the summary of `whole` tokens may have, a share `keeps` of them."""
    return max(LEAST, min(MOST, int(keeps * whole)))


def read(
    answer: str,
    whole: int,
    made: Summary,
    source: Source = NOTHING,
    keeps: float = KEEPS,
    messages: Sequence[tuple[str, str]] = (),
) -> Summary:
    """Parse the summary in a model's answer.

    It summarises `source`, which has `whole` tokens, and was requested with a share `keeps` of them. `made` is a
    summary made without a model: its names, numbers and dates are added within the budget, and so is a line of a person
    if the answer quotes no one; it provides a missing relevance or gist. Standing instructions come from the answer's
    list, in the words of people's `messages`, (who, text); without a list, from `made`. Sentences that only repeat
    these, or those that the prompt lists already, are removed. Raises Unreadable if the answer has the wrong
    form, is empty, or says little from its source and lists no valid instruction. A text far beyond its budget, or over
    half as long as its source, is cut, or rejected if there is no source.
    """
    answer, named = standing_wishes.split_answer(_FENCE.sub("", reasoning.strip(answer)).strip(), messages)
    relevance, line, told = _parts(answer)
    own, lines = speakers.part(made.text)
    lines = lines if named is None else named
    text, own = (_once(one, [*lines, *source.listed]) for one in (_clean(told), own))
    if not told or (not text and not line):
        raise Unreadable("the answer contains no summary")
    long = tokens.estimate(text) > max(2 * LEAST, min(OVER * budget(whole, keeps), whole // 2))
    if long and source is NOTHING:
        raise Unreadable("the summary is far too long, or more than half as long as the original messages")
    text = faithfulness.grounded(text or escape.one_line(line, 100), source) or (own if named else "")
    if not text:  # and it listed no valid instruction, which would prove that it was read
        raise Unreadable("the summary says something that the original messages do not say")
    if source is not NOTHING:
        most = budget(whole, keeps)
        text = faithfulness.completed(text, own, most if long else max(most, tokens.estimate(text)), source)
        text = faithfulness.keep_person(text, own, source)
    about = escape.one_line(faithfulness.grounded(_clean(line), source), 100) if extract.terms(line) else ""
    about = about or made.gist or extract.gist(text)
    return Summary(rank(relevance) if relevance else made.relevance, about, append_lines(text, lines))


def _parts(answer: str) -> tuple[str, str, str]:
    """Return the relevance's digits and the gist in an answer, "" if missing, and the summary. Raises Unreadable."""
    relevance, gist = _RELEVANCE.search(answer), _GIST.search(answer)
    if not relevance and not gist:
        raise Unreadable("the answer does not begin with `relevance: N` and `gist: …`")
    line = gist[1].strip() if gist else ""
    told = _ECHO.split(answer[max(found.end() for found in (relevance, gist) if found) :])[0].strip()
    if not told and len(set(extract.terms(line))) >= TELLING:  # a summary on the gist's line, or a gist for each thing
        told = "\n".join(dict.fromkeys(_GIST.findall(answer)))
    return relevance[1] if relevance else "", line, told


def _once(text: str, lines: Sequence[str]) -> str:
    """Return the text without repeated sentences, and without any whose words are all in one of these instructions. One
    word more, such as "not" or another number, may correct the instruction."""
    listed, seen, kept = [set(raw(line)) for line in lines], set[str](), list[str]()
    for row in text.split("\n"):
        held = list[str]()
        for one in standing_instructions.sentences(row):
            said = set(raw(one.partition(": ")[2] or one))
            if one in seen or (len(said) > 1 and any(said <= line for line in listed)):
                continue
            seen.add(one)
            held.append(one)
        kept += [" ".join(held)] if held else []
    return "\n".join(kept)


def _clean(text: str) -> str:
    """Return a summary without a model's additions: copied heads of entries, its own list of instructions, a label,
    numbered lines."""
    text = _HEAD.sub("", _LABEL.sub("", _LISTED.sub("", text)))
    return re.sub(r"^[ \t]*(?:\d{1,3}[.)][ \t]+)?", "", text, flags=re.MULTILINE).strip()


def extract_from(
    entries: Sequence[Entry],
    chosen: tuple[int, str],
    lines: Sequence[str],
    keeps: float = KEEPS,
    stands: Sequence[str] = (),
) -> Summary:
    """Return a summary made without a model: a share `keeps` of the entries' tokens, with the standing `lines` below,
    and without those that the prompt lists already (`stands`). `chosen` is the entries' relevance and gist."""
    known = {line.partition(": ")[2] for line in (*lines, *stands)}
    plain = [
        Unit(entry.number, who, _remove_known(words, known), who in people)
        for entry in entries
        for people in [persons(entry)]
        for who, words in spoken(entry)
    ]
    text = extract.summarise(plain, int(budget(tokens_of(entries), keeps) * BYTES_A_TOKEN))
    relevance, gist = chosen
    return Summary(
        relevance, gist or extract.gist(text), append_lines(text or speakers.unquoted(gist) or speakers.NOTHING, lines)
    )


def instructions(entries: Sequence[Entry], limit: int) -> list[str]:
    """Return the standing instructions in these entries, oldest first, as `who: words`.

    These are what people said must, must never or must always be so. Together they have at most STANDING_MOST of a
    context of `limit` tokens; if there are too many, the newest stay.
    """
    found: list[str] = []
    for entry in entries:
        text = (entry.content or b"").decode("utf-8", "replace")
        if entry.event == Faded.WORD:
            found += speakers.part(text)[1]
        for one in speakers.messages(entry.event, text):
            found += [f"{one.name}: {words}" for words in standing_instructions.standing(one.text) if one.person]
    room, fitting = int(STANDING_MOST * limit * BYTES_A_TOKEN), list[str]()
    for line in dict.fromkeys(reversed(found)):  # a repeated instruction counts as new
        takes = len(line.encode("utf-8", "replace")) + 3
        if takes <= room:
            room -= takes
            fitting.append(line)
    return fitting[::-1]


def append_lines(text: str, lines: Sequence[str]) -> str:
    """Return the text with the standing instructions word for word below it, without secrets."""
    listed = [speakers.STANDING, *(f"- {line}" for line in lines)] if lines else []
    return secrets.masked("\n".join([text, *listed]).strip())


def _remove_known(words: str, known: Collection[str]) -> str:
    return "\n".join(one for one in standing_instructions.sentences(words) if one not in known) if known else words
