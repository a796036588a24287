"""An answer without what is no part of it: each piece passes reader.py before it is written. Owns nothing on
disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial

from dotagent.providers import Completion, Config, Emit, Prompt, Provider
from dotagent.providers.server import cost
from dotagent.providers.server.reader import CLOCK, Over, Reader
from dotagent.store.call import TURN
from dotagent.text import lazy, reasoning

_HEARD = lazy.compile(  # the head of a message in a prompt: `#7 20:18 dev ana: …`
    rf"^#\d+ (?:{CLOCK} )?[^\sA-Z:][^\s:]* (?:agent )?(?P<name>[^\s:#][^\n:]{{0,99}}?)(?: \([^)\n]*\))?:(?: |$)",
    re.MULTILINE,
)
_OFFERED = lazy.compile(r"^ {4}([A-Z][A-Z_]+)(?: |$)", re.MULTILINE)  # a call in the description of the tools
_LONE = lazy.compile(r"[<\[◁][^<\[◁]{1,40}\Z")
VERBATIM = ("pre", "code", "script", "style", "textarea")  # HTML's elements whose content is not markup
_closings: dict[tuple[str, str], str] = {}
"""By address and model, the mark that ends the thoughts of a model whose replies begin within them, as its last whole
reply showed. Without a provider's `closing`, its first reply shows thoughts to a person before the mark comes."""


def answer(
    provider: Provider, request: Prompt, config: Config, emit: Emit, stop: Callable[[], bool], *, live: bool
) -> Completion:
    """Return the provider's answer, without thoughts in its text, and without what follows its end. A model that does
    not stop there is left, and its usage estimated."""
    names, offered = cache(partial(_people, request)), cache(partial(_tools, request))
    asked, place = cache(partial(_asks, request)), (config.base, request.model)
    told: Callable[[Config], str] | None = getattr(provider, "closing", None)
    closing = _closings[place] if place in _closings else told(config) if told else ""
    read, came = Reader(names, offered, live, closing, asked), list[str]()

    def passed(channel: str, delta: str) -> None:
        if channel == "text" and closing:
            came.append(delta)
        for piece in read.add(channel, delta) if channel in ("text", "reasoning") else [(channel, delta)]:
            emit(*piece)

    try:
        reply = provider.answer(request, config, passed, stop)
        for piece in read.end():
            emit(*piece)
    except Over:
        said = read.reasoning + read.text
        return Completion(read.text, read.reasoning, read.finish or "stop", cost.guess(request, said))
    cut = reply.finish == "length"
    if came and not read.text and not cut:  # it did not begin in thoughts this time
        read = Reader(names, offered, live, asked=asked)
        with suppress(Over):
            for piece in (*read.add("text", "".join(came)), *read.end()):
                emit(*piece)
    if read.finish == TURN:  # native calls behind another's turn are dropped like calls as text
        return replace(reply, text=read.text, reasoning=read.reasoning, finish=TURN)
    within = closing if came and not read.text else ""  # it was cut off in its thoughts
    whole = Reader(names, offered, live, within, asked)  # also the calls that the provider has written as text
    with suppress(Over):
        _ = [*whole.add("text", reply.text), *whole.end()]
    if (lone := whole.lone or _lone(whole.text)) or not cut:
        _closings[place] = lone
    thought = "\n\n".join(filter(None, (reply.reasoning, whole.reasoning.strip())))
    return replace(reply, text=whole.text, reasoning=thought, finish=whole.finish or reply.finish)


def _lone(text: str) -> str:
    """Return the mark that ends thoughts without a beginning, or ""."""
    found = _LONE.search(text[: reasoning.split(text)[1]])
    return found[0] if found else ""


def people(prompt: Iterable[str]) -> frozenset[str]:
    """Return the names of those who speak in a prompt, in lower case."""
    return frozenset(found["name"].casefold() for text in prompt for found in _HEARD.finditer(text))


def tools(prompt: Iterable[str]) -> frozenset[str]:
    """Return the names of the tools that a prompt describes."""
    return frozenset(name for text in prompt for name in _OFFERED.findall(text))


def asks(prompt: Sequence[str], tag: str) -> bool:
    """Return whether a tag belongs to an answer: a prompt has it, or its last message of someone in a room names it or
    a markup language, or it is a block of HTML."""
    from markdown_it.common.html_blocks import block_names  # loaded only for a reply that begins with a tag

    last = next((text[found[-1].start() :] for text in reversed(prompt) if (found := [*_HEARD.finditer(text)])), "")
    named = re.search(rf"(?i)(?<![^\W_]){re.escape(tag)}(?![^\W_])|html|xml|svg", last)
    return bool(named) or tag in (*block_names, *VERBATIM) or any(f"<{tag}" in text for text in prompt)


def _people(request: Prompt) -> frozenset[str]:
    return people(message["content"] for message in request.messages if message["role"] == "user")


def _tools(request: Prompt) -> frozenset[str]:
    described = tools(message["content"] for message in request.messages if message["role"] == "system")
    return described | {str(one.get("name")) for one in request.tools}


def _asks(request: Prompt, tag: str) -> bool:
    return tag.upper() in _tools(request) or asks([message["content"] for message in request.messages], tag)
