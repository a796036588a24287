"""How a secret may be written by who sends it back: one line a form."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote


def spelt(form: str) -> Callable[[str], str]:
    """Each character so, by its number."""
    return lambda text: "".join(form.format(ord(one)) for one in text)


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "large": str.upper,
    "small": str.lower,
    "reversed": lambda text: text[::-1],
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: text.encode().hex().upper(),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 after one": lambda text: b64encode(b":" + text.encode()).decode(),
    "base64 between": lambda text: b64encode(b"a:" + text.encode() + b"\n").decode(),
    "base64 in addresses": lambda text: urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "Basic": lambda text: b64encode(f"user:{text}".encode()).decode(),
    "URL": lambda text: quote(text, safe=""),
    "URL, some": quote,
    "URL, small": lambda text: re.sub("%..", lambda it: it[0].lower(), quote(text, safe="")),
    "URL, all": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "HTML": lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace("/", "&#47;"),
    "HTML, all": spelt("&#{};"),
    "HTML, all in hex": spelt("&#x{:x};"),
    "JSON": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON, all": spelt("\\u{:04x}"),
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
}


def holds(told: str, secret: str, form: str) -> bool:
    """Whether what was written of the secret still stands there, but for the little that is shared with what is around
    it."""
    written = FORMS[form](secret)
    core = (written[4:-4] if "base64" in form or form == "Basic" else "") or written
    return core.casefold() in told.casefold()
