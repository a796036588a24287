"""What is never repeated: the credentials that this process has sent, whoever sends them back.

Servers quote keys in errors, and gateways in anything else. What a request carries is told here before it goes; errors
and answers pass through here before they are told or kept. Owns nothing on disk.
"""

from __future__ import annotations

import re
from base64 import b64encode
from urllib.parse import quote, unquote, urlsplit

KEY = "[key]"
SHORT = 4  # characters: what is shorter is no secret
PIECE = 8  # characters: who quotes only the beginning of a key quotes as many at least
LONG = 16  # characters of a key that is looked for in an answer: a short one may be a word that the model says
MOST = 64  # credentials that are remembered; a token may be renewed every hour

_sent: dict[str, None] = {}  # the newest last


def hide(*secrets: str | None) -> None:
    """Remember these: none of them is repeated from here on."""
    for secret in secrets:
        if secret and len(secret) >= SHORT and secret not in _sent:
            _sent[secret] = None
    while len(_sent) > MOST:
        _sent.pop(next(iter(_sent)), None)


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


def masked(text: str) -> str:
    """A server's words without a credential, or the beginning of one, as it is or quoted for an address."""
    for secret in _longest_first():
        for form in {secret, quote(secret, safe="")}:
            text = text.replace(form, KEY)
            if len(form) > PIECE and form[:PIECE] in text:
                text = re.sub(re.escape(form[:PIECE]) + r"\S*", KEY, text)
    return text


def ready(text: str) -> tuple[str, str]:
    """What of an answer can be told now, without a credential, and its end where one may have begun, which cannot."""
    secrets = [secret for secret in _longest_first() if len(secret) >= LONG]
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, KEY)
    at = min((_begun(text, secret) for secret in secrets), default=len(text))
    return text[:at], text[at:]


def _begun(text: str, secret: str) -> int:
    """Where at the end of the text the secret begins, which may go on; its length where it does not."""
    at = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while at >= 0 and not secret.startswith(text[at:]):
        at = text.find(secret[0], at + 1)
    return at if at >= 0 else len(text)


def _longest_first() -> list[str]:
    return sorted(list(_sent), key=len, reverse=True)
