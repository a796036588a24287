"""The policy: the effects that an agent may have without asking once its context contains foreign text.

No rule interprets a sentence, because text cannot show whether a message allows an effect. approvals.py says what else
can allow it. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dotagent.life import origins
from dotagent.life.session import Session
from dotagent.store.blobs import content_id
from dotagent.text.lazy import dataclass

OTHER = "other"  # the effect of a tool that declares none
ALLOW, ASK, REFUSE = VERDICTS = ("allow", "ask", "refuse")  # from the mildest to the strictest
LONG = 60  # characters of a target in a key; a longer target is replaced by its hash


@dataclass(frozen=True)
class Act:
    """The effect of a call: its kind as in settings, its target or "", and further text for the question."""

    kind: str
    target: str
    about: str = ""

    @property
    def key(self) -> str:
        """Return the key of an `always` rule, without spaces. It is "" without a target, which allows no rule."""
        plain = self.target.replace("%", "%25").replace(" ", "%20")
        if len(self.target) > LONG or not plain.isprintable():
            plain = f"%{content_id(self.target.encode('utf-8', 'replace'))}"
        return f"{self.kind}:{plain}" if self.target else ""


def verdict(session: Session, act: Act) -> str:
    """Return whether the effect is allowed, needs a question, or is refused."""
    state, rules = session.state, session.settings.policy
    strange = origins.foreign(state.turn.whose or state.heard.origins)
    each = (find_verdict(rules, act.kind, one, state.audience == "group") for one in strange)
    found = max(each, key=VERDICTS.index, default=ALLOW)
    always = rules.get("always", True) and act.key in state.heard.always
    ruled = act.target and (always or f"{act.kind} {act.target}" in rules.get("allow", ()))
    return ALLOW if found == ASK and ruled else found


def find_verdict(table: Mapping[str, Any], kind: str, origin: str, group: bool) -> str:
    """Return the verdict of settings for an effect after text of this origin, in a group or in private."""
    row = table.get(kind, table.get("all", {}))
    said = row.get(origin) if isinstance(row, Mapping) else row
    # Notes stay with an agent that has the same text already. In a group anyone may set a reminder: the agent speaks
    # there anyway, and the effects of the reminder need a question.
    free = kind == "note" or (kind, origin, group) == ("remind", "others", True)
    return str(said) if said in VERDICTS else ALLOW if free else ASK
