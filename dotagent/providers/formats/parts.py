"""The parts of a request that a server may refuse: how errors name them, and the request without them.

A part is the path of a field, the system role, the tools, all pictures and files, or one picture, file or text of the
conversation, which is known by a hash, so that another process knows it, too. Pure; owns nothing on disk.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from dotagent.providers.formats.fields import table, tables

Body = dict[str, Any]
Part = tuple[str, str]
"""What a part of the conversation is, `media`, `result` (of a tool), `heard` or `own`, and its name."""
SYSTEM, TOOLS, MEDIA = "system role", "tools", "pictures and files"
MARK = "left out "  # begins the name of a part of the conversation
SEEN = "(a picture or file was here; the server refuses it; say so)"
RESULT = "(left out, because the server refuses a request with this text; say so)"
_TURNS = ("messages", "input", "contents")  # the conversation's field, by format
_RULES = ("system", "instructions", "systemInstruction")  # the system prompt's field, in formats that have one
_NEEDED = {"model", "num_ctx", "truncate", "shift", "type", *_TURNS, *_RULES}  # never let a server cut the prompt
_DEEP = ("ttl", "cache_control", "annotations", "status", "id", "detail", "strict")  # optional fields in lists
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_NAMES = {  # how errors name what is no field
    SYSTEM: r"\broles?\b|\b(?:system|instructions)['\"`:]|\b(?:system|developer)[ _]?(?:message|prompt|instruction)"
    r"|\bfirst message|\b(?:start|begin) with an? user|角色|系统(?:提示|消息|指令)",
    TOOLS: r"\b(?:tools?|functions?)(?![a-z])",
    MEDIA: r"image|audio|\bvision|modal|\bpdf\b|(?:content|item) type|content\b[^.]{0,40}\bstring",
}
_ELSEWHERE = re.compile(r"\bv1/[a-z]+")  # another address serves this model
_CALLED = "parameter|param|field|argument|option|property|input"
_PLACE = re.compile(r"(?:messages|input|contents)[.\[](\d+)\]?\.(?:content|parts)[.\[](\d+)")  # of a picture
_CLOCK = r"(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?|\d\d:\d\d(?::\d\d)?)"
_ENTRY = re.compile(rf"^(?P<head>#\d+ )(?:{_CLOCK} )?(?P<name>[^\n]*?)(?=:(?: |\n|\Z))", re.MULTILINE)
_TOOL = re.compile(r"[A-Z][A-Z_]+(?: \w+)?\Z")  # the name of a tool's result


def named(words: str, body: Body, done: Collection[str] = ()) -> str:
    """Return the optional part in the body that an error names first, or "". It is `old>new` for a field that has
    another name in the same format, unless one of the changes `done` is the opposite."""
    found = []
    for part, pattern in _patterns(body):
        if match := re.search(pattern, words, re.IGNORECASE):  # of several fields of a path, the innermost is meant
            before = re.search(r"[\w.\[\]\"',]*\Z", words[max(0, match.start() - 100) : match.start()])
            found.append((match.start() - len(before[0] if before else ""), -match.end(), part))
    here = (one for *_, one in sorted(found) if not _ELSEWHERE.search(words) and without(body, [one]) != body)
    part = next(here, "")
    new = _RENAMED.get(part)
    return f"{part}>{new}" if new and "messages" in body and f"{new}>{part}" not in done else part


def options(body: Body) -> list[str]:
    """Return the parts of the request, besides the conversation, that a server may not know. Those at the end take
    others with them."""
    ruled = any(one in body for one in _RULES) or any(one.get("role") == "system" for one in _turns(body))
    found = [SYSTEM] * ruled + [one for one in body if one not in _NEEDED and (one != "stream" or body[one])]
    return sorted(found, key=lambda one: one in (TOOLS, "stream"))


def _patterns(body: Body) -> Iterator[tuple[str, str]]:
    yield from _NAMES.items()
    fields = _paths({name: one for name, one in body.items() if name not in (*_NEEDED, TOOLS)})
    for path in (*fields, *(f"*.{name}" for name in _DEEP)):
        name = path.split(".")[-1]
        word = "[_ -]?".join(re.findall(r"[A-Za-z][a-z0-9]*|[0-9]+", name)) + "(?:ing)?" * (name == "stream")
        word = rf"(?<![A-Za-z0-9_]){word}(?![A-Za-z0-9_])"
        if not re.search("[^a-z]", name):  # a common word must be where errors have the names of fields
            word = rf"(?m:^{word}$|(?:['\"`.\[(]|: ?|(?:{_CALLED}|support)s? ){word}" + (
                rf"|{word}(?:['\"`:\])]|\.\w| (?:is|was|not|must|disabled|{_CALLED})\b))"
            )
        thoughts = r"|\bthink(?:ing)?\b|\breasoning\b" if re.search("(?i)think|reason|effort", name) else ""
        yield path, word + thoughts


def _paths(value: Body) -> Iterator[str]:
    for name, one in value.items():
        if name not in _NEEDED:
            yield name
            yield from (f"{name}.{path}" for path in (_paths(one) if isinstance(one, dict) else ()))


def without(body: Body, parts: Collection[str]) -> Body:
    """Return the request without these parts. The system prompt and the description of tools become a part of the first
    user message, and a note replaces anything of the conversation."""
    turns, done, first = _turns(body), dict(body), list[Any]()
    if MEDIA in parts or any(one.startswith(MARK) for one in parts):
        turns = [_turn(one, parts, []) for one in turns]
    if SYSTEM in parts:
        first = [one["content"] for one in turns if one.get("role") == "system"]
        first += [done.pop(name) for name in _RULES if name in done]
        turns = [one for one in turns if one.get("role") != "system"]
    if TOOLS in parts and (tools := [*_describe(done.pop(TOOLS, None))]):
        more = "\n\n".join(("To use a tool, write its call as text, on separate lines.", *tools))
        first.append({"parts": [{"text": more}]} if "contents" in body else more)
        done = {name: one for name, one in done.items() if name not in ("tool_choice", "parallel_tool_calls")}
    if turns:
        done[_field(body)] = _begin(first, turns) if first else turns
    for part in parts:
        old, renamed, new = part.partition(">")
        if renamed:
            done = {new if name == old else name: value for name, value in done.items()}
        elif part == "stream" and done.get(part):
            done = _cut(done, ["stream_options"]) | {part: False}
        elif part not in (*_NAMES, "stream") and not part.startswith(MARK):
            done = _cut(done, part.split("."))
    return done


def _describe(tools: object) -> Iterator[str]:
    for one in tables(tools):
        yield from _describe(one.get("functionDeclarations"))
        tool = table(one, "function") or one
        yield from [f"{tool['name']}: {tool.get('description')}"] if "name" in tool else []


def _begin(first: list[Any], turns: list[Body]) -> list[Body]:
    """Return the messages with these texts in the first one, which is the user's, joined so that roles alternate."""
    said = list[Body]()
    for one in (*({"role": "user", **(it if isinstance(it, dict) else {"content": it})} for it in first), *turns):
        if said and said[-1].get("role") == one.get("role"):
            field = "parts" if "parts" in one else "content"
            said[-1] = {**said[-1], **one, field: _join(said[-1][field], one[field])}
        else:
            said.append(one)
    return said


