"""A server of one's own that speaks chat completions: llama.cpp's, LM Studio's, vLLM's or another.

Which model it runs and with what window each of them tells in its own way, as do hosted services that are reached so;
llama-cpp-python not at all. Its window is then guessed: on this machine a size that is hardly ever too large. One
background call at a time, since one machine does all the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen
from dotagent.providers.formats import chat, redaction, sse
from dotagent.providers.formats.fields import count, table, tables
from dotagent.providers.formats.http import LOADING, Post, fetch, send
from dotagent.providers.formats.place import Address, near, origin
from dotagent.store.requests import ChatMessage
from dotagent.text import media, tokens

KEYS = ("LOCAL_API_KEY",)
BASE = "http://127.0.0.1:8080/v1"
MODEL = ""
WINDOW = 4096
HOSTED = 128_000  # the guess elsewhere: few services that are paid for have models with less
BACKGROUND = 1
EXAMPLES = 2
OPTIONS = {
    "calls": "text|native",
    "examples": "int 0 9",
    "temperature": "number 0 2",
    "max_tokens": "int 1 1e9",
    "effort": "str",
}
SETTINGS = {"header": "str", "alone": "bool", "keeps": "bool"}
TAKES = ("image/png", "image/jpeg", "application/pdf", "audio/wav", "audio/mpeg")
_SEES = {media.PICTURE: "vision", media.SOUND: "audio"}  # what llama.cpp calls them
_TELLS = {media.PICTURE: "supports_vision", media.PDF: "supports_pdf_input", media.SOUND: "supports_audio_input"}
STEP = 400  # characters of a call in the background that are read at once: some 2 s on two cores
_SEEN: dict[str, Seen] = {}  # by address, as the server told
_LAST: dict[str, Prompt] = {}  # by address: the prompt that the server was asked last
_READ: dict[str, tuple[ChatMessage, ...]] = {}  # by address: what it has read of the last that comes later
NEAR = 0.75  # of a window: from here on an estimate may be a prompt that does not fit

PLACE = Address(
    "the local server",
    KEYS[0],
    "LOCAL_API_BASE",
    keys="the server's own settings",
    credit="the server's own settings",
    models="the server's own list of models",
    keyless=True,
)
why_not = PLACE.unset


def describe(config: Config, model: str) -> Seen:
    """The model asked for, or the one that runs there, and its window, from the first page that tells it.

    Raises ProviderError where the server lists no models.
    """
    place = PLACE.of(config)
    headers = place.bearer(config)
    base = chat.root(config)
    root = base.removesuffix("/v1")

    def page(path: str) -> dict[str, object]:
        """What each kind of server has besides, and the others have not."""
        try:
            return fetch(Post(root + path, headers, None, place, config.key))
        except ProviderError:
            return {}

    listed = fetch(Post(chat.at_path(config, "/models"), headers, None, place, config.key))
    mine = chat.chosen(tables(listed, "data"), model)
    size = chat.length(mine) or count(mine, "meta", "n_ctx")  # llama.cpp's
    props = page("/props")
    alone = bool(table(props, "default_generation_settings") or table(mine, "meta") or mine.get("owned_by") == "me")
    if not size:
        size = count(props, "default_generation_settings", "n_ctx")  # llama.cpp: of one slot
    if not size:
        loaded = [one for one in tables(page("/api/v0/models"), "data") if one.get("state") == "loaded"]  # LM Studio
        mine, alone = chat.chosen(loaded, model) or mine, alone or bool(loaded)
        size = count(mine, "loaded_context_length")
    sees = "image" if mine.get("type") == "vlm" else None  # LM Studio's word
    if able := table(props, "modalities"):  # llama.cpp's
        sees = " ".join(kind for kind, name in _SEES.items() if able.get(name) is True)
    if "max_input_tokens" in mine and (able := _litellm(page("/v1/model/info"), str(mine.get("id")))):
        sees = " ".join(kind for kind, name in _TELLS.items() if able.get(name) is True)
    name = model or redaction.masked(str(mine.get("id") or ""))
    if not name:
        raise ProviderError("missing", f"{place.name} at {origin(base)} runs no model: load one there")
    window = size or min(untold(base), count(mine, "meta", "n_ctx_train") or HOSTED)
    alone = near(config.base) and bool(config.settings.get("alone", alone))
    keeps = alone and bool(config.settings.get("keeps", _keeps(props) and not sees))
    _SEEN[config.base] = seen = Seen(name, window, not size, sees, alone, keeps)
    return seen


def _litellm(told: dict[str, object], model: str) -> dict[str, object]:
    """What LiteLLM's proxy tells that a model behind it is able to, {} where it tells nothing of that."""
    mine = next((one for one in tables(told, "data") if one.get("model_name") == model), {})
    able = table(mine, "model_info")
    return able if any(isinstance(able.get(name), bool) for name in _TELLS.values()) else {}


