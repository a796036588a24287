"""What the commands print of a life."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from typing import Any

from world import World

from dotagent import commands
from dotagent.store.home import Home

LIMIT = 2500
SEAT = "The violin lesson is at Malmö harbour, ask for Dr. Okonkwo."


def printed(where: Home, name: str, *words: str) -> str:
    """What a command prints that ends well."""
    with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")) as out:
        assert commands.run(name, ["--home", str(where.root), *words]) == 0
    out.seek(0)
    return out.read()


def told(lived: World, name: str, *words: str) -> str:
    """What a command prints of this life."""
    return printed(lived.where, name, lived.session.id[:12], *words)


def rows(text: str) -> list[Any]:
    """The objects that a command printed with --json."""
    return [json.loads(line) for line in text.split("\n")[:-1]]
