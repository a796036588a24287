"""Show what runs: bridges, the clock, agents, providers, each process; of what `up` keeps why one that died did."""

from __future__ import annotations

import argparse

from dotagent import commands, errors
from dotagent.host import report
from dotagent.store import home, launch, lives, spawned
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing but the form."""
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a process, or what could be one."""
    where = commands.home_of(asked)
    home.settings(where)
    pid, rows = report.runs(where), list[commands.Row]()
    for row in report.read(where):
        kind, name = str(row.get("kind")), str(row.get("name"))
        if kind == "birth":
            continue
        elsewhere = kind == "life" and not row["runs"] and lives.runs(where, name)
        state = "runs" if row["runs"] else "runs by itself" if elsewhere else \
            "sleeps" if kind == "life" and not row.get("why") else "down"  # fmt: skip
        if elsewhere:
            row["pid"] = spawned.pid(where, name) or None
        shown = short(name) if kind == "life" else name
        since = str(row.get("since") or "")[:19]
        told = {**row, "state": state}
        rows.append((told, (kind, shown, state, row.get("pid") or "", since, row.get("deaths"), row.get("why"))))
    kept = [told["name"] for told, _ in rows]
    for one in home.lives(where):
        terms = spawned.terms(where.store(), one) if lives.is_made(where, one) and lives.runs(where, one) else None
        if terms:
            id, why = spawned.pid(where, one), f"works for {short(terms.parent)}"
            row = {"kind": "helper", "name": one, "pid": id, "state": "runs", "runs": True, "parent": terms.parent}
            rows.append((row, ("helper", short(one), "runs", id or "", "", 0, why)))
        elif one not in kept and lives.runs(where, one):
            row = {"kind": "life", "name": one, "pid": spawned.pid(where, one), "state": "runs by itself", "runs": True}
            rows.append((row, ("life", short(one), "runs by itself", row["pid"] or "", "", "", "")))
    for name in sorted(path.stem for path in where.calls.glob("*.pid")):
        if launch.served(where, name):
            number = launch.signed(where.calls / f"{name}.pid")
            whole = int(number) if number.isdecimal() else None
            told = {"kind": "provider", "name": name, "pid": whole, "state": "runs", "runs": True}
            rows.append((told, ("provider", name, "runs", number, "", 0, "")))
    commands.listed(asked, "kind name state >pid since >deaths why", rows, "nothing was ever kept running here")
    if not pid:
        errors.tell(f"nothing keeps {where.root} running: `up` does")
    return 0
