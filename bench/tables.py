"""Figures for the benches: what the disk itself takes, what a process has used, medians and tables."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path


class Disk:
    """What the disk itself takes, in seconds, in the directory that is measured: to make an append of a LIFE line's
    size durable (`syncs`), and to make a file (`files`), which on a busy or worn file system is no small thing."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._fd = os.open(directory / "fdatasync", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.syncs: list[float] = []
        self.files: list[float] = []

    def measure(self, count: int = 5) -> None:
        """Do each a few times."""
        for _ in range(count):
            os.write(self._fd, b"x" * 150)
            began = time.perf_counter()
            os.fdatasync(self._fd)
            synced = time.perf_counter()
            os.close(os.open(self._directory / f"file-{len(self.files)}", os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            self.files.append(time.perf_counter() - synced)
            self.syncs.append(synced - began)

    def rows(self) -> list[list[str]]:
        """What was measured, in milliseconds, for a table."""
        return [["fdatasync of this disk", *ms(self.syncs)], ["a file made on this disk", *ms(self.files)]]


def percentile(found: Sequence[float], part: float) -> float:
    """The value that this part of them is not above."""
    return sorted(found)[min(len(found) - 1, int(part * len(found)))]


def p90(found: Sequence[float]) -> float:
    """The value that nine of ten are not above."""
    return percentile(found, 0.9)


def ms(found: Sequence[float]) -> tuple[str, str]:
    """Median and p90 of some seconds, in milliseconds."""
    return f"{statistics.median(found) * 1000:.2f}", f"{p90(found) * 1000:.2f}"


def verdict(value: float, limit: float, unit: str = "") -> str:
    """A figure beside its limit."""
    return f"{value:.2f}{unit} (limit {limit:g}{unit}: {'met' if value <= limit else 'NOT MET'})"


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under their heads, in columns."""
    cells = [list(map(str, heads)), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    print(f"\n{title}\n")
    for number, row in enumerate(cells):
        first, rest = (
            row[0].ljust(widths[0]),
            (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        )
        print("  ".join(["", first, *rest]))
        if number == 0:
            print("  ".join(["", *("-" * width for width in widths)]))


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str | float]]) -> None:
    """Print rows under their heads, as Markdown."""
    print("| " + " | ".join(heads) + " |\n|---|" + "---:|" * (len(heads) - 1))
    for row in rows:
        print("| " + " | ".join(cell if isinstance(cell, str) else f"{cell:.1f}" for cell in row) + " |")
    print()


def cpu(pid: int) -> float:
    """Seconds of CPU that a process's first thread has had, to the nanosecond; 0 where the system does not tell."""
    told = Path(f"/proc/{pid}/schedstat")
    return int(told.read_text().split()[0]) / 1e9 if told.exists() else 0.0


def status(pid: int, name: str) -> int:
    """A number of /proc/PID/status: kB of memory, or a count; 0 where the system does not tell."""
    told = Path(f"/proc/{pid}/status")
    lines = told.read_text().split("\n") if told.exists() else []
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
