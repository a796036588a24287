"""Scenes in the form that the page and an exported file draw, as JSON.

Owns `run/scenes/` in an agent's directory: the scenes that have ended, in the form for the browser. It is a cache that
may be deleted, and `forget` deletes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from dotagent.capabilities.view.frames import ContextBlock, Scene, Scenes, block, spoken
from dotagent.erasure import ledger
from dotagent.life import events, replay
from dotagent.life.events import Swap
from dotagent.life.log_repair import REQUESTS
from dotagent.store import disk, log
from dotagent.store.log import Line

GIST = 80  # characters of the words of a line of LIFE
VERSION = 4  # the version of the form of a scene
FIELDS = [one.name for one in fields(ContextBlock)]
KIND, SIZE = FIELDS.index("kind"), FIELDS.index("size")  # places in a block's row


def overview(scenes: Scenes, self_id: str, after: int = 0) -> dict[str, Any]:
    """Return what a scrubber needs before any scene: the end of LIFE in bytes, the limit, and each swap, or each one
    after a byte offset."""
    lines, begins, end = scenes.swaps(self_id)
    life = scenes.where.agent(self_id) / "LIFE.md"
    first, last = next(log.lines(life), None), next(log.backwards(life), None)
    found = [_swap(line, begin) for line, begin in zip(lines, begins, strict=True) if line.end > after]
    now = scenes.at(self_id, end).frame(end) if end else None
    limit, size = (now.limit, sum(map(now.tokens, now.entries))) if now else (scenes.limit, 0)
    return {"agent": self_id, "end": end, "limit": limit, "size": size, "swaps": found,
            "from": first.at if first else "", "to": last.at if last else ""}  # fmt: skip


def _swap(line: Line, begin: int) -> dict[str, Any]:
    event = events.parse(line)
    made = event if isinstance(event, Swap) else Swap()
    was, _, now = made.tokens.partition("->")
    sizes = [int(one) if one.isdecimal() and len(one) < 12 else None for one in (was, now)]
    return {"begin": begin, "end": line.end, "at": line.at, "why": made.why, "was": sizes[0], "now": sizes[1],
            "id": line.id, "undoes": made.undoes}  # fmt: skip


def scene(scenes: Scenes, self_id: str, offset: int) -> bytes:
    """Return the scene with the moment at this byte offset of LIFE, as JSON. Raises Misuse if LIFE is empty."""
    begin, stop, ended = scenes.bounds(self_id, offset)
    path = scenes.where.agent(self_id) / "run" / "scenes" / f"{begin}-{stop}-{scenes.limit}-{VERSION}.json"
    before = scenes.mark()
    if ended and disk.is_file(path) and not ledger.is_unfinished(scenes.where):
        return disk.read(path)
    made = json.dumps(describe_scene(scenes.at(self_id, offset)), ensure_ascii=False, separators=(",", ":"))
    data = made.encode("utf-8", "replace")
    if ended:
        disk.make_dir(path.parent, durable=False)
        disk.replace(path, data, durable=False)
        if scenes.mark() != before or ledger.is_unfinished(scenes.where):  # its text may have been deleted since
            disk.remove(path)
    return data


def describe_scene(one: Scene) -> dict[str, Any]:
    """Return a scene: its blocks in order, and its moments. At a moment, the first `count` blocks are the context.

    A moment is: the byte offset after its line, its time, its event, some words, the correction of tokens, the limit,
    the count, and the id of a request.
    """
    blocks = [row(block(entry)) for entry in one.first]
    moments, known, ratio, limit = list[list[Any]](), None, 1.0, one.setting
    for step in one.steps:
        if not isinstance(step.line, Line):
            continue
        if step.entry:
            blocks.append(row(block(step.entry)))
        line, model = step.line, step.state.model
        if model is not known:
            known, ratio, limit = model, round(model.ratio, 4), replay.limit(one.setting, step.state)
        call = line.id if line.event in REQUESTS else ""
        words = (spoken(line) or line.detail)[:GIST]
        moments.append([line.end, line.at, line.event, words, ratio, limit, len(blocks), call])
    return {"begin": one.begin, "end": one.end, "blocks": blocks, "moments": moments}


def row(one: ContextBlock) -> list[Any]:
    """Return a block as a row, in the order of its fields."""
    return [*vars(one).values()]


def frame(told_scene: Mapping[str, Any], offset: int) -> tuple[list[Any], list[list[Any]]]:
    """Return the moment of a scene at or before a byte offset, and its blocks, as the browser finds them."""
    past = [one for one in told_scene["moments"] if one[0] <= offset] or told_scene["moments"][:1]
    return past[-1], told_scene["blocks"][: past[-1][6]]
