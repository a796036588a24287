"""Remove the credentials that this process has sent from all text, in whatever form a server repeats them.

Servers quote keys in errors, and gateways anywhere. Credentials of a request are registered before it is sent; errors
and answers are filtered before they are shown or stored. The forms are: the credential itself, reversed, in hex and in
base64, ignoring case; each character may be encoded as in URLs, HTML or JSON, also repeatedly, and lines may break
anywhere. A part of a random credential is masked from PIECE characters on, because no other text has it; a part of a
credential of words only if it is longer, except in errors. The beginning that all keys of a vendor share is not secret.
Owns nothing on disk.
"""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

KEY = "[key]"
SHORT = 4  # characters: shorter values are not treated as secrets
PIECE = 8  # characters of a key in an error, or of a random key anywhere, that identify it
HEAD = 16  # characters of any form that identify it
WHOLE = 32  # characters that identify a form without a search inside it
TAIL = 12  # characters of a key of words that identify it: at its end, or with digits
MOST = 64  # the most remembered credentials; a token may be renewed every hour
TOTAL = 1 << 14  # the most characters of all remembered credentials; a token may have thousands
FEW = 2  # characters of a key next to stars or dots in an error
KNOWN = 2  # characters that may match a form without waiting; otherwise every s would wait
NEAR = 24  # characters of text that may contain these, in any encoding
ROUNDS = 3  # times that a text is decoded: an address within an address, JSON in JSON
SLICE = 1 << 16  # characters filtered together
WAITS = 1 << 14  # the most waiting characters, if a credential seems to begin repeatedly
# Servers' documentation uses these as dummy keys. A model may well say such words.
SAMPLES = frozenset("none null empty test dummy local ollama lm-studio no-key not-needed sk-no-key-required".split())

_FOLD = {**{ord(large): large.lower() for large in map(chr, range(0xDF))}, ord("-"): "+", ord("_"): "/"}
_PUBLIC = re.compile(  # the beginning of all keys of a kind
    r"sk-(?:proj-|svcacct-|admin-|ant-(?:[a-z]+\d\d-)?|or-v1-|live-|test-)?|gsk_|xai-|hf_|r8_|fw_|csk-|nvapi-|pplx-"
    r"|[spr]k_(?:live|test)_|gh[a-z]_|github_pat_|glpat-|AIzaSy|eyJ[\w-]+\.(?=eyJ)"
)
_RANDOM = re.compile(  # letters and digits in a row that are not words
    r"(?=[^\W_]{0,60}[a-zA-Z])(?=[^\W_]{0,60}\d)[^\W_]{12}"
    r"|(?=[^\W_]{0,5}[a-z])(?=[^\W_]{0,5}[A-Z])(?=[^\W_]{0,5}\d)[^\W_]{6}"
)
_CASES = re.compile(r"[a-z][A-Z]")
_ESCAPE = re.compile(
    r"%[0-9A-Fa-f]{2}|&#?\w{1,8};|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\[nrt]|\\(?=[^\w\s])|\r?\n[ \t]*"
)
_LAST = re.compile(r"[a-z0-9+/]?={0,2}")  # a last character of base64, folded
_STARS = re.compile(  # `sk-ab****yz`
    r"([^\s*•●·.…]{0,128}?)[\[(<]?(?:[*•●·]{2,}|\.{2,}|…|[xX#]{4,}|_{3,}|-{3,})[\])>]?([^\s*•●·.…\"',;:)\]}<>&]*)"
)
_BEGUN = re.compile(r"(?:%[0-9A-Fa-f]?|&#?\w{0,8}|\r|\\+(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?)\Z")


class _Form(NamedTuple):
    """A way to write a credential: in folded letters, and as it is. `public` characters at its beginning are no secret.
    A part of letters and digits identifies it with `least` characters."""

    folded: str
    written: str
    public: int
    least: int
    open: bool = False  # base64 that ends within a character: its last bits and the following text share the next one


