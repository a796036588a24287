"""What is never repeated: the credentials that this process has sent, whoever sends them back.

Servers quote keys in errors, and gateways in anything else. What a request carries is told here before it goes; errors
and answers pass through here before they are told or kept.
"""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from urllib.parse import quote, unquote, urlsplit

KEY = "[key]"
SHORT = 4  # characters: what is shorter is no secret
PIECE = 8  # characters: who quotes only the beginning of a key quotes as many at least
LONG = 16  # characters of a key that is looked for in an answer: a short one may be a word that the model says
KNOWN = 2  # characters with which a key may begin that are told before more of it has come: else every s would wait
MOST = 64  # credentials that are remembered; a token may be renewed every hour

_LOCK = threading.Lock()
_sent: dict[str, None] = {}  # the newest last


def hide(*secrets: str | None) -> None:
    """Remember these: none of them is repeated from here on."""
    with _LOCK:
        _sent.update({secret: None for secret in secrets if secret and len(secret) >= SHORT})
        while len(_sent) > MOST:
            del _sent[next(iter(_sent))]


def _known(least: int = SHORT) -> list[str]:
    """What is remembered and has so many characters, the longest first, as text is searched for it."""
    with _LOCK:
        return sorted((secret for secret in _sent if len(secret) >= least), key=len, reverse=True)


def hide_in(*addresses: str) -> None:
    """Remember the passwords that stand in addresses, and what is sent in their stead (Basic, RFC 7617)."""
    for address in addresses:
        if "@" not in address:
            continue
        try:
            parts = urlsplit(address)
        except ValueError:
            continue
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        hide(password, b64encode(f"{user}:{password}".encode()).decode() if password else None)


def masked(text: str, *secrets: str) -> str:
    """A server's words without these credentials, or all; also without the beginning of one, or one as in URLs."""
    for secret in secrets or _known():
        for form in {secret, quote(secret, safe="")}:
            text = text.replace(form, KEY)
            if len(form) > PIECE and form[:PIECE] in text:
                text = re.sub(re.escape(form[:PIECE]) + r"\S*", KEY, text)
    return text


def ready(text: str, before: str = "") -> tuple[str, str]:
    """What of an answer can be told now, without a credential, and its end where one has begun, which must wait.

    `before` is the end of what was told already, KNOWN characters of it; a credential may begin there.
    """
    told, whole, known = len(before), before + text, _known(LONG)
    for secret in known:
        while (at := whole.find(secret)) >= 0:
            whole = whole[: max(at, told)] + KEY + whole[at + len(secret) :]
    end = max(told, min((_begun(whole, secret) for secret in known), default=len(whole)))
    return whole[told:end], whole[end:]


def _begun(text: str, secret: str) -> int:
    """Where at the end of the text the secret begins, by more than KNOWN characters; the text's length if nowhere."""
    head = secret[: KNOWN + 1]
    at = text.find(head, max(0, len(text) - len(secret) + 1))
    while at >= 0 and not secret.startswith(text[at:]):
        at = text.find(head, at + 1)
    return at if at >= 0 else len(text)
