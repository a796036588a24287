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
"""What a part is, and its name: an `option`, or of the conversation `media`, `result` (of a tool), `heard` or `own`."""
SYSTEM, TOOLS, MEDIA = "system role", "tools", "pictures and files"
MARK = "left out "  # begins the name of a part of the conversation
SEEN = "\n(a picture or file was here; the server refuses it; say so)\n"
RESULT = "(left out, because the server refuses a request with this text; say so)"
_TURNS = ("messages", "input", "contents")  # the conversation's field, by format
_RULES = ("system", "instructions", "systemInstruction")  # the system prompt's field, in formats that have one
_OWN = ("assistant", "model")  # the model's roles
_NEEDED = {"model", "num_ctx", "truncate", "shift", "type", *_TURNS, *_RULES}  # never let a server cut the prompt
_DEEP = ("ttl", "cache_control", "annotations", "status", "id", "detail", "strict")  # optional fields in lists
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_WITH = {TOOLS: ("tool_choice", "parallel_tool_calls"), "stream": ("stream_options",)}  # fields that need another one
_NAMES = {  # how errors name things that are not fields
    SYSTEM: r"\broles?\b|\b(?:system|instructions)['\"`:]|\b(?:system|developer)[ _]?(?:message|prompt|instruction)"
    r"|\bfirst message|\b(?:start|begin) with an? user|角色|系统(?:提示|消息|指令)",
    TOOLS: r"\b(?:tools?|functions?)(?![a-z])",
    MEDIA: r"image|audio|\bvision|modal|\bpdf\b|(?:content|item) type|content\b[^.]{0,40}\bstring",
}
_ELSEWHERE = re.compile(r"\bv1/[a-z]+")  # another address serves this model
_PLACE = re.compile(r"(?:messages|input|contents)[.\[](\d+)\]?\.(?:content|parts)[.\[](\d+)")  # for a picture
_BORDER = re.compile(r"^(?=#\d+ )", re.MULTILINE)  # between the entries of a message
_ENTRY = re.compile(r"(?P<number>#\d+ )(?:\d[\dT]*[:-]\d[\dTZ:-]* )*+(?!FADED)(?P<name>[^\n]*?)(?=:(?: |\n|\Z))")
_TOOL = re.compile(r"[A-Z][A-Z_]+(?: \w+)?\Z")  # the name of a tool's result


def named(words: str, body: Body, done: Collection[str] = ()) -> str:
    """Return the optional part in the body that an error names first, or "". It is `old>new` for a field that has
    another name in the same format, unless one of the changes `done` is the opposite."""
    found, flat = list[tuple[int, int, int, str]](), words.replace("\n", " ")
    for part, pattern in _patterns(body):
        if match := re.search(pattern, words, re.IGNORECASE):  # if a path has several fields, the innermost counts
            found.append((flat.rfind(" ", 0, match.start()), -match.end(), len(found), part))
    here = (one for *_, one in sorted(found) if not _ELSEWHERE.search(words) and without(body, [one]) != body)
    part = next(here, "")
    new = _RENAMED.get(part)
    return f"{part}>{new}" if new and "messages" in body and f"{new}>{part}" not in done else part


def walk(body: Body) -> Iterator[Part]:
    """Yield the options, those at the end that take others with them, and then the parts of the conversation."""
    ruled = any(one in body for one in _RULES) or any(one.get("role") == "system" for one in _turns(body))
    options = [SYSTEM] * ruled + [one for one in body if one not in _NEEDED and (one != "stream" or body[one])]
    yield from (("option", one) for one in sorted(options, key=lambda one: one in _WITH))
    for turn in _turns(body):
        yield from ((kind, name) for kind, name, _ in _split(turn) if name)


def _patterns(body: Body) -> Iterator[tuple[str, str]]:
    yield from _NAMES.items()
    fields = _paths({name: one for name, one in body.items() if name != TOOLS})
    names = {path: path.split(".")[-1] for path in (*fields, *(f"*.{name}" for name in _DEEP))}
    for path, name in names.items():
        word = "[_ -]?".join(re.findall(r"[A-Za-z][a-z0-9]*|[0-9]+", name)) + "(?:ing)?" * (name == "stream")
        yield path, rf"(?<![A-Za-z0-9_]){word}(?![A-Za-z0-9_])"
    for path in (path for path, name in names.items() if re.search("(?i)think|reason|effort", name)):
        yield path, r"\bthink(?:ing)?\b|\breasoning\b"


def _paths(value: Body) -> Iterator[str]:
    for name, one in value.items():
        if name not in _NEEDED:
            yield name
            yield from (f"{name}.{path}" for path in (_paths(one) if isinstance(one, dict) else ()))


