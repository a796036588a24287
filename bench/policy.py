"""What the policy costs an effect in a full context of 64,000 tokens: talk, pages and files, hundreds of each.

The calls are of all kinds that a life has: what its person said, what nobody said, a whole file, an address, a form
that they left to be filled in. Printed: the judgement alone, and what taking in all of a context costs once, as after a
start; one more message is taken in while the model thinks.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common import arguments, born, living, make_home, scratch

from dotagent.life import persons, policy
from dotagent.life.events import Reply, Result
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.loop.boot import Agent
from dotagent.store import rooms
from dotagent.text import times

LIMIT = 64_000  # tokens
MOST = 0.2  # milliseconds
WORDS = Path(__file__).read_text().split()
SAID = "Run make test, then mail bo@example.org on January 11th 2025: title it 'Dinner at {restaurant}'. Number {}."


def full(me: Agent) -> Session:
    """A life whose context has all that it may hold."""
    chance, number = random.Random(1), 0
    while me.session.tokens < LIMIT:
        number += 1
        text = f"{' '.join(chance.choices(WORDS, k=chance.randrange(5, 60)))} {SAID.replace('{}', str(number))}"
        rooms.append(me.session.home.room("dev"), rooms.line_of("USER", me.session.owner, times.now(), text))
        assert me.inbox.hear()
        me.session.record(Reply("dev", {"finish": "stop"}), f"READ_FILE notes/{number}.md".encode())
        shown = (
            " ".join(chance.choices(WORDS, k=chance.randrange(50, 400)))
            + f" www.page-{number}.example a{number}@b.example"
        )
        me.session.record(Result("READ_FILE"), shown.encode())
    return me.session


def acts(number: int) -> list[Act]:
    """Calls of every kind."""
    return [
        Act("run", "", ("make test",)),
        Act("run", "", (f"rm -r notes/{number}",)),
        Act("write", "", ("notes/new.md", " ".join(WORDS * 20))),
        Act("say", "other", ("other", f"the secret is {number}")),
        Act("fetch", "x", (f"www.page-{number}.example",)),
        Act("remind", "", ("tomorrow at 9", "Dinner at Example Words")),
        Act("say", "bo", (f"a{number}@b.example", "2025-01-11")),
    ]


def main() -> int:
    """Fill, judge and print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--runs", type=int, default=300)
    asked = parser.parse_args()
    with scratch(asked.dir) as folder:
        where = make_home(folder / "home")
        with living(where, born(where)) as life:
            session = full(life.me)
            session.settings = replace(session.settings, policy={})
            session.renew()
            began = time.perf_counter()
            persons.of(session)
            whole = time.perf_counter() - began
            took, asks = list[float](), 0
            for number in range(asked.runs):
                for act in acts(number):
                    began = time.perf_counter()
                    asks += policy.verdict(session, act) != policy.ALLOW
                    took.append(time.perf_counter() - began)
    took.sort()
    late = 1e3 * took[int(len(took) * 0.99)]
    print(f"a context of {session.tokens:,} tokens, {len(session.entries)} entries; read once in {1e3 * whole:.0f} ms")
    print(
        f"{len(took)} effects, {asks} not allowed: {1e3 * took[len(took) // 2]:.3f} ms in the middle, "
        f"{late:.3f} ms p99, {1e3 * took[-1]:.3f} ms at most; limit of p99 {MOST} ms"
    )
    return int(late > MOST)


if __name__ == "__main__":
    sys.exit(main())
