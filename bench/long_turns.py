"""Long turns: of five wishes in one message, how many are before the model at each request, and at how many tokens.

Each task has a message with five wishes and a turn of many steps, each with a large result. The model is scripted, and
the whole life is in one process. With `--with`, another checkout or commit does the same tasks in the same run. With
`--model`, a person asks for the wishes when all steps are done, and a real model answers.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import urllib.request
from argparse import Namespace
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import common

import agent
from dotagent.loop import boot
from dotagent.store import queue, rooms
from dotagent.store.queue import Outcome
from dotagent.store.requests import ChatMessage, messages
from dotagent.text import times

try:
    from dotagent.store.request_rebuilding import Rebuilder
except ModuleNotFoundError:  # an older checkout
    from dotagent.store.requests import Rebuilder  # type: ignore[attr-defined, no-redef]

WISHES = 5
WORDS = "host disk mail folder person lamp kettle paper window garden invoice server letter oven ticket river".split()
CEILING = 1.03  # times the tokens of the other checkout
BYTES = 4  # about a token
REPLIES, ANSWER = 3, 200  # of a real model to one task, and the tokens of each
Task = tuple[int, int, int, int, int]
"""What one task showed: its requests, those with every wish, the wishes before the model at the last, tokens, and the
wishes in a real model's answer."""


def main() -> None:
    """Measure, and print a line for each checkout and limit."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--with", dest="other", default="", help="another checkout, or a commit, for comparison")
    parser.add_argument("--tasks", type=int, default=30)
    parser.add_argument("--steps", type=int, default=40, help="tool calls of each turn")
    parser.add_argument("--size", type=int, default=8000, help="bytes of each result")
    parser.add_argument("--limits", type=int, nargs="+", default=[16_000, 64_000], help="tokens of a context")
    parser.add_argument("--model", default="", help="the address of a real model, as http://127.0.0.1:8080/v1")
    parser.add_argument("--json", action="store_true", help="print each task instead of a table")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        if asked.json:
            print(json.dumps([_tasks(path, limit, asked) for limit in asked.limits]))
            return
        checkouts = {"this": common.ROOT}
        if asked.other:
            checkouts["the other"] = common.checkout(asked.other, path / "other")
        words = [f"--{name}={getattr(asked, name)}" for name in ("tasks", "steps", "size", "model")]
        words += ["--json", f"--dir={path}"]
        rows = [(limit, name) for limit in asked.limits for name in checkouts]
        found = dict[tuple[int, str], list[Task]]()
        print(f"{asked.tasks} turns of {asked.steps} steps with {asked.size:,} bytes each", flush=True)
        with ThreadPoolExecutor(1 if asked.model else os.cpu_count()) as pool:
            begun = {
                pool.submit(_measured, checkouts[name], [*words, "--limits", str(limit)]): (limit, name)
                for limit, name in rows
            }
            for done in as_completed(begun):
                found[begun[done]] = done.result()
                print(_row(*begun[done], done.result()), flush=True)  # at once: a run may be broken off
    for limit in asked.limits if asked.other else ():
        mine, theirs = (sum(one[3] for one in found[limit, name]) for name in checkouts)
        print(f"  {limit} tokens: tokens over those of the other: {common.verdict(mine / theirs, CEILING)}")


def _row(limit: int, name: str, tasks: list[Task]) -> str:
    requests, whole, last, used, kept = (sum(one[at] for one in tasks) for at in range(5))
    told = f"  {name}, {limit} tokens: {whole:,} of {requests:,} requests with every wish"
    return f"{told}, {last} of {WISHES * len(tasks)} wishes at the last, {used:,} tokens, {kept} in answers"


def _measured(root: Path, words: list[str]) -> list[Task]:
    """Let this program do the tasks of one limit with the code of a checkout."""
    env = {**os.environ, "PYTHONPATH": f"{root / 'bench'}:{root}"}
    code = "import runpy, sys; sys.path.pop(0); runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    told = subprocess.run(
        [sys.executable, "-c", code, __file__, *words], cwd=root, env=env, capture_output=True, text=True, check=True
    )
    found: list[list[Task]] = json.loads(told.stdout)
    return found[0]


def _tasks(path: Path, limit: int, asked: Namespace) -> list[Task]:
    os.environ["DOTAGENT_CONTEXT_LIMIT"] = str(limit)
    where = common.make_home(path / str(limit))
    with redirect_stdout(StringIO()), boot.life_of(["--home", str(where.root), "--provider", common.SCRIPTED]) as me:
        for folder in (me.session.path, me.session.path / "files"):  # where older and present agents read
            for step in range(asked.steps if folder.is_dir() else 0):
                (folder / f"log-{step}.txt").write_text(_text(random.Random(step), asked.size))
        return [_task(me, task, asked.steps, asked.model) for task in range(asked.tasks)]


def _text(chance: random.Random, size: int) -> str:
    lines = list[str]()
    while sum(map(len, lines)) < size:
        lines.append(f"{chance.randrange(10**6)} " + " ".join(chance.choices(WORDS, k=9)) + "\n")
    return "".join(lines)[:size]


def _task(me: boot.Agent, task: int, steps: int, model: str) -> Task:
    """Say one message with five wishes, and live until it is answered."""
    where, store = me.session.home, me.session.home.store()
    rebuild = Rebuilder(store)
    things = [WORDS[(task + number) % len(WORDS)] for number in range(WISHES)]
    wishes = [f"wish {task}-{number}: keep the {thing} as it is." for number, thing in enumerate(things)]
    _say(me, f"Read the {steps} logs. {' '.join(wishes)}")
    requests = whole = last = used = 0
    answers = ""
    while True:
        if agent.step(me):
            continue
        call = queue.take(where, common.SCRIPTED)
        if call is None:
            return requests, whole, last, used, sum(f"the {thing}" in answers for thing in things)
        parts = rebuild.request(call.id).parts
        if call.kind != "live":
            queue.fail(where, call, "refused", "this model writes no summaries")
            continue
        used += sum(_count(part.text) for part in parts)
        last = sum(any(wish in part.text for part in parts) for wish in wishes)
        requests, whole = requests + 1, whole + (last == WISHES)
        reply = f"READ_FILE log-{requests - 1}.txt" if requests <= steps else f"Task {task} is done."
        if model and requests == steps:
            _say(me, "Repeat my five wishes, word for word.")
        if model and steps < requests <= steps + REPLIES:
            reply = ask(model, messages(parts), ANSWER, {"temperature": 0, "seed": 1})
            answers += reply
        queue.answer(where, store, call, reply, Outcome(finish="stop", usage={}))


def _say(me: boot.Agent, text: str) -> None:
    rooms.append(me.session.home.room(common.ROOM), rooms.line_of("USER", me.session.owner, times.now(), text))


def ask(base: str, messages: Sequence[ChatMessage], most: int, params: Mapping[str, object]) -> str:
    """Return the reply, of `most` tokens, of a real model behind a server of chat completions."""
    body = json.dumps({"messages": messages, "max_tokens": most, "cache_prompt": True, **params}).encode()
    url, head = f"{base.rstrip('/')}/chat/completions", {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, head), timeout=1800) as answer:
        return str(json.load(answer)["choices"][0]["message"]["content"] or "")


@cache
def _count(text: str) -> int:
    """About the tokens of a text, in the same way for each checkout."""
    return len(text.encode()) // BYTES


if __name__ == "__main__":
    main()
