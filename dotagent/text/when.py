"""Times as people say them, “in 10 minutes”, “on Friday at 9”, “every Monday at 8:30”, and what to do then.

English, and the same in German. A time without a day is its next one, a day without a time is at nine. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dotagent.text import times
from dotagent.text.words import DAYS

_GERMAN = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
MORNING = "09:00"
_COUNTS = {"a": 1.0, "an": 1.0, "one": 1.0, "einer": 1.0, "einem": 1.0, "half an": 0.5, "einer halben": 0.5, "two": 2.0}
_COUNTS |= {"three": 3.0, "five": 5.0, "ten": 10.0}
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_UNIT = (
    r"(?:seconds?|secs?|s|sekunden?|minutes?|mins?|m|minuten?|hours?|hrs?|h|stunden?|days?|d|tag(?:en)?|weeks?|w"
    r"|wochen?)\b"
)
_DAY = rf"(?:{'|'.join((*DAYS, *_GERMAN))}|mon|tue|wed|thu|fri|sat|sun)\b"
_COUNT = rf"(?:\d{{1,4}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_TIME = r"(?:\d{1,2}(?:[:.]\d\d)?(?:\s?[ap]\.?m\b\.?|\s+o['’]clock|\s+uhr\b)?(?![\d:.]\d)|noon\b|midnight\b|mittag\b)"
_AT = rf"(?:\s*,?\s+(?:(?:at|um|by)\s+)?({_TIME}))?"
_FORMS = {  # what a time may look like; the groups of each are what `_read` takes
    "iso": r"(\d{4}-\d\d-\d\d)(?:[ T]|\s+at\s+)?(\d\d?:\d\d(?::\d\d)?)?",
    "in": rf"in\s+({_COUNT})\s*({_UNIT})",
    "each": rf"(?:every|each|jeden?)\s+(day|tag|weekday|{_DAY}){_AT}",
    "daily": rf"(?:daily|täglich){_AT}",
    "every": rf"(?:every|alle)\s+(?:(\d{{1,4}})\s*)?({_UNIT})",
    "day": rf"(?:(?:on|next|this|am|nächsten)\s+)*(today|tonight|tomorrow|heute|morgen|{_DAY}){_AT}",
    "back": rf"(?:at|um)\s+({_TIME})\s+(?:on\s+)?(today|tomorrow|{_DAY})",
    "at": rf"(?:at|um|by)\s+({_TIME})",
    "clock": r"(\d{1,2}:\d\d)",
}
_ANY = [(kind, re.compile(rf"(?i){form}")) for kind, form in _FORMS.items()]
_LAST = re.compile(
    rf"(?i)(?:^|\s)((?:{'|'.join(re.sub(r'[(](?![?])', '(?:', one) for one in _FORMS.values())}))[\s.!?]*$"
)
_TO = re.compile(r"(?i)^(?:[\s,:–-]+|(?:to|that|of|about|for|zu|an)\s+(?=\S))*")


@dataclass(frozen=True)
class When:
    """A time that was said: what a job has for it (`at`, `cron` or `every`, and the words behind that), and what else
    was said."""

    kind: str
    words: str
    text: str


def said(text: str, now: datetime) -> When | None:
    """The time that a text begins or ends with, by a clock of the person's own zone; None when it has none.

    `cron 0 9 * * MON-FRI words` is taken as it stands.
    """
    text = text.strip()
    if found := re.match(r"(?i)cron:?\s+((?:\S+\s+){4}\S+)(?:\s+|$)", text):
        return When("cron", found[1], _rest(text[found.end() :]))
    for kind, form in _ANY:
        begun = form.match(text)
        if begun and (not text[begun.end() :].strip() or re.match(r"[\s,:–-]", text[begun.end() :])):
            read = _read(kind, begun, now)
            if read:
                return When(*read, _rest(text[begun.end() :]))
    last = _LAST.search(text)
    if last:
        for kind, form in _ANY:
            whole = form.fullmatch(last[1].strip())
            if whole and (read := _read(kind, whole, now)):
                return When(*read, _rest(text[: last.start()]))
    return None


def _rest(text: str) -> str:
    return _TO.sub("", text).strip()


def _read(kind: str, found: re.Match[str], now: datetime) -> tuple[str, str] | None:
    """What a job has for it; None where the day or the time is none."""
    words = [(word or "").lower() for word in found.groups()]
    if kind == "in":
        count = _COUNTS.get(words[0]) or float(words[0] if words[0].isdecimal() else 0)
        then = now.astimezone(UTC) + timedelta(seconds=count * _UNITS[_unit(words[1])] + (now.microsecond > 0))
        return "at", times.of(then)
    if kind == "every":
        return "every", f"{int(words[0] or 1)}{_unit(words[1])}"
    if kind in ("each", "daily"):
        clock = _clock(words[-1] or MORNING)
        day = (
            "*"
            if kind == "daily"
            else {"day": "*", "tag": "*", "weekday": "1-5"}.get(words[0]) or f"{_weekday(words[0]) + 1}"
        )
        return ("cron", f"{int(clock[3:])} {int(clock[:2])} * * {day.replace('7', '0')}") if clock else None
    if kind == "iso":
        try:
            datetime.fromisoformat(f"{words[0]}T{(words[1] or MORNING).zfill(5)}")
        except ValueError:
            return None
        return "at", f"{words[0]}T{(words[1] or MORNING).zfill(5)}"
    day, time = ("", words[0]) if kind in ("at", "clock") else reversed(words) if kind == "back" else words
    clock = _clock(time or ("20:00" if day == "tonight" else MORNING))
    return ("at", _next(day, clock, now)) if clock else None


def _next(day: str, clock: str, now: datetime) -> str:
    """The next such day and time."""
    here = now.replace(tzinfo=None)
    if day in ("tomorrow", "morgen"):
        ahead = 1
    elif day in ("", "today", "tonight", "heute"):
        ahead = 0
    else:
        ahead = (_weekday(day) - here.weekday()) % 7
    then = datetime.fromisoformat(f"{(here + timedelta(days=ahead)):%Y-%m-%d}T{clock}")
    if then <= here:
        then += timedelta(days=1 if day in ("", "today", "tonight", "heute") else 7)
    return then.strftime("%Y-%m-%dT%H:%M")


def _clock(word: str) -> str:
    """A time of day as `09:00`; empty for what is none."""
    if word in ("noon", "mittag", "midnight"):
        return "00:00" if word == "midnight" else "12:00"
    found = re.match(r"(\d{1,2})(?:[:.](\d\d))?\s*(?:([ap])\.?m)?", word)
    if not found:
        return ""
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3] and not 1 <= hour <= 12:
        return ""
    hour = hour % 12 + (12 if found[3] == "p" else 0) if found[3] else hour
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


def _weekday(word: str) -> int:
    return next(at % 7 for at, day in enumerate((*DAYS, *_GERMAN)) if day.startswith(word))


def _unit(word: str) -> str:
    return "d" if word.startswith("t") else "h" if word.startswith("st") else word[0]
