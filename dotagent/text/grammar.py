"""The grammar of a reply: whether it is text to say, or tool calls.

A call is a separate line, so that a model needs no escaping and a person can read it. But a line of a letter or a
Dockerfile can look like a call. Therefore a reply consists of calls only if it contains nothing else: any other text
makes the whole reply text, and `lost` lists the lines that look like calls. Reasoning is not part of a reply. Pure,
linear in the reply's length; owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from dotagent.text import lookalike, reasoning
from dotagent.text.lazy import dataclass, replace
from dotagent.text.toolset import SILENCE as SILENCE
from dotagent.text.toolset import ToolCall as ToolCall
from dotagent.text.toolset import Toolset as Toolset
from dotagent.text.toolset import is_silence as is_silence

MOST = 64  # the most calls of a reply that run


@dataclass(frozen=True)
class Reading:
    """A parsed reply without reasoning: its calls in order, or its text.

    `lost` lists the lines of the text that look like calls. In a reply of calls, `text` and `lost` are empty.
    """

    calls: tuple[ToolCall, ...]
    text: str
    lost: tuple[str, ...]

    @property
    def due(self) -> tuple[ToolCall, ...]:
        """Return the calls that will run. The call after MOST has a problem that says that no further call ran."""
        if len(self.calls) <= MOST:
            return self.calls
        why = f"a reply has at most {MOST} calls: this one and the {len(self.calls) - MOST - 1} after it were not done"
        return (*self.calls[:MOST], replace(self.calls[MOST], body=None, problem=why))


@lru_cache(maxsize=4)  # a reply of many calls is parsed again for each of them
def read(reply: str, tools: Toolset, cut: bool = False) -> Reading:
    """Parse any reply in linear time, without raising.

    `cut` says that a length limit ended the reply, so an incomplete last call is dropped.
    """
    names = frozenset(tools.forms)
    plain = reasoning.is_plain(reply) and lookalike.has_none(reply, names)
    if plain and reply.lstrip()[:1] not in ("{", "["):  # most answers: the rest takes 20 times as long
        return Reading((), reply.replace("\r\n", "\n").strip(), ())
    from dotagent.text.call_lines import CallLines  # loaded with the first reply that may contain calls

    text = reasoning.text_after(reply)
    calls, ways = CallLines(text, tools).all()
    while not ways and (end := reasoned_end(text, names)):
        text = reasoning.text_after(text[end:])
        calls, ways = CallLines(text, tools).all()
    if ways == 1:
        return Reading(calls[:-1] if cut else calls, "", ())
    lines = reasoning.split(text)[0].replace("\r\n", "\n").removesuffix("\r").split("\n")
    text = "\n".join(lines).strip()
    if any(sign in text for sign in (*"<{[(", "Action:")):  # each other syntax has one of these
        from dotagent.text import syntaxes  # loaded only after such a reply

        foreign, odd = syntaxes.calls(text, tools.forms)
        if foreign:
            return Reading(tuple(make_call(name, told, tools) for name, told in foreign), "", ())
        if odd:
            return Reading((), syntaxes.without(text, odd), odd)
    lost = lookalike.find_lookalikes(lines, names)
    return Reading((), text, () if lost and _says_nothing(text) else lost)


def _says_nothing(text: str) -> bool:
    """Return True if the text is only NO_REPLY, or a heartbeat's reply without news."""
    from dotagent.text import heartbeat_reply  # loaded only for lines that look like calls

    return is_silence(text) or not heartbeat_reply.unalarming(text)


def make_call(name: str, arguments: Mapping[str, str], tools: Toolset) -> ToolCall:
    """Return the call of a tool with named arguments."""
    form = tools.forms.get(name, "line")
    if form == "speech":
        return ToolCall(name, " ".join(arguments.get("room", "").split()), arguments.get("text", ""))
    if form == "shell":
        return ToolCall(name, arguments.get("command", "").strip(), None)
    behind = " ".join(said for one, said in arguments.items() if one != "content")  # whatever the arguments are called
    body = arguments.get("content")
    body = f"{body}\n" if body and not body.endswith("\n") else body
    return ToolCall(name, " ".join(behind.split("\n")).strip(), body)


def reasoned_end(text: str, names: frozenset[str]) -> int:
    """Return where reasoning without an opening tag ends; 0 if there is none, or if its tag is within a call."""
    end = reasoning.split(text)[1]
    if not end:
        return 0
    *above, before = text[:end].split("\n")
    behind, *below = text[end:].split("\n")
    from dotagent.text import shell_documents  # loaded only after such a reply

    call = lookalike.head(names)
    if behind.strip() and call.match(before):
        return 0
    opened = set[str]()  # the closing words of the here-documents that a call above has opened
    for line in above:
        opened.discard(line.strip())
        opened |= {found[0] for found in shell_documents.documents(line, [])[0]} if call.match(line) else set()
    return 0 if opened.intersection(map(str.strip, below)) else end
