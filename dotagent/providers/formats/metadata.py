"""A question to a provider about itself: one short GET whose answer is JSON, as for its models and their windows.

It is asked when a provider's process starts and never on the way of an answer, and it gives up soon. It owns nothing on
disk.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from dotagent.providers import ProviderError
from dotagent.providers.formats import redaction
from dotagent.providers.formats.errors import Place, Refusal, from_response, origin
from dotagent.providers.formats.http import parsed

SECONDS = 5.0
MOST = 32 << 20  # bytes; OpenRouter's list of all models has a megabyte


def fetch(
    url: str, headers: Mapping[str, str], place: Place, secret: str | None = None, body: object = None, model: str = ""
) -> dict[str, object]:
    """The JSON object that is there, by GET, or by POST of a `body`; `model` is whom it is about, where it is about
    one. Raises ProviderError."""
    import httpx

    name, where = place.name, origin(url)
    if where is None:
        raise ProviderError("unconfigured", f"{place.base} must be an address that begins with https:// or http://")
    redaction.hide(secret)
    redaction.hide_in(url)
    loopback = dict.fromkeys(("all://127.0.0.1", "all://localhost", "all://[::1]"))
    method, content = ("GET", None) if body is None else ("POST", json.dumps(body).encode())
    sent = {"User-Agent": "dotagent", **({"Content-Type": "application/json"} if content else {}), **headers}
    end = time.monotonic() + SECONDS
    data = b""
    try:
        with (
            httpx.Client(timeout=SECONDS, mounts=loopback) as client,
            client.stream(method, url, headers=sent, content=content) as response,
        ):
            for piece in response.iter_bytes():
                data += piece
                if time.monotonic() > end or len(data) > MOST:
                    raise ProviderError("timeout", f"{name} at {where} does not come to an end about itself")
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise ProviderError("network", f"{name} at {where} does not tell of itself ({type(error).__name__})") from None
    if response.status_code != 200:
        raise from_response(Refusal(response.status_code, response.headers, data[:65536]), place, model, secret)
    return parsed(data, place, f"a JSON object: is {place.base} right?")
