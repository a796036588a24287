"""Find the time in a request for a reminder, and separate it from the text. Pure.

The time is first (“in 10 minutes to stretch”, “tomorrow at 9: call mum”) or last (“to call mum on Friday at 9”). If a
word that could belong to the time is not understood, the request is unclear, and the person or model is asked again.
Everything after a colon is text.
"""

from __future__ import annotations

import re
from datetime import datetime

from dotagent.text import languages, lazy, moments, phrases, times
from dotagent.text.dates import Unclear
from dotagent.text.lazy import dataclass
from dotagent.text.vocabularies import ANSWERS

LONGEST = 16  # words of a time
GERMAN_DAYS = "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split()
OWN = ("en", "de")  # the languages of the grammar; others are translated
FORM = "write the time first, then a colon: “tomorrow at 15:00: call mum”"
_CRON = lazy.compile(r"(?i)cron:?\s+(@\w+|(?:\S+\s+){4}\S+?):?(?:\s+|$)")
_LINK = lazy.compile(
    r"(?i)^(?:[\s,:–-]+|d['’](?=\w)|(?:to|that|of|about|for|zu|dass|an|de|di|pour|para|que|per|att|te|å|żeby|чтобы|щоб)\s+(?=\S))+"
)
_LINKS = frozenset("to that of about for zu dass an de di pour para que per att te å żeby чтобы щоб - – —".split())
_ARTICLES = "a an the der die das den dem ein eine einer einem".split()
_PLACES = "in at on am um im this next last coming nächsten diesen kommenden letzten past to half quarter".split()
_LIMITS = """before after until till since by around about circa except not during within from between every each
once vor nach bis seit ab gegen ungefähr etwa außer nicht zwischen während jeden jede alle einmal zweimal""".split()
_CHANGING = """starting beginning ending through than alternate previous last following prior anytime only never either
other third fourth fifth also or and of ago later plus minus ab nur nie oder und sondern vorigen folgenden letzten
jeweils beginnend vorher nachher next this past coming""".split()
_REPEATING = "every each daily weekly monthly yearly hourly twice jeden jede alle täglich wöchentlich monatlich".split()
_CALENDAR = frozenset(
    word
    for words in (phrases.MONTHS, phrases.WEEKDAYS, phrases.PARTS, phrases.RELATIVE, phrases.NOON, phrases.MIDNIGHT)
    for phrase in words
    for word in phrase.split()
    if word not in ("the", "sat", "sun", "wed", "mar", "12")
) | {*_REPEATING, *phrases.UNITS, "am", "pm", "uhr", "o'clock"}
_SPANS = _CALENDAR | {*phrases.MONTHS_AHEAD, "weekend", "weekends", "wochenende"}
_TIMELY = _CALENDAR | {*_PLACES, *_LIMITS, "a", "an", "the", *phrases.NUMBERS, *_LINKS}
_ZONES = """utc gmt z et pt ct mt est edt cst cdt mst mdt pst pdt bst wet west cet cest mez mesz eet eest msk ist jst
aest""".split()
_NARROW = frozenset(  # these words change a time that they are next to
    """early earlier late later latest earliest sometime someday sharp roughly ish thing times thrice biweekly bi-weekly
    fortnightly früh spät spätestens frühestens irgendwann pünktlich übernächste übernächsten übernächster übernächstes
    month year quarter monat jahr dawn dusk sunrise sunset lunchtime eod cob christmas xmas easter eve silvester
    neujahr heiligabend weihnachten ostern pfingsten a.m p.m""".split()
)
_SHARED = lazy.compile(
    r"(?:same|this|that|my|your|local|gleichen?|selben?) (?:time|zeit)$|(?:half|quarter|(?:drei)?viertel) \S+$"
)
_BARE = lazy.compile(r"(?i)[\d:.]+(?:\s?h\d*)?(?:\s?[ap]\.?m\.?)?(?: (?:uhr|o'clock))?")
_DAY_OF_MONTH = lazy.compile(r"(?i)(?:on the|am) \d+(?:st|nd|rd|th|\.)$")
_LONG = sorted(word for word in _CALENDAR if len(word) > 5)


@dataclass(frozen=True)
class When:
    """A time from a request in the form of a job (`at`, `cron` or `every`, and its words), and the remaining text."""

    kind: str
    words: str
    text: str


def parse_request(text: str, now: datetime) -> When | None:
    """Return the time and the text of a request, or None if it names no time.

    `now` has the zone of the person. Raises Unclear if a part of the time is not understood, is ambiguous, or is over.
    """
    found = split(text)
    if found is None:
        return None
    phrase, rest = found
    if cron := _CRON.match(phrase):
        return When("cron", cron[1], rest)
    read = moments.read(phrase, now)
    assert read
    return When(*read, rest)


