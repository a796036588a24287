"""Run an agent's waiting hooks: `python -m dotagent.capabilities.hooks HOME AGENT`. Agents start it.

Owns nothing on disk.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dotagent import errors
from dotagent.capabilities.hooks import runner
from dotagent.store.home import Home


def main() -> int:
    """Run hooks until idle."""
    runner.serve(Home(Path(sys.argv[1])), sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
