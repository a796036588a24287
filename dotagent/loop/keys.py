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
from dotagent.store import allowance, credentials, launch, variables
from dotagent.store.home import Home, Settings


def provider(where: Home, settings: Settings, wanted: str, life: str) -> str:
    """Choose the provider and start it with its keys, unless the program that started this one did so. `life` is the
    agent's id, or "" for a new agent. Return the chosen one.

    Adds the variables to the environment that the settings name.
    """
    handed, pipe = os.environ.pop(launch.HANDED, ""), variables.pipe()
    if pipe is None and (handed or not os.path.lexists(where.root / ".env")):
        return handed or _started(where, settings, wanted, life)

    def known() -> dict[str, str]:
        credentials.close()
        if pipe is not None:
            from dotagent.store import aliases

            os.environ.update(variables.received(pipe))
            aliases.adopt(os.environ)
        chosen = handed or _started(where, settings, wanted, life)
        clean, _ = variables.split(os.environ, settings.environment)
        return {**clean, launch.HANDED: chosen}

    os.environ.update(_run_in_child(known, pipe))
    return os.environ.pop(launch.HANDED)


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


def _started(where: Home, settings: Settings, wanted: str, life: str) -> str:
    """Choose the provider, or a local server that answers if none is set up. Start it with its keys, and start its
    fallbacks and the provider of background calls. Return the chosen one."""
    known = {**credentials.env_file(where), **os.environ}
    set_there = {credentials.variable(name, "API_BASE"): str(settings.providers.get(name, {}).get("base") or "")
                 for name in launch.OWN}  # fmt: skip
    chosen = launch.choose(where, wanted, {**set_there, **known})
    near = launch.nearby(settings.nearby) if chosen == launch.LAST and not wanted else None
    if near:
        chosen, base = near
        os.environ[credentials.variable(chosen, "API_BASE")] = base  # for the process that restarts the provider
    instead = allowance.fallback(settings.fallback, settings.agents, life)
    beside = str(settings.background.get("provider") or chosen)
    for name in dict.fromkeys((chosen, *(launch.choose(where, one, {}) for one in (*instead, beside)))):
        launch.ensure(where, name, {**known, **os.environ})
    return chosen
