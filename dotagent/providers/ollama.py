"""Ollama: its own API at /api/chat, a stream of JSON lines, since only there a request says how large the context is.

Its OpenAI format leaves the context as small as the server's default and cuts a longer prompt silently from the front;
here `num_ctx` is what the life needs, and cutting is forbidden. A model is loaded anew when `num_ctx` changes, so what
a server tells of its models is kept for this process's life.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen, Usage
from dotagent.providers.formats import chat, redaction, sse
from dotagent.providers.formats.coming import Coming
from dotagent.providers.formats.fields import count, table, tables, text
from dotagent.providers.formats.http import LOADING, Answer, Post, fetch, patience
from dotagent.providers.formats.place import Address, near
from dotagent.providers.formats.writing import Writing
from dotagent.text import media

KEYS = ("OLLAMA_API_KEY",)
BASE = "http://127.0.0.1:11434"
MODEL = ""
WINDOW = 32_768  # where nothing else is said: some GB of memory beside the model, where 128k would be tens of GB
BACKGROUND = 1
EXAMPLES = 2
OPTIONS = {
    "calls": "text|native",
    "examples": "int 0 9",
    "temperature": "number 0 2",
    "max_tokens": "int 1 1e9",
    "think": "bool str",
}
SETTINGS = {"keep_alive": "int str"}
TAKES = ("image/png", "image/jpeg")  # of what its programs read nobody tells more

PLACE = Address(
    "Ollama",
    KEYS[0],
    "OLLAMA_API_BASE",
    keys="https://ollama.com/settings/keys",
    credit="https://ollama.com/settings/billing",
    models="https://ollama.com/library",
    keyless=True,
)
why_not = PLACE.unset

_SEEN: dict[tuple[object, ...], Seen] = {}  # by address, the model asked for, which may be none, and the setting


def describe(config: Config, model: str) -> Seen:
    """The model (of none, the one that was installed last) and the context it will get. Raises ProviderError.

    That is the setting `window`, else what its Modelfile says, else WINDOW, and of these no more than it was made for.
    """
    PLACE.of(config).check(config)
    try:
        name, told = (model, _show(config, model)) if model else _newest(config)
    except ProviderError as error:
        raise _hinted(error, model) from None
    usual = _parameter(told) or WINDOW
    size = count(config.settings, "window") or min(usual, _length(told) or usual)
    able = told.get("capabilities")
    sees = "image" if isinstance(able, list) and "vision" in able else ""
    alone = near(config.base) and not told.get("remote_host")  # a model that runs elsewhere is paid for
    seen = Seen(redaction.masked(name), size, sees=sees, alone=alone)
    _SEEN[_key(config, model)] = _SEEN[_key(config, name)] = seen
    return seen


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
    seen = _SEEN.get(_key(config, prompt.model)) or describe(config, prompt.model)
    coming = _Coming(post(prompt, config, seen), Writing(emit))
    try:
        return coming.whole(stop)
    except ProviderError as error:
        raise (error if coming.begun else _hinted(error, seen.model)) from None


def post(prompt: Prompt, config: Config, seen: Seen) -> Post:
    """The request to the server. The life's parameters are the model's options; settings say `think` and more."""
    window = min(prompt.window or seen.window, seen.window)
    bound = {"num_predict": prompt.bound} if prompt.bound else {}
    chosen = {name: config.settings[name] for name in ("temperature", "max_tokens") if name in config.settings}
    options = {{"max_tokens": "num_predict"}.get(name, name): it for name, it in {**chosen, **prompt.params}.items()}
    body: dict[str, object] = {
        "model": seen.model,
        "messages": _messages(prompt),
        "stream": True,
        "truncate": False,  # an error instead of a prompt without its beginning
        "shift": False,  # an end instead of forgetting while it writes
        "options": {**bound, **options, "num_ctx": window},
    }
    body |= chat.functions(prompt)
    body |= {name: config.settings[name] for name in ("think", "keep_alive") if name in config.settings}
    url = f"{_root(config)}/api/chat"
    return Post(
        url,
        PLACE.bearer(config),
        body,
        PLACE.of(config),
        config.key,
        seen.model,
        patience(config, LOADING),
        tools=prompt.tools,
    )


def _messages(prompt: Prompt) -> list[Mapping[str, object]]:
    """The messages; of what is shown it takes pictures, beside the text of the message."""
    found: list[Mapping[str, object]] = [*prompt.messages]
    for number, many in prompt.shown.items():
        found[number] = {**found[number], "images": [one.data for one in many if one.kind == media.PICTURE]}
    return found


@dataclass
class _Coming(Coming):
    WHAT = "a line of an answer"
    begun: bool = False
    finish: str = ""
    told: int = 0

    def pieces(self, answer: Answer) -> Iterator[dict[str, object]]:
        """The lines of the stream; the last one may lack its LF."""
        lines = sse.lines(chain(answer.pieces, (b"\n",)))
        return (self.parsed(line.decode("utf-8", "replace")) for line in lines if line.strip())

    def take(self, piece: dict[str, object]) -> bool:
        if piece.get("error"):
            raise self.failure(piece["error"])
        self.begun = True
        self.writing.add("reasoning", text(piece, "message", "thinking"))
        self.writing.add("text", text(piece, "message", "content"))
        for call in tables(piece, "message", "tool_calls"):  # each whole, in one piece
            self.told += 1
            self.calls.add(self.told, text(call, "function", "name"), table(call, "function", "arguments"))
        if piece.get("done") is True:
            self.finish = "length" if piece.get("done_reason") == "length" else "stop"
            cached = count(piece, "prompt_eval_cached_count")  # of the first
            self.usage = Usage(count(piece, "prompt_eval_count"), cached, count(piece, "eval_count"))
        return False

    def reply(self) -> Completion:
        return self.said(self.finish)


def _key(config: Config, model: str) -> tuple[object, ...]:
    return config.base, model, config.settings.get("window")


def _newest(config: Config) -> tuple[str, dict[str, object]]:
    """The model that was installed last and talks, and what is told of it; one that runs elsewhere comes after all."""
    told = fetch(Post(f"{_root(config)}/api/tags", PLACE.bearer(config), None, PLACE.of(config), config.key))
    there = sorted(tables(told, "models"), key=lambda one: (not one.get("remote_host"), _time(one)), reverse=True)
    for one in there:
        name = text(one, "model") or text(one, "name")
        family = text(one, "details", "family")
        if not name or "embed" in name or "bert" in family:  # older servers tell no capabilities
            continue
        told = _show(config, name)
        able = told.get("capabilities")
        if not isinstance(able, list) or "completion" in able:
            return name, told
    raise ProviderError("missing", "Ollama has no model that talks: `ollama pull NAME` gets one of " + PLACE.models)


def _show(config: Config, model: str) -> dict[str, object]:
    url = f"{_root(config)}/api/show"
    return fetch(Post(url, PLACE.bearer(config), {"model": model}, PLACE.of(config), config.key, model))


def _length(told: Mapping[str, object]) -> int:
    """Tokens of context that the model was made for; 0 where it is not told."""
    info = table(told, "model_info")
    ends = [count(info, name) for name in info if name.endswith(".context_length")]
    return count(info, f"{info.get('general.architecture')}.context_length") or min(filter(None, ends), default=0)


def _parameter(told: Mapping[str, object]) -> int:
    """`num_ctx` among the parameters of the model's Modelfile; 0 where it is not there."""
    found = re.search(r"^num_ctx[ \t]+(\d{1,9})\s*$", str(told.get("parameters") or ""), re.MULTILINE)
    return int(found[1]) if found else 0


def _hinted(error: ProviderError, model: str) -> ProviderError:
    """The error with the command that helps."""
    if error.kind == "missing" and model:
        more = f"; `ollama pull {model}` gets it, `ollama list` shows what is there"
    elif error.kind in ("network", "timeout"):
        more = "; `ollama serve` starts it"
    else:
        return error
    return ProviderError(error.kind, error.hint + more, retryable=error.retryable, after=error.after)


def _root(config: Config) -> str:
    """The base without what people copy with it."""
    return re.sub(r"/(?:v1|api)(?:/chat)?$", "", config.base.rstrip("/"))


def _time(one: Mapping[str, object]) -> datetime:
    try:
        found = datetime.fromisoformat(str(one.get("modified_at")))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
