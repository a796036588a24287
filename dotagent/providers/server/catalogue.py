"""The facts that a provider process publishes about its providers: the model, its window, and why a provider is not
configured.

Facts from a provider's table are published at once. The provider's own data is requested in a thread and published when
it comes, so that no caller waits. Until then the window is not `known`, because a context must not shrink for a guess.
Owns `calls/providers.json`, which contains no secrets.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from dotagent import errors, providers
from dotagent.errors import Misuse
from dotagent.providers import Config, Provider, ProviderError, Seen
from dotagent.providers.formats import redaction
from dotagent.providers.server import cost, media_input
from dotagent.providers.server.cost import Prices
from dotagent.store import credentials, disk, home, launch, model_end, options
from dotagent.store.home import Home
from dotagent.store.watch import Changed
from dotagent.text import times
from dotagent.text.senses import Senses

BELIEVED = 300.0  # seconds to trust a server that chooses its model, and to wait after a failure
MOST = 32  # calls of a provider in progress, by default
SEVERAL = 4  # background calls at once for a server that distributes its work, according to settings
DAY = 86_400.0  # seconds to trust data of other servers


@dataclass(frozen=True)
class _Told:
    """A provider's own data and the configuration when it was requested. `seen` is None if it did not answer."""

    at: float
    config: Config
    seen: Seen | None

    def young(self, seconds: float) -> bool:
        """Return True if the data is at most `seconds` old."""
        return time.monotonic() - self.at < seconds


def guessed(name: str, seen: Seen) -> str:
    """Return the message that a window is a guess, with advice."""
    size = f"{seen.window:,}"
    return f"the context window of {seen.model} is unknown, assuming {size}; set `window = N` under [providers.{name}]"


def config_for(file: str, config: Config, chosen: object) -> Config:
    """Return the configuration for a request that contains its own options, with only these."""
    if not isinstance(chosen, dict):
        return config
    mine = options.allowed_keys(file, "OPTIONS")
    kept = {name: one for name, one in config.settings.items() if name not in mine}
    return replace(config, settings={**kept, **options.merge_options(file, {}, "", chosen)})


