"""Ollama with its own API at /api/chat, a stream of JSON lines, because only there a request sets the size of the
context.

Its OpenAI format keeps the server's small default and silently cuts the beginning of a longer prompt. Here `num_ctx` is
the size that the agent needs, and cutting is forbidden. A changed `num_ctx` reloads the model, so a server's data about
its models is kept while this process runs. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen, Usage
from dotagent.providers.formats import chat, redaction, sse
from dotagent.providers.formats.answer_text import Writing
from dotagent.providers.formats.fields import count, table, tables, text
from dotagent.providers.formats.http import LOADING, Answer, Post, fetch, patience
from dotagent.providers.formats.partial import Coming
from dotagent.providers.formats.place import Address, is_local
from dotagent.text import media

KEYS = ("OLLAMA_API_KEY",)
BASE = "http://127.0.0.1:11434"
MODEL = ""
WINDOW = 32_768  # the default: some GB of memory for the context, where 128k would need tens of GB
BACKGROUND = 1
OPTIONS = {"calls": "text|native", "temperature": "number 0 2", "max_tokens": "int 1 1e9", "think": "bool str"}
DEFAULTS = {"temperature": 0}  # a small model's calls go wrong where chance draws its words
SETTINGS = {"keep_alive": "int str"}
TAKES = ("image/png", "image/jpeg")  # the types that all of its programs can read

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

_SEEN: dict[tuple[object, ...], Seen] = {}  # by address, requested model (may be empty), and setting


def describe(config: Config, model: str) -> Seen:
    """Return the model (by default the newest installed one) and its context size. Raises ProviderError.

    The size is the setting `window`, otherwise that of its Modelfile, otherwise WINDOW, but never more than the model
    supports.
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
    alone = is_local(config.base) and not told.get("remote_host")  # a hosted model is paid for
    seen = Seen(redaction.masked(name), size, sees=sees, alone=alone)
    _SEEN[_key(config, model)] = _SEEN[_key(config, name)] = seen
    return seen


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Make one attempt; see Provider.answer."""
    seen = _SEEN.get(_key(config, prompt.model)) or describe(config, prompt.model)
    coming = _Coming(post(prompt, config, seen), Writing(emit))
    try:
        return coming.whole(stop)
    except ProviderError as error:
        raise (error if coming.begun else _hinted(error, seen.model)) from None


def post(prompt: Prompt, config: Config, seen: Seen) -> Post:
    """Return the request to the server. The agent's parameters become the model's options; settings add `think` and
    others."""
    window = min(prompt.window or seen.window, seen.window)
    bound = {"num_predict": prompt.bound} if prompt.bound else {}
    chosen = {name: config.settings[name] for name in ("temperature", "max_tokens") if name in config.settings}
    asked = {**DEFAULTS, **chosen, **prompt.params}
    options = {{"max_tokens": "num_predict"}.get(name, name): it for name, it in asked.items()}
    body: dict[str, object] = {
        "model": seen.model,
        "messages": _messages(prompt),
        "stream": True,
        "truncate": False,  # return an error instead of dropping the prompt's beginning
        "shift": False,  # stop instead of dropping it while writing
        "options": {**bound, **options, "num_ctx": window},
    }
    body |= chat.functions(prompt)
    body |= {name: config.settings[name] for name in ("think", "keep_alive") if name in config.settings}
    url, headers, silence = f"{_root(config)}/api/chat", PLACE.bearer(config), patience(config, LOADING)
    return Post(url, headers, body, PLACE.of(config), config.key, seen.model, silence, tools=prompt.tools)


def _messages(prompt: Prompt) -> list[Mapping[str, object]]:
    """Return the messages, with pictures next to their text, the only medium that it accepts."""
    found: list[Mapping[str, object]] = [*prompt.messages]
    for number, many in prompt.shown.items():
        found[number] = {**found[number], "images": [one.data for one in many if one.kind == media.PICTURE]}
    return found


@dataclass
class _Coming(Coming):
    WHAT = "a line of an answer"
    FORM = "ollama"
    begun: bool = False
    finish: str = ""
    told: int = 0

    def pieces(self, answer: Answer) -> Iterator[dict[str, object]]:
        """Yield the lines of the stream; the last one may lack its LF."""
        lines = sse.lines(chain(answer.pieces, (b"\n",)))
        return self.objects(line.decode("utf-8", "replace") for line in lines if line.strip())

    def take(self, piece: dict[str, object]) -> bool:
        if piece.get("error"):
            raise self.failure(piece["error"])
        self.begun = True
        self.writing.add("reasoning", text(piece, "message", "thinking"))
        self.writing.add("text", text(piece, "message", "content"))
        for call in tables(piece, "message", "tool_calls"):  # each complete, in one piece
            self.told += 1
            self.calls.add(self.told, text(call, "function", "name"), table(call, "function", "arguments"))
        if piece.get("done") is True:
            self.finish = text(piece, "done_reason") or "stop"
            cached = count(piece, "prompt_eval_cached_count")  # part of the next count
            self.usage = Usage(count(piece, "prompt_eval_count"), cached, count(piece, "eval_count"))
        return False

    def reply(self) -> Completion:
        return self.ended(self.finish)


def _key(config: Config, model: str) -> tuple[object, ...]:
    return config.base, model, config.settings.get("window")


def _newest(config: Config) -> tuple[str, dict[str, object]]:
    """Return the newest installed chat model and its data, preferring local models to hosted ones."""
    told = fetch(Post(f"{_root(config)}/api/tags", PLACE.bearer(config), None, PLACE.of(config), config.key))
    wrong: ProviderError | None = None
    there = sorted(tables(told, "models"), key=lambda one: (not one.get("remote_host"), _time(one)), reverse=True)
    for one in there:
        name = text(one, "model") or text(one, "name")
        family = text(one, "details", "family")
        if not name or "embed" in name or "bert" in family:  # for older servers, which do not report capabilities
            continue
        try:
            told = _show(config, name)
        except ProviderError as error:
            if error.kind not in ("missing", "bad_request", "server"):
                raise
            wrong = wrong or error  # this model is broken; the next may work
            continue
        able = told.get("capabilities")
        if not isinstance(able, list) or "completion" in able:
            return name, told
    raise wrong or ProviderError(
        "missing", "Ollama has no chat model; `ollama pull NAME` downloads one of " + PLACE.models
    )


def _show(config: Config, model: str) -> dict[str, object]:
    url = f"{_root(config)}/api/show"
    return fetch(Post(url, PLACE.bearer(config), {"model": model}, PLACE.of(config), config.key, model))


def _length(told: Mapping[str, object]) -> int:
    """Return the context size that the model supports, in tokens, or 0 if unknown."""
    info = table(told, "model_info")
    ends = [count(info, name) for name in info if name.endswith(".context_length")]
    return count(info, f"{info.get('general.architecture')}.context_length") or min(filter(None, ends), default=0)


def _parameter(told: Mapping[str, object]) -> int:
    """Return `num_ctx` from the model's Modelfile, or 0."""
    found = re.search(r"^num_ctx[ \t]+(\d{1,9})\s*$", str(told.get("parameters") or ""), re.MULTILINE)
    return int(found[1]) if found else 0


def _hinted(error: ProviderError, model: str) -> ProviderError:
    """Add the command that helps to the error."""
    if error.kind == "missing" and model:
        more = f"; download it with `ollama pull {model}`, or choose one from `ollama list`"
    elif error.kind in ("network", "timeout"):
        more = "; `ollama serve` starts it"
    else:
        return error
    return ProviderError(error.kind, error.hint + more, retryable=error.retryable, after=error.after)


def _root(config: Config) -> str:
    """Return the base address without endings that people often copy."""
    return re.sub(r"/(?:v1|api)(?:/chat)?$", "", config.base.rstrip("/"))


def _time(one: Mapping[str, object]) -> datetime:
    try:
        found = datetime.fromisoformat(str(one.get("modified_at")))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
