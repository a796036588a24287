"""Parse a checklist such as HEARTBEAT.md: which items have their own times, and whether it is empty. Pure.

An item that begins with a time and a colon is due at that time: `every 2 hours:`, `at 8am and 8pm:`, `montags um 9:`.
So is a task of OpenClaw with its `interval`.
Other items are due after a change. If any word of a time is not understood, the item is unclear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from dotagent.text import lazy, schedule
from dotagent.text.lazy import dataclass

MOST = 20_000  # bytes of the file
_HIDDEN = lazy.compile(  # comments, a frontmatter, and headings with a line of = below
    r"<!--.*?(?:-->|\Z)|\A\ufeff?---[ \t]*\r?\n(?=[\w-]+:).*?^---[ \t]*\r?$"
    r"|^[^\n]+\n={3,}[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
_READING = lazy.compile(  # parts that only a reader needs: tags, quote marks, links, images and their addresses
    r"\s*(?:(?:> ?)+|</?\w[^<>]*>(?:</\w+>)?|(?:[-*+] +)?!?\[[^\]]*\]\((?:https?://|/)[^)\s]*\)|\[[^\]]+\]:\s*\S+)\s*"
)
_NOTHING = lazy.compile(  # also done items, rules, marks of fences, and placeholders
    r"\s*(?:#.*|tasks:|(?:[-*+]|\d+\.)?\s*(?:\[ ?\]|\[[xX]\](?:\s.*)?)?|(?:[-*_] ?){3,}|`{3,}\w*|~{3,}\w*"
    r"|(?:[-*+] +)?(?:\[ ?\] )?([*_])\(.*\)\1"
    r"|(?:[-*+] +)?(?:\[ ?\] )?[*_(\[<]{0,3}(?i:none|nothing|empty|tbd|todo|n/a|to be (?:set|added|decided|defined))"
    r"(?: yet| so far)?[.…]?[)\]>*_]{0,3})\s*"
)
_MARK = lazy.compile(r"\s*(?:[-*+]|\d+\.)?\s*(?:\[[ xX]?\])?\s*")
_TASK = lazy.compile(  # from OpenClaw's `tasks:`; the lines below a dash have its fields
    r"^[ \t]*-[ \t]+((?:name|interval|prompt):.*(?:\n|\Z)(?:[ \t]+[^\s-].*(?:\n|\Z))+)", re.MULTILINE
)
_FIELD = lazy.compile(r"^[ \t]*(name|interval|prompt):[ \t]*(['\"]?)(.*?)\2[ \t]*$", re.MULTILINE)
_AT = lazy.compile(r"(?i)at\s+(\d|[01]\d|2[0-3]):([0-5]\d)")
_LONGEST = 120  # characters of a time


@dataclass(frozen=True)
class Item:
    """An item with its own time: its key, and its interval or its cron expression."""

    key: str
    every: str = ""
    cron: str = ""

    def due(self, last: datetime | None, now: datetime) -> bool:
        """Return True if the item is due at `now`, in the person's zone, given its last check."""
        if self.every:
            if last is None:
                return True
            if schedule.is_days(self.every):  # the same time of day, where the clocks change too
                passed = now.replace(tzinfo=None) - last.replace(tzinfo=None)
            else:
                passed = now.astimezone(UTC) - last.astimezone(UTC)  # two times of one zone are subtracted by the wall
            return passed.total_seconds() >= schedule.span(self.every)
        begun = last or now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(seconds=1)
        found = schedule.following(self.cron, begun)
        return found is not None and found <= now


def lines(text: str) -> Iterator[str]:
    """Return the lines with content: no headings, comments or empty items."""
    found = _TASK.sub(_item, _HIDDEN.sub("", text)).split("\n")
    return (line for line in found if not (_NOTHING.fullmatch(line) or _READING.fullmatch(line)))


def _item(task: re.Match[str]) -> str:
    """Return a task of OpenClaw as an item."""
    told = {name: value for name, _, value in _FIELD.findall(task[1])}
    span = told.pop("interval", "")
    counted = span[:1].isdecimal() or schedule.is_span(span, schedule.MOST)
    when = [f"every {span}" if counted else span] if span else []
    return f"- {': '.join([*when, *told.values()])}\n"


def has_content(text: str) -> bool:
    """Return True if the checklist has any content."""
    return next(lines(text), None) is not None


def items(text: str) -> list[Item]:
    """Return the items with their own times."""
    return [found for line in lines(text) if isinstance(found := _read(line), Item)]


def unclear(text: str) -> list[str]:
    """Return the times that are not understood, each with the reason."""
    return [found for line in lines(text) if isinstance(found := _read(line), str) and found]


def is_timed_only(text: str) -> bool:
    """Return True if every item has its own time."""
    return len(items(text)) == sum(1 for _ in lines(text))


def _read(line: str) -> Item | str:
    """Return the item if the line has its own time, otherwise why its time is not understood, or "" if it names
    none."""
    import hashlib

    from dotagent.text.dates import Unclear  # here and below, because each agent loads this module, and few have items

    words = line[match.end() :] if (match := _MARK.match(line)) else line
    key = hashlib.sha256(words.strip().encode("utf-8", "replace")).hexdigest()[:12]
    if cron := _cron(words.partition(":")[0]):
        return Item(key, cron=cron)
    words = words.replace("*", "").replace("__", "")  # “**Every 4h:** …”
    colons = [at.start() for at in re.finditer(r"[:：]\s*(?=\S)", words[:_LONGEST])]
    for at in reversed(colons):  # “at 18:00: …” is not 18 o'clock
        try:
            if found := _time(words[:at].strip()):
                return Item(key, **{found[0]: found[1]})
        except Unclear as why:
            return f"{words[:at].strip()}: {why}"
    return next((wrong for at in reversed(colons) if (wrong := _doubtful(words[:at].strip()))), "")


def _cron(phrase: str) -> str:
    """Return a cron expression if the words are one, otherwise ""."""
    kind, words = schedule.repeated(phrase) or ("", "")
    try:
        schedule.check(schedule.Schedule(kind, words, "UTC"))
    except ValueError:
        return ""
    return words if kind == "cron" else ""


def _time(phrase: str) -> tuple[str, str] | None:
    """Return the kind (`every` or `cron`) and the schedule of a time, or None if it is not a time. Raises Unclear for a
    time that cannot repeat."""
    from dotagent.text import reminder_times

    found, alone = schedule.repeated(phrase), phrase[:1] not in "@eE"
    # “2 days:” may be a heading, and “18h:” is a time of day in French
    odd = alone and (" " in phrase or reminder_times.is_time(phrase))
    if found and found[0] == "every" and not odd:
        return found if schedule.span(found[1]) else None
    if at := _AT.fullmatch(phrase):  # here “at 3:00” means night
        return "cron", f"{int(at[2])} {int(at[1])} * * *"
    return reminder_times.repeated(phrase)


def _doubtful(phrase: str) -> str:
    """Return why the words at the beginning of an item look like a time but are not understood, or ""."""
    from dotagent.text import reminder_times
    from dotagent.text.dates import Unclear

    if ":" in phrase.rstrip("0123456789: ") or not reminder_times.looks_like_time(phrase):
        return ""
    found = reminder_times.find(phrase)
    if isinstance(found, Unclear):
        return f"{phrase}: {found}"
    odd = f"“{found.rest}”" if found and found.rest else "this"
    return f"{phrase}: dotagent does not understand {odd} as a part of a time"
