"""`python -m dotagent.packs HOME AGENT ID` answers an agent's calls to a pack; agents start it. `… HOME learn ID` asks
the pack once for its tools, which it prints as JSON."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.packs import serve
from dotagent.store import packs as installed
from dotagent.store.home import Home


def main() -> int:
    """Serve, then leave; or tell."""
    where, self_id, id = Home(Path(sys.argv[1])), sys.argv[2], sys.argv[3]
    if self_id != "learn":
        serve.serve(where, self_id, id)
        return 0
    told: dict[str, object]
    with tempfile.TemporaryDirectory(prefix="dotagent-pack-") as data:
        try:
            told = {"tools": [asdict(one) for one in serve.learn(where, installed.read(where, id), Path(data))]}
        except (Trouble, OSError) as why:
            told = {"error": str(why)}
    json.dump(told, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
