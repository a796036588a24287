"""An answer without what is no part of it: each piece passes reader.py before it is written. Owns nothing on
disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial

from dotagent.providers import Completion, Config, Emit, Prompt, Provider
from dotagent.providers.server import cost
from dotagent.providers.server.reader import Over, Reader, people, tools
from dotagent.store.call import TURN
from dotagent.text import lazy, reasoning

_LONE = lazy.compile(r"[<\[◁][^<\[◁]{1,40}\Z")
_closings: dict[str, str] = {}
"""The mark that ends the thoughts of a model whose replies begin within them. So only its first reply shows thoughts to
a person before the mark comes."""


def answer(
    provider: Provider, request: Prompt, config: Config, emit: Emit, stop: Callable[[], bool], *, live: bool
) -> Completion:
    """Return the provider's answer, without thoughts in its text, and without what follows its end. A model that does
    not stop there is left, and its usage estimated."""
    names, offered = cache(partial(_people, request)), cache(partial(_tools, request))
    closing = _closings.get(request.model, "")
    read, came = Reader(names, offered, live, closing), list[str]()

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
    if came and not read.text:  # it did not begin in thoughts this time
        read = Reader(names, offered, live)
        with suppress(Over):
            for piece in (*read.add("text", "".join(came)), *read.end()):
                emit(*piece)
    if read.finish == TURN:  # native calls behind another's turn are dropped like calls as text
        return replace(reply, text=read.text, reasoning=read.reasoning, finish=TURN)
    whole = Reader(names, offered, live)  # also the calls that the provider has written as text
    with suppress(Over):
        _ = [*whole.add("text", reply.text), *whole.end()]
    _closings[request.model] = whole.lone or _lone(whole.text)
    thought = "\n\n".join(filter(None, (reply.reasoning, whole.reasoning.strip())))
    return replace(reply, text=whole.text, reasoning=thought, finish=whole.finish or reply.finish)


def _lone(text: str) -> str:
    """Return the mark that ends thoughts without a beginning, or ""."""
    found = _LONE.search(text[: reasoning.split(text)[1]])
    return found[0] if found else ""


def _people(request: Prompt) -> frozenset[str]:
    return people(message["content"] for message in request.messages if message["role"] == "user")


def _tools(request: Prompt) -> frozenset[str]:
    described = tools(message["content"] for message in request.messages if message["role"] == "system")
    return described | {str(one.get("name")) for one in request.tools}
