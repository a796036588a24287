"""The models' side of the spool: one module here is one provider, found by its file's name.

A provider knows nothing of the spool: it gets a request and its configuration and returns a reply, or raises a
ProviderError that says what a person can do. Adding one is one file here, its test and a line of the docs. The packages
in this folder are no providers: what they share (formats), the rules of `offline` (offline_rules), and the process that
runs them (server).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from dotagent import extensions
from dotagent.store import credentials, disk, options
from dotagent.store.requests import ChatMessage

Emit = Callable[[str, str], None]
"""emit(channel, delta): channel is "reasoning" or "text"; the delta is the text that was just written."""

Kind = Literal[
    "auth",  # the credentials are refused
    "credit",  # the account is empty
    "missing",  # no such model or address
    "bad_request",  # the provider refuses this request, and would again
    "too_long",  # the prompt is larger than the model's window
    "rate",  # too many requests
    "server",  # the provider is broken or overloaded
    "network",  # not reached, or the answer broke off
    "stalled",  # reached, but silent
    "timeout",  # not reached in time
    "unconfigured",  # something must be set first
    "cancelled",  # stop() said so
    "cut",  # answered, but to a part of the prompt
]
THOUGHT = 4096  # tokens that a model may think beside an answer that is to be short
OLD = 120  # days after which what models.toml knows of a model is looked up again
RETRYABLE: frozenset[Kind] = frozenset({"rate", "server", "network", "stalled", "timeout"})


@dataclass(frozen=True)
class Exhibit:
    """A picture, PDF or sound as the model is shown it, behind `at` characters of a message's content: which of
    media.KINDS it is, its media type, its bytes in base64, what a file of it is called, and the tokens it counts as."""

    at: int
    kind: str
    type: str
    data: str = field(repr=False)
    name: str
    tokens: int = 0

    @property
    def url(self) -> str:
        """It as an address that holds it (RFC 2397)."""
        return f"data:{self.type};base64,{self.data}"


@dataclass(frozen=True)
class Prompt:
    """What is asked: the model, its messages and parameters for the provider's API. `agent` is the asking life's id.

    `window` is how many tokens prompt and answer of that life may have together, 0 where it does not say. `upstream` is
    whom its last answer came from (Reply.upstream). `previous` is where the prompt before this one ended, and a cache
    may end: a message's index and how many characters of its content were there; (0, 0) where there was none. `tools`
    are those that the model calls by the service's own function calling; none where it writes calls as text. `most` is
    how many tokens the answer's text may have, 0 where only the window bounds it; the worker holds each provider to it;
    1 only lets a server read what comes later. `shown` is what stands in messages beside their text, by their index.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    params: Mapping[str, object] = field(default_factory=dict)
    agent: str = ""
    window: int = 0
    upstream: str = ""
    previous: tuple[int, int] = (0, 0)
    tools: tuple[Mapping[str, object], ...] = ()
    most: int = 0
    shown: Mapping[int, tuple[Exhibit, ...]] = field(default_factory=dict)

    @property
    def bound(self) -> int:
        """How many tokens the answer may have with its thoughts, 0 where only the window bounds it."""
        return self.most + THOUGHT if self.most > 1 else self.most


@dataclass(frozen=True)
class Usage:
    """Tokens: the prompt's, those of it read from a cache, the answer's, and those of it spent on reasoning; `written`
    are those of the prompt that went into a cache, where that has a price of its own; `guess` says that nobody told.

    `cost` is in millionths of a US dollar, where the provider tells it; None where it does not.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    cost: int | None = None
    written: int = 0
    guess: bool = False


@dataclass(frozen=True)
class Completion:
    """A whole answer. `finish` is "length" where a limit cut it off, else "stop".

    `upstream` is who answered behind a provider that passes requests on (a single word), so that the life's next
    request can go there again, where its prompt is cached.
    """

    text: str
    reasoning: str = ""
    finish: str = "stop"
    usage: Usage = field(default_factory=Usage)
    upstream: str = ""


class ProviderError(Exception):
    """A call that brought no answer. `hint` is a sentence a person can act on and never holds a credential.

    `after` is the provider's Retry-After in seconds; `size` the prompt's tokens as it counts them (too_long); `usage`
    what it told that the call took all the same.
    """

    def __init__(
        self,
        kind: Kind,
        hint: str,
        *,
        retryable: bool | None = None,
        after: float | None = None,
        size: int | None = None,
    ) -> None:
        super().__init__(hint)
        self.kind: Kind = kind
        self.hint = hint
        self.retryable = kind in RETRYABLE if retryable is None else retryable
        self.after = after
        self.size = size
        self.usage = Usage()


@dataclass(frozen=True)
class Config:
    """How to reach one provider; `model` is the one set by the person, or None.

    `key` is the value of the first of its KEYS that is set; `given` holds every variable of the provider that is set,
    KEYS and others (all those that begin with its name).
    """

    key: str | None = field(repr=False)
    base: str
    model: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    """The provider's own settings; every one over HTTP knows `stall`: seconds without a byte until it is given up."""
    given: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    server: str = ""
    """The name of a server that is spoken to like a provider, and the variable that holds its key; else empty."""
    variable: str = ""


@dataclass(frozen=True)
class Seen:
    """What a provider's own metadata tell: the model to use, its window in tokens; a `guess` where nobody tells it.
    `sees` is what of media.KINDS it takes, by blanks apart; None where that is not told. `alone` is that one machine
    does all the work, one thing at a time and unpaid, `keeps` that it keeps a prompt that another displaces."""

    model: str
    window: int
    guess: bool = False
    sees: str | None = field(default=None, compare=False)
    alone: bool = field(default=False, compare=False)
    keeps: bool = field(default=False, compare=False)


