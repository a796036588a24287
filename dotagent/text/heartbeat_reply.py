"""The reply to a heartbeat, a regular check of the scheduler: HEARTBEAT_OK says that there is nothing to report.
Pure."""

from __future__ import annotations

import re
import unicodedata

from dotagent.text import lazy

QUIET = "HEARTBEAT_OK"  # the reply if there is nothing to report
_TOKEN = QUIET.replace("_", r"\\?[-_ :\u2010\u2011]?")  # or HEARTBEAT OK, HEARTBEAT: OK, an escaped underscore
_QUIET_FIRST = lazy.compile(rf"\A[\W_]*{_TOKEN}(?![^\W_])(?:[^\w\s]|_)*(?:\s+[-–—:]+(?=\s))?", re.IGNORECASE)
_QUIET_LAST = lazy.compile(rf"(?:\A|\s|(?<=[。！，：；]))(?:[^\w\s]|_)*{_TOKEN}(?![^\W_])[\W_]*\Z", re.IGNORECASE)
_WRAPPED = lazy.compile(  # a fence, a tag of HTML or of a chat template, an entity, a list's number, TeX, a call
    r"^\s*(?:```|~~~)\w*\s*$|<\|?/?\w[^<>]*>|&\w+;|^\s*\d{1,2}[.)](?=\s|\Z)"
    r"|\\[a-z]{1,12}\{|\b(?:echo|print|return|say)\b(?=[\s(]*[\"'`]?HEARTBEAT)",
    re.MULTILINE | re.IGNORECASE,
)
_NOTHING = lazy.compile(
    r"[\W_]*(?:(?:(?:there is )?nothing(?: new)?(?: is)?"
    r"(?: to (?:report|tell|do|say)| (?:needs|requires) (?:your )?attention| (?:due|urgent|pending|open))?"
    r"|no (?:new |open |due |urgent |pending )?"
    r"(?:news|alerts?|changes?|issues?|updates?|action|tasks?|items?|reminders?)"
    r"(?: (?:is |are )?(?:needed|required|due|open|pending))?"
    r"|(?:all|everything)(?: is)? (?:quiet|well|good|clear|fine|ok|okay)|status|assistant"
    r"|(?:final )?(?:response|reply|answer|result|message|text|content|output|summary|heartbeat)|final"
    r"|(?:es gibt )?nichts(?: neues)?(?: zu (?:berichten|melden|tun|sagen))?|antwort|ergebnis"
    r"|alles(?: ist)? (?:ruhig|gut|in ordnung|ok|okay)"
    r"|rien (?:de nouveau|à signaler)|sin novedad(?:es)?|nada que (?:informar|reportar)|nada a (?:relatar|reportar)"
    r"|niente da segnalare|nessuna novità|niets te melden|нечего сообщить|новостей нет"
    r"|(?:特に)?(?:報告|異常)(?:事項)?(?:は)?(?:ありません|なし)"
    r"|一切(?:正常|平静)|没有(?:新(?:消息|情况)|异常|什么要报告的)|无(?:异常|事可报))"
    r"(?![^\W_])[\W_]*)+",
    re.IGNORECASE,
)


def unalarming(text: str) -> str:
    """Return a heartbeat's message without QUIET at its ends, or "" if nothing else remains.

    Wrapping is ignored: case, invisible characters, Markdown, fences, tags, JSON, TeX, punctuation, or a remark such as
    "nothing to report". Any other word next to QUIET is an alert.
    """
    plain = "".join(one for one in unicodedata.normalize("NFKC", text) if unicodedata.category(one) != "Cf")
    rest, alert = _edges(_WRAPPED.sub(" ", plain)), _edges(text)
    return "" if not re.search(r"\w", rest) or _NOTHING.fullmatch(rest) else alert


def _edges(text: str) -> str:
    """Return the text without QUIET at its ends, and without the marks around it."""
    text = text.strip()
    while True:
        if found := _QUIET_FIRST.match(text):
            text = text[found.end() :].strip()
        elif found := _QUIET_LAST.search(text):
            text = text[: found.start()].strip()
        else:
            return text
