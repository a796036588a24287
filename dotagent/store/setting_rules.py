"""The rules for the settings of dotagent.toml that the core does not use itself.

They are imported only for a home whose settings contain one of these. Owns nothing on disk.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from dotagent import capabilities, extensions, installed
from dotagent.store import agent_tables, options, setting
from dotagent.store.setting import Rule
from dotagent.text import lazy, names, suggestions
from dotagent.text.reference import PREFIX

HOST = lazy.compile(r"(\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?(:\d{1,5})?", re.IGNORECASE | re.ASCII)


def _hosts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and HOST.fullmatch(one) for one in value)


def _tables(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())


def _rooted(value: object) -> bool:
    if not isinstance(value, dict):  # an earlier form: these are the owner's
        return setting.is_texts(value)
    return _names_agents(value) and all(map(setting.is_texts, value.values()))


def _worded(value: object) -> bool:
    if not isinstance(value, dict):
        return setting.is_text(value)
    return _names_agents(value) and all(map(setting.is_text, value.values()))


def _names_agents(table: Mapping[str, object]) -> bool:
    return all(names.AUDIENCE.fullmatch(name) or PREFIX.fullmatch(name) for name in table)


def _is_named(value: object) -> bool:
    return isinstance(value, dict) and _names_agents(value) and all(map(setting.is_texts, value.values()))


def _is_display(value: object) -> bool:
    return isinstance(value, dict) and value.keys() <= {"assistant"} and all(map(agent_tables.faced, value.values()))


def _share(value: object) -> bool:
    return type(value) in (int, float) and isinstance(value, int | float) and 0 <= value <= 1


def _flush(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"enabled", "soft_threshold_tokens"}:
        return False
    soft = value.get("soft_threshold_tokens", 0)
    return isinstance(value.get("enabled", True), bool) and type(soft) is int and 0 <= soft < 10**9


def _is_retention(value: object) -> bool:
    """Return True if this is a table of days to keep things; 0 means permanently."""
    if not isinstance(value, dict) or not value.keys() <= {"episodes", "audit"}:
        return False
    return all(type(one) is int and 0 <= one <= 36_500 for one in value.values())


def _seconds(value: object) -> bool:
    return type(value) in (int, float) and isinstance(value, int | float) and 1 <= value < 1e9


def priced(price: object, more: tuple[str, ...] = ("peak", "hours", "above", "lasts")) -> bool:
    """Return True if this is a model's price, with the optional fields `more`."""
    fields = {"input", "cached", "written", "output", *more}
    if not isinstance(price, dict) or not {"input", "output"} <= price.keys() <= fields:
        return False
    hours = re.fullmatch(r"(\d{1,2}-\d{1,2} ?)*", str(price.get("hours", "")), re.ASCII)
    numbers = [one for name, one in price.items() if name not in ("hours", "above", "tokens")]
    tokens = "tokens" not in more or type(price.get("tokens")) is int
    long = "above" not in price or priced(price["above"], ("tokens",))
    return bool(hours) and tokens and long and all(type(one) in (int, float) and 0 <= one < 1e6 for one in numbers)


def _one_of(*words: str) -> tuple[Callable[[object], bool], str]:
    return lambda value: value in words, f"must be one of {', '.join(words)}"


def _truth(value: object) -> bool:
    return isinstance(value, bool)


def _policy(value: object) -> bool:
    """Return True if this is a valid policy of allowed, asked and refused effects."""
    words = ("allow", "ask", "refuse")
    if not isinstance(value, dict):
        return value in words
    own: Mapping[str, Callable[[object], bool]] = {
        "wait": _seconds, "persons": setting.is_texts, "always": _truth, "allow": setting.is_texts
    }  # fmt: skip
    rows = {name: one for name, one in value.items() if name not in own}
    told = all(one in words if isinstance(one, str) else _cells(one, words) for one in rows.values())
    return told and rows.keys() <= {*effects(), "all"} and all(own[name](value[name]) for name in own if name in value)


def effects() -> set[str]:
    """Return the kinds of effects of the installed tools."""
    return {
        "other",
        *(str(extensions.constants("tools", one).get("EFFECT", "other")) for one in extensions.names("tools")),
    }


def _cells(row: object, words: tuple[str, ...]) -> bool:
    origins = {"others", "agent", "file", "command", "web"}
    return isinstance(row, dict) and row.keys() <= origins and all(one in words for one in row.values())


def _is_admission(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"rooms", "senders", "sources"}:
        return False
    return all(map(setting.is_texts, value.values()))


