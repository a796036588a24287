"""The addition of maintenance: an agent repairs its directory at a start, warns of a model that ends soon, says once
that old notes have no marks, reports copies of its rooms, keeps the sums of `usage`, and stops if another machine runs
it; `doctor` and `status` name copies of other files. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.capabilities.maintenance import moved_account, old_notes, tidy
from dotagent.capabilities.maintenance.copies import Copies
from dotagent.capabilities.maintenance.model_ends import ModelEnds
from dotagent.capabilities.maintenance.other_machine import Elsewhere
from dotagent.capabilities.maintenance.usage_sums import UsageSums
from dotagent.contract import Capability, Check, Living
from dotagent.life.session import Session
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    tidy.begin(session)
    old_notes.begin(session)
    copies, elsewhere, ends, sums = Copies(session), Elsewhere(session), ModelEnds(session), UsageSums(session)
    elsewhere.begin()
    ends.look()

    def heard(line: Line) -> None:
        elsewhere.heard(line)
        ends.heard(line)
        sums.heard(line)

    def rest() -> None:
        ends.rest()
        sums.rest()

    return Living(look=lambda: elsewhere.look() or copies.look(), sleep=sums.sleep, heard=heard, rest=rest)


def _checks() -> tuple[Check, ...]:
    from dotagent.capabilities.maintenance import document_copies, two_accounts

    return (document_copies.copies, two_accounts.accounts)


def _warnings(where: Home, settings: Settings) -> Iterator[str]:
    from dotagent.capabilities.maintenance import document_copies, two_accounts
    from dotagent.store import model_end

    yield from document_copies.warn(where, settings)
    yield from model_end.of_running(where, settings)
    yield from two_accounts.warn(where, settings)


CAPABILITY = Capability(settled=moved_account.settled, live=_live, checks=_checks, warnings=_warnings)
