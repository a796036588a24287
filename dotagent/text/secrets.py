"""Find probable secrets in a text: keys, tokens, passwords, card numbers.

People may say them and blobs keep them, but notes, rules, profiles, gists, indexes and summaries mask them, because
these are read and shared for years. Each kind has a specific form, so that hashes, ids and door codes are not matched.
Pure, linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from dotagent.text import lazy
from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of secret: its name, its form, and a fast pre-check (one of `words` in lower case, and what `sign` finds).
    Without `words`, only `sign` is checked. If the form has a group `it`, only that is the secret."""

    name: str
    form: re.Pattern[str]
    words: tuple[str, ...] = ()
    sign: Callable[[str], object] | None = None


def _has_digits(text: str) -> bool:
    """Return True if the text may have 13 digits in a row, apart from spaces and hyphens."""
    return not text.isascii() or b"0" * 13 in text.encode().translate(_DIGIT, b" -")


_TELEGRAM_SIGN, _DISCORD_SIGN = lazy.compile(r"\d{8}:[\w-]{35}"), lazy.compile(r"\.[\w-]{6}\.[\w-]{27}")
_DIGIT = bytes.maketrans(b"123456789", b"0" * 9)
_PEM = r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\w+/=\s:,.\\]{0,8000}(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?"
_WORD = (
    r"(?i)\b(?:password|passwort|passphrase|passwd|kennwort)\b[ \t]{0,3}(?:(?:is|ist|was|war)[ \t]{1,3}[\"'`“]?"
    r"(?=\S{0,40}[0-9$%&#!?*+^~@_])|[:=][ \t]{0,3}[\"'`“]?)(?P<it>[^\s\"'`“”,;]{4,100})"
)
_NAMED = (
    r"(?i)(?:api[_-]?key|secret|token|credential)s?[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"'`“]?"
    r"(?P<it>(?=[A-Z_+/-]{0,200}\d)[\w+/.-]{12,200}={0,2})"
)
_BEARER = r"(?i)\b(?:bearer|basic)[ \t]+(?P<it>(?=[A-Z._~+/-]{0,80}\d)[\w.~+/-]{16,}=*)"
_DISCORD = r"(?<![\w-])[\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}"
_DIGITS = r"(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)"

KINDS = (
    Kind("private key", lazy.compile(_PEM), ("private key-",)),
    Kind(
        "GitHub token",
        lazy.compile(r"\b(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_\w{30,})"),
        ("gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_"),
    ),
    Kind("GitLab token", lazy.compile(r"\bgl(?:pat|dt|rt|ptt)-[\w-]{18,}"), ("glpat-", "gldt-", "glrt-", "glptt-")),
    Kind("Slack token", lazy.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"), ("xox",)),
    Kind("Stripe key", lazy.compile(r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"), ("k_live_", "k_test_")),
    Kind("AWS key", lazy.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"), ("akia", "asia")),
    Kind(
        "API key",
        lazy.compile(r"\b(?:sk-[\w-]{18,}|AIza[\w-]{30,}|(?:gsk|xai|hf|r8|npm|pypi)[_-](?=[\w-]{0,60}\d)[\w-]{20,})"),
        ("sk-", "aiza", "gsk_", "xai-", "hf_", "r8_", "npm_", "pypi-"),
    ),
    Kind("web token", lazy.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"), ("eyj",)),
    Kind("bot token", lazy.compile(r"\b\d{8,12}:[\w-]{35}(?![\w-])"), (":",), lambda text: _TELEGRAM_SIGN.search(text)),
    Kind("bot token", lazy.compile(_DISCORD), (".",), lambda text: _DISCORD_SIGN.search(text)),
    Kind("bearer token", lazy.compile(_BEARER), ("bearer", "basic")),
    Kind("password in an address", lazy.compile(r"://[^\s/:@]{0,100}:(?P<it>[^\s/@]{1,200})@"), ("://",)),
    Kind("password", lazy.compile(_WORD), ("passw", "passphrase", "kennwort")),
    Kind("named secret", lazy.compile(_NAMED), ("key", "secret", "token", "credential")),
    Kind("card number", lazy.compile(_DIGITS), (), _has_digits),
)

_WORDS = [(word, at) for at, kind in enumerate(KINDS) for word in kind.words or ("",)]
_BY_SIGN = {  # a text without the sign contains none of its words
    "_": [one for one in _WORDS if "_" in one[0]],
    "-": [one for one in _WORDS if "-" in one[0]],
    "": [one for one in _WORDS if not {"_", "-"} & {*one[0]}],
}


MASKED = "[masked: "
GROUP = 50  # texts that are searched together


def find_secrets(text: str, among: Sequence[Kind] | None = None) -> list[tuple[int, int, str]]:
    """Return the start, end and kind of each secret, in order and without overlaps. Look only for the kinds that are
    `among` these, if given."""
    hits = list[tuple[int, int, str]]()
    for kind in _possible(text.lower(), among):
        for one in kind.form.finditer(text):
            begin, end = one.span("it" if "it" in kind.form.groupindex else 0)
            if not text.startswith(MASKED, begin) and (kind.name != "card number" or _is_card(one[0])):
                hits.append((begin, end, kind.name))
    hits.sort(key=lambda one: (one[0], -one[1]))
    apart = list[tuple[int, int, str]]()
    for begin, end, name in hits:
        if not apart or begin >= apart[-1][1]:
            apart.append((begin, end, name))
    return apart


def _possible(small: str, among: Sequence[Kind] | None = None) -> list[Kind]:
    """Return the kinds that a text, given in lower case, may contain."""
    if among is not None:
        kinds = [one for one in among if not one.words or any(word in small for word in one.words)]
        return [kind for kind in kinds if kind.sign is None or kind.sign(small)]
    many = [words for sign, words in _BY_SIGN.items() if sign in small]
    kinds = [KINDS[at] for at in sorted({at for words in many for word, at in words if word in small})]
    return [kind for kind in kinds if kind.sign is None or kind.sign(small)]


def mask_all(texts: Sequence[str]) -> Iterator[str]:
    """Yield each text as `masked` returns it. A form that no text of a group can contain is not searched in each text,
    so this takes a fifth of the time."""
    for start in range(0, len(texts), GROUP):
        group = texts[start : start + GROUP]
        among = _possible("\n".join(group).lower())
        yield from (masked(text, among=among) for text in group) if among else group


def masked(text: str, known: str = "", among: Sequence[Kind] | None = None) -> str:
    """Return the text with each secret replaced by its kind, except secrets that `known` already contains. Look only
    for the kinds that are `among` these, if given."""
    parts, at = list[str](), 0
    for begin, end, kind in find_secrets(text, among):
        if not known or text[begin:end] not in known:
            parts += text[at:begin], f"{MASKED}{kind}]"
            at = end
    return "".join((*parts, text[at:])) if parts else text


def kinds(text: str) -> list[str]:
    """Return the distinct kinds of secrets in the text."""
    return list(dict.fromkeys(kind for _, _, kind in find_secrets(text)))


def _is_card(text: str) -> bool:
    """Return True if the digits can be a card number: a valid first digit, and Luhn's checksum."""
    digits = [int(one) for one in text if one.isdecimal()]
    if digits[0] not in (2, 3, 4, 5, 6) or len(set(digits)) < 2:
        return False
    doubled = (sum(divmod(2 * one, 10)) if at % 2 else one for at, one in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0
