"""Questions whether something is true, in several languages: a person who asks this has not said it. Pure."""

from __future__ import annotations

import re

from dotagent.text import lazy, standing_instructions

_BEGIN = r"did|has|have|had|does|is|are|was|were|ist|sind|war(?:en)?|hat(?:te)?|haben|wurden?|est-ce que"
_US = (
    r"I|me|my|we|us|our|you|your|ich|mi[rc]h?|mein\w*|wir|uns|unser\w*|di[rc]h?|dein\w*|Sie|Ihnen"
    r"|je|j['’]|mo[ni]|nous|notre|tu|vous"
)
QUESTION = lazy.compile(
    r"\b(?:is|was) it true\b|\bist es wahr\b|\bstimmt(?: es)?,? dass\b|\best-ce vrai\b|\bc['’]est vrai\b"
    r"|\bes (?:verdad|cierto)\b|\bè vero\b|\bé verdade\b|\bправда ли\b|是真的|是不是真|本当(?:に|です)|정말"
    rf"|(?:^|(?<=[.!?:\]]) ?)(?:{_BEGIN})\s(?![^?\n]{{0,200}}\b(?:{_US})\b)[^?\n]{{0,200}}\?"
    r"|^[^我你您咱\n]{0,80}[吗嗎][？?]",
    re.IGNORECASE | re.MULTILINE,
)


def split(text: str) -> tuple[str, str]:
    """Return the sentences of a text that ask whether something is true, and the rest."""
    sentences = list(standing_instructions.sentences(text)) if QUESTION.search(text) else []
    asked = [one for one in sentences if standing_instructions.asks(one) and QUESTION.search(one)]
    return "\n".join(asked), "\n".join(one for one in sentences if one not in asked) if asked else text
