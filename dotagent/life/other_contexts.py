"""Requests with another context than the present one: the context after a future swap, or without foreign text
(second_look.py).

A request for a future swap begins with the same bytes as the real one will, so that the server can cache them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dotagent.life import context, prompt, window
from dotagent.life.context import Entry
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import requests
from dotagent.store.requests import Part
from dotagent.text import times


def request(
    session: Session,
    model: str,
    told: tuple[str, Callable[[], str]],
    entries: Sequence[Entry],
    state: State,
    instruction: str = "",
) -> str:
    """Write the request's blob and return its id. `told` says how tools are called, as in Session.request.

    It ends with an `instruction`. Without one, it asks for one token and ends with a message or a tool's result,
    because after the model's own text a server would continue that text.
    """
    options = window.options(session, session.provider, window.published(session, model)[0])
    parts = session.head(told[0], told[1]() if options.get("calls") == "native" else "", state)
    parts += prompt.parts(context.in_prompt_order(entries))
    params = session.params(options)
    if instruction:
        parts.append(Part("user", instruction))
    else:
        params["most"] = 1
        while parts[-1].role == "assistant":
            parts.pop()
    data = requests.encode(session.id, model, params, "", 0, parts)
    return session.store.put(
        data, at=times.now(), gist=f"request, {len(entries)} entries", agent=session.id, durable=False
    )
