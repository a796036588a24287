"""The part of the page that shows an agent's memory: its context at any moment, what became of each entry, and the
exact prompt of each call. Owns nothing on disk."""

from __future__ import annotations

import difflib
import os
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from dotagent.capabilities.view import export, film, live, origin, programs, why
from dotagent.capabilities.view.frames import Scenes
from dotagent.capabilities.view.growth import Growth
from dotagent.capabilities.view.picture import kinds
from dotagent.capabilities.view.route import Download, PageRequest, Part, Reads, ServerEvent, Streams, Writes
from dotagent.errors import Misuse
from dotagent.life.events import Ask, Hear
from dotagent.store import blob_search, display, home, lives, log_search, request_rebuilding, requests
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.text import escape, times
from dotagent.text.reference import ID, short

AROUND = 3  # lines around a difference
DIFFERENCES = 2000  # lines of differences that the page shows
LISTED = 100  # requests in the list for a person's choice
EARLY, FEW = 1 << 16, 24  # bytes of LIFE.md that are searched for an agent's first message; characters of it


@lru_cache(maxsize=4)
def _scenes(root: Path, limit: int) -> Scenes:
    return Scenes(Home(root), limit)


def scenes(where: Home) -> Scenes:
    """Return the scenes of a home, which this process keeps."""
    return _scenes(where.root, home.settings(where).context_limit)


def agent(asked: PageRequest) -> str:
    """Return the agent that the path names by its full id. Raises Misuse."""
    self_id = asked.path["agent"]
    if not ID.fullmatch(self_id) or self_id not in home.lives(asked.where):
        raise Misuse("no agent has this id; reload the page")
    return self_id


def first_words(where: Home, self_id: str) -> str:
    """Return the first words that an agent heard, in quotation marks, or "" if it heard none."""
    told = os.stat(life := where.agent(self_id) / "LIFE.md")
    return _first_words(life, told.st_ino, min(told.st_size, EARLY))  # a permanent deletion makes another file


@lru_cache(maxsize=1000)
def _first_words(life: Path, node: int, stop: int) -> str:
    first = next(log_search.picked(life, (Hear.WORD,), 0, stop), None)
    return f"“{escape.one_line(first.gist.partition(': ')[2] or first.gist, FEW)}”" if first else ""


def _agents(asked: PageRequest) -> list[dict[str, Any]]:
    where, settings = asked.where, home.settings(asked.where)
    found = sorted(((lives.last(where, one), one) for one in home.lives(where)), reverse=True)
    names = {one: display.find_face(where, settings, one).given or first_words(where, one) for _, one in found}
    return [{"id": one, "name": f"{names[one]} {short(one)}".strip(), "last": last,
             "rooms": lives.subscribed(where.agent(one))} for last, one in found]  # fmt: skip


def _overview(asked: PageRequest) -> dict[str, Any]:
    return {**film.overview(scenes(asked.where), agent(asked)), "kinds": kinds(), "zone": times.zone()}


def _events(asked: PageRequest) -> AsyncIterator[ServerEvent]:
    """Yield what the agent's life gains after the end that the page knows."""
    return live.follow(Growth(scenes(asked.where), agent(asked), asked.number("after", 0)).look)


def _scene(asked: PageRequest) -> Download:
    made = film.scene(scenes(asked.where), agent(asked), asked.number("at", 0))
    return Download(made, "application/json")


def _entry(asked: PageRequest) -> dict[str, Any]:
    number = int(asked.path["number"]) if asked.path["number"].isdecimal() else 0
    found = origin.describe_entry(scenes(asked.where), agent(asked), number, asked.number("at", 0),
                                  original="original" in asked.query)  # fmt: skip
    return {**found, "sentences": why.sentences(found["original"]) if found["kind"] == "said" else []}


def _forgetting(asked: PageRequest) -> dict[str, int]:
    """Return when the agent forgot a message: one of a person by its end in the room, or its own by the time of the
    model's answer."""
    self_id, known = agent(asked), scenes(asked.where)
    when = asked.query.get("when", "") or origin.time_of_message(
        known, self_id, asked.query.get("room", ""), asked.number("end", 0)
    )
    return origin.find_forgetting(known, self_id, when)


