"""A chat completions server of the user: llama.cpp's, LM Studio's, vLLM's or another.

Each server reports its model and window in its own way, and so do hosted services reached like this; llama-cpp-python
does not. Then the window is guessed, on this machine so small that it is rarely too large. Only one background call
runs at a time, because one machine does all the work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from urllib.parse import urlsplit

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen
from dotagent.providers.formats import chat, redaction, sse
from dotagent.providers.formats.fields import count, table, tables
from dotagent.providers.formats.http import LOADING, Post, fetch, send
from dotagent.providers.formats.place import Address, is_local, origin
from dotagent.store.requests import ChatMessage
from dotagent.text import exact, media

KEYS = ("LOCAL_API_KEY",)
BASE = "http://127.0.0.1:8080/v1"
MODEL = ""
WINDOW = 4096
HOSTED = 128_000  # the guess for hosted services; few have smaller windows
BACKGROUND = 1
OPTIONS = {"calls": "text|native", "temperature": "number 0 2", "max_tokens": "int 1 1e9", "effort": "str"}
DEFAULTS = {"temperature": 0}  # a small model's calls go wrong where chance draws its words
SETTINGS = {"header": "str", "alone": "bool", "keeps": "bool"}
TAKES = ("image/png", "image/jpeg", "application/pdf", "audio/wav", "audio/mpeg")
_SEES = {media.PICTURE: "vision", media.SOUND: "audio"}  # llama.cpp's names for them
_TELLS = {media.PICTURE: "supports_vision", media.PDF: "supports_pdf_input", media.SOUND: "supports_audio_input"}
STEP = 400  # characters of a background call read at once: about 2 s on two cores
_SEEN: dict[str, Seen] = {}  # by address, as the server reported
_BARE: dict[str, bool] = {}  # by address without a path: whether the server has the API there, and not below /v1
_CLOSINGS: dict[str, str] = {}  # by address: the mark that ends thoughts which the model's template has opened
_PROGRESS = set[str]()  # addresses of servers that report how much of a prompt they have read
_LAST: dict[str, Prompt] = {}  # by address: the last prompt sent to the server
_READ: dict[str, tuple[ChatMessage, ...]] = {}  # by address: the part of an upcoming prompt that it has read
_OPENED = re.compile(r"(?:<(\w*(?:think|thought|reason)\w*)>|\[(THINK)\])(?:\s|\\n|Ċ)*(?:['\"]|\{%|\Z)")
"""The opening mark of thoughts at the end of a prompt, or of a text in a template."""
NEAR = 0.75  # share of a window above which an estimated prompt may not fit

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
    """Return the requested or running model and its window, from the first page that reports it.

    Raises ProviderError if the server lists no models.
    """
    config = _addressed(config)
    place = PLACE.of(config)
    headers = place.bearer(config)
    base = chat.root(config)
    root = base.removesuffix("/v1")

    def page(path: str, body: dict[str, object] | None = None) -> dict[str, object]:
        """Return a page that only some kinds of servers have, or {}."""
        try:
            return fetch(Post(root + path, headers, body, place, config.key))
        except ProviderError:
            return {}

    listed = fetch(Post(chat.at_path(config, "/models"), headers, None, place, config.key))
    mine = chat.choose_model(tables(listed, "data"), model)
    size = chat.length(mine) or count(mine, "meta", "n_ctx")  # from llama.cpp
    props = page("/props")
    if "total_slots" in props:  # from llama.cpp
        _PROGRESS.add(config.base)
    alone = bool(table(props, "default_generation_settings") or table(mine, "meta") or mine.get("owned_by") == "me")
    _, there, end = str(props.get("chat_template") or "").rpartition("add_generation_prompt")
    _CLOSINGS[config.base] = _opened(end if there else "")
    if mine.get("owned_by") == "vllm":
        chatted = {"model": mine.get("id"), "messages": [{"role": "user", "content": "."}], "return_token_strs": True}
        tokens = page("/tokenize", chatted).get("token_strs")
        _CLOSINGS[config.base] = _opened("".join(map(str, tokens)) if isinstance(tokens, list) else "")
    if not size:
        size = count(props, "default_generation_settings", "n_ctx")  # from llama.cpp, for one slot
    if not size:
        loaded = [one for one in tables(page("/api/v0/models"), "data") if one.get("state") == "loaded"]  # LM Studio
        mine, alone = chat.choose_model(loaded, model) or mine, alone or bool(loaded)
        size = count(mine, "loaded_context_length")
    sees = "image" if mine.get("type") == "vlm" else None  # LM Studio's word
    if able := table(props, "modalities"):  # from llama.cpp
        sees = " ".join(kind for kind, name in _SEES.items() if able.get(name) is True)
    if "max_input_tokens" in mine and (able := _litellm(page("/v1/model/info"), str(mine.get("id")))):
        sees = " ".join(kind for kind, name in _TELLS.items() if able.get(name) is True)
    name = model or redaction.masked(str(mine.get("id") or ""))
    if not name:
        raise ProviderError("missing", f"{place.name} at {origin(base)} has no model loaded; load one there")
    window = size or min(untold(base), count(mine, "meta", "n_ctx_train") or HOSTED)
    alone = is_local(config.base) and bool(config.settings.get("alone", alone))
    keeps = alone and bool(config.settings.get("keeps", _keeps_cache(props) and not sees))
    _SEEN[config.base] = seen = Seen(name, window, not size, sees, alone, keeps)
    return seen


def closing(config: Config) -> str:
    """Return the mark that ends the thoughts in which each reply begins, or ""; see Provider."""
    return _CLOSINGS.get(_addressed(config).base, "")


def _opened(template: str) -> str:
    """Return the mark that ends thoughts which the end of a template, or of a prompt, has opened, or ""."""
    found = _OPENED.search(template)
    return (f"</{found[1]}>" if found[1] else "[/THINK]") if found else ""


def _addressed(config: Config) -> Config:
    """Return the configuration with /v1 in its address, if this has no path and the server has no list of models
    there."""
    _, mark, query = config.base.partition("?")
    if urlsplit(base := chat.root(config)).path.strip("/"):
        return config
    if config.base not in _BARE:
        place = PLACE.of(config)
        try:
            listed = fetch(Post(chat.at_path(config, "/models"), place.bearer(config), None, place, config.key))
        except ProviderError as error:
            if error.kind not in ("missing", "bad_request"):
                return config  # it is not known
            listed = {}
        _BARE[config.base] = "data" in listed
    return config if _BARE[config.base] else replace(config, base=f"{base.rstrip('/')}/v1{mark}{query}")


def _litellm(told: dict[str, object], model: str) -> dict[str, object]:
    """Return the abilities of a model behind LiteLLM's proxy, or {} if it does not report them."""
    mine = next((one for one in tables(told, "data") if one.get("model_name") == model), {})
    able = table(mine, "model_info")
    return able if any(isinstance(able.get(name), bool) for name in _TELLS.values()) else {}


