"""`python -m dotagent.hooks HOME AGENT`: run what waits of this agent's hooks; agents start it."""

from __future__ import annotations

import sys
from pathlib import Path

from dotagent import errors, hooks
from dotagent.store.home import Home


def main() -> int:
    """Serve, then leave."""
    hooks.serve(Home(Path(sys.argv[1])), sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
