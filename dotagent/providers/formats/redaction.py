"""What is never repeated: the credentials that this process has sent, whoever sends them back, in whatever form.

Servers quote keys in errors, and gateways in anything else. What a request carries is told here before it goes; errors
and answers pass through here before they are told or kept. A form is a credential as it is, backwards, in hex or in
base64, in large letters or small; each of its characters may be written as in an address, in HTML or in JSON.
"""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import unescape
from urllib.parse import unquote, urlsplit

KEY = "[key]"
SHORT = 4  # characters: what is shorter is no secret
HEAD = 16  # characters of a form that are one already: vendors show fewer, and their keys begin alike for fewer
PIECE = 8  # characters: who quotes only the beginning of a key in an error quotes as many at least
MOST = 64  # credentials that are remembered; a token may be renewed every hour
KNOWN = 2  # characters with which one may begin that are told before more of it has come: else every s would wait
NEAR = 24  # characters of a text in which these are, however they are written
SLICE = 1 << 16  # characters that are looked at together
WAITS = 1 << 14  # characters that wait at most, where a credential might begin again and again
# What servers' own pages give for a key where none is needed: words that a model may well say.
SAMPLES = frozenset("none null empty test dummy local ollama lm-studio no-key not-needed sk-no-key-required".split())

_FOLD = {**{ord(large): large.lower() for large in map(chr, range(0xDF))}, ord("-"): "+", ord("_"): "/"}
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}|&#?\w{1,8};|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\(?=[^\w\s])")
_BEGUN = re.compile(r"(?:%[0-9A-Fa-f]?|&#?\w{0,8}|\\+(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?)\Z")

_LOCK = threading.Lock()
_sent: dict[str, set[str]] = {}  # the forms of each, the newest last
_forms: tuple[tuple[str, str], ...] = ()  # each form and its head, as text is searched for it
_begins = re.compile(r"(?!)")  # how one of them begins, by more than KNOWN characters: most texts have nothing such


def hide(*secrets: str | None) -> None:
    """Remember these: none of them is repeated from here on."""
    global _forms, _begins
    new = [one for one in secrets if one and len(one) >= SHORT and one.lower() not in SAMPLES and one not in _sent]
    if not new:
        return
    with _LOCK:
        _sent.update({secret: _forms_of(secret) for secret in new})
        while len(_sent) > MOST:
            del _sent[next(iter(_sent))]
        forms = set().union(*_sent.values())
        _begins = re.compile("|".join(sorted({re.escape(form[: KNOWN + 1]) for form in forms})))
        _forms = tuple((form[: max(HEAD, len(form) // 2)], form) for form in forms)


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
    """A whole text without credentials."""
    if not text:
        return ""
    veil = Veil()
    return veil.add(text) + veil.rest()


def quoted(text: str) -> str:
    """A server's words in an error: also without the beginning of a credential, as some quote it."""
    text = masked(text)
    for secret in list(_sent):
        if len(secret) > PIECE and secret[:PIECE] in text:
            text = re.sub(re.escape(secret[:PIECE]) + r"\S*", KEY, text)
    return text


class Veil:
    """A text that comes in pieces, told without credentials; what may be the beginning of one waits."""

    def __init__(self) -> None:
        self._kept, self._told = "", 0  # the end of what came, and how much of that was told

    def add(self, piece: str) -> str:
        """What can be told now that this has come, too."""
        return "".join(self._take(piece[at : at + SLICE]) for at in range(0, len(piece), SLICE))

    def rest(self) -> str:
        """What waited for more, when nothing more comes."""
        told = self._take("", last=True)
        left, self._kept, self._told = self._kept[self._told :], "", 0
        return told + (KEY if any(len(view) >= PIECE for view, _ in _views(left)) else left)

    def _take(self, piece: str, last: bool = False) -> str:
        raw, told = self._kept + piece, self._told
        half = None if last else _BEGUN.search(raw, max(0, len(raw) - 10))
        hits, wait = _found(raw[: half.start()] if half else raw)
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
    """All that is looked for, in the letters in which it is looked for."""
    raw = secret.encode("utf-8", "replace")
    forms = {secret, raw.decode("latin-1"), secret[::-1], raw.hex()}
    for before in range(3):  # base64 looks otherwise after one or two other bytes; these are its characters that hold
        packed = b64encode(bytes(before) + raw).decode()
        forms.add(packed[-(-8 * before // 6) : 8 * (before + len(raw)) // 6])
    return {form.translate(_FOLD) for form in forms if len(form) > SHORT or form in (secret, secret[::-1])}


def _views(raw: str) -> Iterator[tuple[str, Sequence[int]]]:
    """The text in the letters of forms, and where in it each character begins; and once more with escapes undone."""
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


def _found(raw: str) -> tuple[list[tuple[int, int]], int]:
    """Where credentials begin and end in the text, in order, and where one may have begun of which more must come."""
    hits, wait = set[tuple[int, int]](), len(raw)
    for view, starts in _views(raw):
        if not _begins.search(view):
            continue
        for head, form in _forms:
            at = view.find(head)
            while at >= 0:
                more = (n for n in range(len(head), len(form)) if view[at + n : at + n + 1] != form[n])
                end = at + next(more, len(form))
                if end == len(view) and end - at < len(form):
                    wait = min(wait, starts[at])
                else:
                    hits.add((starts[at], starts[end]))
                at = view.find(head, at + 1)
            wait = min(wait, starts[_begun(view, head)])
    return sorted(hits), wait if len(raw) - wait < WAITS else len(raw)


def _begun(view: str, head: str) -> int:
    """Where at the end of the text the head begins, by more than KNOWN characters; the text's length if nowhere."""
    start = head[: KNOWN + 1]
    at = view.find(start, max(0, len(view) - len(head) + 1))
    while at >= 0 and not head.startswith(view[at:]):
        at = view.find(start, at + 1)
    return at if at >= 0 else len(view)
