"""What 10 tool packs cost: the time of a start, tokens of the prompt, time of a turn in which they are as they were,
and of a call, the first one and those after it.

Starts with and without them take turns; each is a birth in a home of its own. No pack's process runs before its call.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import common
import exact
import start

from dotagent import tools
from dotagent.life.session import Session
from dotagent.loop import boot
from dotagent.store import home, packed, packs
from dotagent.store.home import Home
from dotagent.store.packs import Tool
from dotagent.text.grammar import ToolCall

LIMIT_MS = 10.0
TOOLS = 10  # of each pack
INPUT = 'input = {required = ["of"], properties = {of = {type = "string"}, most = {type = "integer"}}}'
SAID = 'reads = ["*"]\n' + "".join(
    f'[command.look_{n}]\nabout = "Look up matter {n} for whoever asks, and say what is there"\n{INPUT}\n'
    'run = ["echo", "{of}"]\n'
    for n in range(TOOLS)
)


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--packs", type=int, default=10)
    parser.add_argument("--runs", type=int, default=9, help="starts measured of each kind")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        fills = {"without packs": start.empty, f"with {asked.packs}": lambda where: fill(where, asked.packs)}
        start.turns(path, fills, asked.runs)
        told, turn, first, later = _life(path)
    print(f"  prompt: {exact.count(told):,} tokens for {asked.packs * TOOLS} tools")
    print(f"  unchanged packs in a turn: {common.verdict(turn, LIMIT_MS, ' ms')}")
    print(f"  the first call: {first:.0f} ms; one after it: {later:.0f} ms, its command's sandbox with it")


def fill(where: Home, count: int) -> None:
    """Enabled packs in the home."""
    home.prepare(where)
    for n in range(count):
        one = packs.install(where, f"pack-{n}", {packs.FILE: SAID.encode(), "more.txt": b"x" * 100_000})
        found = [Tool(name, tool.about, tool.schema) for name, tool in one.manifest.commands.items()]
        packs.enable(where, one, found)


def _life(path: Path) -> tuple[str, float, float, float]:
    """What a prompt has of packs, milliseconds of telling it again, of a first call, and of one after it."""
    where = Home(path / "life")
    fill(where, 10)
    with boot.life_of(["--home", str(where.root), "--provider", "offline"]) as me:
        told = tools.facts(me.session)[len(tools.usage(tools.given(me.session))) :]
        begun = time.perf_counter()
        for _ in range(100):
            tools.facts(me.session)
        turn = (time.perf_counter() - begun) * 10
        calls = [_call(me.session) for _ in range(10)]
        packed.end(me.session.path, "pack-0")
    return told, turn, calls[0], statistics.median(calls[1:])


def _call(session: Session) -> float:
    begun = time.perf_counter()
    tools.act(session, ToolCall("USE_TOOL", 'pack-0.look_0 {"of": "x"}', None))
    return (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    main()
