"""Providers: each module connects one kind of model, and its file name is the provider's name.

A provider does not know the queue: it gets a request and its configuration and returns a reply, or raises a
ProviderError that says what a person can do. A new one needs a file here, a test and a line in the docs. The packages
in this folder are not providers: shared code (formats), the rules of `offline` (offline_rules), and the process that
runs providers (server). Owns nothing on disk.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from dotagent import extensions
from dotagent.store import credentials, disk, options
from dotagent.store.requests import ChatMessage
from dotagent.text.lazy import dataclass, field, replace

Emit = Callable[[str, str], None]
"""emit(channel, delta): channel is "reasoning" or "text", and delta the new text. Before these it may be "read": how
much of the prompt the server has read, as `1200/4000` in tokens."""

Kind = Literal[
    "auth",  # the credentials are refused
    "credit",  # the account is empty
    "missing",  # no such model or address
    "bad_request",  # the provider will always refuse this request
    "too_long",  # the prompt is larger than the model's window
    "rate",  # too many requests
    "server",  # the provider is broken or overloaded
    "network",  # unreachable, or the answer broke off
    "stalled",  # reached, but silent
    "timeout",  # not reached in time
    "unconfigured",  # a setting is missing
    "cancelled",  # stop() returned True
    "cut",  # answered, but without reading the whole prompt
]
THOUGHT = 4096  # tokens for reasoning in addition to a short answer
OLD = 120  # days after which facts in models.toml must be checked again
RETRYABLE: frozenset[Kind] = frozenset({"rate", "server", "network", "stalled", "timeout"})


@dataclass(frozen=True)
class Exhibit:
    """A picture, PDF or sound in a request, after `at` characters of a message's content: its kind (media.KINDS), media
    type, bytes in base64, file name and tokens."""

    at: int
    kind: str
    type: str
    data: str = field(repr=False)
    name: str
    tokens: int = 0

    @property
    def url(self) -> str:
        """Return it as a data URL (RFC 2397)."""
        return f"data:{self.type};base64,{self.data}"


@dataclass(frozen=True)
class Prompt:
    """A request: the model, its messages and parameters for the provider's API. `agent` is the agent's id.

    `window` is the tokens that prompt and answer may have together, or 0 if unset. `upstream` is the service of the
    last answer (Completion.upstream). `previous` is the end of the previous prompt, where a cache may end: a message's
    index and a number of characters of its content; (0, 0) if there was no prompt. `tools` are the tools for the
    service's own function calling, empty if the model writes calls as text. `most` is the most tokens of the answer's
    text, or 0 for no limit but the window; the worker enforces it, and 1 only lets a server read the prompt in advance.
    `shown` maps a message's index to its media. `size` is the estimate of the messages' tokens, or 0 if unknown.
    `ending` is the number of characters at the end that the agent's next prompt omits, with the blank line before them,
    so a cache must end before these.
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
    size: int = 0
    ending: int = 0

    @property
    def bound(self) -> int:
        """Return the most tokens for the answer and its reasoning, or 0 for no limit but the window."""
        return self.most + THOUGHT if self.most > 1 else self.most


