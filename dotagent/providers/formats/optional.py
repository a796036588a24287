"""Optional parts of a request: which one a server refuses, and the request without it.

Only the model, the messages and a few fields of the format are required. A refused field is left out or renamed, a
system message moves into the first user message, and tools are described as text. Refusals are remembered by address
and model, so each part is refused only once. Owns nothing on disk; `known` and `learn` exchange them with a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from dotagent.providers import ProviderError
from dotagent.providers.formats import left_out
from dotagent.providers.formats.fields import tables

Body = dict[str, Any]

LITTLE = 12_000  # characters: hardly any model refuses so short a prompt for its length
LEFT = 64  # how many parts that a server and model refused are remembered
SYSTEM, TOOLS, MEDIA = "system role", "tools", "pictures and files"
_STATUSES = (400, 403, 404, 405, 415, 422, 451, 500, 501)
_NEEDED = {"model", "messages", "input", "contents", "num_ctx", "truncate", "shift"}  # never cut the prompt
_TURNS = ("messages", "input", "contents")  # the conversation's field, by format
_RULES = ("system", "instructions", "systemInstruction")  # the system prompt's field, in formats that have one
_DEEP = ("ttl", "cache_control", "annotations", "status", "id", "detail", "strict", "additionalProperties")  # in lists
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_REFUSES = r"not (?:be )?(?:support|allow|permit|available|implement|enabled)|unsupported|must be|disabled"
_NAMES = {  # how servers name these parts in errors
    SYSTEM: r"\broles?\b|['\"`]system['\"`]|\b(?:system|developer)[ _]?(?:message|prompt|role|instruction)"
    r"|first message (?:must|should)|must (?:start|begin) with an? user|角色|系统(?:提示|消息|指令)",
    TOOLS: r"\btools?\b|\btool[_-]\w+|\bfunctions?\b",
    MEDIA: r"image|audio|\bvision|multi-?modal|\bpdf\b|(?:content|item) type|content\b[^.]{0,40}\bstring",
    "stream": rf"\bstream(?:ing|ed)?\b(?=[^.]*(?:{_REFUSES}))",
}
_THINKS = re.compile(r"think|reason|effort", re.IGNORECASE)  # fields about a model's reasoning
_ALWAYS = re.compile(
    rf"{_REFUSES}|requires?\b|n't|not|only|no endpoints|extra|unknown|unrecogni|expected|string", re.IGNORECASE
)
_BLIND = re.compile(  # the model or server takes no pictures at all
    r"\b(?:models?|servers?|endpoints?|providers?|deployments?|text[- ]only)\b|multi-?modal|variant|expected tags"
    r"|item type|content (?:part )?type|image[_ ](?:url|input)s?\b|content\b[^.]{0,40}\bstring",
    re.IGNORECASE,
)
_ONLY_THIS = re.compile(  # it refuses this picture
    r"process|decod|format|corrupt|invalid_image|exceed|large|small|upload|mime|dimension|pixel|restrictions|identif"
    r"|load|password|pages",
    re.IGNORECASE,
)
_PICTURED = re.compile(r"^\w*image\w*$", re.MULTILINE)  # a code that is about a picture: no text is the reason
_ELSEWHERE = re.compile(r"\bv1/[a-z]+")  # another address serves this model

_left: dict[tuple[str, str], tuple[str, ...]] = {}
"""The changes that a server's address and model need: a part above, `stream`, `old>new`, or the path of a field."""


_longest: dict[tuple[str, str], int] = {}
"""The characters of the longest prompt that a server has answered with a model."""


def list_refusals() -> dict[str, list[str]]:
    """Return the refusals so far for a file: "address model" and the changes."""
    return {f"{address} {model}": list(changes) for (address, model), changes in sorted(_left.items())}


def learn(told: object) -> None:
    """Load the result of `known` from an earlier process. Invalid entries are skipped."""
    for name, changes in told.items() if isinstance(told, dict) else ():
        address, _, model = str(name).partition(" ")
        if isinstance(changes, list) and all(isinstance(one, str) for one in changes):
            _left.setdefault((address, model), tuple(changes))


def refused(base: str) -> str:
    """Return the parts that the server at this base address refuses, for a person, or ""."""
    root = base.partition("?")[0].rstrip("/")
    found = {
        one: None
        for (address, _), changes in _left.items()
        if address.startswith(root)
        for one in changes
        if not one.startswith(left_out.MARK)
    }
    return ", ".join(one.partition(">")[0] for one in found)


