"""Watching from an event loop: it goes on where the system has no watch left, and says so once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import PATIENCE, ROOT, environment

from dotagent.store import watch

WATCHES = """
import asyncio, sys
from pathlib import Path
from dotagent.store.loop_watch import LoopWatcher

async def main() -> None:
    there = Path(sys.argv[1])
    loop, changed, told = asyncio.get_running_loop(), asyncio.Event(), list[str]()
    for late in (False, True):
        watcher = LoopWatcher(told.append)
        if not late:
            watcher.names(there)
            watcher.content(there / "one")
        loop.add_reader(watcher.fileno(), changed.set)
        if late:
            watcher.names(there)
            watcher.content(there / "one")
        for _ in range(2):
            changed.clear()
            watcher.wait(0)
            (there / "one").write_text("more")
            await asyncio.wait_for(changed.wait(), 60)
        loop.remove_reader(watcher.fileno())
        watcher.close()
    print(len(told), *told)

asyncio.run(main())
"""


def limited(limits: dict[str, int], *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a user namespace with these limits."""
    given = "".join(f"echo {most} > /proc/sys/user/max_inotify_{name} && " for name, most in limits.items())
    line = ["unshare", "-Ur", "sh", "-c", f'{given}exec "$0" "$@"', sys.executable, *words]
    return subprocess.run(line, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only there watches run out by themselves")
@pytest.mark.parametrize(
    ("limits", "why"),
    [({}, ""), ({"instances": 0}, "max_user_instances"), ({"watches": 1}, "max_user_watches")],
)
def test_an_event_loop_wakes_whatever_watches_are_left(tmp_path: Path, limits: dict[str, int], why: str) -> None:
    (tmp_path / "one").touch()
    done = limited(limits, "-c", WATCHES, str(tmp_path))
    if "unshare failed" in done.stderr:
        pytest.skip("this system lets nobody make a user namespace")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 " if why else "0") and why in done.stdout
    assert not done.stderr
    assert not why or f"every {watch.INTERVAL:g} s" in done.stdout
