"""List the calls in the spool, or serve them from a program of your own: take, answer, fail, cancel.

A provider is any process that takes a call, reads its prompt (`prompt --call ID --json`) and answers it.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress

from dotagent import commands
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk, home, process, queue, requests, watch
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.text import tokens
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with which call."""
    parser.add_argument("do", nargs="?", choices=("list", "take", "answer", "fail", "cancel"), default="list")
    parser.add_argument("id", nargs="?", help="the call (answer, fail, cancel)")
    parser.add_argument("--provider", metavar="P", help="take: whose calls")
    parser.add_argument("--wait", action="store_true", help="take: until there is one")
    parser.add_argument("--input", type=int, metavar="N", help="answer: tokens of the prompt; estimated where not told")
    parser.add_argument("--output", type=int, metavar="N", help="answer: tokens of the answer")
    parser.add_argument("--cost", type=float, metavar="DOLLARS", help="answer: what it cost, in US dollars")
    parser.add_argument("--hint", default="the provider failed", help="fail: what a person can do about it")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Do it."""
    if asked.do == "take":
        return _take(asked)
    where = commands.home_of(asked)
    if asked.do == "list":
        return _list(where, asked)
    if not asked.id:
        raise Misuse(f"calls {asked.do}: which one? `calls list` shows them")
    call = _out(where, asked.id)
    if asked.do == "answer":
        text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
        made = queue.answer(
            where, where.store(), call, text, Outcome(finish="stop", usage=_used(where, call, text, asked))
        )
    elif asked.do == "fail":
        made = queue.fail(where, call, "failed", asked.hint)
    else:
        made = queue.cancel(where, call)
    if not made:
        raise Trouble(f"call {short(call.id)} was answered already")
    return 0


def _used(where: Home, call: Call, text: str, asked: argparse.Namespace) -> dict[str, int]:
    """What the answer took, as its program tells, else about so much: budgets count it."""
    about = {"input": 0, "output": tokens.estimate(text)}
    with suppress(BlobMissing, BlobCorrupt):
        parts = requests.Rebuilder(where.store()).request(call.id).parts
        about["input"] = sum(tokens.estimate(part.text) for part in parts)
    told = {name: size for name in about if (size := getattr(asked, name)) is not None}
    paid = {} if asked.cost is None else {"cost": round(asked.cost * 1e6)}
    if any(size < 0 for size in (*told.values(), *paid.values())):
        raise Misuse("calls answer: what it took is not below 0")
    return {**about, **told, **paid, **({} if len(told) == len(about) else {"estimated": 1})}


def _list(where: Home, asked: argparse.Namespace) -> int:
    rows = list[commands.Row]()
    for state, call in queue.out(where):
        told = {name: getattr(call, name) for name in ("agent", "provider", "kind", "room", "at", "attempt")}
        cells = (short(call.id), state, call.provider, call.kind, call.room, call.at[:19])
        rows.append(({"id": call.id, "state": state, **told}, cells))
    commands.listed(asked, "call state provider kind room placed", rows, "no call is out")
    return 0


def _take(asked: argparse.Namespace) -> int:
    if not asked.provider:
        raise Misuse("calls take: for which provider? --provider NAME")
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
            raise Trouble(f"{where.root} is gone")
        watcher.wait(60)
        queue.put_back(where)
    print(call.id)
    return 0


def _out(where: Home, prefix: str) -> Call:
    """The call that is out and whose id begins so."""
    found = [call for _, call in queue.out(where) if call.id.startswith(prefix)]
    if len(found) != 1:
        begin = "several calls begin" if found else "no call that is out begins"
        raise Misuse(f"{begin} with {prefix[:40]}: see `calls list`")
    return found[0]
