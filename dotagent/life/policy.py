"""What a life may do unasked: a table of settings, effect by origin, and what its person said word for word.

A model's obedience is no guard, so this is looked at in code before every effect. What counts is whose words the model
had before it when it wrote the call (origins.py). A call all of whose arguments stand in its person's own words is its
person's, whoever else spoke. Owns nothing on disk; questions are asking.py's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from dotagent import extensions
from dotagent.life import origins
from dotagent.life.context import Entry
from dotagent.life.events import Hear, Result, parse
from dotagent.life.session import Session
from dotagent.text import quoted, tag

OTHER = "other"  # the effect of a tool that does not say which it has
ALLOW, ASK, REFUSE = "allow", "ask", "refuse"
VERDICTS = (ALLOW, ASK, REFUSE)  # from the mildest to the strictest
ALLOWED: Mapping[str, tuple[str, ...]] = {  # what is allowed without a word of settings; all else is asked
    "search": origins.ORIGINS,
    "note": origins.ORIGINS,
    "write": ("others",),
    "run": ("others",),
    "remind": ("others",),
}
"""A group may have its agent write things down, count and remind: that is what it is there for. What is searched for is
told to the engine alone that its person chose; notes stay with a life that has the words they are made of."""


@dataclass(frozen=True)
class Act:
    """What a call is about to do: the effect's kind, as settings name it; what it is done to, for which `always` holds;
    and its arguments, in words that its person would know them by."""

    kind: str
    target: str
    values: tuple[str, ...]

    @property
    def key(self) -> str:
        """By which an `always` knows it, without blanks."""
        return f"{self.kind}:{self.target.replace('%', '%25').replace(' ', '%20')[:300]}"


def verdict(session: Session, act: Act) -> str:
    """Whether the act is allowed, asked for or refused."""
    strange = origins.foreign(session.state.turn.whose or session.state.heard.origins)
    found = max((of(session.settings.policy, act.kind, one) for one in strange), key=VERDICTS.index, default=ALLOW)
    if found == ALLOW or are_persons(session, act.values):
        return ALLOW
    granted = session.settings.policy.get("always", True) and act.key in session.state.heard.always
    return ALLOW if granted and found == ASK else found


def of(table: Mapping[str, object], kind: str, origin: str) -> str:
    """What the settings say of an effect while words of this origin are before the life."""
    row = table.get(kind, table.get("all", {}))
    said = row.get(origin) if isinstance(row, Mapping) else row
    return str(said) if said in VERDICTS else ALLOW if origin in ALLOWED.get(kind, ()) else ASK


def told(table: Mapping[str, object]) -> str:
    """The policy in force, in a line."""
    kinds = {str(extensions.constants("tools", name).get("EFFECT", OTHER)) for name in extensions.names("tools")}
    rows = dict[str, list[str]]()
    for kind in sorted({*kinds, OTHER} - {""}):
        cells = {one: of(table, kind, one) for one in origins.ORIGINS}
        usual = max(VERDICTS, key=list(cells.values()).count)
        apart = [f"{said} for {one}" for one, said in cells.items() if said != usual]
        rows.setdefault(usual, []).append(f"{kind} ({', '.join(apart)})" if apart else kind)
    said = "; ".join(f"{verdict}: {', '.join(rows[verdict])}" for verdict in VERDICTS if verdict in rows)
    return f"policy, while words not of its person are before a life: {said}"


def are_persons(session: Session, values: tuple[str, ...]) -> bool:
    """Whether each value stands in what its person said, as far as the context shows that."""
    texts = list(persons(session))
    return bool(values) and all(quoted.stands(value, texts) for value in values)


def persons(session: Session) -> Iterator[str]:
    """The words of each message of its person that the context shows, as quoted.plain has them."""
    audience = session.state.audience
    return (_plain(one.content) for one in session.entries if one.content and _persons(one, audience))


def _persons(entry: Entry, audience: str) -> bool:
    """As origins.is_persons, of an entry, and the person's own records, as a tool of that origin shows them; told from
    its line at once, since all of a context are looked at."""
    if entry.event == Result.WORD:
        tool, _, how = entry.detail.partition(" ")
        return how == "ok" and origins.of_tool(tool) == origins.PERSON
    if entry.event != Hear.WORD:
        return False
    *_, said, who = f"   {entry.line.detail}".split(" ")
    if who.startswith("AGENT:"):
        return audience.startswith(origins.MADE)
    return audience.startswith("private") or said == f"by={origins.PERSON}"


@lru_cache(maxsize=2048)
def _plain(content: bytes) -> str:
    return quoted.plain(tag.words(content.decode("utf-8", "replace")))


def sources(session: Session) -> Iterator[Entry]:
    """The entries that strangers' words came with, the newest first."""
    for entry in reversed(session.entries):
        event = parse(entry.line) if entry.line.event in origins.WORDS else None
        if event and origins.foreign(origins.of(event, session.state)):
            yield entry


def source(session: Session, act: Act) -> tuple[Entry | None, str]:
    """The entry that an act's arguments come from, and the one that stands there; else the newest of a stranger's."""
    newest = None
    for entry in sources(session):
        newest = newest or entry
        text = [_plain(entry.content)] if entry.content else []
        for value in sorted(act.values, key=len, reverse=True):
            if value.strip() and quoted.stands(value, text):
                return entry, value
    return newest, ""