def untold(base: str) -> int:
    """The window to guess where a server tells none."""
    return WINDOW if near(base) else HOSTED


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
    bound = {"max_tokens": prompt.bound} if prompt.bound else {}
    seen, last = _SEEN.get(config.base), _LAST.get(config.base)
    if seen and seen.alone:
        read = _READ.get(config.base)
        if seen.keeps and last and last.most == 1 and not (read and _goes_on(prompt.messages, read)):
            _set_aside(prompt, config, stop)
        _LAST[config.base] = prompt
        if prompt.most:
            _read(prompt, last, config, stop)
    post = chat.request(replace(prompt, params={**bound, **prompt.params}), config, PLACE, silence=LOADING)
    try:
        reply = chat.ask(post, emit, stop)
        if prompt.most == 1:
            _READ[config.base] = prompt.messages
    except chat.Nothing:
        _ask_why(post)
        _measure(prompt, config)
        raise
    if not reply.text and not reply.reasoning:  # LM Studio, for some models
        _measure(prompt, config)
    return reply


def _keeps(props: dict[str, object]) -> bool:
    """Whether a server that tells this keeps a prompt in memory that another takes out of its one slot: llama.cpp does
    since October 2025, where `--cache-ram` is not 0 and the model is one of words, and tells since December whether it
    sleeps."""
    return count(props, "total_slots") == 1 and "is_sleeping" in props


def _goes_on(messages: Sequence[ChatMessage], read: Sequence[ChatMessage]) -> bool:
    """Whether they begin with all that was read."""
    *before, end = read
    there = messages[len(before)]["content"] if len(messages) > len(before) else ""
    return list(messages[: len(before)]) == before and there.startswith(end["content"])


def _set_aside(prompt: Prompt, config: Config, stop: Callable[[], bool]) -> None:
    """Let llama.cpp put what was read ahead into its memory, and take out of it what it kept for the prompt that comes:
    so it does only where the next one has hardly anything of the last."""
    place = PLACE.of(config)
    body = {"model": prompt.model, "prompt": ".", "max_tokens": 1}
    post = Post(chat.at_path(config, "/completions"), place.bearer(config), body, place, config.key, stall=LOADING)
    with suppress(ProviderError), send(post, stop) as answer:  # where it fails the prompt is read anew
        sse.whole(answer.pieces)


def _read(prompt: Prompt, last: Prompt | None, config: Config, stop: Callable[[], bool]) -> None:
    """Let the server read a call in the background in steps: between two it can turn to a person's call, and what it
    has read stays in its cache. llama.cpp lets go of a prompt only once it has read 2,048 tokens; and none may end
    before what it has of this one, since it keeps nothing of a prompt behind the last one's end."""
    if prompt.shown:
        return
    start, at, read = len(prompt.messages) - 1, 0, _READ.get(config.base)
    if prompt.most == 1 and read and _goes_on(prompt.messages, read):
        start, at = len(read) - 1, len(read[-1]["content"])
    elif prompt.most == 1:
        _READ.pop(config.base, None)
        start, at = _shared(prompt.messages, last.messages if last else ())
    for messages in _steps(prompt.messages, start, at):
        asked = replace(prompt, messages=messages, params={**prompt.params, "max_tokens": 1})
        with suppress(chat.Nothing):
            chat.ask(chat.request(asked, config, PLACE, silence=LOADING), lambda *_: None, stop)
        if prompt.most == 1:
            _READ[config.base] = messages
        if stop():
            raise ProviderError("cancelled", "the call was cancelled while its prompt was read")


def _shared(new: Sequence[ChatMessage], old: Sequence[ChatMessage]) -> tuple[int, int]:
    """How many messages are the same, and how many characters of the one after them: a step that ended before would
    leave the server a part of the old prompt alone."""
    same = _same(zip(new, old, strict=False))
    there = [one[same]["content"] if len(one) > same and one[same]["role"] == "user" else "" for one in (new, old)]
    return same, _same(zip(*there, strict=False))


def _same(pairs: Iterable[tuple[object, object]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _steps(messages: Sequence[ChatMessage], start: int, at: int) -> Iterator[tuple[ChatMessage, ...]]:
    """The messages up to some place behind character `at` of the message `start`, STEP characters further each time: in
    what the model has not said itself, which a server would go on with."""
    behind = 0  # characters since the last place
    for number in range(start, len(messages)):
        role, content = messages[number]["role"], messages[number]["content"]
        ends = range(at + max(STEP - behind, 1), len(content), STEP) if role != "assistant" else range(0)
        for end in ends:
            yield (*messages[:number], ChatMessage(role=role, content=content[:end]))
        behind = len(content) - ends[-1] if ends else behind + len(content) - at
        at = 0


def _ask_why(post: Post) -> None:
    """Raise what the server has against a request to which it streamed nothing.

    llama-cpp-python can not say in a stream what is wrong, as that a prompt is too long; for a whole answer it has a
    status. It is asked for one token on a connection of its own, since it closes the one with the empty stream.
    """
    body = {**(post.body or {}), "stream": False, "max_tokens": 1}
    del body["stream_options"]
    try:
        fetch(replace(post, body=body))
    except ProviderError as error:
        if error.kind not in ("network", "timeout"):  # in a moment it has read no prompt that it takes
            raise


def _measure(prompt: Prompt, config: Config) -> None:
    """Raise too_long when the prompt of an empty answer may well not fit into the window."""
    size = sum(tokens.estimate(message["content"]) for message in prompt.messages)
    try:
        window = count(config.settings, "window") or describe(config, prompt.model).window
    except ProviderError:
        return  # no window to measure by: the answer is what it is
    if size >= NEAR * window:
        name = PLACE.of(config).name
        hint = f"{name} says nothing to a prompt of about {size} tokens, and its window is {window} tokens"
        raise ProviderError("too_long", hint)
