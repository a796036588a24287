"""Find a local model server among some addresses. This is a separate program.

Agents run it if no provider is chosen, so it imports little and gives up quickly. An address that ends in /v1 is asked
for its models, as for llama.cpp, LM Studio and vLLM; others for a version, as for Ollama. Owns nothing on disk.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException

SECONDS = 0.2  # for all addresses together; a closed port refuses at once
MOST = 1 << 20  # bytes of an answer


def find(addresses: Sequence[str], seconds: float = SECONDS) -> tuple[str, str] | None:
    """Return the provider's name and the first address at which a model server answers, or None."""
    end = time.monotonic() + seconds
    found: dict[str, str] = {}

    def ask(address: str) -> None:
        name = kind(address, end)
        if name:
            found[address] = name

    threads = [threading.Thread(target=ask, args=(address,), daemon=True) for address in addresses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return next(((found[address], address) for address in addresses if address in found), None)


def kind(address: str, end: float) -> str:
    """Return `local` or `ollama` if such a server answers there before `end` (monotonic seconds), otherwise ""."""
    models = address.endswith("/v1")
    told = fetch(address + ("/models" if models else "/api/version"), end)
    listed = told.get("data")
    if models:
        named = isinstance(listed, list) and all(isinstance(one, dict) and one.get("id") for one in listed)
        return "local" if listed and named else ""
    return "ollama" if isinstance(told.get("version"), str) else ""


def fetch(url: str, end: float) -> dict[str, object]:
    """Return the JSON object at an http address, or {}. The caller must abandon a server that trickles."""
    scheme, _, rest = url.partition("://")
    where, _, path = rest.partition("/")
    host, _, port = where.rpartition(":")
    if scheme != "http" or not host or not port.isdecimal():
        return {}
    seconds = max(0.001, end - time.monotonic())
    try:
        with closing(HTTPConnection(host.strip("[]"), int(port), timeout=seconds)) as line:
            line.request("GET", f"/{path}", headers={"Connection": "close"})
            answer = line.getresponse()
            value = json.loads(answer.read(MOST)) if answer.status == 200 else {}
    except (OSError, HTTPException, ValueError, OverflowError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


if __name__ == "__main__":
    print(*(find(sys.argv[1:]) or ()))
