"""What a life may do unasked: a table of settings, effect by origin, and what its person said word for word.

A model's obedience is no guard, so this is looked at in code before every effect. What counts is whose words the model
had before it when it wrote the call (origins.py). A call all of whose arguments stand in its person's own words is its
person's, whoever else spoke; so is one that fills in what they left open. Owns nothing on disk; questions are
asking.py's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dotagent import extensions
from dotagent.life import origins, persons
from dotagent.life.context import Entry
from dotagent.life.events import parse
from dotagent.life.persons import Persons
from dotagent.life.session import Session
from dotagent.text import quoted

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
UNFILLED = ("run", "fetch", OTHER)
"""Where a form is not filled in: a word more is another command, another page, or nobody knows what."""
_PART = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class Act:
    """What a call is about to do: the effect's kind, as settings name it; what it is done to, for which `always` holds;
    its arguments, in words that its person would know them by; and what it is about, where these do not tell."""

    kind: str
    target: str
    values: tuple[str, ...]
    about: str = ""

    @property
    def key(self) -> str:
        """By which an `always` knows it, without blanks."""
        return f"{self.kind}:{self.target.replace('%', '%25').replace(' ', '%20')[:300]}"


def verdict(session: Session, act: Act) -> str:
    """Whether the act is allowed, asked for or refused."""
    strange = origins.foreign(session.state.turn.whose or session.state.heard.origins)
    found = max((of(session.settings.policy, act.kind, one) for one in strange), key=VERDICTS.index, default=ALLOW)
    if found == ALLOW or are_persons(session, act):
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


def are_persons(session: Session, act: Act) -> bool:
    """Whether each value of the act is its person's, as far as the context shows that."""
    known = persons.of(session)
    return bool(act.values) and all(
        known.said.hold(value)
        or _recorded(known, value)
        or known.found(value, act.kind)
        or (act.kind not in UNFILLED and _filled(known, value))
        for value in act.values
    )


def _recorded(known: Persons, value: str) -> bool:
    """Whether the value stands in its person's records and they named a part of it: that a record holds a name says
    nothing of what may be done to it. Numbers, as of a date, need no name."""
    if not known.records.texts or not known.records.hold(value):
        return False
    name = value.casefold().partition("@")[0]
    return any(map(known.said.has, _PART.findall(name))) or not any(map(str.isalpha, value))


def _filled(known: Persons, value: str) -> bool:
    """Whether the value is a form that its person left to be filled in, filled with what was shown as it is: not with
    what the model makes of what it knows."""
    found = (form.filled(value) for form in known.forms)
    return any(parts and all(map(known.showed, parts)) for parts in found)


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
        text = [persons.plain(entry.content)] if entry.content else []
        for value in sorted(act.values, key=len, reverse=True):
            if value.strip() and quoted.stands(value, text):
                return entry, value
    return newest, ""
