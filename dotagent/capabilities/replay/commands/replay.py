"""Ask past requests again, and compare the answers.

The new answers have no effect: no agent reads them, and no tool runs. The command shows the old and the new answer to
each request, and says which answers would make other calls of tools. At its end, the command removes the requests and
the new answers. The cost of the new answers belongs to no agent, so `usage` does not list it. The command stops before
it would exceed a budget.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from dotagent import commands, errors
from dotagent.answers import agreed
from dotagent.capabilities.replay import calls, comparison, page, past
from dotagent.capabilities.replay.calls import Asking
from dotagent.capabilities.replay.comparison import Compared
from dotagent.capabilities.replay.past import KINDS, Past
from dotagent.errors import Misuse, Trouble
from dotagent.life import budget
from dotagent.life.events import Ask
from dotagent.store import credentials, disk, display, home, launch
from dotagent.store.home import Home, Settings
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.store.requests import TOOLS, Part
from dotagent.text import encoding, escape, times
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural

GROUP = "inside"

USUAL, MOST = 10, 1000
FREE = ("offline", *launch.OWN)  # providers that cost no money


@dataclass(frozen=True)
class Task:
    """The requests to send again: the agent, its requests, and a prompt to replace, with its text and its earlier
    versions; or with `new`, the changed parts of each request. `none` says why there is no request."""

    self_id: str
    requests: list[Past]
    name: str = ""
    text: str = ""
    known: tuple[str, ...] = ()
    new: Mapping[str, list[Part]] = field(default_factory=dict)
    none: str = ""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent, the requests, the model and the prompt."""
    commands.life_argument(parser)
    told = f"how many of the most recent requests to send again (default: {USUAL})"
    parser.add_argument("-n", "--count", type=commands.many, default=USUAL, metavar="N", help=told)
    parser.add_argument("--provider", metavar="P", help="the provider to ask (default: the provider in the settings)")
    parser.add_argument("--model", metavar="M", help="the model to ask (default: the provider's model)")
    told = f"use the text of FILE instead of the prompt NAME ({', '.join(KINDS)})"
    parser.add_argument("--prompt", metavar="NAME=FILE", help=told)
    told = "build each request again with this version of dotagent, and send only the requests that differ"
    parser.add_argument("--upgrade", action="store_true", help=told)
    told = "also write a page with both answers side by side, which opens without a server"
    parser.add_argument("--page", metavar="FILE.html", type=Path, help=told)
    parser.add_argument(
        "--yes",
        action="store_true",
        help=f"send more than {USUAL} paid requests without asking you",
    )
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Ask each request again, and print both answers. Raise Misuse and Trouble."""
    where = commands.home_of(asked)
    settings, self_id = home.settings(where), commands.life_of(asked, where)
    plan = _plan(where, settings, self_id, asked)
    if asked.page and (asked.page.is_dir() or not asked.page.absolute().parent.is_dir()):
        raise Misuse(f"--page {asked.page}: {'this is a folder' if asked.page.is_dir() else 'there is no such folder'}")
    if not plan.requests:
        commands.print_list(asked, "", (), plan.none)
        return 0
    known = {**credentials.env_file(where), **os.environ}
    provider = launch.choose(where, asked.provider or settings.provider, known)
    model = str(asked.model or (settings.model if provider == settings.provider else "") or "")
    _consent(where, plan, provider, asked.yes)
    launch.ensure(where, provider, known)
    turns = list[Compared]()
    with calls.begin_run(where, provider, model) as run:
        rows = (row for one in _turns(run, settings, plan) for row in _format_rows(one, turns, asked.json))
        commands.print_list(asked, comparison.HEADS, rows, "no request was sent", wrap=True)
    if turns and not asked.json:
        print(f"\n{comparison.summary(turns)}")
    if turns and asked.page:
        name = display.make_label(where, settings, self_id)
        made = page.page(f"Answers of {name}, then and now", turns).encode("utf-8", "replace")
        disk.replace(asked.page, made, mode=0o644)
        if not asked.json:
            print(f"{escape.row(str(asked.page))}: {amount(len(made))}")
    return 0


def _plan(where: Home, settings: Settings, self_id: str, asked: argparse.Namespace) -> Task:
    if asked.count > MOST:
        raise Misuse(f"-n {asked.count}: at most {MOST:,} requests can be sent again at once")
    none = f"no request of this kind from agent {short(self_id)} has an answer yet"
    if asked.upgrade and asked.prompt:
        raise Misuse("give either --upgrade or --prompt, because each changes the requests")
    if asked.prompt is None:
        plan = Task(self_id, past.last(where, self_id, (Ask.WORD,), asked.count), none=none)
        return _rebuilt(where, settings, plan) if asked.upgrade and plan.requests else plan
    name, _, file = asked.prompt.partition("=")
    name = name.upper().removesuffix(".MD")
    if name not in KINDS or not file:
        raise Misuse(f"--prompt {asked.prompt[:60]!r}: write NAME=FILE, where NAME is one of {', '.join(KINDS)}")
    try:
        text = encoding.utf8(disk.read(Path(file), follow=True)).decode("utf-8", "replace")
    except OSError as error:
        raise Misuse(f"--prompt {name}: {file}: {error.strerror}") from None
    if not text.strip():
        raise Misuse(f"--prompt {name}: {file} is empty; write the new prompt into this file")
    found = past.last(where, self_id, KINDS[name], asked.count)
    return Task(self_id, found, name, text, tuple(past.versions(where, self_id, name)), none=none)


def _rebuilt(where: Home, settings: Settings, plan: Task) -> Task:
    """Return the task with the requests that this version of dotagent builds in another way."""
    new = {one.id: past.rebuild(where, settings, one) for one in plan.requests}
    found = [one for one in plan.requests if new[one.id]]
    sent = f"the last {plural(len(plan.requests), 'request')}"
    if found:
        errors.tell(f"this version of dotagent would send {len(found)} of {sent} with other text; these follow")
    return replace(plan, requests=found, new=new, none=f"this version of dotagent would send {sent} with the same text")


def _consent(where: Home, plan: Task, provider: str, yes: bool) -> None:
    """Ask the person before many calls of a provider that costs money. Raise Misuse without a yes."""
    if len(plan.requests) <= USUAL or provider in FREE or yes:
        return
    rebuild = Rebuilder(where.store())
    size = sum(rebuild.request(one.id).tokens for one in plan.requests)
    then = sum(int(one.told["cost"]) for one in plan.requests if one.told.get("cost", "").isdecimal())
    cost = f"; the first time, they cost ${then / 1e6:.2f}" if then else ""
    what = f"{plural(len(plan.requests), 'request')} to {provider}, about {size:,} tokens in total{cost}"
    if not agreed(f"Send {what}?", f"to send {what}, add --yes; or send at most {USUAL} with -n"):
        raise Misuse("nothing was sent")


def _turns(run: Asking, settings: Settings, plan: Task) -> Iterator[Compared]:
    """Yield each request with both answers, one after another, until a budget is used up."""
    spent, tokens = 0, 0
    options = settings.options(run.provider, run.model, plan.self_id, live=True)
    for number, one in enumerate(plan.requests):
        if over := _exceeded_budget(run.home, settings, plan.self_id, (spent, tokens)):
            left = plural(len(plan.requests) - number, "request")
            errors.tell(f"the budget of {over} is too small for the last {left}, so dotagent did not send them")
            return
        try:
            made = _ask_again(run, options, plan, one)
        except Trouble as lost:
            if launch.has_ended(run.home, run.provider):
                raise
            made = comparison.unasked(one, str(lost))
        spent, tokens = spent + (made.now.cost or 0), tokens + made.now.input + made.now.output
        yield made


def _ask_again(run: Asking, options: dict[str, object], plan: Task, one: Past) -> Compared:
    """Ask one request again. Raises Trouble if a part of it is lost."""
    rebuild = Rebuilder(run.home.store())
    request = rebuild.request(one.id)
    parts = plan.new.get(one.id, [])
    if plan.name:
        parts = past.instead(rebuild, one, plan.name, plan.text, plan.known)
    native = any(part.role == TOOLS for part in request.parts)
    if native and options.get("calls") != "native":
        parts = [part for part in parts or request.parts if part.role != TOOLS]
    given = {name: value for name, value in options.items() if native or name != "calls"}
    params = {name: value for name, value in request.params.items() if name not in ("options", "upstream")}
    return comparison.turn(one, run.ask(parts, params | ({"options": given} if given else {}), one.id))


def _exceeded_budget(where: Home, settings: Settings, self_id: str, mine: tuple[int, int]) -> str:
    """Return the budget that is used up together with what this run has used: millionths of a dollar, and tokens."""
    day = times.local_day(times.now())
    for _, limit, took in budget.report(where, settings, [self_id], day):
        if took + (mine[0] / 1e6 if limit.dollars else mine[1]) >= limit.most:
            return budget.describe_limit(limit)
    return ""


def _format_rows(one: Compared, turns: list[Compared], json: bool) -> list[commands.Row]:
    turns.append(one)
    return comparison.rows(one)[: 1 if json else None]
