"""The home: a directory with its layout, its settings, and the rules for secrets in it.

The home is --home DIR, DOTAGENT_HOME, that of DOTAGENT_PROFILE, the checkout, or `~/.dotagent`, whichever is given
first. Outside a checkout, the prompts are copied into it. Owns the directories and these prompts. Reads `dotagent.toml`
and `.env`, which a person writes (or store/settings_edit.py for them).
"""

from __future__ import annotations

import os
import pwd
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from dotagent import errors, extensions, installed
from dotagent.capabilities import names as capability_names
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.store import disk, prompts, setting, variables
from dotagent.store.blobs import Blobs
from dotagent.text import encoding, names, times
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass, field, replace
from dotagent.text.reference import ID

PROMPTS = ("SOUL.md", "EXAMPLE.md", "SEGMENT.md", "SUMMARISE.md")
SETTINGS = "dotagent.toml"
PARTS = ("blobs", "chats", "calls", "agents", "bridges", "history", "backup.git", "own", "jobs", "packs", "skills",
         "tools", "providers", "commands", "plugins.json", ".env", SETTINGS)  # fmt: skip
"""Parts of the home that no agent may read."""
CONTEXT_LIMIT = 64_000  # tokens
LINGER = 300.0  # seconds
_known: dict[Path, bytes] = {}  # the version of each settings file that this process used last
NEARBY = ("http://127.0.0.1:11434", "http://127.0.0.1:8080/v1", "http://127.0.0.1:1234/v1")  # Ollama, llama.cpp, …


@dataclass
class Home:
    """The paths of a home."""

    root: Path

    def __post_init__(self) -> None:
        self.blobs = self.root / "blobs"  # the content-addressed store
        self.chats = self.root / "chats"  # the rooms
        self.calls = self.root / "calls"  # the spool between agents and providers
        self.agents = self.root / "agents"  # one directory for each agent
        self.bridges, self.packs = self.root / "bridges", self.root / "packs"  # a folder for each
        self.up, self.skills = self.root / "up", self.root / "skills"  # the supervisor's; one folder a skill
        self.jobs, self.clock = self.root / "jobs", self.root / "clock"  # one file for each job; files of the scheduler

    def agent(self, self_id: str) -> Path:
        """Return the directory of the agent with this full id."""
        return self.agents / self_id

    def room(self, name: str) -> Path:
        """Return the file of a room. Raises Misuse for an invalid room name."""
        if not names.ROOM.fullmatch(name):
            raise Misuse(f"{name[:64]!r} cannot be a room's name; use at most 64 of a-z, 0-9, _ and -, e.g. dev")
        return self.chats / f"{name}.md"

    def rooms(self) -> list[Path]:
        """Return the files of the rooms, sorted: regular files in chats/ with a room's name. Editors and programs that
        sync leave other files there."""
        known = (name for name in disk.names(self.chats, ".md") if names.ROOM.fullmatch(name[:-3]))
        found = (self.chats / name for name in known if not re.search(rf"{names.CONFLICT}\.md\Z", name))
        return [path for path in found if disk.is_file(path)]

    def prompt(self, name: str) -> Path:
        """Return the file of a prompt. In a checkout a person's own version is in own/, because the prompts there are
        under version control."""
        mine = self.root / "own" / name
        return mine if self.root == CODE and os.path.lexists(mine) else self.root / name

    def draft(self, name: str) -> Path:
        """Return the file with a person's draft for new agents. In a checkout it is in own/, outside version
        control."""
        return self.root / "own" / name if self.root == CODE else self.root / name

    @property
    def flag(self) -> str:
        """Return the option that makes a command use this home: ` --home DIR`, or "" for the default home."""
        import shlex

        return "" if self.root == find(None).root else f" --home {shlex.quote(str(self.root))}"

    def store(self) -> Blobs:
        """Return the blob store of this home."""
        return Blobs(self.blobs)


