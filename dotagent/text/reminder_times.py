"""Find the time in a request for a reminder, and separate it from the text. Pure.

The time is first (“in 10 minutes to stretch”, “tomorrow at 9: call mum”) or last (“to call mum on Friday at 9”). All
words of times that stand together must be one time. If they are not, or if other words of times are left in the text,
the request is unclear, and the person or model is asked again. Everything after a colon is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from dotagent.text import languages, lazy, moments, phrases, schedule, times
from dotagent.text.dates import Unclear
from dotagent.text.languages import Labels
from dotagent.text.lazy import dataclass, field, replace
from dotagent.text.phrases import Parts

FORM = "write the time first, then a colon: “tomorrow at 15:00: call mum”"
_CRON = lazy.compile(r"(?i)cron:?\s+(@\w+|(?:\S+\s+){4}\S+?):?(?:\s+|$)")
_PROGRAM = lazy.compile(  # a time as programs write it; words of a person follow a length without a colon
    r"(?i)(?P<lead>@?every |in )?(?P<said>P\w+|\d+ ?ms|@\w+)(?=:? |:?$)"
    r"|(?P<alone>[\d*]\S*(?: \S+){3} [^\s:]+|\d[\d.]* ?\w+)(?=: |:?$)"
)
_LINKS = "to that of about for zu dass an de di pour para que per att te å żeby чтобы щоб".split()
_LINK = lazy.compile(rf"(?i)^(?:[\s,，、:–-]+|d['’](?=\w)|(?:{'|'.join(_LINKS)})\s+(?=\S))+")
_DAYS = "DWgX"
_STRONG = _DAYS + "MPEeumonzBC0JhH"  # labels that are hardly anything but a time
_UNSPACED_TIME = lazy.compile(rf"[{_DAYS}nzC0]|N[oh]")
_UNCOUNTED = lazy.compile("e(?!N(?:,?A|i?M))|[udYm]|h(?![NC])")  # a unit after a number that may be a word not known
INFINITIVE = ("de", "nl")  # languages whose last word can be a verb, with its ending “n”
NEAR = 3  # words next to a time
_OF_A_MONTH = ("O", "LN")  # “the 3rd” and “el 3”, before the label of “of”: a misspelt month may follow
_JOINING = "t!?i&L,_.-aAF"  # labels of words that can begin the text
_AROUND = "&it!,_."


@dataclass(frozen=True)
class When:
    """A time from a request in the form of a job (`at`, `cron` or `every`, and its words), and the remaining text."""

    kind: str
    words: str
    text: str


@dataclass(frozen=True)
class FoundTime:
    """A time in a text: its words, the rest of the text, its language, its parts, and the number of its labels."""

    phrase: str
    rest: str
    language: str = "en"
    parts: Parts = field(default_factory=dict)
    size: float = 0


def parse_request(text: str, now: datetime) -> When | None:
    """Return the time and the text of a request, or None if it names no time.

    `now` has the zone of the person. Raises Unclear if a part of the time is not understood, is ambiguous, or is over.
    """
    found = find(text)
    if isinstance(found, Unclear):
        raise found
    if found is None:
        return None
    cron = _CRON.match(found.phrase)
    return When(*(("cron", cron[1]) if cron else _schedule(found, now)), found.rest)


def repeated(phrase: str) -> tuple[str, str] | None:
    """Return the kind and the schedule of a time that repeats, or None if the text is not a time. Raises Unclear."""
    found = _whole(phrase)
    return _schedule(found, None) if found else None


def _schedule(found: FoundTime, now: datetime | None) -> tuple[str, str]:
    try:
        return moments.read(found.parts, now)
    except Unclear as unclear:
        raise Unclear(f"“{found.phrase}”: {unclear}", unclear.choices, found.language) from None


def ask_back(unclear: Unclear) -> str:
    """Return that no reminder is set, and why, in the language in which the time was read."""
    _, _, not_set, either, example = languages.answers(unclear.language)
    if unclear.language == "en":
        return f"{not_set}: {unclear}"
    return f"{not_set}: {f' {either} '.join(unclear.choices)}?" if unclear.choices else f"{not_set}: {example}"


def format_time(then: datetime, zone: str, language: str = "en") -> str:
    """Format a time with its day and zone in this language: `vendredi 2026-11-27 09:00 Europe/Berlin`."""
    name = languages.weekday(language, then.astimezone(times.find_zone(zone)).weekday()) if language != "en" else ""
    return times.format_day(then, zone, name.title() if language == "de" else name)


def find_language(text: str) -> str:
    """Return the code of the language in which the time in the text is read, or `en`."""
    return found.language if isinstance(found := find(text), FoundTime) else "en"


def remove_time(text: str) -> str:
    """Return the text without the time, or the whole text if it names no time, or an unclear one."""
    return found.rest if isinstance(found := find(text), FoundTime) else text


def is_time(phrase: str) -> bool:
    """Return whether the text is a time and no more."""
    return _whole(phrase) is not None


def looks_like_time(text: str) -> bool:
    """Return whether the text begins like a time and names a day, a unit or a number: “every other day”, “at 25:00”."""
    for language in languages.candidates(text):
        letters = languages.label(text, language).letters
        begins = len(letters) == 1 or letters[:1] not in {*"x,.aL"}
        if begins and not {*_STRONG, *"N%"}.isdisjoint(letters[len(letters) > 1 :].replace("E", "")):
            return True
    return False


def mentions_time(text: str) -> bool:
    """Return whether the text has an hour, a length or a repeated time anywhere in it."""
    labels = (languages.label(text, language) for language in languages.candidates(text))
    return any(parts.keys() & {*"#GR0E"} for one in labels for parts in _runs(one, 0))


def find(text: str) -> FoundTime | Unclear | None:
    """Return the time in a text, in the language in which it has most words, or why it is unclear."""
    text = _plain(" ".join(text.split()))
    if cron := _CRON.match(text):
        return FoundTime(cron[0].strip(), _strip_links(text[cron.end() :]))
    head, _, tail = text.partition(": ")
    short = re.sub(r"(?<=[^\W\d])\.$", "", head)  # “in 30 Min.”, but not the day in “am 5.”
    for phrase, rest in ((text, ""), (text.rstrip(".!?"), ""), (head, tail), (short, tail)):
        if whole := _whole(phrase):
            return replace(whole, rest=rest.strip())
    told = [one for language in languages.candidates(text) if (one := _edge(text, languages.label(text, language)))]
    longest = [one for one in told if one.size == max(other.size for other in told)]
    best = [one for one in longest if isinstance(one, FoundTime)]
    if any((one.parts, one.rest) != (best[0].parts, best[0].rest) for one in best):
        return Unclear(f"“{best[0].phrase}” can mean several times; {FORM}")
    return next(iter(best or longest), None)


def _plain(text: str) -> str:
    """Return the text with a time at its beginning that is written as in programs in words of a person: `in 30m` for
    `PT30M`, `cron @daily` for `@daily`."""
    found = _PROGRAM.match(text)
    if not found or (found["alone"] and _whole(found["alone"])):  # “18h” is a time of day in French
        return text
    lead, said, rest = found["lead"] or "", found["said"] or found["alone"], text[found.end() :]
    if schedule.is_span(said, schedule.MOST):
        first = "every" if "every" in lead.lower() else "in"
        return f"{first} {said if _whole(f'{first} {said}') else schedule.spell(said)}{rest}"
    return f"cron {said}{rest}" if not lead and schedule.repeated(said) else text


@lru_cache(maxsize=256)
def _whole(phrase: str) -> FoundTime | None:
    """Return the text as a time, or None if it is not exactly one time, or if languages disagree about it."""
    told = list[FoundTime]()
    for language in languages.candidates(phrase):
        labels = languages.label(phrase, language)
        if (parts := phrases.read(labels)) is not None:
            told.append(FoundTime(phrase, "", language, parts, len(labels.letters)))
            if language in phrases.OWN:
                break
        elif "?" in labels.letters and "x" not in labels.letters:
            return None  # “sabah 9:00” is in the morning in Turkish, and tomorrow in Azerbaijani
    same = bool(told) and all(one.parts == told[0].parts for one in told)
    return min(told, key=lambda one: one.size) if same else None  # the longest forms decide the language


def _edge(text: str, labels: Labels) -> FoundTime | Unclear | None:
    """Return the time in a text in a language, or why it is unclear."""
    for place, start, end in _places(text, labels):
        parts, inner = phrases.read(place.part(start, end)), start and end < len(place.letters)
        if parts is None or (inner and ("#" not in parts or parts.keys().isdisjoint("DWXO"))):
            continue
        begin, close = place.spans[start][0], place.spans[end - 1][1]
        before, after = text[:begin], text[close:] if text[close:].strip(" .!?") else ""
        found = FoundTime(text[begin:close], "", labels.language, parts, end - start)
        beside = f"{' '.join(after.split()[:3])} …" if after and _is_odd_after(after, place, end, parts) else ""
        if before and _is_odd_before(before, place, start, parts):
            beside = f"… {' '.join(before.split()[-3:])}"
        if beside:
            why = f"“{found.phrase}” is a time, but it is unclear whether “{beside}” belongs to it; {FORM}"
            return Unclear(why, (), labels.language, found.size + 0.5)
        return replace(found, rest=f"{_strip_links(before).rstrip(' ,')} {_strip_links(after)}".strip())
    if not _is_timely(text, labels, 0):
        return None
    runs = (labels.letters.partition("x")[0].strip("._,"), labels.letters.rpartition("x")[2].strip("._,"))
    size = max((len(run) + 0.5 * ("?" in run) for run in runs if {*_STRONG, "d"} & {*run}), default=1)
    why = f"the time in “{text[:100]}” is not understood; {FORM}"
    return Unclear(why, (), labels.language if size > 1 else "en", size)


def _places(text: str, labels: Labels) -> Iterator[tuple[Labels, int, int]]:
    """Yield where a time can be: at the beginning, at the end, or before an article or an infinitive that follows its
    only words: “to read on Sunday at 9 the paper”, “Mama morgen um 9 anrufen”."""
    letters, spans = labels.letters, labels.spans
    first = len(letters.partition("x")[0])
    for end in range(first, 0, -1):
        if end == first or (letters[end] in _JOINING and spans[end] != spans[end - 1]):
            yield labels, 0, end
    for other in (languages.label(text.rstrip(".!?"), labels.language), labels):
        last = other.letters.rpartition("x")[2].lstrip(",_.")
        if last:
            yield other, len(other.letters) - len(last), len(other.letters)
    runs = [run for run in re.finditer("[^x]+", letters) if {*_STRONG, *"N%?"} & {*run[0]}]
    link = "t" if labels.language == "en" else ""  # German “vor” is not a link
    if len(runs) == 1 and (found := re.fullmatch(f"([{link}_,]*)(.+?),?([La]?)", runs[0][0])):
        start, end = (runs[0].start() + at for at in found.span(2))
        verb = labels.language in INFINITIVE and re.fullmatch(r"\s[a-zäöüß]{4,}n[.!?]*", text[spans[end - 1][1] :])
        if start and end < len(letters) and (found[3] or verb):
            yield labels, start, end


def _is_odd_after(after: str, labels: Labels, end: int, parts: Parts) -> bool:
    """Return whether the text after a time may belong to the time."""
    words, letters = after.lower().split(), labels.letters[end:]
    if _names_day(after) or (letters[:1] == "i" and labels.letters[:end].endswith(_OF_A_MONTH)):
        return True
    linked = [word in _LINKS or word in {*"-–—"} for word in words[:2]]
    if linked[0]:
        known = {*letters[1:].partition("x")[0]} <= {*"Lait!_"}
        return not known or all(linked[1:]) or bool({*_DAYS} & {*letters}) or any(True for _ in _runs(labels, end))
    comma = letters[:1] == ","
    if not comma and (parts.keys() == {"O"} or _changes(labels, end, min(end + NEAR, len(labels.letters)), parts)):
        return True
    joined = letters[:1] not in {*"xLa,", ""} or _is_habit(labels, end, parts)
    return joined or _is_timely(after, labels, end) or any(word.endswith(":") for word in words)


def _is_odd_before(before: str, labels: Labels, start: int, parts: Parts) -> bool:
    """Return whether the text before a time may belong to the time."""
    letters, own = labels.letters[:start], labels.letters[start:]
    bare = {*own} <= {*"CNBohu"} or bool(_UNCOUNTED.match(own))
    # in “3. prosince o 14:00” the month is of a language that is not read
    foreign = labels.language not in phrases.OWN and parts.keys() <= {"#", "P"} and re.search(r"N\.?x$", letters)
    strange = bool({*_STRONG} & {*letters}) or _changes(labels, max(0, start - NEAR), start, parts)
    strange = strange or _is_habit(labels, len(letters.rstrip("._")) - 1, parts)
    return bare or bool(foreign) or strange or _names_day(before) or any(map(_is_misspelt, before.split()))


def _changes(labels: Labels, begin: int, end: int, parts: Parts) -> bool:
    """Return whether one of these words changes the time. A holiday does where the time names no day."""
    near = [labels.values[at] for at in range(begin, end) if labels.letters[at] == "?"]
    return any(value != "holiday" for value in near) or (bool(near) and parts.keys() <= {"#", "P"})


def _is_habit(labels: Labels, at: int, parts: Parts) -> bool:
    """Return whether the word there may make a habit of a time that names no single day: “always at 9”."""
    known = at >= 0 and labels.letters[at : at + 1] == "x" and labels.values[at] == 1
    return known and parts.keys().isdisjoint({*"DWXOG0"})


def _is_timely(text: str, labels: Labels, begin: int) -> bool:
    """Return whether the labels seem to name a time."""
    letters = labels.letters[begin:]
    if re.match(languages.UNSPACED, text.lstrip(" ,，、")):
        return _UNSPACED_TIME.search(letters) is not None
    return bool({*_STRONG, *"N%"} & {*letters}) or any(map(_is_misspelt, text.split()))


def _names_day(text: str) -> bool:
    """Return whether one of the words is a day, in any language."""
    return not languages.days().isdisjoint(re.findall(r"[^\W\d_]+", text.lower()))


def _runs(labels: Labels, begin: int) -> Iterator[Parts]:
    """Yield the parts of each time of whole runs of known words, without the words around it that join words."""
    for run in re.finditer("[^x]+", labels.letters[begin:]):
        start = begin + run.start() + len(run[0]) - len(run[0].lstrip(_AROUND))
        if parts := phrases.read(labels.part(start, start + len(run[0].strip(_AROUND).rstrip("L" + _AROUND)))):
            yield parts


@lru_cache(maxsize=1024)
def _is_misspelt(word: str) -> bool:
    """Return whether the word is close to one for a day or a month: “tomorow”, “wensday”, “frijdag”."""
    plain = word.lower().strip(",;.:!?()“”\"'")
    if len(plain) < 6:
        return False
    alike = {one for letter in plain[:2] for one in languages.calendar().get(letter, ())}
    near = [one for one in alike if abs(len(one) - len(plain)) < 2]
    if not near or plain in alike:
        return False
    from difflib import get_close_matches

    return bool(get_close_matches(plain, near, 1, 0.85))


def _strip_links(text: str) -> str:
    return _LINK.sub("", text).strip()
