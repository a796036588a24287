"""Power cuts, replayed: a conversation is lived with every change to the disk seen, the power goes at each of them, and
each time the life goes on from what was left.

The tests do this with one seed (tests/test_crash.py); here each round has another, so each finds other parts of what
was never synced on the disk: the strict cut leaves none of it, the other any part, whatever was written first. What is
wrong is printed with the seed: exit status 1.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager

import common

_CONFIGURED = tomllib.loads((common.ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
sys.path[:0] = [str(common.ROOT / folder) for folder in _CONFIGURED["pythonpath"]]

import crash  # type: ignore[import-not-found]  # noqa: E402  tests are no package
import test_crash  # type: ignore[import-not-found]  # noqa: E402
from deaths import POWER  # type: ignore[import-not-found]  # noqa: E402

_, STRICT, ANY_ORDER = POWER


@contextmanager
def to(file: int) -> Iterator[None]:
    """Let what this process and its children print go there: a thousand resumed lives have much to say."""
    before = [os.dup(fd) for fd in (1, 2)]
    try:
        for fd in (1, 2):
            os.dup2(file, fd)
        yield
    finally:
        for fd, old in zip((1, 2), before, strict=True):
            os.dup2(old, fd)
            os.close(old)


def main() -> int:
    """Cut, round after round, and tell what was wrong."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--rounds", type=int, default=5, help="how many seeds for cuts in any order")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no round begins after so many seconds")
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(1, 10**6), help="before that of the first round"
    )
    asked = parser.parse_args()
    os.environ.update(common.environment())  # the life is this process, not one that it starts
    began, rows = time.monotonic(), list[list[object]]()
    for number in range(asked.rounds + 1):  # a strict cut has no chance in it: once is enough
        power, seed, took = ANY_ORDER if number else STRICT, asked.seed + number, time.monotonic()
        if number and took - began > asked.seconds:
            break
        with tempfile.TemporaryFile("w+") as said:
            try:
                with to(said.fileno()):
                    crash.survives(test_crash.everywhere, "cuts", power, seed)
            except AssertionError as wrong:
                said.seek(0)
                print(f"{said.read()[-5000:]}\n{power}, seed {seed}: {wrong}", file=sys.stderr)
                return 1
        rows.append([power, seed, f"{time.monotonic() - took:.0f}"])
    common.table("Cut at every change to the disk, and nothing lost or done twice", ["power", "seed", "seconds"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