_LOCK = threading.Lock()
_sent: dict[str, tuple[_Form, ...]] = {}  # the forms of each, newest last
_short: tuple[_Form, ...] = ()  # forms of fewer than PIECE characters
_pieces: dict[str, list[tuple[_Form, int]]] = {}  # PIECE characters of a form, and their place in it
_all = ""  # all forms; a text may end with the beginning of one


def hide(*secrets: str | None) -> None:
    """Remember these credentials, so that none of them is repeated from now on."""
    global _short, _pieces, _all
    new = [one for one in secrets if one and len(one) >= SHORT and one.lower() not in SAMPLES and one not in _sent]
    if not new:
        return
    with _LOCK:
        _sent.update({secret: tuple(_forms_of(secret)) for secret in new})
        while len(_sent) > MOST or (len(_sent) > 1 and sum(map(len, _sent)) > TOTAL):
            del _sent[next(iter(_sent))]
        forms = [form for each in _sent.values() for form in each]
        pieces = defaultdict[str, list[tuple[_Form, int]]](list)
        for form in forms:
            inner = range(max(1, form.public), len(form.folded) - PIECE + 1) if form.least < WHOLE else ()
            for at in (0, *inner) if len(form.folded) >= PIECE else ():
                pieces[form.folded[at : at + PIECE]].append((form, at))
        _short = tuple(form for form in forms if len(form.folded) < PIECE)
        _pieces, _all = dict(pieces), "\0".join(form.folded for form in forms)


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
    """Return a server's error text without credentials, and without parts of them, which some servers quote."""
    veil = Veil(PIECE)
    text = veil.add(text) + veil.rest()
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
    """Removes credentials from a text that arrives in pieces. A possible beginning of a credential waits. `least`
    characters of a credential identify it, however they look."""

    def __init__(self, least: int = HEAD) -> None:
        self._kept, self._told = "", 0  # the end of the text so far, and how much of it was returned
        self._least = least

    def add(self, piece: str) -> str:
        """Add a piece and return the text that is now safe."""
        return "".join(self._take(piece[at : at + SLICE]) for at in range(0, len(piece), SLICE))

    def rest(self) -> str:
        """Return the waiting text at the end."""
        told = self._take("", last=True)
        self._kept, self._told = "", 0
        return told

    def _take(self, piece: str, last: bool = False) -> str:
        raw, told = self._kept + piece, self._told
        half = None if last else _BEGUN.search(raw, max(0, len(raw) - 10))
        hits, wait = _find_spans(raw[: half.start()] if half else raw, self._least, last)
        for begin, end in reversed(hits):
            if begin < wait < end:
                wait = begin
        parts, at = list[str](), 0
        for begin, end in hits:
            if begin >= wait:
                break
            if begin >= at:
                parts += raw[max(at, told) : begin], KEY
            at = max(at, end)
        parts.append(raw[max(at, told) : max(at, wait)])
        keep = max(at, min(wait, len(raw) - NEAR))
        self._kept, self._told = raw[keep:], max(at, told, wait) - keep
        return "".join(parts)


