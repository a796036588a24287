"""The way out of a refusal that names no part of the request: the request without what is new and unusual in it.

Each picture, file and text of a conversation is a part, known by a hash, so that a server that refused it is not asked
with it again, also by another process. A note for the model replaces it. Pure; owns nothing on disk.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

Body = dict[str, Any]
MARK = "left out "
"""How a change of a request begins that leaves one part out; its hash follows."""
PICTURES = 3  # the most pictures that are left out one after the other, before all are
MEDIA = "(left out, because the server refuses this picture or file; say so)"
RESULT = "(left out, because the server refuses a request with this text; say so)"
_TURNS = ("messages", "input", "contents")
_RULES, _OWN = ("system", "developer"), ("assistant", "model")  # roles
_CLOCK = r"(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?|\d\d:\d\d(?::\d\d)?)"
_ENTRY = re.compile(rf"^(?P<head>#\d+ )(?:{_CLOCK} )?(?P<name>[^\n]*?)(?=:(?: |\n|\Z))", re.MULTILINE)
_PLACE = re.compile(
    r"(?:messages|input|contents)[.\[](\d+)\]?\.(?:content|parts)[.\[](\d+)"
)  # of a picture, in an error
_AT_MOST = re.compile(r"at most (\d+) (?:image|audio|video|picture|file)", re.IGNORECASE)
_TOOL = re.compile(r"[A-Z][A-Z_]+(?: \w+)?\Z")  # the name of a tool's result in a head


def media(body: Mapping[str, object], words: str, accepted: Collection[str]) -> list[tuple[str, ...]]:
    """Return the changes to try one after the other, because of an error about pictures: without the older pictures and
    files, if the error says how many may be there; otherwise without the one that it names, then without each of the
    newest, then without all. The server refused none of the `accepted`, unless there is no other."""
    found = [one for turn in turns(body) for kind, one in turn if kind == "media"]
    if (most := _AT_MOST.search(words)) and 0 < int(most[1]) < len(found):
        return [tuple(found[: -int(most[1])])]
    named = [MARK + _hash(one) for one in _named(body, words)]
    found = [one for one in dict.fromkeys(found) if one not in accepted or one in named] or found
    alone = [*named, *found[: -PICTURES - 1 : -1]]
    return list(dict.fromkeys([*((one,) for one in alone), *([tuple(found)] if found else [])]))


def _named(body: Mapping[str, object], words: str) -> list[Body]:
    """Return the picture or file at the place that an error names: `messages.3.content.1.image`."""
    if not (place := _PLACE.search(words)):
        return []
    pieces = [_pieces(turn) for turn in _turns(body)[int(place[1]) :][:1]]
    return [one for many in pieces for one in many[int(place[2]) :][:1] if "text" not in one]


def size(body: Mapping[str, object]) -> int:
    """Return the number of characters of the conversation."""
    return sum(len(said) for turn in _turns(body) for said in _texts(turn))


def turns(body: Mapping[str, object]) -> list[list[tuple[str, str]]]:
    """Return the parts of each turn: what it is, `media`, `result`, `heard` or `own`, and the change that leaves it
    out."""
    return [[*_parts(turn)] for turn in _turns(body)]


def backwards(body: Mapping[str, object]) -> Iterator[list[tuple[str, str]]]:
    """Yield the same, the last turn first. A long conversation would take milliseconds."""
    return ([*_parts(turn)] for turn in reversed(_turns(body)))


def recent(found: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return the parts since the model's last words."""
    own = next((at for at in reversed(range(len(found))) if any(kind == "own" for kind, _ in found[at])), -1)
    return [one for turn in found[own + 1 :] for one in turn]


def newest(body: Mapping[str, object]) -> tuple[str, ...]:
    """Return the change that leaves out the newest message, the results of tools after it, and their pictures."""
    found = turns(body)
    last = [one for kind, one in (found[-1] if found else []) if kind == "media"]
    texts = [one for turn in found for one in turn if one[0] != "media"]
    at = next((at for at in reversed(range(len(texts))) if texts[at][0] == "heard"), len(texts))
    return (*(one for kind, one in texts[at:] if kind != "own"), *last)


def _parts(turn: Body) -> Iterator[tuple[str, str]]:
    if turn.get("role") in _RULES:
        return
    content = turn.get("content")
    for piece in [{"text": content}] if isinstance(content, str) else _pieces(turn):
        if "text" not in piece:
            yield "media", MARK + _hash(piece)
        elif turn.get("role") in _OWN:
            yield "own", MARK + _hash(str(piece["text"]).strip())
        else:
            for name, text, _, _ in _entries(str(piece["text"])):
                if not name.startswith("FADED"):
                    yield "result" if _TOOL.match(name) else "heard", MARK + _hash(text)


def apply(body: Body, changes: Collection[str]) -> Body:
    """Return the request without the parts of these changes."""
    gone = {one.removeprefix(MARK) for one in changes if one.startswith(MARK)}
    where = next((one for one in _TURNS if isinstance(body.get(one), list)), "")
    return {**body, where: [_turn(one, gone) for one in body[where]]} if gone and where else body


def _turn(turn: Any, gone: Collection[str]) -> Any:
    field = "parts" if isinstance(turn, dict) and "parts" in turn else "content"
    if not isinstance(turn, dict) or turn.get("role") in _RULES:
        return turn
    content, own = turn.get(field), turn.get("role") in _OWN
    if isinstance(content, str):
        return {**turn, field: _text(content, gone, own)}
    if not isinstance(content, list):
        return turn
    like: Body = next((one for one in _pieces(turn) if "text" in one), {"type": "text"})
    return {**turn, field: [_piece(one, like, gone, own) for one in content]}


def _piece(one: Any, like: Body, gone: Collection[str], own: bool) -> Any:
    if not isinstance(one, dict):
        return one
    if "text" in one:
        return {**one, "text": _text(str(one["text"]), gone, own)}
    return (
        {name: told for name, told in like.items() if name == "type"} | {"text": MEDIA} if _hash(one) in gone else one
    )


def _text(said: str, gone: Collection[str], own: bool) -> str:
    if own:
        return RESULT if _hash(said.strip()) in gone else said
    kept, at = list[str](), 0
    for _, text, start, end in _entries(said):
        if _hash(text) in gone:
            kept += [said[at:start], f": {RESULT}\n\n"]
            at = end
    return "".join((*kept, said[at:]))


def _entries(said: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield the name of each entry, its text without its time, and where this begins and ends behind the head."""
    heads = [*_ENTRY.finditer(said)]
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(said)
        yield head["name"], head["head"] + head["name"] + said[head.end() : end].rstrip(), head.end(), end


def _turns(body: Mapping[str, object]) -> list[Body]:
    found = next((body[one] for one in _TURNS if isinstance(body.get(one), list)), [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _pieces(turn: Body) -> list[Body]:
    content = turn.get("content", turn.get("parts"))
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def _texts(turn: Body) -> list[str]:
    if turn.get("role") in _RULES:
        return []
    content = turn.get("content")
    return [content] if isinstance(content, str) else [str(one["text"]) for one in _pieces(turn) if "text" in one]


def _hash(part: object) -> str:
    """Return a part's hash. Cache marks do not belong to it, because they move."""
    if isinstance(part, dict):
        part = json.dumps({name: told for name, told in part.items() if name != "cache_control"}, sort_keys=True)
    return hashlib.sha256(str(part).encode("utf-8", "replace")).hexdigest()[:16]
