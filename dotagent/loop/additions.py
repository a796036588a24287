"""Find out which messages in the midst of a turn add something to it. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dotagent.life import context, events, origins
from dotagent.life.events import Hear
from dotagent.life.session import Session
from dotagent.store.rooms import Message, Position
from dotagent.text.standing_instructions import asks, sentences


def added(
    session: Session, heard: Sequence[tuple[Message, Position]], who: Callable[[Message], str]
) -> Sequence[tuple[Message, Position]]:
    """Return the messages up to the last one that adds something to the present turn.

    That is a message from a person who gets the turn's answer. In a turn without a message, such as a reminder's, it is
    a message from any person. `who` returns a message's author as LIFE records it.
    """
    found = (events.parse(one.line) for one in context.pick(session.entries, session.state.turn.frame))
    if not heard:
        return ()
    whose = {_author(session, one.who) for one in found if isinstance(one, Hear)}
    theirs = (_author(session, who(one)) in whose if whose else one.kind != "AGENT" for one, _ in heard)
    adds = [at for at, own in enumerate(theirs, 1) if own and is_addition(heard[at - 1][0].text)]
    return heard[: max(adds, default=0)]


def _author(session: Session, who: str) -> str:
    """Return an author as tags name them: the owner may write with and without a tag."""
    return f"USER:{session.owner}" if who == origins.UNTAGGED else who


def is_addition(text: str) -> bool:
    """Return True if a message in the midst of a turn adds something to it. A command adds nothing, and neither does a
    message whose sentences all end with a question mark."""
    found = list(sentences(text))
    said = [one for one in found if any(map(str.isalpha, one))] or found  # no number of a list, no emoji
    return bool(text.strip()) and not text.startswith("/") and not all(map(asks, said))
