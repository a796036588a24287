"""One request as JSON on stdin, one answer as JSON on stdout: `{"shown": …}`, or `{"error": …}` with text for the
agent.

`{"url": …, "near": […]}` requests a page, `{"words": …, "engine": …, "base": …, "home": …, "near": […]}` a search,
whose key is read from the home's .env. Owns nothing on disk.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from dotagent import packages
from dotagent.errors import Misuse
from dotagent.store import credentials
from dotagent.store.home import Home

try:
    from dotagent.capabilities.web import requests
except ImportError as error:
    json.dump({"error": f"{packages.lacks(error)}; ask the owner to do this"}, sys.stdout)
    sys.exit()

MEMORY = 1 << 30  # bytes of address space
BUSY = 20  # seconds of computing
(KEY,) = credentials.SEARCH_KEYS


def main() -> None:
    """Read the request, and write the answer."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (BUSY, BUSY))
    asked = json.load(sys.stdin)
    try:
        shown = requests.fetch(asked["url"], asked["near"]) if "url" in asked else _search(asked)
        told: dict[str, object] = {"shown": shown}
    except (requests.NoPage, Misuse) as error:
        told = {"error": str(error), "quoted": getattr(error, "quoted", False)}
    except MemoryError:
        told = {"error": "the page is too large to be read"}
    json.dump(told, sys.stdout)


def _search(asked: dict[str, str]) -> str:
    key = ""
    if asked["engine"] == "brave":
        key = credentials.env_file(Home(Path(asked["home"]))).get(KEY, "")
        if not key:
            raise requests.NoPage(f"Brave's search needs a key: put {KEY}=… into .env in dotagent's data directory")
    return requests.search(asked["words"], asked["engine"], asked["base"], key, asked["near"])


if __name__ == "__main__":
    main()
