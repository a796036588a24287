"""One request as JSON on stdin, one answer as JSON on stdout: `{"shown": …}`, or `{"error": …}` in words for the agent.

`{"url": …, "near": […]}` asks for a page, `{"words": …, "engine": …, "base": …, "home": …, "near": […]}` for a search,
whose key is read here, from the home's .env. Owns nothing on disk.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.store import credentials
from dotagent.store.home import Home

try:
    from dotagent.web import asking
except ImportError as error:
    json.dump({"error": f"{error.name} is missing here: my person gets it by pip install 'dotagent[web]'"}, sys.stdout)
    sys.exit()

MEMORY = 1 << 30  # bytes of address space
BUSY = 20  # seconds of computing
KEY = "BRAVE_API_KEY"


def main() -> None:
    """Ask, and answer."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (BUSY, BUSY))
    asked = json.load(sys.stdin)
    try:
        shown = asking.fetch(asked["url"], asked["near"]) if "url" in asked else _search(asked)
        told = {"shown": shown}
    except (asking.NoPage, Misuse) as error:
        told = {"error": str(error)}
    except MemoryError:
        told = {"error": "the page is too large to be read"}
    json.dump(told, sys.stdout)


def _search(asked: dict[str, str]) -> str:
    key = ""
    if asked["engine"] == "brave":
        key = credentials.env_file(Home(Path(asked["home"]))).get(KEY, "")
        if not key:
            raise asking.NoPage(f"Brave's search needs a key: put {KEY}=… into the .env of the home")
    return asking.search(asked["words"], asked["engine"], asked["base"], key, asked["near"])


if __name__ == "__main__":
    main()
