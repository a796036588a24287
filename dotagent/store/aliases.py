"""Settings under the names used by DotAgent (Go) and Moltbot. Each is translated, or refused with the right name; none
is ignored.

A process calls `adopt` once on its environment, before anything reads it. Owns nothing on disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import cache
from pathlib import Path
from typing import Any

from dotagent import errors, extensions, installed
from dotagent.errors import Misuse
from dotagent.store import options, setting_rules
from dotagent.store.variables import ALLOWED, CHOICES, SETTINGS
from dotagent.text import lazy

RENAMED = {
    **CHOICES,
    "DOTAGENT_CHANNELS_DISCORD_TOKEN": "DISCORD_BOT_TOKEN",
    "DOTAGENT_CHANNELS_TELEGRAM_TOKEN": "TELEGRAM_BOT_TOKEN",
}
"""Variables with another name here."""
INSTEAD = {
    "DOTAGENT_MEMORY_MAX_RECALL_ITEMS": "a search shows 8 results; the command `recall -k N` shows N",
    "DOTAGENT_MEMORY_CANDIDATE_LIMIT": "dotagent always searches all turns that summaries replaced",
    "DOTAGENT_MEMORY_RETRIEVAL_CACHE_SECONDS": "dotagent has no cache that could be out of date",
    "DOTAGENT_MEMORY_WORKER_POLL_MS": "dotagent does not poll: an agent notices when a file changes",
    "DOTAGENT_MEMORY_WORKER_LEASE_SECONDS": "dotagent has no leases: a process holds a lock while it runs",
    "DOTAGENT_MEMORY_EMBEDDING_MODEL": "set provider and model under [memory_search] in dotagent.toml",
    "DOTAGENT_AGENTS_DEFAULTS_MAX_TOKENS": "set max_tokens under [providers.NAME] in dotagent.toml",
    "DOTAGENT_AGENTS_DEFAULTS_TEMPERATURE": "set temperature under [providers.NAME] in dotagent.toml",
    "DOTAGENT_AGENTS_DEFAULTS_WORKSPACE": "choose dotagent's data directory with DOTAGENT_HOME or --home DIR",
    "DOTAGENT_AGENTS_LIST": "write a table such as [agents.aria] for each agent into dotagent.toml",
    "DOTAGENT_INSTANCE": "for a separate data directory, use DOTAGENT_PROFILE, DOTAGENT_HOME or --home DIR",
    "CLAWDBOT_PROFILE": "dotagent reads DOTAGENT_PROFILE",
    "DOTAGENT_CONFIG": "the settings are in dotagent.toml of the directory that DOTAGENT_HOME or --home DIR names",
}
"""What to do instead of setting a variable that has no meaning here."""
HARMLESS = tuple(name for name in INSTEAD if name.startswith(("DOTAGENT_MEMORY_", "CLAWDBOT_")))
"""Variables of another program, or of a feature that dotagent lacks. They have no effect, and a message says so."""
_THEIRS = lazy.compile("DOTAGENT_(?:PROVIDERS|AGENTS|CHANNELS|MEMORY|GATEWAY|HEARTBEAT|TOOLS|ADMIN|RUNTIME)_")
_KINDS = "API_KEY|API_BASE|OAUTH_ACCESS_TOKEN|OAUTH_TOKEN_FILE|ORGANIZATION|PROJECT|PROXY"
_OF_PROVIDER = lazy.compile(f"DOTAGENT_PROVIDERS_([A-Z0-9_]+?)_({_KINDS})")
_DOTTED = (
    (r"agents\.defaults\.(provider|model)", r"\1"),
    (r"(?:agents\.defaults\.)?bootstrapMaxChars", "bootstrap_max_chars"),
    (r"agents\.defaults\.userTimezone", "zone"),
    (r"(?:agents\.defaults\.)?memorySearch\.(enabled|provider|model|store)(?:\.path)?", r"memory_search.\1"),
    (r"(?:agents\.defaults\.)?memorySearch\.local\.modelPath", "memory_search.model_path"),
    (r"(?:agents\.defaults\.)?compaction\.memoryFlush\.enabled", "memory_flush.enabled"),
    (r"(?:agents\.defaults\.)?compaction\.memoryFlush\.softThresholdTokens", "memory_flush.soft_threshold_tokens"),
    (r"hooks\.internal\.entries\.soul-evil\.(.+)", r"hooks.soul-evil.\1"),
    (r"memory\.persona_(policy)_mode", r"persona_\1"),
    (r"memory\.persona_file_(sync)_mode", r"persona_\1"),
    (r"memory\.(persona_min_confidence|persona_sync_apply)", r"\1"),
    (r"providers?\.([a-z0-9_-]+)\.(?:api_?key|apiKey)", r"\1 API_KEY"),
    (r"providers?\.([a-z0-9_-]+)\.(oauth_access_token|oauth_token_file|organization|project|proxy)", r"\1 \2"),
    (r"providers?\.([a-z0-9_-]+)\.api_?(?:base|Base)", r"providers.\1.base"),
    (r"(?:channels|bridges)\.([a-z]+)\.(?:token|bot_?[tT]oken)", r"\1 BOT_TOKEN"),
    (r"channels\.([a-z]+)\.(?:allow_?[fF]rom)", r"bridges.\1.users"),
    (r"(?:tools\.)?web\.(?:search\.)?(?:brave\.)?api_?[kK]ey", "BRAVE API_KEY"),
    (r"env\.(?:vars\.)?([A-Z][A-Z0-9_]+)", r"\1"),
)
"""Names in their settings files, and the names here. A name with a space is a variable and a secret."""

_TABLES = (
    (r"agents\.(?:entries|list)\.", INSTEAD["DOTAGENT_AGENTS_LIST"]),
    (r"name$", "an agent has its name in its file IDENTITY.md; edit it there"),
    (r"(?:tools\.)?mcp(?:Servers|\.servers)\.", "install each MCP server as a tool pack (docs/toolpacks.md)"),
)
"""Tables in their settings files, and what to do instead."""


def adopt(environ: MutableMapping[str, str]) -> None:
    """Rename the environment's variables to the names used here. Raises Misuse that lists each meaningless variable and
    what to use instead."""
    renamed, wrong = _read(environ)
    if wrong:
        raise Misuse(f"{'; '.join(wrong)}: unset {'it' if len(wrong) == 1 else 'them'}")
    for name in [one for one in environ if one in HARMLESS]:
        errors.tell(f"{name} has no effect ({INSTEAD[name]}); unset it")
        del environ[name]
    for old, new in renamed.items():
        value = environ.pop(old)
        if environ.setdefault(new, value) != value:
            raise Misuse(f"{old} and {new} mean the same but have different values; unset one of them")


def secrets(given: Mapping[str, str], place: str) -> dict[str, str]:
    """Rename the variables of an `.env` to the names used here. Raises Misuse for a variable that is not a secret."""
    renamed, wrong = _read(given)
    for name in given:
        if (
            (name in SETTINGS and name not in HARMLESS)
            or name == ALLOWED
            or renamed.get(name, "").startswith("DOTAGENT_")
        ):
            setting_of = {**SETTINGS, ALLOWED: "bridges.discord.users"}.get(name, name.rpartition("_")[2].lower())
            wrong.append(f"{name} is a setting; set it with `{installed.program('config')} set {setting_of} …`")
    if wrong:
        raise Misuse(f"{place}: {'; '.join(dict.fromkeys(wrong))}: remove {'it' if len(wrong) == 1 else 'them'}")
    return {renamed.get(name, name): value for name, value in given.items() if name not in HARMLESS}


def settings(environ: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    """Yield the settings that the environment contains under such names, with their values."""
    if given := [one.strip() for one in environ.get(ALLOWED, "").split(",") if one.strip()]:
        yield "bridges.discord.users", [f"id:{one}" if one.isdecimal() else one for one in given]
    for name, ours in SETTINGS.items():
        if (value := environ.get(name)) and ours.partition(".")[0] in setting_rules.RULES:
            yield ours, _value(value)


def own_name(name: str) -> str:
    """Return the name here of a setting in their files: `providers.openrouter.api_key` is OPENROUTER_API_KEY."""
    for form, here in _DOTTED:
        if found := re.fullmatch(form, name):
            words = found.expand(here)
            if " " in words:
                return words.replace(" ", "_").replace("-", "_").upper()
            return _dashed(words) if words.startswith("providers.") else words
    return name


def instead(name: str) -> str:
    """Return what to do instead of a setting of theirs that means nothing here, such as `memory.maxRecallItems`, or
    ""."""
    for form, why in _TABLES:
        if re.match(form, name):
            return why
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace(".", "_").upper()
    return next((INSTEAD[one] for one in (f"DOTAGENT_{plain}", f"DOTAGENT_MEMORY_{plain}") if one in INSTEAD), "")


def flaws(given: Mapping[str, object], place: str = "") -> Iterator[str]:
    """Yield a line for each setting in a file that has one of their names, with the name to use."""
    for name, value in given.items():
        if isinstance(value, dict):
            yield from flaws(value, f"{place}{name}.")
        if (here := own_name(f"{place}{name}")) != f"{place}{name}":
            what = f"{here}, in .env," if here.isupper() else here
            yield f"{place}{name} is called {what} in dotagent"
        elif why := instead(f"{place}{name}"):
            yield f"{place}{name} is not a setting of dotagent: {why}"
        elif place + name == "agents.defaults":
            yield "[agents.defaults] means an agent called defaults; put settings for all agents above the tables"


def _value(text: str) -> object:
    """Convert a variable's value to a bool or number if possible, otherwise return the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def provider(name: str) -> str:
    """Write a provider's name as dotagent does: `openai_codex` becomes openai-codex."""
    dashed = name.replace("_", "-")
    return dashed if dashed in _providers() else name


