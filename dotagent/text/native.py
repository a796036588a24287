"""Native function calling: tool definitions for a service, and its calls converted to dotagent's text form.

A reply is stored as the same text either way, so that LIFE, the grammar and a change of providers know only one form.
Each conversion is parsed again, and used only if it gives the intended call. Pure; owns nothing on disk.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from dotagent.text import grammar, lazy, reasoning
from dotagent.text.grammar import ToolCall, Toolset

Schema = Mapping[str, object]
"""A tool definition for a service: `name`, `description` and `parameters`, a JSON Schema."""
_SAID = {
    "room": "the room's name",
    "text": "the message for this room",
    "command": "one shell command, or several lines of commands",
    "argument": "the text after the name of the tool",
    "content": "the lines between <<END and END",
}
_HALF = lazy.compile(  # an incomplete escape or character at the end
    r"(?:\\ud[89ab][0-9a-f]{2})?\\(?:u[0-9a-f]{0,3})?\Z|\\ud[89ab][0-9a-f]{2}\Z", re.IGNORECASE
)
_WORD = "END"
LOST = "(My call named no tool, or did not give its arguments as a JSON object: "
"""How a reply's reasoning records an impossible call; the call and a bracket follow."""


def schema(name: str, about: str, form: str, usage: Sequence[str]) -> Schema:
    """Return a tool's definition for a service, from its purpose, FORM and USAGE."""
    needs = {"speech": ["room", "text"], "shell": ["command"]}.get(form)
    if needs is None:
        argued = any(line.startswith(f"{name} ") for line in usage)
        needs = ["argument"] * argued + ["content"] * any("<<" in line for line in usage)
    described = "\n".join((f"{about}. As text, the call is:", *usage))
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
    """Return the tools as a request stores them."""
    return json.dumps(schemas, ensure_ascii=False)


def decode(text: str) -> tuple[Schema, ...]:
    """Return the tools in a request, or none if the text is not a list of tools."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    told = found if isinstance(found, list) else []
    return tuple(one for one in told if isinstance(one, dict) and isinstance(one.get("name"), str))


def toolset(schemas: Sequence[Schema]) -> Toolset:
    """Return the grammar's description of the tools, from their parameters."""
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
    """Return the whole reply: each call as lines. Text next to calls is not sent, so it is kept as reasoning.

    Text that cannot be kept, such as a reasoning tag, is dropped.
    """
    if not calls:
        return said
    for here in (False, True):
        lines = [write_call(name, arguments, tools, here) for name, arguments in calls]
        wanted = [one for line in lines for one in grammar.read(line, tools).calls]
        for words in (said.strip(), ""):
            text = reasoning.wrap(words, "\n".join(lines))
            if _significant_parts(grammar.read(text, tools).calls) == _significant_parts(wanted):
                return text
    return "\n".join(lines)


def write_call(name: str, arguments: Mapping[str, str], tools: Toolset, here: bool = False) -> str:
    """Return the lines of this call, with content between closing words if needed or if `here`. An argument of several
    lines that a line cannot contain is joined."""
    wanted = grammar.make_call(name, arguments, tools)
    forms = list(_call_forms(wanted, tools.forms.get(name, "line")))
    for text in forms[here and len(forms) > 1 :]:
        if _significant_parts(grammar.read(text, tools).calls) == _significant_parts([wanted]):
            return text
    return name


def _call_forms(call: ToolCall, form: str) -> Iterator[str]:
    """Yield the forms in which the call may be written, shortest first."""
    if form == "shell":
        yield f"{call.name} {call.args}".rstrip()
        yield _here_document(f"{call.name} ", call.args)
    elif form == "speech":
        yield f"{call.name} {call.args} {(call.body or '').strip()}".rstrip()
        yield _here_document(f"{call.name} {call.args} ", call.body or "")
    elif call.body is None:
        yield f"{call.name} {call.args}".rstrip()
        yield _here_document(f"{call.name} {call.args} ", "")  # an argument that ends like the start of a here-document
    else:
        yield _here_document(f"{call.name} {call.args} " if call.args else f"{call.name} ", call.body)


def _here_document(head: str, body: str) -> str:
    """Return a here-document with a closing word that is not one of its lines."""
    lines = body.split("\n")[: -1 if body.endswith("\n") or not body else None]
    there = {line.strip() for line in lines}
    word = next(
        one for one in (_WORD, *(f"{_WORD}_{number}" for number in range(2, len(lines) + 3))) if one not in there
    )
    return "\n".join((f"{head}<<{word}", *lines, word))


def _significant_parts(calls: Sequence[ToolCall]) -> list[tuple[str, str, str, str]]:
    """Return the significant parts of calls for comparison; outer blanks do not matter."""
    return [(one.name, one.args.strip(), (one.body or "").strip(), one.problem or "") for one in calls]


def words(said: object) -> str:
    """Return an argument as text; a value of another type as JSON."""
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def so_far(arguments: str) -> dict[str, str]:
    """Return the arguments of an unfinished JSON object that have a value so far; the last may be incomplete."""
    for text in (arguments, _HALF.sub("", arguments) + '"}'):
        try:
            found = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        return {name: one for name, one in found.items() if isinstance(one, str)} if isinstance(found, dict) else {}
    return {}
