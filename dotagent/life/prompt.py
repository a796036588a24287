"""The prompt: what a model sees of the head of a life and of each entry of its context."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.life.events import Faint, Reply
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


def parts(entry: Entry) -> list[Part]:
    """What a model sees of an entry: its head above its content; a reply as its own words, its head after them."""
    if entry.event != Reply.WORD:
        return [Part("user", shown(entry))]
    mine = entry.content or b""
    text = escape.outside(mine)
    if not text.strip():
        return [Part("user", context.head(entry))]
    same = entry.whole and text.encode() == mine
    words = Part("assistant", text, blob=entry.line.id if same else "")
    return [words, Part("user", context.head(entry))]


def shown(entry: Entry) -> str:
    """The entry as text in a user's message: nothing in its content can be taken for a line of ours."""
    if entry.content is None:
        return context.head(entry)
    content = entry.content.removesuffix(b"\n")
    mine = entry.event == Faint.WORD  # the harness's own references; those in what it quotes were replaced before
    text = escape.printable(content.decode("utf-8", "replace")) if mine else escape.outside(content)
    return context.head(entry) + "\n" + escape.indent(text)
