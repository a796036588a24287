"""What the offline provider sees: the prompt read back as entries, what others say in them, and answers that quote it.

Only heads at column 0 begin an entry, and all that came from outside is indented, so nothing that was said can pass for
an entry. An answer is the sentences that share most with the question; none is ever put together. Owns nothing on disk.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

from dotagent.providers.offline_rules.asks import NAMED, POLITE, asks
from dotagent.store.requests import Message
from dotagent.text import said
from dotagent.text.escape import one_line
from dotagent.text.standing import sentences
from dotagent.text.words import raw, stems

ENOUGH, FAINT = 0.45, 0.3  # share of a question's weight that a quote must have; of one that a search has chosen
NEAR, MOST = 0.8, 4  # times the best: what may stand beside it; quotes at most
FIRST = frozenset("i im ive my me mine myself we our us ours ich mein meine".split())
_ASKING = frozenset(stems("tell remember recall remind know think idea mean call name anything something everything"))
_HEAD = re.compile(r"^#(\d{1,18}) \d{4}-\S+Z ([A-Z]+)(?: (.*?))??(?: [0-9a-f]{12}| ◱[^◱◲\n]*◲)?$", re.MULTILINE)
_SELF = re.compile(r"^You are agent ([0-9a-f]{12})", re.MULTILINE)
_OLD = re.compile(  # a line of a faint memory, or of what RECALL found
    r"^(?:- |[0-9a-f]{12}  )(\d{4}-\S+) +(?:◱hash=\w+ gist=)?([^\s:]+)(?: in (\S+?))?: ([^◱◲\n]*)◲?$", re.MULTILINE
)


@dataclass(frozen=True)
class Entry:
    """One entry: its number, its event with the detail (`TOOL RECALL ok`), and its content."""

    number: str
    event: str
    body: str


@dataclass(frozen=True)
class Said:
    """What somebody said, or a file says: the event that tells it, in which room, who, whether a person, and when."""

    event: str
    room: str
    who: str
    person: bool
    text: str
    label: str


def entries(messages: Sequence[Message]) -> list[Entry]:
    """The context's entries in order, the agent's replies (`ANSWER`) among them."""
    found: list[Entry] = []
    for role, content in ((message["role"], message["content"]) for message in messages):
        if role == "assistant":
            found.append(Entry("", "ANSWER", content))
        elif role == "system" and (me := _SELF.search(content)):
            found.append(Entry("", f"SELF {me[1]}", ""))
        heads = [*_HEAD.finditer(content)] if role == "user" else []
        for head, end in zip(heads, [*(head.start() for head in heads[1:]), len(content)], strict=False):
            lines = (line[2:] for line in content[head.end() : end].split("\n") if line.startswith("  "))
            found.append(Entry(head[1], f"{head[2]} {head[3] or ''}".strip(), "\n".join(lines)))
    return found


def told(view: Sequence[Entry], start: int = 0) -> Iterator[Said]:
    """What others say in the entries from `start` on, old words and new ones."""
    owner = next((entry.event[13:] for entry in view if entry.event.startswith("BOOT private ")), "owner")
    for entry in view[start:]:
        event, _, room = entry.event.partition(" ")
        if event in ("HEAR", "JOIN") and room and " " not in room:
            for one in said.messages(event, entry.body, owner):
                yield _said(event, room, one.name, one.at, one.text, one.person)
        elif entry.event in ("FAINT", "TOOL RECALL ok"):
            for at, who, where, text in _OLD.findall(entry.body):
                if who not in ("me", "tool"):
                    yield _said(event, where, who, at, text)
        elif event == "FADED":
            for who, _, text in (line.strip().removeprefix("- ").partition(": ") for line in entry.body.split("\n")):
                if text and who != said.ME and " " not in who:
                    yield Said(event, "", who, True, text, f"{who} said, as I remember (#{entry.number})")
        elif entry.event == "TOOL READ_FILE ok":
            file, _, text = entry.body.partition("\n")
            yield Said(event, "", "", True, text, f"{file.partition(', ')[0]} says")


def _said(event: str, room: str, who: str, at: str, text: str, person: bool = True) -> Said:
    when = (f" in {room}" if room else "") + (f" on {at[:10]}" if at else "") + (f" at {at[11:16]}" if at[11:] else "")
    return Said(event, room, who, person, text, f"{'' if person else 'agent '}{who} said{when}")


def meant(view: Sequence[Entry], start: int) -> Iterator[Said]:
    """The messages from the entry at `start` on that are for the agent, without its name: not what people
    say to each other, which they may in a group, and where two of them spoke."""
    names = "|".join(["agent", "dotagent", "offline", "bot", *(e.event[5:] for e in view if e.event[:5] == "SELF ")])
    called = rf"\A\s*({POLITE})@?(?:{names})(?:\W+|\Z)|(?:,\s*@?|\s@)(?:{names})(?=\W*\Z)|(?<!\w)@(?:{names})\b"
    spoke = {(one.room, one.who) for one in told(view) if one.person and one.event in ("HEAR", "JOIN")}
    for one in told(view, start):
        text = re.sub(called, r"\1", one.text, flags=re.IGNORECASE)
        crowd = any(entry.event == "BOOT group" for entry in view) or sum(room == one.room for room, _ in spoke) > 1
        if one.event == "HEAR" and (text != one.text or not crowd) and not one.text.startswith("(background)"):
            yield replace(one, text=text.strip() or "ping")


def faded(view: Sequence[Entry]) -> bool:
    """Whether something is forgotten."""
    return any(entry.event.startswith("FADED ") for entry in view)


def rooms(view: Sequence[Entry]) -> list[str]:
    """The rooms the agent is in."""
    here: dict[str, bool] = {}
    for event, _, room in (entry.event.partition(" ") for entry in view):
        here |= {room: event != "LEAVE"} if event in ("JOIN", "HEAR", "LEAVE") else {}
    return sorted(room for room, still in here.items() if still)


def notes(view: Sequence[Entry]) -> list[str]:
    """The newest MEMORY.md in the context, line by line; without one, none."""
    body = next((entry.body for entry in reversed(view) if entry.event == "PAPER MEMORY.md"), "")
    return body.split("\n") if body else []


def name(view: Sequence[Entry], who: str) -> str:
    """What to call somebody: as the notes say, else as their messages do (`discord/Ana` is Ana)."""
    known = (NAMED.search(line) for line in reversed(notes(view)) if line.endswith(f"(said by {who})"))
    return next((found[1] for found in known if found), who.rpartition("/")[2])


def quoted(text: str, most: int = 300) -> str:
    """A text as one line in quotation marks, cut; the marks inside are made plain, so a quote ends where it ends."""
    return "“" + one_line(text.replace("“", '"').replace("”", '"'), most) + "”"


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
    """What the entries say to a question: quotes, with who said it and when; empty when nothing does. A word counts for
    as much as it is rare (idf, Spärck Jones 1972)."""
    if re.match(
        r"(?:who am i|what(?:['’]s| is) my name|do you know (?:who i am|my name))\b", asked.text, re.IGNORECASE
    ):
        return f"You are {name(view, asked.who)}; your messages here carry the name {asked.who}."
    pool, wanted = _pool(view), content(asked.text, asked.who)
    count = Counter(word for one in pool for word in content(one.text, one.who))
    weight = {word: log(1 + len(pool) / (1 + count[word])) for word in wanted}
    if sort := re.match(r"(?:what|which)\s+(\w+)\b", asked.text, re.IGNORECASE):
        weight |= {word: weight[word] * 0.3 for word in content(sort[1]) & wanted}  # “which colour”: answers say red
    names = content(" ".join(one.who for one in (asked, *pool)))  # sharing a name is enough only where all is asked
    same = [wanted & content(one.text, one.who) for one in pool]
    shares = [sum(weight[word] for word in words) if words - names or wanted <= names else 0 for words in same]
    least = max(enough * sum(weight.values()), NEAR * max(shares, default=0), 0.01)
    quotes: dict[str, str] = {}
    for _, at in sorted(((share, at) for at, share in enumerate(shares) if share >= least), reverse=True):
        quotes.setdefault(pool[at].text, f"{pool[at].label}: {quoted(pool[at].text)}")
    return "\n".join([*quotes.values()][:MOST])


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
    for line in notes(view):
        said_by = re.search(r" \(said by ([^()\s]+)\)\Z", line)
        if line and not line.startswith("#"):
            pool.append(Said("", "", said_by[1] if said_by else "", True, line.removeprefix("- "), "My notes say"))
    return pool
