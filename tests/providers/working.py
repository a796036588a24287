"""A worker in the test's own process: calls placed for it, its work step by step, and what came of each."""

from __future__ import annotations

from loopback import Server
from support import MOMENT, Deadline, ready, until

from dotagent.providers.server.worker import Worker
from dotagent.store import credentials, launch, queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Part

AGENT = "a" * 32
KEY = "sk-0123456789abcdef"


def keys(server: Server, name: str = "deepseek", path: str = "") -> dict[str, str]:
    return {credentials.variable(name, "API_KEY"): KEY, credentials.variable(name, "API_BASE"): server.base + path}


def placed(
    where: Home,
    text: str = "hello",
    kind: str = "live",
    provider: str = "deepseek",
    model: str = "",
    most: int = 0,
    agent: str = AGENT,
) -> Call:
    number = len(list(where.blobs.rglob("*")))
    parts = [Part("user", f"{number} {text}")]
    data = requests.encode(agent, model, {"most": most} if most else {}, "", 0, parts)
    id = where.store().put(data, at=f"2026-01-01T00:00:00.{number:06}Z", gist="request")
    call = Call(id, agent, provider, kind, "dev")
    queue.place(where, call)
    return call


def serve(worker: Worker, *wanted: Call) -> list[Outcome]:
    """Let the worker work, as its process does, until these calls are done."""
    deadline = Deadline()
    while any(queue.done(worker._home, call.agent, call.id) is None for call in wanted):
        deadline.check(lambda: "no answer to the call")
        step(worker)
    found = [queue.done(worker._home, call.agent, call.id) for call in wanted]
    return [one for one in found if one]


def step(worker: Worker, most: float = MOMENT) -> None:
    worker.take()
    ready(worker.bell, worker.pause(most))
    worker.answered()


def text_of(where: Home, outcome: Outcome) -> str:
    return where.store().get(outcome.reply).body.decode()


def told(where: Home, name: str) -> dict[str, object]:
    return launch.published(where).get(name, {})


def tells(where: Home, name: str, **what: object) -> dict[str, object]:
    """What is told of a provider, once it is this."""
    return until(lambda: entry if what.items() <= (entry := told(where, name)).items() else None, where.calls)
