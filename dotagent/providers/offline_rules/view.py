"""The parts of a prompt that the offline provider reads: the prompt parsed back into entries, the statements in them,
and quotes as answers.

Only heads at column 0 begin an entry, and all outside text is indented, so no message can imitate an entry. An answer
consists of the sentences that share most with the question; none is composed. Owns nothing on disk.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from math import fsum, log

from dotagent.providers.offline_rules import corrections, foreign
from dotagent.providers.offline_rules.asks import ASKING, POLITE, asks
from dotagent.store import display
from dotagent.store.lives import ANSWERED, ANSWERED_LAST, RULE
from dotagent.store.requests import ChatMessage
from dotagent.text import escape, speakers
from dotagent.text.standing_instructions import sentences
from dotagent.text.words import raw, stems

ENOUGH, FAINT = 0.45, 0.3  # share of a question's weight that a quote needs; the same for search results
NEAR, MOST = 0.8, 4  # times the best score: the least for further quotes; the most quotes
VAGUE = 0.3  # times the weight of a word that an answer often does without
_USUAL = frozenset(
    stems("book reserve buy order get pick choose need use have own take cost pay spend")
)  # “my seat is …”
FIRST = frozenset("i im ive my me mine myself we our us ours ich mein meine".split())
_FOREIGN = frozenset(stems(foreign.QUESTIONS))
_HEAD = re.compile(r"(?m)^#([1-9]\d{0,17}) (?:(?:[A-Z]\w\w )?(\d{4}-\d\d-\d\d) )?(?:(\d\d:\d\d)(?: |$))?(.*)$")
_HEARD = re.compile(r"([a-z0-9][a-z0-9_-]*) (agent )?([^\s:]+)(?: \((?:\w+ )?(?:(\S+) )?(\d\d:\d\d)\))?:(?: (.*))?$")
_RETURNED = re.compile(r"([a-z0-9][a-z0-9_-]*) (helper [0-9a-f]{12} \([^()]*\)):(?: (.*))?$")
_JOINED = re.compile(r"([a-z0-9][a-z0-9_-]*): you joined this room(?:; its earlier messages)?(?::(?: (.*))?)?$")
_OTHER = re.compile(r"([A-Z][A-Z_]*)((?: [^\s:(]+)*)(?: \([^()]*\))?(?::(?: (.*))?)?$")
_BEFORE = re.compile(r"(?:(?:[A-Z]\w\w )?(?:(\d{4}-\d\d-\d\d) )?(\d\d:\d\d) )?(agent )?([^\s:]+): ?(.*)$")
NOTES = "NOTES"
_TOLD = re.compile(r"(?i)\bi(?:['’]ve)?\s+(?:tell|told|say|said)\b")  # “what did I tell you” has no topic
_BY = re.compile(r" \(said by ([^()\s]+)\)$")
_ADDED = re.compile(r" \(added (\d{4}-\d\d-\d\d)\)$")
_DAY = r"(\d{4}-\d\d-\d\d)"
_DATED = re.compile(rf"^(?:[-*] )?[*_(\[]*{_DAY}[ \d:]*[*_)\]]*(?:[:,;–—-]|\s)|[(\[][^()\[\]\d]*{_DAY}[)\]]$")
_NONE = "(empty)"
_MEMORY = re.compile(r"MEMORY\.md(, added)?(?: \([^()]*\))?:(?: (.*))?$")
# A line of a summary, of a recalled entry, or of RECALL's result: the time, the speaker, the room, and the text.
_OLD = re.compile(
    r"(?m)^ *(?:- )?(?:(?:\w{12}|#\d+)  )?(?:(\d{4}-\S+) +)?(?:◱hash=\w+ gist=)?([^\s:]+)(?: in (\S+))?: (.*?)◲?$"
)

OWNER = "owner"  # the speaker of untagged lines
EVENTS = frozenset("BOOT RESUME TORN CLOCK WAKE JOIN LEAVE NOTE FAIL FLUSH STANDING LIFE FAINT WARN FADED".split())

Entry = tuple[str, str, str]  # its number, its event with the detail (`TOOL RECALL ok`), and its content


@dataclass(frozen=True)
class Said:
    """A statement of someone, a file or a note: its event (`NOTES` for a note), room, speaker, whether that is a
    person, its text with an introduction, and its time."""

    event: str
    room: str
    who: str
    person: bool
    text: str
    label: str
    when: str = ""


def entries(messages: Sequence[ChatMessage]) -> list[Entry]:
    """Return the context's entries in order, with the agent's replies (`ANSWER`), its id (`SELF`), its `NAME`, and the
    time."""
    found, day, clock, zone, begun = list[Entry](), "", "", "", False  # an example conversation is skipped
    for role, content in ((message["role"], message["content"]) for message in messages):
        if role == "assistant" and begun:
            found.append(("", "ANSWER", content))
        elif role == "system":
            found += [("", "SELF", me) for me in re.findall(r"(?m)^You are agent ([0-9a-f]{12})", content)]
            papers = re.findall(r"(?ms)^# IDENTITY\n(.*?)(?=^# |\Z)", content)
            found += [("", "NAME", name) for one in papers if (name := display.fields(one).get("name"))]
            zone = "".join(re.findall(r"\bthe time \(([^()]+)\)", content)[:1]) or zone
        parts = _HEAD.split(content) if role == "user" else []
        for number, on, time, told, below in zip(*(parts[at::5] for at in range(1, 6)), strict=True):
            begun, day, clock = True, on or day, time or clock
            body = "\n".join(line[2:] for line in below.split("\n") if line.startswith("  "))
            found.append((number, *_event(told, body, day, clock)))
    return [*found, ("", "NOW", f"{clock} on {_weekday(day)}{day} ({zone or 'UTC'})")] if day and clock else found


def _weekday(day: str) -> str:
    with suppress(ValueError):
        return f"{date.fromisoformat(day):%A}, "
    return ""


def _event(told: str, body: str, day: str, clock: str) -> tuple[str, str]:
    """Return an entry's event with its detail, and its content, from its head; messages in room format."""
    if heard := _HEARD.match(told):
        room, agent, who, on, time, text = heard.groups()
        text = body if text is None else text
        other = agent and not room.startswith("helper-")  # a helper's parent counts as its person
        tagged = f"[{'AGENT' if other else 'USER'}:{who} {on or day}T{time or clock}:00Z] {escape.indent(text)[2:]}"
        return f"HEAR {room}", tagged if who != OWNER or agent else text
    if done := _RETURNED.match(told):
        return f"RETURNED {done[1]}", f"{done[2]}: {done[3] or body}"
    if joined := _JOINED.match(told):
        return f"JOIN {joined[1]}", "\n".join(_tagged((joined[2] or body).split("\n"), day))
    if memory := _MEMORY.match(told):
        return f"{'ADDED' if memory[1] else 'PAPER'} MEMORY.md", body or (memory[2] or "").replace(_NONE, "")
    for name in ("SKILLS", "RULES", "PROFILE"):  # for models that can follow them
        if told.startswith(f"{name}:"):
            return f"PAPER {name}", body
    other = _OTHER.match(told)
    if other is None:
        return told, body
    word, detail, text = other[1], other[2], other[3] or body
    if word in EVENTS:
        return f"{word}{detail}", body if word == "FADED" else text
    return f"TOOL {word}{detail or ' ok'}", text


