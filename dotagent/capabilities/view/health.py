"""The part of the page about health: the output of `doctor` and `status`, and the questions that wait for a yes. Both
commands run in separate processes, so that the page answers meanwhile. Owns nothing on disk."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from dotagent.capabilities.view import asking, messages, programs
from dotagent.capabilities.view.route import PageRequest, Part, Reads
from dotagent.store import display, home
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import escape


def _findings(asked: PageRequest) -> list[dict[str, Any]]:
    return programs.rows(asked.where, "doctor")


def _status(asked: PageRequest) -> dict[str, Any]:
    """Return the rows of `status`, and the questions that wait for a person."""
    return {"rows": programs.rows(asked.where, "status"), "questions": _questions(asked.where)}


def _questions(where: Home) -> list[dict[str, Any]]:
    """Return every open question of an agent to its person, with its text and its buttons."""
    settings, store, found = home.settings(where), where.store(), list[dict[str, Any]]()
    for self_id, one in asking.find_questions(where):
        with suppress(BlobMissing, BlobCorrupt):  # doctor reports it
            words = escape.printable(store.get(one.words).body.decode("utf-8", "replace"))
            found.append({"agent": display.make_label(where, settings, self_id), "room": one.room,
                          "at": one.at, "words": words, **messages.format_question(one)})  # fmt: skip
    return found


PART: Part = (Reads("/api/health/findings", _findings), Reads("/api/health/status", _status))
