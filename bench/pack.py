"""What `dotagent pack` saves: the disk and the files of a long life before and after, the seconds of the processor that
it takes, and what one blob costs to read from its own file and from a pack."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import common
import histories

from dotagent.installed import CODE
from dotagent.store import log
from dotagent.store.home import Home

LIMIT_KB, LIMIT_FILES = 1.5, 200  # of the disk for each turn; in the whole home
READS = 2000


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--turns", type=int, default=30_000, help="turns of the life")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        where, self_id = histories.long(path / "home", asked.turns)
        lines = log.tail(where.agent(self_id) / "LIFE.md", READS)
        ids = [line.id for line in lines if line.id and where.store().has(line.id)]
        before = (*_used(where.root), _read(where, ids))
        worked = _pack(where)
        after = (*_used(where.root), _read(where, ids))
    rows = [
        [name, f"{size / 1e6:,.0f}", f"{size / asked.turns / 1e3:.2f}", f"{files:,}", f"{micro:.0f}"]
        for name, (size, files, micro) in (("before", before), ("after", after))
    ]
    common.table(
        f"A life of {asked.turns:,} turns, packed in {worked:.0f} s of the processor",
        ["", "MB of the disk", "kB a turn", "files", "µs to read a blob"],
        rows,
    )
    kilobytes = common.verdict(after[0] / asked.turns / 1e3, LIMIT_KB, " kB a turn")
    print(f"\n  packed: {kilobytes}; {common.verdict(after[1], LIMIT_FILES, ' files')}")


def _used(root: Path) -> tuple[int, int]:
    """The bytes of the disk below a folder, and its files."""
    files = [path.lstat() for path in root.rglob("*") if path.is_file()]
    return sum(one.st_blocks * 512 for one in files), len(files)


def _pack(where: Home) -> float:
    """Pack all blobs; the seconds of the processor that it took."""
    program = [sys.executable, "-m", "dotagent", "pack", "--older-than", "0", "--home", str(where.root)]
    before = _processor()
    subprocess.run(program, cwd=CODE, capture_output=True, check=True)
    return _processor() - before


def _read(where: Home, ids: list[str]) -> float:
    """The microseconds that one blob takes."""
    store = where.store()
    store.get(ids[0])
    begun = time.perf_counter()
    for id in ids:
        store.get(id)
    return (time.perf_counter() - begun) / len(ids) * 1e6


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
