"""Extraction without a model: a gist, a summary, conceptual chunks and their relevance, from the words alone.

Fading uses it if a model fails or none exists. The methods are classical and deterministic, work on any input, and take
about linear time. Owns nothing on disk.
"""

import heapq
import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from dotagent.text import escape, lazy
from dotagent.text.lazy import dataclass
from dotagent.text.standing_instructions import asks, sentences, stands
from dotagent.text.words import KIND, stem, stems

BESIDE = 0.5  # weight of a sentence that no person said, compared with a person's sentences
REPEATED = 0.1  # weight of a sentence whose words are all in the summary already

_KIND = frozenset(map(stem, KIND))
_OVERLONG = lazy.compile(r"\S{200,}")
_NAME = lazy.compile(r"(?<=[\w,;:’'\"(] )(?!I\b)[A-Z][\w’-]+")  # a capital inside a sentence
_NUMBER = lazy.compile(r"\d[\d.,:/-]*")
_AMOUNT = lazy.compile(r"[^\W_]*\d[\w.,:/-]*")  # with attached signs: 14A, QF12, 1,240, 16:30
_PLACE = lazy.compile(
    r"(?<!\S)[^\s/\\@]*\w[/\\@]\w\S*|\b\w+_\w+|\b(?=[a-z]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b|\b\w+\.[a-z]{2,4}\b"
)
_DECISION = lazy.compile(
    r"\b(?:decided?|decision|agreed?|chos(?:e|en)|settled|will use|we use|let['’]s|go(?:ing)? with|plan(?:ned)? to"
    r"|booked|ordered|bought|confirmed|approved|rejected|promised?|deadline|due|fixed|solved|released|caused?"
    r"|turned out|instead of|because|my name is|password|address|birthday)\b",
    re.IGNORECASE,
)
_SELF = lazy.compile(r"\b(?:I|my|our|we)\b|\b(?:I|we)['’]", re.IGNORECASE)
_OTHER = lazy.compile(r"\byou(?:r|rs)?\b|\byou['’]", re.IGNORECASE)
_DATE = lazy.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|june|july|august|september|october"
    r"|november|december)\b|tomorrow|tonight|next (?:week|month|year)|\d{1,2}(?:am|pm)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Unit:
    """An entry: its number in the context, its speaker and its text. `person` is True for a person's own words."""

    number: int
    speaker: str
    text: str
    person: bool = False


@dataclass(frozen=True)
class _Line:
    """A sentence with its speaker, its position and its terms."""

    text: str
    sentence: str
    firm: bool
    terms: tuple[str, ...]
    person: bool


def gist(text: str, most: int = 80) -> str:
    """Return the most informative sentence of a text's first 20,000 characters, on one line of at most `most`
    characters."""
    lines = _lines([Unit(0, "", text[:20_000])])
    if not lines:
        return ""
    worth = _worth(lines)
    # The first sentence often names the topic, and a sentence that must be cut is less useful.
    fit = [1.0 if len(line.sentence) <= most else 0.6 for line in lines]
    best = max(range(len(lines)), key=lambda i: (worth[i] + lines[i].firm) * (1 + 1 / (1 + i)) * fit[i])
    return escape.one_line(_cut(re.sub(r"\A(?:[#>*•-]+ +)+", "", lines[best].sentence), most), most)


def summarise(units: Sequence[Unit], budget: int) -> str:
    """Return the most informative sentences in their order, as "speaker: sentence" lines, in at most `budget`
    characters.

    People's standing instructions come first, each once; if they do not all fit, later ones win. Tool output (speaker
    "TOOL …") never counts as an instruction. If people said anything, the best line of theirs is included. The other
    sentences are ranked by centrality (Radev et al. 2004: nearness to the tf-idf centroid) and by named things, minus
    what is already included (Carbonell & Goldstein 1998: marginal relevance).
    """
    lines = _lines(units)
    newest = {lines[i].text: i for i in range(len(lines)) if lines[i].firm}
    chosen: set[int] = set()
    room = budget + 1  # every line ends with LF, the last one without
    for i in sorted(newest.values(), reverse=True):
        if len(lines[i].text) < room:
            chosen.add(i)
            room -= len(lines[i].text) + 1
    if not chosen and newest:
        return _cut(lines[max(newest.values())].text, budget)
    theirs = [i for i, line in enumerate(lines) if line.person and len(line.text) < room]
    if theirs and not any(lines[i].person for i in chosen):
        worth = _worth(lines)
        best = max(theirs, key=lambda i: (worth[i] / (40 + len(lines[i].text)) ** 0.3, -i))
        chosen.add(best)
        room -= len(lines[best].text) + 1
    chosen |= _ranked(lines, chosen, room)
    if not chosen and lines:
        return _cut(max(lines, key=lambda line: len(line.terms)).text, budget)
    return "\n".join(lines[i].text for i in sorted(chosen))


