"""`forget that …`, or `/forget …`, said in a private room: the harness shows what tells of it, and a yes removes it.

No model is asked. After a yes it is announced, and the life ends to begin anew in the same process, since it has the
words in mind; that does it, and then the room is told. Owns `run/forget` in the agent's directory, what waits for an
answer there, and removes `run/anew`, another process's wish that it begin anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from dotagent.forgetting import finding, sweep
from dotagent.life.session import Session
from dotagent.loop.bounds import NEXT
from dotagent.store import bootstrap, disk
from dotagent.text import escape, passages
from dotagent.text.sizes import plural

SHOWN = 10  # sentences that are told
HOW = "say yes to remove this for good, from everything, or the numbers of those you mean; anything else leaves all"

_PLAIN = re.compile(r"(?is)(?:please,? )?forget (?:that|what (?:i|you) said about) \S.*|vergiss(?: bitte)?,? dass \S.*")
_SLASH = re.compile(r"(?is)/forget\b\s*(.*)")
_NUMBERS = re.compile(r"\d{1,4}(?:[\s,]+(?:and\s+)?\d{1,4})*")
_YES, _NO = ("yes", "y", "ja"), ("no", "n", "nein")


def wished(session: Session) -> bool:
    """Whether another process wishes that this life begin anew; then it does."""
    if not disk.remove(session.path / sweep.ANEW):
        return False
    session.leaving = session.anew = True
    return True


def answer(session: Session, room: str, said: str) -> str:
    """What the room is told for these words of a person; "" where they are for the agent."""
    if bootstrap.kind(session.state.audience) != "private":
        return ""
    waiting = session.path / "run" / "forget"
    asked = _SLASH.fullmatch(said.strip())
    words = asked[1].strip() if asked else said.strip()
    if disk.is_file(waiting):
        told = json.loads(disk.read(waiting))
        disk.remove(waiting)
        if told["room"] == room and (answered := _answered(session, told, words.lower().strip(" .!"))):
            return f"({answered})"
    if not words or not (asked or _PLAIN.fullmatch(words)):
        return "(forget what? /forget that my PIN at the bank is 4711)" if asked else ""
    return _find(session, room, words, plain=not asked)


def _find(session: Session, room: str, words: str, *, plain: bool) -> str:
    """What tells of it, for its person to choose from."""
    own = passages.Passages([words])
    found = [one.words for one in finding.find(session.home, words) if not own.tell(one.words)]
    if not found:
        return "" if plain else "(nothing tells of that)"
    waiting = {"room": room, "found": found, "asked": words}
    disk.replace(session.path / "run" / "forget", json.dumps(waiting).encode())
    lines = [f"{number}: {escape.one_line(one, 120)}" for number, one in enumerate(found[:SHOWN], 1)]
    more = [f"and {len(found) - SHOWN} more, that the command `forget` lists"] if len(found) > SHOWN else []
    return f"({NEXT.join([*lines, *more, HOW])})"


def _answered(session: Session, told: Mapping[str, Any], said: str) -> str:
    """Do what its person says to what was shown; what the room is told, "" when this was no answer."""
    found = [str(one) for one in told["found"]]
    if said in _NO:
        return "nothing was forgotten"
    if said not in _YES and not _NUMBERS.fullmatch(said):
        return ""
    meant = range(1, len(found) + 1) if said in _YES else map(int, re.findall(r"\d+", said))
    chosen = [found[number - 1] for number in meant if 0 < number <= len(found)]
    if not chosen:
        return "nothing was forgotten: that is no number of the list"
    sweep.announce(session.home, [*chosen, str(told["asked"])], session.owner)
    session.leaving = session.anew = True
    return f"forgotten for good: {plural(len(chosen), 'sentence')}"
