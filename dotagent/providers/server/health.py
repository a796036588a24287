"""Detect when a failed provider works again, by checking it every few seconds, so that waiting agents retry
immediately.

The catalogue, which agents watch, publishes it. A provider that fails again after a successful check is checked less
and less often, until it has answered. Owns nothing on disk.
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

KINDS = ("network", "server", "stalled", "timeout")  # temporary failures that can be checked
FIRST, MOST = 2.5, 600.0  # seconds between two checks
CONNECT = 3.0  # seconds that one check may take


class Health:
    """The failed providers of a process. A thread checks each until it works again."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self._looking: set[str] = set()
        self._row: dict[str, int] = {}  # failures of each after successful checks

    def failed(self, name: str, error: ProviderError) -> None:
        """Record that a call failed, and start checking the provider."""
        with self._lock:
            if error.kind not in KINDS or name in self._looking:
                return
            self._looking.add(name)
            self._row[name] = row = self._row.get(name, -1) + 1
        pause = min(MOST, FIRST * 2.0 ** min(row, 9))
        threading.Thread(target=self._look, args=(name, pause), daemon=True).start()

    def answered(self, name: str) -> None:
        """Record an answer, so that the next failure counts as the first."""
        with self._lock:
            self._row.pop(name, None)

    def _look(self, name: str, pause: float) -> None:
        well = False
        while not well:
            time.sleep(pause)
            well = self._well(name)
        with self._lock:
            self._looking.discard(name)
        with suppress(OSError):  # a full disk: waiting agents retry after a while
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
