"""Find out whether a message in the midst of a turn adds something to it, or only asks something. Pure."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"(?:[^.!?\n。！？؟]|\.(?=[a-z0-9]))+[.!?。！？؟…]*")
_VERBS = "is|are|was|were|do|does|did|will|would|can|could|have|has"
_ASKS = re.compile(  # a question; in Greek it ends with a semicolon, and others may have no mark
    r"[?？؟][!！.…]*$|[\u0370-\u03ff\u1f00-\u1fff];$|՞|(?:です|ます|でした|ました)か[。.]?$|[吗嗎]$|"
    rf"(?i:^(?:how|what|where|when|which|who|why)(?: \w+){{0,2}} (?:{_VERBS}) "
    r"(?:you|it|we|i|they|that|this|he|she|the|there|my|your)\b)"
)
_WORDS = (
    r"(?:how|what|where|when|which|who|why|wie|was|wo|wann|warum|qué|cómo|dónde|cuándo|comment|où|quand|как|что|где|"
    r"когда)"
)
_WANTS_TO_KNOW = r"(?:please )?(?:tell|say|see|hear|show|explain|remember|already|be|still)\b"
_WISHES = re.compile(  # a question that asks for something to be done, or that corrects
    rf"(?i)^(?!{_WORDS}\b)(?!.*\b{_WANTS_TO_KNOW}).*"
    r"(?:\b(?:please|bitte|por favor)\b|пожалуйста|s'il (?:te|vous) pla)|"
    rf"\b(?:can|could|will|would) you (?!{_WANTS_TO_KNOW})|[请請](?![问問告])|"
    r"^(?:no|nope|nein|non|нет|stop|wait|halt|stopp|alto|стой)[,!]|^(?:stop|don't (?!you))\b|"
    r"[, ](?:ok|okay|all right|right|gut|ja|vale|хорошо)[?？]+$|好[吗嗎][?？]*$"
)
_COURTESY = re.compile(
    r"(?i)(?:hi|hello|hey|good morning|thanks|thank you|hallo|danke|hola|gracias|salut|bonjour|merci|ciao|grazie|"
    r"привет|спасибо|你好|谢谢|謝謝|ありがとう)(?:,? (?:there|a lot|\w+))?[.!。！…]*"
)


def is_addition(text: str) -> bool:
    """Return True if a message in the midst of a turn adds something to it, and does not only ask something. A polite
    request adds something, although it has the form of a question."""
    pieces = [one.strip() for one in _SENTENCE.findall(text) if one.strip()]
    sentences = [one for one in pieces if any(map(str.isalpha, one))] or pieces  # no closing quotation mark or emoji
    said = [one for one in sentences if not _COURTESY.fullmatch(one)] or sentences
    return not text.startswith("/") and any(_WISHES.search(one) or not _ASKS.search(one) for one in said)
