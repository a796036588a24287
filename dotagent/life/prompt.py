"""The prompt: what a model sees of the head of a life and of each entry of its context."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template

from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.life.events import Faint, Reply
from dotagent.store.requests import Part
from dotagent.text import escape
from dotagent.text.reference import reference, short

HARNESS = Template((Path(__file__).parent / "HARNESS.md").read_text("utf-8"))


def system(soul: str, documents: Mapping[str, str], facts: Mapping[str, str]) -> list[Part]:
    """The head of every prompt of a life: SOUL, the references to its compaction prompts, the harness's facts."""
    segment = reference(short(documents["SEGMENT.md"]), "SEGMENT.md: how I find the chunks to forget")
    summarise = reference(short(documents["SUMMARISE.md"]), "SUMMARISE.md: how I sum a chunk up")
    known = {name: fact if name == "tools" else escape.outside(fact.encode()) for name, fact in facts.items()}
    texts = [escape.outside(soul.encode()), segment, summarise, HARNESS.substitute(known)]
    return [Part("system", text.strip("\n")) for text in texts]


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
    if (
        entry.event == Faint.WORD
    ):  # the harness's own words, with references; what it quotes was escaped when it was made
        return context.head(entry) + "\n" + escape.indent(content.decode("utf-8", "replace"))
    return context.head(entry) + "\n" + escape.indent(escape.outside(content))
