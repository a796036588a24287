"""ROLL: dice, as people throw them."""

from __future__ import annotations

import random
import re

from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Roll dice"
USAGE = ("ROLL 2d6",)
EFFECT = ""  # no other person sees this tool's work
ORIGIN = "own"  # its results contain no text from others


def act(session: Session, call: ToolCall) -> bytes:
    """Each die, and their sum."""
    asked = re.fullmatch(r"(\d{1,2})d(\d{1,3})", call.args.strip())
    if not asked or not int(asked[1]) or not int(asked[2]):
        raise ToolError("the dice are missing: ROLL 2d6 rolls two dice with six sides each")
    dice = [random.randint(1, int(asked[2])) for _ in range(int(asked[1]))]
    return f"{' + '.join(map(str, dice))} = {sum(dice)}".encode()
