"""The credentials of a process that may hold them: taken over without ever standing where others could read them.

No first environment of such a process shows them (it runs itself anew without, and gets them through a pipe), and its
memory is closed to its own user. Owns nothing on disk.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys

from dotagent.errors import Misuse
from dotagent.store import credentials
from dotagent.store.home import Home

PR_SET_DUMPABLE = 4


def arguments(parser: argparse.ArgumentParser) -> None:
    """How the keys come."""
    parser.add_argument(
        "--keys-on-stdin", action="store_true", help="take the credentials from stdin, as a JSON object"
    )


def take(where: Home, on_stdin: bool) -> dict[str, str]:
    """The credentials: of the caller, over those of the home's .env; no first environment of ours ever shows them.

    Raises Misuse when what stands on stdin, or the .env, is not what it should be.
    """
    clean, secrets = credentials.split_secrets(os.environ)
    if secrets:  # started by hand: hand them to ourselves through a pipe
        read, write = os.pipe()
        os.write(write, json.dumps(secrets).encode())
        os.close(write)
        os.dup2(read, 0)
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:], "--keys-on-stdin"], clean)
    _close_to_others()
    given: object = json.loads(sys.stdin.buffer.read() or b"{}") if on_stdin else {}
    if not isinstance(given, dict):
        raise Misuse("--keys-on-stdin: a JSON object of names and values")
    return {**credentials.env_file(where), **{str(name): str(value) for name, value in given.items()}}


def _close_to_others() -> None:
    """Make the process not dumpable: its memory and environment are closed to its own user too (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
