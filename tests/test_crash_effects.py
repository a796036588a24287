"""Dying at every change to the disk, and before and after each request, of tools that only this test has and that reach
a world outside: what the world can tell apart is never done twice, and what it cannot is said to be unknown."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import crash
import deaths
import pytest
import world_outside
from deaths import ANY_ORDER, POWER, Death, Disk

import dotagent.tools
from dotagent import extensions
from dotagent.store import home, log
from dotagent.store.home import Home
from dotagent.tools import UNKNOWN

OUTSIDE = Path(__file__).parent / "outside"
REPLIES = ["POST_KEYED one\nPOST_BLIND two\nPOST_KEYED one\nSAY dev posted", "all posted"]


def live(where: Home) -> None:
    """Live to the end of it: the model posts, and then says that it did."""
    crash.lived(
        where,
        lambda _: crash.answers(where, lambda _, lines: REPLIES[crash.replies(lines)]),
        lambda _: crash.says(where, "post it"),
    )


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of the conversation, and tell what is wrong after any of them."""
    dotagent.tools.__path__.append(str(OUTSIDE))
    for cached in (extensions.names, extensions.tools, dotagent.tools.usage):
        cached.cache_clear()
    for name in ("post-keyed", "post-blind"):
        extensions.load("tools", name)  # what is loaded when first used is so from now on
    server = world_outside.Server()
    world_outside.port = server.server_address[1]
    where = crash.fresh(base / "home")
    live(where)
    crash.fresh(where.root)
    server.done.clear()
    server.keys.clear()

    def whole(disk: Disk) -> None:
        world_outside.tick = lambda: disk.count("a request")
        live(where)

    found = deaths.of(where.root, power, world_outside.known, whole)
    world_outside.tick = lambda: None
    assert verdict(where, server, b"", False) == []
    assert len(found) > 30
    return [problem for death in crash.later(found) for problem in one(death, where, server)]


def one(death: Death, where: Home, server: world_outside.Server) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    server.done[:], server.keys = death.known[0], death.known[1]
    born = home.lives(where)
    before = (where.agent(born[0]) / "LIFE.md").read_bytes() if born and death.power != ANY_ORDER else b""
    status = deaths.child(lambda: live(where))
    if status:
        return [f"{death.name}: resuming ended with {status}"]
    return [f"{death.name}: {problem}" for problem in verdict(where, server, before[: before.rfind(b"\n") + 1], True)]


def verdict(where: Home, server: world_outside.Server, before: bytes, died: bool) -> list[str]:
    """What is wrong with a home and a world in which the conversation has come to its end."""
    wrong = []
    (self_id,) = home.lives(where)
    path = where.agent(self_id) / "LIFE.md"
    if not path.read_bytes().startswith(before):
        wrong.append("LIFE lost events that it had")
    if server.done.count(("keyed", "one")) != 2:
        wrong.append(f"what has a key was done {server.done.count(('keyed', 'one'))} times, not twice")
    results = defaultdict[str, list[bytes]](list)
    for line in log.lines(path):
        if line.event == "TOOL":
            results[line.detail.split(" ")[0]].append(where.store().get(line.id).body)
    if results["POST_KEYED"] != [b"done: one"] * 2:
        wrong.append(f"the model was told of what has a key: {results['POST_KEYED']}")
    blind = server.done.count(("blind", "two"))
    known, unknown = results["POST_BLIND"] == [b"done: two"], results["POST_BLIND"] == [UNKNOWN.encode()]
    if not (known and blind == 1) and not (died and unknown and blind <= 1):
        wrong.append(f"what has no key was done {blind} times and told of by {results['POST_BLIND']}")
    said = crash.said(where)
    if said != ["posted", "all posted"]:
        wrong.append(f"it said {said}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_an_effect_in_a_world_outside_happens_once_or_is_said_to_be_unknown(power: str) -> None:
    crash.survives(everywhere, "crash-effects", power)
