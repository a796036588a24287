"""The additions of learning: the prompt shows what was learned, and an idle agent dreams. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from dotagent import errors
from dotagent.contract import Capability, Living
from dotagent.errors import Misuse
from dotagent.life.session import Session
from dotagent.store import home
from dotagent.store.home import Home, Settings
from dotagent.store.watch import Watcher
from dotagent.text.reference import short


def _round(where: Home, settings: Settings, now: datetime) -> Iterator[str]:
    from dotagent.capabilities.learning import night

    for self_id in home.lives(where):
        try:
            if told := night.dream_if_due(where, self_id, settings, now):
                yield told
        except (OSError, Misuse) as error:
            why = errors.line(error) if isinstance(error, OSError) else error
            yield f"the daily review (dream) of agent {short(self_id)} failed: {why}"


def _live(session: Session, watch: Watcher) -> Living:
    from dotagent.capabilities.learning.learned import LearnedTexts

    return Living(texts=LearnedTexts(session).changed_texts)


CAPABILITY = Capability(live=_live, round=_round)
