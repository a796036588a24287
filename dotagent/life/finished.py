"""Calls that are over: what each used is told in LIFE, and then its entries leave the spool. Owns nothing on disk."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from dotagent.life.events import Spent
from dotagent.life.session import Session
from dotagent.store import queue
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.queue import Outcome

WHOLE = ("\n", ". ", "! ", "? ")  # where a line or a sentence ends
LOST = "attempts without an answer"
MOST = 10**12  # of counts that a provider tells: what is more is no count


def tidy(session: Session, out: Collection[str]) -> list[str]:
    """Drop the entries of the life's calls but those that are still `out`, once LIFE holds durably what came of them;
    returns their ids."""
    over = [id for id in queue.finished(session.home, session.id) if id not in out]
    if [id for id in over if _told(session, id)]:
        session.sync()
    for id in over:
        queue.drop(session.home, session.id, id)
    return over


def _told(session: Session, id: str) -> bool:
    """Record what a background call used, and attempts that brought no answer, under the request; False when that was
    nothing, or it is in the reply's line already."""
    outcome = queue.done(session.home, session.id, id)
    if outcome is None:
        return False
    beside = outcome.usage if outcome.background and outcome.reply else {}
    for told, blob, what in ((beside, outcome.reply, "a call beside the conversation"), (outcome.lost, id, LOST)):
        if told:
            body = None if os.path.exists(session.store.path(blob)) else what.encode()  # a dream's request goes with it
            session.record(Spent(used(outcome, outcome.provider, told)), body, id=blob, gist=f"what {what} used")
    return bool(beside or outcome.lost)


def used(outcome: Outcome, provider: str, told: Mapping[str, int]) -> dict[str, str]:
    """Who answered, by which model, for how many tokens, as LIFE tells it."""
    counts = {name: str(count(number)) for name, number in told.items()}
    return {"provider": provider, "model": "_".join(outcome.model.split()) or "-", **counts}


def count(told: int) -> int:
    """A count that was told, as far as it can be one."""
    return told if 0 <= told < MOST else 0


def known(session: Session, outcome: Outcome) -> tuple[Outcome, str]:
    """What came of a call, and its reply's gist; where that blob is lost, so is the call."""
    try:
        return outcome, session.store.get(outcome.reply).gist if outcome.reply else ""
    except (BlobMissing, BlobCorrupt) as lost:
        return Outcome(kind="lost", retryable=True, hint=str(lost)), ""


def whole(session: Session, outcome: Outcome) -> tuple[str | None, str]:
    """A background answer's text, or why there is none; of one that was cut off what is whole."""
    if not outcome.reply:
        return None, outcome.hint or outcome.kind
    try:
        text = session.store.get(outcome.reply).body.decode("utf-8", "replace")
    except (BlobMissing, BlobCorrupt) as lost:
        return None, str(lost)
    return text[: max(text.rfind(end) for end in WHOLE) + 1] if outcome.finish == "length" else text, ""
