"""The home: the directory in which everything lives, its layout, its settings, and which secrets it may not keep.

A home is --home DIR, or DOTAGENT_HOME, or that of DOTAGENT_PROFILE, or a checkout, or `~/.dotagent`; but in a checkout
it is seeded with the prompts. Owns the layout's directories, the seeded prompts, and reads `dotagent.toml` and `.env`,
which are a person's to write (store/written.py does it for them).
"""

from __future__ import annotations

import itertools
import os
import pwd
import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dotagent import errors, extensions, installed
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.store import allowance, disk, foreign, listed, options, prompts, setting, walked
from dotagent.store.blobs import Blobs
from dotagent.text import names, near, schedule
from dotagent.text.reference import ID, PREFIX

PROMPTS = ("SOUL.md", "EXAMPLE.md", "SEGMENT.md", "SUMMARISE.md")
SETTINGS = "dotagent.toml"
CONTEXT_LIMIT = 64_000  # tokens
LINGER = 300.0  # seconds
NEARBY = ("http://127.0.0.1:11434", "http://127.0.0.1:8080/v1", "http://127.0.0.1:1234/v1")  # of Ollama, and others


@dataclass
class Home:
    """A home's paths."""

    root: Path

    def __post_init__(self) -> None:
        self.blobs = self.root / "blobs"  # the content-addressed store
        self.chats = self.root / "chats"  # the rooms
        self.calls = self.root / "calls"  # the spool between agents and providers
        self.agents = self.root / "agents"  # one directory a life
        self.bridges, self.packs = self.root / "bridges", self.root / "packs"  # a folder a bridge; one a tool pack
        self.up, self.skills = self.root / "up", self.root / "skills"  # what keeps all of it running; a folder a skill
        self.jobs, self.clock = self.root / "jobs", self.root / "clock"  # a file a job; what the clock has done

    def agent(self, self_id: str) -> Path:
        """The directory of the life with this full id."""
        return self.agents / self_id

    def room(self, name: str) -> Path:
        """The file of a room. Raises Misuse for what cannot be a room's name."""
        if not names.ROOM.fullmatch(name):
            raise Misuse(f"{name[:64]!r} cannot be a room: a name is a-z, 0-9, _ and -, at most 64, e.g. dev")
        return self.chats / f"{name}.md"

    def prompt(self, name: str) -> Path:
        """The file of a prompt. A checkout's are templates, under version control: a person's own stand in its own/."""
        mine = self.root / "own" / name
        return mine if self.root == CODE and os.path.lexists(mine) else self.root / name

    @property
    def flag(self) -> str:
        """What a command needs to mean this home: ` --home DIR`, or nothing where it is the usual one."""
        return "" if self.root == find(None).root else f" --home {shlex.quote(str(self.root))}"

    def store(self) -> Blobs:
        """The blobs of this home."""
        return Blobs(self.blobs)