def _dashed(name: str) -> str:
    head, named, *rest = name.split(".")
    return ".".join((head, provider(named), *rest))


@cache
def _providers() -> tuple[str, ...]:
    return (*extensions.names("providers"), *options.presets())


def _read(given: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return the new names of these variables, and the problems with others."""
    renamed, wrong = dict[str, str](), list[str]()
    for name in given:
        of = _OF_PROVIDER.fullmatch(name)
        if name in RENAMED:
            renamed[name] = RENAMED[name]
        elif of and of[1].lower().replace("_", "-") in _providers():
            renamed[name] = f"{of[1]}_{of[2]}"
        elif name in (ALLOWED, *HARMLESS) or (
            name in SETTINGS and SETTINGS[name].partition(".")[0] in setting_rules.RULES
        ):
            continue
        elif _THEIRS.match(name) or name in INSTEAD:
            there = f"; the providers are {', '.join(_providers())}" if of else ""
            wrong.append(
                f"dotagent does not know the variable {name} "
                f"({INSTEAD.get(name, 'docs/settings.md lists the variables' + there)})"
            )
    return renamed, wrong


def translate(path: Path, given: dict[str, Any]) -> None:
    """Add the settings in variables of other systems. Raises Misuse for a setting under another system's name."""
    if wrong := next(flaws(given), ""):
        raise Misuse(f"{path}: {wrong}")
    for way, said in settings(os.environ):
        setting_rules.put(given, way.split("."), said)
    if isinstance(named := given.get("provider"), str):
        given["provider"] = provider(named)