@dataclass(frozen=True)
class Usage:
    """Tokens of the prompt (`input`), its tokens from a cache (`cached`), tokens of the answer (`output`) and of the
    reasoning in it, and tokens of the prompt that went into a cache at another price (`written`), `hour` of them for an
    hour. `guess` means that these are estimates.

    `cost` is in millionths of a US dollar, or None if the provider does not report it.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    cost: int | None = None
    written: int = 0
    guess: bool = False
    hour: int = 0


@dataclass(frozen=True)
class Completion:
    """A whole answer. `finish` is "length" if a limit cut it off, otherwise "stop".

    `upstream` is one word for the service behind a provider that forwards requests. The agent's next request can go
    there again, because its prompt is cached there.
    """

    text: str
    reasoning: str = ""
    finish: str = "stop"
    usage: Usage = field(default_factory=Usage)
    upstream: str = ""


class ProviderError(Exception):
    """A call without an answer. `hint` is a sentence for a person and never contains a credential.

    `after` is the provider's Retry-After in seconds; `size` the prompt's tokens by its count (too_long); `usage` the
    tokens used despite the failure. `status` is the HTTP status, or 0. `words` is the server's full explanation,
    unmasked and never shown. `withheld` says that the service will never answer this message.
    """

    def __init__(
        self,
        kind: Kind,
        hint: str,
        *,
        retryable: bool | None = None,
        after: float | None = None,
        size: int | None = None,
        withheld: bool = False,
    ) -> None:
        super().__init__(hint)
        self.kind: Kind = kind
        self.hint = hint
        self.retryable = kind in RETRYABLE if retryable is None else retryable
        self.after = after
        self.size = size
        self.usage, self.withheld = Usage(), withheld
        self.status, self.words = 0, ""


@dataclass(frozen=True)
class Config:
    """How to reach one provider. `model` is the person's choice, or None.

    `key` is the value of the first of KEYS that is set. `given` contains every variable that is set and begins with the
    provider's name.
    """

    key: str | None = field(repr=False)
    base: str
    model: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    """The provider's own settings. Every provider over HTTP has `stall`: the seconds of silence after which to give
    up."""
    given: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    server: str = ""
    """The name of a server that is compatible with a provider, and the variable of its key; otherwise empty."""
    variable: str = ""
    keyless: bool = False
    """Whether this server may work without a key: a person's own does, and a known service does not."""


@dataclass(frozen=True)
class Seen:
    """A provider's own data about a model: its name and its window in tokens, a `guess` if unknown. `sees` lists
    accepted media.KINDS, separated by spaces; None if unknown. `alone` means that a single machine works, on one call
    at a time and unpaid; `keeps` that it keeps a prompt's cache when another prompt comes."""

    model: str
    window: int
    guess: bool = False
    sees: str | None = field(default=None, compare=False)
    alone: bool = field(default=False, compare=False)
    keeps: bool = field(default=False, compare=False)
    ends: str = field(default="", compare=False)
    """The day on which the provider switches the model off, as YYYY-MM-DD, or "" if unknown."""


