"""What an agent would write into IDENTITY.md and USER.md, by editing the file: what of it is applied, and what waits.

A line may end in how sure the agent is and in which words of whom: `(0.9 #12 I live in Lisbon)`. Only what stands word
for word in a person's message counts as evidence, so no file, page or agent gives any, and the policy of settings
disposes of the rest: applied at once, or left for the person as a candidate. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from dotagent.life import candidates
from dotagent.life.candidates import POLICY, Known
from dotagent.life.context import Entry
from dotagent.life.events import Candidate, Decided, Hear, Reply
from dotagent.life.session import Session
from dotagent.store import bootstrap
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Settings
from dotagent.text import claims, escape, said
from dotagent.text.claims import Claim

FILES = bootstrap.PERSONA
POLICIES = {"strict": 0.90, "balanced": 0.82, "permissive": 0.70}
"""How sure an agent must be of what hardly ever changes."""
STABLE = frozenset("name|what to call them|call|pronouns|timezone|time zone|language".split("|"))
NOW, BEFORE, QUOTED = 1.0, 0.85, 0.6
"""How sure it is taken to be of what a person said in these words in this turn, or earlier, and of what it only
quotes words for, where it says nothing itself."""
LONGEST = 300  # characters of a field
HAND = "hand"  # who decided, where a person wrote into the file


@dataclass(frozen=True)
class Evidence:
    """Words of a person: in which entry, by which blob, whether of this turn, whether the value itself stands there."""

    entry: int
    id: str
    words: str
    now: bool
    itself: bool


def judged(session: Session, name: str, before: str, after: str) -> tuple[str, list[str]]:
    """The file as policy lets it become when the agent would write `after`, and what waits, each with its why."""
    if bootstrap.kind(session.state.audience) != "private" or name not in FILES:
        return after, []
    there, kept, waits = Counter(before.split("\n")), list[str](), list[str]()
    for line in after.split("\n"):
        if there[line]:
            there[line] -= 1
            kept.append(line)
        elif (claim := claims.read(line)) is None:
            kept.append(line)
        elif why := _waits(session, name, claim):
            waits.append(why)
            old = [one for one in there.elements() if claim.label and claims.label(one) == claim.label.casefold()]
            there.subtract(old[:1])
            kept += old[:1]
        else:
            kept.append(claim.line)
    return "\n".join(kept), waits


def _waits(session: Session, name: str, claim: Claim) -> str:
    """Decide about a claim, and record it: "" where it is applied, else why it waits."""
    if len(claim.value) > LONGEST:
        return f"{claim.label or claim.value[:40]}: at most {LONGEST} characters fit into a line"
    known = [one for one in candidates.all_of(session.path) if one.file == name]
    same = next((one for one in reversed(known) if one.told == claim.told), None)
    shown = evidence(session, claim)
    sure = _sure(claim, shown)
    why = _objection(session.settings, claim, shown, sure, known)
    late = not why and not session.settings.persona_sync_apply
    how = "pending" if why or late else "applied"
    again = same and same.status == how == "applied" and shown and same.id == shown.id  # a process died over it
    if same and (again or same.status == how == "pending" or (why and same.status == "rejected")):
        number = same.number
    elif same and same.status == "pending":
        number = same.number
        session.record(Decided(number, how, POLICY))
    else:
        number = _record(session, name, claim, shown, (sure, how))
    if late:
        candidates.decide(session.path, {"apply": number, "by": POLICY})
    if how == "applied":
        return ""
    mend = f"to apply it quote who said so: {claim.line} (0.9 #12 their words)" if shown is None else ""
    after = f"{claim.told}: it waits as candidate {number}, {why or 'until this turn is over'}"
    return f"{after}; {mend}" if mend else after


def _record(session: Session, name: str, claim: Claim, shown: Evidence | None, how: tuple[float, str]) -> int:
    number = max((one.number for one in candidates.all_of(session.path)), default=0) + 1
    made = Candidate(number, name, round(100 * how[0]), shown.entry if shown else 0, how[1], told=claim.told)
    session.record(made, id=shown.id if shown else "", gist=escape.one_line(shown.words, 300) if shown else "")
    return number


def _sure(claim: Claim, shown: Evidence | None) -> float:
    if claim.sure is not None:
        return claim.sure
    return QUOTED if shown is None or not shown.itself else NOW if shown.now else BEFORE


def _objection(settings: Settings, claim: Claim, shown: Evidence | None, sure: float, known: list[Known]) -> str:
    """Why policy lets the claim wait; "" where it does not."""
    if shown is None:
        return "since it stands in nothing that your person said to you"
    if shown.now and shown.itself:
        return ""  # they say so now
    field = [one for one in known if one.told.partition(":")[0].casefold() == claim.label.casefold() and claim.label]
    if any(one.told == claim.told and one.status == "rejected" for one in known):
        return "since your person rejected it once"
    if any(one.told == claim.told and one.status == "applied" for one in known):
        return "since your person took it away once"
    if field and field[-1].by == HAND:
        return "since your person wrote that field by hand"
    least = settings.persona_min_confidence
    if claim.label.casefold() in STABLE:
        least = POLICIES[settings.persona_policy]
    return "" if sure >= least else f"since {sure:.2f} is less than {least:.2f}"


def evidence(session: Session, claim: Claim) -> Evidence | None:
    """Where a person said so, the newest: the words that the claim quotes, else its value, word for word, in the entry
    that it names or in any that is in sight."""
    wanted, turn = claims.plain(claim.words or claim.value), _present(session)
    form = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
    itself = re.compile(rf"(?<!\w){re.escape(claims.plain(claim.value))}(?!\w)")
    for entry in reversed(session.entries) if wanted and (len(wanted) > 2 or not claim.words) else ():
        if entry.event != Hear.WORD or claim.entry not in (0, entry.number):
            continue
        for one in _messages(session, entry):
            text = claims.plain(one)
            if form.search(text):
                words = claim.words or _around(one, claim.value)
                return Evidence(entry.number, entry.line.id, words, entry.number in turn, bool(itself.search(text)))
    return None


def _around(text: str, value: str) -> str:
    """The sentence in which the value stands."""
    rows = re.split(r"(?<=[.!?…])\s+|\n", text)
    return next((one.strip() for one in rows if claims.plain(value) in claims.plain(one)), text.strip())


def _messages(session: Session, entry: Entry) -> Iterator[str]:
    """What people said in an entry, whole."""
    try:
        raw = session.store.get(entry.line.id).body.decode("utf-8", "replace")
    except (BlobMissing, BlobCorrupt):
        return
    yield from (one.text for one in said.messages(entry.event, raw) if one.person)


def _present(session: Session) -> set[int]:
    """The numbers of what was heard in this turn: since the last reply before it."""
    found = set[int]()
    for entry in reversed(session.entries):
        if entry.event == Hear.WORD:
            found.add(entry.number)
        elif found and entry.event == Reply.WORD:
            break
    return found


def by_hand(session: Session, name: str, before: str, after: str) -> None:
    """With `persona_sync = "import_export"`: what a person wrote into a field themselves is theirs from now on."""
    if session.settings.persona_sync != "import_export" or name not in FILES:
        return
    there, known = set(before.split("\n")), [one for one in candidates.all_of(session.path) if one.file == name]
    number = max((one.number for one in candidates.all_of(session.path)), default=0)
    for line in after.split("\n"):
        claim = claims.read(line) if line not in there else None
        if claim is None or any(one.told == claim.told and one.status == "applied" for one in known):
            continue
        number += 1
        session.record(
            Candidate(number, name, 100, 0, "applied", HAND, claim.told), id=session.state.heard.documents[name]
        )
        for one in known:
            if one.status == "pending" and claim.label and one.told.startswith(f"{claim.label}:"):
                session.record(Decided(one.number, "rejected", HAND))
