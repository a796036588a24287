"""Settings under the names that people of DotAgent (Go) and Moltbot know: each is understood, or refused with what is
right here; none is ignored.

A process takes its own environment's over by `adopt`, once, before anybody else looks. Owns nothing on disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import cache

from dotagent import extensions, installed
from dotagent.errors import Misuse
from dotagent.store import options, setting
from dotagent.text import names

ALLOWED = "DOTAGENT_CHANNELS_DISCORD_ALLOW_FROM"
RENAMED = {
    "DOTAGENT_AGENTS_DEFAULTS_PROVIDER": "DOTAGENT_PROVIDER",
    "DOTAGENT_AGENTS_DEFAULTS_MODEL": "DOTAGENT_MODEL",
    "DOTAGENT_CHANNELS_DISCORD_TOKEN": "DISCORD_BOT_TOKEN",
    "DOTAGENT_CHANNELS_TELEGRAM_TOKEN": "TELEGRAM_BOT_TOKEN",
}
"""Variables that have another name here."""
SETTINGS = {
    "DOTAGENT_MEMORY_PERSONA_SYNC_APPLY": "persona_sync_apply",
    "DOTAGENT_MEMORY_PERSONA_FILE_SYNC_MODE": "persona_sync",
    "DOTAGENT_MEMORY_PERSONA_POLICY_MODE": "persona_policy",
    "DOTAGENT_MEMORY_PERSONA_MIN_CONFIDENCE": "persona_min_confidence",
    "DOTAGENT_MEMORY_MAX_RECALL_ITEMS": "max_recall_items",
    "DOTAGENT_MEMORY_CANDIDATE_LIMIT": "candidate_limit",
    "DOTAGENT_MEMORY_EMBEDDING_MODEL": "embedding_model",
    "DOTAGENT_MEMORY_EVENT_RETENTION_DAYS": "retention.episodes",
    "DOTAGENT_MEMORY_AUDIT_RETENTION_DAYS": "retention.audit",
}
"""Variables that are settings here, once there are such."""
INSTEAD = {
    "DOTAGENT_MEMORY_MAX_RECALL_ITEMS": "recall shows 8, and the command `recall -k` more",
    "DOTAGENT_MEMORY_CANDIDATE_LIMIT": "every turn that was forgotten is searched",
    "DOTAGENT_MEMORY_RETRIEVAL_CACHE_SECONDS": "nothing is cached that could be stale",
    "DOTAGENT_MEMORY_WORKER_POLL_MS": "nothing polls: a life wakes when a file changes",
    "DOTAGENT_MEMORY_WORKER_LEASE_SECONDS": "there are no leases: a process holds a lock while it lives",
    "DOTAGENT_MEMORY_EMBEDDING_MODEL": "set provider and model under [memory_search] in dotagent.toml",
    "DOTAGENT_AGENTS_DEFAULTS_MAX_TOKENS": "set max_tokens under [providers.NAME] in dotagent.toml",
    "DOTAGENT_AGENTS_DEFAULTS_TEMPERATURE": "set temperature under [providers.NAME] in dotagent.toml",
    "DOTAGENT_AGENTS_DEFAULTS_WORKSPACE": "a home is DOTAGENT_HOME, or --home DIR",
    "DOTAGENT_INSTANCE": "a home of its own is DOTAGENT_PROFILE, DOTAGENT_HOME or --home DIR",
    "DOTAGENT_CONFIG": "settings are dotagent.toml in the home, which is DOTAGENT_HOME or --home DIR",
}
"""What to do instead of setting a variable that means nothing here."""
_THEIRS = re.compile("DOTAGENT_(?:PROVIDERS|AGENTS|CHANNELS|MEMORY|GATEWAY|HEARTBEAT|TOOLS|ADMIN|RUNTIME)_")
_KINDS = "API_KEY|API_BASE|OAUTH_ACCESS_TOKEN|OAUTH_TOKEN_FILE|ORGANIZATION|PROJECT|PROXY"
_OF_PROVIDER = re.compile(f"DOTAGENT_PROVIDERS_([A-Z0-9_]+?)_({_KINDS})")
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
)
"""Names in their files, and what they are here; one with a space is a variable, and a secret."""


def adopt(environ: MutableMapping[str, str]) -> None:
    """Give this environment's variables the names that they have here. Raises Misuse that names each that means
    nothing here, and what is right."""
    renamed, wrong = _read(environ)
    if wrong:
        raise Misuse(f"{'; '.join(wrong)}: unset {'it' if len(wrong) == 1 else 'them'}")
    for old, new in renamed.items():
        value = environ.pop(old)
        if environ.setdefault(new, value) != value:
            raise Misuse(f"{old} and {new} mean the same, and are set to two things: unset one")


def secrets(given: Mapping[str, str], place: str) -> dict[str, str]:
    """The variables of an `.env` under the names that they have here. Raises Misuse for what is no secret."""
    renamed, wrong = _read(given)
    for name in given:
        if name in SETTINGS or name == ALLOWED or renamed.get(name, "").startswith("DOTAGENT_"):
            setting_of = {**SETTINGS, ALLOWED: "bridges.discord.users"}.get(name, name.rpartition("_")[2].lower())
            wrong.append(f"{name} is a setting, `{installed.typed('config')} set {setting_of} …`")
    if wrong:
        raise Misuse(f"{place}: {'; '.join(dict.fromkeys(wrong))}: take {'it' if len(wrong) == 1 else 'them'} out")
    return {renamed.get(name, name): value for name, value in given.items()}


def settings(environ: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    """The settings that the environment says under such names, each with its value."""
    if given := [one.strip() for one in environ.get(ALLOWED, "").split(",") if one.strip()]:
        yield "bridges.discord.users", [f"id:{one}" if one.isdecimal() else one for one in given]
    for name, ours in SETTINGS.items():
        if (value := environ.get(name)) and ours.partition(".")[0] in setting.RULES:
            yield ours, _value(value)


def profile() -> str:
    """The home that DOTAGENT_PROFILE names, or the usual one. Raises Misuse for what can be no home's name."""
    if not (name := os.environ.get("DOTAGENT_PROFILE")):
        return installed.HOME
    if not names.ROOM.fullmatch(name):
        raise Misuse(f"DOTAGENT_PROFILE={name[:64]!r} names no home: a-z, 0-9, _ and -, e.g. aria for ~/.dotagent-aria")
    return f"~/.dotagent-{name}"