@dataclass(frozen=True)
class Settings:
    """What dotagent.toml and the environment ask for; each field under its name in the file."""

    provider: str | None = None
    """Which provider answers; None: the first with credentials, else `offline`."""
    model: str | None = None
    """Which model; None: the provider's default."""
    context_limit: int = CONTEXT_LIMIT
    """Tokens of the context beyond which forgetting begins."""
    owner: str = ""
    """Whose untagged lines in rooms are; empty: the user who runs this."""
    roots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Directories beside its own that a life's file tools may use, by its audience (`private ana`, `group`) or id."""
    run: tuple[str, ...] = ()
    """Lives (ids or prefixes) that may RUN although they hear a bridge, a group, or are helpers."""
    environment: tuple[str, ...] = ()
    """Variables beside the usual ones that agents keep, and their commands see."""
    providers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Per provider: a table of its own settings."""
    background: Mapping[str, object] = field(default_factory=dict)
    """For calls beside the conversation: another `provider` and `model`, and options."""
    bridges: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Per bridge: a table of whom it lets in where, and of its own settings."""
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Per model, or its beginning: US dollars a million tokens; `peak` times as much in `hours` (UTC, Mon to Fri)."""
    memory_search: Mapping[str, object] = field(default_factory=dict)  # who knows what is like by its meaning
    notify: str = ""  # of what rooms are told unasked: `fade`, what a swap let fade
    nearby: tuple[str, ...] = NEARBY
    """Where a model server of one's own is looked for when nothing else is chosen; none: nowhere."""
    fallback: tuple[str, ...] = ()
    """Which providers answer, one after the other, while the one before is away."""
    memory_flush: Mapping[str, object] = field(default_factory=dict)  # the turn before forgetting: its table
    retention: Mapping[str, int] = field(default_factory=dict)  # after how many days what goes: `episodes`, `audit`
    budget: Mapping[str, float] = field(default_factory=dict)
    """What all answers to all lives may take: allowance.BUDGETS."""
    bootstrap_max_chars: int = 20_000
    """How many characters of each bootstrap file are shown to an agent."""
    persona_policy: str = "balanced"  # how sure an agent must be of what it writes of itself and its person; and
    persona_min_confidence: float = 0.52  # of what changes more easily than names, pronouns, time zone and language
    persona_sync: str = "export_only"  # whether files say it, a hand edit binds (`import_export`), or neither
    persona_sync_apply: bool = True  # whether what a person says of it holds in the same turn
    system_prompt_extra: Mapping[str, str] = field(default_factory=dict)
    """A person's own words in prompts, by audience or life as `roots`."""
    group_soul: bool = True  # whether lives in groups see their SOUL
    dream: bool | str = False  # whether the clock lets lives at rest dream; `model`: with one
    graduate: bool = False  # whether dreams let a person's own instructions be learned without being asked
    ui: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # how agents are shown: `assistant`
    web: Mapping[str, object] = field(default_factory=dict)
    """What of the web is open: `hosts` and `near` addresses, to which `lives`, and by which engine they `search`."""
    policy: Mapping[str, object] = field(default_factory=dict)  # what is asked first: see life/policy.py
    agents: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Per life (its id or its beginning, or its name): `fallback`, `budget`, options of its own, and what is listed."""
    linger: float = LINGER  # seconds after which a life that `up` started, and that has nothing to do, leaves
    hooks: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # what happens at events
    toolpacks: Mapping[str, list[str]] = field(default_factory=dict)  # which tools of packs, by audience or life
    zone: str = ""  # the time zone that jobs and heartbeats mean; empty: this machine's
    heartbeat: Mapping[str, object] = field(default_factory=dict)
    """When agents look after their HEARTBEAT.md: `every`, `hours`, `room`."""
    spawn: Mapping[str, object] = field(default_factory=dict)  # what helpers may take: as spawned.USUAL
    sandbox: str = "on"
    """Where commands run: `on` (the best there is), `required`, `bubblewrap`, `landlock` (or nowhere), `off`."""
    workspace: str = "rw"  # what sandboxed commands may do with the agent's directory: `rw`, `ro`, `none`
    network: str = "none"  # whether sandboxed commands have it: `on`, `none`; and hosts that they reach all the same
    hosts: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The time zone that is meant."""
        return self.zone or schedule.here()

    def table(self, provider: str) -> Mapping[str, object]:
        """What is said of a provider here, and of a server that is known already there."""
        return {**options.presets().get(provider, {}), **self.providers.get(provider, {})}

    def kind(self, provider: str) -> str:
        """The file by which the provider is spoken to; "" for a program of somebody's own."""
        return options.kind(provider, self.providers.get(provider, {}))

    def names(self) -> tuple[str, ...]:
        """The providers that have a file, and the servers of which something is said here."""
        return (*extensions.names("providers"), *(name for name in self.providers if self.kind(name) not in ("", name)))

    def options(self, provider: str, model: str, life: str, live: bool) -> dict[str, object]:
        """What a call of the life is asked with."""
        own = {name: one for name, one in allowance.of(self.agents, life).items() if name not in allowance.OWN}
        beside = {name: one for name, one in self.background.items() if name not in options.BACKGROUND}
        return options.of(self.kind(provider), self.table(provider), model, own, *(() if live else (beside,)))


def find(argument: str | None) -> Home:
    """The home that this command means: --home, else DOTAGENT_HOME, else DOTAGENT_PROFILE's, else installed.HOME. The
    environment's settings get the names that they have here, before anybody reads them. Raises Misuse."""
    foreign.adopt(os.environ)
    if argument == "":
        raise Misuse("--home: which directory? it is empty")
    root = Path(os.path.expanduser(argument or os.environ.get("DOTAGENT_HOME") or foreign.profile())).absolute()
    if root.exists() and not root.is_dir():
        raise Misuse(f"{root} is a file, and a home is a directory: name another with --home DIR")
    return Home(root)


def prepare(home: Home) -> None:
    """Make the directories and seed the prompts, durably; what is there stays, but an earlier version's own prompts."""
    for directory in (home.root, home.blobs, home.chats, home.calls, home.agents):
        disk.make_dir(directory)
    for name in PROMPTS:
        if not os.path.lexists(home.root / name) or prompts.outdated(home.root / name):
            disk.replace(home.root / name, prompts.brought(name))


def settings(home: Home) -> Settings:
    """Read dotagent.toml and the environment over it. Raises Misuse that names the place of a mistake."""
    try:
        return parsed(home, disk.read(home.root / SETTINGS, follow=True, missing=b""))
    except OSError as error:
        raise Misuse(errors.line(error)) from None