class Attempts:
    """The attempts at one request: first with the known changes for the server, then without each part that it
    refuses."""

    def __init__(self, url: str, model: str, body: Mapping[str, object]) -> None:
        self._key, self._body = (url.partition("?")[0], model), body
        self._changes, self._keep = _left.get(self._key, ()), True
        self._untried: Iterator[tuple[str, ...]] | None = None
        self._unusual: Iterator[tuple[str, ...]] | None = None
        self._usual = self._changes  # without the unusual parts
        self._first: ProviderError | None = None

    @property
    def body(self) -> Body:
        """Return the request to send now."""
        return apply_changes(self._body, self._changes)

    def next(self, error: ProviderError) -> bool:
        """Leave out the part that this error refuses. Return False for any other error. No part is left out twice."""
        unclear = 400 <= error.status < 500 and error.kind in ("bad_request", "network")  # or a firewall's page
        if error.kind in ("too_long", "auth", "credit") or not (unclear or error.status in _STATUSES):
            return False
        self._first = self._first or error
        if not error.words:
            if self._guess(error):
                return True
            self._changes = self._usual
        change = _find_change(error.words, self.body, self._changes) if error.words else ""
        alone = change == MEDIA and not _is_blind(error.words)
        if alone or (not change and unclear):
            return self._leave(error)
        if not change:
            return False
        self._changes = (*self._changes, change)
        self._keep = self._keep and (change not in (MEDIA, TOOLS) or bool(_ALWAYS.search(error.words)))
        return True

    def blame(self) -> None:
        """Remember to leave out the newest message from now on, because the server will never answer it."""
        self._remember((*_left.get(self._key, ()), *left_out.newest(self.body)))

    def told(self, error: ProviderError) -> ProviderError:
        """Return the error to report for all attempts: the first, if the last only complains about a missing part."""
        if error.status == 413 and error.kind == "bad_request":  # too many bytes, without a picture to leave out
            return ProviderError("too_long", f"the prompt is too long: {error.hint}")
        changes = [one for one in self._changes if one not in _NAMES and not one.startswith(left_out.MARK)]
        names = [one.partition(">")[0].split(".")[-1] for one in changes]
        missed = any(re.search(_word(one), error.words, re.IGNORECASE) for one in names)
        return self._first if self._first and error.status in _STATUSES and missed else error

    def _guess(self, error: ProviderError) -> bool:
        """Leave out the next part alone, because the server refuses without a reason."""
        if error.status not in (400, 422):
            return False
        if self._untried is None:
            parts = dict.fromkeys(change for change, _ in _patterns(self.body) if "." not in change and change != MEDIA)
            guesses = [*left_out.media(self.body), *((one,) for one in parts)]
            self._untried = iter([(*self._changes, *one) for one in guesses])
        self._changes = next(self._untried, ())
        return bool(self._changes)

    def _leave(self, error: ProviderError) -> bool:
        """Leave out what is new and unusual, because the server does not say what it refuses: pictures, then the newest
        texts, one after the other."""
        if self._unusual is None:
            whole = apply_changes(self._body, self._changes)
            media = left_out.media(whole, error.words)
            every = media[-1] if media else ()
            self._usual = self._changes
            alone = [] if self._untried else media  # a refusal without words was tried so
            short = left_out.size(whole) <= max(LITTLE, _longest.get(self._key, 0))  # a longer prompt may have to fade
            pictured = error.status == 413 or _PICTURED.search(error.words)
            texts = [] if pictured else left_out.texts(whole, short)
            self._unusual = iter([*alone, *((*every, *some) for some in texts)])
        left = next(self._unusual, ())
        self._changes = (*self._usual, *left)
        return bool(left)

    def succeeded(self) -> None:
        """Remember the changes that led to an answer, unless only this request's picture or call was bad."""
        _longest[self._key] = max(left_out.size(self.body), _longest.get(self._key, 0))
        if self._changes and self._keep:
            self._remember(self._changes)

    def _remember(self, changes: tuple[str, ...]) -> None:
        usual = tuple(one for one in changes if not one.startswith(left_out.MARK))
        left = [one for one in dict.fromkeys(changes) if one.startswith(left_out.MARK)]
        _left[self._key] = (*usual, *left[-LEFT:])


def _is_blind(words: str) -> bool:
    """Return True if an error about a picture is about all pictures."""
    return bool(_ALWAYS.search(words) and _BLIND.search(words)) and not _ONLY_THIS.search(words)


def apply_changes(body: Mapping[str, object], changes: tuple[str, ...]) -> Body:
    """Apply these changes to the request. Tools go first, because they become part of the system prompt."""
    done, special = (
        dict(body),
        {TOOLS: _describe_tools, MEDIA: _replace_media, SYSTEM: _moved, "stream": _without_stream},
    )
    for change in sorted(
        (one for one in changes if not one.startswith(left_out.MARK)),
        key=lambda one: [*special].index(one) if one in special else -1,
    ):
        old, arrow, new = change.partition(">")
        if change in special:
            done = special[change](done)
        elif arrow:
            done = {new if name == old else name: value for name, value in done.items()}
        else:
            done = _cut(done, change.split("."))
    return left_out.apply(done, changes)