def is_timed(text: str) -> bool:
    """Return whether the text names a time, even an unclear one."""
    try:
        return split(text) is not None
    except Unclear:
        return True


def find_language(text: str) -> str:
    """Return the code of the language in which the time in the text is read, or `en`."""
    try:
        return phrases.language((split(text) or ("", ""))[0]) or "en"
    except Unclear:
        return "en"


def format_time(then: datetime, zone: str, language: str = "en") -> str:
    """Format a time with its day and zone in this language: `vendredi 2026-11-27 09:00 Europe/Berlin`."""
    day = then.astimezone(times.find_zone(zone)).weekday()
    name = GERMAN_DAYS[day] if language == "de" else languages.weekday(language, day)
    return times.format_day(then, zone, name)


def answer(language: str) -> tuple[str, str]:
    """Return “I will remind you” and “then” in this language."""
    return ANSWERS.get(language, ANSWERS["en"])


def remove_time(text: str) -> str:
    """Return the text without the time, or the whole text if it names no time, or an unclear one."""
    try:
        return (split(text) or ("", text))[1]
    except Unclear:
        return text


def split(text: str) -> tuple[str, str] | None:
    """Return the time phrase and the remaining text, or None if no time is named. Raises Unclear."""
    text = " ".join(text.split())
    if cron := _CRON.match(text):
        return cron[0].strip(), _strip_links(text[cron.end() :])
    words = text.split(" ")
    if found := _parse_whole(text) or _marked(text) or _first(words) or _unspaced(text) or _last(words):
        return found
    _check_none(text, words)
    return None


def looks_like_time(phrase: str) -> bool:
    """Return whether the text begins like a time and names a day, a unit or a number: “every other day”, “at 25:00”."""
    first, *rest = _normalise(phrase.split()) or [""]
    begins = first[:1].isdigit() or (first in _TIMELY and first not in (*_ARTICLES, *_LINKS))
    if not rest:  # “weekly”, “mornings”
        return not {first, first.removesuffix("s")}.isdisjoint(_SPANS)
    return begins and any(word in _SPANS or re.search(r"\d", word) for word in rest if word not in _REPEATING)


def is_time(phrase: str) -> bool:
    """Return whether the text is a time and no more."""
    return phrases.match(phrase) is not None


def _parse_whole(text: str) -> tuple[str, str] | None:
    for phrase in (text, text.rstrip(".!?")):
        if is_time(phrase):
            return phrase, ""
    return None


def _marked(text: str) -> tuple[str, str] | None:
    """Split at a colon: everything after it is text."""
    phrase, colon, rest = text.partition(": ")
    return (phrase, rest.strip()) if colon and is_time(phrase) else None


def _first(words: list[str]) -> tuple[str, str] | None:
    """Split off a time at the beginning, the longest first."""
    for end in range(min(len(words) - 1, LONGEST), 0, -1):
        phrase = " ".join(words[:end])
        if is_time(phrase.rstrip(",")):
            _check_after(phrase.rstrip(","), words[end:], phrase.endswith(","))
            return phrase.rstrip(","), _strip_links(" ".join(words[end:]))
    return None


def _unspaced(text: str) -> tuple[str, str] | None:
    """Split off a time at the beginning of a text that has no spaces between its words."""
    for phrase in languages.unspaced(text):
        if is_time(phrase):
            rest = text[len(phrase) :].lstrip(" ，,、")
            if languages.begins(rest) or languages.names_day(rest) or _time_in([rest]) or re.match(r"\d|.*: ", rest):
                raise Unclear(f"“{phrase}” is a time, but it is unclear whether “{rest[:9]} …” belongs to it; {FORM}")
            return phrase, rest
    return None


