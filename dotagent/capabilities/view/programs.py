"""Run a command of dotagent for the page in a separate process, so that the page answers meanwhile. Owns nothing on
disk."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from dotagent.errors import Trouble
from dotagent.store.home import Home

PATIENCE = 120.0  # seconds that a command may take


def rows(where: Home, name: str, *words: str) -> list[dict[str, Any]]:
    """Return the objects that a command prints as JSON. Raises Trouble with its error if it prints none."""
    told = [sys.executable, "-m", "dotagent", name, "--json", "--home", str(where.root), *words]
    try:
        done = subprocess.run(told, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        raise Trouble(f"{name} took more than {PATIENCE:.0f} seconds; run it at a terminal") from None
    found = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").split("\n") if line.startswith("{")]
    if not found:
        last = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise Trouble(last or f"{name} ended with status {done.returncode}")
    return found