def untold(base: str) -> int:
    """Return the window to assume if a server does not report one."""
    return WINDOW if is_local(base) else HOSTED


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Make one attempt; see Provider.answer."""
    config = _addressed(config)
    bound = {"max_tokens": prompt.bound} if prompt.bound else {}
    seen, last = _SEEN.get(config.base), _LAST.get(config.base)
    if seen and seen.alone:
        read = _READ.get(config.base)
        if seen.keeps and last and last.most == 1 and not (read and _continues(prompt.messages, read)):
            _set_aside(prompt, config, stop)
        _LAST[config.base] = prompt
        if prompt.most:
            _read(prompt, last, config, stop)
    progress = {"return_progress": True} if config.base in _PROGRESS else {}
    proxy = config.settings.get("alone") is False  # its models are others'
    usual = {} if proxy else {name: one for name, one in DEFAULTS.items() if name not in config.settings}
    params = {**usual, **bound, **progress, **prompt.params}
    post = chat.request(replace(prompt, params=params), config, PLACE, silence=LOADING)
    try:
        reply = chat.ask(post, emit, stop)
        if prompt.most == 1:
            _READ[config.base] = prompt.messages
    except chat.Nothing:
        _ask_why(post)
        _measure(prompt, config)
        raise
    if not reply.text and not reply.reasoning:  # from LM Studio, for some models
        _measure(prompt, config)
    return reply


def _keeps_cache(props: dict[str, object]) -> bool:
    """Return True if the server keeps a prompt's cache in memory when another prompt uses its only slot. llama.cpp does
    since October 2025, for text models with `--cache-ram` above 0, and reports `is_sleeping` since December."""
    return count(props, "total_slots") == 1 and "is_sleeping" in props


def _continues(messages: Sequence[ChatMessage], read: Sequence[ChatMessage]) -> bool:
    """Return True if the messages begin with everything in `read`."""
    *before, end = read
    there = messages[len(before)]["content"] if len(messages) > len(before) else ""
    return list(messages[: len(before)]) == before and there.startswith(end["content"])


def _set_aside(prompt: Prompt, config: Config, stop: Callable[[], bool]) -> None:
    """Make llama.cpp save the prompt that it has read ahead, and load the prompt that it saved before. It does so only
    if the next prompt shares almost nothing with the last one, so a tiny request comes in between."""
    place = PLACE.of(config)
    body = {"model": prompt.model, "prompt": ".", "max_tokens": 1}
    post = Post(chat.at_path(config, "/completions"), place.bearer(config), body, place, config.key, stall=LOADING)
    with suppress(ProviderError), send(post, stop) as answer:  # if it fails, the prompt is read again
        sse.join_pieces(answer.pieces)


def _read(prompt: Prompt, last: Prompt | None, config: Config, stop: Callable[[], bool]) -> None:
    """Let the server read a background call in steps, so that it can answer a person's call in between; its cache keeps
    what it has read.

    llama.cpp releases a prompt only after 2,048 tokens. No step may end before the part that the server already has,
    because it drops its cache after the end of the last prompt.
    """
    if prompt.shown:
        return
    start, at, read = len(prompt.messages) - 1, 0, _READ.get(config.base)
    if prompt.most == 1 and read and _continues(prompt.messages, read):
        start, at = len(read) - 1, len(read[-1]["content"])
    elif prompt.most == 1:
        _READ.pop(config.base, None)
        start, at = _count_same(prompt.messages, last.messages if last else ())
    for messages in _steps(prompt.messages, start, at):
        asked = replace(prompt, messages=messages, size=0, params={**prompt.params, "max_tokens": 1})
        with suppress(chat.Nothing):
            chat.ask(chat.request(asked, config, PLACE, silence=LOADING), lambda *_: None, stop)
        if prompt.most == 1:
            _READ[config.base] = messages
        if stop():
            raise ProviderError("cancelled", "the request was cancelled while the model read the prompt")


def _count_same(new: Sequence[ChatMessage], old: Sequence[ChatMessage]) -> tuple[int, int]:
    """Return how many messages are the same, and how many characters of the next one. A shorter step would cut the
    server's cache."""
    same = _count_equal(zip(new, old, strict=False))
    there = [one[same]["content"] if len(one) > same and one[same]["role"] == "user" else "" for one in (new, old)]
    return same, _count_equal(zip(*there, strict=False))


