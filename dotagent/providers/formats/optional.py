"""Optional parts of a request: which one a server refuses, and the request without it.

Only the model, the messages and a few fields of the format are required. A refused field is left out or renamed, a
system message moves into the first user message, and tools are described as text. Refusals are remembered by address
and model, so each part is refused only once. If a server does not say what it refuses, each remedy is tried at most
once: without new pictures and files, without options that this server has never accepted, without the newest result of
a tool, and without everything new but the newest message. Owns nothing on disk; `list_refusals` and `learn` exchange
refusals with a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from dotagent.providers import ProviderError
from dotagent.providers.formats import left_out, remedies
from dotagent.providers.formats.fields import tables

Body = dict[str, Any]

LITTLE = 12_000  # characters: hardly any model refuses so short a prompt for its length
LEFT = 64  # how many parts that a server and model refused are remembered
SUSPECTED = "suspected "  # begins a part in the file that is left out until it is known which one is refused
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


def list_refusals() -> dict[str, list[str]]:
    """Return the refusals so far for a file: "address model" and the changes."""
    suspected = remedies.suspected()
    return {
        " ".join(key): [*_left.get(key, ()), *(SUSPECTED + one for one in suspected.get(key, ()))]
        for key in sorted({*_left, *suspected})
    }


def learn(told: object) -> None:
    """Load the result of `list_refusals` from an earlier process. Invalid entries are skipped."""
    for name, changes in told.items() if isinstance(told, dict) else ():
        address, _, model = str(name).partition(" ")
        if isinstance(changes, list) and all(isinstance(one, str) for one in changes):
            known = tuple(one for one in changes if not one.startswith(SUSPECTED))
            if known:
                _left.setdefault((address, model), known)
            if suspected := tuple(one.removeprefix(SUSPECTED) for one in changes if one.startswith(SUSPECTED)):
                remedies.learn((address, model), suspected)


def forget() -> None:
    """Forget all refusals and answers, as a new process does."""
    _left.clear()
    remedies.forget()


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
        self._server, self._known = remedies.of(self._key), _left.get(self._key, ())
        self._usual, self._keep = self._known, True
        self._suspects, self._again = self._find_suspects()
        self._apart = tuple(one for one in self._suspects if one not in self._again)
        self._remedies: Iterator[tuple[str, tuple[str, ...]]] | None = None
        self._remedy: tuple[str, ...] = ()
        self._tried = set[str]()  # names of remedies
        self._named, self._before = "", self._usual  # the reason that named a part, and the changes before
        self._first: ProviderError | None = None
        self._blamed = False

    @property
    def body(self) -> Body:
        """Return the request to send now."""
        return apply_changes(self._body, self._changes)

    @property
    def _changes(self) -> tuple[str, ...]:
        return (*self._usual, *self._apart, *self._remedy)

    def next(self, error: ProviderError) -> bool:
        """Leave out the part that this error refuses. Return False for any other error. No part is left out twice."""
        unclear = 400 <= error.status < 500 and error.kind in ("bad_request", "network")  # or a firewall's page
        if error.kind in ("too_long", "auth", "credit") or not (unclear or error.status in _STATUSES):
            return False
        first, self._first = self._first, self._first or error
        if self._suspects and self._again and self._server.why in ("", remedies.reason(error)):
            if not first:
                self._apart = self._suspects
                return True
            self._server.suspect((), "")  # the answer does not depend on these
            self._suspects = self._again = self._apart = ()
        return self._leave_named(error) or (unclear and self._leave_unusual(error))

    def blame(self) -> None:
        """Remember to leave out the newest message from now on, because the server will never answer it."""
        self._remember((*_left.get(self._key, ()), *left_out.newest(self.body)))

    def told(self, error: ProviderError) -> ProviderError:
        """Return the error to report for all attempts: the first, if the last only complains about a missing part.
        Remember what did not help, and what was new."""
        if self._first and remedies.reason(error) == remedies.reason(self._first):
            self._note(remedies.reason(error))
        if error.status == 413 and error.kind == "bad_request":  # too many bytes, without a picture to leave out
            return ProviderError("too_long", f"the prompt is too long: {error.hint}")
        changes = [one for one in self._changes if one not in _NAMES and not one.startswith(left_out.MARK)]
        names = [one.partition(">")[0].split(".")[-1] for one in changes]
        missed = any(re.search(_word(one), error.words, re.IGNORECASE) for one in names)
        return self._first if self._first and error.status in _STATUSES and missed else error

    def succeeded(self) -> None:
        """Remember the changes that led to an answer, unless only this request's picture or call was bad."""
        sent, found = self.body, list[str]()
        self._server.longest = max(left_out.size(sent), self._server.longest)
        self._server.accept(left_out.backwards(sent))
        self._server.options |= {*sent, SYSTEM} - {"stream"} | ({"stream"} if sent.get("stream") is True else set())
        self._server.options -= {*self._usual, *self._remedy}
        if len(self._remedy) == 1:
            found += self._remedy
        elif self._remedy and all(one.startswith(left_out.MARK) for one in self._remedy):
            self._server.suspect(self._remedy, remedies.reason(self._first) if self._first else "", again=True)
        elif self._remedy:
            self._server.bare = True
        elif self._suspects and self._suspects == self._server.suspected:
            found.append(self._server.settle(bool(self._again) and self._apart == self._suspects))
        changes = (*(self._usual if self._keep else self._known), *filter(None, found))
        if changes:
            self._remember(changes)

    def _find_suspects(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the suspected parts of this request, and those that it has nevertheless."""
        if not self._server.suspected:
            return (), ()
        here = {one for turn in left_out.turns(self._body) for _, one in turn}
        found = tuple(one for one in self._server.suspected if one in here)
        return found, (self._server.again if found == self._server.suspected else ())

    def _leave_named(self, error: ProviderError) -> bool:
        """Leave out the part that the error names first, and if the same error comes again, all that it names."""
        reason = remedies.reason(error)
        if not error.words or "named" in self._server.vain.get(reason, ()):
            return False
        change = _find_change(error.words, self.body, self._changes)
        if change == MEDIA and not _is_blind(error.words):
            return False
        if reason != self._named:
            self._before, self._named, more = self._usual, reason, False
            self._tried.discard("named")
        elif "named" in self._tried or not change:
            self._usual = self._before
            self._tried.add("named")
            return False
        else:
            more = True
            self._tried.add("named")
        while change and (change != MEDIA or _is_blind(error.words)):
            self._usual = (*self._usual, change)
            self._keep = self._keep and (change not in (MEDIA, TOOLS) or bool(_ALWAYS.search(error.words)))
            change = _find_change(error.words, self.body, self._changes) if more else ""
        return self._usual != self._before

    def _leave_unusual(self, error: ProviderError) -> bool:
        """Leave out what is new and unusual, because the server does not say what it refuses."""
        vain = self._server.vain.get(remedies.reason(error), ())
        if self._remedies is None:
            self._remedies = self._plan(error)
        name, self._remedy = next((one for one in self._remedies if one[0] not in vain), ("", ()))
        self._tried.add(name)
        return bool(name)

    def _plan(self, error: ProviderError) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the remedies to try one after the other, each with its name."""
        whole, words, known = self.body, error.words, self._server.accepted
        turns = [[one for one in turn if one[1] not in self._changes] for turn in left_out.turns(self._body)]
        new = self._server.find_new(turns)
        media = tuple(dict.fromkeys(one for kind, one in new if kind == "media"))
        result = tuple(one for kind, one in left_out.recent(turns) if kind == "result" and one not in known)[-1:]
        heard = [one for turn in turns for kind, one in turn if kind == "heard"][-1:]
        done = {(), media, result}
        if error.status == 413 or (words and _find_change(words, whole, self._changes) == MEDIA):
            yield from (("pictures", some) for some in left_out.media(whole, words, known))
        elif media:
            yield "pictures", media
        if error.status == 413 or _PICTURED.search(words):
            return  # no text is the reason
        if not words and error.status in (400, 422):
            names = dict.fromkeys(change for change, _ in _patterns(whole) if "." not in change and change != MEDIA)
            options = tuple(one for one in names if one not in self._server.options)
            yield from (("options", (one,)) for one in options if self._server.bare)
            if options and not self._server.bare:
                yield "options", options
        self._blamed = True
        if result:
            yield "result", result
        older = tuple(dict.fromkeys(one for _, one in new if one not in heard))
        if older not in done and self._is_short(whole):
            yield "older", older

    def _is_short(self, whole: Body) -> bool:
        """Return False if the length may be the reason, so that older entries should fade."""
        return left_out.size(whole) <= max(LITTLE, self._server.longest)

    def _note(self, reason: str) -> None:
        """Remember which remedies did not help against this refusal, and suspect what was new in the request."""
        vain = self._server.vain.setdefault(reason, set())
        long = not self._is_short(apply_changes(self._body, self._usual)) and "length" not in vain
        vain |= {*self._tried, *(["length"] if long else [])}
        if self._blamed and not long:
            recent = left_out.recent(left_out.turns(self._body))
            new = [one for _, one in recent if one not in self._server.accepted]
            if new and not self._server.again:
                self._server.suspect((*self._server.suspected, *new), reason)

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
