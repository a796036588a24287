"""The prompt: the text that a model gets for an agent's head and for each entry of its context. Owns
nothing on disk."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.life.events import Reply
from dotagent.store.requests import Part
from dotagent.text import escape, lazy
from dotagent.text.reference import reference, short

_HEAD = lazy.compile(r"^(?=[^\w\s]*#\d)", re.MULTILINE)
HARNESS = Template((Path(__file__).parent / "HARNESS.md").read_text("utf-8"))


def system(soul: str, documents: Mapping[str, str], facts: Mapping[str, str]) -> list[Part]:
    """Return the head of each prompt: SOUL, the references to the compaction prompts, and dotagent's facts."""
    segment = reference(short(documents["SEGMENT.md"]), "SEGMENT.md: how I find the chunks to forget")
    summarise = reference(short(documents["SUMMARISE.md"]), "SUMMARISE.md: how I sum a chunk up")
    known = {name: escape.outside(fact.encode("utf-8", "replace")) for name, fact in facts.items()}
    texts = [instruction(soul.encode("utf-8", "replace")), segment, summarise, HARNESS.substitute(known)]
    return [Part("system", text.strip("\n")) for text in texts]


def instruction(body: bytes) -> str:
    """Return the text of a document with instructions. It is not indented, except for lines that could be taken for an
    entry's head."""
    return _HEAD.sub(escape.INDENT, escape.outside(body))


def parts(entries: Sequence[Entry], start: int = 0) -> list[Part]:
    """Return the parts of the entries from `start` on. A reply is only the model's own text."""
    from dotagent.life import heads  # loaded with the first request

    return [_part(entry, text) for entry, text in heads.render_entries(entries, start) if text.strip()]


def new_parts(entries: Sequence[Entry], asked: int) -> list[Part]:
    """Return the parts of the entries from `asked` on, in the order of a prompt, without a walk over those before."""
    from dotagent.life import heads

    first = heads.find_head(entries, asked)
    return parts([*entries[first:asked], *context.in_prompt_order(entries[asked:])], asked - first)


def _part(entry: Entry, text: str) -> Part:
    if entry.event != Reply.WORD:
        return Part("user", text, media=entry.media)
    same = entry.whole and text.encode() == entry.content
    return Part("assistant", text, blob=entry.line.id if same else "")
