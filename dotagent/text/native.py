"""Calls by a service's own function calling: what the tools are to it, and its calls as the text that they stand for.

A reply is stored as the same text either way, so that LIFE, the grammar and a change of providers know one form only:
what is made here is read back, and taken only when it is the call that was meant. Pure; it owns nothing on disk.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from dotagent.text import grammar
from dotagent.text.grammar import ToolCall, Toolset

Schema = Mapping[str, object]
"""A tool as services are told of it: its `name`, `description` and `parameters`, a JSON Schema."""
_SAID = {
    "room": "the room's name",
    "text": "what is said there",
    "command": "the shell's command, or several lines of them",
    "argument": "what stands behind the name there",
    "content": "the lines between <<END and END there",
}
_HALF = re.compile(  # the end of an escape, or a character, of which more must come
    r"(?:\\ud[89ab][0-9a-f]{2})?\\(?:u[0-9a-f]{0,3})?\Z|\\ud[89ab][0-9a-f]{2}\Z", re.IGNORECASE
)
_MARKED = re.compile(r"</?tool(?:_call|s)>|^```(?:json)?$", re.MULTILINE)
_MORE = re.compile(r"[^}\s]")  # behind a call there may be blanks, and braces too many
_WORD = "END"


def schema(name: str, about: str, form: str, usage: Sequence[str]) -> Schema:
    """A tool as a service is told of it, by what the tool says of itself: what it is for, its FORM and USAGE."""
    needs = {"speech": ["room", "text"], "shell": ["command"]}.get(form)
    if needs is None:
        argued = any(line.startswith(f"{name} ") for line in usage)
        needs = ["argument"] * argued + ["content"] * any("<<" in line for line in usage)
    described = "\n".join((f"{about}. As text it is:", *usage))
    return {
        "name": name,
        "description": described,
        "parameters": {
            "type": "object",
            "properties": {one: {"type": "string", "description": _SAID[one]} for one in needs},
            "required": needs,
            "additionalProperties": False,
        },
    }


def encode(schemas: Sequence[Schema]) -> str:
    """The tools as a request keeps them."""
    return json.dumps(schemas, ensure_ascii=False)


def decode(text: str) -> tuple[Schema, ...]:
    """The tools of a request; none of what is no list of them."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    told = found if isinstance(found, list) else []
    return tuple(one for one in told if isinstance(one, dict) and isinstance(one.get("name"), str))


def toolset(schemas: Sequence[Schema]) -> Toolset:
    """What the grammar must know of the tools, by their parameters."""
    return _toolset(tuple((str(one["name"]), _form(one)) for one in schemas))


@cache
def _toolset(forms: tuple[tuple[str, str], ...]) -> Toolset:
    speech = next((name for name, form in forms if form == "speech"), "")
    return Toolset(dict(forms), speech=speech)


def _form(one: Schema) -> str:
    parameters = one.get("parameters")
    properties = parameters.get("properties", {}) if isinstance(parameters, dict) else {}
    return "speech" if "room" in properties else "shell" if "command" in properties else "line"


def reply(said: str, calls: Sequence[tuple[str, Mapping[str, str]]], tools: Toolset) -> str:
    """A whole reply: what was said beside the calls, and each as its lines. Where the text would swallow a call (by a
    fence that nobody closed) it comes after them, or not at all: beside calls nothing of it is said."""
    if not calls:
        return said
    own = grammar.read(said, tools).calls
    for here in (False, True):
        lines = [written(name, arguments, tools, here) for name, arguments in calls]
        mine = [one for line in lines for one in grammar.read(line, tools).calls]
        for parts, wanted in (((said, *lines), [*own, *mine]), ((*lines, said), [*mine, *own])):
            text = "\n".join(part for part in parts if part)
            if _told(grammar.read(text, tools).calls) == _told(wanted):
                return text
    return "\n".join(lines)