def without(body: Body, parts: Collection[str]) -> Body:
    """Return the request without these parts. The system prompt and the description of tools become a part of the first
    message, and a note replaces anything of the conversation."""
    turns, done, first = _turns(body), dict(body), list[str]()
    if MEDIA in parts or any(one.startswith(MARK) for one in parts):
        turns = [_shorten(one, parts) for one in turns]
    if SYSTEM in parts:
        rules = [one for one in turns if one.get("role") == "system"]
        turns = [one for one in turns if one not in rules]
        rules += [table(one) or {"content": one} for one in (done.pop(name) for name in _RULES if name in done)]
        first = [piece["text"] for one in rules for piece in _pieces(one)]
    if TOOLS in parts and (tools := [*_describe(body.get(TOOLS))]):
        first += ["To use a tool, write its call as text, on separate lines.", *tools]
    if turns:
        done[_field(body)] = _begin("\n\n".join(first), turns) if first else turns
    for part in (*parts, *(more for one in parts for more in _WITH.get(one, ()))):
        old, renamed, new = part.partition(">")
        if renamed:
            done = {new if name == old else name: value for name, value in done.items()}
        elif part == "stream":
            done = {**done, part: False} if part in done else done
        elif part not in (SYSTEM, MEDIA) and not part.startswith(MARK):
            done = _cut(done, part.split("."))
    return done


def _describe(tools: object) -> Iterator[str]:
    for one in tables(tools):
        yield from _describe(one.get("functionDeclarations"))
        tool = table(one, "function") or one
        yield from [f"{tool['name']}: {tool.get('description')}"] if "name" in tool else []


def _begin(text: str, turns: list[Body]) -> list[Body]:
    """Return the messages with this text at the beginning of the first one, or before it if it is the model's."""
    first, *others = _pieces(turns[0]) or [{}]
    if turns[0].get("role") in _OWN or "text" not in first:
        return [{"role": "user"} | ({"parts": [{"text": text}]} if "parts" in turns[0] else {"content": text}), *turns]
    return [_fill(turns[0], [{**first, "text": f"{text}\n\n{first['text']}"}, *others]), *turns[1:]]


def _fill(turn: Body, pieces: list[Body]) -> Body:
    """Return the message with these pieces, as one text where it was one, and where a note replaces a picture."""
    if "images" in turn:
        turn = {**turn, "images": [one["image"] for one in pieces if "image" in one]}
        pieces = [one for one in pieces if "image" not in one]
    text = "".join(one.get("text", "") for one in pieces)
    noted = "content" in turn and SEEN in text and all("text" in one for one in pieces)
    plain = noted or isinstance(turn.get("content"), str)
    return {**turn, "parts" if "parts" in turn else "content": text if plain else pieces}


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


def _split(turn: Body) -> Iterator[tuple[str, str, Body]]:
    """Yield the kind, the name and the content of each part of a message. What is never left out has no name."""
    for piece in () if turn.get("role") in ("system", "developer") else _pieces(turn):
        if "text" not in piece:
            yield "media", _name(piece), piece
        elif turn.get("role") in _OWN:
            yield "own", _name(piece["text"].strip()), piece
        else:
            for text in _BORDER.split(piece["text"]):
                kind, name = "heard", ""
                if head := _ENTRY.match(text):  # the time is not a part of the name
                    kind = "result" if _TOOL.match(head["name"]) else kind
                    name = _name(head["number"] + head["name"] + text[head.end() :].rstrip())
                yield kind, name, {**piece, "text": text}


def _shorten(turn: Body, parts: Collection[str]) -> Body:
    """Return the message with a note instead of each of these parts."""
    kept, whole = list[Body](), True
    form = next(({"type": one["type"]} for one in _pieces(turn) if "text" in one and "type" in one), {})
    for kind, name, piece in _split(turn):
        if name in parts or (kind == "media" and MEDIA in parts):
            head = _ENTRY.match(piece["text"]) if kind in ("heard", "result") else None
            note = f"{head[0]}: {RESULT}\n\n" if head else RESULT
            piece, whole = {**form, "text": SEEN} if kind == "media" else {**piece, "text": note}, False
        if kept and "text" in kept[-1] and "text" in piece:
            kept[-1] = {**kept[-1], **piece, "text": kept[-1]["text"] + piece["text"]}
        else:
            kept.append(piece)
    return turn if whole else _fill(turn, kept)


def at_place(body: Body, words: str) -> list[str]:
    """Return the picture or file at the place that an error names: `messages.3.content.1.image`."""
    turn, piece = map(int, found.groups()) if (found := _PLACE.search(words)) else (0, 0)
    pieces = [one for many in _turns(body)[turn:][:1] for one in _pieces(many)[piece:][:1] if found]
    return [_name(one) for one in pieces if "text" not in one]


def size(body: Body) -> int:
    """Return the number of characters of the conversation."""
    talk = (turn for turn in _turns(body) if turn.get("role") != "system")
    return sum(len(piece.get("text", "")) for turn in talk for piece in _pieces(turn))


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