def _tagged(lines: Iterable[str], day: str) -> Iterator[str]:
    """Yield earlier messages of a room in room format."""
    clock = "00:00"
    for line in lines:
        if found := None if line.startswith(" ") else _BEFORE.match(line):
            on, time, agent, who, text = found.groups()
            day, clock = on or day, time or clock
            line = f"[{'AGENT' if agent else 'USER'}:{who} {day}T{clock}:00Z] {text}" if who != OWNER else text
        yield line


def woken(view: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Yield the reminders of jobs and results of helpers, with their rooms. Heartbeats and starts need a model."""
    for _, event, body in view:
        if event.startswith("RETURNED "):
            yield event[9:], body
        word, job, room = (*event.split(" "), "", "")[:3]
        if word == "WAKE" and room and job not in ("heartbeat", "boot"):
            asked, _, words = body.partition("\n")
            late = re.match(r".* asked for at (.+?), (?:and|but) ", asked)
            yield room, f"Reminder{f' (it was due {late[1]})' if late else ''}: {words}"


def find_statements(view: Sequence[Entry], start: int = 0) -> Iterator[Said]:
    """Yield the statements in the entries from `start` on, old and new."""
    owner = next((event[13:] for _, event, _ in view if event.startswith("BOOT private ")), "owner")
    for number, whole, body in view[start:]:
        event, _, room = whole.partition(" ")
        if event in ("HEAR", "JOIN") and room and " " not in room:
            yield from (_make_said(event, room, one) for one in speakers.whole_messages(event, body, owner))
        elif event in ("FAINT", "FADED") or whole == "TOOL RECALL ok":
            how = f"as I remember, #{number}" if event == "FADED" else ""
            old = [line for line in _OLD.findall(body) if line[1] not in ("me", "tool", speakers.ME)]
            yield from (
                _make_said(event, where, speakers.Spoken(True, who, text, at), how) for at, who, where, text in old
            )
        elif whole == "TOOL READ_FILE ok":
            file, _, text = body.partition("\n")
            yield Said(event, "", "", True, text, f"{file.partition(', ')[0]} says")


def _make_said(event: str, room: str, one: speakers.Spoken, how: str = "") -> Said:
    who, day, clock = one.name if one.person else f"agent {one.name}", one.at[:10], one.at[11:16]
    when = (f"in {room}" if room else "", f"on {day}" if day else "", f"at {clock}" if clock else "", how)
    return Said(event, room, one.name, one.person, one.text, f"{who} said", " ".join(filter(None, when)))


def own_messages(view: Sequence[Entry], start: int) -> Iterator[Said]:
    """Yield the messages from `start` on that are for the agent, without its name.

    Among several people a message must name the agent. In private a question need not, unless it names another person.
    """
    ids = (rf"{me[:8]}\w*" for _, event, me in view if event == "SELF")
    own = (rf"(?<=@){word}|{word}(?=[,:])" for _, event, me in view if event == "NAME" and (word := re.escape(me)))
    names = "|".join(["agent", "dotagent", "offline", "bot", *ids, *own])  # a name can be an ordinary word, as Will
    called = rf"\A\s*({POLITE})@?(?:{names})(?:\W+|\Z)|(?:,\s*@?|\s@)(?:{names})(?=\W*\Z)|(?<!\w)@(?:{names})\b"
    spoke = {(one.room, one.who) for one in find_statements(view) if one.person and one.event in ("HEAR", "JOIN")}
    group = any(event == "BOOT group" for _, event, _ in view)
    for one in find_statements([*view[:start], *_own_entries(view[start:])], start):
        text = re.sub(f"(?i){called}", r"\1", one.text)
        crowd = group or sum(room == one.room for room, _ in spoke) > 1
        if not group and one.person and _asking(one.text):
            crowd = _calls(one.text, {who for _, who in spoke} - {one.who})
        if one.event == "HEAR" and (text != one.text or not crowd) and not one.text.startswith("(background)"):
            yield replace(one, text=text.strip() or "ping")


def _calls(text: str, people: Set[str]) -> bool:
    """Return whether a message calls one of these people by name."""
    names = "|".join(re.escape(who.rpartition("/")[2]) for who in people) or "(?!)"
    form = rf"(?i)\A\s*@?(?:{names})\s*[,:]|,\s*@?(?:{names})\W*\Z|(?<!\w)@(?:{names})\b"
    return re.search(form, text) is not None


def _asking(text: str) -> bool:
    return re.search("[?？؟]", text) is not None or any(kind == "question" for kind, _ in asks(text, False))


def _own_entries(view: Sequence[Entry]) -> list[Entry]:
    """Return the entries without messages that a note leaves to another agent, or marks as answered."""
    mine: list[Entry] = []
    for entry in view:
        mine.append(entry)
        left = len(mine) if RULE in entry[2] or entry[2] == ANSWERED else int(entry[2] == ANSWERED_LAST)
        while left and len(mine) > 1 and entry[1] == mine[-2][1].replace("HEAR ", "NOTE "):
            del mine[-2]
            left -= 1
    return mine


def notes(view: Sequence[Entry]) -> list[str]:
    """Return the lines of the newest MEMORY.md in the context, with the lines added since, or nothing."""
    lines = list[str]()
    for _, event, body in view:
        if event in ("PAPER MEMORY.md", "ADDED MEMORY.md"):
            lines = [*(lines if event.startswith("ADDED") else ()), *(body.split("\n") if body else ())]
    return lines


def strip_mark(note: str) -> str:
    """Return a note without its mark and date."""
    return _ADDED.sub("", note.removeprefix("- "))


def _find_date(note: str) -> str:
    """Return the date of a note, or "" if it has none: the date of REMEMBER, or one that a person wrote in front of the
    note or in brackets behind it."""
    found = _ADDED.search(note) or _DATED.search(note)
    return found[found.lastindex or 1] if found else ""


def quote(text: str, most: int = 300) -> str:
    """Return a text as one shortened line in quotation marks. Inner marks are replaced, so that the quote's end is
    clear."""
    return "“" + escape.one_line(text.replace("“", '"').replace("”", '"'), most) + "”"


def content(text: str, who: str = "") -> set[str]:
    """Return the informative words of a text, without those of any question. "My" becomes the name of the speaker
    `who`."""
    me, text = who.rpartition("/")[2], foreign.UNSPACED.sub(" ", text)
    return set(stems(" ".join(me if me and word in FIRST else word for word in raw(text)))) - ASKING - _FOREIGN


def matching(texts: Sequence[str], text: str) -> list[str]:
    """Return the texts that contain all informative words of `text`; `everything` matches every note."""
    if set(raw(text)) <= set("everything all of it your the notes memory you know".split()):
        return [one for one in texts if one.startswith("- ")]
    wanted = content(text)
    return [one for one in texts if wanted and not one.startswith("#") and wanted <= content(one)]


def answer(view: Sequence[Entry], asked: Said, enough: float = ENOUGH) -> str:
    """Return quotes that answer a question, or "". Rare words count more (idf)."""
    pool, wanted = _pool(view), content(_TOLD.sub("", asked.text), asked.who)
    read = [content(one.text, one.who) for one in pool]
    weight = {word: log(1 + len(pool) / (1 + sum(word in words for words in read))) for word in wanted}
    names = content(" ".join(one.who for one in (asked, *pool)))  # sharing a name is enough only where all is asked
    usual = _USUAL | content("I", asked.who)
    vague = (usual & wanted).difference(*read)  # “which seat did I book?”: “the seat is 14A” answers it
    if sort := re.match(r"(?:what|which)\s+(\w+)\b", asked.text, re.IGNORECASE):
        kind = content(sort[1]) & wanted  # “which colour”: answers say red
        vague |= kind if wanted - kind - names - usual else set()
    weight |= {word: weight[word] * VAGUE for word in vague}
    common = [wanted & words if wanted & words - names or wanted <= names else set[str]() for words in read]
    shares = [fsum(weight[word] for word in words) for words in common]  # the same in any order, so that ties are ties
    least = max(enough * sum(weight.values()), NEAR * max(shares, default=0), 0.01)
    best = [at for at, share in enumerate(shares) if share >= least]
    best.sort(key=lambda at: (-shares[at], pool[at].event != NOTES, -at))
    newer, order = _newer(pool, best), list[int]()
    numbers = {word for word in wanted if word.isdecimal()}
    while best:
        given = numbers & read[best[0]]  # “locker 13 …” is about another locker and not a correction of “locker 12 …”
        later = [at for at in newer.get(best[0], ()) if given <= read[at] or corrections.corrects(pool[at].text)]
        ahead = [at for at in later if at not in order]
        if not ahead and not any(read[best[0]] <= read[at] and pool[at].who == pool[best[0]].who for at in order):
            order.append(best[0])  # and no repetition of it
        best = [*ahead, *best[not ahead :]]
    return "\n".join(_quote(pool[at], asked) for at in order[:MOST])


def _quote(one: Said, asked: Said) -> str:
    """Return a quote with its speaker and time, adapted to the person who asks."""
    mine = one.person and one.who == asked.who
    text = _BY.sub("", one.text) if mine else one.text
    when = f" ({one.when})" if one.when and one.event != "TOOL READ_FILE ok" else ""
    return f"{'You told me' if mine else one.label}: {quote(text)}{when}"


def _newer(pool: Sequence[Said], olds: Sequence[int]) -> dict[int, list[int]]:
    """Return the corrections of statements, newest first, by the statement's index. A correction applies to the newest
    statement of the same person on the same topic with other values; a mere “no, …” also to the previous statement."""
    found: dict[int, list[int]] = {}
    topics = {word for at in olds for word in _read(pool[at].text)[0]}
    for at in range(min(olds, default=len(pool)) + 1, len(pool)):
        about, replies, values = _read(pool[at].text)
        meant = range(at - 1, -1, -1) if replies or about & topics else ()
        mine = [one for one in meant if pool[one].who in (pool[at].who, "")]
        for one in mine:
            other, _, before = _read(pool[one].text)
            differ = bool(corrections.differ(values, before)) or (
                one == mine[0] and corrections.restates(pool[at].text)
            )
            same = 2 * len(about & other) > len(about) if corrections.corrects(pool[at].text) else about == other
            if differ and ((same and about) or (replies and one == mine[0])):
                found.setdefault(one, []).insert(0, at)
                break
    return found


@lru_cache(maxsize=1 << 14)
def _read(text: str) -> tuple[frozenset[str], bool, corrections.Values]:
    """Return a statement's topic, whether it withdraws another, and its values."""
    return corrections.matter(text), corrections.takes_back(text), corrections.values(text)


def _pool(view: Sequence[Entry]) -> list[Said]:
    """Return all statements, oldest first. A note is placed next to the message with its text, or before everything, by
    its date. Statements that someone asked to forget are left out."""
    lines = sorted((line for line in notes(view) if line and line[0] != "#"), key=_find_date)
    pool, kept = list[Said](), [strip_mark(line) for line in lines]
    for one in find_statements(view):
        for sentence, kind, text in ((words, *ask) for words in sentences(one.text) for ask in asks(words, False)):
            if kind == "forget" and one.event == "HEAR" and one.person:
                gone = matching([known.text for known in pool], text)
                pool = [known for known in pool if known.text not in gone]
            elif kind in ("tell", "model", "remember"):
                pool.append(replace(one, text=text if kind == "remember" else sentence))
    for line in reversed(kept):
        bare, by = _BY.sub("", line), "".join(_BY.findall(line))
        echoes = [one for one in pool if one.text == bare and one.person and by in ("", one.who)]
        at = pool.index(echoes[-1]) if echoes else 0
        told_by, when = (echoes[-1].who, echoes[-1].when) if echoes else (by, "")
        pool[at : at + len(echoes[-1:])] = [Said(NOTES, "", told_by, True, line, "My notes say", when)]
    return pool
