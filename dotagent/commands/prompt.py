"""Print an agent's next prompt, or with --call a sent one.

The command builds the agent's next prompt from the log LIFE.md and the stored texts (blobs), even while the agent is
stopped. The command changes nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from dotagent import commands, contract, tools
from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.store import blob_search, home, request_rebuilding, requests
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.store.requests import Part
from dotagent.text import escape

GROUP = "inside"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent, or the call."""
    commands.life_argument(parser)
    parser.add_argument("--call", metavar="ID", help="print the prompt of the request with this id")
    words = "print the model, its parameters and the messages as one JSON object"
    parser.add_argument("--json", action="store_true", help=words)


def run(asked: argparse.Namespace) -> int:
    """Print the prompt."""
    where = commands.home_of(asked)
    if asked.call and (asked.self or asked.last):
        raise Misuse("name either an agent, or a request with --call ID")
    store = where.store()
    if asked.call:
        request = Rebuilder(store).request(blob_search.find(store, asked.call))
        parts, model, params = list(request.parts), request.model, request.params
    else:
        settings, self_id = home.settings(where), commands.life_of(asked, where)
        view = replay.derive(where, self_id, settings.context_limit)
        life = tools.make_life(where, self_id, settings, view.state)
        parts = contract.next_prompt(where, self_id, life.settings, view, tools.facts(life))
        model, params = settings.model or "", {}
    if asked.json:
        body = {"model": model, "params": params, "messages": _messages(parts)}
        print(escape.dumps(body))
    else:
        commands.give(requests.as_text(parts))
    return 0


def _messages(parts: Sequence[Part]) -> list[dict[str, object]]:
    """Return the messages. Messages with media list the blobs, each with its offset in the text."""
    shown = request_rebuilding.media_by_message(parts)
    found: list[dict[str, object]] = [{**one} for one in requests.messages(parts)]
    for number, many in shown.items():
        found[number]["media"] = [{"at": at, "id": it.id, "type": it.type} for at, it in many]
    return found