def _why(asked: PageRequest) -> dict[str, Any]:
    sentence = asked.query.get("sentence", "")
    return why.find_support(scenes(asked.where), agent(asked), asked.query.get("when", ""), sentence[:4000])


def _fork(asked: PageRequest) -> dict[str, Any]:
    """Create an agent that continues this one's life from a moment on, as the command `fork` does."""
    when = asked.text("when")
    if not times.is_stamp(when):
        raise Misuse("the time in this request is not valid; reload the page")
    return programs.rows(asked.where, "fork", agent(asked), "--at", when)[0]


def _export(asked: PageRequest) -> Download:
    """Return the file that the command `view --export` writes for this agent."""
    redact = "redact" in asked.query
    return export.download(scenes(asked.where), export.ExportRange([agent(asked)], redact=redact))


def _prompt(asked: PageRequest) -> Download:
    """Return the prompt of a call byte for byte, as the command `prompt --call` prints it."""
    return Download(requests.as_text(_request(asked, asked.path["call"]).parts), "text/plain; charset=utf-8")


def _difference(asked: PageRequest) -> dict[str, Any]:
    """Return what the later of two prompts changed, line by line: that of this call, and that of the call `before` or
    of any other."""
    other, store = asked.path["other"], asked.where.store()
    calls = [_request(asked, call) for call in (asked.path["call"], _before(asked) if other == "before" else other)]
    calls.sort(key=lambda call: store.get(call.id).at)
    one, two = (requests.as_text(call.parts).decode("utf-8", "replace").split("\n") for call in calls)
    same = next(
        (at for at, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]), min(len(one), len(two))
    )
    start = max(0, same - AROUND)
    told = list(difflib.unified_diff(one[start:], two[start:], n=AROUND, lineterm=""))[2:]
    return {"same": same, "lines": told[:DIFFERENCES], "more": max(0, len(told) - DIFFERENCES)}


def _prompts(asked: PageRequest) -> list[dict[str, str]]:
    """Return the latest requests of the conversation, newest first."""
    return [{"id": one.id, "at": one.at} for one in islice(_requests(asked), LISTED)]


def _requests(asked: PageRequest) -> Iterator[Line]:
    """Yield the requests of the conversation, newest first, from swap to swap, because a log can be long."""
    self_id = agent(asked)
    _, begins, stop = scenes(asked.where).swaps(self_id)
    for start in reversed([0, *begins]):
        yield from reversed(list(log_search.picked(asked.where.agent(self_id) / "LIFE.md", (Ask.WORD,), start, stop)))
        stop = start


def _before(asked: PageRequest) -> str:
    """Return the id of the request of the conversation before this one. Raises Misuse for the first one."""
    for later, earlier in pairwise(_requests(asked)):
        if later.id == asked.path["call"]:
            return earlier.id
    raise Misuse("this is the first prompt of the agent, so there is no earlier prompt to compare it with")


def _request(asked: PageRequest, call: str) -> request_rebuilding.Request:
    """Return a request of the agent, from its id or the beginning of its id. Raises Misuse for a request of another."""
    store = asked.where.store()
    found = Rebuilder(store).request(blob_search.find(store, call))
    if found.agent != agent(asked):
        raise Misuse("this model request belongs to another agent; reload the page")
    return found


PART: Part = (
    Reads("/api/memory", _agents),
    Reads("/api/memory/{agent}", _overview),
    Streams("/api/memory/{agent}/events", _events),
    Reads("/api/memory/{agent}/scene", _scene),
    Reads("/api/memory/{agent}/entry/{number}", _entry),
    Reads("/api/memory/{agent}/forgetting", _forgetting),
    Reads("/api/memory/{agent}/why", _why),
    Reads("/api/memory/{agent}/export", _export),
    Reads("/api/memory/{agent}/prompts", _prompts),
    Reads("/api/memory/{agent}/prompt/{call}", _prompt),
    Reads("/api/memory/{agent}/prompt/{call}/against/{other}", _difference),
    Writes("/api/memory/{agent}/fork", _fork),
)
