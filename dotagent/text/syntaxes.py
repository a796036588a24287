"""Tool calls in the syntaxes that models were trained on: in the JSON or the tags of their templates.

Such a call is done only if it is certain: the reply is nothing but calls, and each has a tool's name and exactly its
arguments. Anything else that begins like a call is asked about; so is a reply that is only a fence with calls, or only
calls whose names differ from those of tools by case or hyphens. In a fence among words, or in quotes, it is an example.
Pure, linear in the reply's length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from dotagent.text import lazy, lookalike

Call = tuple[str, Mapping[str, str]]
"""A tool's name, and its arguments by name."""
ARGUMENTS = {"speech": {"room", "text"}, "shell": {"command"}, "line": {"argument", "content"}}
"""The names of the arguments by a tool's form; native.schema gives the same. Those of a line are optional."""
SIGNS = (
    *("<tool_call>", "<tool_calls>", "<tools>", "<function_call>", "<function_calls>", "<function=", "<invoke "),
    *("<｜tool", "<｜DSML｜", "<|tool_call", "<|python_tag|>", "<|plugin|>", "[TOOL_CALLS]", "<|tool_calls_section"),
    *("<minimax:tool_call>", "<seed:tool_call>", "<|START_ACTION|>", "<|action_start|>", "<|tools_prefix|>"),
    *("<TOOLCALL>", "<longcat_tool_call>", "<start_function_call>", "<xai:function_call", "<function_call name="),
    *("<use_mcp_tool>", "<tool_use>", "<tool name=", "<execute_command>", "<|python_start|>", "<|from|>assistant"),
    *("functools[{", "function call<|role_sep|>", "✿FUNCTION✿:", "assistant to=", "Action: ```"),
)
UNREAD = "(I tried to use a tool in a form that dotagent cannot read with certainty, so that was not done)"
_ACTION = lazy.compile(r"Action:[ \t]*[A-Z_]*\Z")  # “Action: RUN” as it comes
_CODE = lazy.compile(r"(?:`{3,}|~{3,}) ?tool_(?:code|calls?)[ \t]*(?:\n|\Z)")  # Gemma's fence with a call
_SIGN = lazy.compile(rf"^[ \t]*(?:{'|'.join(map(re.escape, SIGNS))})", re.MULTILINE)
_WITHIN = lazy.compile(  # the same behind words in a line
    r"(?<![`'\"\\])(?:(?:</?(?:tool_calls?|function_calls?)>|\[TOOL_CALLS\]|<[|｜](?:tool|python_tag|plugin)[^\s<>]*>"
    r"|<｜DSML｜\w+>)\s*(?:[\[{<]|(?:functions\.)?\w+[\[<{:]|(?<=\n)\Z)|<(?:function=\w|(?:\w+:)?invoke name=))"
)
_PART = lazy.compile(
    r"(?<![`'\"\\])(?:<[/|｜\w][^<>\n]{0,24}(?:>[^\s<]{0,20})?|(?:<[^\s<>]{0,30}>?|\[[A-Z_]*\]?)\s*[\w.]*)\Z"
)
_ARGUMENT = rf"[\"'=(<{{:>](?:{'|'.join(sorted({one for many in ARGUMENTS.values() for one in many}))})[\"'=>:]"
_BEGINNING = re.compile(
    r"(?:[\"'>=(]|(?<=[.:])(?= ?[A-Z])) ?([A-Z_]*)\Z"
)  # text that may become a tool's name in the marks of some syntax
_OPENING = lazy.compile(r"[\[{<]")
_CODE_SPAN = lazy.compile(r"`[^`\n]*`")
_WRAP = lazy.compile(
    r"\s+|</?(?:tool_calls?|tools|function_calls?|functioncall)>|\[/?TOOL_CALLS\]|<\|(?:python_tag|plugin|eom_id)\|>"
    r"|<｜tool▁(?:calls▁begin|call▁end|calls▁end|call▁begin)｜>|</?｜DSML｜(?:function_calls|tool_calls)>"
    r"|</?\|?tool_call\|?>|<\|/tool_call\|>|<\|tool_calls?(?:_section)?_(?:begin|end)\|>|[,;](?=\s*\{)"
    r"|</?(?:minimax|seed):tool_call>|<\|(?:START|END)_ACTION\|>|<\|action_(?:start|end)\|>"
)
_JSON = lazy.compile(r"\{\s*\{|[\[{]")
_NAME = r"(?:functions\.)?(?P<name>\w+)"
_FIELDS = (
    r"(?:\"(?:type|id)\"\s*:\s*\"[^\"]*\"\s*,\s*)*(?:\"function\"\s*:\s*\{\s*)?"  # before the name in a JSON object
)
_NAMING = "name|tool|function|tool_name|action|recipient_name"  # the fields of a JSON object that name a tool
_LISTING = "tool_calls?|function_call|functionCall|toolCall|tool_uses"  # syntaxes that contain calls
_UNDECIDED = lazy.compile(
    rf"[\[{{\s]*{_FIELDS.replace(',', ',?')}(?:\"[^\"]{{0,20}}(?:\"\s*:?\s*(?:\"[^\"]{{0,60}})?)?)?"
)
_CLOSING = lazy.compile(
    r"</(?:tool_calls?|tools|function_calls?|function|(?:｜DSML｜)?(?:function_calls|invoke))>|<｜tool▁calls?▁end｜>"
    r"|<\|tool_calls?(?:_section)?_end\|>|</(?:minimax|seed):tool_call>|<\|END_ACTION\|>|<\|action_end\|>"
    r"|<\|tools_suffix\|>"
)
_FUNCTION = lazy.compile(rf"<function={_NAME}>(?P<body>.*?)</function>", re.DOTALL)
_INVOKE = lazy.compile(
    rf"<(?P<mark>(?:｜DSML｜)?)invoke name=[\"']{_NAME}[\"']\s*>(?P<body>.*?)</(?P=mark)invoke>", re.DOTALL
)
_PARAMETER = lazy.compile(
    r"\s*<(?P<mark>(?:｜DSML｜)?)parameter(?:=(?P<one>\w+)| name=[\"'](?P<two>\w+)[\"'][^>]*)>(?P<value>.*?)"
    r"</(?P=mark)parameter>\s*",
    re.DOTALL,
)
_KEYS = lazy.compile(rf"{_NAME}\s*(?P<body>(?:<arg_key>\w+</arg_key>\s*<arg_value>.*?</arg_value>\s*)+)", re.DOTALL)
_KEY = lazy.compile(r"<arg_key>(\w+)</arg_key>\s*<arg_value>(.*?)</arg_value>\s*", re.DOTALL)
_BEFORE_JSON = lazy.compile(  # DeepSeek's, Mistral's and Kimi's name before the arguments
    rf"(?:function<｜tool▁sep｜>{_NAME}\s*```json\s*(?=\{{)"
    rf"|{_NAME.replace('name', 'name2')}\s*(?:<｜tool▁sep｜>|(?:\[CALL_ID\]\w+)?\[ARGS\]"
    rf"|:\d+\s*<\|tool_call_argument_begin\|>)?\s*(?=\{{))"
)
_GIVEN = ("arguments", "parameters", "input", "args", "tool_input", "action_input")
_HOLDERS = ("function", "function_call", "functionCall", "tool_call")  # the fields that contain a single call
_CALL = frozenset("name tool function tool_name action type id tool_call_id".split()) | {*_GIVEN}
_CLOSED = lazy.compile(r"\s*```(?=\s*<｜tool)")