@dataclass(frozen=True)
class Settings:
    """The values of dotagent.toml and the environment. Each field has its name in the file."""

    provider: str | None = None
    """The provider that answers. None: the first one with credentials, otherwise `offline`."""
    model: str | None = None
    """The model. None: the provider's default."""
    context_limit: int = CONTEXT_LIMIT
    """Size of the context in tokens at which fading begins."""
    owner: str = ""
    """Whose untagged lines in rooms are. Empty: the user who runs dotagent."""
    roots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Extra directories that an agent's file tools may use, by its audience (`private ana`, `group`) or id."""
    run: tuple[str, ...] = ()
    """Agents (ids or prefixes) that may use RUN although they are in a bridge or a group, or are helpers."""
    environment: tuple[str, ...] = ()
    """Extra variables that agents keep and their commands see."""
    providers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """The settings of each provider."""
    background: Mapping[str, object] = field(default_factory=dict)
    """`provider`, `model` and options for background calls."""
    bridges: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """For each bridge: who may use it where, and its own settings."""
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """For each model name or prefix: US dollars per million tokens, multiplied by `peak` in `hours` (UTC, Mon to
    Fri)."""
    memory_search: Mapping[str, object] = field(default_factory=dict)  # the embedding model for semantic search
    notify: str = ""  # room messages about the agent's work: `fade` reports a swap
    nearby: tuple[str, ...] = NEARBY
    """Where to look for a local model server if no provider is chosen. Empty: nowhere."""
    fallback: tuple[str, ...] = ()
    """Providers that answer, in order, while the one before is unavailable."""
    memory_flush: Mapping[str, object] = field(default_factory=dict)  # the settings of the turn before forgetting
    retention: Mapping[str, int] = field(default_factory=dict)  # days until deletion: `episodes`, `audit`
    budget: Mapping[str, float] = field(default_factory=dict)
    """Limits for all answers of all agents together: agent_tables.BUDGETS."""
    bootstrap_max_chars: int = 20_000
    """Characters of each bootstrap file that an agent sees."""
    persona_policy: str = "balanced"  # how much evidence an agent needs to change its persona files
    persona_min_confidence: float = 0.52  # confidence for facts that are not name, pronouns, zone or language
    persona_sync: str = "export_only"  # write files; read hand edits too (`import_export`); or neither
    persona_sync_apply: bool = True  # whether a person's words apply in the same turn
    system_prompt_extra: Mapping[str, str] = field(default_factory=dict)
    """A person's additions to prompts, by audience or agent as in `roots`."""
    group_soul: bool = True  # whether agents in groups see their SOUL
    dream: bool | str = False  # whether the scheduler lets idle agents dream; `model`: with a model
    rest: str = "priced"  # summaries in a pause: if they save money, without a model (`extract`), or `off`
    graduate: bool = False  # whether dreams may adopt a person's instructions without asking
    ui: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # display of agents: `assistant`
    policy: Mapping[str, Any] = field(default_factory=dict)  # which effects need approval: life/policy.py
    admission: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # texts that are never kept: life/marks.py
    agents: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """For each agent (its id, a prefix, or its name): `fallback`, `budget`, other options, and its identity."""
    linger: float = LINGER  # idle seconds after which an agent that `up` started exits
    hooks: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # programs to run at events
    toolpacks: Mapping[str, list[str]] = field(default_factory=dict)  # tools of packs by audience or agent
    zone: str = ""  # the person's time zone for jobs, days and displayed times; empty: this machine's
    sandbox: str = "on"
    """The sandbox for commands: `on` (the best available), `required`, `bubblewrap`, `landlock`, or `off`."""
    workspace: str = "rw"  # sandboxed access to the agent's directory: `rw`, `ro`, `none`
    network: str = "none"  # for sandboxed commands: `on`, `none`; `hosts` stay reachable
    hosts: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)  # limits of a command: sandbox/limits.py
    capabilities: tuple[str, ...] = field(default_factory=capability_names)  # the names of the capabilities that are on
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # tables of capabilities, by name
    idle: tuple[str, ...] = ()  # a line for each setting without effect, because its capability is absent
    fade_to: float = 0.4
    """The share of the fadeable part of the context that remains, word for word or as summaries, after a swap."""

    def of_agent(self, life: str) -> Mapping[str, object]:
        """Return an agent's own settings, from `[agents.9f8e7d6c]`, which names its id or the beginning of it. If
        several tables name the agent, the table with the longest name wins."""
        mine = sorted((id for id in self.agents if life.startswith(id)), key=len)
        return {name: value for id in mine for name, value in self.agents[id].items()}

    def fallback_of(self, life: str) -> tuple[str, ...]:
        """Return the providers that answer for an agent while its own is unavailable, in order: its own list, or the
        home's."""
        own = self.of_agent(life).get("fallback")
        return tuple(map(str, own)) if isinstance(own, list) else self.fallback

    def value(self, name: str) -> Any:
        """Return the value of a setting by its name: a setting of the core, or a capability's table."""
        return self.tables.get(name, {}) if name in setting.OWNERS else getattr(self, name)

    @property
    def place(self) -> str:
        """Return the time zone in use."""
        return self.zone or times.machine_zone()

    def table(self, provider: str) -> Mapping[str, object]:
        """Return a provider's settings, over the presets of known servers."""
        from dotagent.store import options  # loaded only for tables of providers

        return {**options.presets().get(provider, {}), **self.providers.get(provider, {})}

    def kind(self, provider: str) -> str:
        """Return the name of the provider's module, or "" for a custom program."""
        from dotagent.store import options  # loaded only for tables of providers

        return options.kind(provider, self.providers.get(provider, {}))

    def names(self) -> tuple[str, ...]:
        """Return the providers with a module, and the servers in these settings."""
        return (*extensions.names("providers"), *(name for name in self.providers if self.kind(name) not in ("", name)))

    def options(self, provider: str, model: str, life: str, live: bool) -> dict[str, object]:
        """Return the options of a call by this agent."""
        if provider in extensions.names("providers") and not (self.providers or self.agents or self.background):
            return {}
        from dotagent.store import agent_tables, options  # loaded only for tables of providers

        own = {name: one for name, one in self.of_agent(life).items() if name not in agent_tables.OWN}
        beside = {name: one for name, one in self.background.items() if name not in options.BACKGROUND}
        return options.merge_options(
            self.kind(provider), self.table(provider), model, own, *(() if live else (beside,))
        )


