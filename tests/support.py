"""What tests share: homes that vanish, agents and providers as real processes, and waiting for files without sleeping."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from dotagent import home, watch
from dotagent.home import Home

ROOT = Path(__file__).resolve().parent.parent
T = TypeVar("T")


def make_home(path: Path) -> Home:
    """A prepared home at the path."""
    where = Home(path)
    home.prepare(where)
    return where


def environment(where: Home | None = None, **more: str) -> dict[str, str]:
    """A process's environment without anything of the machine's own settings."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    named = {"DOTAGENT_HOME": str(where.root)} if where else {}
    return {**kept, "USER": "ana", "PYTHONPATH": str(ROOT), **named, **more}


def spawn(where: Home, *words: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start one of our programs (`agent.py …`, or `-m dotagent …`) in a home; its output is piped."""
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment(where, **(env or {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(where: Home, *words: str, env: Mapping[str, str] | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run one of our programs to its end, at most a minute."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment(where, **(env or {})),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def until(look: Callable[[], T | None], directory: Path, seconds: float = 20.0) -> T:
    """What `look` returns once it is neither None nor False; it looks when a name in the directory or a file changes."""
    watcher = watch.watcher()
    watcher.names(directory)
    for path in directory.iterdir():
        if path.is_file():
            watcher.content(path)
    end = time.monotonic() + seconds
    try:
        while True:
            found = look()
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(f"nothing came within {seconds} s; {directory} holds {sorted(os.listdir(directory))}")
            watcher.wait(0.25)
    finally:
        watcher.close()
