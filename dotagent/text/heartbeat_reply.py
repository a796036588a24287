"""The reply to a heartbeat, a regular check of the scheduler: HEARTBEAT_OK says that there is nothing to report.
Pure."""

from __future__ import annotations

import re

from dotagent.text import lazy

QUIET = "HEARTBEAT_OK"  # the reply if there is nothing to report
_TOKEN = QUIET.replace("_", r"\\?[-_ ]")  # a model may write HEARTBEAT OK, or escape the underscore
_QUIET_FIRST = lazy.compile(rf"\A[\W_]*{_TOKEN}(?![^\W_])(?:[^\w\s]|_)*(?:\s+[-–—:]+(?=\s))?", re.IGNORECASE)
_QUIET_LAST = lazy.compile(rf"(?:\A|\s|(?<=[。！，：；]))(?:[^\w\s]|_)*{_TOKEN}(?![^\W_])[\W_]*\Z", re.IGNORECASE)
_WRAPPED = lazy.compile(  # a fence, an HTML tag or entity, the number of a list
    r"^\s*(?:```|~~~)\w*\s*$|</?\w[^<>]*>|&\w+;|^\s*\d{1,2}[.)](?=\s|\Z)", re.MULTILINE
)
_NOTHING = lazy.compile(
    r"[\W_]*(?:(?:(?:there is )?nothing(?: new)?(?: to (?:report|tell|do|say)| (?:needs|requires) (?:your )?attention)?"
    r"|no (?:news|alerts?|changes?|issues?|updates?|action)(?: (?:is )?(?:needed|required))?"
    r"|(?:all|everything)(?: is)? (?:quiet|well|good|clear|fine|ok|okay)|status|response|reply|answer|result"
    r"|(?:es gibt )?nichts(?: neues)?(?: zu (?:berichten|melden|tun|sagen))?|antwort|ergebnis"
    r"|alles(?: ist)? (?:ruhig|gut|in ordnung|ok|okay)"
    r"|一切(?:正常|平静)|没有(?:新(?:消息|情况)|异常|什么要报告的)|无(?:异常|事可报))"
    r"(?![^\W_])[\W_]*)+",
    re.IGNORECASE,
)


def unalarming(text: str) -> str:
    """Return a heartbeat's message without QUIET at its ends, or "" if nothing else remains.

    Wrapping is ignored: case, Markdown, fences, HTML tags, punctuation, or a remark such as "nothing to report". Any
    other word next to QUIET is an alert.
    """
    rest, alert = _edges(_WRAPPED.sub(" ", text)), _edges(text)
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
