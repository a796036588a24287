"""`python -m dotagent.capabilities.toolpacks HOME AGENT ID` answers an agent's calls to a pack. `… HOME
learn ID` lists the pack's tools once, as JSON. Owns nothing on disk."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from dotagent import errors
from dotagent.capabilities.toolpacks import packs as installed
from dotagent.capabilities.toolpacks import serve
from dotagent.errors import Trouble
from dotagent.store.home import Home


def main() -> int:
    """Serve calls until idle, or print the tools."""
    where, self_id, id = Home(Path(sys.argv[1])), sys.argv[2], sys.argv[3]
    if self_id != "learn":
        serve.serve(where, self_id, id)
        return 0
    told: dict[str, object]
    with tempfile.TemporaryDirectory(prefix="dotagent-pack-") as data:
        try:
            tools, left = serve.learn(where, installed.read(where, id), Path(data))
            told = {"tools": [asdict(one) for one in tools], "left": left}
        except (Trouble, OSError) as why:
            told = {"error": str(why)}
    json.dump(told, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
