"""The request that a life would make if its context were another one, as after a swap that has not come yet.

It begins as that request will, byte for byte: a server that has read it has read what the next prompt begins with.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.life import context, prompt, window
from dotagent.life.context import Entry
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import requests
from dotagent.text import times


def request(session: Session, model: str, told: tuple[str, str], entries: Sequence[Entry], state: State) -> str:
    """Make its blob, which asks for one token; returns its id. `told` is how tools are called, as in Session.request.

    It ends with what somebody said or a tool told: after the model's own words a server would go on with those.
    """
    options = window.options(session, session.provider, window.published(session, model)[0])
    parts = session.head(told[0], told[1] if options.get("calls") == "native" else "", state)
    parts += prompt.parts(context.shown(session.fitted(entry) for entry in entries))
    while parts[-1].role == "assistant":
        parts.pop()
    params = {**session.params(options), "most": 1}
    data = requests.encode(session.id, model, params, "", 0, parts)
    return session.store.put(
        data, at=times.now(), gist=f"request, {len(entries)} entries", agent=session.id, durable=False
    )
