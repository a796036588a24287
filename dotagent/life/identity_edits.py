"""Edits of an agent to IDENTITY.md and USER.md: decide which of its lines are applied, and which wait.

A line may end with the agent's certainty and a quotation: `(0.9 #12 I live in Lisbon)`. Only an exact quotation from a
person's message is evidence, so files, pages and agents give none. The policy in settings decides about the rest: apply
it at once, or keep it as a candidate for the person. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from dotagent.life import candidates
from dotagent.life.candidates import POLICY, Candidate, Decided, Known
from dotagent.life.context import Entry
from dotagent.life.events import Hear, Reply, parse
from dotagent.life.session import Session
from dotagent.store import bootstrap
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Settings
from dotagent.text import claims, escape, speakers, truth_questions
from dotagent.text.claims import Claim
from dotagent.text.lazy import dataclass

FILES = bootstrap.PERSONA
POLICIES = {"strict": 0.90, "balanced": 0.82, "permissive": 0.70}
"""The least certainty for fields that hardly ever change."""
STABLE = frozenset("name|what to call them|call|pronouns|timezone|time zone|language".split("|"))
NOW, BEFORE, QUOTED = 1.0, 0.85, 0.6
"""The certainty of a line that states none: for a value that a person wrote in this turn, or earlier, and for a value
that differs from its quotation."""
LONGEST = 300  # characters of a field
HAND = "hand"  # decided by a person's edit of the file


@dataclass(frozen=True)
class Evidence:
    """Evidence: the entry of a person's message, its blob, the quoted words, whether it is of this turn, and whether
    the value itself is in it."""

    entry: int
    id: str
    words: str
    now: bool
    itself: bool


def judge_change(session: Session, name: str, before: str, after: str) -> tuple[str, list[str]]:
    """Return the file's new content, with the part of the change to `after` that policy allows, and the waiting lines
    with their reasons."""
    if bootstrap.kind(session.state.audience) != "private" or name not in FILES:
        return after, []
    there, kept, waits = Counter(before.split("\n")), list[str](), list[str]()
    for line in after.split("\n"):
        if there[line]:
            there[line] -= 1
            kept.append(line)
        elif (claim := claims.read(line)) is None:
            kept.append(line)
        elif why := _decide_claim(session, name, claim):
            waits.append(why)
            old = [one for one in there.elements() if claim.label and claims.label(one) == claim.label.casefold()]
            there.subtract(old[:1])
            kept += old[:1]
        else:
            kept.append(claim.line)
    return "\n".join(kept), waits


def _decide_claim(session: Session, name: str, claim: Claim) -> str:
    """Decide about a claim, and record the decision. Return "" if it is applied, otherwise why it waits."""
    if len(claim.value) > LONGEST:
        return f"{claim.label or claim.value[:40]}: the line is too long; it may have at most {LONGEST} characters"
    known = [one for one in candidates.find_all(session.path) if one.file == name]
    same = next((one for one in reversed(known) if one.told == claim.told), None)
    shown = evidence(session, claim)
    sure = _confidence(claim, shown)
    why = _objection(session.settings, claim, shown, sure, known)
    late = not why and not session.settings.persona_sync_apply
    how = "pending" if why or late else "applied"
    again = same and same.status == how == "applied" and shown and same.id == shown.id  # after a crash
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
    mend = (
        f"to apply this line, add how sure you are, the number of the message that says so, and its words, as in: "
        f"{claim.line} (0.9 #12 its words)"
        if shown is None
        else ""
    )
    after = f"{claim.told}: saved as proposal {number}, not applied {why or 'until this turn is over'}"
    return f"{after}; {mend}" if mend else after


def _record(session: Session, name: str, claim: Claim, shown: Evidence | None, how: tuple[float, str]) -> int:
    number = max((one.number for one in candidates.find_all(session.path)), default=0) + 1
    made = Candidate(number, name, round(100 * how[0]), shown.entry if shown else 0, how[1], told=claim.told)
    session.record(made, id=shown.id if shown else "", gist=escape.one_line(shown.words, 300) if shown else "")
    return number


def _confidence(claim: Claim, shown: Evidence | None) -> float:
    if claim.sure is not None:
        return claim.sure
    return QUOTED if shown is None or not shown.itself else NOW if shown.now else BEFORE


def _objection(settings: Settings, claim: Claim, shown: Evidence | None, sure: float, known: list[Known]) -> str:
    """Return why policy lets the claim wait, or ""."""
    if shown is None:
        return "because your owner never said it to you"
    if shown.now and shown.itself:
        return ""  # the person says so now
    field = [one for one in known if one.told.partition(":")[0].casefold() == claim.label.casefold() and claim.label]
    if any(one.told == claim.told and one.status == "rejected" for one in known):
        return "because your owner rejected it before"
    if any(one.told == claim.told and one.status == "applied" for one in known):
        return "because your owner removed it before"
    if field and field[-1].by == HAND:
        return "because your owner wrote that field by hand"
    least = settings.persona_min_confidence
    if claim.label.casefold() in STABLE:
        least = POLICIES[settings.persona_policy]
    return "" if sure >= least else f"because the agent is only {sure:.2f} certain, and {least:.2f} is required"


def evidence(session: Session, claim: Claim) -> Evidence | None:
    """Return the newest message of a person that contains the claim's quotation, or its value, word for word. Search
    the entry that the claim names, or otherwise all entries of the context."""
    wanted, turn = claims.normalise(claim.words or claim.value), _present(session)
    form = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
    itself = re.compile(rf"(?<!\w){re.escape(claims.normalise(claim.value))}(?!\w)")
    for entry in reversed(session.entries) if wanted and (len(wanted) > 2 or not claim.words) else ():
        if entry.event != Hear.WORD or claim.entry not in (0, entry.number):
            continue
        for one in _messages(session, entry):
            text = claims.normalise(one)
            if form.search(text):
                words = claim.words or _sentence_with(one, claim.value)
                return Evidence(entry.number, entry.line.id, words, entry.number in turn, bool(itself.search(text)))
    return None


def _sentence_with(text: str, value: str) -> str:
    """Return the sentence that contains the value."""
    rows = re.split(r"(?<=[.!?…])\s+|\n", text)
    return next((one.strip() for one in rows if claims.normalise(value) in claims.normalise(one)), text.strip())


def _messages(session: Session, entry: Entry) -> Iterator[str]:
    """Yield the complete messages of people in an entry, without what they only ask to be true."""
    try:
        raw = session.store.get(entry.line.id).body.decode("utf-8", "replace")
    except (BlobMissing, BlobCorrupt):
        return
    rules, event = session.settings.admission, parse(entry.line)
    if getattr(event, "room", "") not in rules.get("rooms", ()):
        found = speakers.messages(entry.event, raw)
        yield from (
            truth_questions.split(one.text)[1]
            for one in found
            if one.person and one.name not in rules.get("senders", ())
        )


def _present(session: Session) -> set[int]:
    """Return the numbers of the messages of this turn: those after the last reply before it."""
    found = set[int]()
    for entry in reversed(session.entries):
        if entry.event == Hear.WORD:
            found.add(entry.number)
        elif found and entry.event == Reply.WORD:
            break
    return found


def record_hand_edits(session: Session, name: str, before: str, after: str) -> None:
    """With `persona_sync = "import_export"`, record a person's own edits, which later candidates cannot replace."""
    if session.settings.persona_sync != "import_export" or name not in FILES:
        return
    there, known = set(before.split("\n")), [one for one in candidates.find_all(session.path) if one.file == name]
    number = max((one.number for one in candidates.find_all(session.path)), default=0)
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
