"""Whether a small model does what it is told, and nothing else: `python bench/follow.py http://127.0.0.1:8080/v1`.

Small lives (data/follow.toml) are lived by the real loop, and a real model answers their last message: orders,
statements that want nothing done, edits, and second thoughts. The real tools do its calls, but for those that the world
would notice, which are only read. Their clock is made up, so each run has the same prompts.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import common
from long_turns import ask

import agent
from dotagent import extensions
from dotagent.loop import boot
from dotagent.loop.boot import Agent
from dotagent.store import bootstrap, queue, request_rebuilding, requests, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.text import grammar, times

LIMIT = 7_600  # tokens of a prompt, as for a small model's window
ANSWER = 150  # tokens that a reply may have
REPLIES = 3  # to one message
BORN = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
UNDONE = frozenset("RUN PROCESS FETCH SEARCH_WEB SPAWN SESSION REMIND".split())
WORDS = frozenset("SAY WAIT NOTE REMEMBER".split())  # after a statement these are no act
EXAMPLES = re.compile(r"\b[\w-]+\.(?:txt|sh|md)\b|(?<=JOIN )\w+|\b(?:kim|lou)\b")


@dataclass(frozen=True)
class Task:
    """A life by its turns (a message, then the replies to it), and what must come of the last message."""

    kind: str
    turns: Sequence[Sequence[str]]
    right: Sequence[str] = ()
    never: Sequence[str] = ()
    files: Mapping[str, str] | None = None
    rooms: Sequence[str] = ()
    done: str = "I see."

    def verdict(self, came: Sequence[str]) -> str:
        """What is wrong with all that came of the model's replies; "" for nothing."""
        if self.kind == "statement":
            acts = [one for one in came if one.startswith("CALL ") and one.split()[1] not in WORDS]
            return f"does {acts[0]!r}" if acts else ""
        for never in self.never:
            if wrong := next((one for one in came if re.search(never, one, re.I | re.S)), ""):
                return f"does {wrong!r}"
        return "" if any(re.search(right, one, re.I | re.S) for right in self.right for one in came) else "not done"


def tasks() -> list[Task]:
    """All tasks of data/follow.toml."""
    told = tomllib.loads((Path(__file__).parent / "data/follow.toml").read_text("utf-8"))
    found = list[Task]()
    for one in told["task"]:
        said = one.pop("say", None)
        turns = [*one.pop("turns", ()), *([[f"ana: {said}"]] if said else ())]
        found.append(Task(turns=turns, **one))
    return found + [Task("statement", [[f"ana: {text}"]]) for text in told["statements"]]


def names(life: Task, came: Sequence[str]) -> set[str]:
    """The names in its calls that stand in the prompt's example and nowhere in the life."""
    example = (common.ROOT / "EXAMPLE.md").read_text("utf-8")
    own = " ".join([*(text for turn in life.turns for text in turn), *(life.files or ()), *life.rooms, *bootstrap.ALL])
    calls = " ".join(one for one in came if one.startswith("CALL "))
    return {one for one in EXAMPLES.findall(example) if re.search(rf"\b{re.escape(one)}\b", calls) and one not in own}


