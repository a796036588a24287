"""Put back what an agent's directory lacks of its bootstrap files: SOUL.md, AGENTS.md, IDENTITY.md, USER.md …

A file that is there is never touched. SOUL.md comes back in the version that holds, the others as a new agent gets
them; BOOTSTRAP.md does not, for who removed it has met its person. In a home without any agent it makes the home.
"""

from __future__ import annotations

import argparse

from dotagent import commands, installed
from dotagent.errors import Trouble
from dotagent.life import persona
from dotagent.life.replay import derive
from dotagent.store import bootstrap, home
from dotagent.store.blobs import BlobCorrupt, BlobMissing


def arguments(parser: argparse.ArgumentParser) -> None:
    """Whose."""
    commands.life_argument(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a file that was made."""
    where = home.find(asked.home)
    home.prepare(where)
    settings = home.settings(where)
    if not (asked.self or asked.last or home.lives(where)):
        born = f"`{installed.typed('agent')}{where.flag}` lets an agent be born"
        print(f"{where.root} is a home; {born}, with all of its files")
        return 0
    self_id = commands.life_of(asked, where)
    state, directory = derive(where, self_id, settings.context_limit).state, where.agent(self_id)
    if not state.audience:
        raise Trouble(
            f"agents/{self_id} was never lived: `{installed.typed('agent')} {self_id[:12]}{where.flag}` begins it"
        )
    try:
        soul = persona.soul(where.store(), self_id, state)
    except (BlobMissing, BlobCorrupt) as lost:
        raise Trouble(f"the SOUL of agent {self_id[:12]} is lost: {lost}: bring it back from a backup") from None
    made = list(bootstrap.seed(directory, state.audience, soul))
    for name in made:
        print(f"made {directory / name}")
    there = [name for name in bootstrap.seen(state.audience) if name not in made and (directory / name).exists()]
    print(f"there already: {', '.join(there)}" if there else "none was there before")
    return 0
