"""Find the time in a request for a reminder, and separate it from the text. Pure.

The time is first (“in 10 minutes to stretch”, “tomorrow at 9: call mum”) or last (“to call mum on Friday at 9”). All
words of times that stand together must be one time. If they are not, or if other words of times are left in the text,
the request is unclear, and the person or model is asked again. Everything after a colon is text.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from dotagent.text import languages, lazy, moments, phrases, times
from dotagent.text.dates import Unclear
from dotagent.text.languages import Labels
from dotagent.text.lazy import dataclass, replace
from dotagent.text.phrases import Parts

FORM = "write the time first, then a colon: “tomorrow at 15:00: call mum”"
_CRON = lazy.compile(r"(?i)cron:?\s+(@\w+|(?:\S+\s+){4}\S+?):?(?:\s+|$)")
_LINK = lazy.compile(
    r"(?i)^(?:[\s,，、:–-]+|d['’](?=\w)|(?:to|that|of|about|for|zu|dass|an|de|di|pour|para|que|per|att|te|å|żeby|чтобы|щоб)\s+(?=\S))+"
)
_LINKS = frozenset("to that of about for zu dass an de di pour para que per att te å żeby чтобы щоб - – —".split())
_DAYS = "DWgX"
_STRONG = _DAYS + "MPEeumonzBC0JhH"  # labels that are hardly anything but a time
_UNSPACED_TIME = lazy.compile(rf"[{_DAYS}nzC0]|N[oh]")
_UNCOUNTED = lazy.compile("e(?!N,?A)|[udYm]|h(?![NC])")  # a unit after a number that may be a word not known
INFINITIVE = ("de", "nl")  # languages in which a verb, with its ending “n”, can be the last word
NEAR = 3  # words beside a time
_JOINING = "t!?i&L,_.-aAF"  # labels of words that can begin the text
_AROUND = "&Lit!,_."


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
    parts: Parts | None = None
    size: int = 0


def parse_request(text: str, now: datetime) -> When | None:
    """Return the time and the text of a request, or None if it names no time.

    `now` has the zone of the person. Raises Unclear if a part of the time is not understood, is ambiguous, or is over.
    """
    found = _find(text)
    if found is None:
        return None
    if cron := _CRON.match(found.phrase):
        return When("cron", cron[1], found.rest)
    try:
        return When(*moments.read(found.phrase, found.parts or {}, now), found.rest)
    except Unclear as unclear:
        unclear.language = found.language
        raise


def ask_back(unclear: Unclear) -> str:
    """Return that no reminder is set, and why, in the language in which the time was read."""
    _, _, not_set, either, example = languages.answers(unclear.language)
    if unclear.language == "en":
        return f"{not_set}: {unclear}"
    return f"{not_set}: {f' {either} '.join(unclear.choices)}?" if unclear.choices else f"{not_set}: {example}"


def repeated(phrase: str) -> tuple[str, str] | None:
    """Return the kind and the schedule of a time that repeats, or None if the text is not a time. Raises Unclear."""
    found = _whole(phrase)
    return moments.repeated(phrase, found.parts or {}) if found else None


def is_timed(text: str) -> bool:
    """Return whether the text names a time, even an unclear one."""
    try:
        return _find(text) is not None
    except Unclear:
        return True


def find_language(text: str) -> str:
    """Return the code of the language in which the time in the text is read, or `en`."""
    return found.language if (found := _try(text)) else "en"


def format_time(then: datetime, zone: str, language: str = "en") -> str:
    """Format a time with its day and zone in this language: `vendredi 2026-11-27 09:00 Europe/Berlin`."""
    name = languages.weekday(language, then.astimezone(times.find_zone(zone)).weekday()) if language != "en" else ""
    return times.format_day(then, zone, name.title() if language == "de" else name)


def answer(language: str) -> tuple[str, str]:
    """Return “I will remind you” and “then” in this language."""
    will, then, *_ = languages.answers(language)
    return will, then


def remove_time(text: str) -> str:
    """Return the text without the time, or the whole text if it names no time, or an unclear one."""
    return found.rest if (found := _try(text)) else text


def _try(text: str) -> FoundTime | None:
    try:
        return _find(text)
    except Unclear:
        return None


def split(text: str) -> tuple[str, str] | None:
    """Return the time phrase and the remaining text, or None if no time is named. Raises Unclear."""
    found = _find(text)
    return (found.phrase, found.rest) if found else None


def looks_like_time(text: str) -> bool:
    """Return whether the text begins like a time and names a day, a unit or a number: “every other day”, “at 25:00”."""
    for language in languages.candidates(text):
        letters = languages.label(text, language).letters
        begins = len(letters) == 1 or letters[:1] not in {*"x,.aL"}
        if begins and not {*_STRONG, *"N%"}.isdisjoint(letters[len(letters) > 1 :].replace("E", "")):
            return True
    return False


def is_time(phrase: str) -> bool:
    """Return whether the text is a time and no more."""
    return _whole(phrase) is not None


def mentions_time(text: str) -> bool:
    """Return whether the text has an hour, a length or a repeated time anywhere in it."""
    for language in languages.candidates(text):
        labels = languages.label(text, language)
        for run in re.finditer("[^x]+", labels.letters):
            parts = phrases.read(_trimmed(labels, run.start(), run.end()))
            if parts and parts.keys() & {*"#GR0E"}:
                return True
    return False


def _find(text: str) -> FoundTime | None:
    """Return the time in a text, in the language in which it has most words. Raises Unclear."""
    text = " ".join(text.split())
    if cron := _CRON.match(text):
        return FoundTime(cron[0].strip(), _strip_links(text[cron.end() :]))
    for phrase, rest in ((text, ""), (text.rstrip(".!?"), ""), text.partition(": ")[::2]):
        if whole := _whole(phrase):
            return replace(whole, rest=rest.strip())
    told: list[FoundTime | Unclear] = []
    for language in languages.candidates(text):
        try:
            found = _edge(text, languages.label(text, language))
        except Unclear as unclear:
            told.append(unclear)
        else:
            told += [found] if found else []
    most = max((float(one.size) for one in told), default=0)
    best = [one for one in told if isinstance(one, FoundTime) and one.size == most]
    if best and all((one.parts, one.rest) == (best[0].parts, best[0].rest) for one in best):
        return best[0]
    if best:
        raise _unclear(f"“{best[0].phrase}” can mean several times", most, "en")
    if told:
        raise next(one for one in told if isinstance(one, Unclear) and one.size == most)
    return None


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
    same = bool(told) and all(one.parts == told[0].parts for one in told)
    return min(told, key=lambda one: one.size) if same else None  # the longest forms tell the language


def _edge(text: str, labels: Labels) -> FoundTime | None:
    """Return the time at the beginning or at the end of a text in a language. Raises Unclear."""
    letters = labels.letters
    first = re.match("[^x]*", letters)[0]  # type: ignore[index]
    for end in range(len(first), 0, -1):
        cut = end == len(first) or (letters[end] in _JOINING and labels.spans[end] != labels.spans[end - 1])
        if cut and (parts := phrases.read(labels.part(0, end))) is not None:
            close = labels.spans[end - 1][1]
            found = FoundTime(text[:close], _strip_links(text[close:]), labels.language, parts, end)
            if _is_odd_after(text[close:], labels, end, parts):
                raise _beside(found, f"{' '.join(text[close:].split()[:3])} …")
            return found
    for other in (languages.label(text.rstrip(".!?"), labels.language), labels):
        last = re.search("[^x]*$", other.letters)[0].lstrip(",_.")  # type: ignore[index]
        start = len(other.letters) - len(last)
        if start and (parts := phrases.read(other.part(start, len(other.letters)))) is not None:
            begin, close = other.spans[start][0], other.spans[-1][1]
            rest = _strip_links(text[:begin]).rstrip(" ,")
            found = FoundTime(text[begin:close], rest, labels.language, parts, len(last))
            if _is_odd_before(text[:begin], other, start, parts):
                raise _beside(found, f"… {' '.join(text[:begin].split()[-3:])}")
            return found
    if inner := _inner(text, labels):
        return inner
    if _is_timely(text, labels, 0):
        runs = (run.strip("._,") for run in (first, last))
        size = max((len(run) + 0.5 * ("?" in run) for run in runs if not {*_STRONG}.isdisjoint(run)), default=1)
        raise _unclear(f"the time in “{text[:100]}” is not understood", size, labels.language if size > 1 else "en")
    return None


def _inner(text: str, labels: Labels) -> FoundTime | None:
    """Return the only time of a text where it is before the end, if it has a day and an hour, and an article or an
    infinitive follows: “to read on Sunday at 9 the paper”, “Mama morgen um 9 anrufen”."""
    runs = [run for run in re.finditer("[^x]+", labels.letters) if not {*_STRONG, *"N%?"}.isdisjoint(run[0])]
    link = "t" if labels.language == "en" else ""  # German “vor” is no link
    found = re.fullmatch(f"([{link}_,]*)(.+?),?([La]?)", runs[0][0]) if len(runs) == 1 else None
    if found is None:
        return None
    start, end = runs[0].start() + found.start(2), runs[0].start() + found.end(2)
    before, after = text[: labels.spans[start][0]], text[labels.spans[end - 1][1] :]
    verb = labels.language in INFINITIVE and re.fullmatch(r"\s[a-zäöüß]{4,}n[.!?]*", after)
    parts = phrases.read(labels.part(start, end)) if start and after.strip(" .!?") and (found[3] or verb) else None
    if not parts or "#" not in parts or parts.keys().isdisjoint("DWXO"):
        return None
    if _is_odd_before(before, labels, start, parts) or _is_odd_after(after, labels, end, parts):
        return None
    phrase, rest = (
        text[len(before) : len(text) - len(after)],
        f"{_strip_links(before).rstrip(' ,')} {after.lstrip(' ,')}",
    )
    return FoundTime(phrase, rest, labels.language, parts, end - start)


def _is_odd_after(rest: str, labels: Labels, end: int, parts: Parts) -> bool:
    """Return whether the text after a time may belong to the time."""
    words, letters = rest.split(), labels.letters[end:]
    if _names_day(rest):
        return True
    if words and words[0].lower() in _LINKS:
        beside = re.match("[^x]*", letters[1:])[0]  # type: ignore[index]
        if not {*beside} <= {*"Lait!_"} or (words[1:] and words[1].lower() in _LINKS):
            return True
        runs = ((end + run.start(), end + run.end()) for run in re.finditer("[^x]+", letters))
        return any(
            not {*_DAYS}.isdisjoint(labels.letters[slice(*run)]) or phrases.read(_trimmed(labels, *run)) for run in runs
        )
    comma = letters[:1] == ","
    if not comma and _changes(labels, end, min(end + NEAR, len(labels.letters)), parts):
        return True
    joined = letters[:1] not in {*"xLa,", ""} or (parts.keys() == {"O"} and bool(words) and not comma)
    return joined or _is_timely(rest, labels, end) or any(word.endswith(":") for word in words)


def _is_odd_before(rest: str, labels: Labels, start: int, parts: Parts) -> bool:
    """Return whether the text before a time may belong to the time."""
    letters = labels.letters[:start]
    bare = {*labels.letters[start:]} <= {*"CNBohu"} or bool(_UNCOUNTED.match(labels.letters, start))
    # in “3. prosince o 14:00” the month is of a language that is not read
    foreign = labels.language not in phrases.OWN and parts.keys() <= {"#", "P"} and re.search(r"N\.?x$", letters)
    strange = not {*_STRONG}.isdisjoint(letters) or _changes(labels, max(0, start - NEAR), start, parts)
    return bare or bool(foreign) or strange or _names_day(rest) or any(map(_is_misspelt, rest.split()))


def _changes(labels: Labels, begin: int, end: int, parts: Parts) -> bool:
    """Return whether one of these words changes the time. A holiday does where the time names no day."""
    near = [labels.values[at] for at in range(begin, end) if labels.letters[at] == "?"]
    return any(value != "holiday" for value in near) or (bool(near) and parts.keys() <= {"#", "P"})


def _is_timely(text: str, labels: Labels, begin: int) -> bool:
    """Return whether the labels seem to name a time."""
    letters = labels.letters[begin:]
    if re.match(languages.UNSPACED, text.lstrip(" ,，、")):
        return _UNSPACED_TIME.search(letters) is not None
    return not {*_STRONG, *"N%"}.isdisjoint(letters) or any(map(_is_misspelt, text.split()))


def _names_day(text: str) -> bool:
    """Return whether one of the words is a day, in any language."""
    return not languages.days().isdisjoint(re.findall(r"[^\W\d_]+", text.lower()))


def _trimmed(labels: Labels, begin: int, end: int) -> Labels:
    """Return the labels without those at the ends that join words."""
    letters = labels.letters[begin:end]
    begin, end = end - len(letters.lstrip(_AROUND)), begin + len(letters.rstrip(_AROUND))
    return labels.part(min(begin, end), end)


def _is_misspelt(word: str) -> bool:
    """Return whether the word is close to one for a day or a month: “tomorow”, “wensday”."""
    plain = word.lower().strip(",;.:!?()“”\"'")
    if len(plain) < 6 or plain in languages.calendar():
        return False
    near = [one for one in languages.calendar() if one[0] == plain[0] and abs(len(one) - len(plain)) < 2]
    if not near:
        return False
    from difflib import get_close_matches

    return bool(get_close_matches(plain, near, 1, 0.85))


def _beside(found: FoundTime, told: str) -> Unclear:
    why = f"“{found.phrase}” is a time, but it is unclear whether “{told}” belongs to it"
    return _unclear(why, found.size + 0.5, found.language)


def _unclear(why: str, size: float, language: str) -> Unclear:
    found = Unclear(f"{why}; {FORM}")
    found.size, found.language = size, language
    return found


def _strip_links(text: str) -> str:
    return _LINK.sub("", text).strip()
