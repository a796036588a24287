"""The part of the page about cost: tokens and money of every answer, by day, model, kind and agent; and what each block
has cost. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from dotagent.capabilities.view import blockcost
from dotagent.capabilities.view.route import PageRequest, Part, Reads
from dotagent.life import budget, tally
from dotagent.providers.server import cost
from dotagent.store import display, home
from dotagent.text import times

FIELDS = ("calls", *cost.TOKENS, "cost", "computed", "unpriced", "estimated")


def _usage(asked: PageRequest) -> dict[str, Any]:
    """Return one row for each agent, provider, model, kind and day, and the budgets."""
    settings = home.settings(asked.where)
    lives = home.lives(asked.where)
    today = times.local_day(times.now())
    left = [{"whose": whose if whose == "home" else display.make_label(asked.where, settings, whose),
             "name": limit.name, "used": limit.amount(used), "most": limit.amount(limit.most)}
            for whose, limit, used in budget.report(asked.where, settings, lives, today)]  # fmt: skip
    heads = ["agent", "provider", "model", "kind", "day", *FIELDS]
    return {"fields": heads, "rows": list(_rows(asked)), "budgets": left}


def _rows(asked: PageRequest) -> Iterator[list[Any]]:
    settings = home.settings(asked.where)
    count = partial(cost.usage_of_answer, prices=settings.prices)
    for self_id in home.lives(asked.where):
        name = display.make_label(asked.where, settings, self_id)
        for key, one in tally.read(asked.where.agent(self_id), count, settings.prices).items():
            yield [name, *key, *(one[field] for field in FIELDS)]


PART: Part = (Reads("/api/cost", _usage), Reads("/api/cost/{agent}/blocks", blockcost.blocks))
