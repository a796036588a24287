"""What a message asks of the agent, by the wording of its sentences; a message that asks nothing has no asks.

Commands stand at the beginning of a sentence, after politeness; a question ends in `?` or begins like one. Of another
agent only what ends in `?` counts, so that two agents without a model never keep each other talking. It owns nothing on
disk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["help", "remember", "forget", "notes", "read", "rooms", "question"]


@dataclass(frozen=True)
class Ask:
    """One thing asked. `text` is what to remember or forget, the arguments of READ_FILE, or the question."""

    kind: Kind
    text: str


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.DOTALL)


_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<!:)\n+")
_NAMES = "agent|dotagent|offline|bot"
_GREETING = r"(?:(?:hey|hi|hello|ok|okay|so|and|thanks|thank you|please)[,!.]?\s+)"
_QUOTED = re.compile(r"“[^”]*”")
_POLITE = _any(
    r"@\S+[,:]?\s+",
    r"(?:hey|hi|hello|ok|okay|so|and|but|also|then|now|well|yes|no|thanks|thank you)(?:[,!.:]\s*|\s+)",
    r"please[,]?\s+",
    r"(?:can|could|would|will) you\s+",
    r"i(?:'d like| would like| want) you to\s+",
    r"(?:kindly|just|quickly)\s+",
)
_CAN_YOU = _any(r"(?:can|could|would|will) you\s")
_END = r"(?:,?\s+(?:please|for me|for us|now|again))*[\s.!?]*\Z"
_HELP = _any(
    r"(?:/?help|commands|usage)(?: me| us)?" + _END,
    r"(?:list|show)(?: me)?(?: the| your| all)* commands" + _END,
    r"what (?:can|do) (?:you|i|we) (?:do|ask|say|understand|offer)" + _END,
    r"how (?:do|can|should) (?:i|we|you|one) (?:use|work|talk|speak|start)\b[^?.!]*[?.!]*\Z",
    r"(?:who|what) (?:are|r) (?:you|u)" + _END,
    r"what(?:'s| is) your name" + _END,
    r"what can you (?:do|help)\b.*",
    r"are you (?:a |an |the |really? |there|online|offline|alive|awake|human|running)[^?]*\?+\Z",
    r"(?:what|which) (?:model|provider)(?: are you| is this| do you use| is running)?" + _END,
    r"introduce yourself" + _END,
)
_ROOMS = _any(
    r"(?:list|show|name|print)(?: me| us)?(?: all)?(?: of)?(?: the| your| my)? rooms?" + _END,
    r"rooms" + _END,
    r"(?:which|what) rooms? (?:are|do|have) (?:you|we|there)\b.*",
    r"(?:where|in (?:which|what) rooms?) (?:are|do) you(?: (?:in|listening|listen|subscribed|joined))?" + _END,
)
_NOTES = _any(
    r"(?:list|show|print|read|display)(?: me| us)?(?: all)?(?: of)?(?: your| the| my)? (?:notes|memory|memory\.md)"
    + _END,
    r"what do you (?:remember|know)" + _END,
    r"what(?:'s| is| are| have you)(?: written)? (?:in )?your (?:notes|memory)" + _END,
    r"what have you (?:noted|remembered)" + _END,
)
_REMEMBER = _any(
    r"(?:remember|memori[sz]e|note(?: down)?|make a note|take (?:a )?note|write down|jot down|keep in mind|bear in mind"
    r"|do(?:n't|n’t|nt| not) forget|never forget)(?:\s+(?:this|the following))?"
    r"(?:\s*[:,]\s*|\s+-\s+|\s+)(?:that\b|of\b)?\s*(?P<one>.*\S)",
    r"(?:save|add|write|put)\s+(?:this\s+)?(?:in|into|to)\s+(?:your |the |my )?(?:notes?|memory(?:\.md)?)"
    r"(?:\s*:\s*|\s+)(?:that\b)?\s*(?P<two>.*\S)",
    r"(?:save|add|write|put)\s+(?:that\s+)?(?P<three>.*\S)\s+(?:in|into|to)\s+(?:your |the |my )?"
    r"(?:notes?|memory(?:\.md)?)" + _END,
)
_FORGET = _any(
    r"forget(?:\s+(?:about|that|the note(?:s)? (?:about|that|on)|(?:everything|anything|all)(?: you know)? (?:about|on)"
    r"|what (?:you know|i (?:said|told you)) about))?\s+(?P<one>.*\S)",
    r"(?:delete|remove|erase|drop|strike)\s+(?P<two>.*\S)\s+from\s+(?:your |the |my )?(?:notes?|memory(?:\.md)?)"
    + _END,
)
_BARE = _any(r"(?:remember|forget)(?: (?:it|that|this|about it|about that|me))?" + _END)
_PATH = r"(?P<path>\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|[^\s\"'`<>|*]+)"
_RANGE = r"(?:,?\s+(?:lines?\s+)?(?P<first>\d{1,9})(?:\s*(?:-|–|to)\s*(?P<last>\d{1,9}))?)?"
_READ = _any(
    r"(?P<verb>read|cat|open|show|print|display|view|load)(?: me| us)?(?: the| my| your| this)?"
    r"(?P<file> file| contents? of(?: the)?(?: file)?| text of(?: the)?(?: file)?)?(?: named| called)?\s+"
    + _PATH
    + _RANGE
    + r"(?: to me| to us| aloud| out)?"
    + _END
)
_IN_FILE = _any(
    r"what(?:'s| is| stands)(?: written)? in (?:the )?(?P<file>file )?" + _PATH + _END,
    r"what does (?:the )?(?P<file2>file )?" + _PATH.replace("<path>", "<path2>") + r" (?:say|contain)" + _END,
)
_ASKING = _any(
    r"(?:what|who|whom|whose|which|where|why|how)(?:'s|’s|'re|\s+(?!i\b|we\b|he\b|she\b|they\b|it\b|you\b)(?:[\w'’-]+\s+){0,3}?"
    r"(?:is|are|was|were|am|do|does|did|can|could|will|would|should|has|have|had)\b)",
    r"when(?:'s|’s|\s+(?:is|are|was|were|am|do|does|did|will|can|should|has|have)\b)",
    r"tell (?:me|us) (?:about|what|who|when|where|which|why|how|if|whether|everything|more)\b",
    r"(?:do|did) you (?:know|remember|recall)\b",
    r"remind (?:me|us) (?:of|about|what|who|when|where|how)\b",
    r"i(?:'d like| would like| want) to know\b",
)

_SIMPLE: tuple[tuple[Kind, re.Pattern[str]], ...] = (("help", _HELP), ("rooms", _ROOMS), ("notes", _NOTES))
_WITH_TEXT: tuple[tuple[Kind, re.Pattern[str]], ...] = (("remember", _REMEMBER), ("forget", _FORGET))


def addressed(text: str, me: str) -> tuple[bool, str]:
    """Whether a message calls the agent by a name (at its beginning, behind a comma at its end, or with @), and the
    message without that. `me` is the agent's id, 12 digits."""
    name = rf"(?:{_NAMES}{'|' + me if me else ''})"
    first = re.compile(rf"\A\s*({_GREETING}*)@?{name}(?:\s*[,:!.–-]+\s*|\s+|\Z)", re.IGNORECASE)
    last = re.compile(rf"(?:,\s*@?|\s@){name}\s*([.!?]*)\s*\Z", re.IGNORECASE)
    bare = last.sub(r"\1", first.sub(r"\1", text, count=1), count=1)
    return bare != text or bool(re.search(rf"(?<!\w)@{name}\b", text, re.IGNORECASE)), bare


