"""Remove the credentials that this process has sent from all text, in whatever form a server repeats them.

Servers quote keys in errors, and gateways anywhere. Credentials of a request are registered before it is sent; errors
and answers are filtered before they are shown or stored. The forms are: the credential itself, reversed, in hex and in
base64, ignoring case; each character may be encoded as in URLs, HTML or JSON. Owns nothing on disk.
"""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import unescape
from urllib.parse import unquote, urlsplit

KEY = "[key]"
SHORT = 4  # characters: shorter values are not treated as secrets
HEAD = 16  # characters of a form that already identify it; vendors show fewer, and keys share shorter beginnings
PIECE = 8  # characters: a quoted beginning of a key in an error has at least as many
TAIL = 12  # characters at the end of a key that identify it without its beginning
MOST = 64  # the most remembered credentials; a token may be renewed every hour
FEW = 2  # characters of a key next to stars or dots in an error
KNOWN = 2  # characters that may match a beginning without waiting; otherwise every s would wait
NEAR = 24  # characters of text that may contain these, in any encoding
SLICE = 1 << 16  # characters filtered together
WAITS = 1 << 14  # the most waiting characters, if a credential seems to begin repeatedly
# Servers' documentation uses these as dummy keys. A model may well say such words.
SAMPLES = frozenset("none null empty test dummy local ollama lm-studio no-key not-needed sk-no-key-required".split())

_FOLD = {**{ord(large): large.lower() for large in map(chr, range(0xDF))}, ord("-"): "+", ord("_"): "/"}
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}|&#?\w{1,8};|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\(?=[^\w\s])")
_LAST = re.compile(r"[a-z0-9+/]?={0,2}")  # a last character of base64, folded
_STARS = re.compile(r"([^\s*•.…]{0,128})(?:\*{2,}|•{2,}|\.{3,}|…|[xX]{4,})([^\s*•.…\"',;:)\]}]*)")  # `sk-ab****yz`
_BEGUN = re.compile(r"(?:%[0-9A-Fa-f]?|&#?\w{0,8}|\\+(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?)\Z")

_LOCK = threading.Lock()
_sent: dict[str, set[str]] = {}  # the forms of each, newest last
_forms: tuple[tuple[str, str], ...] = ()  # each form and its head, for the search
_packed: frozenset[str] = frozenset()  # base64 forms, whose last character may depend on the following text
_begins = re.compile(r"(?!)")  # more than KNOWN characters of a form's beginning, absent from most texts


