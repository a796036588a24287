"""The home: the directory in which everything lives, its layout, its settings, and which secrets it may not keep.

A home is the directory of agent.py, or --home DIR, or DOTAGENT_HOME; one elsewhere is seeded with the prompts. Owns
the layout's directories, the seeded prompts, and reads `dotagent.toml` and `.env` (a person's to write, never ours).
"""

from __future__ import annotations

import itertools
import os
import pwd
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dotagent import errors, extensions
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk
from dotagent.store.blobs import Blobs
from dotagent.text import names
from dotagent.text.reference import ID, PREFIX

CODE = Path(__file__).resolve().parent.parent.parent
PROMPTS = ("SOUL.md", "SEGMENT.md", "SUMMARISE.md")
SETTINGS = "dotagent.toml"
CONTEXT_LIMIT = 64_000  # tokens
NEARBY = ("http://127.0.0.1:11434", "http://127.0.0.1:8080/v1", "http://127.0.0.1:1234/v1")
"""Ollama, llama.cpp and LM Studio, where they are unless told otherwise."""


@dataclass
class Home:
    """A home's paths."""

    root: Path

    def __post_init__(self) -> None:
        self.blobs = self.root / "blobs"  # the content-addressed store
        self.chats = self.root / "chats"  # the rooms
        self.calls = self.root / "calls"  # the spool between agents and providers
        self.agents = self.root / "agents"  # one directory a life
        self.bridges = self.root / "bridges"  # one directory a bridge

    def agent(self, self_id: str) -> Path:
        """The directory of the life with this full id."""
        return self.agents / self_id

    def room(self, name: str) -> Path:
        """The file of a room. Raises Misuse for what cannot be a room's name."""
        if not names.ROOM.fullmatch(name):
            raise Misuse(f"{name[:64]!r} cannot be a room: a name is a-z, 0-9, _ and -, at most 64, e.g. dev")
        return self.chats / f"{name}.md"

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
    """Directories beside its own that a life's file tools may use, absolute or relative to the home, by the audience
    (`private`, `private ana`, `group`) or the life (its id, or its beginning) whose they are."""
    run: tuple[str, ...] = ()
    """Lives (ids or prefixes) that may RUN although they hear a bridge, a group, or are helpers."""
    environment: tuple[str, ...] = ()
    """Variables beside the usual ones that agents keep, and their commands see."""
    providers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Per provider: a table of its own settings."""
    bridges: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Per bridge: a table of whom it lets in where, and of its own settings."""
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Per model, or beginning of a model's name: `input`, `cached`, `written` and `output`, in US dollars a million
    tokens; `peak` times as much in `hours` (UTC, Monday to Friday)."""
    nearby: tuple[str, ...] = NEARBY
    """Where a model server of one's own is looked for when nothing else is chosen; none: nowhere."""


def find(argument: str | None) -> Home:
    """The home that this command means: --home, else DOTAGENT_HOME, else where the code is. Raises Misuse."""
    if argument == "":
        raise Misuse("--home: which directory? it is empty")
    return Home(Path(os.path.expanduser(argument or os.environ.get("DOTAGENT_HOME") or CODE)).absolute())


def prepare(home: Home) -> None:
    """Make the home's directories and seed its prompts, durably; what is there stays."""
    for directory in (home.root, home.blobs, home.chats, home.calls, home.agents):
        disk.make_dir(directory)
    for name in PROMPTS:
        if not os.path.lexists(home.root / name):
            disk.replace(home.root / name, (CODE / name).read_bytes())


