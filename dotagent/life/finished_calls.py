"""Finished calls: record the usage of each in LIFE, then remove its entries from the queue. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dotagent.life.events import Spent
from dotagent.life.session import Session
from dotagent.store import call, placed_calls
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.call import Outcome

LOST = "attempts that brought no answer"
ENDED = {
    call.TURN: "Your reply ended where it began somebody else's message, or wrote a mark of its template. What "
    "followed was dropped: not said and not done. Nobody has said it. If you asked something, wait for the answer.",
    call.REPEATED: "Your reply repeated the same lines again and again, so it was ended there. Do not continue it.",
}
"""The notes that the model gets about a reply that was ended early, by its finish."""
MOST = 10**12  # limit for counts from a provider: a larger number is not a valid count


def tidy(session: Session, out: Collection[str]) -> list[str]:
    """Remove the finished calls of the agent, except `out`, once LIFE durably has their outcome. Return the ids."""
    over = [id for id in placed_calls.finished(session.home, session.id) if id not in out]
    if [id for id in over if _record_usage(session, id)]:
        session.sync()
    for id in over:
        placed_calls.drop(session.home, session.id, id)
    return over


def _record_usage(session: Session, id: str) -> bool:
    """Record the usage of a background call, and of attempts without an answer, under the request. Return False if
    there was none, or if the reply's line already has it."""
    outcome = placed_calls.done(session.home, session.id, id)
    if outcome is None:
        return False
    beside = outcome.usage if outcome.background and outcome.reply else {}
    for told, blob, what in ((beside, outcome.reply, "a request outside the conversation"), (outcome.lost, id, LOST)):
        if told:
            body = None if session.store.has(blob) else what.encode()  # a removed dream's is gone
            if body is None:
                session.store.doubt(blob)  # a request was not synced
            session.record(Spent(usage_words(outcome, outcome.provider, told)), body, id=blob, gist=f"what {what} used")
    return bool(beside or outcome.lost)


def usage_words(outcome: Outcome, provider: str, told: Mapping[str, int]) -> dict[str, str]:
    """Return the provider, the model and the tokens in the form of LIFE."""
    counts = {name: str(count(number)) for name, number in told.items()}
    return {"provider": provider, "model": "_".join(outcome.model.split()) or "-", **counts}


def count(told: int) -> int:
    """Return the reported count, or 0 if it is not a valid count."""
    return told if 0 <= told < MOST else 0


def check_outcome(session: Session, outcome: Outcome) -> tuple[Outcome, str]:
    """Return the outcome of a call, and its reply's gist, as LIFE may have them. A lost reply makes it `lost`."""
    try:
        return session.held_reply(outcome, session.store.get(outcome.reply)) if outcome.reply else (outcome, "")
    except (BlobMissing, BlobCorrupt) as lost:
        return Outcome(kind="lost", retryable=True, hint=str(lost)), ""
