"""Create drafts of character files, or recreate missing files.

A character file describes an agent or you. In a home without any agent, the command creates SOUL.md, AGENTS.md,
IDENTITY.md, USER.md, TOOLS.md and HEARTBEAT.md. Edit these files: each new agent gets a copy of them, but only your
private agents get USER.md. If an agent exists, the command creates the agent's missing files again: SOUL.md in its
current version, and the others from their templates. The command never creates BOOTSTRAP.md again, and never changes an
existing file.
"""

from __future__ import annotations

import argparse

from dotagent import commands, installed
from dotagent.errors import Trouble
from dotagent.life import persona
from dotagent.life.replay import derive
from dotagent.store import bootstrap, disk, home
from dotagent.store.blobs import BlobCorrupt, BlobMissing

GROUP = "setup"
arguments = commands.life_argument


def run(asked: argparse.Namespace) -> int:
    """Create the files, and print a line for each."""
    where = home.find(asked.home)
    home.prepare(where)
    settings = home.settings(where)
    if not (asked.self or asked.last or home.lives(where)):
        for name in bootstrap.DRAFTS:
            path = where.draft(name)
            disk.make_dir(path.parent)
            if disk.create(path, bootstrap.template(name)):
                print(f"created {path}")
        create = f"`{installed.program('agent')}{where.flag}` creates an agent with copies of these files"
        print(f"{where.root} is now a data directory. Edit SOUL.md and these files, then {create}")
        return 0
    self_id = commands.life_of(asked, where)
    state, directory = derive(where, self_id, settings.context_limit).state, where.agent(self_id)
    if not state.audience:
        raise Trouble(
            f"agents/{self_id} was never started; start it with "
            f"`{installed.program('agent')} {self_id[:12]}{where.flag}`"
        )
    try:
        soul = persona.soul(where.store(), self_id, state)
    except (BlobMissing, BlobCorrupt) as lost:
        raise Trouble(
            f"the character (SOUL) of agent {self_id[:12]} is lost ({lost}); restore it from a backup"
        ) from None
    made = list(bootstrap.seed(directory, state.audience, soul))
    for name in made:
        print(f"created {directory / name}")
    there = [
        name for name in bootstrap.visible_files(state.audience) if name not in made and (directory / name).exists()
    ]
    print(f"unchanged: {', '.join(there)}" if there else "no existing file was changed")
    return 0
