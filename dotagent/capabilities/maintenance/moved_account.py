"""A home that moved to a machine on which its owner's account has another name.

Without the setting `owner`, a room with the heading `private` belongs to the account that runs dotagent. After the
move, the rooms would belong to an account that the agents do not know. The first blob of each agent names the former
account, so this module writes it into the setting, once. Owns nothing on disk.
"""

from __future__ import annotations

from dotagent import errors, installed
from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.store import disk, home, lives, rooms
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import SETTINGS, Home, Settings
from dotagent.text import names
from dotagent.text.reference import short


def settled(where: Home, settings: Settings, self_id: str) -> Settings:
    """Return the settings for a start of this agent, or of a new one ("" for the id), with the owner that the rooms had
    before the home moved. Change nothing if a setting names the owner, or if an agent was created for the present
    account; then say so if this agent was created for another account."""
    if settings.owner:
        return settings
    resumes, there = bool(self_id), home.lives(where)
    self_id = self_id or next((one for one in there if person_of(where, one)), "")
    if not self_id or not (before := person_of(where, self_id)) or before == home.user():
        return settings
    if not any(_spoke(where, one, room) for one in there for room in lives.subscribed(where.agent(one))):
        return settings
    if {person_of(where, one) for one in there} - {""} != {before}:
        if resumes:
            errors.tell(
                f"agent {short(self_id)} was created for the account {before}, but private rooms now belong to your "
                f"account {home.user()}, so the agent does not read them; if you are {before}, run "
                f"`{installed.program('config')} set owner {before}`"
            )
        return settings
    from dotagent.store import settings_edit  # only here, because it loads a parser for TOML

    try:
        settings_edit.change(where, "owner", [before], lambda _: None)
    except Misuse as wrong:
        raise Misuse(
            f"the account {before} created this data directory, but your account is {home.user()}; if both are yours, "
            f'write owner = "{before}" into {SETTINGS}: dotagent could not do it ({wrong})'
        ) from None
    now = home.user()
    errors.tell(
        f"the account {before} created this data directory, but your account {f'is {now}' if now else 'has no name'}; "
        f'{SETTINGS} now contains owner = "{before}", so the private rooms stay yours'
    )
    return home.settings(where)


def person_of(where: Home, self_id: str) -> str:
    """Return the account for which a private agent was created, or "". A person of a bridge has no account."""
    try:
        kind, _, person = replay.soul(where.store(), self_id)[0].partition(" ")
    except (BlobMissing, BlobCorrupt):
        return ""
    return person if kind == "private" and not names.is_bridged(person) else ""


def _spoke(where: Home, self_id: str, room: str) -> bool:
    """Return True if the agent has spoken in this room, and the room's heading names no person."""
    try:
        path = where.room(room)
        bare = rooms.audience(path, "") == "private "
        return bare and f"[AGENT:{short(self_id)} ".encode() in disk.read(path)
    except (OSError, Misuse):
        return False
