"""References: `◱hash=9f8e7d6c5b4a gist=one line◲` names a blob. Only the harness writes them; text from outside has
its ◱ and ◲ replaced where it enters a prompt (see escape), so what a model sees as a reference is one."""

from __future__ import annotations

import re

SHORT = 12  # hex digits shown to people and models; LIFE and trees keep all 32

ID = re.compile(r"[0-9a-f]{32}")
PREFIX = re.compile(r"[0-9a-f]{8,32}")


def reference(id: str, gist: str) -> str:
    """The reference to the blob `id`; `gist` must be one clean line (escape.one_line)."""
    return f"◱hash={id} gist={gist}◲"


def short(id: str) -> str:
    """The first 12 digits of an id: what prompts and people see."""
    return id[:SHORT]