def kept(name: str) -> bool:
    """Whether an agent may have the variable of this name: it says a setting."""
    return name == ALLOWED or name in SETTINGS


def ours(name: str) -> str:
    """The name here of a setting in one of their files: `providers.openrouter.api_key` is OPENROUTER_API_KEY."""
    for form, here in _DOTTED:
        if found := re.fullmatch(form, name):
            words = found.expand(here)
            if " " in words:
                return words.replace(" ", "_").replace("-", "_").upper()
            return _dashed(words) if words.startswith("providers.") else words
    return name


def flaws(given: Mapping[str, object], place: str = "") -> Iterator[str]:
    """What stands in a file of settings under a name of theirs, with its name here."""
    for name, value in given.items():
        if isinstance(value, dict):
            yield from flaws(value, f"{place}{name}.")
        if (here := ours(f"{place}{name}")) != f"{place}{name}":
            what = f"{here}, in .env," if here.isupper() else here
            yield f"{place}{name} is {what} here"
        elif place + name == "agents.defaults":
            yield "[agents.defaults] would be an agent: what holds for all of them stands above the tables"


def _value(text: str) -> object:
    """A variable's value: a number or truth where it is one, else a text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _dashed(name: str) -> str:
    """The name with the provider's as it is written here: `openai_codex` is openai-codex."""
    head, provider, *rest = name.split(".")
    dashed = provider.replace("_", "-")
    return ".".join((head, dashed if dashed in _providers() else provider, *rest))


@cache
def _providers() -> tuple[str, ...]:
    return (*extensions.names("providers"), *options.presets())


def _read(given: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Which of these variables have another name here, and what is wrong with others."""
    renamed, wrong = dict[str, str](), list[str]()
    for name in given:
        of = _OF_PROVIDER.fullmatch(name)
        if name in RENAMED:
            renamed[name] = RENAMED[name]
        elif of and of[1].lower().replace("_", "-") in _providers():
            renamed[name] = f"{of[1]}_{of[2]}"
        elif name == ALLOWED or (name in SETTINGS and SETTINGS[name].partition(".")[0] in setting.RULES):
            continue
        elif _THEIRS.match(name) or name in INSTEAD:
            there = f"; there are providers {', '.join(_providers())}" if of else ""
            wrong.append(f"{name} means nothing here ({INSTEAD.get(name, 'docs/settings.md has what does' + there)})")
    return renamed, wrong