@runtime_checkable
class Provider(Protocol):
    """What a provider's module holds. It may also hold

    - `COMPACTS = False`: it has no model that finds chunks or sums up; a life under it compacts without asking;
    - `SETTINGS`: its settings beside those that all know, each with the kinds of its value (`"bool int 1 9"`, see
      store.options.fits), and `OPTIONS`, those of how it shall answer, which a model, a life and calls in the
      background may have of their own: `answer` finds them all in `config.settings`;
    - `CACHE`: the seconds after which its cache has forgotten a prompt, where that is soon; a finished compaction then
      waits so long, if it can;
    - `TAKES`: the media types that it takes, where these are not the usual ones (server/exhibits.py);
    - `describe(config: Config, model: str) -> Seen`: what the provider tells of a model (empty: of the one to use), by
      a call that takes a few seconds at most. Raises ProviderError.
    """

    KEYS: tuple[str, ...]
    """Environment variables that hold its credential; the first is the one to name to a person, one is enough."""
    BASE: str
    """The default base address, without a slash at its end; empty where there is none."""
    MODEL: str
    """The default model; empty where only the server knows (then there is a `describe`)."""
    WINDOW: int | Mapping[str, int]
    """Tokens a model's prompt and answer may have together: one number, or one by the beginning of its name."""
    BACKGROUND: int
    """How many background calls may run at once."""

    def why_not(self, config: Config) -> str | None:
        """None when it is configured, else one sentence that says what to set."""

    def answer(self, prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
        """One attempt (server.retry makes more of it). Raises ProviderError; `cancelled` soon after stop() is true."""


@cache  # a call asks several times, and files are slow
def load(name: str) -> Provider:
    """The provider of that name. Raises ProviderError (unconfigured) when there is none."""
    known = extensions.names("providers")
    if name not in known:
        raise ProviderError("unconfigured", f"there is no provider {name!r}; there are {', '.join(known)}")
    module = extensions.load("providers", name)
    if not isinstance(module, Provider):
        hint = f"{module.__file__} lacks one of KEYS, BASE, MODEL, WINDOW, BACKGROUND, why_not and answer"
        raise ProviderError("unconfigured", hint)
    return module


@cache
def models(name: str) -> Mapping[str, Any]:
    """What models.toml knows of a provider: its `default`, and `models` by the beginnings of their names."""
    found: dict[str, dict[str, Any]] = tomllib.loads(disk.read(Path(__file__).parent / "models.toml").decode())
    return found.get(name, {})


def known(name: str) -> tuple[str, dict[str, int]]:
    """A provider's MODEL and WINDOW as models.toml has them."""
    return models(name)["default"], {beginning: row["window"] for beginning, row in models(name)["models"].items()}


def table(config: Config, usual: int | Mapping[str, int]) -> int | Mapping[str, int]:
    """A provider's WINDOW; of a server that models.toml knows by its own name what stands there."""
    return known(config.server)[1] if models(config.server) else usual


def old(name: str, model: str, today: date) -> str:
    """That what models.toml knows of a model was looked up more than OLD days ago; "" where it was not."""
    found: Mapping[str, Any] = options.longest(models(name).get("models", {}), model)
    days = (today - found["at"]).days if found else 0
    return f"what is known of {model} is {days} days old: see {found['source']}" if days > OLD else ""


def window(table: int | Mapping[str, int], model: str) -> int:
    """Tokens of a model's window by a WINDOW; of a model that it does not know, its smallest."""
    if isinstance(table, int):
        return table
    fitting = [name for name in table if model.startswith(name)]
    return table[max(fitting, key=len)] if fitting else min(table.values())


def listed(table: int | Mapping[str, int], model: str) -> Seen:
    """The model as a WINDOW has it: a guess where that knows no beginning of its name."""
    guess = not isinstance(table, int) and not any(name and model.startswith(name) for name in table)
    return Seen(model, window(table, model), guess)


def describe(provider: Provider, config: Config, model: str = "", ask: bool = True) -> Seen:
    """The model (empty: the one to use) and its window: asked of the provider where it tells, else from its table.

    The setting `window` goes before both. Raises ProviderError.
    """
    model = model or usual(provider, config)
    told: Callable[[Config, str], Seen] | None = getattr(provider, "describe", None)
    seen = told(config, model) if told and ask else listed(table(config, provider.WINDOW), model)
    own = config.settings.get("window")
    return replace(seen, window=own, guess=False) if isinstance(own, int) and own > 0 else seen


def usual(provider: Provider, config: Config) -> str:
    """The model to ask where none is named: the setting, else the provider's default; another server has its own."""
    other = config.server and config.base != provider.BASE
    return config.model or (str(models(config.server).get("default", "")) if other else provider.MODEL)


def configure(name: str, environ: Mapping[str, str], settings: Mapping[str, object]) -> Config:
    """A provider's configuration: <NAME>_API_KEY, <NAME>_API_BASE and its settings (of them `base` and `model`; of a
    server that is spoken to like a provider `like` that one, and `key`, the variable).

    The environment goes before the settings. Raises ProviderError when there is no such provider.
    """
    like = "" if name in extensions.names("providers") else str(settings.get("like", ""))
    provider = load(like or name)
    variable = str(settings.get("key") or credentials.variable(name, "API_KEY")) if like else ""
    key = next((environ[one] for one in ((variable,) if like else provider.KEYS) if environ.get(one)), None)
    default = "" if like and "base" in settings else provider.BASE
    base = environ.get(credentials.variable(name, "API_BASE")) or settings.get("base") or default
    model = settings.get("model")
    given = credentials.credentials(name, environ, variable)
    mine = {one: it for one, it in settings.items() if one not in options.SERVER or one == "page"}
    return Config(key, str(base).rstrip("/"), str(model) if model else None, mine, given, like and name, variable)