def calls(text: str, forms: Mapping[str, str]) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    """Return the calls of a text, if they are certain; otherwise the lines that look like calls.

    `forms` maps the names of the tools to their forms.
    """
    lines = _signs(text, forms)
    if not lines:
        return (), _alone(text, forms)
    found = tuple(_all(text))
    if found and all(one and _fits(one, forms) for one in found):
        return tuple(one for one in found if one), ()
    return (), lines


def without(text: str, lines: Sequence[str]) -> str:
    """Return the text without its calls, which begin in these lines, and a remark that they were not done."""
    if lookalike.opened_fence(lines[0]):
        return UNREAD
    before = text[: text.find(lines[0])].strip() if lines else text
    last = max((found.end() for found in _CLOSING.finditer(text)), default=len(text))
    return "\n\n".join(filter(None, (before, text[max(last, len(before)) :].strip(), UNREAD)))


def hides(text: str, forms: Mapping[str, str]) -> bool:
    """Return whether an unfinished text has, or may soon have, such a call."""
    last = text.rpartition("\n")[2].lstrip()
    names = _names(forms)
    begun = (
        _ACTION.match(last)
        or any(sign.startswith(last) for sign in SIGNS if len(last) > 8 or not sign[0].isalpha())
        or re.match(rf"\[?(?:{names})\([a-z_]*\Z|>>>[A-Z_]*\Z|to=[\w.]*\Z", last)
        or (last.startswith("[") and any(f"[{name}(".startswith(last) for name in forms))
    )
    if last and begun and last in [one.lstrip() for one in _unfenced(text)][-1:]:
        return True
    bare = re.sub(r"\A`(?=[\[{<])", "", text.strip())
    if lookalike.opened_fence(bare.partition("\n")[0]) and (inner := _inner(bare)) is not None:
        if _CODE.match(bare):
            return True
        bare = inner.strip()
        if not bare or any(sign.startswith(bare[: len(sign)]) for sign in SIGNS):
            return True
    if bare[:1] in ("{", "[") and (_UNDECIDED.fullmatch(bare) or _similar(forms).match(bare)):
        return True
    return bool(_signs(text, forms))


