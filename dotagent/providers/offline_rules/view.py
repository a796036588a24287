"""What the offline provider sees: the prompt read back as entries, what others say in them, and answers that quote it.

Only heads at column 0 begin an entry, and all that came from outside is indented, so nothing that was said can pass for
an entry. An answer is the sentences that share most with the question; none is ever put together. Owns nothing on disk.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

from dotagent.providers.offline_rules.asks import POLITE, asks
from dotagent.store.lives import ANSWERED, RULE
from dotagent.store.requests import ChatMessage
from dotagent.text import escape, said
from dotagent.text.standing import sentences
from dotagent.text.words import raw, stems

ENOUGH, FAINT = 0.45, 0.3  # share of a question's weight that a quote must have; of one that a search has chosen
NEAR, MOST = 0.8, 4  # times the best: what may stand beside it; quotes at most
FIRST = frozenset("i im ive my me mine myself we our us ours ich mein meine".split())
_ASKING = frozenset(stems("tell remember recall remind know think idea mean call name anything something everything"))
_HEAD = re.compile(r"(?m)^#([1-9]\d{0,17}) (?:(?:[A-Z]\w\w )?(\d{4}-\d\d-\d\d) )?(?:(\d\d:\d\d)(?: |$))?(.*)$")
_HEARD = re.compile(r"([a-z0-9][a-z0-9_-]*) (agent )?([^\s:]+)(?: \((?:\w+ )?(?:(\S+) )?(\d\d:\d\d)\))?:(?: (.*))?$")
_RETURNED = re.compile(r"([a-z0-9][a-z0-9_-]*) (helper [0-9a-f]{12} \([^()]*\)):(?: (.*))?$")
_JOINED = re.compile(r"([a-z0-9][a-z0-9_-]*): you are in this room now(?:; what was said before)?(?::(?: (.*))?)?$")
_OTHER = re.compile(r"([A-Z][A-Z_]*)((?: [^\s:(]+)*)(?: \([^()]*\))?(?::(?: (.*))?)?$")
_BEFORE = re.compile(r"(?:(?:[A-Z]\w\w )?(?:(\d{4}-\d\d-\d\d) )?(\d\d:\d\d) )?(agent )?([^\s:]+): ?(.*)$")
_ADDED = re.compile(r" \(added \d{4}-\d\d-\d\d\)$")
_NONE = "(empty)"
# A line of a summary, of a faint memory, or of what RECALL found: the time, who, the room, and the words.
_OLD = re.compile(
    r"(?m)^ *(?:- )?(?:(?:\w{12}|#\d+)  )?(?:(\d{4}-\S+) +)?(?:◱hash=\w+ gist=)?([^\s:]+)(?: in (\S+))?: (.*?)◲?$"
)

OWNER = "owner"  # whose untagged lines are
EVENTS = frozenset("BOOT RESUME TORN CLOCK WAKE JOIN LEAVE NOTE FAIL LIFE FAINT WARN FADED".split())

Entry = tuple[str, str, str]  # its number, its event with the detail (`TOOL RECALL ok`), and its content


@dataclass(frozen=True)
class Said:
    """What somebody said, or a file says: the event that tells it, in which room, who, whether a person, and when."""

    event: str
    room: str
    who: str
    person: bool
    text: str
    label: str


def entries(messages: Sequence[ChatMessage]) -> list[Entry]:
    """The context's entries in order, the agent's replies (`ANSWER`) among them, and who it is (`SELF`)."""
    found, day, clock, begun = list[Entry](), "", "", False  # an example life is not begun
    for role, content in ((message["role"], message["content"]) for message in messages):
        if role == "assistant" and begun:
            found.append(("", "ANSWER", content))
        elif role == "system":
            found += [("", "SELF", me) for me in re.findall(r"(?m)^You are agent ([0-9a-f]{12})", content)]
        parts = _HEAD.split(content) if role == "user" else []
        for number, date, time, told, below in zip(*(parts[at::5] for at in range(1, 6)), strict=True):
            begun, day, clock = True, date or day, time or clock
            body = "\n".join(line[2:] for line in below.split("\n") if line.startswith("  "))
            found.append((number, *_event(told, body, day, clock)))
    return found


def _event(told: str, body: str, day: str, clock: str) -> tuple[str, str]:
    """An entry's event with its detail, and its content, of what its head tells; messages as a room has them."""
    if heard := _HEARD.match(told):
        room, agent, who, date, time, text = heard.groups()
        text = body if text is None else text
        other = agent and not room.startswith("helper-")  # who made a helper is its person
        tagged = f"[{'AGENT' if other else 'USER'}:{who} {date or day}T{time or clock}:00Z] {escape.indent(text)[2:]}"
        return f"HEAR {room}", tagged if who != OWNER or agent else text
    if done := _RETURNED.match(told):
        return f"RETURNED {done[1]}", f"{done[2]}: {done[3] or body}"
    if joined := _JOINED.match(told):
        return f"JOIN {joined[1]}", "\n".join(_tagged((joined[2] or body).split("\n"), day))
    if told.startswith("MEMORY.md:"):
        return "PAPER MEMORY.md", body or told[11:].replace(_NONE, "")
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
    """What was said in a room before, tagged as it stands there."""
    clock = "00:00"
    for line in lines:
        if found := None if line.startswith(" ") else _BEFORE.match(line):
            date, time, agent, who, text = found.groups()
            day, clock = date or day, time or clock
            line = f"[{'AGENT' if agent else 'USER'}:{who} {day}T{clock}:00Z] {text}" if who != OWNER else text
        yield line