@runtime_checkable
class Provider(Protocol):
    """The contents of a provider's module. Optional are:

    - `COMPACTS = False`: it has no model for chunks or summaries, so agents compact without asking;
    - `SETTINGS`: its settings in addition to the common ones, each with the kinds of its value (`"bool int 1 9"`, see
      store.options.fits), and `OPTIONS`: settings of its answers, which a model, an agent and background calls may
      override. `answer` gets all of them in `config.settings`;
    - `DEFAULTS`: the values of options that it sends by default;
    - `CACHE`: the seconds after which its cache drops a prompt, if that is soon; then a finished compaction waits
      that long if possible;
    - `TAKES`: the accepted media types, if they are not the usual ones (server/media_input.py);
    - `describe(config: Config, model: str) -> Seen`: the provider's data about a model (empty: the one to use), by a
      call of at most a few seconds. Raises ProviderError;
    - `closing(config: Config) -> str`: the mark that ends a reply's thoughts, if the served model's template has their
      opening mark and so each reply begins within them, otherwise "".
    """

    KEYS: tuple[str, ...]
    """Environment variables for its credential. One is enough; hints name the first."""
    BASE: str
    """The default base address without a final slash, or ""."""
    MODEL: str
    """The default model, or "" if only the server knows it; then `describe` exists."""
    WINDOW: int | Mapping[str, int]
    """The tokens that a prompt and its answer may have together: one number, or one for each prefix of model names."""
    BACKGROUND: int
    """How many background calls may run at once."""

    def why_not(self, config: Config) -> str | None:
        """Return None if it is configured, otherwise a sentence on what to set."""

    def answer(self, prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
        """Make one attempt (server.retry repeats it). Raises ProviderError; `cancelled` soon after stop() returns
        True."""


@cache  # a call asks several times, and files are slow
def load(name: str) -> Provider:
    """Return the provider's module. Raises ProviderError (unconfigured) if it does not exist."""
    known = extensions.names("providers")
    if name not in known:
        raise ProviderError("unconfigured", f"there is no provider {name!r}; the providers are {', '.join(known)}")
    module = extensions.load("providers", name)
    if not isinstance(module, Provider):
        hint = (
            f"{module.__file__} must define KEYS, BASE, MODEL, WINDOW, BACKGROUND, why_not and answer, but one "
            f"of these is missing"
        )
        raise ProviderError("unconfigured", hint)
    return module


@cache
def facts(name: str) -> Mapping[str, Any]:
    """Return the tables of a file next to this one: `models` or `reasons`."""
    return tomllib.loads(disk.read(Path(__file__).parent / f"{name}.toml").decode())


def models(name: str) -> Mapping[str, Any]:
    """Return the facts of models.toml about a provider: its `default`, and `models` by prefixes of their names."""
    found: Mapping[str, Any] = facts("models").get(name, {})
    return found


def model_and_window(name: str) -> tuple[str, dict[str, int]]:
    """Return a provider's MODEL and WINDOW from models.toml."""
    return models(name)["default"], {beginning: row["window"] for beginning, row in models(name)["models"].items()}


def table(config: Config, usual: int | Mapping[str, int]) -> int | Mapping[str, int]:
    """Return a provider's WINDOW, or that of a compatible server that models.toml lists."""
    return model_and_window(config.server)[1] if models(config.server) else usual


def old(name: str, model: str, today: date) -> str:
    """Return a warning if a model's facts in models.toml were checked more than OLD days ago, otherwise ""."""
    found: Mapping[str, Any] = options.longest(models(name).get("models", {}), model)
    days = (today - found["at"]).days if found else 0
    return f"the data on {model} is {days} days old; compare it with {found['source']}" if days > OLD else ""


def window(table: int | Mapping[str, int], model: str) -> int:
    """Return a model's window in tokens from a WINDOW; for an unknown model the smallest."""
    if isinstance(table, int):
        return table
    fitting = [name for name in table if model.startswith(name)]
    return table[max(fitting, key=len)] if fitting else min(table.values())


def find_window(table: int | Mapping[str, int], model: str) -> Seen:
    """Return the model as in a WINDOW, as a guess if no prefix matches its name."""
    guess = not isinstance(table, int) and not any(name and model.startswith(name) for name in table)
    return Seen(model, window(table, model), guess)


def describe(provider: Provider, config: Config, model: str = "", ask: bool = True) -> Seen:
    """Return the model (empty: the one to use) and its window, from the provider if it reports it, otherwise from its
    table.

    The setting `window` overrides both. Raises ProviderError.
    """
    model = model or default_model(provider, config)
    told: Callable[[Config, str], Seen] | None = getattr(provider, "describe", None)
    seen = told(config, model) if told and ask else find_window(table(config, provider.WINDOW), model)
    own = config.settings.get("window")
    return replace(seen, window=own, guess=False) if isinstance(own, int) and own > 0 else seen


def default_model(provider: Provider, config: Config) -> str:
    """Return the default model: from the setting, otherwise from models.toml for a compatible server, otherwise the
    provider's."""
    other = config.server and config.base != provider.BASE
    return config.model or (str(models(config.server).get("default", "")) if other else provider.MODEL)


def configure(name: str, environ: Mapping[str, str], settings: Mapping[str, object]) -> Config:
    """Return a provider's configuration from <NAME>_API_KEY, <NAME>_API_BASE and its settings (`base` and `model`; for
    a compatible server also `like`, the provider, and `key`, the variable).

    The environment overrides the settings. Raises ProviderError if the provider does not exist.
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
    known = options.presets().get(name, {}).get("like", "local")
    keyless = bool(like) and known == "local"
    base, chosen = str(base).strip().rstrip("/"), str(model) if model else None
    return Config(key, base, chosen, mine, given, like and name, variable, keyless)
