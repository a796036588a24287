"""What each setting of dotagent.toml must be, and the words for one that is not. Owns nothing on disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from dotagent import extensions, installed
from dotagent.store import allowance, options
from dotagent.text import names, near, schedule
from dotagent.text.near import Rule
from dotagent.text.reference import PREFIX

T = TypeVar("T")

_KEYED = re.compile(r"://[^/?#\s]*@|://\S*[?&#][^=&\s]*(?:key|token|secret|passw|auth|sig)[^=&\s]*=[^&\s]", re.I)


def _text(value: object) -> bool:
    return isinstance(value, str)


HOST = re.compile(r"(\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?(:\d{1,5})?", re.IGNORECASE | re.ASCII)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _hosts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and HOST.fullmatch(one) for one in value)


def _tables(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())


def _rooted(value: object) -> bool:
    if not isinstance(value, dict):  # an earlier form: they are the owner's
        return _texts(value)
    return _whose(value) and all(map(_texts, value.values()))


def _worded(value: object) -> bool:
    if not isinstance(value, dict):
        return _text(value)
    return _whose(value) and all(map(_text, value.values()))


def _whose(table: Mapping[str, object]) -> bool:
    return all(names.AUDIENCE.fullmatch(name) or PREFIX.fullmatch(name) for name in table)


def _named(value: object) -> bool:
    return isinstance(value, dict) and _whose(value) and all(map(_texts, value.values()))


def _shown(value: object) -> bool:
    return isinstance(value, dict) and value.keys() <= {"assistant"} and all(map(allowance.faced, value.values()))


def _person(value: object) -> bool:
    return isinstance(value, str) and (not value or names.PERSON.fullmatch(value) is not None)


def _tokens(value: object) -> bool:
    return type(value) is int and value >= 1000


def _zone(value: object) -> bool:
    return isinstance(value, str) and (not value or schedule.is_zone(value))


def _beats(value: object) -> bool:
    """Whether this says when heartbeats are."""
    if not isinstance(value, dict) or not value.keys() <= {"every", "hours", "room"}:
        return False
    every, hours, room = (
        value.get(name, usual) for name, usual in (("every", "off"), ("hours", "0-24"), ("room", "dev"))
    )
    if not all(isinstance(one, str) for one in (every, hours, room)) or not names.ROOM.fullmatch(room):
        return False
    try:
        return (every == "off" or 60 <= schedule.span(every) <= 86_400) and schedule.hours(hours) is not None
    except ValueError:
        return False


def _share(value: object) -> bool:
    return type(value) in (int, float) and isinstance(value, int | float) and 0 <= value <= 1


def _flush(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"enabled", "soft_threshold_tokens"}:
        return False
    soft = value.get("soft_threshold_tokens", 0)
    return isinstance(value.get("enabled", True), bool) and type(soft) is int and 0 <= soft < 10**9


def _kept(value: object) -> bool:
    """Whether this says for how many days what is kept; 0: for ever."""
    if not isinstance(value, dict) or not value.keys() <= {"episodes", "audit"}:
        return False
    return all(type(one) is int and 0 <= one <= 36_500 for one in value.values())


def _seconds(value: object) -> bool:
    return type(value) in (int, float) and isinstance(value, int | float) and 1 <= value < 1e9


def priced(price: object, more: tuple[str, ...] = ("peak", "hours", "above")) -> bool:
    """Whether this is a price of a model, with the fields that it may have beside."""
    fields = {"input", "cached", "written", "output", *more}
    if not isinstance(price, dict) or not {"input", "output"} <= price.keys() <= fields:
        return False
    hours = re.fullmatch(r"(\d{1,2}-\d{1,2} ?)*", str(price.get("hours", "")), re.ASCII)
    numbers = [one for name, one in price.items() if name not in ("hours", "above", "tokens")]
    tokens = "tokens" not in more or type(price.get("tokens")) is int
    long = "above" not in price or priced(price["above"], ("tokens",))
    return bool(hours) and tokens and long and all(type(one) in (int, float) and 0 <= one < 1e6 for one in numbers)


def more(given: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the tables of hooks, prices and searches, each with its place."""
    if "store" in given.get("memory_search", {}):
        yield (
            "memory_search.store is no setting: take it out. Vectors are kept in agents/<self>/run/recall.db, since an "
            "index outside the home would outlive what is forgotten for good"
        )
    if tables := given.get("hooks"):
        from dotagent.store import hooks  # for whoever has some

        yield from hooks.flaws(tables)
    for model, price in given.get("prices", {}).items():
        if not priced(price):
            yield (
                f'[prices."{model}"] needs input and output, and may have cached and written, in US dollars a million '
                'tokens, e.g. input = 0.27, and peak with hours = "1-4 6-10", and those of long prompts, as '
                "above = { tokens = 200_000, input = 0.54, output = 2.2 }"
            )