def _join(one: Any, other: Any) -> Any:
    if isinstance(one, str) and isinstance(other, str):
        return f"{one}\n\n{other}"
    like = _as_text([*tables(one), *tables(other)])
    return [piece for many in (one, other) for piece in ([like | {"text": many}] if isinstance(many, str) else many)]


def _as_text(pieces: list[Body]) -> Body:
    """Return how a text begins among these pieces."""
    found = next((one for one in pieces if "text" in one), {"type": "text"})
    return {name: one for name, one in found.items() if name == "type"}


def _cut(value: Any, path: list[str]) -> Any:
    """Return the value without the field at the end of this path; `*` means any depth."""
    if isinstance(value, list):
        return [_cut(one, path) for one in value]
    if not isinstance(value, dict):
        return value
    if path[0] == "*":
        return {name: _cut(one, path) for name, one in value.items() if name != path[1]}
    inner = _cut(value.get(path[0]), path[1:]) if path[1:] else None  # an empty object goes, too
    return {name: inner if name == path[0] else one for name, one in value.items() if name != path[0] or inner}


def walk(body: Body, step: int = 1) -> Iterator[Part]:
    """Yield the parts of the conversation, backwards with step -1. A whole long one would take milliseconds."""
    for turn in _turns(body)[::step]:
        found = list[Part]()
        _turn(turn, (), found)
        yield from found[::step]


