"""List waiting model requests, or answer them yourself.

Any program can answer requests to a model: it takes a request with `calls take`, reads the prompt with
`prompt --call ID --json`, and sends the answer with `calls answer ID`.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress

from dotagent import commands
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk, home, process, queue, request_rebuilding, taken_calls, watch
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.text import exact, times
from dotagent.text.reference import short

GROUP = "inside"

USES = {
    "ID": "answer fail cancel",
    "--provider": "take",
    "--wait": "take",
    **dict.fromkeys(("--input", "--output", "--cost"), "answer"),
    "--hint": "fail",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, and the call that it concerns."""
    actions = ("list", "take", "answer", "fail", "cancel")
    parser.add_argument("do", nargs="?", choices=actions, default="list", help="what to do (default: list)")
    parser.add_argument("id", nargs="?", metavar="ID", help="for `answer`, `fail` and `cancel`: the id of the request")
    parser.add_argument("--provider", metavar="P", help="for `take`: the provider whose requests you answer")
    parser.add_argument("--wait", action="store_true", help="for `take`: wait until a request arrives")
    parser.add_argument(
        "--input", type=int, metavar="N", help="for `answer`: the tokens of the prompt (default: an estimate)"
    )
    parser.add_argument("--output", type=int, metavar="N", help="for `answer`: the tokens of your answer")
    parser.add_argument(
        "--cost", type=float, metavar="DOLLARS", help="for `answer`: the cost of your answer in US dollars"
    )
    parser.add_argument(
        "--hint", help="for `fail`: what the user reads about the failure (default: the provider failed)"
    )
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Run the action, and return the exit status."""
    commands.refuse_unused(asked, asked.do, USES)
    if asked.do == "take":
        return _take(asked)
    where = commands.home_of(asked)
    if asked.do == "list":
        return _list(where, asked)
    if not asked.id:
        raise Misuse(f"calls {asked.do}: the id of a request is missing; `calls list` shows the ids")
    call = _out(where, asked.id)
    if asked.do == "answer":
        text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
        made = queue.answer(
            where, where.store(), call, text, Outcome(finish="stop", usage=_usage(where, call, text, asked))
        )
    elif asked.do == "fail":
        made = queue.fail(where, call, "failed", asked.hint or "the provider failed")
    else:
        made = queue.cancel(where, call)
    if not made:
        raise Trouble(f"request {short(call.id)} already has an answer")
    return 0


def _usage(where: Home, call: Call, text: str, asked: argparse.Namespace) -> dict[str, int]:
    """Return the usage of the answer as the options give it, otherwise an estimate. Budgets count it."""
    about = {"input": 0, "output": exact.count(text)}
    with suppress(BlobMissing, BlobCorrupt):
        parts = request_rebuilding.Rebuilder(where.store()).request(call.id).parts
        about["input"] = sum(exact.count(part.text) for part in parts)
    told = {name: size for name in about if (size := getattr(asked, name)) is not None}
    paid = {} if asked.cost is None else {"cost": round(asked.cost * 1e6)}
    if any(size < 0 for size in (*told.values(), *paid.values())):
        raise Misuse("calls answer: --input, --output and --cost cannot be negative")
    return {**about, **told, **paid, **({} if len(told) == len(about) else {"estimated": 1})}


def _list(where: Home, asked: argparse.Namespace) -> int:
    rows = list[commands.Row]()
    for state, call in queue.out(where):
        told = {name: getattr(call, name) for name in ("agent", "provider", "kind", "room", "at", "attempt")}
        cells = (short(call.id), state, call.provider, call.kind, call.room, times.format_stamp(call.at, 19))
        rows.append(({"id": call.id, "state": state, **told}, cells))
    commands.print_list(asked, "request state provider kind room placed", rows, "no model requests are waiting")
    return 0


def _take(asked: argparse.Namespace) -> int:
    if not asked.provider:
        raise Misuse("`calls take` needs a provider; add --provider NAME")
    where = home.find(asked.home)
    home.prepare(where)  # a provider may be there first
    directory = where.calls / "new" / asked.provider
    disk.make_dir(directory)
    watcher = watch.Watcher()
    watcher.names(directory)
    parent = os.getppid()
    taker = (parent, process.start_time(parent))
    while not (call := queue.take(where, asked.provider, taker=taker)):
        if not asked.wait:
            return 1
        if not where.calls.is_dir():
            raise Trouble(f"the data directory {where.root} no longer exists")
        watcher.wait(60)
        taken_calls.put_back(where)
    print(call.id)
    return 0


def _out(where: Home, prefix: str) -> Call:
    """Return the open call whose id begins with the prefix. Raise Misuse."""
    found = [call for _, call in queue.out(where) if call.id.startswith(prefix)]
    if len(found) != 1:
        begin = "several waiting requests have ids that begin" if found else "no waiting request has an id that begins"
        raise Misuse(f"{begin} with {prefix[:40]}; `calls list` shows the ids")
    return found[0]
