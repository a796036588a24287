"""A provider as hints name it, and whether the key and the address that a person gave can be used there."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from dotagent.providers import Config, ProviderError
from dotagent.providers.formats import api_key


@dataclass(frozen=True)
class Place:
    """What hints name: the provider, its two variables, and the pages for keys, credit and models.

    `keyless`: it may be asked without a key.
    """

    name: str
    key: str
    base: str
    keys: str
    credit: str
    models: str
    keyless: bool = False

    def unset(self, config: Config) -> str | None:
        """None when key and base can be used, else one sentence that names the variable and never its value."""
        where = f"put one from {self.keys} into the environment or a 0600 .env in the home"
        if not config.key and not self.keyless:
            return f"{self.key} is not set: {where}"
        if config.key and (wrong := api_key.flaw(self.key, config.key, where)):
            return wrong
        if origin(config.base) is None or any(character.isspace() for character in config.base):
            return f"{self.base} must be an address that begins with https:// or http://"
        return None

    def check(self, config: Config) -> None:
        """Raise ProviderError (unconfigured) when key or base can not be used."""
        if problem := self.unset(config):
            raise ProviderError("unconfigured", problem)

    def bearer(self, config: Config) -> dict[str, str]:
        """The header with the key, none where there is no key. Raises as `check` does."""
        self.check(config)
        return {"Authorization": f"Bearer {config.key}"} if config.key else {}


def origin(url: str) -> str | None:
    """Scheme, host and port of an address: what a hint may show, without a user, password or query.

    None for what is not an address of http or https.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")