def settings(home: Home) -> Settings:
    """Read dotagent.toml and the environment over it. Raises Misuse that names the place of a mistake."""
    path = home.root / SETTINGS
    try:
        given = tomllib.loads(disk.read(path, follow=True).decode())
    except FileNotFoundError:
        given = {}
    except OSError as error:
        raise Misuse(errors.line(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Misuse(f"{path}: {error}: mend it or move it away") from None
    for name in ("provider", "model", "context_limit"):
        if value := os.environ.get(f"DOTAGENT_{name.upper()}"):
            given[name] = int(value) if re.fullmatch(r"[0-9]{1,12}", value) and name == "context_limit" else value
    if (addresses := os.environ.get("DOTAGENT_NEARBY")) is not None:
        given["nearby"] = addresses.split()
    for name, value in given.items():
        if name not in _RULES:
            raise Misuse(f"{path}: unknown setting {name!r}: settings are {', '.join(_RULES)}")
        holds, wanted = _RULES[name]
        if not holds(value):
            raise Misuse(f"{path}: {name} {wanted}")
    for name, table in given.get("providers", {}).items():
        for key, value in table.items():
            if wrong := _flaw(name, key, value):
                raise Misuse(f"{path}: [providers.{name}] {wrong}")
    for model, price in given.get("prices", {}).items():
        if not _priced(price):
            raise Misuse(f'{path}: [prices."{model}"] needs input and output, and may have cached and written, in US '
                         'dollars a million tokens, e.g. input = 0.27, and peak with hours = "1-4 6-10"')  # fmt: skip
    if place := next(_credentials(given, ""), None):
        raise Misuse(f"{path}: {place.lstrip('.')} has a password or key in its address: settings hold no secret, "
                     "an address that is one belongs in .env, e.g. as OLLAMA_API_BASE")  # fmt: skip
    found: dict[str, Any] = {name: value for name, value in given.items() if value != ""}
    roots = given.get("roots", {})
    found["roots"] = roots if isinstance(roots, dict) else {"private": roots}
    found["roots"] = {whose: tuple(paths) for whose, paths in found["roots"].items()}
    found |= {name: tuple(value) for name, value in found.items() if isinstance(value, list)}
    _check_apart(home, settings := Settings(**found))
    return settings


def _flaw(provider: str, key: str, value: object) -> str:
    """What is wrong with a provider's setting, "" for nothing; a program of somebody's own has what it likes."""
    if provider not in extensions.names("providers"):
        return ""
    mine = extensions.constants("providers", provider).get("SETTINGS", {})
    known = {**_COMMON, **(mine if isinstance(mine, dict) else {})}
    if key not in known:
        return f"has no setting {key!r}: there are {', '.join(sorted(known))}"
    kinds = known[key].split()
    if type(value).__name__ not in kinds or (key in ("window", "stall") and not 0 < float(str(value)) < 1e12):
        return f"{key} must be {' or '.join(_KINDS[kind] for kind in kinds)}"
    return ""


def _credentials(value: object, place: str) -> Iterator[str]:
    """The places in the settings, as `providers.ollama.base`, where an address has a name, password or key in it."""
    if isinstance(value, str) and _KEYED.search(value):
        yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
    for name, one in inner:
        yield from _credentials(one, f"{place}.{name}")


def roots(home: Home, settings: Settings, audience: str, life: str) -> list[Path]:
    """The real paths of the directories beside its own that a life may use: its audience's and its own."""
    mine = {audience, "private" if audience == f"private {owner(settings)}" else audience}
    whose = [name for name in settings.roots if name in mine or (PREFIX.fullmatch(name) and life.startswith(name))]
    return [_real(home, root) for name in whose for root in settings.roots[name]]


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


def _text(value: object) -> bool:
    return isinstance(value, str)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _tables(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())


def _rooted(value: object) -> bool:
    if not isinstance(value, dict):  # an earlier form: they are the owner's
        return _texts(value)
    named = (names.AUDIENCE.fullmatch(whose) or PREFIX.fullmatch(whose) for whose in value)
    return all(named) and all(map(_texts, value.values()))


def _person(value: object) -> bool:
    return isinstance(value, str) and (not value or names.PERSON.fullmatch(value) is not None)


def _tokens(value: object) -> bool:
    return type(value) is int and value >= 1000


def _priced(price: object) -> bool:
    fields = {"input", "cached", "written", "output", "peak", "hours"}
    if not isinstance(price, dict) or not {"input", "output"} <= price.keys() <= fields:
        return False
    hours = re.fullmatch(r"(\d{1,2}-\d{1,2} ?)*", str(price.get("hours", "")), re.ASCII)
    numbers = [one for name, one in price.items() if name != "hours"]
    return bool(hours) and all(type(one) in (int, float) and 0 <= one < 1e6 for one in numbers)


_COMMON = {"base": "str", "model": "str", "window": "int", "stall": "int float"}  # what all providers know
_KINDS = {"str": "a text", "int": "a whole number", "float": "a number", "bool": "true or false"}
_KEYED = re.compile(r"://[^/?#\s]*@|://\S*[?&#][^=&\s]*(?:key|token|secret|passw|auth|sig)[^=&\s]*=[^&\s]", re.I)
_TEXTS = 'must be a list of texts, e.g. ["…"]'
_ROOTS = 'must be lists of texts, each under its audience or life, e.g. [roots] private = ["…"], group = ["…"]'
_RULES: Mapping[str, tuple[Callable[[object], bool], str]] = {  # whether a setting is what it must be, and what that is
    "provider": (_text, "must be a text"),
    "model": (_text, "must be a text"),
    "context_limit": (_tokens, "must be a whole number of tokens, 1000 or more (or DOTAGENT_CONTEXT_LIMIT)"),
    "owner": (_person, "must be one name, without spaces, colons and square brackets"),
    "roots": (_rooted, _ROOTS),
    "run": (_texts, _TEXTS),
    "environment": (_texts, _TEXTS),
    "providers": (_tables, "must be tables, e.g. [providers.deepseek]"),
    "bridges": (_tables, "must be tables, e.g. [bridges.discord]"),
    "prices": (lambda value: isinstance(value, dict), 'must be tables, e.g. [prices."deepseek-v4-pro"]'),
    "nearby": (_texts, _TEXTS),
}


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
    """The full ids of all agents that were ever born here, sorted."""
    if not home.agents.is_dir():
        return []
    found = (entry for entry in home.agents.iterdir() if ID.fullmatch(entry.name))
    return sorted(entry.name for entry in found if disk.is_file(entry / "LIFE.md"))


def find_life(home: Home, prefix: str) -> str:
    """The full id of the agent whose id begins so. Raises Misuse that names what there is instead."""
    known = lives(home)
    if not PREFIX.fullmatch(prefix):
        raise Misuse(f"{prefix[:40]!r} is no agent's hash: 8 to 32 hex digits, as `python agent.py` printed")
    found = [name for name in known if name.startswith(prefix)]
    if found:
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
        raise Trouble(f"no home at {home.root} yet: `python agent.py` makes one")
