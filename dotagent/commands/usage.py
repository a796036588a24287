"""Show tokens and cost by agent, provider and day.

All numbers come from the log LIFE.md, where each answer records its tokens and its cost. If an answer recorded no cost,
as in old agents, the command computes the cost from the prices in dotagent.toml and marks it with ~. A day begins at
midnight in the time zone of the setting `zone`, or of the machine if you set none. For the rest of a budget, only
recorded costs count.

A table shows as many rows as fit on a screen: the last days, or the agents and providers with the most usage. One more
row contains the sum of all other rows. With --all, the table shows every row. If a cache dropped prompts in pauses of
the conversation, a line below the tables says how many tokens the model had to read again, and what that cost by
today's prices. A second line says how much shorter rests made the prompts after pauses. A rest is a compaction that
dotagent makes in a pause; its own cost is part of the tables.
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from operator import itemgetter

from dotagent import commands, errors
from dotagent.life import budget, tally
from dotagent.life.tally import Used
from dotagent.providers.server import cost
from dotagent.store import home, launch
from dotagent.store.home import Home, Settings
from dotagent.text import escape, table, times
from dotagent.text.reference import short
from dotagent.text.sizes import plural

GROUP = "inside"

WAYS = ("agent", "provider", "model", "kind", "day", "month")
USUAL = ("agent", "provider", "day")
DATES = ("day", "month")
LEAST = 3  # rows of a table on the smallest screen
FIELDS = ("calls", *cost.TOKENS, "cold", "cold_cost", "rests", "rested", "rested_cost", "cost", "computed", "unpriced",
          "estimated")  # fmt: skip
"""The sums, as in cost.used; the tokens of prompts that a cache dropped in a pause, and their cost; and the rests, with
the tokens that they removed from prompts, and the cost of writing these tokens into the cache again."""
Key = tuple[str, ...]
"""Agent, provider, model, kind, day and month of some calls, as in WAYS."""
FRAME = 4  # lines of a table without its rows: a gap, the heads, the others and the sum


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent and the ways of counting."""
    commands.life_argument(parser, "show only this agent")
    parser.add_argument("--by", choices=WAYS, help="print only one table, grouped in this way")
    parser.add_argument("--all", action="store_true", help="list every row, not only as many as fit on a screen")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print a table for each way of counting."""
    where = commands.home_of(asked)
    settings = home.settings(where)
    found: defaultdict[Key, Used] = defaultdict(Counter)
    count = partial(cost.usage_of_answer, prices=settings.prices)
    lives = [commands.life_of(asked, where)] if asked.self or asked.last else home.lives(where)
    for self_id in lives:
        for (*names, day), one in tally.read(where.agent(self_id), count, settings.prices).items():
            tally.add(found[self_id, *names, day, day[:7]], {**one, **_pauses(settings, names[0], names[1], one)})
    ways = [asked.by] if asked.by else USUAL
    most = None if asked.all else max(LEAST, shutil.get_terminal_size().lines // len(ways) - FRAME)
    for number, way in enumerate(ways):
        rows = _grouped(found, way)
        if asked.json:
            for name, one in rows.items():
                counts = {field: one[field] for field in FIELDS}
                print(escape.dumps({"by": way, "name": name, **counts}))
        else:
            print(("\n" if number else "") + ("\n".join(_table(way, rows, most)) if rows else "no usage yet"))
            if not rows:
                break
    whole = _sum(found.values())
    if not asked.json:
        print("".join(f"\n{line}\n" for line in _describe_pauses(whole)), end="")
    if not asked.by:
        _budgets(where, settings, lives, asked.json)
        _warn_unpriced(settings, lives, found)
    return 0


def _warn_unpriced(settings: Settings, lives: list[str], found: Mapping[Key, Used]) -> None:
    """Say so if a budget in dollars does not count the answers of a model, because its price is unknown."""
    free = (*launch.OWN, launch.LAST)
    models = sorted({key[2] for key, used in found.items() if used["unpriced"] and key[1] not in free})
    limits = (one for life in lives for one in budget.find_limits(settings.budget, settings.agents, life))
    if models and any(one.dollars for one in limits):
        errors.tell(
            f"the price of {', '.join(models)} is unknown, so budgets in dollars do not count these answers; set the "
            f'price in {home.SETTINGS}, under [prices."{models[0]}"]'
        )


def _pauses(settings: Settings, provider: str, model: str, used: Used) -> dict[str, int]:
    """Return what cold starts cost and rests saved, in millionths of a US dollar, by today's prices."""
    missed = cost.cold(settings.prices, model, provider, used["cold"])
    shorter = cost.cold(settings.prices, model, provider, used["rested"], warm=False)
    return {"cold_cost": round(missed), "rested_cost": round(shorter)}


