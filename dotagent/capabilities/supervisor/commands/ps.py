"""List dotagent's processes, and why any stopped.

The state "running" means that `up` started the process and that `down` ends it. "running without up" means that `up`
did not start the process. "stopped until needed" means that `up` starts the agent when there is work for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from dotagent import commands, errors, installed
from dotagent.capabilities.supervisor import report
from dotagent.capabilities.supervisor.stopped import processes
from dotagent.store import disk, helpers, home, launch, lives
from dotagent.store.home import Home, Settings
from dotagent.text import times
from dotagent.text.reference import short

GROUP = "daily"

KINDS = {"life": "agent", "clock": "scheduler"}  # words for people; --json keeps the words that scripts read
STATES = {
    "runs": "running",
    "runs by itself": "running without up",
    "sleeps": "stopped until needed",
    "down": "stopped",
}

arguments = commands.json_flag


def run(asked: argparse.Namespace) -> int:
    """Print one line for each process and each part that is stopped."""
    where = commands.home_of(asked)
    settings = home.settings(where)
    pid, rows, reported = report.runs(where), list[commands.Row](), report.read(where)
    created = {row.get("pid"): row for row in reported if row.get("kind") == "birth" and row["runs"]}
    for row in reported:
        kind, name = str(row.get("kind")), str(row.get("name"))
        if kind == "birth":
            continue
        if kind == "life" and not row["runs"] and lives.runs(where, name):
            row = {**row, **_process(created.get(lives.pid(where, name)))}
        elsewhere = kind == "life" and not row["runs"] and lives.runs(where, name)
        state = "runs" if row["runs"] else "runs by itself" if elsewhere else \
            "sleeps" if kind == "life" and not row.get("why") else "down"  # fmt: skip
        if elsewhere:
            row["pid"] = lives.pid(where, name) or None
        shown = short(name) if kind == "life" else name
        since = times.format_stamp(str(row.get("since") or ""), 19)
        told = {**row, "state": state}
        what = "agent" if kind == "life" else kind
        rows.append((told, (what, shown, state, row.get("pid") or "", since, row.get("deaths"), row.get("why"))))
    rows += _others(where, {str(told["name"]) for told, _ in rows}, set(created), bool(pid))
    rows = _add_capabilities(where, settings, rows)
    for name in sorted(path.stem for path in where.calls.glob("*.pid")):
        if launch.served(where, name):
            number = launch.signed(where.calls / f"{name}.pid")
            whole = int(number) if number.isdecimal() else None
            told = {"kind": "provider", "name": name, "pid": whole, "state": "runs", "runs": True}
            rows.append((told, ("provider", name, "runs", number, "", 0, "")))
    heads = "kind name state >pid since >crashes why"
    rows = [(told, (_word(KINDS, cells[0]), cells[1], _word(STATES, cells[2]), *cells[3:])) for told, cells in rows]
    commands.print_list(asked, heads, rows, f"`up` has not run for {where.root} yet")
    if not pid:
        errors.tell(
            f"`dotagent up` is not running with the data directory {where.root}; start it with "
            f"`{installed.program('up')}`"
        )
    return 0


def _word(words: Mapping[str, str], cell: object) -> str:
    """Return the word for people, which is the cell itself unless the table has another one."""
    return words.get(str(cell), str(cell))


def _add_capabilities(where: Home, settings: Settings, rows: list[commands.Row]) -> list[commands.Row]:
    """Return the rows. A running process of a capability that `up` did not start replaces its row with the state
    "down"."""
    for process in processes(settings):
        kind, pid_file = process.name, process.folder(where) / "pid"
        if not disk.is_locked(pid_file) or any(told["kind"] == kind and told["runs"] for told, _ in rows):
            continue
        rows = [row for row in rows if row[0]["kind"] != kind]
        number = launch.signed(pid_file)
        row = {"kind": kind, "name": kind, "pid": int(number) if number.isdecimal() else None,
               "state": "runs by itself", "runs": True}  # fmt: skip
        rows.append((row, (kind, kind, "runs by itself", number, "", "", "")))
    return rows


def _process(created: report.Row | None) -> report.Row:
    """Return the facts that `up` reported about the process that created an agent."""
    return {key: value for key, value in (created or {}).items() if key not in ("kind", "name", "log")}


def _others(where: Home, kept: set[str], created: set[object], up: bool) -> Iterator[commands.Row]:
    """The agents that `up` did not start: helpers and agents that run, and, if `up` runs, the agents that sleep."""
    for one in home.lives(where):
        if one in kept:
            continue
        runs, made = lives.runs(where, one), lives.is_made(where, one)
        id = lives.pid(where, one) if runs else 0
        terms = helpers.terms(where.store(), one) if made and runs else None
        row: report.Row = {"kind": "life", "name": one, "pid": id, "state": "sleeps", "runs": runs}
        if terms:
            row |= {"kind": "helper", "state": "runs", "parent": terms.parent}
            yield row, ("helper", short(one), "runs", id or "", "", 0, f"works for {short(terms.parent)}")
        elif runs:
            row["state"] = "runs" if id in created else "runs by itself"
            yield row, ("agent", short(one), row["state"], id or "", "", "", "")
        elif up and not made:
            yield row, ("agent", short(one), "sleeps", "", "", "", "")