def _find_change(words: str, body: Body, done: tuple[str, ...]) -> str:
    """Return the change for the part that an error names first, or "" if it names none in the body."""
    found = []
    for change, pattern in _patterns(body):
        if (match := re.search(pattern, words, re.IGNORECASE)) and change not in done:
            found.append((match.start(), -len(match[0]), change))
    if not found or _ELSEWHERE.search(words):
        return ""
    change = min(found)[2]
    renamed = f"{change}>{_RENAMED.get(change)}"
    back = f"{_RENAMED.get(change)}>{change}"
    return renamed if change in _RENAMED and "messages" in body and back not in done else change


def _patterns(body: Body) -> Iterator[tuple[str, str]]:
    """Yield each optional part of the request: the change that avoids it, and a pattern for its name in errors."""
    turns: list[Body] = next((body[one] for one in _TURNS if isinstance(body.get(one), list)), [])
    here = {
        SYSTEM: any(one in body for one in _RULES) or any(_role(one) == "system" for one in turns),
        TOOLS: "tools" in body,
        MEDIA: any(_pieces(one) for one in turns),
        "stream": body.get("stream") is True,
    }
    for part, pattern in _NAMES.items():
        if here[part]:
            yield part, pattern
    for name, value in body.items():
        if name in _NEEDED or name in _NAMES:
            continue
        change = SYSTEM if name in _RULES else name
        yield change, _word(name) + (r"|\bthink(?:ing)?\b|\breasoning\b" if _THINKS.search(name) else "")
        for path in _paths(value) if change == name else ():
            leaf = path.split(".")[-1]
            yield f"{name}.{path}", rf"{_name_pattern(name)}.{{1,40}}?{_name_pattern(leaf)}|{_word(leaf)}"
    for name in _DEEP:
        if _contains([body.get(one) for one in (*_TURNS, *_RULES, "tools")], name):
            yield f"*.{name}", rf"[\w.\[\]]{{1,100}}[.\]]{_name_pattern(name)}|{_word(name)}"


def _name_pattern(name: str) -> str:
    """Return a pattern for a field's name in any spelling: reasoning_effort, reasoningEffort, reasoning effort."""
    parts = re.findall(r"[A-Za-z][a-z0-9]*|[0-9]+", name)
    return r"(?<![A-Za-z0-9_])" + r"[_ -]?".join(map(re.escape, parts)) + r"(?![A-Za-z0-9_])"


def _word(name: str) -> str:
    """Return the same. A name that is a single common word must occur where an error puts a field's name."""
    word = _name_pattern(name)
    if re.search("[^a-z]", name):
        return word
    called = "parameter|param|field|argument|option|property|input"
    return rf"(?m:(?:^|[:'\"`.\[(] ?|(?:{called}|support)s? ){word}(?=['\"`:\]).]|$)" + (
        rf"|['\"`.\[(]{word}|{word}(?:['\"`:\])]|\.\w| (?:is|was|not|{called})\b))"
    )


def _paths(value: object) -> Iterator[str]:
    """Yield the paths of the fields in an object, except `type`, which says what the object is."""
    for name, one in value.items() if isinstance(value, dict) else ():
        if name != "type" and name not in _NEEDED:
            yield str(name)
            yield from (f"{name}.{path}" for path in _paths(one))


def _cut(value: Any, path: list[str]) -> Any:
    """Return the value without the field at the end of this path; `*` means any depth."""
    if isinstance(value, list):
        return [_cut(one, path) for one in value]
    if not isinstance(value, dict):
        return value
    if path[0] == "*":
        return {one: _cut(it, path) for one, it in value.items() if one != path[1]}
    rest = {one: it for one, it in value.items() if one != path[0]}
    inner = _cut(value.get(path[0]), path[1:]) if len(path) > 1 else None
    return {**rest, path[0]: inner} if inner else rest  # an empty object is removed, too


def _contains(value: object, name: str) -> bool:
    if isinstance(value, dict):
        return name in value or any(_contains(one, name) for one in value.values())
    return isinstance(value, list) and any(_contains(one, name) for one in value)


def _role(turn: object) -> object:
    return turn.get("role") if isinstance(turn, dict) else None


def _pieces(turn: Any) -> bool:
    """Return True if a message contains anything but text."""
    if not isinstance(turn, dict):
        return False
    content = turn.get("content", turn.get("parts"))
    others = isinstance(content, list) and any(isinstance(one, dict) and "text" not in one for one in content)
    return others or "images" in turn


