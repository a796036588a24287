"""Print the next prompt of an agent, or with --call any one ever sent, byte for byte.

The next one is derived from LIFE and blobs as they are, whether the agent runs or not; nothing is written.
"""

from __future__ import annotations

import argparse

from dotagent import commands, tools
from dotagent.errors import Misuse
from dotagent.life import session
from dotagent.life.replay import derive
from dotagent.store import home, requests
from dotagent.store.requests import Rebuilder
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
        head = session.head(where, self_id, view.state, tools.usage())
        parts = [*head, *session.body(view.entries)]
        model, params = settings.model or "", {}
    if asked.json:
        body = {"model": model, "params": params, "messages": requests.messages(parts)}
        print(escape.dumps(body))
    else:
        commands.give(requests.plain(parts))
    return 0
