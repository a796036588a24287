"""Show what agents used: tokens, the share that came from caches, and cost, by agent, provider and day; what is left.

All of it is read from LIFE, where every answer tells what it took. A cost that no answer told, as in lives that are
older than the prices, is computed from the prices in dotagent.toml, and marked by a ~. Days are the person's own, by
the machine's time zone; what is left of a budget counts what answers told alone.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from operator import itemgetter

from dotagent import commands
from dotagent.life import budget, events
from dotagent.life.events import Ask, Reply, Spent, Stayed, Swap
from dotagent.providers.server import cost
from dotagent.store import home, log
from dotagent.store.home import Home, Settings
from dotagent.text import escape, table, times
from dotagent.text.reference import short

WAYS = ("agent", "provider", "model", "day")
USUAL = ("agent", "provider", "day")
TOKENS = ("input", "cached", "output", "reasoning")
FIELDS = ("calls", *TOKENS, "cost", "computed", "unpriced", "estimated")

Used = Counter[str]
"""What some calls used, by FIELDS: tokens, and the cost in millionths of a US dollar.

`computed` is how much of the cost is by today's prices; `unpriced` how many calls have no known cost, `estimated` of
how many nobody told the tokens.
"""
Key = tuple[str, str, str, str]
"""Agent, provider, model and day of some calls."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Whose, and by what."""
    commands.life_argument(parser, "this agent only")
    parser.add_argument("--by", choices=WAYS, help="one table, by this")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Read every LIFE once; print a table a way of counting."""
    where = commands.home_of(asked)
    settings = home.settings(where)
    found: defaultdict[Key, Used] = defaultdict(Counter)
    lives = [commands.life_of(asked, where)] if asked.self or asked.last else home.lives(where)
    for self_id in lives:
        for key, used in read(where, self_id, settings.prices):
            found[key].update(used)
    for number, way in enumerate([asked.by] if asked.by else USUAL):
        rows = _grouped(found, way)
        if asked.json:
            for name, used in rows.items():
                counts = {field: used[field] for field in FIELDS}
                print(escape.dumps({"by": way, "name": name, **counts}))
        else:
            print(("\n" if number else "") + ("\n".join(_table(way, rows)) if rows else "nothing was used yet"))
            if not rows:
                break
    if not asked.by:
        _budgets(where, settings, lives, asked.json)
    return 0


def _budgets(where: Home, settings: Settings, lives: list[str], as_json: bool) -> None:
    """What is left of each budget, today or this month."""
    rows = list[tuple[str, ...]]()
    for whose, limit, used in budget.report(where, settings, lives, times.local_day(times.now())):
        left = max(0.0, limit.most - used)
        if as_json:
            told = {"by": "budget", "name": f"{whose} {limit.name}", "used": used, "limit": limit.most, "left": left}
            print(escape.dumps(told))
        name = f"{whose if whose == 'home' else short(whose)} {limit.name}"
        rows.append((name, limit.amount(used), limit.amount(limit.most), limit.amount(left)))
    if rows and not as_json:
        print("\n" + "\n".join(table.table(("budget", ">used", ">of", ">left"), rows, width=commands.width())))


def read(where: Home, self_id: str, prices: cost.Prices) -> Iterator[tuple[Key, Used]]:
    """What each answer that one life got used.

    A call beside the conversation may stand in LIFE twice, when a process died in between; it counts once.
    """
    served, counted = "", set[str]()
    for line in log.lines(where.agent(self_id) / "LIFE.md"):
        event = events.parse(line)
        if isinstance(event, Ask):
            served = event.provider
        elif isinstance(event, Swap | Stayed):
            counted.clear()
        elif isinstance(event, Reply) or (isinstance(event, Spent) and line.id not in counted):
            if isinstance(event, Spent):
                counted.add(line.id)
            told = event.told
            provider, model = told.get("provider") or served or "-", told.get("model") or "-"
            yield (self_id, provider, model, times.local_day(line.at)), used(told, model, prices)


def used(told: Mapping[str, str], model: str, prices: cost.Prices) -> Used:
    """One answer's usage, by the words of its line in LIFE."""
    found = Counter({name: int(told[name]) for name in (*TOKENS, "cost") if told.get(name, "").isdecimal()})
    if found and "cost" not in found:
        computed = cost.cost(prices, model, found)
        found.update({"unpriced": 1} if computed is None else {"cost": computed, "computed": computed})
    found.update({"calls": 1, "estimated": int("estimated" in told)})
    return found


def _grouped(found: Mapping[Key, Used], way: str) -> dict[str, Used]:
    rows: defaultdict[str, Used] = defaultdict(Counter)
    for name, one in sorted(((key[WAYS.index(way)], one) for key, one in found.items()), key=itemgetter(0)):
        rows[name].update(one)
    return rows


def _table(way: str, rows: Mapping[str, Used]) -> Iterator[str]:
    """The rows in columns, and their sum below when there are several."""
    cells = [(short(name) if way == "agent" else escape.one_line(name, 40), *_cells(one)) for name, one in rows.items()]
    if len(rows) != 1:
        cells.append(("all", *_cells(sum(rows.values(), Counter()))))
    yield from table.table(
        (way, ">calls", ">input", ">cached", ">output", ">reasoning", ">cost"), cells, width=commands.width()
    )


def _cells(one: Used) -> tuple[str, ...]:
    share = f"{100 * one['cached'] / one['input']:.0f}%" if one["input"] else "-"
    about = "~" if one["estimated"] else ""
    counts = (
        f"{one['calls']:,}",
        f"{about}{one['input']:,}",
        share,
        f"{about}{one['output']:,}",
        f"{one['reasoning']:,}",
    )
    return (*counts, price(one))


def price(one: Used) -> str:
    """The cost in US dollars; ~ where today's prices were used, + where some calls have none, - where all have none."""
    if one["unpriced"] and one["unpriced"] == one["calls"]:
        return "-"
    return f"{'~' if one['computed'] else ''}${one['cost'] / 1e6:,.4f}{'+' if one['unpriced'] else ''}"