class Catalogue:
    """The published data about some providers of a home, and their current configuration."""

    def __init__(self, where: Home, names: list[str], environ: Mapping[str, str]) -> None:
        self._home, self._names, self._environ = where, names, environ
        self._lock = threading.Lock()
        self._told: dict[tuple[str, str], _Told] = {}  # by provider and model; no model means the default
        self._asking: set[tuple[str, str]] = set()
        self._shown: dict[str, Config] = {}
        self._kinds: dict[str, str] = {}  # the provider modules, by the last settings
        self._complaints: dict[str, str] = {}
        self._well: defaultdict[str, str] = defaultdict(times.now)  # since when each is considered available
        self._changed, self._settings = Changed(), where.root / home.SETTINGS
        self._keys, self._filed = where.root / ".env", credentials.env_file(where)
        self.doubts: dict[str, str] = {}  # doubts about a provider's last answers
        self.prices: Prices = {}  # the prices at the last call

    def publish(self) -> None:
        """Publish the data of every provider, and request updates for changed ones.

        Raises Misuse if settings are unreadable.
        """
        settings = home.settings(self._home)
        self._renew()
        self.prices = settings.prices
        self._shown = {name: self._configured(name, settings) for name in self._names}
        for name, config in self._shown.items():
            self._begin(name, config, "")
            if settings.model and settings.provider in (None, name):
                self._begin(name, config, settings.model)
        self._write()

    def config(self, name: str) -> Config:
        """Return the provider's current configuration, and publish a change. Raises Misuse if settings are
        unreadable."""
        changed = [self._changed.look(path, follow=True) for path in (self._settings, self._keys)]
        if any(changed) or name not in self._shown:
            try:
                settings = home.settings(self._home)
                self._renew()
            except Misuse:
                self._changed.forget(self._settings)
                raise
            before, self.prices = self.prices, settings.prices
            if before != self.prices or self._shown != {one: self._configured(one, settings) for one in self._names}:
                self.publish()
        return self._shown[name]

    def _renew(self) -> None:
        """Take the present variables of `.env`, except variables that the environment sets. Raises Misuse."""
        filed = credentials.env_file(self._home)
        given = {name: value for name, value in self._environ.items() if self._filed.get(name) != value}
        self._environ, self._filed = {**filed, **given}, filed

    def at_once(self, name: str) -> int:
        """Return how many calls the provider may have in progress, by the last settings."""
        said = (self._shown.get(name) or self.config(name)).settings.get("at_once")
        return said if isinstance(said, int) else MOST

    def slots(self, name: str) -> int:
        """Return how many of its background calls may run at once. If it is one, a person's call displaces it."""
        own, config = self.provider(name).BACKGROUND, self._shown.get(name)
        return SEVERAL if own == 1 and config and config.settings.get("alone") is False else own

    def kind(self, name: str) -> str:
        """Return the name of the provider's module."""
        return self._kinds.get(name) or home.settings(self._home).kind(name) or name

    def provider(self, name: str) -> Provider:
        """Return the provider's module. Raises ProviderError."""
        return providers.load(self.kind(name))

    def model(self, name: str, config: Config, wanted: str) -> str:
        """Return the model to ask: `wanted`, otherwise that of settings, otherwise the provider's default.

        Without a default the server names its model, again after BELIEVED seconds. Raises ProviderError if it does not
        answer and never has.
        """
        usual = providers.default_model(self.provider(name), config)
        if wanted and wanted != usual:
            self._begin(name, config, wanted)
        if wanted or usual:
            return wanted or usual
        told = self._of(name, config, "")
        seen = told.seen if told and told.seen else None
        if not seen or not (told and told.young(BELIEVED)):
            try:
                seen = self._ask(name, config, "")
                self._write()
            except ProviderError:
                if not seen:
                    raise  # otherwise keep the old data, because a small server may not respond while it answers a call
        return seen.model

    def well(self, name: str) -> None:
        """Publish that a failed provider works again, for agents that wait for it."""
        self._well[name] = times.now()
        self._write()

    def forget(self, name: str) -> None:
        """Forget the model that the server named, so that the next call asks again."""
        self._told.pop((name, ""), None)

    def doubt(self, name: str, what: str) -> None:
        """Publish and print a doubt about an answer, once."""
        if what and self.doubts.get(name) != what:
            self.doubts[name] = what
            print(f"{name}: {what}", file=sys.stderr, flush=True)
            self._write()

    def _configured(self, name: str, settings: home.Settings) -> Config:
        self._kinds[name] = settings.kind(name)
        config = providers.configure(name, self._environ, settings.table(name))
        redaction.hide(config.key)
        redaction.hide_in(config.base)
        return config

    def _begin(self, name: str, config: Config, model: str) -> None:
        """Request the provider's data about a model in a thread, unless it is known or requested already."""
        provider, told = self.provider(name), self._of(name, config, model)
        known = told and told.young(DAY if told.seen and providers.default_model(provider, config) else BELIEVED)
        with self._lock:
            if known or (name, model) in self._asking or provider.why_not(config):
                return
            self._asking.add((name, model))
        if hasattr(provider, "describe"):
            threading.Thread(target=self._find, args=(name, config, model), daemon=True).start()
        else:
            self._find(name, config, model)

    def _of(self, name: str, config: Config, model: str) -> _Told | None:
        """Return the result of the request, unless the configuration has changed since."""
        told = self._told.get((name, model))
        return told if told and told.config == config else None

    def _find(self, name: str, config: Config, model: str) -> None:
        try:
            self._ask(name, config, model)
        except ProviderError as error:
            self._told[name, model] = _Told(time.monotonic(), config, None)
            complaint = redaction.masked(str(error))
            if self._complaints.get(name) != complaint:
                self._complaints[name] = complaint
                print(f"{name}: {complaint}", file=sys.stderr, flush=True)
        finally:
            self._asking.discard((name, model))
        try:
            self._write()
        except OSError as error:
            print(errors.line(error), file=sys.stderr, flush=True)

    def _ask(self, name: str, config: Config, model: str) -> Seen:
        seen = providers.describe(self.provider(name), config, model)
        seen = replace(seen, model=redaction.masked(seen.model))
        self._told[name, model] = _Told(time.monotonic(), config, seen)
        return seen

    def _write(self) -> None:
        """Update the file, which other processes may update at the same time."""
        if not self._home.calls.is_dir():
            return
        with self._lock, disk.locked_dir(self._home.calls):
            before = launch.published(self._home)
            told = {**before, **{name: self._entry(name) for name in self._names}}
            if told != before:
                path = self._home.calls / "providers.json"
                disk.replace(path, json.dumps(told, indent=1).encode() + b"\n", durable=False)

    def _entry(self, name: str) -> dict[str, object]:
        provider, config = self.provider(name), self._shown[name]
        why = provider.why_not(config)
        usual, known = self._seen(name, config, "")
        others = {model: self._seen(name, config, model) for one, model in sorted(self._told) if one == name and model}
        return {
            "model": usual.model,
            "window": usual.window,
            "guess": usual.guess,
            "known": known,
            "windows": {model: seen.window for model, (seen, sure) in others.items() if sure},
            "sees": self._sight(name, config, usual),
            "sights": {model: self._sight(name, config, seen) for model, (seen, _) in others.items()},
            "guesses": [model for model, (seen, _) in others.items() if seen.guess],
            "cache": getattr(provider, "CACHE", 0),
            "prices": {model: price for model in (usual.model, *others) if (price := self._price(name, model))},
            "ends": {seen.model: seen.ends for seen in (usual, *(seen for seen, _ in others.values())) if seen.ends},
            "alone": provider.BACKGROUND == 1 and usual.alone,
            "keeps": provider.BACKGROUND == 1 and usual.keeps,
            "warning": "; ".join(filter(None, self._warnings(name, usual, known))),
            "configured": why is None,
            "why": why or "",
            "credentials": credentials.fingerprint(name, self._environ, config.variable),
            "pid": os.getpid(),
            "well": self._well[name],
        }

    def _warnings(self, name: str, usual: Seen, known: bool) -> list[str]:
        chosen = [told.seen for (one, model), told in sorted(self._told.items()) if one == name and model and told.seen]
        today = datetime.now(UTC).date()
        ends = dict.fromkeys(model_end.ending(seen.model, seen.ends, today) for seen in chosen or [usual])
        guess = guessed(name, usual) if known and usual.guess else ""
        return [self.doubts.get(name, "") or guess, *ends]

    def _price(self, name: str, model: str) -> dict[str, object]:
        """Return the facts about the cache in a model's price, or {} if the price is unknown."""
        price = cost.find_price(self.prices, model, name) if model else {}
        return {one: price[one] for one in cost.PREFIX if one in price}

    def window(self, name: str, config: Config, model: str) -> tuple[int, bool]:
        """Return a model's window in tokens as last published, and whether it is reliable."""
        seen, known = self._seen(name, config, model)
        if not known:
            seen, known = self._seen(name, config, "")
            known = known and seen.model == model
        return seen.window, known and not seen.guess

    def sight(self, name: str, config: Config, model: str) -> Senses:
        """Return the media that a model accepts. If only the server can say, ask it now."""
        found = [one.seen for one in (self._of(name, config, model), self._of(name, config, "")) if one and one.seen]
        same = next((seen for seen in found if seen.model == model), None)
        if same is None and hasattr(self.provider(name), "describe") and "sees" not in config.settings:
            with suppress(ProviderError):  # without an answer, models.toml decides
                same = self._ask(name, config, model)
                self._write()
        return media_input.find_senses(self.kind(name), config, same or Seen(model, 0))

    def _sight(self, name: str, config: Config, seen: Seen) -> dict[str, object]:
        found = media_input.find_senses(self.kind(name), config, seen)
        return found.published() if found.kinds else {}

    def _seen(self, name: str, config: Config, model: str) -> tuple[Seen, bool]:
        """Return the data about the model, from the provider or its table, and whether the window is reliable.

        It is if a person set it, or if the provider reported it, never reports any, or does not answer but has a
        default model in its table. Nothing is known about a local server that does not answer.
        """
        provider, told = self.provider(name), self._of(name, config, model)
        answers = told.seen or providers.default_model(provider, config) if told else not hasattr(provider, "describe")
        sure = bool(answers or "window" in config.settings)
        return (told and told.seen) or providers.describe(provider, config, model, ask=False), sure
