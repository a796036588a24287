"""References: `◱hash=9f8e7d6c5b4a gist=one line◲` names a blob. Only dotagent writes them: ◱ and ◲ in outside text are
replaced before it enters a prompt (see escape), so a model can trust a reference. Pure."""

from __future__ import annotations

from dotagent.text import lazy

SHORT = 12  # hex digits shown to people and models; LIFE and summaries keep all 32

ID = lazy.compile(r"[0-9a-f]{32}")
PREFIX = lazy.compile(r"[0-9a-f]{8,32}")
HEX = lazy.compile(r"[0-9a-f]{1,32}")  # a prefix of an id from a person, used only if no other form is possible


def reference(id: str, gist: str) -> str:
    """Return the reference to the blob `id`. `gist` must be one clean line (escape.one_line)."""
    return f"◱hash={id} gist={gist}◲"


def short(id: str) -> str:
    """Return the first 12 digits of an id, the form for prompts and people."""
    return id[:SHORT]