def _describe_pauses(whole: Used) -> Iterator[str]:
    """Yield a line on cold starts and one on rests, without those that there were none of."""
    if whole["cold"]:
        share, more = 100 * whole["cold"] / whole["input"], _dollars(whole["cold_cost"])
        yield (
            f"After pauses, the providers' caches no longer contained {whole['cold']:,} tokens of the prompts "
            f"({share:.0f}% of all input tokens){f', so the prompts cost {more} more' if more else ''}"
        )
    if whole["rests"]:
        many, less = plural(whole["rests"], "summary in a pause", "summaries in pauses"), _dollars(whole["rested_cost"])
        yield (
            f"{many} made later prompts {whole['rested']:,} tokens shorter"
            f"{f', so these prompts cost {less} less' if less else ''}"
        )


def _dollars(cost: int) -> str:
    return f"about ${cost / 1e6:,.4f}" if cost else ""


def _budgets(where: Home, settings: Settings, lives: list[str], as_json: bool) -> None:
    """Print the rest of each budget, for today or this month."""
    rows = list[tuple[str, ...]]()
    for whose, limit, used in budget.report(where, settings, lives, times.local_day(times.now())):
        left = max(0.0, limit.most - used)
        if as_json:
            told = {"by": "budget", "name": f"{whose} {limit.name}", "used": used, "limit": limit.most, "left": left}
            print(escape.dumps(told))
        name = f"{'all agents' if whose == 'home' else short(whose)} {limit.name}"
        rows.append((name, limit.amount(used), limit.amount(limit.most), limit.amount(left)))
    if rows and not as_json:
        print("\n" + "\n".join(table.table(("budget", ">used", ">of", ">left"), rows, width=commands.width())))


def _grouped(found: Mapping[Key, Used], way: str) -> dict[str, Used]:
    rows: defaultdict[str, Used] = defaultdict(Counter)
    for name, one in sorted(((key[WAYS.index(way)], one) for key, one in found.items()), key=itemgetter(0)):
        tally.add(rows[name], one)
    return rows


def _table(way: str, rows: Mapping[str, Used], most: int | None) -> Iterator[str]:
    """Yield the lines of a table: `most` rows, one for the others, and the sum if there are several."""
    shown = _largest_rows(way, rows, most)
    cells = [(short(name) if way == "agent" else escape.one_line(name, 40), *_cells(rows[name])) for name in shown]
    if others := rows.keys() - shown:
        told = (
            f"{len(others):,} {'earlier' if way in DATES else 'others'}",
            *_cells(_sum(rows[one] for one in others)),
        )
        cells = [told, *cells] if way in DATES else [*cells, told]
    if len(rows) != 1:
        cells.append(("all", *_cells(_sum(rows.values()))))
    yield from table.table(
        (way, ">requests", ">input", ">cached", ">output", ">reasoning", ">cost"), cells, width=commands.width()
    )


def _largest_rows(way: str, rows: Mapping[str, Used], most: int | None) -> list[str]:
    """Return the names of the last rows, or of those with the most usage, in the order of the rows."""
    if most is None or len(rows) <= most + 1:  # one row for the others would be as long
        return list(rows)
    if way in DATES:
        return list(rows)[-most:]
    first = set(sorted(rows, key=lambda name: (rows[name]["cost"], rows[name]["input"]), reverse=True)[:most])
    return [name for name in rows if name in first]


def _sum(many: Iterable[Used]) -> Used:
    found = Used()
    for one in many:
        tally.add(found, one)
    return found


def _cells(one: Used) -> tuple[str, ...]:
    share = f"{100 * one['cached'] / one['input']:.0f}%" if one["input"] else "-"
    about = "~" if one["estimated"] else ""
    read, written = f"{about}{one['input']:,}", f"{about}{one['output']:,}"
    return f"{one['calls']:,}", read, share, written, f"{one['reasoning']:,}", price(one)


def price(one: Used) -> str:
    """Return the cost in US dollars: with ~ if today's prices were used, with + if some calls have no cost, or `-` if
    none has."""
    if one["unpriced"] and one["unpriced"] == one["calls"]:
        return "-"
    return f"{'~' if one['computed'] else ''}${one['cost'] / 1e6:,.4f}{'+' if one['unpriced'] else ''}"
