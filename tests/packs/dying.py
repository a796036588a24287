"""A life that calls a tool of a pack, to be killed over it and to be resumed: `python dying.py HOME`."""

from __future__ import annotations

import sys
from pathlib import Path

from world import world

from dotagent.store.requests import ChatMessage

CALL = 'USE_TOOL marks.mark {"of": "one"}'


def model(messages: list[ChatMessage], call: object) -> str:
    """Call it once, then say so."""
    called = any(one["role"] == "assistant" and CALL in one["content"] for one in messages)
    return "all done" if called else CALL


if __name__ == "__main__":
    with world(Path(sys.argv[1]), model) as here:
        here.say("mark it")
        here.run()
