"""Reading ahead: after a swap, a server of one's own that does one thing at a time reads the new prompt while nobody
waits for it, since the first answer would take as long as that, else.

It is a call in the background for one token. LIFE does not know of it: its answer is nobody's, the next call takes its
place, and what a life that died left of it `ModelCalls.tidy` drops. Owns nothing on disk.
"""

from __future__ import annotations

from dotagent.life.model_calls import ModelCalls
from dotagent.life.session import Session
from dotagent.store import launch

INSTRUCTION = "Say nothing yet."  # it keeps the request apart from the live one, which goes on from the swap itself


def place(session: Session, calls: ModelCalls) -> None:
    """Let the server read the prompt as it is now, if it is one that is alone with this machine."""
    told = launch.published(session.home).get(session.provider, {})
    if told.get("alone") is True and calls.beside == session.provider:
        calls.ahead = calls.fork(None, INSTRUCTION, 1)
