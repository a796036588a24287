"""What a provider process tells of its providers: the model and its window, whether it is configured, or why not.

What stands in a provider's table is published at once. What the provider tells itself is asked in a thread and
published when it comes, so that nobody waits for it. Until then the window is not `known`: a context must not shrink
for a guess. Owns `calls/providers.json`, which holds no secrets.
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

from dotagent import errors, providers
from dotagent.errors import Misuse
from dotagent.providers import Config, Provider, ProviderError, Seen
from dotagent.providers.formats import redaction
from dotagent.providers.server import exhibits
from dotagent.providers.server.cost import Prices
from dotagent.store import credentials, disk, home, launch, options
from dotagent.store.home import Home
from dotagent.store.watch import Changed
from dotagent.text import times
from dotagent.text.media import Senses

BELIEVED = 300.0  # seconds for which a server that names its model itself is believed, and one that failed is not asked
MOST = 32  # calls of a provider in flight, where settings say nothing
SEVERAL = 4  # background calls at once of a server that its person says has others do the work
DAY = 86_400.0  # seconds for which the others are believed


@dataclass(frozen=True)
class _Told:
    """What a provider told when it was asked, `seen` None when it did not answer; under which configuration."""

    at: float
    config: Config
    seen: Seen | None

    def young(self, seconds: float) -> bool:
        """Whether it was asked so lately."""
        return time.monotonic() - self.at < seconds


def guessed(name: str, seen: Seen) -> str:
    """That a window is a guess, and what to do about it."""
    size = f"{seen.window:,}"
    return f"nobody tells the window of {seen.model}: {size} is a guess, set `window = N` under [providers.{name}]"


def asked_with(file: str, config: Config, chosen: object) -> Config:
    """The configuration for a request that says itself how it is to be answered: its options, and no others."""
    if not isinstance(chosen, dict):
        return config
    mine = options.known(file, "OPTIONS")
    kept = {name: one for name, one in config.settings.items() if name not in mine}
    return replace(config, settings={**kept, **options.of(file, {}, "", chosen)})


class Catalogue:
    """What is told of some providers of a home, and their configuration as it is now."""

    def __init__(self, where: Home, names: list[str], environ: Mapping[str, str]) -> None:
        self._home, self._names, self._environ = where, names, environ
        self._lock = threading.Lock()
        self._told: dict[tuple[str, str], _Told] = {}  # by provider and model; no model: the one to use
        self._asking: set[tuple[str, str]] = set()
        self._shown: dict[str, Config] = {}
        self._kinds: dict[str, str] = {}  # the file by which each is spoken to, as settings said last
        self._complaints: dict[str, str] = {}
        self._well: defaultdict[str, str] = defaultdict(times.now)  # since when each is taken to be well
        self._changed, self._settings = Changed(), where.root / home.SETTINGS
        self.doubts: dict[str, str] = {}  # what the last answers of a provider leave in doubt
        self.prices: Prices = {}  # as they were at the last call

    def publish(self) -> None:
        """Write what is known of every provider, and ask each for what has changed.

        Raises Misuse for settings that cannot be read.
        """
        settings = home.settings(self._home)
        self._shown = {name: self._configured(name, settings) for name in self._names}
        for name, config in self._shown.items():
            self._begin(name, config, "")
            if settings.model and settings.provider in (None, name):
                self._begin(name, config, settings.model)
        self._write()

    def config(self, name: str) -> Config:
        """The provider's configuration as it is now; a change is published. Raises Misuse for settings that cannot be
        read."""
        if self._changed.look(self._settings, follow=True) or name not in self._shown:
            try:
                settings = home.settings(self._home)
            except Misuse:
                self._changed.forget(self._settings)
                raise
            self.prices = settings.prices
            if self._shown != {one: self._configured(one, settings) for one in self._names}:
                self.publish()
        return self._shown[name]

    def at_once(self, name: str) -> int:
        """How many calls the provider may have in flight, as settings said when they were read last."""
        said = (self._shown.get(name) or self.config(name)).settings.get("at_once")
        return said if isinstance(said, int) else MOST

    def slots(self, name: str) -> int:
        """How many of its background calls may run at once; with one, a person's call takes the place of another."""
        own, config = self.provider(name).BACKGROUND, self._shown.get(name)
        return SEVERAL if own == 1 and config and config.settings.get("alone") is False else own

    def kind(self, name: str) -> str:
        """The file by which the provider is spoken to."""
        return self._kinds.get(name) or home.settings(self._home).kind(name) or name

    def provider(self, name: str) -> Provider:
        """What speaks to the provider. Raises ProviderError."""
        return providers.load(self.kind(name))

    def model(self, name: str, config: Config, wanted: str) -> str:
        """The model to ask: the one wanted, else the one in the settings, else the provider's default.

        Where there is no default, the server names its model; it is asked again after BELIEVED seconds. Raises
        ProviderError when it does not answer and never has.
        """
        usual = providers.usual(self.provider(name), config)
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
                    raise  # else a small server does not tell of itself while it answers
        return seen.model

    def well(self, name: str) -> None:
        """The provider failed and is well again: agents that wait for it learn of that here."""
        self._well[name] = times.now()
        self._write()

    def forget(self, name: str) -> None:
        """The model that the server named is gone: the next call asks again."""
        self._told.pop((name, ""), None)

    def doubt(self, name: str, what: str) -> None:
        """What an answer of the provider leaves in doubt, or nothing; told once."""
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
        """Ask, in a thread, what the provider tells of a model, unless that is known or asked already."""
        provider, told = self.provider(name), self._of(name, config, model)
        known = told and told.young(DAY if told.seen and providers.usual(provider, config) else BELIEVED)
        with self._lock:
            if known or (name, model) in self._asking or provider.why_not(config):
                return
            self._asking.add((name, model))
        if hasattr(provider, "describe"):
            threading.Thread(target=self._find, args=(name, config, model), daemon=True).start()
        else:
            self._find(name, config, model)

    def _of(self, name: str, config: Config, model: str) -> _Told | None:
        """What came of asking for the model, unless the provider is configured otherwise by now."""
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
        """Bring the file up to date; other processes tell of their providers there at the same time."""
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
            "alone": provider.BACKGROUND == 1 and usual.alone,
            "keeps": provider.BACKGROUND == 1 and usual.keeps,
            "warning": self.doubts.get(name) or (guessed(name, usual) if known and usual.guess else ""),
            "configured": why is None,
            "why": why or "",
            "credentials": credentials.fingerprint(name, self._environ, config.variable),
            "pid": os.getpid(),
            "well": self._well[name],
        }

    def sight(self, name: str, config: Config, model: str) -> Senses:
        """What a model of the provider sees; where only the server can say that and has not, it is asked now."""
        found = [one.seen for one in (self._of(name, config, model), self._of(name, config, "")) if one and one.seen]
        same = next((seen for seen in found if seen.model == model), None)
        if same is None and hasattr(self.provider(name), "describe") and "sees" not in config.settings:
            with suppress(ProviderError):  # who does not tell is taken for what models.toml knows
                same = self._ask(name, config, model)
                self._write()
        return exhibits.sight(self.kind(name), config, same or Seen(model, 0))

    def _sight(self, name: str, config: Config, seen: Seen) -> dict[str, object]:
        found = exhibits.sight(self.kind(name), config, seen)
        return found.published() if found.kinds else {}

    def _seen(self, name: str, config: Config, model: str) -> tuple[Seen, bool]:
        """What was told of the model, else what the table says of it, and whether the window is no guess.

        It is none when the provider told it, or does not answer and its table holds, or never tells. Of a server of
        one's own that does not answer nothing is known.
        """
        provider, told = self.provider(name), self._of(name, config, model)
        sure = bool(told.seen or providers.usual(provider, config)) if told else not hasattr(provider, "describe")
        return (told and told.seen) or providers.describe(provider, config, model, ask=False), sure
