"""The prompt: what a model sees of the head of a life and of each entry of its context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from dotagent.life import heads
from dotagent.life.context import Entry
from dotagent.life.events import Reply
from dotagent.store.requests import Part
from dotagent.text import escape
from dotagent.text.reference import reference, short

_HEAD = re.compile(r"^(?=[^\w\s]*#\d)", re.MULTILINE)
HARNESS = Template((Path(__file__).parent / "HARNESS.md").read_text("utf-8"))


def system(soul: str, documents: Mapping[str, str], facts: Mapping[str, str]) -> list[Part]:
    """The head of every prompt of a life: SOUL, the references to its compaction prompts, the harness's facts."""
    segment = reference(short(documents["SEGMENT.md"]), "SEGMENT.md: how I find the chunks to forget")
    summarise = reference(short(documents["SUMMARISE.md"]), "SUMMARISE.md: how I sum a chunk up")
    known = {name: escape.outside(fact.encode("utf-8", "replace")) for name, fact in facts.items()}
    texts = [instruction(soul.encode("utf-8", "replace")), segment, summarise, HARNESS.substitute(known)]
    return [Part("system", text.strip("\n")) for text in texts]


def instruction(body: bytes) -> str:
    """A document that tells the model what to do. So it stands at the left edge, and only there is a line of it that
    could be taken for an entry's head indented."""
    return _HEAD.sub(escape.INDENT, escape.outside(body))


def parts(entries: Sequence[Entry], start: int = 0) -> list[Part]:
    """What a model sees of the entries from `start` on: a reply as its own words and nothing around them."""
    return [_part(entry, text) for entry, text in heads.shown(entries, start) if text.strip()]


def _part(entry: Entry, text: str) -> Part:
    if entry.event != Reply.WORD:
        return Part("user", text, media=entry.media)
    same = entry.whole and text.encode() == entry.content
    return Part("assistant", text, blob=entry.line.id if same else "")