def asks(text: str, agent: bool) -> list[Ask]:
    """What is asked, in order; `agent` says that another agent wrote it."""
    found: list[Ask] = []
    told = 0  # sentences of the thing to remember
    for sentence in _SENTENCE.split(_QUOTED.sub("", text) if agent else text):
        if not sentence.strip() or (agent and not sentence.rstrip().endswith("?")):
            continue
        ask = _ask(sentence.strip())
        if ask is None and found and found[-1].kind == "remember":
            told += 1
            first = found[-1].text + ("." if told == 1 else "")
            found[-1] = replace(found[-1], text=f"{first} {sentence.strip()}")
        elif ask is not None:
            told = 0
            found.append(ask)
    return found


def _ask(sentence: str) -> Ask | None:
    bare = sentence
    while polite := _POLITE.match(bare):
        bare = bare[polite.end() :]
    simple = next((kind for kind, pattern in _SIMPLE if pattern.fullmatch(bare)), None)
    if simple:
        return Ask(simple, "")
    polite_words = sentence[: len(sentence) - len(bare)]
    asked_to = not sentence.endswith("?") or _CAN_YOU.search(polite_words)  # “remember me?” is a question
    if asked_to and _BARE.fullmatch(bare):
        return Ask("remember" if bare[0] in "rR" else "forget", "")
    for kind, pattern in _WITH_TEXT:
        if asked_to and (match := pattern.fullmatch(bare)):
            text = next(group for group in match.groups() if group)
            return Ask(kind, text.rstrip(".!?").strip() or text)
    if wanted := _file(bare):
        return Ask("read", wanted)
    if sentence.endswith("?") or (not sentence.endswith("!") and _ASKING.match(bare)):
        return Ask("question", bare)
    return None


def _file(bare: str) -> str | None:
    """READ_FILE's arguments, where a sentence names a file and not only a thing one can look at."""
    if match := _READ.fullmatch(bare):
        path, sure = match["path"], bool(match["file"])
        plain = match["verb"].lower() in ("read", "cat") and re.fullmatch(r"[A-Z][A-Z0-9_]+", path)
        lines = f" {match['first']}-{match['last'] or match['first']}" if match["first"] else ""
    elif match := _IN_FILE.fullmatch(bare):
        path, sure = match["path"] or match["path2"], bool(match["file"] or match["file2"])
        plain, lines = None, ""
    else:
        return None
    if path[0] in "\"'`":
        path, sure = path[1:-1].strip(), True
    path = path.rstrip(".,;:!?")
    named = sure or plain or re.search(r"[^./]\.\w|/", path)
    return path + lines if named and path and len(path) <= 300 and "<<" not in path else None
