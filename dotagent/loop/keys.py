"""Starting the provider of an agent with its keys, which the agent's own process never reads.

The keys are in the variables that agent.py shed at its start (store/variables.py), or in the home's `.env`. A forked
child reads both, starts the provider and ends. Owns nothing on disk.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

from dotagent import errors
from dotagent.errors import Misuse, Trouble
from dotagent.store import provider_status, variables
from dotagent.store.home import Home, Settings


def provider(where: Home, settings: Settings, wanted: str, life: str) -> str:
    """Choose the provider and start it with its keys, unless the program that started this one did so. `life` is the
    agent's id, or "" for a new agent. Return the chosen one.

    Adds the variables to the environment that the settings name.
    """
    handed, pipe = os.environ.pop(provider_status.HANDED, ""), variables.pipe()
    if pipe is None and handed:
        return handed

    def known() -> dict[str, str]:
        from dotagent.store import credentials, launch  # in the child alone

        credentials.close()
        if pipe is not None:
            from dotagent.store import aliases

            os.environ.update(variables.received(pipe))
            aliases.adopt(os.environ)
        chosen = handed or launch.start_all(where, settings, wanted, life)
        clean, _ = variables.split(os.environ, settings.environment)
        return {**clean, provider_status.HANDED: chosen}

    os.environ.update(_run_in_child(known, pipe))
    return os.environ.pop(provider_status.HANDED)


def _run_in_child(task: Callable[[], dict[str, str]], pipe: int | None) -> dict[str, str]:
    """Return what the task returns in a forked child, and close the pipe that only the child reads. Raises Trouble as
    the task does."""
    read, write = os.pipe()
    if not (child := os.fork()):
        told: tuple[int, object]
        try:
            told = 0, task()
        except Trouble as trouble:
            told = trouble.status, str(trouble)
        except OSError as error:
            told = Trouble.status, errors.line(error)
        with os.fdopen(write, "wb") as file:
            file.write(json.dumps(told).encode())
        os._exit(0)
    os.close(write)
    if pipe is not None:
        os.close(pipe)
    with os.fdopen(read, "rb") as file:
        said = file.read()
    os.waitpid(child, 0)
    if not said:
        sys.exit(Trouble.status)  # the child has shown its error
    status, found = json.loads(said)
    if status:
        raise Misuse(found) if status == Misuse.status else Trouble(found)
    return dict(found)