def hide(*secrets: str | None) -> None:
    """Remember these credentials, so that none of them is repeated from now on."""
    global _forms, _begins, _packed
    new = [one for one in secrets if one and len(one) >= SHORT and one.lower() not in SAMPLES and one not in _sent]
    if not new:
        return
    with _LOCK:
        _sent.update({secret: _forms_of(secret) for secret in new})
        while len(_sent) > MOST:
            del _sent[next(iter(_sent))]
        forms = {form: max(HEAD, len(form) // 2) for form in set().union(*_sent.values())}
        for secret in _sent:  # without its beginning, as much after its middle must be shown
            form, middle = secret.translate(_FOLD), max(HEAD, len(secret) // 2)
            forms = {form[at:]: max(TAIL, middle - at) for at in range(1, len(form) - TAIL + 1)} | forms
        _begins = re.compile("|".join(sorted({re.escape(form[: KNOWN + 1]) for form in forms})))
        _packed = frozenset(form for secret in _sent for form in _base64_forms(secret))
        _forms = tuple((form[:size], form) for form, size in forms.items())


def hide_in(*addresses: str) -> None:
    """Remember the passwords in addresses, and the header values made from them (Basic, RFC 7617)."""
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
    """Return a whole text without credentials."""
    if not text:
        return ""
    veil = Veil()
    return veil.add(text) + veil.rest()


def redact(text: str) -> str:
    """Return a server's error text without credentials, and without their beginnings, which some servers quote."""
    text = masked(text)
    for secret in list(_sent):
        if len(secret) > PIECE and secret[:PIECE] in text:
            text = re.sub(re.escape(secret[:PIECE]) + r"\S*", KEY, text)
    return _STARS.sub(_starred, text)


def _starred(found: re.Match[str]) -> str:
    """Return KEY for a partly shown key, with its first characters before the stars or its last ones after; otherwise
    the text unchanged."""
    before, behind = found[1].lower(), found[2].lower()
    for secret in (one.lower() for one in list(_sent)):
        begins = any(before.endswith(secret[:size]) for size in range(FEW, len(before) + 1))
        if (begins and (not behind or secret.endswith(behind))) or (len(behind) >= FEW and secret.endswith(behind)):
            return KEY
    return found[0]


class Veil:
    """Removes credentials from a text that arrives in pieces. A possible beginning of a credential waits."""

    def __init__(self) -> None:
        self._kept, self._told = "", 0  # the end of the text so far, and how much of it was returned

    def add(self, piece: str) -> str:
        """Add a piece and return the text that is now safe."""
        return "".join(self._take(piece[at : at + SLICE]) for at in range(0, len(piece), SLICE))

    def rest(self) -> str:
        """Return the waiting text at the end."""
        told = self._take("", last=True)
        left, self._kept, self._told = self._kept[self._told :], "", 0
        return told + (KEY if any(len(view) >= PIECE for view, _ in _views(left)) else left)

    def _take(self, piece: str, last: bool = False) -> str:
        raw, told = self._kept + piece, self._told
        half = None if last else _BEGUN.search(raw, max(0, len(raw) - 10))
        hits, wait = _find_spans(raw[: half.start()] if half else raw)
        for begin, end in reversed(hits):
            if begin < wait < end and not last:
                wait = begin
        parts, at = list[str](), 0
        for begin, end in hits:
            if begin >= wait and not last:
                break
            if begin >= at:
                parts += raw[max(at, told) : begin], KEY
            at = max(at, end)
        parts.append(raw[max(at, told) : max(at, wait)])
        keep = max(at, min(wait, len(raw) - NEAR))
        self._kept, self._told = raw[keep:], max(at, told, wait) - keep
        return "".join(parts)


def _forms_of(secret: str) -> set[str]:
    """Return all forms of a secret to search for, in folded letters."""
    raw = secret.encode("utf-8", "replace")
    forms = {one.translate(_FOLD) for one in (secret, raw.decode("latin-1"), secret[::-1], raw.hex())}
    whole = {secret.translate(_FOLD), secret[::-1].translate(_FOLD)}
    return {form for form in forms | set(_base64_forms(secret)) if len(form) > SHORT or form in whole}


def _base64_forms(secret: str) -> Iterator[str]:
    """Yield the base64 forms of a secret at the three possible alignments, without the characters that depend on
    neighbours."""
    raw = secret.encode("utf-8", "replace")
    for before in range(3):
        packed = b64encode(bytes(before) + raw).decode()
        yield packed[-(-8 * before // 6) : 8 * (before + len(raw)) // 6].translate(_FOLD)


def _views(raw: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield the folded text with the original offset of each character, and once more with escapes decoded."""
    yield raw.translate(_FOLD), range(len(raw) + 1)
    if not any(sign in raw for sign in "%&\\"):
        return
    plain, starts, at = list[str](), list[int](), 0
    for escape in _ESCAPE.finditer(raw):
        character = _unescaped(escape[0])
        plain += raw[at : escape.start()], character
        starts += range(at, escape.start() + bool(character))
        at = escape.end()
    yield "".join((*plain, raw[at:])).translate(_FOLD), [*starts, *range(at, len(raw) + 1)]


def _unescaped(escape: str) -> str:
    if escape[0] == "&":
        return unescape(escape)[:1]
    return chr(int(escape[2:] if escape[0] == "\\" else escape[1:], 16)) if len(escape) > 1 else ""


def _find_spans(raw: str) -> tuple[list[tuple[int, int]], int]:
    """Return the spans of credentials in the text, in order, and the offset where an incomplete one may have begun."""
    hits, wait = set[tuple[int, int]](), len(raw)
    for view, starts in _views(raw):
        if not _begins.search(view):
            continue
        for head, form in _forms:
            at = view.find(head)
            while at >= 0:
                more = (n for n in range(len(head), len(form)) if view[at + n : at + n + 1] != form[n])
                end = at + next(more, len(form))
                if form in _packed and end - at == len(form):  # the last bits of base64
                    end = _LAST.match(view, end).end()  # type: ignore[union-attr]  # it matches nothing, too
                if end == len(view) and end - at < len(form):
                    wait = min(wait, starts[at])
                else:
                    hits.add((starts[at], starts[end]))
                at = view.find(head, at + 1)
            wait = min(wait, starts[_find_beginning(view, head)])
    return sorted(hits), wait if len(raw) - wait < WAITS else len(raw)


def _find_beginning(view: str, head: str) -> int:
    """Return the offset where the end of the text matches the head's beginning by more than KNOWN characters, or the
    text's length."""
    start = head[: KNOWN + 1]
    at = view.find(start, max(0, len(view) - len(head) + 1))
    while at >= 0 and not head.startswith(view[at:]):
        at = view.find(start, at + 1)
    return at if at >= 0 else len(view)