def _is_memory_search(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() - {"enabled", "provider", "model", "base", "model_path", "store"}:
        return False
    texts = all(isinstance(one, str) for name, one in value.items() if name not in ("enabled", "store"))
    known = value.get("provider", "auto") in ("auto", "local", "openai", "gemini", "none")
    return texts and known and isinstance(value.get("enabled", True), bool)


def _limited(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"processes", "memory", "disk"}:
        return False
    return all(type(one) is int and 16 <= one < 10**8 for one in value.values())


_WAYS = ("rw", "ro", "none")
_SEARCH = (
    'must be a table: [memory_search] provider = "auto" (or "local", "openai", "gemini", "none"), enabled = true; with '
    '"openai" or "gemini" also model and base, with "local" also model_path'
)
_DAYS = (
    "must be a table of numbers of days, e.g. [retention] episodes = 90 (conversations), audit = 365 (old versions of "
    "files); 0 keeps everything (or the variables DOTAGENT_MEMORY_EVENT_RETENTION_DAYS and "
    "DOTAGENT_MEMORY_AUDIT_RETENTION_DAYS)"
)
_POLICY = (
    'must be "allow", "ask" or "refuse", or a table, e.g. [policy] allow = ["say family", "fetch example.org"], wait = '
    '3600 (seconds), always = true, persons = ["telegram/ana"]. For a kind of action (say, write, note, run, remind, '
    'join, fetch, search, spawn, tool, other, the kind of a tool of yours, or all), write e.g. run = "ask". To decide '
    "by the source of the text from others (others, agent, file, command, web), write e.g. "
    'run = { file = "allow" }'
)
_WHOSE = (
    'for each audience (who can read the agent: private, "private NAME" or group) or for one agent (8 or more digits '
    "of its id)"
)
_ROOTS = f'must be lists of folders, one list {_WHOSE}, e.g. [roots] private = ["…"], group = ["…"]'
_WORDS = f'must be a text for all agents, or one text {_WHOSE}, e.g. [system_prompt_extra] group = "…"'
RULES: Mapping[str, Rule] = {  # a test for each setting, and the message if it fails
    "roots": (_rooted, _ROOTS),
    "bootstrap_max_chars": (lambda value: type(value) is int and value >= 200, "must be a whole number, 200 or more"),
    "persona_policy": _one_of("strict", "balanced", "permissive"),
    "persona_min_confidence": (_share, "must be a number from 0 to 1"),
    "persona_sync": _one_of("export_only", "import_export", "disabled"),
    "persona_sync_apply": setting.TRUTH,
    "system_prompt_extra": (_worded, _WORDS),
    "ui": (_is_display, "must be a table [ui.assistant] with a name, an avatar, or both"),
    "group_soul": setting.TRUTH,
    "dream": (
        lambda value: value in (True, False, "model"),
        'must be true, false or "model" (the agent also asks a model)',
    ),
    "rest": _one_of("priced", "extract", "off"),
    "graduate": (_truth, "must be true or false: whether your repeated instructions become rules without asking"),
    "run": (setting.is_texts, 'must be a list of ids of agents, e.g. ["9f8e7d6c"]'),
    "sandbox": _one_of("on", "required", "bubblewrap", "landlock", "off"),
    "workspace": _one_of(*_WAYS),
    "network": _one_of("none", "on"),
    "hosts": (_hosts, 'must be a list of hosts, e.g. ["pypi.org", "*.example.org", "example.org:8443"]'),
    "limits": (
        _limited,
        "must be a table of whole numbers, each 16 or more, e.g. [limits] processes = 512, memory = 4096, disk = 4096 "
        "(memory and disk in MiB)",
    ),
    "environment": (setting.is_texts, 'must be a list of names of environment variables, e.g. ["EDITOR"]'),
    "providers": (_tables, "must be a table for each provider, e.g. [providers.deepseek]"),
    "background": (lambda value: isinstance(value, dict), 'must be a table, e.g. [background] provider = "deepseek"'),
    "bridges": (_tables, "must be a table for each bridge, e.g. [bridges.discord]"),
    "prices": (
        lambda value: isinstance(value, dict),
        'must be a table for each model, e.g. [prices."deepseek-v4-pro"]',
    ),
    "notify": (
        lambda value: value in ("", "fade"),
        'must be "fade" (a message when summaries replace old entries); remove the line to get no messages',
    ),
    "nearby": (setting.is_texts, 'must be a list of addresses of model servers, e.g. ["http://127.0.0.1:11434"]'),
    "memory_flush": (_flush, "must be a table: [memory_flush] enabled = true (or false), soft_threshold_tokens = 4000"),
    "memory_search": (_is_memory_search, _SEARCH),
    "retention": (_is_retention, _DAYS),
    "linger": (_seconds, "must be a number of seconds, 1 or more"),
    "policy": (_policy, _POLICY),
    "admission": (
        _is_admission,
        'must be a table of lists, e.g. [admission] rooms = ["news"], senders = ["eve"], sources = ["web"]',
    ),
    "toolpacks": (_is_named, f'must be lists of tools, one list {_WHOSE}, e.g. private = ["time.*"]'),
    "hooks": (_tables, "must be a table for each hook, e.g. [hooks.soul-evil] enabled = true"),
    **agent_tables.RULES,
}
MILD = ("ui", "notify", "memory_flush", "linger", "bootstrap_max_chars", "heartbeat", "bridges")
"""Settings whose loss gives an agent neither more rights nor more readers: an invalid one is left out with a warning.
Any other invalid setting stops every command, because its default could allow, send or delete more."""


def rules(used: Collection[str] = setting.OWNERS) -> dict[str, Rule]:
    """Return the rules of all settings, but of tables of capabilities only the `used` ones, if they are installed."""
    tables = {name: rule for one in _owners(used) for name, rule in one.RULES.items()}
    return {**setting.RULES, **RULES, **tables}


def _owners(used: Collection[str]) -> tuple[ModuleType, ...]:
    there = sorted({setting.OWNERS[name] for name in used if name in setting.OWNERS} & {*capabilities.names()})
    return capabilities.modules("options", tuple(there))


def flaw(given: Mapping[str, Any]) -> str:
    """Return the first problem with these settings, or ""."""
    if setting.flaw(given, rules(given), "unknown setting"):
        return setting.flaw(given, rules(), "unknown setting")
    return next(find_problems(given), "")


def find_problems(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the problems with the tables of providers, agents, hooks, prices and searches, each with its place."""
    yield from options.flaws(*(given.get(name, {}) for name in ("providers", "agents", "background")))
    if "store" in given.get("memory_search", {}):
        yield (
            "memory_search.store is not a setting; remove it. The search index stays in agents/<self>/run/, because an "
            "index elsewhere would keep the texts that you delete permanently"
        )
    if tables := given.get("hooks"):
        from dotagent.store import hooks  # imported only if hooks are set

        yield from hooks.flaws(tables)
    for model, price in given.get("prices", {}).items():
        if not priced(price):
            yield (
                f'[prices."{model}"] needs input and output, in US dollars for a million tokens, e.g. input = 0.27. It '
                'may also have cached, written, lasts (seconds in the cache), peak (with hours = "1-4 6-10"), and the '
                "prices of long prompts, e.g. above = { tokens = 200_000, input = 0.54, output = 2.2 }"
            )


def spoilt(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the invalid ones of the MILD settings, and the unknown bridges, each with a line about it."""
    there, found = rules(given), dict[str, str]()
    for name in (name for name in MILD if name in given and name in there):
        if wrong := setting.flaw({name: given[name]}, there, ""):
            found[name] = f"{wrong}; until you correct this, the default is in effect"
    for name in given.get("bridges", {}) if "bridges" not in found else ():
        if name not in (known := extensions.names("bridges")):
            found[f"bridges.{name}"] = (
                f"[bridges.{name}]: there is no such bridge{suggestions.suggest_all(name, known)}"
            )
    return found


def strangers(spool: Path, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield each table of an unknown provider, with advice. A custom program is known by its folder in the queue."""
    for name, table in given.get("providers", {}).items():
        spooled = names.ROOM.fullmatch(name) and (spool / name).is_dir()
        if not (spooled or "like" in table or options.kind(name, table)):
            known = dict.fromkeys((*extensions.names("providers"), *options.presets()))
            own = f"; to serve it with your own program, run `{installed.program('calls')} take --provider {name}`"
            yield f"[providers.{name}]: there is no such provider{suggestions.suggest_all(name, known)}{own}"


def find_shared_root(home: Path, roots: Mapping[str, Sequence[str]]) -> str:
    """Return what is wrong if two audiences can reach the same directory, because each would read the other's files."""
    shared = [
        (whose, root, Path(os.path.realpath(home / os.path.expanduser(root))))
        for whose, given in roots.items()
        for root in given
        if names.AUDIENCE.fullmatch(whose)
    ]
    for (whose, root, path), (other, _, theirs) in itertools.combinations(shared, 2):
        if whose != other and (path.is_relative_to(theirs) or theirs.is_relative_to(path)):
            return (
                f"roots: agents of `{whose}` and of `{other}` would share the private files "
                f"in {root}. Choose different folders, or name the one agent that may use this folder"
            )
    return ""


def put(given: dict[str, object], way: Sequence[str], value: object) -> None:
    """Set the value at the key path `way`, creating tables as needed.

    Does nothing if a key on the path is not a table: validation refuses such settings.
    """
    for name in way[:-1]:
        inner = given.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        given = inner
    given[way[-1]] = value
