"""Whether a provider that failed is well again: looked at every few seconds, so that whoever waits asks again at once.

It is told in the catalogue, which agents watch. One that is found well and fails again is looked at less and less
often, until it has answered.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

from dotagent import providers
from dotagent.providers import ProviderError
from dotagent.providers.server.catalogue import Catalogue

KINDS = ("network", "server", "stalled", "timeout")  # failures that pass by themselves, and can be looked at
FIRST, MOST = 2.5, 600.0  # seconds between two looks
CONNECT = 3.0  # seconds that one look at an address may take


class Health:
    """The providers of a process that have failed, each looked after by a thread until it is well."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self._looking: set[str] = set()
        self._row: dict[str, int] = {}  # how often each was found well and failed again

    def failed(self, name: str, error: ProviderError) -> None:
        """A call failed so."""
        with self._lock:
            if error.kind not in KINDS or name in self._looking:
                return
            self._looking.add(name)
            self._row[name] = row = self._row.get(name, -1) + 1
        pause = min(MOST, FIRST * 2.0 ** min(row, 9))
        threading.Thread(target=self._look, args=(name, pause), daemon=True).start()

    def answered(self, name: str) -> None:
        """It has answered: the next failure is a first one again."""
        with self._lock:
            self._row.pop(name, None)

    def _look(self, name: str, pause: float) -> None:
        well = False
        while not well:
            time.sleep(pause)
            well = self._well(name)
        with self._lock:
            self._looking.discard(name)
        with suppress(OSError):  # a disk that is full: who waits asks again after a while
            self._catalogue.well(name)

    def _well(self, name: str) -> bool:
        config, provider = self._catalogue.config(name), self._catalogue.provider(name)
        try:
            if hasattr(provider, "describe"):
                providers.describe(provider, config)
                return True
            address = urlsplit(config.base)
            with socket.create_connection((address.hostname or "", address.port or 443), CONNECT):
                return True
        except (ProviderError, OSError, ValueError):
            return False
