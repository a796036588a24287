"""Print the next prompt of an agent, or with --call any one ever sent, byte for byte.

The next one is derived from LIFE and blobs as they are, whether the agent runs or not; nothing is written.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from dotagent import commands, tools
from dotagent.errors import Misuse
from dotagent.life import context, persona, prompt
from dotagent.life.replay import derive
from dotagent.store import home, requests
from dotagent.store.requests import Part, Rebuilder
from dotagent.text import escape


def arguments(parser: argparse.ArgumentParser) -> None:
    """Either an agent or a call."""
    commands.life_argument(parser)
    parser.add_argument("--call", metavar="ID", help="the request whose prompt is wanted")
    words = "the model, its parameters and the messages, as one JSON object"
    parser.add_argument("--json", action="store_true", help=words)


def run(asked: argparse.Namespace) -> int:
    """Print it."""
    where = commands.home_of(asked)
    if asked.call and (asked.self or asked.last):
        raise Misuse("an agent, or --call and a request's id: one of the two")
    store = where.store()
    if asked.call:
        request = Rebuilder(store).request(store.find(asked.call))
        parts, model, params = list(request.parts), request.model, request.params
    else:
        settings, self_id = home.settings(where), commands.life_of(asked, where)
        view = derive(where, self_id, settings.context_limit)
        life = tools.look(where, self_id, settings, view.state)
        head = persona.head(where, self_id, view.state, tools.facts(life), life.settings)
        parts = [*head, *prompt.parts(context.shown(view.entries))]
        model, params = settings.model or "", {}
    if asked.json:
        body = {"model": model, "params": params, "messages": _messages(parts)}
        print(escape.dumps(body))
    else:
        commands.give(requests.plain(parts))
    return 0


def _messages(parts: Sequence[Part]) -> list[dict[str, object]]:
    """The messages, and of those that show more than text which blobs, behind how many characters of it."""
    shown = requests.shown(parts)
    return [
        {**one, "media": [{"at": at, "id": it.id, "type": it.type} for at, it in shown[number]]}
        if number in shown
        else {**one}
        for number, one in enumerate(requests.messages(parts))
    ]
