"""Start processes of dotagent, and let them continue without us. Owns nothing on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dotagent.installed import CODE

if TYPE_CHECKING:
    import subprocess

_left: list[subprocess.Popen[bytes]] = []  # children that continue without us


def start(
    words: Sequence[str],
    out: int,
    *,
    err: int | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | None = None,
    held: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start one of dotagent's programs in a separate session. It writes to the descriptor `out` and inherits `held`."""
    import subprocess  # 5 ms, and few processes start others

    return subprocess.Popen(
        words, cwd=CODE, env=env, stdin=subprocess.DEVNULL if stdin is None else stdin, stdout=out,
        stderr=out if err is None else err, pass_fds=held, start_new_session=True,
    )  # fmt: skip


def leave(child: subprocess.Popen[bytes]) -> None:
    """Let a process continue without us, and reap earlier processes that have ended."""
    _left[:] = [one for one in (*_left, child) if one.poll() is None]


def no_hook() -> dict[str, str]:
    """Return this environment without git's hook variables, so that git works in the directory that it is given."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