def find(argument: str | None) -> Home:
    """Return the home to use: --home, DOTAGENT_HOME, DOTAGENT_PROFILE's, or installed.HOME, in this order. Renames
    foreign environment variables first. Raises Misuse."""
    if _has_others_variables():
        from dotagent.store import aliases

        aliases.adopt(os.environ)
    if argument == "":
        raise Misuse("--home has no value; name a directory, such as --home ~/dotagent")
    root = Path(os.path.expanduser(argument or os.environ.get("DOTAGENT_HOME") or _profile())).absolute()
    if root.exists() and not root.is_dir():
        raise Misuse(f"{root} is a file, not a directory for dotagent's data; choose one with --home DIR")
    return Home(root)


def _has_others_variables() -> bool:
    """Return True if a variable may have the name that another system gives it (aliases.py)."""
    return any(name.startswith(("DOTAGENT_", "CLAWDBOT_")) and not variables.is_ours(name) for name in os.environ)


def _profile() -> str:
    """Return the home that DOTAGENT_PROFILE names, or the default. Raises Misuse for an invalid name."""
    if not (name := os.environ.get("DOTAGENT_PROFILE")):
        return installed.HOME
    if not names.ROOM.fullmatch(name):
        raise Misuse(
            f"DOTAGENT_PROFILE={name[:64]!r} cannot be a name; use a-z, 0-9, _ and -, e.g. aria for ~/.dotagent-aria"
        )
    return f"~/.dotagent-{name}"


def prepare(home: Home) -> None:
    """Create the directories and prompts, durably. Existing files stay, except unedited prompts of old versions."""
    for directory in (home.root, home.blobs, home.chats, home.calls, home.agents):
        disk.make_dir(directory)
    for name in PROMPTS:
        if not os.path.lexists(home.root / name) or prompts.outdated(home.root / name):
            disk.replace(home.root / name, prompts.brought(name))


def settings(home: Home) -> Settings:
    """Read dotagent.toml and the environment, which overrides it, and set the process's time zone. Raises Misuse with
    the place of the mistake, except for a mild one (setting_rules.MILD), which is a line of `idle`. An invalid file,
    or one that does not end as before, may be half saved, so it is read again if it changed just now."""
    path = home.root / SETTINGS
    known = _known.get(path) or b"\n"
    end = known[known.rfind(b"\n", 0, -1) + 1 :]

    def read() -> bytes:
        return disk.read(path, follow=True, missing=b"")

    def find_valid(raw: bytes) -> Settings | None:
        with suppress(Misuse):
            return parsed(home, raw, mild=True) if raw.endswith(end) else None
        return None

    try:
        if not (found := find_valid(raw := read())):
            from dotagent.store import half_saved

            found = parsed(home, raw := half_saved.settled(path, read, find_valid), mild=True)
    except OSError as error:
        raise Misuse(errors.line(error)) from None
    times.live_in(found.zone)
    _known[path] = raw
    return found


def parsed(home: Home, raw: bytes, mild: bool = False) -> Settings:
    """Parse these bytes as dotagent.toml, with the environment over them. Raises Misuse like `settings`, and without
    `mild` for each mistake."""
    path = home.root / SETTINGS
    there = extensions.names("providers")
    given, spoilt, made = _parse_settings(path, raw, hash(frozenset(os.environ.items())), there)
    if spoilt and not mild:
        raise Misuse(f"{path}: {spoilt[0]}")
    if made.providers or made.roots:
        from dotagent.store import setting_rules

        unknown = next(setting_rules.strangers(home.calls / "new", given), "")
        if wrong := unknown or setting_rules.find_shared_root(home.root, made.roots):
            raise Misuse(f"{path}: {wrong}")
    if not made.agents:
        return made
    from dotagent.store import named_agents

    return replace(made, agents=named_agents.key_by_id(home.root, made.agents))


