"""An answer then and now: its calls, tokens, seconds and cost, side by side. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dotagent import commands, extensions
from dotagent.capabilities.replay.calls import Replayed
from dotagent.capabilities.replay.past import Past
from dotagent.text import escape, grammar, reasoning
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short
from dotagent.text.sizes import plural

HEADS = "request which model calls >input >output >seconds >dollars answer"
TALKS = "message"  # a call that only speaks: two models never use the same words
SHOWN = 160  # characters of an answer in the table


@dataclass(frozen=True)
class Side:
    """An answer: its model, its text without reasoning, the calls in it, its tokens, seconds, and cost in millionths of
    a US dollar (None: unknown). `why` says why there is none."""

    model: str
    text: str
    calls: tuple[str, ...]
    input: int
    output: int
    seconds: float
    cost: int | None
    why: str = ""


@dataclass(frozen=True)
class Compared:
    """A request with its answer then and now."""

    past: Past
    then: Side
    now: Side

    @property
    def differs(self) -> bool:
        """Return True if the agent would do something else now, other than to say it in other words."""
        return self.then.calls != self.now.calls


def turn(one: Past, answer: Replayed) -> Compared:
    """Return both sides of a request."""
    outcome, model = answer.outcome, one.told.get("model", "-")
    then = _side(model, one.answer, one.cut, one.seconds, {**_numbers(one.told)})
    used = {**outcome.usage}
    now = _side(outcome.model or "-", answer.text, outcome.finish == "length", answer.seconds, used)
    if not outcome.reply:
        now = Side(outcome.model or "-", "", (), 0, 0, answer.seconds, None, outcome.hint or outcome.kind)
    return Compared(one, then, now)


def unasked(one: Past, why: str) -> Compared:
    """Return the sides of a request that cannot be asked again."""
    then = _side(one.told.get("model", "-"), one.answer, one.cut, one.seconds, {**_numbers(one.told)})
    return Compared(one, then, Side("-", "", (), 0, 0, 0.0, None, why))


def _numbers(told: Mapping[str, str]) -> dict[str, int]:
    return {name: int(word) for name, word in told.items() if word.isascii() and word.isdecimal() and len(word) < 13}


def _side(model: str, text: str, cut: bool, seconds: float, used: Mapping[str, int]) -> Side:
    due = grammar.read(text, extensions.tools(), cut).due
    calls = tuple(map(_call, due)) or (TALKS,)
    return Side(
        model,
        reasoning.strip(text).strip(),
        calls,
        used.get("input", 0),
        used.get("output", 0),
        round(seconds, 3),
        used.get("cost"),
    )


def _call(call: ToolCall) -> str:
    """Return a call in words that are equal only for equal calls."""
    if extensions.tools().speaks(call):
        return TALKS if call.name == extensions.tools().speech else call.name
    return " ".join(filter(None, (call.name, call.args, call.body)))


def rows(one: Compared) -> list[commands.Row]:
    """Return the rows of a turn: the question and both answers. The first has the object of all for --json."""
    told = {
        "request": one.past.id,
        "at": one.past.at,
        "kind": one.past.kind,
        "about": one.past.about,
        "then": vars(one.then),
        "now": vars(one.now),
        "differs": one.differs,
    }
    asked = (short(one.past.id), "asked", *[""] * 6, escape.one_line(one.past.about or one.past.kind, SHOWN))
    now = _cells(one.now, " (other)" if one.differs and not one.now.why else "")
    if one.now.text == one.then.text and not one.now.why:
        now = (*now[:-1], "(the same answer)")
    return [(told, asked), ({}, ("", "then", *_cells(one.then, ""))), ({}, ("", "now", *now))]


def _cells(side: Side, mark: str) -> tuple[object, ...]:
    names = dict.fromkeys(call if call == TALKS else call.split()[0] for call in side.calls)
    calls = escape.one_line(" ".join(names), 40) + mark
    dollars = "-" if side.cost is None else f"{side.cost / 1e6:.4f}"
    text = f"(no answer: {side.why})" if side.why else side.text
    return (side.model, calls, side.input, side.output, f"{side.seconds:.1f}", dollars, escape.one_line(text, SHOWN))


def summary(turns: Sequence[Compared]) -> str:
    """Return the sums of both sides, and which turns differ."""
    asked = [one for one in turns if not one.now.why]
    other = [short(one.past.id) for one in asked if one.differs]
    lost = len(turns) - len(asked)
    told = f"{len(other)} of {plural(len(asked), 'answer')} would now make other tool calls" + (
        f": {', '.join(other)}" if other else ""
    )
    sums = "; ".join(f"{name}: {_sum([getattr(one, name) for one in asked])}" for name in ("then", "now"))
    return f"{told}{f'; {lost} without an answer' if lost else ''}\n{sums}"


def _sum(sides: Sequence[Side]) -> str:
    tokens, seconds = sum(one.input + one.output for one in sides), sum(one.seconds for one in sides)
    known = [one.cost for one in sides if one.cost is not None]
    dollars = f", ${sum(known) / 1e6:.4f}" if known else ""
    return f"{tokens:,} tokens, {seconds:.1f} s{dollars}"