def _one(*words: str) -> tuple[Callable[[object], bool], str]:
    return lambda value: value in words, f"must be one of {', '.join(words)}"


def _web(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() - {"near", "hosts", "lives", "search", "base"}:
        return False
    lists = all(_texts(value[name]) for name in ("near", "hosts", "lives") if name in value)
    engine, base = value.get("search", "brave"), value.get("base", "https://")
    told = isinstance(base, str) and base.startswith(("http://", "https://"))
    return lists and told and engine in ("brave", "searxng") and (engine != "searxng" or "base" in value)


def _truth(value: object) -> bool:
    return isinstance(value, bool)


def _policy(value: object) -> bool:
    """Whether this says what is allowed, asked and refused."""
    words = ("allow", "ask", "refuse")
    if not isinstance(value, dict):
        return value in words
    own: Mapping[str, Callable[[object], bool]] = {"wait": _seconds, "persons": _texts, "always": _truth}
    rows = {name: one for name, one in value.items() if name not in own}
    there = {str(extensions.constants("tools", name).get("EFFECT", "other")) for name in extensions.names("tools")}
    told = all(one in words if isinstance(one, str) else _cells(one, words) for one in rows.values())
    return (
        told
        and rows.keys() <= {*there, "other", "all"}
        and all(own[name](value[name]) for name in own if name in value)
    )


def _cells(row: object, words: tuple[str, ...]) -> bool:
    origins = {"others", "agent", "file", "command", "web"}
    return isinstance(row, dict) and row.keys() <= origins and all(one in words for one in row.values())


def _spawns(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() - {"most", "depth", "turns", "tokens", "seconds", "workspace"}:
        return False
    rest = [one for name, one in value.items() if name != "workspace"]
    return all(type(one) is int and 0 <= one < 10**9 for one in rest) and value.get("workspace", "rw") in _WAYS


def _found_by(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() - {"enabled", "provider", "model", "base", "model_path", "store"}:
        return False
    texts = all(isinstance(one, str) for name, one in value.items() if name not in ("enabled", "store"))
    known = value.get("provider", "auto") in ("auto", "local", "openai", "gemini", "none")
    return texts and known and isinstance(value.get("enabled", True), bool)


_WAYS = ("rw", "ro", "none")
_SEARCH = (
    'must be a table: [memory_search] provider = "auto" (or local, openai, gemini, none), enabled = true, and texts '
    "model and base for a server's, model_path for a local one"
)
_DAYS = (
    "must be a table of days, 0 for ever: [retention] episodes = 90, audit = 365 (or "
    "DOTAGENT_MEMORY_EVENT_RETENTION_DAYS and DOTAGENT_MEMORY_AUDIT_RETENTION_DAYS)"
)
_SPAWN = "must be a table of most, depth, turns, tokens and seconds, whole numbers, and workspace: rw, ro or none"
_TEXTS = 'must be a list of texts, e.g. ["…"]'
_WEB = (
    'must be a table of near = ["host:port"], hosts = ["…"], lives = ["…"], search = "brave" or "searxng", and base = '
    '"https://…", the engine\'s address, which searxng needs'
)
_POLICY = (
    'must be allow, ask or refuse, or a table: [policy] wait = 3600, always = true, persons = ["telegram/ana"], and '
    "for an effect (say, write, note, run, remind, join, fetch, search, tool, other, one of your own, or all) allow, "
    'ask or refuse, also by origin (others, agent, file, command, web), e.g. run = { file = "allow" }'
)
_ROOTS = 'must be lists of texts, each under its audience or life, e.g. [roots] private = ["…"], group = ["…"]'
_WORDS = 'must be a text, or texts each under its audience or life, e.g. [system_prompt_extra] group = "…"'
RULES: Mapping[str, Rule] = {  # whether a setting is what it must be, and what that is
    "provider": near.TEXT,
    "model": near.TEXT,
    "context_limit": (_tokens, "must be a whole number of tokens, 1000 or more (or DOTAGENT_CONTEXT_LIMIT)"),
    "owner": (_person, "must be one name, without spaces, colons and square brackets"),
    "roots": (_rooted, _ROOTS),
    "bootstrap_max_chars": (lambda value: type(value) is int and value >= 200, "must be a whole number, 200 or more"),
    "persona_policy": _one("strict", "balanced", "permissive"),
    "persona_min_confidence": (_share, "must be a number from 0 to 1"),
    "persona_sync": _one("export_only", "import_export", "disabled"),
    "persona_sync_apply": near.TRUTH,
    "system_prompt_extra": (_worded, _WORDS),
    "ui": (_shown, "must be a table of one: [ui.assistant] with a name, an avatar, or both"),
    "group_soul": near.TRUTH,
    "dream": (lambda value: value in (True, False, "model"), 'must be true, false, or "model": then one is asked, too'),
    "graduate": (_truth, "must be true or false: whether your own repeated instructions become rules unasked"),
    "run": (_texts, _TEXTS),
    "sandbox": _one("on", "required", "bubblewrap", "landlock", "off"),
    "workspace": _one(*_WAYS),
    "network": _one("none", "on"),
    "hosts": (_hosts, 'must be a list of hosts, as ["pypi.org", "*.example.org", "example.org:8443"]'),
    "environment": (_texts, _TEXTS),
    "providers": (_tables, "must be tables, e.g. [providers.deepseek]"),
    "background": (lambda value: isinstance(value, dict), "must be a table: [background]"),
    "bridges": (_tables, "must be tables, e.g. [bridges.discord]"),
    "prices": (lambda value: isinstance(value, dict), 'must be tables, e.g. [prices."deepseek-v4-pro"]'),
    "notify": (lambda value: value in ("", "fade"), 'must be "fade", or left out'),
    "nearby": (_texts, _TEXTS),
    "zone": (_zone, "must be a time zone, e.g. Europe/Berlin"),
    "heartbeat": (_beats, 'must be a table: [heartbeat] every = "30m" (or "off"), hours = "8-22", room = "dev"'),
    "memory_flush": (_flush, "must be a table: [memory_flush] enabled = true (or false), soft_threshold_tokens = 4000"),
    "memory_search": (_found_by, _SEARCH),
    "retention": (_kept, _DAYS),
    "linger": (_seconds, "must be a number of seconds, 1 or more"),
    "web": (_web, _WEB),
    "policy": (_policy, _POLICY),
    "spawn": (_spawns, _SPAWN),
    "toolpacks": (_named, 'must be lists of tools, each under its audience or life, e.g. private = ["time.*"]'),
    "hooks": (_tables, "must be tables, e.g. [hooks.soul-evil] enabled = true"),
    **allowance.RULES,
}


def named(table: Mapping[str, T], audience: str, life: str, owner: str) -> list[T]:
    """What such a table has for a life: under its audience, and under its own id."""
    mine = {audience, "private" if audience == f"private {owner}" else audience}
    return [one for name, one in table.items() if name in mine or (PREFIX.fullmatch(name) and life.startswith(name))]


def strangers(spool: Path, given: Mapping[str, Any]) -> Iterator[str]:
    """The tables of providers and bridges that are no one's, with what to do; a program of somebody's own is known by
    its place in the spool."""
    for name, table in given.get("providers", {}).items():
        spooled = names.ROOM.fullmatch(name) and (spool / name).is_dir()
        if not (spooled or "like" in table or options.kind(name, table)):
            known = dict.fromkeys((*extensions.names("providers"), *options.presets()))
            own = f"; a program of your own becomes one by `{installed.typed('calls')} take --provider {name}`"
            yield f"[providers.{name}] is no one's{near.among(name, known)}{own}"
    for name in given.get("bridges", {}):
        if name not in (there := extensions.names("bridges")):
            yield f"[bridges.{name}] is no one's{near.among(name, there)}"


def put(given: dict[str, object], way: Sequence[str], value: object) -> None:
    """Set what stands at the end of this way through tables; where no table is, settings are refused anyway."""
    for name in way[:-1]:
        inner = given.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        given = inner
    given[way[-1]] = value


def credentials(value: object, place: str = "") -> Iterator[str]:
    """The places in the settings, as `providers.ollama.base`, where an address has a name, password or key in it."""
    if isinstance(value, str) and _KEYED.search(value):
        yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
    for name, one in inner:
        yield from credentials(one, f"{place}.{name}")