def woken(view: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """What jobs ask for and helpers say in which rooms; heartbeats and starts take a model."""
    for _, event, body in view:
        if event.startswith("RETURNED "):
            yield event[9:], body
        word, job, room = (*event.split(" "), "", "")[:3]
        if word == "WAKE" and room and job not in ("heartbeat", "boot"):
            yield room, f"Reminder: {body.partition(chr(10))[2]}"


def told(view: Sequence[Entry], start: int = 0) -> Iterator[Said]:
    """What others say in the entries from `start` on, old words and new ones."""
    owner = next((event[13:] for _, event, _ in view if event.startswith("BOOT private ")), "owner")
    for number, whole, body in view[start:]:
        event, _, room = whole.partition(" ")
        if event in ("HEAR", "JOIN") and room and " " not in room:
            yield from (_said(event, room, one) for one in said.messages(event, body, owner))
        elif event in ("FAINT", "FADED") or whole == "TOOL RECALL ok":
            how = f", as I remember (#{number})" if event == "FADED" else ""
            old = [line for line in _OLD.findall(body) if line[1] not in ("me", "tool", said.ME)]
            yield from (_said(event, where, said.Spoken(True, who, text, at), how) for at, who, where, text in old)
        elif whole == "TOOL READ_FILE ok":
            file, _, text = body.partition("\n")
            yield Said(event, "", "", True, text, f"{file.partition(', ')[0]} says")


def _said(event: str, room: str, one: said.Spoken, how: str = "") -> Said:
    who, day, clock = one.name if one.person else f"agent {one.name}", one.at[:10], one.at[11:16]
    when = (f" in {room}" if room else "") + (f" on {day}" if day else "") + (f" at {clock}" if clock else "")
    return Said(event, room, one.name, one.person, one.text, f"{who} said{when}{how}")


def meant(view: Sequence[Entry], start: int) -> Iterator[Said]:
    """The messages from `start` on that are for the agent, without its name: where people talk to each other, by it;
    in private a question is, too, unless it names one of them."""
    names = "|".join(
        ["agent", "dotagent", "offline", "bot", *(rf"{me[:8]}\w*" for _, event, me in view if event == "SELF")]
    )
    called = rf"\A\s*({POLITE})@?(?:{names})(?:\W+|\Z)|(?:,\s*@?|\s@)(?:{names})(?=\W*\Z)|(?<!\w)@(?:{names})\b"
    spoke = {(one.room, one.who) for one in told(view) if one.person and one.event in ("HEAR", "JOIN")}
    others = "|".join(re.escape(who.rpartition("/")[2]) for _, who in spoke)
    another = rf"(?i)\A\s*@?(?:{others})\s*[,:]|,\s*@?(?:{others})\W*\Z|(?<!\w)@(?:{others})\b"
    group = any(event == "BOOT group" for _, event, _ in view)
    for one in told([*view[:start], *_mine(view[start:])], start):
        text = re.sub(f"(?i){called}", r"\1", one.text)
        crowd = group or sum(room == one.room for room, _ in spoke) > 1
        if not group and one.person and _asking(one.text):
            crowd = re.search(another, one.text) is not None
        if one.event == "HEAR" and (text != one.text or not crowd) and not one.text.startswith("(background)"):
            yield replace(one, text=text.strip() or "ping")


def _asking(text: str) -> bool:
    return re.search("[?？]", text) is not None or any(kind == "question" for kind, _ in asks(text, False))


def _mine(view: Sequence[Entry]) -> list[Entry]:
    """The entries without the messages that a note leaves to another agent, or says are answered."""
    mine: list[Entry] = []
    for entry in view:
        mine.append(entry)
        left = RULE in entry[2] or entry[2] == ANSWERED
        while left and len(mine) > 1 and entry[1] == mine[-2][1].replace("HEAR ", "NOTE "):
            del mine[-2]
    return mine


def notes(view: Sequence[Entry]) -> list[str]:
    """The newest MEMORY.md in the context, line by line; without one, none."""
    memory = next((body for _, event, body in reversed(view) if event == "PAPER MEMORY.md"), "")
    return memory.split("\n") if memory else []


def plain(note: str) -> str:
    """A line of the notes without its mark and the day on which it was added."""
    return _ADDED.sub("", note.removeprefix("- "))


def quoted(text: str, most: int = 300) -> str:
    """A text as one line in quotation marks, cut; the marks inside are made plain, so a quote ends where it ends."""
    return "“" + escape.one_line(text.replace("“", '"').replace("”", '"'), most) + "”"


def content(text: str, who: str = "") -> set[str]:
    """The words of a text that tell something, without those of every question; "my" is the name of `who` says it."""
    me = who.rpartition("/")[2]
    return set(stems(" ".join(me if me and word in FIRST else word for word in raw(text)))) - _ASKING


def matching(texts: Sequence[str], text: str) -> list[str]:
    """Those of the texts that have all its words that tell something; `everything` matches every note."""
    if set(raw(text)) <= set("everything all of it your the notes memory you know".split()):
        return [one for one in texts if one.startswith("- ")]
    wanted = content(text)
    return [one for one in texts if wanted and not one.startswith("#") and wanted <= content(one)]


def answer(view: Sequence[Entry], asked: Said, enough: float = ENOUGH) -> str:
    """Quotes that answer a question; empty where none does. A word counts for as much as it is rare (idf)."""
    pool, wanted = _pool(view), content(asked.text, asked.who)
    read = [content(one.text, one.who) for one in pool]
    weight = {word: log(1 + len(pool) / (1 + sum(word in words for words in read))) for word in wanted}
    if sort := re.match(r"(?:what|which)\s+(\w+)\b", asked.text, re.IGNORECASE):
        weight |= {word: weight[word] * 0.3 for word in content(sort[1]) & wanted}  # “which colour”: answers say red
    names = content(" ".join(one.who for one in (asked, *pool)))  # sharing a name is enough only where all is asked
    common = [wanted & words if wanted & words - names or wanted <= names else set[str]() for words in read]
    shares = [sum(weight[word] for word in words) for words in common]
    least = max(enough * sum(weight.values()), NEAR * max(shares, default=0), 0.01)
    best = [pool[-at] for _, at in sorted(((-share, -at) for at, share in enumerate(shares) if share >= least))]
    return "\n".join(f"{one.label}: {quoted(one.text)}" for one in best[:MOST])


def _pool(view: Sequence[Entry]) -> list[Said]:
    """All sentences that tell something, oldest first, the notes last; what somebody asked to forget is not there."""
    pool: list[Said] = []
    for one in told(view):
        for sentence, kind, text in ((words, *ask) for words in sentences(one.text) for ask in asks(words, False)):
            if kind == "forget" and one.event == "HEAR" and one.person:
                gone = matching([known.text for known in pool], text)
                pool = [known for known in pool if known.text not in gone]
            elif kind in ("tell", "model", "remember"):
                pool.append(replace(one, text=text if kind == "remember" else sentence))
    for line in (plain(line) for line in notes(view) if line and line[0] != "#"):
        by = "".join(re.findall(r" \(said by ([^()\s]+)\)$", line))
        pool.append(Said("", "", by, True, line, "My notes say"))
    return pool
