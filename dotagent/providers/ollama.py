"""Ollama: its own API at /api/chat, a stream of JSON lines, since only there a request says how large the context is.

Its OpenAI format leaves the context as small as the server's default and cuts a longer prompt silently from the front;
here `num_ctx` is what the life needs, and cutting is forbidden. A model is loaded anew when `num_ctx` changes, so what
a server tells of its models is kept for this process's life. It owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain

from dotagent.providers import Config, Emit, ProviderError, Reply, Request, Seen, Usage
from dotagent.providers.formats import errors, metadata, sse
from dotagent.providers.formats.http import Answer, Post, parsed, patience, send
from dotagent.providers.formats.writing import Writing

KEYS = ("OLLAMA_API_KEY",)
BASE = "http://127.0.0.1:11434"
MODEL = ""
WINDOW = 32_768  # where nothing else is said: some GB of memory beside the model, where 128k would be tens of GB
BACKGROUND = 1
SILENCE = 600.0  # seconds: before its first byte it may load a model from a disk and read a long prompt on a CPU

PLACE = errors.Place(
    name="Ollama",
    key=KEYS[0],
    base="OLLAMA_API_BASE",
    keys="https://ollama.com/settings/keys",
    credit="https://ollama.com/settings/billing",
    models="https://ollama.com/library",
    keyless=True,
)

_SEEN: dict[tuple[object, ...], Seen] = {}  # by address, the model asked for, which may be none, and the setting


def why_not(config: Config) -> str | None:
    """None with a base that can be used; there need be no key."""
    return errors.unset(config, PLACE)


def look(config: Config, model: str) -> Seen:
    """The model, or of none the one that was installed last, and the context it will get: the setting `window`, else
    what its Modelfile says, else WINDOW, and never more than it was made for. Raises ProviderError."""
    problem = why_not(config)
    if problem is not None:
        raise ProviderError("unconfigured", problem)
    try:
        name, told = (model, _show(config, model)) if model else _newest(config)
    except ProviderError as error:
        raise _hinted(error, model) from None
    most = config.settings.get("window")
    wanted = most if isinstance(most, int) and most > 0 else _parameter(told) or WINDOW
    seen = Seen(name, min(wanted, _length(told) or wanted))
    _SEEN[_key(config, model)] = _SEEN[_key(config, name)] = seen
    return seen


def answer(request: Request, config: Config, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """One attempt; see Provider.answer."""
    seen = _SEEN.get(_key(config, request.model)) or look(config, request.model)
    coming = _Coming(post(request, config, seen), Writing(emit))
    try:
        with send(coming.post, stop) as got:
            for line in _lines(got, coming.post):
                coming.take(line)
    except ProviderError as error:
        raise (error if coming.begun else _hinted(error, seen.model)) from None
    return coming.reply()


def post(asked: Request, config: Config, seen: Seen) -> Post:
    """The request to the server. The life's parameters are the model's options; settings say `think` and more."""
    window = min(asked.window or seen.window, seen.window)
    body: dict[str, object] = {
        "model": seen.model,
        "messages": list(asked.messages),
        "stream": True,
        "truncate": False,  # an error instead of a prompt without its beginning
        "shift": False,  # an end instead of forgetting while it writes
        "options": {**asked.params, "num_ctx": window},
    }
    body |= {name: config.settings[name] for name in ("think", "keep_alive") if name in config.settings}
    return Post(f"{_root(config)}/api/chat", _headers(config), body, PLACE, config.key, patience(config, SILENCE))


@dataclass
class _Coming:
    """An answer as far as it has come."""

    post: Post
    writing: Writing
    begun: bool = False
    finish: str = ""
    usage: Usage = field(default_factory=Usage)

    def take(self, line: Mapping[str, object]) -> None:
        if line.get("error"):
            model = str(self.post.body["model"])
            raise errors.from_event(line["error"], PLACE, model, self.post.secret)
        self.begun = True
        message = line.get("message")
        if isinstance(message, dict):
            self.writing.add("reasoning", message.get("thinking"))
            self.writing.add("text", message.get("content"))
        if line.get("done") is True:
            self.finish = "length" if line.get("done_reason") == "length" else "stop"
            counts = ("prompt_eval_count", "prompt_eval_cached_count", "eval_count")  # the second is of the first
            self.usage = Usage(*(_count(line, name) for name in counts))

    def reply(self) -> Reply:
        """Raises ProviderError where the answer is not whole."""
        if not self.finish:
            raise ProviderError("network", "the answer of Ollama broke off before its end")
        return Reply(self.writing.text, self.writing.reasoning, self.finish, self.usage)


def _lines(got: Answer, post: Post) -> Iterator[Mapping[str, object]]:
    """The JSON objects of a stream; the last one may lack its LF."""
    for line in sse.lines(chain(got.pieces, (b"\n",))):
        if not line.strip():
            continue
        yield parsed(line.decode("utf-8", "replace"), post.place, "a line of an answer")


def _key(config: Config, model: str) -> tuple[object, ...]:
    return config.base, model, config.settings.get("window")


def _newest(config: Config) -> tuple[str, dict[str, object]]:
    """The model that was installed last and talks, and what is told of it; one that runs elsewhere comes after all."""
    models = metadata.fetch(f"{_root(config)}/api/tags", _headers(config), PLACE, config.key).get("models")
    there = [one for one in models if isinstance(one, dict)] if isinstance(models, list) else []
    for one in sorted(there, key=lambda one: (not one.get("remote_host"), _time(one)), reverse=True):
        name = str(one.get("model") or one.get("name") or "")
        details = one.get("details")
        family = str(details.get("family")) if isinstance(details, dict) else ""
        if not name or "embed" in name or "bert" in family:  # older servers tell no capabilities
            continue
        told = _show(config, name)
        able = told.get("capabilities")
        if not isinstance(able, list) or "completion" in able:
            return name, told
    raise ProviderError("missing", "Ollama has no model that talks: `ollama pull NAME` gets one of " + PLACE.models)


def _show(config: Config, model: str) -> dict[str, object]:
    return metadata.fetch(f"{_root(config)}/api/show", _headers(config), PLACE, config.key, {"model": model}, model)


def _length(told: Mapping[str, object]) -> int:
    """Tokens of context that the model was made for; 0 where it is not told."""
    info = told.get("model_info")
    if not isinstance(info, dict):
        return 0
    ends = [value for name, value in info.items() if name.endswith(".context_length") and isinstance(value, int)]
    exact = info.get(f"{info.get('general.architecture')}.context_length")
    return exact if isinstance(exact, int) else min(ends, default=0)


def _parameter(told: Mapping[str, object]) -> int:
    """`num_ctx` among the parameters of the model's Modelfile; 0 where it is not there."""
    found = re.search(r"^num_ctx[ \t]+(\d{1,9})\s*$", str(told.get("parameters") or ""), re.MULTILINE)
    return int(found[1]) if found else 0


def _hinted(error: ProviderError, model: str) -> ProviderError:
    """The error with the command that helps."""
    if error.kind == "missing" and model:
        more = f"; `ollama pull {model}` gets it, `ollama list` shows what is there"
    elif error.kind in ("network", "timeout"):
        more = "; is it running? `ollama serve` starts it"
    else:
        return error
    return ProviderError(error.kind, error.hint + more, retryable=error.retryable, after=error.after)


def _root(config: Config) -> str:
    """The base without what people copy with it."""
    return re.sub(r"/(?:v1|api)(?:/chat)?$", "", config.base.rstrip("/"))


def _headers(config: Config) -> dict[str, str]:
    return {"Authorization": f"Bearer {config.key}"} if config.key else {}


def _time(one: Mapping[str, object]) -> datetime:
    try:
        found = datetime.fromisoformat(str(one.get("modified_at")))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _count(line: Mapping[str, object], name: str) -> int:
    found = line.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0