def _count_equal(pairs: Iterable[tuple[object, object]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _steps(messages: Sequence[ChatMessage], start: int, at: int) -> Iterator[tuple[ChatMessage, ...]]:
    """Yield the messages up to places after character `at` of message `start`, each STEP characters further. No place
    is inside the model's own messages, because a server would continue those."""
    behind = 0  # characters since the last place
    for number in range(start, len(messages)):
        role, content = messages[number]["role"], messages[number]["content"]
        ends = range(at + max(STEP - behind, 1), len(content), STEP) if role != "assistant" else range(0)
        for end in ends:
            yield (*messages[:number], ChatMessage(role=role, content=content[:end]))
        behind = len(content) - ends[-1] if ends else behind + len(content) - at
        at = 0


def _ask_why(post: Post) -> None:
    """Raise the server's objection to a request that it answered with an empty stream.

    llama-cpp-python cannot report an error, such as a too long prompt, in a stream, but only as the status of a whole
    answer. So it is asked for one token on a new connection, because it closes the one with the empty stream.
    """
    body = {**(post.body or {}), "stream": False, "max_tokens": 1}
    body.pop("stream_options", None)
    try:
        fetch(replace(post, body=body))
    except ProviderError as error:
        if error.kind not in ("network", "timeout"):  # an acceptable prompt is not read so quickly
            raise


def _measure(prompt: Prompt, config: Config) -> None:
    """Raise too_long if the prompt of an empty answer may be larger than the window."""
    size = sum(exact.count(message["content"]) for message in prompt.messages)
    try:
        window = count(config.settings, "window") or describe(config, prompt.model).window
    except ProviderError:
        return  # without a known window the answer stays empty
    if size >= NEAR * window:
        name = PLACE.of(config).name
        hint = f"{name} gave an empty answer to a prompt of about {size} tokens, but reads at most {window} tokens"
        raise ProviderError("too_long", hint)
