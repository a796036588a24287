"""What 500 skills cost: the time of a start, tokens of the prompt, time of a turn in which they are as they were.

Starts without them, with them, and with tool packs as well take turns; each is a birth in a home of its own. The turn's
figure is of one process.
"""

from __future__ import annotations

import time

import common
import exact
import packs
import start

from dotagent.skills import folder, record, shown
from dotagent.skills.record import Record, Trusted
from dotagent.store.home import CONTEXT_LIMIT, Home
from dotagent.store.watch import Changed

LIMIT_SHARE, LIMIT_MS = 2.0, 1.0
ABOUT = "Handle matter {n}: read it, check it and sum it up. Use when somebody brings matter {n} or asks what it means."


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--skills", type=int, default=500)
    parser.add_argument("--packs", type=int, default=10)
    parser.add_argument("--runs", type=int, default=9, help="starts measured of each kind")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:

        def many(where: Home) -> None:
            _fill(where, asked.skills)

        def both(where: Home) -> None:
            many(where)
            packs.fill(where, asked.packs)

        more = f"with {asked.skills} and {asked.packs} tool packs"
        fills = {"without skills": start.empty, f"with {asked.skills}": many, more: both}
        start.turns(path, fills, asked.runs)
        many(where := Home(path / "one"))
        text = shown.listing(where, "a" * 32, "private", CONTEXT_LIMIT).text
        turn = _turn(where)
    share = 100 * exact.count(text) / CONTEXT_LIMIT
    print(f"  prompt: {exact.count(text):,} tokens, {common.verdict(share, LIMIT_SHARE, ' % of the context')}")
    print(f"  an unchanged list: {common.verdict(turn, LIMIT_MS, ' ms')}")


def _fill(where: Home, count: int) -> None:
    """Trusted skills in the home, of three files each."""
    every = dict[tuple[str, str], Trusted]()
    for n in range(count):
        name, about = f"matter-{n}", ABOUT.format(n=n)
        place = where.skills / name
        (place / "scripts").mkdir(parents=True)
        (place / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {about!r}\n---\n{'Do it well. ' * 300}\n")
        for file in ("scripts/a.sh", "REFERENCE.md"):
            (place / file).write_text("true\n" * 100)
        there = folder.look(where.skills, name)
        every["", name] = Trusted(name, there.id, about, ("private",), "", f"{n:06}", there.marks)
    record.change(where, lambda now: Record(trusted=every))


def _turn(where: Home) -> float:
    """Milliseconds in which a list is found to be as it was."""
    changed, paths = Changed(), shown.watched(where, "a" * 32)
    begun = time.perf_counter()
    for _ in range(1000):
        any(changed.look(one) for one in paths)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
