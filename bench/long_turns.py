"""Long turns: of five wishes in one message, how many are before the model at each request, and at how many tokens.

Each task has a message with five wishes and a turn of many steps, each with a large result. The model is scripted, and
the whole life is in this process. With `--with PATH`, another checkout does the same tasks in the same run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import common

import agent
from dotagent.loop import boot
from dotagent.store import queue, request_rebuilding, rooms
from dotagent.store.queue import Outcome
from dotagent.text import times, tokens

WISHES = 5
WORDS = "host disk mail folder person lamp kettle paper window garden invoice server letter oven ticket river".split()
CEILING = 1.03  # times the tokens of the other checkout
Task = tuple[int, int, int, int]
"""What one task showed: its requests, those with every wish, the wishes before the model at the last, and tokens."""


def main() -> None:
    """Measure and print one table."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--with", dest="other", type=Path, help="another checkout, for comparison")
    parser.add_argument("--tasks", type=int, default=30)
    parser.add_argument("--steps", type=int, default=40, help="tool calls of each turn")
    parser.add_argument("--size", type=int, default=8000, help="bytes of each result")
    parser.add_argument("--limits", type=int, nargs="+", default=[16_000, 64_000], help="tokens of a context")
    parser.add_argument("--json", action="store_true", help="print each task instead of a table")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        if asked.json:
            print(json.dumps({limit: _tasks(path, limit, asked.tasks, asked.steps, asked.size)
                              for limit in asked.limits}))  # fmt: skip
            return
    words = [f"--{name}={getattr(asked, name)}" for name in ("tasks", "steps", "size")]
    words += ["--json", "--limits", *map(str, asked.limits), *(["--dir", str(asked.dir)] if asked.dir else [])]
    checkouts = {"this": common.ROOT, **({"the other": asked.other.resolve()} if asked.other else {})}
    found = {name: _measured(root, words) for name, root in checkouts.items()}
    rows = [_row(f"{name}, {limit} tokens", found[name][limit]) for limit in found["this"] for name in found]
    heads = ["checkout", "requests", "with every wish", "wishes at the last", "tokens"]
    common.table(f"{asked.tasks} turns of {asked.steps} steps with {asked.size:,} bytes each", heads, rows)
    for limit, mine in found["this"].items() if asked.other else ():
        ratio = sum(one[3] for one in mine) / sum(one[3] for one in found["the other"][limit])
        print(f"  {limit} tokens: tokens over those of the other: {common.verdict(ratio, CEILING)}")


def _row(name: str, tasks: list[Task]) -> list[str]:
    requests, whole, last, used = (sum(one[at] for one in tasks) for at in range(4))
    return [name, f"{requests:,}", f"{whole:,}", f"{last} of {WISHES * len(tasks)}", f"{used:,}"]


def _measured(root: Path, words: list[str]) -> dict[str, list[Task]]:
    """Let this program do the tasks with the code of a checkout."""
    env = {**os.environ, "PYTHONPATH": f"{root / 'bench'}:{root}"}
    code = "import runpy, sys; sys.path.pop(0); runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    told = subprocess.run(
        [sys.executable, "-c", code, __file__, *words], cwd=root, env=env, capture_output=True, text=True, check=True
    )
    found: dict[str, list[Task]] = json.loads(told.stdout)
    return found


def _tasks(path: Path, limit: int, tasks: int, steps: int, size: int) -> list[Task]:
    os.environ["DOTAGENT_CONTEXT_LIMIT"] = str(limit)
    where = common.make_home(path / str(limit))
    with redirect_stdout(StringIO()), boot.life_of(["--home", str(where.root), "--provider", common.SCRIPTED]) as me:
        folder = me.session.path / "files"
        for step in range(steps):
            (folder / f"log-{step}.txt").write_text(_text(random.Random(step), size))
        return [_task(me, task, steps) for task in range(tasks)]


def _text(chance: random.Random, size: int) -> str:
    lines = list[str]()
    while sum(map(len, lines)) < size:
        lines.append(f"{chance.randrange(10**6)} " + " ".join(chance.choices(WORDS, k=9)) + "\n")
    return "".join(lines)[:size]


def _task(me: boot.Agent, task: int, steps: int) -> Task:
    """Say one message with five wishes, and live until it is answered."""
    where, store = me.session.home, me.session.home.store()
    rebuild = request_rebuilding.Rebuilder(store)
    wishes = [f"wish {task}-{number}: keep the {WORDS[(task + number) % len(WORDS)]} as it is." for number in
              range(WISHES)]  # fmt: skip
    line = rooms.line_of("USER", me.session.owner, times.now(), f"Read the {steps} logs. {' '.join(wishes)}")
    rooms.append(where.room(common.ROOM), line)
    requests = whole = last = used = 0
    while True:
        if agent.step(me):
            continue
        call = queue.take(where, common.SCRIPTED)
        if call is None:
            return requests, whole, last, used
        text = "\n".join(part.text for part in rebuild.request(call.id).parts)
        if call.kind != "live":
            queue.fail(where, call, "refused", "this model writes no summaries")
            continue
        used += tokens.estimate(text)
        last = sum(wish in text for wish in wishes)
        requests, whole = requests + 1, whole + (last == WISHES)
        reply = f"READ_FILE log-{requests - 1}.txt" if requests <= steps else f"Task {task} is done."
        queue.answer(where, store, call, reply, Outcome(finish="stop", usage={}))


if __name__ == "__main__":
    main()