def _turn(turn: Body, parts: Collection[str], seen: list[Part]) -> Body:
    """Return the message with a note instead of each of these parts, and list all that it has."""
    if turn.get("role") in ("system", "developer"):
        return turn

    def gone(kind: str, name: str) -> bool:
        seen.append((kind, name))
        return name in parts or (kind == "media" and MEDIA in parts)

    pieces, own, kept = _pieces(turn), turn.get("role") in ("assistant", "model"), list[Body]()
    note = _as_text(pieces) | {"text": SEEN}
    for one in pieces:
        if "text" not in one:
            kept.append(note if gone("media", _name(one)) else one)
            continue
        said, at, heads = str(one["text"]), 0, [] if own else [*_ENTRY.finditer(str(one["text"]))]
        text = RESULT if own and gone("own", _name(said.strip())) else ""
        for head, end in zip(heads, [*(one.start() for one in heads[1:]), len(said)], strict=False):
            name = _name(head["head"] + head["name"] + said[head.end() : end].rstrip())
            kind = "result" if _TOOL.match(head["name"]) else "heard"
            if not head["name"].startswith("FADED") and gone(kind, name):  # the time is no part of the name
                text, at = f"{text}{said[at : head.end()]}: {RESULT}\n\n", end
        kept.append({**one, "text": text if text == RESULT else text + said[at:]})
    if kept == pieces:
        return turn
    texts = [one for one in kept if "image" not in one]
    turn = {**turn, "images": [one["image"] for one in kept if "image" in one]} if "images" in turn else turn
    if all(one.get("type") == "text" for one in texts) and (note in kept or isinstance(turn["content"], str)):
        return {**turn, "content": "\n".join(one["text"] for one in texts)}
    return {**turn, "parts" if "parts" in turn else "content": kept}


def at_place(body: Body, words: str) -> list[str]:
    """Return the picture or file at the place that an error names: `messages.3.content.1.image`."""
    turn, piece = map(int, found.groups()) if (found := _PLACE.search(words)) else (0, 0)
    pieces = [one for many in _turns(body)[turn:][:1] for one in _pieces(many)[piece:][:1] if found]
    return [_name(one) for one in pieces if "text" not in one]


def size(body: Body) -> int:
    """Return the number of characters of the conversation."""
    turns = (one for one in _turns(body) if one.get("role") not in ("system", "developer"))
    return sum(len(str(one.get("text", ""))) for turn in turns for one in _pieces(turn))


def _field(body: Body) -> str:
    return next((one for one in _TURNS if isinstance(body.get(one), list)), _TURNS[0])


def _turns(body: Body) -> list[Body]:
    return tables(body, _field(body))


def _pieces(turn: Body) -> list[Body]:
    """Return the texts, pictures and files of a message."""
    content = turn.get("content", turn.get("parts"))
    pieces = [{"type": "text", "text": content}] if isinstance(content, str) else tables(content)
    return [*pieces, *({"image": one} for one in turn.get("images") or ())]


def _name(part: object) -> str:
    if isinstance(part, dict):  # cache marks move
        part = json.dumps({name: one for name, one in part.items() if name != "cache_control"}, sort_keys=True)
    return MARK + hashlib.sha256(str(part).encode("utf-8", "replace")).hexdigest()[:16]