class Bench:
    """The lives, which all go on from one birth, and the server that answers them."""

    def __init__(self, path: Path, base: str, params: Mapping[str, object]) -> None:
        self._path, self._base, self._params = path, base, params
        self._born = common.make_home(path / "born")
        with _living(self._born, 0, "--room", common.ROOM) as life:
            self.self_id = life.session.id

    def came(self, task: Task) -> list[str]:
        """Live the task's life and let the model answer its last message: its calls, what was said, and the files."""
        where, came = self._home(task), list[str]()
        with _living(where, 100, self.self_id) as me:
            for message, *replies in task.turns[:-1]:
                _say(where, message)
                _answer(me, replies)
            message, *replies = task.turns[-1]
            _say(where, message)
            _answer(me, replies)
            for _ in range(REPLIES):
                call = queue.take(where, common.SCRIPTED)
                if not call or any(one.startswith("CALL ") and one.split()[1] in UNDONE for one in came):
                    break
                came += self._reply(me, call, task)
                if task.kind == "statement" or not task.verdict(came):
                    break
        return came

    def _reply(self, me: Agent, call: Call, task: Task) -> list[str]:
        """One reply of the model, and what came of it."""
        messages = requests.messages(request_rebuilding.Rebuilder(me.session.store).request(call.id).parts)
        reply = ask(self._base, messages, ANSWER, self._params)
        calls = grammar.read(reply, extensions.tools()).calls
        before = {path: path.stat().st_size for path in me.session.home.chats.glob("*.md")}
        if not any(one.name in UNDONE for one in calls):
            _give(me, call, reply)
            while agent.step(me) and not me.session.state.turn.call:
                pass
        said = {path.stem: path.read_text("utf-8")[at:].partition("] ")[2].strip() for path, at in before.items()}
        own = me.session.path
        files = [path for path in (own / "MEMORY.md", *sorted((own / "files").rglob("*"))) if path.is_file()]
        named = [(path.name if path.parent == own else str(path.relative_to(own / "files")), path) for path in files]
        return [
            *(f"CALL {one.name} {one.args}\n{one.body or ''}" for one in calls),
            *(f"SAID {room}: {text}" for room, text in said.items() if text),
            *(f"FILE {name}\n{path.read_text('utf-8', 'replace')}" for name, path in named),
        ]

    def _home(self, task: Task) -> Home:
        """A copy of the home with the task's files and rooms."""
        where = Home(self._path / "home")
        shutil.rmtree(where.root, ignore_errors=True)
        shutil.copytree(self._born.root, where.root, symlinks=True)
        mine = where.agent(self.self_id)
        for name, text in (task.files or {}).items():
            (mine / "files" / name).parent.mkdir(parents=True, exist_ok=True)
            (mine / "files" / name).write_text(text)
        for name in task.rooms:
            room = name.rstrip("-")  # of a room so marked it is no member yet
            rooms.create(where.room(room), "private")
            if room == name:
                (mine / "subs" / f"{room}.md").symlink_to(f"../../../chats/{room}.md")
        return where


@contextmanager
def _living(where: Home, looks: int, *words: str) -> Iterator[Agent]:
    """The life in this process, with a clock of its own."""
    began, now = looks, times.now

    def later() -> str:
        nonlocal began
        began += 1
        return (BORN + timedelta(milliseconds=900 * began)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    times.now = later
    try:
        with common.environed(), redirect_stdout(io.StringIO()):
            os.environ["DOTAGENT_CONTEXT_LIMIT"] = str(LIMIT)
            with boot.life_of([*words, "--home", str(where.root), "--provider", common.SCRIPTED]) as me:
                yield me
    finally:
        times.now = now


def _say(where: Home, told: str) -> None:
    who, _, text = told.partition(": ")
    rooms.append(where.room(common.ROOM), rooms.line_of("USER", who, times.now(), text))


def _answer(me: Agent, replies: Sequence[str]) -> None:
    """Live on with these replies, until one more is wanted or nothing is asked any more."""
    left = list(replies)
    while agent.step(me) or left:
        if me.session.state.turn.call and left:
            call = queue.take(me.session.home, common.SCRIPTED)
            assert call
            _give(me, call, left.pop(0))


def _give(me: Agent, call: Call, reply: str) -> None:
    queue.answer(me.session.home, me.session.store, call, reply, Outcome(finish="stop", model="script"))


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("base", help="the server's address, as http://127.0.0.1:8080/v1")
    parser.add_argument("--only", default="", help="messages or kinds that this pattern fits")
    parser.add_argument("--sample", action="store_true", help="the server's default sampling, not temperature 0")
    parser.add_argument("--model", default="", help="the model's name, where the server has several")
    asked = parser.parse_args()
    params: dict[str, object] = {} if asked.sample else {"temperature": 0, "seed": 1}
    params |= {"model": asked.model} if asked.model else {}
    chosen = [one for one in tasks() if re.search(asked.only, f"{one.kind}: {one.turns[-1][0]}", re.I)]
    found, borrowed = dict[str, list[str]](), 0
    with common.scratch(asked.dir) as path:
        bench = Bench(path, asked.base, params)
        for task in chosen:
            came = bench.came(task)
            wrong, foreign = task.verdict(came), names(task, came)
            found.setdefault(task.kind, []).append(wrong)
            borrowed += bool(foreign)
            more = f" (names of the example: {' '.join(sorted(foreign))})" if foreign else ""
            print(f"{task.kind}: {task.turns[-1][0]}: {wrong or 'right'}{more}", flush=True)
            if wrong:
                print("".join(f"    {one[:300]!r}\n" for one in came), end="", flush=True)
    rows = [[kind, f"{one.count('')} of {len(one)}", f"{one.count('') / len(one):.0%}"] for kind, one in found.items()]
    common.table("What a model does", ["kind", "right", "share"], rows)
    print(f"\n  names of the example in calls: {borrowed} of {len(chosen)}")


if __name__ == "__main__":
    main()
