"""`/persona …` by the owner in a private room of the owner: dotagent itself answers there, and no model is asked.

Anyone else gets the advice to ask the owner, because the answer shows the identity and the owner's words, and may
change the identity. The answer is a `TELL` in LIFE, with between its lines because a detail is one line. Owns nothing
on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dotagent.errors import Trouble
from dotagent.life import candidates, persona_answers
from dotagent.life.events import NEXT
from dotagent.life.session import Session
from dotagent.store import bootstrap, disk, display
from dotagent.text import claims, escape

MOST = 1500  # characters of an answer
REFUSED = (
    "(only the owner can use /persona, under the owner's own name in a private room of the owner. If you are another "
    "person, ask the owner)"
)
RECENT = 10  # revisions, or candidates, that are listed
_SAID = re.compile(r"/persona(?:\s+([a-z]+))?(?:\s+(\S{1,20}))?\s*", re.ASCII)


def answer(session: Session, who: str, said: str) -> str:
    """Return the answer to a person's message, or "" if the message is for the agent."""
    asked = _SAID.fullmatch(said)
    if not asked:
        return ""
    if not session.is_owner_alone(who):
        return REFUSED
    try:
        what, which = asked[1] or "show", asked[2] or ""
        answers = persona_answers.lines(session.home, session.id, what, which, RECENT)
        lines = list(_show(session) if what == "show" else answers)
    except (Trouble, OSError) as wrong:
        lines = [str(wrong)]
    clean = NEXT.join(escape.one_line(line, 400) for line in lines)
    return f"({escape.one_line(clean, MOST)})"


def _show(session: Session) -> Iterator[str]:
    """Yield the agent's name, the claims in IDENTITY and USER, and the number of waiting candidates."""
    yield display.make_label(session.home, session.settings, session.id)
    for name in bootstrap.PERSONA:
        path = session.path / name
        text = disk.read(path).decode("utf-8", "replace") if disk.is_file(path) else ""
        said = [made.told for line in text.split("\n") if (made := claims.read(line))]
        yield f"{name}: {'; '.join(said) or 'nothing yet'}"
    if waits := len(candidates.list_candidates(session.home, session.id, "pending")):
        yield f"{waits} proposed additions are waiting for you: /persona candidates pending"
    yield persona_answers.USAGE
