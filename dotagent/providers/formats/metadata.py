"""A question to a provider about itself, such as its models and their windows: one short request, answered by JSON.

It is asked when a provider's process starts and never on the way of an answer, and it gives up soon.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from dotagent.providers import ProviderError
from dotagent.providers.formats.fields import parsed
from dotagent.providers.formats.http import Post, send
from dotagent.providers.formats.place import Place, origin

SECONDS = 5.0
MOST = 32 << 20  # bytes; OpenRouter's list of all models has a megabyte


def fetch(
    url: str,
    headers: Mapping[str, str],
    place: Place,
    secret: str | None,
    body: Mapping[str, object] | None = None,
    model: str = "",
) -> dict[str, object]:
    """The JSON object that is there, by GET, or by POST of a `body`; hints name the `model`, if it is about one.

    Raises ProviderError.
    """
    end = time.monotonic() + SECONDS
    post = Post(url, headers, body, place, secret, model, SECONDS, MOST)
    try:
        with send(post, lambda: time.monotonic() > end) as answer:
            data = b"".join(answer.pieces)
    except ProviderError as error:
        if error.kind not in ("cancelled", "stalled"):
            raise
        hint = f"{place.name} at {origin(url)} does not tell of itself within {SECONDS:g} s"
        raise ProviderError("timeout", hint) from None
    return parsed(data, place.name, f"a JSON object: is {place.base} right?")