def _signs(text: str, forms: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines that begin like such a call, outside fences."""
    named, at = _named(forms), _within(text, forms)
    if at < 0 and not (_SIGN.search(text) or named.search(text)):
        return ()
    found = [line.strip() for line in _unfenced(text) if _SIGN.match(line) or named.match(line)]
    if not found and named.match(text):  # JSON over several lines
        found.append(text.strip().split("\n")[0])
    if at >= 0 and not (found and text.find(found[0]) <= at):
        found.insert(0, text[at:].partition("\n")[0].rstrip())
    return tuple(found)


def _within(text: str, forms: Mapping[str, str]) -> int:
    """Return where a call begins behind words, in a template's marks, or with a tool's name and one of its arguments
    in any marks; -1 if there is none. Code in backticks does not count."""
    marked = f"{_begun(forms)}{_ARGUMENT}"
    if not (_WITHIN.search(text) or re.search(marked, text)):
        return -1
    visible = _CODE_SPAN.sub(lambda code: " " * len(code[0]), "\n".join(_unfenced(text, blank=True)))
    if not (found := _WITHIN.search(visible) or re.search(marked, visible)):
        return -1
    return _opening(visible, found.start())


def _opening(text: str, at: int) -> int:
    """Return where the marks before a tool's name at this place begin, in the same line."""
    found = _OPENING.search(text, max(text.rfind("\n", 0, at) + 1, at - 80), at)
    return found.start() if found else at


def _begun(forms: Mapping[str, str]) -> str:
    """Return the pattern of a tool's name in the marks of some syntax, and of the text before an argument."""
    return rf"[\"'>=.:(] ?(?:{_names(forms)})(?=[\"'>(<\[]| ?\{{|\Z)[^\n]{{0,80}}?"


def settled(line: str, forms: Mapping[str, str]) -> str:
    """Return the part of the last, unfinished line of a text that no further letter can turn into such a call."""
    if (at := line.find("{")) >= 0 and _UNDECIDED.fullmatch(line[at:]):
        line = line[:at]
    part = _PART.search(line)
    if part:
        return line[: part.start()]
    if begun := re.search(rf"{_begun(forms)}\Z", line):
        return line[: begun.start() + (begun[0][0] in ".:")]  # text that people may have seen already stays
    begun = _BEGINNING.search(line)
    return line[: begun.start()] if begun and any(name.startswith(begun[1]) for name in forms) else line


def _alone(text: str, forms: Mapping[str, str]) -> tuple[str, ...]:
    """Return the first line of a text that is only a fence with calls, or only calls with similar names of tools."""
    bare = text.strip()
    if _CODE_SPAN.fullmatch(bare):
        return (bare,) if _alone(bare[1:-1], forms) or _signs(bare[1:-1], forms) else ()
    first = bare.partition("\n")[0]
    if _CODE.match(first) and _inner(bare) is not None:
        return (first,)
    inner = (_inner(bare) or "").strip() if lookalike.opened_fence(first) else bare
    if inner[:1] not in ("{", "[", "<"):
        return ()
    similar = re.compile(_similar_names(forms))
    found = tuple(_all(inner))
    return (first.strip(),) if found and all(one and similar.fullmatch(one[0]) for one in found) else ()


def _inner(text: str) -> str | None:
    """Return the content of a text that is only a fence, perhaps an unfinished one, otherwise None."""
    first, _, rest = text.partition("\n")
    fence, lines = lookalike.opened_fence(first), rest.split("\n")
    end = next((at for at, line in enumerate(lines) if lookalike.is_closed_by(line, fence)), len(lines))
    return None if any(map(str.strip, lines[end + 1 :])) else "\n".join(lines[:end])


def _similar_names(forms: Mapping[str, str]) -> str:
    """Return the pattern of the tools' names in any case, without or with other signs between their words."""
    once = [one for one in sorted(forms) if [two.casefold() for two in forms].count(one.casefold()) == 1]
    return f"(?i:{'|'.join(re.escape(one).replace('_', '[_ -]?') for one in once) or '(?!)'})"


def _similar(forms: Mapping[str, str]) -> re.Pattern[str]:
    """Return the pattern of the beginning of a JSON object that may be a call of a tool with a similar name."""
    return re.compile(
        rf"[\[{{\s]*(?:\"(?:arguments|parameters)\"\s*:\s*\{{|{_FIELDS}\"(?:{_NAMING})\"\s*:\s*"
        rf"\"(?:functions\.)?{_similar_names(forms)}\"(?!\s*,\s*\"(?!arg|par|inp|typ|id|too)\w{{3}}))"
    )


def _unfenced(text: str, blank: bool = False) -> Iterator[str]:
    """Yield the lines outside fences; if `blank`, the others as blanks."""
    fence = ""
    for line in text.split("\n"):
        if fence:
            fence = "" if lookalike.is_closed_by(line, fence) else fence
        elif not (fence := lookalike.opened_fence(line)):
            yield line
            continue
        if blank:
            yield " " * len(line)


def _names(forms: Mapping[str, str]) -> str:
    """Return the pattern of the tools' names."""
    return "|".join(map(re.escape, sorted(forms))) or "(?!)"


def _named(forms: Mapping[str, str]) -> re.Pattern[str]:
    """Return the pattern of a JSON object that names a tool."""
    names = _names(forms)
    return re.compile(
        rf"^[ \t]*(?:(?:\[\s*)?\{{+\s*{_FIELDS}\"(?:{_NAMING})\"\s*:\s*\"(?:functions\.)?(?:{names})\""
        rf"|\{{\s*\"(?:{_LISTING})\"\s*:|\{{+\s*\"(?:{names})\"\s*:\s*\{{|\[?(?:{names})\([a-z_]*[=\"']"
        rf"|<(?:{names})>|(?:>>>|to=(?:functions\.)?)(?:{names})\b|Action:[ \t]*(?:{names})[ \t]*$)",
        re.MULTILINE,
    )


def _all(text: str) -> Iterator[Call | None]:
    """Yield each call of a text that is nothing but calls, and None for anything else."""
    at = 0
    while at < len(text):
        if wrap := _WRAP.match(text, at):
            at = wrap.end()
        elif found := _FUNCTION.match(text, at) or _INVOKE.match(text, at):
            yield _make(found["name"], _parameters(found["body"]))
            at = found.end()
        elif found := _KEYS.match(text, at):
            yield found["name"], {one: value.strip("\n") for one, value in _KEY.findall(found["body"])}
            at = found.end()
        elif found := _BEFORE_JSON.match(text, at):
            told, at = _object(text, found.end())
            yield _make(found["name"] or found["name2"], told)
            if fenced := _CLOSED.match(text, at):
                at = fenced.end()
        elif _JSON.match(text, at):
            told, at = _object(text, at + text.startswith("{{", at))  # two braces are not JSON
            many = told.get("tool_calls", told) if isinstance(told, dict) and len(told) == 1 else told
            yield from map(_call, many if isinstance(many, list) else [many])
            at = at + 1 if text.startswith("}", at) else at
        else:
            yield None
            return


def _object(text: str, at: int) -> tuple[object, int]:
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, len(text)


def _call(told: object) -> Call | None:
    """Return the call of a JSON object in any of the usual forms."""
    if not isinstance(told, dict):
        return None
    holder = next((one for one in _HOLDERS if isinstance(told.get(one), dict)), "")
    if holder and set(told) - _CALL - {holder}:
        return None
    told = told[holder] if holder else told
    names = [told[one] for one in ("name", "tool", "function", "tool_name") if one in told]
    given = [told[one] for one in _GIVEN if one in told]
    more = set(told) - _CALL
    if len(names) != 1 or len(given) != 1 or more or not isinstance(names[0], str):
        return None
    return _make(
        names[0].removeprefix("functions."), _object(given[0], 0)[0] if isinstance(given[0], str) else given[0]
    )


def _make(name: str, arguments: object) -> Call | None:
    if not isinstance(arguments, dict) or not all(isinstance(one, str | int | float) for one in arguments.values()):
        return None
    return name, {str(one): str(value) for one, value in arguments.items()}


def _parameters(body: str) -> object:
    """Return the parameters in a tag: each in a separate tag, or all as JSON. Return None for anything else."""
    if body.lstrip().startswith("{"):
        told, at = _object(body, len(body) - len(body.lstrip()))
        return told if not body[at:].strip() else None
    found, at = dict[str, str](), len(body) - len(body.lstrip())
    while at < len(body):
        if not (one := _PARAMETER.match(body, at)):
            return None
        found[one["one"] or one["two"]] = one["value"].removeprefix("\n").removesuffix("\n")
        at = one.end()
    return found


def has_places(call: Call, forms: Mapping[str, str]) -> bool:
    """Return whether the call has a tool's name, and a place for each argument. In a line, arguments of any names stand
    in their order, but in front of content only one."""
    name, arguments = call
    form = forms.get(name, "")
    if form in ("speech", "shell"):
        return set(arguments) <= ARGUMENTS[form]
    return bool(form) and ("content" not in arguments or len(arguments) <= 2)


def _fits(call: Call, forms: Mapping[str, str]) -> bool:
    """Return whether the call has a tool's name, and exactly its arguments."""
    name, arguments = call
    if name not in forms:
        return False
    wanted = ARGUMENTS.get(forms[name], ARGUMENTS["line"])
    return set(arguments) <= wanted if wanted is ARGUMENTS["line"] else set(arguments) == wanted
