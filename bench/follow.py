"""Whether a model follows the prompt: small lives whose last message a real model answers, and what its calls do.

Each life is lived by the real loop, so the prompt is the one that an agent sends; the reply is read by the real grammar
and its calls are done by the real tools, but for those that the world would notice, which are read. `python
bench/follow.py http://127.0.0.1:8080/v1` works with any server of chat completions. The clock of the lives is made up:
the same prompt is sent each time.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from string import Template

import common
import follow_talk
from follow_faults import faults
from follow_fifth import FIFTH
from follow_fourth import FOURTH
from follow_sets import HELD, TUNE
from follow_sixth import SIXTH
from follow_sixth_rest import REST
from follow_tasks import UNDONE, Got, Task
from follow_third import THIRD

import agent
from dotagent import extensions, tools
from dotagent.life import prompt, turns
from dotagent.loop import boot
from dotagent.loop.boot import Agent
from dotagent.providers import Config, Prompt, local
from dotagent.store import queue, requests, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import ChatMessage
from dotagent.text import grammar, native, times

LIMIT = 4_000  # tokens of context, as for a small model's window
TALKS = 40  # lines of a conversation that are asked
ANSWER = 220  # tokens that a reply may have
BORN = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
SETS = {"tune": TUNE, "third": THIRD, "tuning": [*TUNE, *THIRD], "held": HELD, "both": [*TUNE, *HELD]}
SETS |= {"fourth": FOURTH, "fifth": FIFTH, "sixth": [*SIXTH, *REST], "talk": follow_talk.tasks(follow_talk.OWN)}
FAULTS = {
    "form": "break the form",
    "parrot": "repeat the question",
    "head": "print a head",
    "leak": "tell a fact of the fixed part",
}


@dataclass(frozen=True)
class Verdict:
    """What one reply was: what is wrong with it, and its faults of form."""

    task: Task
    why: str
    faults: tuple[str, ...]
    reply: str
    asked: int
    messages: Sequence[ChatMessage]


class Bench:
    """The lives, which all go on from one birth, and the server that answers them."""

    def __init__(
        self, path: Path, base: str, params: Mapping[str, object], example: str | None, functions: bool, beside: int
    ) -> None:
        self._path, self._base, self._params, self._functions = path, base.rstrip("/"), params, functions
        self._born = common.make_home(path / "born")
        if example is not None:
            (self._born.root / "EXAMPLE.md").write_text(example)
        turns.wanted = lambda *_: beside  # the scripted provider, by which the lives live, has no such option
        with _living(self._born, 0, "--room", common.ROOM) as life:
            self.self_id = life.session.id

    def judge(self, task: Task) -> Verdict:
        """Live the task's life, let the model answer its last message, and look at what came of that."""
        where = self._home(task)
        with _living(where, 100, self.self_id) as me:
            for turn in task.turns[:-1]:
                _say(where, turn[0])
                _answer(me, turn[1:])
            if task.forget:
                me.compactor.force(1)
                assert any(one.event == "FADED" for one in me.session.entries), "nothing has faded"
            _say(where, task.turns[-1][0])
            call = _answer(me, task.turns[-1][1:], more=True)
            assert call
            messages = requests.messages(requests.Rebuilder(where.store()).request(call.id).parts)
            reply, asked = self._called(me, messages) if self._functions else self._ask(messages)
            got = _done(me, call, reply)
        return Verdict(task, task.check(got), tuple(faults(task, messages, got)), reply, asked, messages)

    def _home(self, task: Task) -> Home:
        """A copy of the home with the task's files and rooms."""
        where = Home(self._path / "home")
        shutil.rmtree(where.root, ignore_errors=True)
        shutil.copytree(self._born.root, where.root, symlinks=True)
        mine = where.agent(self.self_id)
        for name, text in task.files.items():
            (mine / name).parent.mkdir(parents=True, exist_ok=True)
            (mine / name).write_text(text)
        for name in task.rooms:
            room = name.rstrip("-")  # of a room so marked it is no member yet
            rooms.create(where.room(room), "private")
            if room == name:
                (mine / "subs" / f"{room}.md").symlink_to(f"../../../chats/{room}.md")
        return where

    def _ask(self, messages: Sequence[ChatMessage]) -> tuple[str, int]:
        """The model's reply, and how many tokens it read."""
        body = json.dumps({"messages": messages, "max_tokens": ANSWER, "cache_prompt": True, **self._params})
        post = urllib.request.Request(
            f"{self._base}/chat/completions", body.encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(post, timeout=1800) as answer:
            told = json.load(answer)
        return told["choices"][0]["message"]["content"] or "", told["usage"]["prompt_tokens"]

    def _called(self, me: Agent, messages: Sequence[ChatMessage]) -> tuple[str, int]:
        """The same where the model is told of the tools by the server's own function calling: by the provider `local`,
        as a life with `calls = "native"` asks."""
        told = native.decode(tools.schemas(tools.given(me.session)))
        asked = Prompt("", tuple(messages), {"max_tokens": ANSWER, **self._params}, tools=told)
        got = local.answer(asked, Config(None, self._base), lambda *_: None, lambda: False)
        return got.text, got.usage.input


@contextmanager
def _living(where: Home, looks: int, *words: str) -> Iterator[Agent]:
    """The life in this process, with a clock of its own, so that each run has the same prompts."""
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
    """`who: words` in the usual room, or `room who: words`."""
    who, _, text = told.partition(": ")
    room, _, name = who.rpartition(" ")
    rooms.append(where.room(room or common.ROOM), rooms.line_of("USER", name, times.now(), text))


def _answer(me: Agent, replies: Sequence[str], *, more: bool = False) -> Call | None:
    """Live on with these replies until nothing is asked any more; or, if `more`, until one more is wanted."""
    left = list(replies)
    while True:
        if agent.step(me):
            continue
        call = queue.take(me.session.home, common.SCRIPTED)
        if call is None or not left:
            assert more == (call is not None), "a life goes another way than its task says"
            return call
        _give(me, call, left.pop(0))


def _give(me: Agent, call: Call, reply: str) -> None:
    queue.answer(me.session.home, me.session.store, call, reply, Outcome(finish="stop", model="script"))


def _done(me: Agent, call: Call, reply: str) -> Got:
    """What the reply does, one of UNDONE left out: its calls are done until the model is asked again."""
    reading = grammar.read(reply, extensions.tools())
    before, at = len(me.session.entries), {path: path.stat().st_size for path in me.session.home.chats.glob("*.md")}
    undone = any(one.name in UNDONE for one in reading.calls)
    if not undone:
        _give(me, call, reply)
        while agent.step(me) and not me.session.state.turn.call:
            pass
    called = [one for one in me.session.entries[before:] if one.event == "TOOL"]
    results = [(*_two(one.detail), (one.content or b"").decode("utf-8", "replace")) for one in called]
    said = {path.stem: path.read_text()[at.get(path, 0) :].partition("] ")[2].strip() for path in at}
    if undone:
        said = {one.args: one.body or "" for one in reading.calls if one.name == "SAY"}
    return Got(reply, reading, {room: text for room, text in said.items() if text}, results, me.session.path)


def _two(detail: str) -> tuple[str, str]:
    tool, _, how = detail.partition(" ")
    return tool, how


def run(bench: Bench, tasks: Sequence[Task], times_each: int, show: bool) -> list[Verdict]:
    """Judge each task so often in a row, for the server's cache; a line for what went wrong as it comes."""
    found = list[Verdict]()
    for task in [task for task in tasks for _ in range(times_each)]:
        one = bench.judge(task)
        found.append(one)
        if show or one.why or one.faults:
            what = "; ".join(filter(None, [one.why, *one.faults])) or "right"
            print(f"  {task.half} {task.name}: {what}\n      {one.reply[:300]!r}", flush=True)
    return found


def report(name: str, found: Sequence[Verdict]) -> None:
    """The tables: by task, and of all."""
    tasks = dict.fromkeys(one.task.name for one in found)
    by = {task: [one for one in found if one.task.name == task] for task in tasks}
    rows = list[list[str]]()
    for task, mine in by.items():
        wrong = ", ".join(sorted({one.why for one in mine if one.why}))
        rows.append([task, f"{sum(not one.why for one in mine)} of {len(mine)}", wrong[:70]])
    common.table(name, ["task", "right", "what went wrong"], rows)
    seen = Counter(fault.split(" ")[0] for one in found for fault in one.faults)
    right = sum(not one.why for one in found)
    print(f"\n  right: {right} of {len(found)} ({right / len(found):.0%}); tokens in, mean: "
          f"{sum(one.asked for one in found) / len(found):,.0f}")  # fmt: skip
    for fault in ("form", "parrot", "head", "leak"):
        print(f"  {FAULTS[fault]}: {seen[fault]} of {len(found)} ({seen[fault] / len(found):.0%})")


def sentences() -> list[str]:
    """The sentences of the harness's facts."""
    lines = [line for line in prompt.HARNESS.template.split("\n") if line[:1].isupper()]
    return [one for line in lines for one in re.split(r"(?<=[.;]) (?=[A-Zo])", line)]


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("base", help="the server's address, as http://127.0.0.1:8080/v1")
    parser.add_argument("--half", choices=[*SETS], default="tune", help="which tasks")
    parser.add_argument("--talks", type=Path, help="a file like LoCoMo's, whose first 40 lines of plain talk are asked")
    parser.add_argument("--only", default="", help="tasks whose name this pattern fits")
    parser.add_argument("--times", type=int, default=1, help="how often each task is asked")
    parser.add_argument("--sample", action="store_true", help="the server's default sampling, not greedy")
    parser.add_argument("--model", default="", help="the model's name, where the server has several")
    parser.add_argument("--native", action="store_true", help="calls by the server's own function calling")
    left_out = "leave out the nth sentence of the harness's facts; 0: the example life"
    parser.add_argument("--without", type=int, metavar="N", help=left_out)
    parser.add_argument("--examples", type=int, default=local.EXAMPLES, help="turns like the message, shown beside it")
    parser.add_argument("--show", action="store_true", help="also the replies that are right")
    asked = parser.parse_args()
    tasks = follow_talk.tasks(asked.talks)[:TALKS] if asked.talks else SETS[asked.half]
    tasks = [one for one in tasks if re.search(asked.only, one.name)]
    params: dict[str, object] = {} if asked.sample else {"temperature": 0, "seed": 1}
    if asked.model:
        params["model"] = asked.model
    what, example = "Replies", None
    if asked.without is not None:
        told = ["the example life", *sentences()][asked.without]
        what, example = f"Replies without: {told}", None if asked.without else ""
        if asked.without:
            prompt.HARNESS = Template(prompt.HARNESS.template.replace(told, "", 1))
    with common.scratch(asked.dir) as path:
        bench = Bench(path, asked.base, params, example, asked.native, asked.examples)
        report(what, run(bench, tasks, asked.times, asked.show))


if __name__ == "__main__":
    main()
