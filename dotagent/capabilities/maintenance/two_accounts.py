"""A home that machines of two accounts share, and that has no setting `owner`. `doctor` and `status` name the accounts.
Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent import installed
from dotagent.capabilities.maintenance import moved_account
from dotagent.doctor import Finding, warning
from dotagent.store import home
from dotagent.store.home import SETTINGS, Home, Settings


def warn(where: Home, settings: Settings) -> Iterator[str]:
    """Yield a line if agents here were created for several accounts, as on a home that machines of two accounts
    share, and no setting names the owner: the rooms with the heading `private` then change hands with the machine."""
    accounts = sorted({moved_account.person_of(where, one) for one in home.lives(where)} - {""})
    if len(accounts) > 1 and not settings.owner:
        yield (
            f"agents here were created for the accounts {' and '.join(accounts)}, and each reads private rooms only on "
            f"a machine with its own account: `{installed.program('config')} set owner NAME` sets one owner everywhere"
        )


def accounts(where: Home) -> Iterator[Finding]:
    """Check that all private rooms have one owner, on whatever machine."""
    for told in warn(where, home.settings_now(where, Settings())):
        yield warning(told, SETTINGS, "set `owner`")