def _check_after(phrase: str, rest: list[str], comma: bool) -> None:
    """Raise Unclear if the text after a time may belong to the time."""
    link = rest[0].lower() if rest[0].lower() in _LINKS else ""
    plain, said = _normalise(rest), rest[1:] if link else rest
    if other := _time_in(said):
        raise Unclear(f"more than one time: “{phrase}” and “{other}”; {FORM}")
    if not link and not comma and _DAY_OF_MONTH.search(phrase):  # “on the 5th floor”
        odd = True
    elif link in ("of", "an") and {*plain[1:2]} & {
        "next",
        "this",
        "every",
        "each",
        *phrases.UNITS,
        *phrases.MONTHS_AHEAD,
    }:
        odd = True  # “of next month”, “an hour later”
    elif link in ("to", "that", "zu", "dass", "an"):  # “at 10 to 9 …” has no text “9 …”
        odd = bool(said) and (said[0][0].isdigit() or plain[1] in phrases.NUMBERS)
    else:
        doubtful = _CALENDAR if link or comma else _TIMELY
        odd = any(word in doubtful or re.search(r"\d", word) or _is_misspelt(word) for word in plain)
        odd = odd or any(word.endswith(":") for word in rest)
        odd = odd or bool(not link and (plain[0] in (*_NARROW, *_ZONES) or {"time", "thing"} & {*plain[1:3]}))
    if phrases.language(phrase) not in OWN and said and not comma:
        odd = odd or languages.is_word(said[0]) or any(re.search(r"\d", word) for word in plain)
    if odd or (link and said and said[0].lower() in _LINKS):
        raise Unclear(f"“{phrase}” is a time, but it is unclear whether “{' '.join(rest[:3])} …” belongs to it; {FORM}")


def _last(words: list[str]) -> tuple[str, str] | None:
    """Split off a time at the end, the longest first."""
    for start in range(max(1, len(words) - LONGEST), len(words)):
        phrase = " ".join(words[start:])
        for one in (phrase, phrase.rstrip(".!?")):
            if is_time(one):
                _check_before(words[:start], one)
                return one, _strip_links(" ".join(words[:start]))
    return None


def _check_before(rest: list[str], phrase: str) -> None:
    """Raise Unclear if the text before a time may belong to the time."""
    if other := _time_in(rest):
        raise Unclear(f"more than one time: “{other}” and “{phrase}”; {FORM}")
    plain = _normalise(rest)
    begins, near = phrase.lower().split()[0], plain[1:] if len(plain) > 1 and plain[0] in _LINKS else plain
    alone = begins not in ("in", "at", "on", "am", "um") and begins not in phrases.RELATIVE and begins not in _REPEATING
    odd = any(word in _CALENDAR or word in languages.days() or _is_misspelt(word) for word in plain)
    odd = odd or plain[-1] in (*_LIMITS, *_CHANGING, *_ARTICLES, *_NARROW) or plain[-1].endswith("mal")
    odd = odd or plain[-1] in ("to", "on")
    odd = odd or bool(_SHARED.search(" ".join(plain[-2:])))
    odd = odd or re.search(r"\d[/.-]\d", plain[-1]) is not None  # “12/9 at 16:00”
    if (language := phrases.language(phrase)) not in OWN:
        odd = odd or languages.is_word(plain[-1]) or languages.changes(plain[-3:])
        dateless = languages.days().isdisjoint(_normalise(phrase.split()))
        odd = odd or languages.names_calendar(plain[-6:], language, languages.CALENDAR if dateless else "every")
        odd = odd or (dateless and any(re.search(r"\d", word) for word in plain[-3:]))  # “3. prosince o 14:00”
        alone = alone and begins[0].isdigit()
    odd = odd or bool(_BARE.fullmatch(phrase))
    if odd or (alone and any(word in _TIMELY and word not in _ARTICLES for word in near[-3:])):
        raise Unclear(
            f"“{phrase}” is a time, but it is unclear whether “… {' '.join(rest[-3:])}” belongs to it; {FORM}"
        )


def _check_none(text: str, words: list[str]) -> None:
    """Raise Unclear if the text seems to name a time that is not understood."""
    if any(word in _CALENDAR or word in languages.days() or re.match(r"\d", word) for word in _normalise(words)) or (
        languages.names_day(text) or _time_in(words)
    ):
        raise Unclear(f"the time in “{text[:100]}” is not understood; {FORM}")


def _time_in(words: list[str]) -> str:
    """Return the first and longest time within the words."""
    likely = [
        start
        for start, word in enumerate(_normalise(words))
        if word in _TIMELY or word in languages.days() or re.search(r"\d", word)
    ]
    for start in likely:
        for end in range(min(len(words), start + LONGEST), start, -1):
            phrase = " ".join(words[start:end]).strip(",;:.!?()")
            if is_time(phrase):
                return phrase
    return ""


def _is_misspelt(word: str) -> bool:
    """Return whether the word is close to one of the calendar: “tomorow”, “wensday”."""
    if len(word) <= 5:
        return False
    from difflib import get_close_matches

    return bool(get_close_matches(word, _LONG, 1, 0.85))


def _normalise(words: list[str]) -> list[str]:
    return [re.sub("[’ʼ]", "'", word.lower()).strip(",;.:!?()“”\"'") for word in words]


def _strip_links(text: str) -> str:
    return _LINK.sub("", text).strip()