def segment(units: Sequence[Unit], least: int = 3, most: int = 24) -> list[tuple[int, int]]:
    """Divide units into conceptual chunks, as (first index, last index) in order and without gaps.

    Borders are dips of lexical cohesion (TextTiling, Hearst 1997: compare the blocks on both sides of a gap; its depth
    below the neighbouring peaks is its score). No chunk has more than `most` units, and if possible none fewer than
    `least`.
    """
    most = max(1, most)
    least = max(1, min(least, most))
    count = len(units)
    depth = _depths([Counter(terms(unit.text)) for unit in units], max(2, min(6, most // 2)))
    from statistics import fmean, pstdev  # an agent that never fades needs no statistics

    bar = fmean(depth[1:]) + pstdev(depth[1:]) / 2 if count > 1 else 0.0  # the depth required of a border
    border = [gap in (0, count) for gap in range(count + 1)]
    for gap in sorted(range(1, count), key=lambda gap: (-depth[gap], gap)):
        if depth[gap] <= bar:
            break
        if not any(border[max(0, gap - least + 1) : gap + least]):
            border[gap] = True
    chunks: list[tuple[int, int]] = []
    for start, end in pairwise(gap for gap in range(count + 1) if border[gap]):
        while end - start > most:
            low, high = start + least, min(start + most, end - least)
            cut = max(range(low, high + 1), key=lambda gap: (depth[gap], gap), default=start + most)
            chunks.append((start, cut - 1))
            start = cut
        chunks.append((start, end - 1))
    return chunks


def relevance(units: Sequence[Unit], chunks: Sequence[tuple[int, int]]) -> list[int]:
    """Rank the chunks by how likely they are needed, from 1 to 10 (a single chunk: 5).

    The score is the density of standing instructions, decisions, names, numbers and unanswered questions. The later of
    two equal chunks ranks higher.
    """
    if len(chunks) < 2:
        return [5 for _ in chunks]
    worth = [(_density(units[first : last + 1]), index) for index, (first, last) in enumerate(chunks)]
    ranks = [0] * len(chunks)
    for rank, (_, index) in enumerate(sorted(worth)):
        ranks[index] = 1 + (9 * rank + (len(chunks) - 1) // 2) // (len(chunks) - 1)
    return ranks


def _lines(units: Sequence[Unit]) -> list[_Line]:
    """Return every sentence of the units, in order."""
    found = []
    for unit in units:
        who = " ".join(sentences(unit.speaker))
        tool, tag = who.split(" ", 1)[0] == "TOOL", f"{who}: " if who else ""
        for sentence in sentences(unit.text):
            firm = not tool and stands(sentence)
            found.append(_Line(tag + sentence, sentence, firm, tuple(terms(sentence)), unit.person))
    return found


def terms(text: str) -> list[str]:
    """Return the stems of the words that indicate a text's topic."""
    return [stem for stem in stems(text) if stem not in _KIND]


def facts(text: str) -> set[str]:
    """Return the names, numbers, paths and dates in a text, in lower case. A sentence's first word is not counted as a
    name."""
    text = _OVERLONG.sub(" ", text)  # not names, and the patterns take quadratic time
    named = {name.removesuffix("’s").removesuffix("'s") for name in _NAME.findall(text)}
    exact = {word.strip(".,:;!?()[]'\"") for pattern in (_AMOUNT, _PLACE) for word in pattern.findall(text)}
    plain = {re.sub(r"(?<=\d),(?=\d{3}\b)|(?<=\d)(?:st|nd|rd|th)\Z", "", fact.lower()) for fact in exact}
    return {fact.lower() for fact in (named | plain | set(_DATE.findall(text))) if fact}


def _cues(sentence: str) -> float:
    """Score what a sentence names: people, numbers, dates, paths, decisions, and, a little, a question."""
    worth = 0.5 * bool(_DECISION.search(sentence)) + 0.3 * bool(_DATE.search(sentence)) + 0.15 * asks(sentence)
    for pattern, each in ((_NAME, 0.2), (_NUMBER, 0.2), (_PLACE, 0.25)):
        worth += each * min(3, len(pattern.findall(sentence[:1000])))
    return worth


def _person_bonus(sentence: str) -> float:
    """Return a bonus for statements in the first person, and a penalty for the second person and for questions."""
    return 0.4 * bool(_SELF.search(sentence)) - 0.3 * bool(_OTHER.search(sentence)) - 0.3 * asks(sentence)


def _weights(lines: Sequence[_Line]) -> dict[str, float]:
    """Return each term's inverse frequency over the sentences."""
    within = Counter(term for line in lines for term in set(line.terms))
    return {term: math.log(1 + len(lines) / count) for term, count in within.items()}


def _worth(lines: Sequence[_Line]) -> list[float]:
    """Return each sentence's centrality, from 0 to 1, plus its cues. Few terms reduce the score, and none make it 0.
    Beside a person's words, all others count less, because an agent and its tools say most, and little that is new."""
    weights = _weights(lines)
    counts = Counter(term for line in lines for term in line.terms)
    nearness = []
    for line in lines:
        length = math.sqrt(sum(weights[term] ** 2 for term in line.terms))
        near = sum(counts[term] * weights[term] ** 2 for term in line.terms)
        nearness.append(near / length if length else 0.0)
    top = max(nearness, default=0.0) or 1.0
    beside = BESIDE if any(line.person for line in lines) else 1.0
    return [
        (near / top + _cues(line.sentence) + _person_bonus(line.sentence))
        * min(1.0, len(line.terms) / 4)
        * (1.0 if line.person else beside)
        for near, line in zip(nearness, lines, strict=True)
    ]


def _ranked(lines: Sequence[_Line], taken: set[int], room: int) -> set[int]:
    """Return the best sentences for the remaining room. Gains only fall, so they are recomputed lazily (Minoux
    1978)."""
    weights, worth = _weights(lines), _worth(lines)
    said = {term for i in taken for term in lines[i].terms}
    texts = {lines[i].text for i in taken}
    mass = [sum(weights[term] for term in set(line.terms)) for line in lines]
    queue = [
        (-worth[i] / (40 + len(line.text)) ** 0.3, i) for i, line in enumerate(lines) if i not in taken and line.terms
    ]
    first = {i: gain for gain, i in queue}
    heapq.heapify(queue)
    chosen: set[int] = set()
    while queue and room > 8:
        i = heapq.heappop(queue)[1]
        line = lines[i]
        if len(line.text) >= room or line.text in texts:
            continue
        new = sum(weights[term] for term in set(line.terms) if term not in said) / mass[i]
        now = first[i] * (REPEATED + (1 - REPEATED) * new)
        if new < 0.15:
            continue
        if queue and now > queue[0][0]:
            heapq.heappush(queue, (now, i))
            continue
        chosen.add(i)
        texts.add(line.text)
        said.update(line.terms)
        room -= len(line.text) + 1
    return chosen


def _depths(bags: Sequence[Counter[str]], width: int) -> list[float]:
    """Return how far the cohesion at each gap (before unit i) is below the peaks on both sides. Index 0 is unused."""
    cohesion = [0.0] * len(bags)
    for gap in range(1, len(bags)):
        before, after = (sum(part, Counter()) for part in (bags[max(0, gap - width) : gap], bags[gap : gap + width]))
        shared = sum(number * after[term] for term, number in before.items() if term in after)
        size = math.sqrt(sum(n * n for n in before.values()) * sum(n * n for n in after.values()))
        cohesion[gap] = shared / size if size else 0.0
    left, right = cohesion[:], cohesion[:]
    for gap in range(2, len(bags)):
        left[gap] = max(left[gap - 1], cohesion[gap]) if cohesion[gap - 1] >= cohesion[gap] else cohesion[gap]
    for gap in range(len(bags) - 2, 0, -1):
        right[gap] = max(right[gap + 1], cohesion[gap]) if cohesion[gap + 1] >= cohesion[gap] else cohesion[gap]
    return [peak + other - 2 * here for peak, other, here in zip(left, right, cohesion, strict=True)]


def _density(units: Sequence[Unit]) -> float:
    lines = _lines(units)
    if not lines:
        return 0.0
    firm = sum(line.firm for line in lines)
    open_end = asks(lines[-1].sentence)
    cues = sum(_cues(line.sentence) for line in lines)
    return (3.0 * firm + cues + open_end) / math.sqrt(4 + len(lines))


def _cut(line: str, most: int) -> str:
    """Cut a line to at most `most` characters, between words if possible."""
    if len(line) <= most:
        return line
    if most < 2:
        return "…"[: max(0, most)]
    kept = line[: most - 1]
    word = kept if line[most - 1] == " " else kept.rpartition(" ")[0]
    return (word or kept).rstrip(" ,;:–—-") + "…"