def _forms_of(secret: str) -> Iterator[_Form]:
    """Yield all forms of a secret to search for."""
    raw, found = secret.encode("utf-8", "replace"), _PUBLIC.match(secret)
    public = found.end() if found else 0
    least = PIECE if _RANDOM.search(secret, public) else TAIL
    yield _Form(secret.translate(_FOLD), secret, public, least)
    yield _Form(secret[::-1].translate(_FOLD), secret[::-1], 0, WHOLE)
    if not secret.isascii():
        yield _Form(raw.decode("latin-1").translate(_FOLD), raw.decode("latin-1"), public, least)
    more = [_Form(raw.hex(), raw.hex(), 2 * public, WHOLE)]
    for before in range(3):  # base64 at the three alignments, without the characters that depend on neighbours
        packed, bits = b64encode(bytes(before) + raw).decode(), 8 * (before + len(raw))
        packed, known = packed[-(-8 * before // 6) : bits // 6], -(-8 * (before + public) // 6) if public else 0
        more.append(_Form(packed.translate(_FOLD), packed, known, min(HEAD, least * 4 // 3), bits % 6 > 0))
    yield from (form for form in more if len(form.folded) > SHORT)


def _views(raw: str) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
    """Yield the folded text with the offsets where each character begins and ends, and again with escapes decoded and
    line breaks dropped."""
    text = raw
    starts: Sequence[int] = range(len(raw))
    ends: Sequence[int] = range(1, len(raw) + 1)
    yield text.translate(_FOLD), starts, ends
    for _ in range(ROUNDS):
        plain, begins, stops, at = list[str](), list[int](), list[int](), 0
        for escape in _ESCAPE.finditer(text):
            here, behind = escape.span()
            character = _unescaped(escape[0])
            plain += text[at:here], character
            begins += starts[at:here]
            stops += ends[at:here]
            if character:
                begins.append(starts[here])
                stops.append(ends[behind - 1])
            at = behind
        if not at:
            return
        text, starts, ends = "".join((*plain, text[at:])), [*begins, *starts[at:]], [*stops, *ends[at:]]
        yield text.translate(_FOLD), starts, ends


def _unescaped(escape: str) -> str:
    if escape[0] == "&":
        return unescape(escape)[:1]
    if escape[0] in "\r\n" or escape[1:] in ("", "n", "r", "t"):
        return ""
    return chr(int(escape[2:] if escape[0] == "\\" else escape[1:], 16))


def _find_spans(raw: str, least: int, last: bool) -> tuple[list[tuple[int, int]], int]:
    """Return the spans of credentials in the text, in order, and the offset where an incomplete one may have begun."""
    hits, wait = set[tuple[int, int]](), len(raw)
    for view, starts, ends in _views(raw):
        for at, end, form in _find_parts(view, least, last):
            if form.open and view[at:end].endswith(form.folded):
                end = _LAST.match(view, end).end()  # type: ignore[union-attr]  # it matches nothing, too
            hits.add((starts[at], ends[end - 1]))
        size = KNOWN + 1
        while not last and size <= len(view) and view[-size:] in _all:
            wait, size = min(wait, starts[-size]), size + 1
    return sorted(hits), wait if len(raw) - wait < WAITS else len(raw)


def _find_parts(view: str, least: int, last: bool) -> Iterator[tuple[int, int, _Form]]:
    """Yield the start, end and form of each part of a credential that identifies it."""
    for form in _short:
        at = view.find(form.folded)
        while at >= 0:
            yield at, at + len(form.folded), form
            at = view.find(form.folded, at + 1)
    if not _pieces:
        return
    pieces, done = _pieces, dict[tuple[_Form, int], int]()
    for here in [at for at in range(len(view) - PIECE + 1) if view[at : at + PIECE] in pieces]:
        for form, place in pieces[view[here : here + PIECE]]:
            if here < done.get((form, here - place), 0):
                continue
            before, size, behind = 0, len(form.folded), PIECE
            while before < min(here, place) and view[here - before - 1] == form.folded[place - before - 1]:
                before += 1
            while place + behind < size and view[here + behind : here + behind + 1] == form.folded[place + behind]:
                behind += 1
            done[form, here - place] = here + behind
            cut = last and here + behind == len(view)
            if _identifies(form, place - before, place + behind, PIECE if cut else least):
                yield here - before, here + behind, form


def _identifies(form: _Form, start: int, end: int, least: int) -> bool:
    """Return whether this part of a form identifies it. `least` characters do so, however they look."""
    part = form.written[max(start, form.public) : end]
    if end - start == len(form.folded) or len(part) >= min(least, HEAD):
        return True
    if len(part) >= TAIL and end == len(form.folded):
        return True
    digits = any(map(str.isdecimal, part))
    return len(part) >= form.least and ((digits and not part.isdecimal()) or len(_CASES.findall(part)) > 1)
