"""What capabilities say about stopped agents, and which processes `up` keeps running. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent.contract import Process, find_all, list_chosen
from dotagent.store.home import Home, Settings


def calls(where: Home, settings: Settings, self_id: str) -> str:
    """Return the work that waits for this stopped agent, in words, or "" if no capability has any."""
    return next(filter(None, (one.calls(where, self_id) for one in list_chosen(settings) if one.calls)), "")


def due(where: Home, settings: Settings, self_id: str) -> float | None:
    """Return when work for this stopped agent will appear without a change of files, as Unix time, or None."""
    found = (one.due(where, self_id) for one in list_chosen(settings) if one.due)
    return min((at for at in found if at is not None), default=None)


def watched(where: Home, self_id: str) -> Iterator[Path]:
    """Yield the folders in which new work for this stopped agent appears."""
    return (path for one in find_all().values() if one.watched for path in one.watched(where, self_id))


def processes(settings: Settings) -> tuple[Process, ...]:
    """Return the processes that `up` keeps running."""
    return tuple(process for one in list_chosen(settings) for process in one.processes)