@lru_cache(maxsize=8)  # read several times in each turn, and rarely changed
def _parse_settings(
    path: Path, raw: bytes, environ: int, providers: tuple[str, ...]
) -> tuple[dict[str, Any], tuple[str, ...], Settings]:
    """Return the settings in these bytes, with the environment over them, as given and as used, but with the names of
    agents; and a line for each invalid mild one. `environ` is its hash, and `providers` are the modules, for the cache.
    Raises Misuse."""
    given, spoilt = _merge_environment(path, raw)
    if place := next(setting.credentials(given), None):
        raise Misuse(f"{path}: {place.lstrip('.')} has a password or key in its address: settings must not contain "
        f"secrets; put such an address into .env, e.g. as OLLAMA_API_BASE")  # fmt: skip
    found = {name: value for name, value in given.items() if value != ""}
    for name, whose in (("roots", "private"), ("system_prompt_extra", "private"), ("policy", "all")):
        said = given.get(name, {})
        found[name] = said if isinstance(said, dict) else {whose: said}
    found["roots"] = {whose: tuple(paths) for whose, paths in found["roots"].items()}
    found |= {name: tuple(value) for name, value in found.items() if isinstance(value, list)}
    found["idle"] = (*(f"{SETTINGS}: {one}" for one in spoilt), *setting.find_ineffective(given))
    found["tables"] = {name: found.pop(name) for name in setting.OWNERS if name in found}
    return given, spoilt, Settings(**found)


def _merge_environment(path: Path, raw: bytes) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the settings in these bytes, with the environment over them, and a line for each invalid mild one, which
    is left out. Raises Misuse for any other mistake."""
    import tomllib

    try:
        given: dict[str, Any] = tomllib.loads(encoding.decode(raw)[0])
    except (NotText, tomllib.TOMLDecodeError, RecursionError) as error:
        raise Misuse(f"{path}: {error}; correct the file or move it away") from None
    for name in ("provider", "model", "context_limit", "sandbox", "policy"):
        if value := os.environ.get(f"DOTAGENT_{name.upper()}"):
            given[name] = int(value) if re.fullmatch(r"[0-9]{1,12}", value) and name == "context_limit" else value
    if (addresses := os.environ.get("DOTAGENT_NEARBY")) is not None:
        given["nearby"] = addresses.split()
    if _has_others_variables() or "_" in str(given.get("provider")) or not setting.are_core(given):
        from dotagent.store import aliases  # most homes have no such names

        aliases.translate(path, given)
    if setting.are_core(given):
        spoilt, wrong = dict[str, str](), setting.flaw(given, setting.RULES, "")
    else:
        from dotagent.store import setting_rules

        spoilt = setting_rules.spoilt(given)
        given = {name: value for name, value in given.items() if name not in spoilt}
        if "bridges" in given:
            given["bridges"] = {name: one for name, one in given["bridges"].items() if f"bridges.{name}" not in spoilt}
        wrong = setting_rules.flaw({name: value for name, value in given.items() if name not in setting.idle(given)})
    if wrong:
        raise Misuse(f"{path}: {wrong}")
    return given, tuple(spoilt.values())


def settings_now(home: Home, before: Settings) -> Settings:
    """Return the current settings, or `before` while the file is being edited and invalid."""
    try:
        return settings(home)
    except Misuse:
        return before


def owner(settings: Settings) -> str:
    """Return the owner's name: from settings, otherwise the user who runs this. Raises Misuse if neither is known."""
    if name := settings.owner or user():
        return name
    raise Misuse('the owner is unknown, because your user account has no name; set owner = "…" in dotagent.toml')


def user() -> str:
    """Return the login name of the current user, or ""."""
    try:
        return os.environ.get("USER") or pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""


def lives(home: Home, room: str = "") -> list[str]:
    """Return the full ids of all agents of the home, or of the agents that have joined the room, sorted. Raises OSError
    if a directory is unreadable."""
    if not home.agents.is_dir():
        return []
    top = str(home.agents)  # and no Path for each agent, because a home may have thousands
    known = [name for name in os.listdir(top) if ID.fullmatch(name)]
    there = [name for name in known if stat.S_ISLNK(_mode(f"{top}/{name}/subs/{room}.md"))] if room else known
    return sorted(name for name in there if stat.S_ISREG(_mode(f"{top}/{name}/LIFE.md")))


def _mode(path: str) -> int:
    """Return the mode of a file, without following a link, or 0 if the file is missing. Raises PermissionError if the
    directory is unreadable."""
    try:
        return os.lstat(path).st_mode
    except PermissionError:
        raise
    except OSError:
        return 0


def require(home: Home) -> None:
    """Raise Trouble if no home exists here."""
    if not home.agents.is_dir():
        raise Trouble(
            f"there is no dotagent data in {home.root} yet; create it with `{installed.program('agent')}{home.flag}`"
        )