def _without_stream(body: Body) -> Body:
    return {name: value for name, value in body.items() if name != "stream_options"} | {"stream": False}


def _describe_tools(body: Body) -> Body:
    """Describe the tools in the system prompt instead; the descriptions explain how to write a call as text."""
    told = [text for one in tables(body.get("tools")) if (text := _description(one))]
    rest = {name: value for name, value in body.items() if name not in ("tools", "tool_choice", "parallel_tool_calls")}
    return _ruled(rest, "\n\n".join(("To use a tool, write its call as text, on separate lines.", *told)))


def _description(tool: Body) -> str:
    """Return the description of a tool or of a list of tools."""
    many = [_description(one) for one in tables(tool.get("functionDeclarations"))]
    one = tool["function"] if isinstance(tool.get("function"), dict) else tool
    return "\n\n".join(many) or f"{one.get('name')}: {one.get('description')}"


def _ruled(body: Body, more: str) -> Body:
    """Return the request with text added to its system prompt."""
    turns = next(one for one in _TURNS if one in body)
    if isinstance(rules := body.get("instructions"), str):
        return {**body, "instructions": f"{rules}\n\n{more}"}
    if isinstance(body.get("system"), list):
        return {**body, "system": [*body["system"], {"type": "text", "text": more}]}
    if rules := tables(body.get("systemInstruction", {}).get("parts")):
        return {**body, "systemInstruction": {"parts": [*rules, {"text": more}]}}
    first = next((number for number, one in enumerate(body[turns]) if _role(one) == "system"), None)
    if first is None:
        return {**body, turns: _prepend(body[turns], more)}
    said = [*body[turns]]
    said[first] = {**said[first], "content": f"{said[first]['content']}\n\n{more}"}
    return {**body, turns: said}


def _moved(body: Body) -> Body:
    """Move the system prompt to the beginning of the first user message, and keep roles alternating."""
    turns = next(one for one in _TURNS if one in body)
    rules = [_text(one.get("content")) for one in body[turns] if _role(one) == "system"]
    rules += [_text(body[one]) for one in _RULES if one in body]
    rest = {name: value for name, value in body.items() if name not in _RULES}
    said = [one for one in body[turns] if _role(one) != "system"]
    return {**rest, turns: _prepend(said, "\n\n".join(filter(None, rules)))}


def _prepend(turns: list[Body], text: str) -> list[Body]:
    """Return the messages with a text in front, joined so that roles alternate."""
    field = "parts" if turns and "parts" in turns[0] else "content"
    first: Body = {"role": "user", field: [{"text": text}] if field == "parts" else text}
    if turns and field == "content" and isinstance(turns[0].get(field), list):
        kind = next((one["type"] for one in tables(turns[0][field]) if one.get("text")), "text")
        first[field] = [{"type": "input_text" if kind == "output_text" else kind, "text": text}]
    grouped = [[*same] for _, same in groupby([first, *turns], key=_role)]
    return [_join_messages(same, field) for same in grouped]


def _join_messages(same: list[Body], field: str) -> Body:
    """Join several messages of one role."""
    if len(same) == 1:
        return same[0]
    contents = [one.get(field) for one in same]
    if all(isinstance(one, str) for one in contents):
        return {**same[0], **same[-1], field: "\n\n".join(map(str, contents))}
    lists = [one if isinstance(one, list) else [{"type": "text", "text": one}] for one in contents]
    return {**same[0], **same[-1], field: [piece for one in lists for piece in one]}


def _replace_media(body: Body) -> Body:
    """Return the request with a line for each picture or file, and one text for a list of texts."""
    turns = next(one for one in _TURNS if one in body)
    return {**body, turns: [_words(one, turns) for one in body[turns]]}


def _words(turn: Body, turns: str) -> Body:
    if not _pieces(turn):
        return turn
    kept = {name: value for name, value in turn.items() if name != "images"}
    note, field = (
        "(a picture or file was here; this model does not accept it)",
        "parts" if "parts" in turn else "content",
    )
    if isinstance(kept[field], str):
        return {**kept, field: f"{kept[field]}\n{note}"}
    texts = [str(one.get("text", note)) for one in tables(kept[field])]
    if turns == "messages":
        return {**kept, field: "\n".join(texts)}
    kind = {"input": {"type": "input_text"}}.get(turns, {} if field == "parts" else {"type": "text"})
    return {**kept, field: [{**kind, "text": one} for one in texts]}


def _text(value: object) -> str:
    """Return the text of a system prompt in any form."""
    if isinstance(value, dict):
        value = value.get("parts")
    return (
        "\n\n".join(str(one.get("text", "")) for one in tables(value)) if isinstance(value, list) else str(value or "")
    )