def parsed(home: Home, raw: bytes) -> Settings:
    """What these bytes say as the home's dotagent.toml, and the environment over them. Raises Misuse as `settings`."""
    path = home.root / SETTINGS
    try:
        given: dict[str, Any] = tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Misuse(f"{path}: {error}: mend it or move it away") from None
    for name in ("provider", "model", "context_limit", "sandbox", "policy"):
        if value := os.environ.get(f"DOTAGENT_{name.upper()}"):
            given[name] = int(value) if re.fullmatch(r"[0-9]{1,12}", value) and name == "context_limit" else value
    if (addresses := os.environ.get("DOTAGENT_NEARBY")) is not None:
        given["nearby"] = addresses.split()
    if wrong := next(foreign.flaws(given), ""):
        raise Misuse(f"{path}: {wrong}")
    for way, said in foreign.settings(os.environ):
        setting.put(given, way.split("."), said)
    if wrong := near.flaw(given, setting.RULES, "unknown setting"):
        raise Misuse(f"{path}: {wrong}")
    tables = (given.get(name, {}) for name in ("providers", "agents", "background"))
    strange = setting.strangers(home.calls / "new", given)
    if wrong := next(itertools.chain(strange, options.flaws(*tables), setting.more(given)), ""):
        raise Misuse(f"{path}: {wrong}")
    if place := next(setting.credentials(given), None):
        raise Misuse(f"{path}: {place.lstrip('.')} has a password or key in its address: settings hold no secret, "
                     "an address that is one belongs in .env, e.g. as OLLAMA_API_BASE")  # fmt: skip
    found: dict[str, Any] = {name: value for name, value in given.items() if value != ""}
    for name, whose in (("roots", "private"), ("system_prompt_extra", "private"), ("policy", "all")):
        said = given.get(name, {})
        found[name] = said if isinstance(said, dict) else {whose: said}
    found["roots"] = {whose: tuple(paths) for whose, paths in found["roots"].items()}
    found |= {name: tuple(value) for name, value in found.items() if isinstance(value, list)}
    found["agents"] = listed.by_life(home.root, given.get("agents", {}))
    _check_apart(home, settings := Settings(**found))
    return settings


def settings_now(home: Home, before: Settings) -> Settings:
    """The settings as they are now; while somebody writes them, as they were before."""
    try:
        return settings(home)
    except Misuse:
        return before


def roots(home: Home, settings: Settings, audience: str, life: str) -> list[Path]:
    """The real paths of the directories beside its own that a life may use: its audience's and its own."""
    return [_real(home, one) for mine in setting.named(settings.roots, audience, life, owner(settings)) for one in mine]


def _real(home: Home, root: str) -> Path:
    return Path(os.path.realpath(home.root / os.path.expanduser(root)))


def _check_apart(home: Home, settings: Settings) -> None:
    """Raise Misuse when two audiences reach one directory: what one writes there, the other would read."""
    given = [(whose, root, _real(home, root)) for whose, roots in settings.roots.items() for root in roots]
    shared = [one for one in given if names.AUDIENCE.fullmatch(one[0])]
    for (whose, root, path), (other, _, theirs) in itertools.combinations(shared, 2):
        if whose != other and (path.is_relative_to(theirs) or theirs.is_relative_to(path)):
            raise Misuse(f"{home.root / SETTINGS}: roots: {root} would carry what is private: `{whose}` and `{other}` "
                         "both reach it; give each a directory of its own, or name the one life that may")  # fmt: skip


def owner(settings: Settings) -> str:
    """The name of the person whose home this is: by the settings, else who runs this. Raises Misuse."""
    if name := settings.owner or user():
        return name
    raise Misuse('whose home is this? this user has no name here: set owner = "…" in dotagent.toml')


def user() -> str:
    """The login name of who runs this; "" when there is none."""
    try:
        return os.environ.get("USER") or pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""


def lives(home: Home) -> list[str]:
    """The full ids of all agents that were ever born here, sorted. Raises OSError where nobody may look for one."""
    if not home.agents.is_dir():
        return []
    found = (entry for entry in home.agents.iterdir() if ID.fullmatch(entry.name))
    return sorted(entry.name for entry in found if walked.is_file(entry / "LIFE.md"))


def find_life(home: Home, prefix: str) -> str:
    """The full id of the agent whose id begins so. Raises Misuse that names what there is instead."""
    known = lives(home)
    if not PREFIX.fullmatch(prefix):
        raise Misuse(f"{prefix[:40]!r} is no agent's hash, name or room: a hash has 8 to 32 hex digits")
    if found := [name for name in known if name.startswith(prefix)]:
        if len(found) > 1:
            raise Misuse(f"{prefix} is ambiguous: {', '.join(found)}")
        return found[0]
    if unborn := [path for path in home.agents.glob(f"{prefix}*") if ID.fullmatch(path.name)]:
        life = unborn[0] / "LIFE.md"
        raise Misuse(f"{life}: it is no file: bring it back, or remove its directory, then it was never born")
    there = f"there are: {', '.join(name[:12] for name in known[-8:])}" if known else "none was born here yet"
    raise Misuse(f"no agent {prefix} in {home.root} ({there})")


def require(home: Home) -> None:
    """Raise Trouble when no home was ever made here."""
    if not home.agents.is_dir():
        raise Trouble(f"no home at {home.root} yet: `{installed.typed('agent')}{home.flag}` makes one")