def written(name: str, arguments: Mapping[str, str], tools: Toolset, here: bool = False) -> str:
    """The lines that are this call; what is said is put between words that end it where it must be, or is to be `here`.
    What no line can hold, as an argument of several lines, is made one."""
    wanted = _wanted(name, arguments, tools)
    forms = list(_written(wanted, tools.forms.get(name, "line")))
    for text in forms[here and len(forms) > 1 :]:
        if _told(grammar.read(text, tools).calls) == _told([wanted]):
            return text
    return name


def _wanted(name: str, arguments: Mapping[str, str], tools: Toolset) -> ToolCall:
    """The call that is meant."""
    form = tools.forms.get(name, "line")
    if form == "speech":
        return ToolCall(name, " ".join(arguments.get("room", "").split()), arguments.get("text", ""))
    if form == "shell":
        return ToolCall(name, arguments.get("command", "").strip(), None)
    behind = " ".join(said for one, said in arguments.items() if one != "content")  # whatever each is called
    return ToolCall(name, " ".join(behind.split("\n")).strip(), arguments.get("content"))


def _written(call: ToolCall, form: str) -> Iterator[str]:
    """How the call may be written, the shortest way first."""
    if form == "shell":
        yield f"{call.name} {call.args}".rstrip()
        yield _here(f"{call.name} ", call.args)
    elif form == "speech":
        yield f"{call.name} {call.args} {(call.body or '').strip()}".rstrip()
        yield _here(f"{call.name} {call.args} ", call.body or "")
    elif call.body is None:
        yield f"{call.name} {call.args}".rstrip()
        yield _here(f"{call.name} {call.args} ", "")  # an argument that ends as if a document followed
    else:
        yield _here(f"{call.name} {call.args} " if call.args else f"{call.name} ", call.body)


def _here(head: str, body: str) -> str:
    """A here-document with a closing word that is no line of it."""
    lines = body.split("\n")[: -1 if body.endswith("\n") or not body else None]
    there = {line.strip() for line in lines}
    word = next(
        one for one in (_WORD, *(f"{_WORD}_{number}" for number in range(2, len(lines) + 3))) if one not in there
    )
    return "\n".join((f"{head}<<{word}", *lines, word))


def _told(calls: Sequence[ToolCall]) -> list[tuple[str, str, str, str]]:
    """What of calls must be the same: blanks at ends, and a line's end at a document's, mean nothing."""
    return [(one.name, one.args.strip(), (one.body or "").strip(), one.problem or "") for one in calls]


def bare(text: str, tools: Toolset) -> list[tuple[str, dict[str, str]]]:
    """The calls of a text that is nothing but calls in the JSON of models' templates: marks may stand around each, all
    or none, and braces too many; a server without a parser for its model, or with marks left out, says them so."""
    found = []
    for told in _objects(text):
        if not isinstance(told, dict) or set(told) - {"type"} != {"name", "arguments"}:
            return []
        name, arguments = told["name"], told["arguments"]
        if not isinstance(name, str) or name not in tools.forms or not isinstance(arguments, dict):
            return []
        found.append((name, {one: words(said) for one, said in arguments.items()}))
    return found


def _objects(text: str) -> Iterator[object]:
    """The JSON values of a text that is nothing else but marks; None for what is none."""
    decoder = json.JSONDecoder()
    for one in _MARKED.split(text):
        at = 0
        while found := _MORE.search(one, at):
            at = found.start()
            try:
                told, at = decoder.raw_decode(one, at + one.startswith("{{", at))  # twice is no JSON
            except (ValueError, RecursionError):
                yield None
                return
            yield told


def words(said: object) -> str:
    """An argument as the text that it is to be; any that is none as its JSON."""
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def so_far(arguments: str) -> dict[str, str]:
    """The arguments of which a JSON object that is still being written holds something; the last may be a part."""
    for text in (arguments, _HALF.sub("", arguments) + '"}'):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        return {name: one for name, one in found.items() if isinstance(one, str)} if isinstance(found, dict) else {}
    return {}
