"""Calls in the syntaxes that models were trained on: which are done, which are asked about, and which are words."""

from __future__ import annotations

import json

import pytest
from text.toolset import TOOLS

from dotagent.text import grammar, partial_reply, syntaxes
from dotagent.text.grammar import ToolCall

RUN = {"name": "RUN", "arguments": {"command": "ls\npwd"}}
WRITE = {"name": "WRITE_FILE", "arguments": {"argument": "a.txt", "content": "one\ntwo\n"}}
SAY = {"name": "SAY", "arguments": {"room": "dev", "text": "Grüße"}}
BARE, SPACED = json.dumps(RUN), json.dumps(WRITE, indent=2)
INNER = json.dumps(RUN["arguments"])
LS, FILE = ToolCall("RUN", "ls\npwd", None), ToolCall("WRITE_FILE", "a.txt", "one\ntwo\n")
CALL = f"<tool_call>\n{BARE}\n</tool_call>"
DSML = (
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="RUN">\n<｜DSML｜parameter name="command" string="true">ls\npwd'
    "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
)
INVOKE = '<invoke name="RUN">\n<parameter name="command">ls\npwd</parameter>\n</invoke>'
CODER = "<function=RUN>\n<parameter=command>\nls\npwd\n</parameter>\n</function>"

DONE: dict[str, tuple[str, list[ToolCall]]] = {
    "hermes": (CALL, [LS]),
    "hermes, two": (f"{CALL}\n<tool_call>\n{SPACED}\n</tool_call>", [LS, FILE]),
    "hermes, never closed": (f"<tool_call>\n{BARE}", [LS]),
    "json": (BARE, [LS]),
    "json over lines": (SPACED, [FILE]),
    "json, two": (f"{BARE}\n{SPACED}", [LS, FILE]),
    "json list": (json.dumps([RUN, WRITE]), [LS, FILE]),
    "json with raw line ends": ('{"name": "RUN", "arguments": {"command": "ls\npwd"}}', [LS]),
    "json, two braces": ("{" + BARE + "}", [LS]),
    "llama": (json.dumps({"name": "RUN", "parameters": RUN["arguments"]}), [LS]),
    "llama, python tag": (f"<|python_tag|>{BARE}", [LS]),
    "openai": (json.dumps({"type": "function", "function": RUN}), [LS]),
    "openai, arguments as text": (
        json.dumps({"id": "c1", "type": "function", "name": "RUN", "arguments": INNER}),
        [LS],
    ),
    "speech": (json.dumps(SAY), [ToolCall("SAY", "dev", "Grüße")]),
    "mistral": (f"[TOOL_CALLS] [{BARE}]", [LS]),
    "mistral, new": (f"[TOOL_CALLS]RUN[ARGS]{INNER}", [LS]),
    "mistral, two": (f"[TOOL_CALLS]RUN{INNER}[TOOL_CALLS]RUN[ARGS]{INNER}</s>".removesuffix("</s>"), [LS, LS]),
    "mistral, blanks": (f"[TOOL_CALLS] RUN [ARGS] {INNER}", [LS]),
    "llama, two": (f"{BARE}; {BARE}", [LS, LS]),
    "content without a last line end": (json.dumps(WRITE).replace("two\\n", "two"), [FILE]),
    "mistral, ids": (f"[TOOL_CALLS]RUN[CALL_ID]abc123[ARGS]{INNER}", [LS]),
    "qwen coder": (f"<tool_call>\n{CODER}\n</tool_call>", [LS]),
    "qwen coder, bare": (CODER, [LS]),
    "llama, function": (f"<function=RUN>{INNER}</function>", [LS]),
    "claude": (f"<function_calls>\n{INVOKE}\n</function_calls>", [LS]),
    "claude, bare": (INVOKE, [LS]),
    "deepseek": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>RUN\n```json\n{INNER}\n```<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        [LS],
    ),
    "deepseek, new": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>RUN<｜tool▁sep｜>{INNER}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        [LS],
    ),
    "deepseek, newest": (DSML, [LS]),
    "kimi": (
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.RUN:0<|tool_call_argument_begin|>{INNER}"
        "<|tool_call_end|><|tool_calls_section_end|>",
        [LS],
    ),
    "glm": ("<tool_call>RUN\n<arg_key>command</arg_key>\n<arg_value>ls\npwd</arg_value>\n</tool_call>", [LS]),
    "granite": (f"<|tool_call|>[{BARE}]", [LS]),
    "minimax": (f"<minimax:tool_call>\n{INVOKE}\n</minimax:tool_call>", [LS]),
    "seed": (f"<seed:tool_call>\n{CODER}\n</seed:tool_call>", [LS]),
    "cohere": (
        f'<|START_ACTION|>[{{"tool_call_id": "0", "tool_name": "RUN", "parameters": {INNER}}}]<|END_ACTION|>',
        [LS],
    ),
    "internlm": (f"<|action_start|><|plugin|>{BARE}<|action_end|>", [LS]),
    "phi": (f"<|tool_call|>[{BARE}]<|/tool_call|>", [LS]),
    "openai, whole": (json.dumps({"tool_calls": [{"id": "c", "type": "function", "function": RUN}]}), [LS]),
    "openai, older": (json.dumps({"function_call": {"name": "RUN", "arguments": INNER}}), [LS]),
    "gemini": (json.dumps({"functionCall": {"name": "RUN", "args": RUN["arguments"]}}), [LS]),
    "after thoughts": (f"<think>\nhm\n</think>\n{CALL}", [LS]),
}
ASKED = {
    "words before": f"I look.\n{CALL}",
    "words behind": f"{BARE}\nThere.",
    "another name": CALL.replace('"RUN"', '"bash"'),
    "another argument": CALL.replace('"command"', '"cmd"'),
    "an argument more": '{"name": "RUN", "arguments": {"command": "ls", "timeout": 5}}',
    "none": '{"name": "RUN", "arguments": {}}',
    "cut": CALL[:30],
    "a list as an argument": '{"name": "RUN", "arguments": {"command": ["ls", "-l"]}}',
    "invoke, unknown": INVOKE.replace('"RUN"', '"bash"'),
    "beside a call": f"RUN ls\n{CALL}",
    "words in the line": f"Ich sehe nach: {CALL}",
    "words, then mistral": f"Je regarde.[TOOL_CALLS]RUN[ARGS]{INNER}",
    "words, then deepseek": f"我来看看。<｜tool▁call▁begin｜>RUN<｜tool▁sep｜>{INNER}<｜tool▁call▁end｜>",
    "words, then kimi": (
        f"好的。<|tool_calls_section_begin|><|tool_call_begin|>functions.RUN:0<|tool_call_argument_begin|>{INNER}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "words, then a function": "Voy a mirar: <function=RUN><parameter=command>ls</parameter></function>",
    "only code": f"`{BARE}`",
    "single quotes": "{'name': 'RUN', 'arguments': {'command': 'ls'}}",
    "another tag": f'<call name="RUN">{INNER}</call>',
    "an interface's tag": "<api>RUN(command='ls')</api>",
    "step": '<steptml:invoke name="RUN"><steptml:parameter name="command">ls</steptml:parameter></steptml:invoke>',
    "a label": f"tool_call: RUN {INNER}",
    "other names of the fields": '{"tool_name": "run", "tool_input": {"command": "ls"}}',
    "words as a field beside it": f'{{"tool_call": {BARE}, "message": "I look."}}',
    "small letters": '{"name": "run", "arguments": {"command": "ls"}}',
    "small letters, over lines": json.dumps(WRITE, indent=2).replace("WRITE_FILE", "write_file"),
    "small letters, other arguments": '{"name": "run", "parameters": {"cmd": "ls"}}',
    "small letters, a list": '[{"name": "read_file", "arguments": {"argument": "a.txt"}}]',
    "one word": '{"tool": "readFile", "args": {"path": "a.txt"}}',
    "hyphens": '{"type": "function", "name": "functions.read-file", "arguments": "{\\"argument\\": \\"a\\"}"}',
    "small letters in marks": '<tool_call>\n{"name": "run", "arguments": {"command": "ls"}}\n</tool_call>',
    "small letters in a tag": CODER.replace("RUN", "run"),
    "arguments first": '{"arguments": {"command": "ls"}, "name": "run"}',
    "after thoughts, small letters": '<think>\nhm\n</think>\n{"name": "run", "arguments": {"command": "ls"}}',
    "only a fence": f"```json\n{BARE}\n```",
    "only a fence, over lines": f"```\n{SPACED}\n```\n",
    "only a fence, small letters": '```json\n{"name": "run", "arguments": {"command": "ls"}}\n```',
    "only a fence of tildes": f"~~~tool_call\n{BARE}\n~~~",
    "only a fence with marks": f"```xml\n{CALL}\n```",
    "only an open fence": f"```json\n{BARE}",
    "react": "Action: RUN\nAction Input: ls",
    "python": '[RUN(command="ls")]',
    "python with single quotes": "[RUN(command='ls')]",
    "python, the argument alone": 'RUN("ls")',
    "llama 4": '<|python_start|>[RUN(command="ls")]<|python_end|>',
    "gemma's fence": '```tool_code\nprint(RUN(command="ls"))\n```',
    "functiongemma": "<start_function_call>call:RUN{command:<escape>ls<escape>}<end_function_call>",
    "nemotron": f"<TOOLCALL>[{BARE}]</TOOLCALL>",
    "longcat": f"<longcat_tool_call>{BARE}</longcat_tool_call>",
    "phi-4-mini": f"functools[{BARE}]",
    "command-r": f'Action: ```json\n[{{"tool_name": "RUN", "parameters": {INNER}}}]\n```',
    "functionary": f"<|from|>assistant\n<|recipient|>RUN\n<|content|>{INNER}",
    "grok": '<xai:function_call name="RUN"><parameter name="command">ls</parameter></xai:function_call>',
    "cline": "<execute_command>\n<command>ls</command>\n</execute_command>",
    "a tag of its own": "<RUN>\n<command>ls</command>\n</RUN>",
    "a server's tool": f"<use_mcp_tool>\n<tool_name>RUN</tool_name>\n<arguments>{INNER}</arguments>\n</use_mcp_tool>",
    "qwen, older": f"✿FUNCTION✿: RUN\n✿ARGS✿: {INNER}",
    "an action as JSON": '{"action": "RUN", "action_input": {"command": "ls"}}',
    "the name as a field": '{"RUN": {"command": "ls"}}',
    "a recipient": '{"recipient_name": "functions.RUN", "parameters": {"command": "ls"}}',
    "many at once": '{"tool_uses": [{"recipient_name": "functions.RUN", "parameters": {"command": "ls"}}]}',
    "apertus": '<|tools_prefix|>[{"RUN": {"command": "ls"}}]<|tools_suffix|>',
}
SAID = {
    "fenced": f"Qwen writes a call so:\n\n```\n{CALL}\n```\n\nThat is all.",
    "quoted": f"It is `{CALL[:11]}` and then JSON.",
    "marks named in words": "Hermes writes <tool_call> and JSON, Mistral [TOOL_CALLS] and a name.",
    "code in a sentence": f"Write `{BARE}` for it, or `[TOOL_CALLS]RUN[ARGS]{{}}`.",
    "a comparison": "If a <b and RUN is set, the text says so: command line first.",
    "fenced behind words": f"So:\n```json\n{BARE}\n```",
    "fenced before words": f"```json\n{BARE}\n```\nThat is a call.",
    "two fences": f"```json\n{BARE}\n```\n```json\n{BARE}\n```",
    "a package in small letters": '{"name": "run", "version": "1.0", "arguments": {"a": 1}}',
    "a fenced package": '```json\n{"name": "run", "version": "1.0"}\n```',
    "an unknown tool": '{"name": "bake", "arguments": {"a": 1}}',
    "a fenced script": "```python\nrun(command='ls')\n```",
    "a list of names": '[{"name": "run"}, {"name": "wait"}]',
    "data": '{"name": "Rome", "arguments": {"a": 1}}',
    "a list": '["a", "b"]',
    "a package": '{"name": "dotagent", "version": "1.0"}',
    "a link": "[TOOLS](https://example.org)",
    "an action": "Action: call mum\nAction: pay the rent",
    "html": "<invoice>\n<p>1</p>\n</invoice>",
}


@pytest.mark.parametrize("case", DONE)
def test_a_certain_call_is_done(case: str) -> None:
    reply, calls = DONE[case]
    reading = grammar.read(reply, TOOLS)
    assert [*reading.calls] == calls and not reading.text


@pytest.mark.parametrize("case", ASKED)
def test_an_uncertain_call_is_neither_done_nor_said(case: str) -> None:
    reading = grammar.read(ASKED[case], TOOLS)
    assert reading.lost and not reading.calls
    assert reading.text.endswith(syntaxes.UNREAD) and "<" not in reading.text and '"' not in reading.text


@pytest.mark.parametrize("case", SAID)
def test_an_example_is_said(case: str) -> None:
    reading = grammar.read(SAID[case], TOOLS)
    assert (reading.text, reading.lost, reading.calls) == (SAID[case], (), ())


@pytest.mark.parametrize("case", [*DONE, *ASKED])
def test_nothing_of_a_call_is_shown_while_it_comes(case: str) -> None:
    reply = DONE[case][0] if case in DONE else ASKED[case]
    shown = {partial_reply.spoken(reply[:end], TOOLS, "dev", waking=True) for end in range(len(reply) + 1)}
    assert not [one for one in shown if "<" in one or '"' in one or "[TOOL" in one]


@pytest.mark.parametrize("case", ["a fenced script", "fenced behind words", "fenced before words"])
def test_a_fenced_example_is_shown_while_it_comes(case: str) -> None:
    said = SAID[case]
    assert partial_reply.spoken(said, TOOLS, "dev", waking=True) == said


def test_a_name_that_two_tools_share_but_for_its_case_is_no_call() -> None:
    two = grammar.Toolset({"RUN": "shell", "Run": "line"})
    said = '{"name": "run", "arguments": {"command": "ls"}}'
    assert grammar.read(said, two).text == said


def test_the_words_beside_a_call_are_kept() -> None:
    reading = grammar.read(f"I look.\n{CALL}\nThere.", TOOLS)
    assert reading.text == f"I look.\n\nThere.\n\n{syntaxes.UNREAD}"


def test_an_answer_in_json_is_shown_while_it_comes() -> None:
    said = SAID["a package"]
    assert partial_reply.spoken(said, TOOLS, "dev", waking=True) == said
