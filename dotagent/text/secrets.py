"""What looks like a secret in a text: a key, a token, a password, a card number. It may be said, and its blob keeps it;
but no note, rule, profile, gist, index or summary does, for those are read, shared and shown for years.

Each kind is known by its own form, so that a hash, an id or a door's code is none. Pure, linear in the text's length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind: its name, what a text that has one has (any of these words, in small letters, or this pattern), and
    its form, of which the group `it` is the secret where that is not all."""

    name: str
    form: re.Pattern[str]
    words: tuple[str, ...] = ()
    sign: re.Pattern[str] | None = None

    def may(self, small: str) -> bool:
        """Whether it is worth looking; `small` is the text in small letters."""
        return any(word in small for word in self.words) or bool(self.sign and self.sign.search(small))


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
    Kind("private key", re.compile(_PEM), ("private key-",)),
    Kind("GitHub token", re.compile(r"\b(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_\w{30,})"), ("gh", "github_pat")),
    Kind("GitLab token", re.compile(r"\bgl(?:pat|dt|rt|ptt)-[\w-]{18,}"), ("glpat-", "gldt-", "glrt-", "glptt-")),
    Kind("Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"), ("xox",)),
    Kind("Stripe key", re.compile(r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"), ("k_live_", "k_test_")),
    Kind("AWS key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"), ("akia", "asia")),
    Kind(
        "API key",
        re.compile(r"\b(?:sk-[\w-]{18,}|AIza[\w-]{30,}|(?:gsk|xai|hf|r8|npm|pypi)[_-](?=[\w-]{0,60}\d)[\w-]{20,})"),
        ("sk-", "aiza", "gsk_", "xai-", "hf_", "r8_", "npm_", "pypi-"),
    ),
    Kind("web token", re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"), ("eyj",)),
    Kind("bot token", re.compile(r"\b\d{8,12}:[\w-]{35}(?![\w-])"), sign=re.compile(r"\d{8}:[\w-]{35}")),
    Kind("bot token", re.compile(_DISCORD), sign=re.compile(r"\.[\w-]{6}\.[\w-]{27}")),
    Kind("bearer token", re.compile(_BEARER), ("bearer", "basic")),
    Kind("password in an address", re.compile(r"://[^\s/:@]{0,100}:(?P<it>[^\s/@]{1,200})@"), ("://",)),
    Kind("password", re.compile(_WORD), ("passw", "passphrase", "kennwort")),
    Kind("named secret", re.compile(_NAMED), ("key", "secret", "token", "credential")),
    Kind("card number", re.compile(_DIGITS), sign=re.compile(r"(?:\d[ -]?){13}")),
)


MASKED = "[masked: "


def found(text: str) -> list[tuple[int, int, str]]:
    """Where each secret begins and ends, and its kind, in order; none of them overlap."""
    small, hits = text.lower(), list[tuple[int, int, str]]()
    for kind in KINDS:
        if kind.may(small):
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


def masked(text: str, known: str = "") -> str:
    """The text with the name of its kind in place of each secret, but for those that stand in `known` already."""
    parts, at = list[str](), 0
    for begin, end, kind in found(text):
        if not known or text[begin:end] not in known:
            parts += text[at:begin], mask(kind)
            at = end
    return "".join((*parts, text[at:])) if parts else text


def kinds(text: str) -> list[str]:
    """The kinds of secrets in the text, each once."""
    return list(dict.fromkeys(kind for _, _, kind in found(text)))


def mask(kind: str) -> str:
    """What stands in place of a secret."""
    return f"{MASKED}{kind}]"


def _is_card(text: str) -> bool:
    """Whether these digits are a card's: a first one that cards have, and Luhn's sum."""
    digits = [int(one) for one in text if one.isdecimal()]
    if digits[0] not in (2, 3, 4, 5, 6) or len(set(digits)) < 2:
        return False
    doubled = (sum(divmod(2 * one, 10)) if at % 2 else one for at, one in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0
